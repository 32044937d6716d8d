package advisor

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuadvisor/advisor/fault"
	"gpuadvisor/advisor/when"
)

// remind.go makes reminders; reminders.go lists and changes those that wait. No
// sentence claims what the store has not acknowledged: a reminder is an effect,
// and its outcome comes back as a message that confirm answers.

// Draft is what was last asked to be reminded of, so that a tap can settle what
// the text left open: which of two times, which time zone.
type Draft struct {
	ID   string    `json:"id,omitempty"` // of the reminder that was made of it
	Text string    `json:"text"`
	At   time.Time `json:"at"` // when it was said
	Zone bool      `json:"zone,omitempty"`
}

// longestDraft is how much of a request is kept, in characters.
const longestDraft = 200

// remind reads what to do about reminders: most often a time to make one of.
func (t *turn) remind() {
	t.because("remind")
	if t.r.Facts.Task.Known() { // a card to be released is no wish for one
		t.keepFirst()
	}
	t.besideQuestion()
	said := t.book.afterSlash("remind", t.m.Text)
	if strings.TrimSpace(said) == "" {
		said = "list"
	}
	if way, arg := t.book.orderOf("remind", said); way != "" && t.toReminders(way, arg) {
		return
	}
	if t.namedBehind(said) {
		return
	}
	if rest, ok := cutFold(said, "me "); ok {
		said = "remind me " + rest // as it is read without the slash
	}
	t.c.Draft = Draft{Text: firstRunes(said, longestDraft), At: t.m.At, Zone: t.c.Draft.Zone}
	t.remindOf(said, t.m.At, t.zone())
}

// remindOf reads a request that was made at an instant in a zone.
func (t *turn) remindOf(said string, at time.Time, zone *time.Location) {
	event, leads := t.book.cutLeads(said)
	res := when.Parse(event, at, zone, t.zones)
	switch {
	case res.Err == when.NoTime && t.asksSomething() && t.look(): // "what time is my reminder?"
		t.listReminders()
		return
	case res.Err == when.NoTime && len(t.effects) > 0:
		return // once more, with the reminders before us
	case res.Err != "":
		t.text("remind.error." + string(res.Err))
	case res.Confirm && len(res.Alt) > 0:
		t.askWhich(append([]time.Time{res.At}, res.Alt...))
		return
	default:
		t.want(t.made(event, res), leads)
		return // confirm leads back to the open question
	}
	t.backToQuestion()
}

// besideQuestion marks the reply as one that leaves an open question as it is.
func (t *turn) besideQuestion() {
	t.reply.Act = "side:remind"
	if t.c.Asked == "" {
		t.reply.Act = "answer"
	}
}

// askWhich offers the times that a text can mean.
func (t *turn) askWhich(times []time.Time) {
	t.offerTimes(times, func(at time.Time) string { return "/remind stamp " + strconv.FormatInt(at.Unix(), 10) })
}

// offerTimes asks which of several times is meant; ref is what a tap on one says.
func (t *turn) offerTimes(times []time.Time, ref func(time.Time) string) {
	times = slices.SortedFunc(slices.Values(times), time.Time.Compare)
	t.text("remind.which", "a", t.stamp(times[0]), "b", t.stamp(times[1]))
	t.reply.Choices = nil
	for _, at := range times {
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: ref(at), Label: t.stamp(at)})
	}
	t.c.Options = refs(t.reply.Choices)
}

// settleWhich makes the reminder of the draft at the time that was tapped.
func (t *turn) settleWhich(arg string) {
	unix, err := strconv.ParseInt(strings.TrimSpace(arg), 10, 64)
	at := time.Unix(unix, 0).UTC()
	if d := t.c.Draft; err == nil && d.Text != "" && at.After(t.m.At) && at.Before(t.m.At.AddDate(1, 0, 1)) {
		event, leads := t.book.cutLeads(d.Text)
		res := when.Parse(event, d.At, t.zone(), t.zones)
		res.At = at
		t.want(t.made(event, res), leads)
		return
	}
	t.text("remind.error.past")
	t.backToQuestion()
}

// made is the reminder that a reading asks for. What it is about is the machine,
// else the words that remain of the text.
func (t *turn) made(said string, res when.Result) Reminder {
	r := Reminder{ID: shortID(t.m.ID), Key: t.m.Key, At: res.At, Zone: t.zoneName(res.Zone), RRule: res.RRule, Action: res.Action, Target: res.Target}
	if r.Action == "" || r.Target == "" {
		if about := t.book.about(said, res.Spans); r.Action == "" || !t.book.has("remind.due."+r.Action) {
			r.Target = about
		} else if r.Target == "" {
			r.Target = t.book.objectOf(said, res)
		}
	}
	return r
}

// want asks the desk for a reminder at each lead before its time, or at its time
// when there are none.
func (t *turn) want(r Reminder, leads []time.Duration) {
	var list []Reminder
	for _, lead := range leads {
		if at := r.At.Add(-lead); at.After(t.m.At) && r.RRule == "" {
			early := r
			early.At = at
			list = append(list, early)
		}
	}
	if len(list) == 0 {
		list = []Reminder{r}
	}
	for i, one := range list {
		if i > 0 {
			one.ID += "." + strconv.Itoa(i)
		}
		t.readAs(one)
		t.effects = append(t.effects, Effect{ID: t.m.ID + "/" + strconv.Itoa(i) + "/remind", Kind: "remind", Reminder: one, Last: i == len(list)-1})
	}
	t.c.Draft.ID = r.ID
	if len(list) > 1 || r.RRule != "" {
		t.c.Draft.ID = "" // another zone cannot move these at once
	}
}

// readAs says how a request was read, before anything is kept of it.
func (t *turn) readAs(r Reminder) {
	key := "remind.read"
	if r.RRule != "" {
		key = "remind.read.again"
	}
	t.text(key, "at", t.stamp(r.At), "in", t.wait(r.At), "again", t.book.again(t.lang, r.RRule, t.zoneOf(r.Zone), r.At))
}

// confirm words the outcome of an effect.
func (t *turn) confirm() {
	t.reply.Act = "answer"
	switch done := t.m.Done; done.Effect.Kind {
	case "settings":
		t.settingsDone()
		return
	case "forget":
		t.forgotten()
		return
	case "price", "unprice":
		t.priceDone()
		return
	case "reload":
		t.reloaded()
		return
	case "remind", "move":
		if t.trialReminded(done) {
			return
		}
		t.reminded(done)
		t.leadOn(done)
	case "report":
		t.reported(done)
	case "peak":
		t.peakKept(done)
		return
	case "cancel":
		if t.trialCalledOff(done) {
			return
		}
		t.cancelled(done)
		if !done.Effect.Last {
			return
		}
	case "rental":
		t.rentalDone(done)
	}
	t.because("confirm")
	t.backToQuestion()
}

// reminded tells when the reminder comes, where, and how to call it off; or that
// nothing was kept.
func (t *turn) reminded(done Done) {
	e := done.Effect
	r := e.Reminder
	if !done.OK {
		key := "remind.lost"
		if t.book.has(key + "." + done.Code) { // too-many
			key += "." + done.Code
		}
		t.text(key, "at", t.stamp(r.At))
		t.choices("list")
		return
	}
	t.text(map[bool]string{false: "remind.kept", true: "remind.moved"}[e.Kind == "move"], "at", t.stamp(r.At))
	if i := slices.Index(t.c.Listed, e.From); i >= 0 && e.From != "" {
		t.c.Listed = slices.Clone(t.c.Listed)
		t.c.Listed[i] = r.ID // its number in the list that was shown still means it
	}
	if !e.Last {
		return
	}
	t.text("remind.where."+t.where(done.Code), "what", t.reminderName(r))
	t.reply.Choices = []Choice{{Ref: "/remind cancel #" + r.ID, Label: t.book.say(t.lang, "choice.remind.cancel")}, {Ref: "/remind list", Label: t.book.say(t.lang, "choice.remind.list")}}
	t.askZone()
	t.c.Options = refs(t.reply.Choices)
}

// where is in which place a reminder made here arrives.
func (t *turn) where(code string) string {
	switch {
	case code == "while-running" || code == "when-open":
		return code
	case t.known.Group:
		return "group"
	}
	return "private"
}

// askZone says which zone was taken, once, when nobody told, and offers others.
// In a group nobody is asked in front of the others.
func (t *turn) askZone() {
	if t.known.Own.Zone != "" || t.known.Profile.Zone != "" || t.c.Draft.Zone || t.known.Group {
		return
	}
	t.c.Draft.Zone = true
	t.note("remind.zone", "zone", t.book.zoneLabel(t.lang, t.zone().String()), "utc", fromUTC(t.m.At.In(t.zone())))
	for _, name := range strings.Fields(t.book.say(t.lang, "remind.zones")) {
		if name != t.zone().String() {
			t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/remind zone " + name, Label: t.book.zoneLabel(t.lang, name)})
		}
	}
}

// rezone sets the person's zone and reads the last request again in it.
func (t *turn) rezone(name string) {
	zone, err := t.zones(strings.TrimSpace(name))
	if err != nil || t.m.Actor.Anonymous {
		t.text("remind.zone.unknown")
		return
	}
	own := t.known.Own
	own.Zone = zone.String()
	t.effects = append(t.effects, Effect{ID: t.m.ID + "/settings", Kind: "settings", Profile: own})
	d := t.c.Draft
	if t.rezoneRental(own.Zone, d) {
		return
	}
	event, _ := t.book.cutLeads(d.Text)
	res := when.Parse(event, d.At, zone, t.zones)
	old := slices.IndexFunc(t.known.Reminders, func(r Reminder) bool { return r.ID == d.ID })
	if old < 0 || res.Err != "" || !res.At.After(t.m.At) || res.At.Equal(t.known.Reminders[old].At) {
		return
	}
	t.known.Profile.Zone = own.Zone
	r := t.known.Reminders[old]
	from := r.ID
	r.ID, r.At, r.Zone = shortID(t.m.ID), res.At, zone.String()
	t.c.Draft.ID = r.ID
	t.readAs(r)
	t.effects = append(t.effects, Effect{ID: t.m.ID + "/move", Kind: "move", Reminder: r, From: from, Last: true})
}

// rezoneRental reads the description of the last rental again in another zone. It
// reports whether the draft is one.
func (t *turn) rezoneRental(zone string, d Draft) bool {
	i := slices.IndexFunc(t.known.Rentals, func(r Rental) bool { return r.ID == d.ID })
	if i < 0 || d.Text == "" {
		return false
	}
	r := t.known.Rentals[i]
	now := t.m.At
	t.known.Profile.Zone = zone
	t.m.At = d.At
	again := t.readRental(d.Text)
	t.m.At = now
	if !again.dated || again.How != r.How || !again.End.After(now) || again.End.Equal(r.End) || !r.Open() {
		return true
	}
	r.End, r.Stopped, r.Zone = again.End, again.Stopped, again.Zone
	t.keepRental("edit", r, true)
	return true
}

// zoneLabel is a zone in words, or its name.
func (b *Rulebook) zoneLabel(lang, name string) string {
	if b.has("zone." + name) {
		return b.say(lang, "zone."+name)
	}
	return name
}

// zoneName is the name under which the desk finds a zone again. Only whole hours
// have one where the words gave a distance from Greenwich.
func (t *turn) zoneName(zone *time.Location) string {
	if zone == nil {
		return t.zone().String()
	}
	if _, err := t.zones(zone.String()); err == nil {
		return zone.String()
	}
	if _, seconds := t.m.At.In(zone).Zone(); seconds%3600 == 0 {
		return fmt.Sprintf("Etc/GMT%+d", -seconds/3600)
	}
	return t.zone().String()
}

func (t *turn) zoneOf(name string) *time.Location {
	if loc, err := t.zones(name); name != "" && err == nil {
		return loc
	}
	return t.zone()
}

// wait says how long until an instant: "2 hours", "1.5 days".
func (t *turn) wait(at time.Time) string {
	return t.book.hours(t.lang, One(roundHours(max(at.Sub(t.m.At), time.Minute))))
}

// shortID keeps ids short enough for the ref of a choice.
func shortID(id string) string {
	if len(id) <= 20 {
		return id
	}
	return hashed(id)
}

// hashed is a name of at most 13 characters.
func hashed(id string) string {
	h := fnv.New64a()
	h.Write([]byte(id))
	return strconv.FormatUint(h.Sum64(), 36)
}

// about is what remains of a request without its times and the words that ask:
// "submit the report".
func (b *Rulebook) about(said string, spans [][2]int) string {
	var rest strings.Builder
	at := 0
	for _, s := range spans {
		if s[0] >= at && s[1] <= len(said) {
			rest.WriteString(said[at:s[0]] + " ")
			at = s[1]
		}
	}
	out := rest.String() + said[at:]
	for _, word := range b.spellings("remind.strip") {
		out = cutWord(out, word)
	}
	return firstRunes(b.withoutEdges(fault.Mask(out)), longestNote)
}

// withoutEdges is a text without the marks and the small words at its ends: the report of
// "to the report,".
func (b *Rulebook) withoutEdges(said string) string {
	for {
		said = strings.Trim(strings.Join(strings.Fields(said), " "), " ,.;:!?，。；：！？、-“”\"'")
		if end, ok := b.begins(lowered(said), 0, "remind.edge"); ok {
			said = said[end:]
			continue
		}
		at, ok := b.ends(lowered(said), "remind.edge.end")
		if !ok {
			return said
		}
		said = said[:at]
	}
}

// objectOf is what an action is done to, in the words of a request: the zebra of "release
// zebra tomorrow" and of 把 zebra 释放. What stands elsewhere is no name.
func (b *Rulebook) objectOf(said string, res when.Result) string {
	const longest = 24 // characters
	if res.Did[1] == 0 {
		return ""
	}
	from, to := res.Did[1], len(said)
	for _, s := range res.Spans {
		if s[0] >= from && s[0] < to {
			to = s[0]
		}
	}
	behind, before := said[from:to], said[:res.Did[0]]
	if i := strings.IndexAny(behind, ",.;:!?，。；：！？、\n"); i >= 0 {
		behind = behind[:i]
	}
	object := b.withoutEdges(behind)
	for _, takes := range b.spellings("remind.takes") { // 把 zebra 释放
		if i := lastWordIn(lowered(before), takes); object == "" && i >= 0 {
			object = b.withoutEdges(before[i+len(takes):])
		}
	}
	if plain := lowered(object); len([]rune(object)) > longest || len(strings.Fields(object)) > 4 || slices.Contains(b.spellings("release.read.machine"), plain) || slices.Contains(b.spellings("remind.it"), plain) {
		return ""
	}
	return fault.Mask(object)
}

// cutWord takes a word out of a text; a Latin one stands alone.
func cutWord(s, word string) string {
	for from := 0; ; {
		low := strings.ToLower(s)
		if len(low) != len(s) {
			return s
		}
		i := wordIn(low[from:], word)
		if i < 0 {
			return s
		}
		s = cutOut(s, from+i, from+i+len(word))
		from += i
	}
}

// stamp writes an instant in the person's zone, with its distance from
// Greenwich: names such as CST mean several zones.
func (t *turn) stamp(at time.Time) string {
	at = at.In(t.zone())
	return at.Format("2006-01-02 15:04") + " (" + fromUTC(at) + ")"
}

// fromUTC is "UTC+8", "UTC-3:30" or "UTC".
func fromUTC(at time.Time) string {
	_, seconds := at.Zone()
	if seconds == 0 {
		return "UTC"
	}
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	s := "UTC" + sign + strconv.Itoa(seconds/3600)
	if minutes := seconds / 60 % 60; minutes > 0 {
		s += fmt.Sprintf(":%02d", minutes)
	}
	return s
}

// roundHours keeps of a wait what a person would say: minutes, then tenths of an
// hour, from two days on half days.
func roundHours(d time.Duration) float64 {
	switch {
	case d < time.Hour:
		return float64(int(d.Minutes()+0.5)) / 60
	case d < 48*time.Hour:
		return float64(int(d.Hours()*10+0.5)) / 10
	}
	return 12 * float64(int(d.Hours()/12+0.5))
}

// zone is the person's time zone, China's when nobody told.
func (t *turn) zone() *time.Location {
	for _, name := range []string{t.known.Profile.Zone, t.m.Zone} {
		if loc, err := t.zones(name); name != "" && err == nil {
			return loc
		}
	}
	return china
}
