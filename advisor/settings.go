package advisor

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// settings.go is what we remember of a person beside the dialogue (language,
// time zone, currency), what admins set for a room, and how all of it is
// forgotten. Nothing is remembered here that was not set by these commands.
// The desk keeps and deletes; only what it has done is confirmed.

// settings shows what is set for the person, and changes it: "/settings en",
// "/settings Europe/Berlin USD".
func (t *turn) settings() {
	t.because("settings")
	t.reply.Act, t.reply.Private = "answer", true
	if t.m.Actor.Anonymous {
		t.text("settings.anonymous")
		return
	}
	t.set(t.known.Own, false)
}

// groupSettings does the same for the room, for its admins.
func (t *turn) groupSettings() {
	t.because("group")
	t.reply.Act = "answer"
	if !t.m.Actor.Admin {
		t.text("group.admins")
		return
	}
	t.set(t.known.Room, true)
}

func (t *turn) set(old Profile, room bool) {
	arg := strings.TrimSpace(t.r.Arg)
	if t.book.settingWord("zone", arg) {
		t.text("settings.zones")
		for _, name := range strings.Fields(t.book.say(t.lang, "settings.zones.list")) {
			t.reply.Choices = append(t.reply.Choices, Choice{Ref: t.ref(room, name), Label: t.book.say(t.lang, "zone."+name)})
		}
		return
	}
	next, strange := t.readSettings(old, arg)
	if room {
		next.Peaks = "" // a leave is a person's to give
	}
	switch {
	case strange != "":
		t.text("settings.unknown", "word", firstRunes(strange, 40))
		t.showSettings(t.known.Profile, old, room)
	case next == old:
		t.showSettings(t.known.Profile, old, room)
	default:
		t.effects = append(t.effects, Effect{ID: t.m.ID + "/settings", Kind: "settings", Profile: next, Room: room})
	}
}

// settingsDone words what the desk made of it.
func (t *turn) settingsDone() {
	e := t.m.Done.Effect
	if strings.HasPrefix(e.Why, "peaks-") {
		t.peaksSet(t.m.Done)
		return
	}
	t.reply.Private = !e.Room
	t.because("settings")
	if !t.m.Done.OK {
		t.text("settings.lost")
		return
	}
	t.text("settings.kept")
	t.showSettings(t.known.Profile, e.Profile, e.Room)
}

// Over is p with what it leaves open taken from below.
func (p Profile) Over(below Profile) Profile {
	for _, f := range [][2]*string{{&p.Lang, &below.Lang}, {&p.Zone, &below.Zone}, {&p.Currency, &below.Currency}} {
		if *f[0] == "" {
			*f[0] = *f[1]
		}
	}
	return p
}

// showSettings lists what holds, and marks what is not set here but elsewhere.
func (t *turn) showSettings(holds, own Profile, room bool) {
	title, how := "settings.title", "settings.how"
	if holds.Zone == "" {
		holds.Zone = t.m.Zone
	}
	if room { // what holds for the admin who asks is nobody's business here
		title, how, holds = "group.title", "group.how", Profile{}
	}
	t.heading(title)
	value := func(set, holds, open string) string {
		switch {
		case set != "":
			return set
		case holds != "":
			return t.book.say(t.lang, "settings.unset", "value", holds)
		}
		return t.book.say(t.lang, open)
	}
	pairs := []Pair{
		{t.book.say(t.lang, "settings.lang"), value(t.langName(own.Lang), t.langName(holds.Lang), "settings.lang.open")},
		{t.book.say(t.lang, "settings.zone"), value(own.Zone, holds.Zone, "settings.zone.open")},
		{t.book.say(t.lang, "settings.currency"), value(own.Currency, holds.Currency, "settings.currency.open")},
	}
	if !room && t.known.KeepsPeaks {
		pairs = append(pairs, Pair{t.book.say(t.lang, "settings.peaks"), t.book.say(t.lang, "settings.peaks."+cmp.Or(own.Peaks, peaksAsked))})
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "fields", Pairs: pairs})
	t.text(how)
	if room {
		return // whoever taps is not known to be an admin
	}
	values := []string{"zh", "en", "auto", "CNY", "USD", "zone"}
	if t.known.KeepsPeaks {
		values = append(values, map[bool]string{true: "no-peaks", false: "peaks"}[own.Peaks == peaksYes])
	}
	for _, v := range values {
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: t.ref(room, v), Label: t.book.say(t.lang, "settings.choice."+v)})
	}
}

func (t *turn) langName(lang string) string {
	if lang == "" {
		return ""
	}
	return t.book.say(t.lang, "settings.choice."+lang)
}

func (t *turn) ref(room bool, value string) string {
	if room {
		return "/group " + value
	}
	return "/settings " + value
}

// readSettings changes a profile by words such as "en Europe/Berlin USD". What
// it does not know comes back as strange.
func (t *turn) readSettings(p Profile, arg string) (next Profile, strange string) {
	if zone := t.zoneNamed(arg); zone != "" {
		p.Zone = zone
		return p, ""
	}
	for _, word := range strings.FieldsFunc(arg, func(r rune) bool { return strings.ContainsRune(" \t\n,，、;；", r) }) {
		switch b := t.book; {
		case b.settingWord("zh", word):
			p.Lang = "zh"
		case b.settingWord("en", word):
			p.Lang = "en"
		case b.settingWord("auto", word):
			p.Lang = ""
		case b.settingWord("CNY", word):
			p.Currency = "CNY"
		case b.settingWord("USD", word):
			p.Currency = "USD"
		case b.settingWord("peaks", word):
			p.Peaks = peaksYes
		case b.settingWord("no-peaks", word):
			p.Peaks = peaksNo
		case t.zoneNamed(word) != "":
			p.Zone = t.zoneNamed(word)
		default:
			return p, word
		}
	}
	return p, ""
}

// settingWord reports whether a word, in any language, means a setting.
func (b *Rulebook) settingWord(value, word string) bool {
	for _, text := range b.Phrases["settings.words."+value] {
		for w := range strings.SplitSeq(text, ",") {
			if strings.EqualFold(strings.TrimSpace(w), word) {
				return true
			}
		}
	}
	return false
}

// offset is a zone written as its distance from Greenwich: UTC+8, GMT-5, +8.
var offset = regexp.MustCompile(`^(?i:utc|gmt)?([+-])([0-9]{1,2})$`)

// zoneNamed is the IANA name of a zone that was written as that name, as the
// name of a city that we list, or as an offset; "" for none.
func (t *turn) zoneNamed(s string) string {
	if s == "" {
		return ""
	}
	for _, name := range strings.Fields(t.book.say("en", "settings.zones.list")) {
		for _, label := range t.book.Phrases["zone."+name] {
			for w := range strings.SplitSeq(label, " · ") {
				if strings.EqualFold(w, s) {
					return name
				}
			}
		}
	}
	if m := offset.FindStringSubmatch(s); m != nil {
		hours, _ := strconv.Atoi(m[2])
		sign := map[string]string{"+": "-", "-": "+"}[m[1]] // POSIX counts the other way
		if hours == 0 {
			return "UTC"
		}
		s = "Etc/GMT" + sign + strconv.Itoa(hours)
	}
	if !strings.Contains(s, "/") && !strings.EqualFold(s, "UTC") {
		return ""
	}
	for _, name := range []string{s, strings.ToUpper(s), capitals(s)} {
		if loc, err := t.zones(name); err == nil && loc.String() == name {
			return name
		}
	}
	return ""
}

// capitals writes europe/berlin as Europe/Berlin.
func capitals(s string) string {
	b := []byte(strings.ToLower(s))
	for i := range b {
		if (i == 0 || b[i-1] == '/' || b[i-1] == '_') && 'a' <= b[i] && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}

// forget asks whether it is meant, and then wants the desk to do it. It leaves
// nothing of the dialogue.
func (t *turn) forget() {
	t.because("forget")
	t.reply.Act, t.reply.Private = "answer", true
	switch arg := strings.TrimSpace(t.r.Arg); {
	case t.m.Actor.Anonymous:
		t.text("settings.anonymous")
	case t.book.settingWord("forget", arg):
		t.fresh()
		t.effects = append(t.effects, Effect{ID: t.m.ID + "/forget", Kind: "forget"})
	case arg != "":
		t.text("forget.not")
		t.returnTo()
	default:
		t.c.Flow = Flow{Kind: "forget"} // nothing else is asked meanwhile: a yes must not go elsewhere
		t.heading("forget.title")
		t.text("forget.what")
		for _, v := range []string{"yes", "no"} {
			t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/forget " + v, Label: t.book.say(t.lang, "forget.choice."+v)})
		}
		t.c.Options = refs(t.reply.Choices)
	}
}

// answersForget takes the very next message for the answer to "delete it all?",
// when it is one. Nothing later can be: the question is over with it.
func (t *turn) answersForget() bool {
	t.c.Flow, t.c.Options = Flow{}, nil
	if t.c.Trial.On() {
		t.c.Flow = Flow{Kind: "trial"}
	}
	said := strings.Join(strings.FieldsFunc(t.m.Text, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) }), " ")
	switch {
	case t.m.Kind == KindChoice:
		return false
	case t.r.Command == "cancel":
		t.r.Arg = "no"
	case t.r.Command != "":
		return false
	case t.book.settingWord("forget", said), strings.EqualFold(said, t.book.say(t.lang, "forget.choice.yes")):
		t.r.Arg = "yes"
	case strings.EqualFold(said, t.book.say(t.lang, "forget.choice.no")):
		t.r.Arg = "no"
	default:
		return false
	}
	defer t.reopen(t.c.Flow)
	t.forget()
	return true
}

// forgotten tells what was deleted.
func (t *turn) forgotten() {
	t.because("forget")
	t.reply.Private = true
	switch d := t.m.Done.Deleted; {
	case !t.m.Done.OK:
		t.text("forget.lost")
	default:
		t.fresh()
		t.text("forget.done", "conversations", d.Conversations, "reminders", d.Reminders, "records", d.Records)
	}
}

// fresh drops the dialogue but for its language, in which the end is told.
func (t *turn) fresh() {
	t.c = Conversation{Schema: Schema, Version: t.c.Version, Lang: t.lang, At: t.m.At}
}

func firstRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
