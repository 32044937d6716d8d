package rules

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	reminders []advisor.Reminder
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
	case key == "lang":
		p.write(line)
		p.known.Profile.Lang = value
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

func (p *player) answer(m advisor.Message) {
	c, reply, effects := p.advisor.Answer(p.known, m)
	p.known.Conversation = c
	p.show(reply)
	for _, e := range effects {
		if e.Kind == "remind" {
			p.reminders = append(p.reminders, e.Reminder)
			p.answer(advisor.Message{ID: m.ID + "d", Key: m.Key, Kind: advisor.KindDone, At: m.At, Addressed: true, Done: advisor.Done{Effect: e, OK: true}})
		}
	}
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
	p.now = p.now.Add(d)
	var rest []advisor.Reminder
	for _, r := range p.reminders {
		if r.At.After(p.now) {
			rest = append(rest, r)
			continue
		}
		p.show(p.advisor.Remind(r, p.known.Profile.Lang, p.now))
	}
	p.reminders = rest
	return nil
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
