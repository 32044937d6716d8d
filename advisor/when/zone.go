package when

import (
	"strings"
	"time"
)

// zoneSaid is a zone named in the text.
type zoneSaid struct {
	how     zoneKind
	word    int    // index in zones
	minutes int    // east of UTC
	name    string // Area/City as written
}

type zoneKind uint8

const (
	noZone zoneKind = iota
	byWord
	byOffset
	byName
)

// zoneAt reads PST, 北京时间, UTC+8, 东八区, Asia/Shanghai and the offset behind an
// ISO time.
func zoneAt(p *parser, i int) (piece, bool) {
	out := piece{kind: kZone, lo: i, hi: i + 1}
	t := p.tok(i)
	if n, ok := t.sense(clZone); ok {
		beside := p.last.hi == i && i > 0 && p.last.kind != kBare
		if zones[n].short && !t.upper && !beside {
			return piece{}, false
		}
		out.zone = zoneSaid{how: byWord, word: n}
		out.ask = zones[n].other != ""
		return out, true
	}
	afterClock := p.last.kind == kClock && p.last.hi == i && i > 0
	switch {
	case t.is(clIANA):
		out.zone = zoneSaid{how: byName, name: t.name}
	case t.is(clUTC):
		out = p.offset(out, out.hi)
	case t.ch == 'z' && t.glued && afterClock:
		out.zone = zoneSaid{how: byOffset}
	case (t.ch == '+' || t.ch == '-' && p.iso) && afterClock && p.tok(i+1).num.width > 1 && p.tok(i+1).glued:
		out = p.offset(out, i)
	case t.ch == '东' || t.ch == '西':
		return p.hanZone(i)
	default:
		return piece{}, false
	}
	return out, true
}

// offset reads what may follow UTC: +8, -05:00, +0530.
func (p *parser) offset(out piece, i int) piece {
	out.zone = zoneSaid{how: byOffset}
	sign := p.tok(i).ch
	n := p.tok(i + 1).num
	if sign != '+' && sign != '-' || n.width == 0 {
		return out
	}
	h, m := int(n.v), 0
	out.hi = i + 2
	if n.width >= 3 {
		h, m = h/100, h%100
	}
	if t := p.tok(out.hi); t.ch == ':' && t.glued && p.tok(out.hi+1).num.width == 2 {
		m = int(p.tok(out.hi + 1).num.v)
		out.hi += 2
	}
	if h > 14 || m > 59 { // no place on earth
		out.err = InvalidTime
	}
	out.zone.minutes = h*60 + m
	if sign == '-' {
		out.zone.minutes = -out.zone.minutes
	}
	return out
}

// hanZone reads 东九区 and 西五区.
func (p *parser) hanZone(i int) (piece, bool) {
	t := p.tok(i + 1)
	if !t.isNum || p.first(i+2) != '区' || t.num.v > 12 {
		return piece{}, false
	}
	minutes := int(t.num.v) * 60
	if p.first(i) == '西' {
		minutes = -minutes
	}
	return piece{kind: kZone, lo: i, hi: i + 3, zone: zoneSaid{how: byOffset, minutes: minutes}}, true
}

// place loads the zone. sure is false when another reading is possible: then
// alt, if not nil, is that reading.
func (z zoneSaid) place(user *time.Location, load Zones) (loc, alt *time.Location, sure bool) {
	switch z.how {
	case byOffset:
		if z.minutes == 0 {
			return time.UTC, nil, true
		}
		return fixed(z.minutes), nil, true
	case byName:
		if strings.EqualFold(z.name, user.String()) {
			return user, nil, true
		}
		if loc := named(z.name, load); loc != nil {
			return loc, nil, true
		}
		return user, nil, false
	}
	w := zones[z.word]
	if w.iana == user.String() && w.other == "" && !w.fixed {
		return user, nil, true
	}
	loc = named(w.iana, load)
	if loc == nil {
		return fixed(w.std), nil, w.other == ""
	}
	if w.other == "" {
		if w.fixed {
			alt = fixed(w.std)
		}
		return loc, alt, true
	}
	second := named(w.other, load)
	if region(user) == region(second) { // CST to somebody in America
		loc, second = second, loc
	}
	return loc, second, false
}

func region(l *time.Location) string {
	if l == nil {
		return ""
	}
	area, _, _ := strings.Cut(l.String(), "/")
	return area
}

func fixed(minutes int) *time.Location {
	sign, m := "+", minutes
	if m < 0 {
		sign, m = "-", -m
	}
	name := "UTC" + sign + string(rune('0'+m/600)) + string(rune('0'+m/60%10)) + ":" + string(rune('0'+m%60/10)) + string(rune('0'+m%10))
	return time.FixedZone(name, minutes*60)
}

// named loads a zone as written, then with the capitals that the names have.
func named(name string, load Zones) *time.Location {
	if load == nil || name == "" {
		return nil
	}
	for _, n := range []string{name, capitals(name)} {
		if loc, err := load(n); err == nil && loc != nil {
			return loc
		}
	}
	return nil
}

func capitals(name string) string {
	b := []byte(strings.ToLower(name))
	up := true
	for i, c := range b {
		if up && c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
		up = c == '/' || c == '_' || c == '-'
	}
	return string(b)
}
