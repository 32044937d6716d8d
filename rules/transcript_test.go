package rules

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuadvisor/advisor"
)

var update = flag.Bool("update", false, "rewrite the why: and bot: lines of the golden transcripts")

// TestTranscripts plays every conversation in transcripts/. People write the
// head, the user:, paste: and later: lines; -update writes why: and bot:. A
// message of several lines is a paste: block, its first line beside the key and
// the others indented below it.
func TestTranscripts(t *testing.T) {
	book, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("transcripts/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Errorf("got %d transcripts, want at least 20", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { playTranscript(t, book, file) })
	}
}

func playTranscript(t *testing.T, book *advisor.Rulebook, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := replay(advisor.New(book).WithZones(time.LoadLocation), string(data))
	if err != nil {
		t.Fatal(err)
	}
	if got == string(data) {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the conversation went differently (go test ./rules -update, then read git diff):\n%s", firstDifference(got, string(data)))
}

// replay plays the people's lines of a transcript and returns it with our
// lines in place.
func replay(a *advisor.Advisor, script string) (string, error) {
	p := &player{advisor: a, known: advisor.Known{}}
	for line := range strings.Lines(script + "\n") {
		if err := p.line(strings.TrimRight(line, "\n")); err != nil {
			return "", err
		}
	}
	return strings.TrimRight(p.out.String(), "\n") + "\n", nil
}

// pasteMargin stands before each line of a paste.
const pasteMargin = "      "

// player is a transcript being played.
type player struct {
	advisor   *advisor.Advisor
	known     advisor.Known
	now       time.Time
	reminders []advisor.Reminder // that wait, the soonest first
	rung      []advisor.Reminder // that have come due
	rentals   []advisor.Rental
	turns     int
	pasting   bool
	paste     []string
	out       strings.Builder
}

func (p *player) line(line string) error {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if p.pasting {
		if body, ok := strings.CutPrefix(line, pasteMargin); ok {
			p.write(line)
			p.paste = append(p.paste, body)
			return nil
		}
		p.pasting = false
		p.say(strings.TrimPrefix(strings.Join(p.paste, "\n"), "\n"))
	}
	switch {
	case strings.HasPrefix(line, "#"):
		p.write(line)
	case key == "at": // ours, like why: and bot:
	case key == "lang":
		p.write(line)
		p.known.Profile.Lang = value
	case key == "keeps": // what the desk can keep beside the settings
		p.write(line)
		p.known.KeepsPeaks = value == "peaks"
	case key == "now":
		p.write(line)
		return p.setNow(value)
	case key == "user":
		p.gap()
		p.write(line)
		p.say(value)
	case key == "paste":
		p.gap()
		p.write(line)
		p.pasting, p.paste = true, []string{value}
	case key == "later":
		p.gap()
		p.write(line)
		return p.later(value)
	}
	return nil
}

func (p *player) write(line string) { p.out.WriteString(line + "\n") }

func (p *player) gap() { p.out.WriteString("\n") }

// setNow reads "2026-03-07 10:00 Asia/Shanghai".
func (p *player) setNow(s string) error {
	day, zone := s, "Asia/Shanghai"
	if f := strings.Fields(s); len(f) == 3 {
		day, zone = f[0]+" "+f[1], f[2]
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return fmt.Errorf("transcript: %w", err)
	}
	p.known.Profile.Zone = zone
	p.now, err = time.ParseInLocation("2006-01-02 15:04", day, loc)
	return err
}

// say answers one message, and does its effects as the desk would.
func (p *player) say(text string) {
	p.turns++
	p.answer(advisor.Message{ID: strconv.Itoa(p.turns), Key: "t", Kind: advisor.KindText, Text: text, At: p.now, Addressed: true})
}

// answer plays one message the way the desk does: what the advisor wants to see
// is looked up, what it wants done is done and reported.
func (p *player) answer(m advisor.Message) {
	before := p.known.Conversation
	p.known.Looked, p.known.Reminders, p.known.Rung, p.known.Rentals = false, nil, p.rung, p.rentals
	c, reply, effects := p.advisor.Answer(p.known, m)
	if len(effects) == 1 && effects[0].Kind == "look" {
		p.known.Conversation, p.known.Looked, p.known.Reminders = before, true, slices.Clone(p.reminders)
		c, reply, effects = p.advisor.Answer(p.known, m)
	}
	for _, e := range effects {
		p.known.Conversation = c
		var more advisor.Reply
		c, more, _ = p.advisor.Answer(p.known, advisor.Message{ID: m.ID + "d", Key: m.Key, Kind: advisor.KindDone, At: m.At, Addressed: true, Done: p.do(e)})
		reply.Parts = append(reply.Parts, more.Parts...)
		reply.Because = append(reply.Because, more.Because...)
		if len(more.Choices) > 0 {
			reply.Choices = more.Choices
		}
	}
	p.known.Conversation = c
	p.show(reply)
}

// do does an effect.
func (p *player) do(e advisor.Effect) advisor.Done {
	done := advisor.Done{Effect: e, OK: true}
	gone := map[string]string{"cancel": e.Reminder.ID, "move": e.From}[e.Kind]
	p.reminders = slices.DeleteFunc(p.reminders, func(r advisor.Reminder) bool { return gone != "" && r.ID == gone })
	if e.Kind == "remind" || e.Kind == "move" {
		p.wait(e.Reminder)
	}
	if e.Kind == "settings" {
		p.known.Own = e.Profile
		p.known.Profile = e.Profile.Over(p.known.Profile)
	}
	if e.Kind == "rental" {
		p.rentals = append(slices.DeleteFunc(slices.Clone(p.rentals), func(r advisor.Rental) bool { return r.ID == e.Rental.ID }), e.Rental)
	}
	if e.Plan {
		done.Kept = p.advisor.Plan(e.Rental, p.now)
		p.reminders = slices.DeleteFunc(p.reminders, func(r advisor.Reminder) bool { return r.Rental == e.Rental.ID })
		p.wait(done.Kept...)
	}
	return done
}

// wait lets reminders wait.
func (p *player) wait(list ...advisor.Reminder) {
	p.reminders = append(p.reminders, list...)
	slices.SortStableFunc(p.reminders, func(a, b advisor.Reminder) int { return a.At.Compare(b.At) })
}

func (p *player) show(r advisor.Reply) {
	p.write("why:  " + strings.Join(r.Because, "  "))
	lines := strings.Split(r.Plain(), "\n")
	for i, l := range lines {
		head := "      "
		if i == 0 {
			head = "bot:  "
		}
		p.write(strings.TrimRight(head+l, " "))
	}
}

// later moves the clock and lets what came due in between speak.
func (p *player) later(s string) error {
	d, err := lapse(s)
	if err != nil {
		return err
	}
	until := p.now.Add(d)
	for len(p.reminders) > 0 && !p.reminders[0].At.After(until) {
		r := p.reminders[0]
		p.reminders = p.reminders[1:]
		p.now = r.At.In(p.now.Location())
		p.ring(r)
	}
	p.now = until
	return nil
}

// ring says a reminder the way the bell does. Its buttons can be picked by their
// numbers, as in a chat.
func (p *player) ring(r advisor.Reminder) {
	if i := slices.IndexFunc(p.rentals, func(o advisor.Rental) bool { return o.ID == r.Rental }); i >= 0 {
		r.About = &p.rentals[i]
	}
	reply := p.advisor.Due(r, p.known.Profile.Lang, r.At, false)
	if reply.Act == "ignore" {
		return
	}
	p.write("at:   " + r.At.In(p.now.Location()).Format("2006-01-02 15:04"))
	p.show(reply)
	p.known.Conversation.Options = nil
	for _, c := range reply.Choices {
		p.known.Conversation.Options = append(p.known.Conversation.Options, c.Ref)
	}
	p.rung = append(p.rung, r)
	if r.About != nil {
		if next := r.About.Repeat(r, r.At); !next.IsZero() {
			r.At, r.About = next, nil
			p.wait(r)
		}
	}
}

// lapse reads "2d" and everything that time.ParseDuration reads.
func lapse(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(s)
}

// firstDifference shows the first lines that differ, ours above theirs.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if lineOf(g, i) != lineOf(w, i) {
			return fmt.Sprintf("line %d\n got: %s\nwant: %s", i+1, lineOf(g, i), lineOf(w, i))
		}
	}
	return ""
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
