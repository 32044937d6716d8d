package advisor

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gpuadvisor/advisor/fault"
	"gpuadvisor/advisor/when"
)

// read_rental.go reads the description of a machine: 4090 AutoDL 明天18点释放,
// "RunPod, stopped 2 days ago", 余额 100 元 每小时 2.5 元. Its words are data, the
// phrases release.read.*, in all languages at once.

// rentalRead is what a description says and what it lacks.
type rentalRead struct {
	Rental
	err   when.Code   // of the time
	alt   []time.Time // other readings of it
	dated bool        // something ends it
	odd   []string    // what was said and cannot be: keep, since, ago, runway
}

// readRental reads a description as of now.
func (t *turn) readRental(said string) rentalRead {
	b := t.book
	out := rentalRead{Rental: Rental{Schema: RentalSchema, ID: rentalID(t.m.ID), Key: t.m.Key, Owner: firstRunes(t.m.Actor.Name, 30), Since: t.m.At.UTC().Truncate(time.Second), Zone: t.zone().String()}}
	r := &out.Rental
	facts := b.Read(said, Asked{Facts: &Facts{}}).Facts
	t.readCards(r, facts)
	r.Platform = b.vendorIn(said)
	t.readMoney(r, said, facts)
	said = b.spoken.money.ReplaceAllString(said, " ")
	said = out.cutFigures(b, said, r.Since)
	event, leads := b.cutLeads(said)
	res := when.Parse(event, t.m.At, t.zone(), t.zones)
	r.Name = b.rentalName(said, res, *r, t.lang)
	if name := b.leftOver(event, res); name != "" && r.Name == b.say(t.lang, "release.machine") && (t.c.Flow.Kind == "release" || strings.HasPrefix(strings.TrimSpace(t.m.Text), "/")) {
		r.Name = firstRunes(fault.Mask(name), longestName) // "/release zebra tomorrow 18:00"
	}
	leads = t.readEnd(&out, said, res, leads)
	for _, lead := range leads {
		r.Leads = strings.TrimPrefix(r.Leads+","+strconv.Itoa(int(lead/time.Minute)), ",")
	}
	return out
}

// readCards reads which card and how many.
func (t *turn) readCards(r *Rental, facts Facts) {
	for _, n := range facts.GPUNamed.Value {
		if cards := t.book.cardsNamed([]Named{n}); len(cards) > 0 && r.Card == "" {
			r.Card, r.Cards = t.book.withPrice(cards, Facts{}, t.m.At).ID, max(1, n.N)
		}
	}
	if facts.GPUs.Known() && r.Cards == 1 {
		r.Cards = facts.GPUs.Value.Most()
	}
}

// cutFigures takes out how long the machine is kept and for how long it has been running.
func (d *rentalRead) cutFigures(b *Rulebook, said string, now time.Time) string {
	var odd bool
	if said, d.KeepHours, odd = b.cutKeep(said); odd {
		d.odd = append(d.odd, "keep")
	}
	if said, d.Since, odd = b.cutSince(said, now); odd {
		d.odd = append(d.odd, "since")
	}
	return said
}

// readEnd reads what ends the rental: a deletion clock, a balance or an hour. It returns
// the leads of its reminders.
func (t *turn) readEnd(d *rentalRead, said string, res when.Result, leads []time.Duration) []time.Duration {
	r := &d.Rental
	stopped, isStopped, never := t.stoppedAt(said, res)
	switch {
	case never: // stopped 9000 years ago
		d.odd = append(d.odd, "ago")
	case isStopped:
		r.How, r.Stopped = "clock", stopped
		keep, _ := t.book.keepFor(*r)
		r.End, d.dated = stopped.Add(keep), true
		if r.Since.After(stopped) {
			r.Since = stopped
		}
	case r.Balance > 0 && r.Price > 0:
		r.How, r.End, d.dated = "runway", t.m.At.UTC().Truncate(time.Minute).Add(duration(r.Balance/r.Price)), true
	case res.Err == "" && res.RRule == "":
		r.How, r.End, d.dated = "hour", res.At, true
		r.Zone = t.zoneName(res.Zone)
		if res.Lead > 0 { // the hour is that of the release, the lead is ours
			r.End = res.At.Add(res.Lead)
			leads = []time.Duration{res.Lead}
		}
		if res.Confirm && len(res.Alt) > 0 {
			d.alt = append([]time.Time{res.At}, res.Alt...)
		}
	default:
		d.err = res.Err
	}
	return leads
}

// rentalID is short enough for the refs of its buttons.
func rentalID(message string) string { return hashed(message) }

// vendorIn is the platform that a text names, "" for none.
func (b *Rulebook) vendorIn(said string) string {
	e := b.listen(said, Asked{})
	for i := range e.toks {
		if id := e.toks[i].sense(kindVendor); id != "" {
			return id
		}
	}
	for i := range b.Vendors { // "Lambda" alone is a word of many meanings, but here it is a place
		if id := b.Vendors[i].ID; wordIn(e.s, id) >= 0 {
			return id
		}
	}
	return ""
}

// readMoney reads the price per hour of the whole machine and the balance.
func (t *turn) readMoney(r *Rental, said string, facts Facts) {
	money := t.book.readCost(said, t.currency()).said
	if p := facts.PriceHour; p.Known() {
		r.Price, r.Currency = p.Value.Amount, p.Value.Currency
	}
	if money.Hour.Known() {
		r.Price, r.Currency = money.Hour.Value.Lo, string(money.Hour.Value.Currency)
	}
	if money.Balance.Known() {
		r.Balance, r.Currency = money.Balance.Value.Lo, string(money.Balance.Value.Currency)
	}
	if m := t.book.spoken.rate.FindStringSubmatch(said); m != nil && r.Balance > 0 && r.Price == 0 { // "balance 50 USD, 1.29 an hour"
		r.Price, _ = strconv.ParseFloat(m[1], 64)
	}
}

// longestName is how much of a name is kept, in characters.
const longestName = 30

// rentalName is how the person calls the machine: by a name of its own, its card, a word
// for it (训练机, "my box"), or only "the machine".
func (b *Rulebook) rentalName(said string, res when.Result, r Rental, lang string) string {
	if m := b.spoken.named.FindStringSubmatch(said); m != nil {
		return firstRunes(m[1]+m[2], longestName)
	}
	name := res.Target
	if r.Card != "" {
		name, _ = splitLabel(b.cards[r.Card])
		if r.Cards > 1 {
			name = strconv.Itoa(r.Cards) + "x" + name
		}
	}
	if name == "" {
		name = b.boxNamed(said)
	}
	if name == "" || strings.EqualFold(name, b.platformName(r.Platform, lang)) {
		return b.say(lang, "release.machine")
	}
	return firstRunes(fault.Mask(name), longestName)
}

// leftOver is the one word of a description that says nothing else, "" when there are
// more or none.
func (b *Rulebook) leftOver(said string, res when.Result) string {
	const longest, longestHan = 16, 6 // characters
	rest := said
	if res.Did[1] > 0 {
		rest = said[:res.Did[0]] + strings.Repeat(" ", res.Did[1]-res.Did[0]) + said[res.Did[1]:]
	}
	rest = b.withoutVendors(b.about(rest, res.Spans))
	words := b.withoutKnown(strings.FieldsFunc(rest, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(",，。;；:：、", c) }))
	if len(words) != 1 || len([]rune(words[0])) > longest || len([]rune(words[0])) < 2 || !unicode.IsLetter([]rune(words[0])[0]) || slices.Contains(b.spellings("release.read.machine"), lowered(words[0])) ||
		isHan(words[0]) && (len([]rune(words[0])) > longestHan || strings.Contains(words[0], "的")) {
		return ""
	}
	return words[0]
}

// withoutVendors is a text without the names of platforms.
func (b *Rulebook) withoutVendors(said string) string {
	for i := range b.Vendors {
		for _, name := range append([]string{b.Vendors[i].ID}, b.Vendors[i].Names...) {
			said = cutWord(said, strings.ToLower(name))
		}
	}
	return said
}

// withoutKnown leaves out the words that say something of a rental.
func (b *Rulebook) withoutKnown(words []string) []string {
	keys := []string{"read.stop", "read.over", "read.keep", "read.nokeep", "read.just", "read.mine", "read.began", "read.running", "read.money.balance", "tells.ends", "tells.have", "tells.until", "tells.more"}
	return slices.DeleteFunc(words, func(word string) bool {
		small := slices.Contains(b.spellings("remind.edge"), lowered(word)) || slices.Contains(b.spellings("remind.it"), lowered(word))
		return small || slices.ContainsFunc(keys, func(key string) bool { return b.hears(word, "release."+key) })
	})
}

// boxNamed is the machine that is said to be somebody's: the 训练机 of 我的训练机, the
// "training box" of "my training box". A word that is every machine's is none.
func (b *Rulebook) boxNamed(said string) string {
	low := lowered(said)
	for _, mine := range b.spellings("release.read.mine") {
		at := wordIn(low, mine)
		if at < 0 {
			continue
		}
		at += len(mine)
		end, found := b.boxEnd(low[at:])
		name := strings.TrimSpace(b.withoutVendors(said[at : at+end]))
		if found && !slices.Contains(b.spellings("release.read.machine"), strings.ToLower(name)) {
			return name
		}
	}
	return ""
}

// boxEnd is where the first word for a machine ends, no further away than a name is long
// and in the same breath.
func (b *Rulebook) boxEnd(low string) (end int, ok bool) {
	const longest = 8 // characters, or words
	words, runes := 0, 0
	for at, c := range low {
		switch {
		case c == ' ':
			words++
		case strings.ContainsRune(",，。.;；:：!?！？\n", c) || unicode.IsDigit(c):
			return 0, false
		case c > 0x7F:
			runes++
		}
		if words > 3 || runes > longest {
			return 0, false
		}
		for _, word := range b.spellings("release.read.box") {
			if end := at + len(word); strings.HasPrefix(low[at:], word) && (!latin(word[0]) || (at == 0 || !latin(low[at-1])) && (end == len(low) || !latin(low[end]))) {
				return end, true
			}
		}
	}
	return 0, false
}

// cutKeep takes out how long the platform keeps a stopped machine, in hours; below zero:
// not at all. What nobody keeps so long is taken out and not believed.
func (b *Rulebook) cutKeep(said string) (rest string, hours float64, odd bool) {
	const gap = 6
	if s, ok := b.lengthBehind(said, "release.read.keep", gap); ok {
		if s.far || s.d > longestKept {
			return s.without(said), 0, true
		}
		return s.without(said), s.d.Hours(), false
	}
	for _, word := range b.spellings("release.read.nokeep") {
		if at := wordIn(lowered(said), word); at >= 0 {
			return cutOut(said, at, at+len(word)), -1, false
		}
	}
	return said, 0, false
}

// longestKept is for how long at most we believe that a platform keeps a stopped machine,
// or that one has been running.
const longestKept = 366 * 24 * time.Hour

// cutSince takes out for how long the machine has been running: 开了 3 小时, "started 2
// days ago", 3 天前租的. What cannot be is taken out and not believed.
func (b *Rulebook) cutSince(said string, now time.Time) (rest string, since time.Time, odd bool) {
	s, ok := b.lengthBehind(said, "release.read.running", 0)
	if !ok {
		if s, ok = b.lengthBefore(said, "release.read.ago"); ok {
			low := lowered(said)
			at, before := b.ends(low[:s.start], "release.read.began")
			end, after := b.begins(low, s.end, "release.read.began")
			if ok = before || after; before {
				s.start = at
			} else if after {
				s.end = end
			}
		}
	}
	switch {
	case !ok:
		return said, now, false
	case s.far || s.d > longestKept:
		return s.without(said), now, true
	}
	return s.without(said), now.Add(-s.d), false
}

// stoppedAt reads since when the machine stands still; never: no machine has stood so
// long. A stop that is still to come ends the rental at its hour instead.
func (t *turn) stoppedAt(said string, res when.Result) (at time.Time, ok, never bool) {
	b := t.book
	if !b.hears(said, "release.read.stop") || !b.hears(said, "release.read.over") {
		return time.Time{}, false, false
	}
	now := t.m.At.UTC().Truncate(time.Second)
	ago, ok := b.lengthBefore(said, "release.read.stopped.ago")
	if !ok {
		ago, ok = b.lengthBehind(said, "release.read.stopped.for", 0)
	}
	if ok {
		return now.Add(-ago.d), true, ago.far
	}
	for back, key := range []string{"", "release.read.yesterday", "release.read.daybefore"} {
		for _, word := range b.spellings(key) {
			if key != "" && wordIn(lowered(said), word) >= 0 {
				return t.dayBack(cutWord(said, word), back), true, false
			}
		}
	}
	if res.Err == "" && res.RRule == "" && !res.At.IsZero() && !b.hears(said, "release.read.just") {
		return time.Time{}, false, false // "stopped tonight at eight"
	}
	if res.Err == when.Past { // a date or a clock time that is over, as seen some time ago
		for _, back := range []int{1, 60} {
			from := now.AddDate(0, 0, -back)
			if r := when.Parse(said, from, t.zone(), t.zones); r.Err == "" && !r.At.After(now) {
				return r.At, true, false
			}
		}
	}
	return now, true, false
}

// dayBack is the time of day that a text says, some days ago; the present time of
// day when it says none.
func (t *turn) dayBack(said string, days int) time.Time {
	local := t.m.At.In(t.zone())
	day := time.Date(local.Year(), local.Month(), local.Day()-days, 0, 0, 0, 0, t.zone())
	if r := when.Parse(said, day, t.zone(), t.zones); r.Err == "" && r.At.Sub(day) < 24*time.Hour {
		return r.At
	}
	return t.m.At.UTC().Truncate(time.Second).AddDate(0, 0, -days)
}
