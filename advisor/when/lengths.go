package when

import "time"

// Length is a length of time that a text says, whatever it counts from.
type Length struct {
	Start, End int           // bytes of the text
	D          time.Duration // months count 30 days; maxYears when Far
	Far        bool          // more than anybody waits: 9000 years
}

// Lengths finds the lengths of time in a text, in order: 2h30m, 两个半小时 and "an hour
// and a half" are one, "1 day and 2 hours" are two. What nobody could count with (a
// few days, working days) is left out; of "2 to 3 days" it takes the shorter.
func Lengths(text string) []Length {
	p := newParser(text, time.UTC)
	p.apart = true
	var out []Length
	for i := 0; i < len(p.toks); {
		a, next, ok := p.amount(i)
		if !ok {
			i++
			continue
		}
		if !a.vague && !a.neg {
			out = append(out, Length{p.f.at[p.toks[i].lo], p.f.at[p.toks[next-1].hi], a.length(), a.far})
		}
		i = next
	}
	return out
}

func (a amount) length() time.Duration {
	if a.far {
		return maxYears * 366 * day
	}
	return a.exact + time.Duration(a.months)*30*day
}
