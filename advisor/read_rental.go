package advisor

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"gpuadvisor/advisor/when"
)

// read_rental.go reads the description of a machine: 4090 AutoDL 明天18点释放,
// "RunPod, stopped 2 days ago", 余额 100 元 每小时 2.5 元. Words for a day are
// data, the phrases release.read.*; those for a stop, a retention and how long it
// runs stand in the patterns below, in both languages.

// rentalRead is what a description says and what it lacks.
type rentalRead struct {
	Rental
	err   when.Code   // of the time
	alt   []time.Time // other readings of it
	dated bool        // something ends it
}

var namedPattern = regexp.MustCompile(`[“"「『]([^”"」』]{1,30})[”"」』]|(?:名叫|叫做|叫|名字是|名为|named|called)\s*[:：]?\s*([^\s,，。;；“"「『]{1,30})`)

// readRental reads a description as of now.
func (t *turn) readRental(said string) rentalRead {
	b, zone := t.book, t.zone()
	out := rentalRead{Rental: Rental{Schema: RentalSchema, ID: rentalID(t.m.ID), Key: t.m.Key, Owner: firstRunes(t.m.Actor.Name, 30), Since: t.m.At.UTC().Truncate(time.Second), Zone: zone.String()}}
	facts := b.Read(said, Asked{Facts: &Facts{}}).Facts
	r := &out.Rental
	r.Platform = b.vendorIn(said)
	for _, n := range facts.GPUNamed.Value {
		if cards := b.cardsNamed([]Named{n}); len(cards) > 0 && r.Card == "" {
			r.Card, r.Cards = b.withPrice(cards, Facts{}, t.m.At).ID, max(1, n.N)
		}
	}
	if facts.GPUs.Known() && r.Cards == 1 {
		r.Cards = facts.GPUs.Value.Most()
	}
	t.readMoney(r, said, facts)
	said = moneyPattern.ReplaceAllString(said, " ")
	said, r.KeepHours = b.cutKeep(said)
	said, r.Since = b.cutSince(said, r.Since)
	event, leads := b.cutLeads(said)
	res := when.Parse(event, t.m.At, zone, t.zones)
	r.Name = rentalName(b, said, res.Target, *r, t.lang)
	switch stopped, ok := t.stoppedAt(said, res); {
	case ok:
		r.How, r.Stopped = "clock", stopped
		keep, _ := b.keepFor(*r)
		r.End, out.dated = stopped.Add(keep), true
		if r.Since.After(stopped) {
			r.Since = stopped
		}
	case r.Balance > 0 && r.Price > 0:
		r.How, r.End, out.dated = "runway", t.m.At.UTC().Truncate(time.Minute).Add(duration(r.Balance/r.Price)), true
	case res.Err == "" && res.RRule == "":
		r.How, r.End, out.dated = "hour", res.At, true
		r.Zone = t.zoneName(res.Zone)
		if res.Lead > 0 { // the hour is that of the release, the lead is ours
			r.End = res.At.Add(res.Lead)
			leads = []time.Duration{res.Lead}
		}
		if res.Confirm && len(res.Alt) > 0 {
			out.alt = append([]time.Time{res.At}, res.Alt...)
		}
	default:
		out.err = res.Err
	}
	for _, lead := range leads {
		r.Leads = strings.TrimPrefix(r.Leads+","+strconv.Itoa(int(lead/time.Minute)), ",")
	}
	return out
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
}

func rentalName(b *Rulebook, said, target string, r Rental, lang string) string {
	if m := namedPattern.FindStringSubmatch(said); m != nil {
		return firstRunes(m[1]+m[2], 30)
	}
	if r.Card != "" {
		target, _ = splitLabel(b.cards[r.Card])
		if r.Cards > 1 {
			target = strconv.Itoa(r.Cards) + "x" + target
		}
	}
	if target == "" || strings.EqualFold(target, b.platformName(r.Platform, lang)) {
		return b.say(lang, "release.machine")
	}
	return firstRunes(target, 30)
}

// moneyPattern finds what would read as a time: 每小时 2.5 元, "$0.5/h". A number
// without a currency is taken for money only where it cannot be a time of day.
var moneyPattern = func() *regexp.Regexp {
	const (
		amount = `[0-9]+(?:\.[0-9]+)?`
		unit   = `(?:元|块钱?|美元|美金|刀|usd|cny|rmb|dollars?|yuan)`
		sign   = `[¥￥$]`
		each   = `\s*(?:/|每|一|per\s|an?\s)\s*(?:个)?\s*(?:小时|时|hours?\b|hr\b|h\b)`
		hourly = `(?:每个?小时|一小时|每时)\s*(?:价格?|收)?\s*`
	)
	return regexp.MustCompile(`(?i)` + strings.Join([]string{
		hourly + sign + `?\s*` + amount + `\s*` + unit,
		hourly + sign + `?\s*` + amount + `(?:\s|[,，。;；]|$)`,
		sign + `\s*` + amount + `\s*` + unit + `?` + each,
		amount + `\s*` + unit + each,
		`[0-9]+\.[0-9]+\s*/\s*(?:小时|时|hour\b|hr\b|h\b)`,
		`(?:余额|balance)\s*(?:还有|还剩|剩|of|is|:|：)?\s*` + sign + `?\s*` + amount + `\s*` + unit + `?`,
	}, "|"))
}()

var (
	keepPattern  = regexp.MustCompile(`(?i)(?:保留期?|留存|数据留|盘留|retention|retained|keeps?(?: it)?(?: stopped)?(?: for)?|kept(?: for)?)\D{0,6}?(` + length + `)`)
	noKeep       = regexp.MustCompile(`(?i)没有保留期|不保留|没有保留|不留数据|no retention|not retained|keeps nothing`)
	sincePattern = regexp.MustCompile(`(?i)(?:开机|开了|租了|跑了|已经跑|已经开|running for|rented for|up for)\s*(` + length + `)\s*了?|(?:started|rented|created)\s*(` + length + `)\s*ago|(` + length + `)\s*前(?:开的|开机|租的|租)`)
	agoPattern   = regexp.MustCompile(`(?i)(` + length + `)\s*(?:了|前|ago|以前|之前)|(?:for|已经?|关机|停机|停)\s*(?:了)?\s*(` + length + `)`)
	stopPattern  = regexp.MustCompile(`(?i)关机|停机|关了|停了|\b(?:stopped|shut ?down|shutdown|powered off|turned off|switched off)\b`)
	overPattern  = regexp.MustCompile(`(?i)了|已|刚|前|昨|ago|since|just|already|yesterday|stopped|\bis\b|\bwas\b|powered off|turned off|switched off`)
)

// cutKeep takes out how long the platform keeps a stopped machine.
func (b *Rulebook) cutKeep(said string) (rest string, hours float64) {
	if m := keepPattern.FindStringSubmatchIndex(said); m != nil {
		if d, ok := lengthOf(said[m[2]:m[3]]); ok {
			return said[:m[0]] + " " + said[m[1]:], d.Hours()
		}
	}
	if m := noKeep.FindStringIndex(said); m != nil {
		return said[:m[0]] + " " + said[m[1]:], -1
	}
	return said, 0
}

// cutSince takes out for how long the machine has been running.
func (b *Rulebook) cutSince(said string, now time.Time) (rest string, since time.Time) {
	m := sincePattern.FindStringSubmatchIndex(said)
	if m == nil {
		return said, now
	}
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] < 0 {
			continue
		}
		if d, ok := lengthOf(said[m[i]:m[i+1]]); ok && d < 366*24*time.Hour {
			return said[:m[0]] + " " + said[m[1]:], now.Add(-d)
		}
	}
	return said, now
}

// stoppedAt reads since when the machine stands still. A stop that is still to
// come ends the rental at its hour instead.
func (t *turn) stoppedAt(said string, res when.Result) (time.Time, bool) {
	if !stopPattern.MatchString(said) || !overPattern.MatchString(said) {
		return time.Time{}, false
	}
	now := t.m.At.UTC().Truncate(time.Second)
	if m := agoPattern.FindStringSubmatch(said); m != nil {
		if d, ok := lengthOf(m[1] + m[2]); ok {
			return now.Add(-d), true
		}
	}
	for back, key := range []string{"", "release.read.yesterday", "release.read.daybefore"} {
		for _, word := range t.book.spellings(key) {
			if key != "" && wordIn(strings.ToLower(said), word) >= 0 {
				return t.dayBack(cutWord(said, word), back), true
			}
		}
	}
	if res.Err == "" && res.RRule == "" && !res.At.IsZero() && !justNow(t.book, said) {
		return time.Time{}, false // "stopped tonight at eight"
	}
	if res.Err == when.Past { // a date or a clock time that is over, as seen some time ago
		for _, back := range []int{1, 60} {
			from := now.AddDate(0, 0, -back)
			if r := when.Parse(said, from, t.zone(), t.zones); r.Err == "" && !r.At.After(now) {
				return r.At, true
			}
		}
	}
	return now, true
}

func justNow(b *Rulebook, said string) bool {
	for _, word := range b.spellings("release.read.just") {
		if wordIn(strings.ToLower(said), word) >= 0 {
			return true
		}
	}
	return false
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
