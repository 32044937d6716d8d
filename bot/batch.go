package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
	"unicode"

	"gpuadvisor/adapters/terminal"
	"gpuadvisor/advisor"
)

// How every answering command is asked: a text in the arguments or on standard
// input, answered for a person or as JSON; or a batch of JSON lines, one object
// in, one out, in order, each with the id of its input. A line that cannot be
// answered gets {"id":…,"bad":"sentence"} and the batch goes on.

// answering is the part of the command line that answering commands share.
type answering struct {
	JSON  bool   `name:"json" help:"${json}"`
	Batch string `placeholder:"FILE" help:"${batch}"`
	Now   string `placeholder:"TIME" help:"${now}"`

	Text []string `arg:"" optional:"" help:"${text}"`
}

// orElse is the text of a command that needs none: nothing is read from standard
// input for it.
func (a *answering) orElse(text string) {
	if a.Batch == "" && len(a.Text) == 0 {
		a.Text = []string{text}
	}
}

// answer is what a command says: Value as JSON, Text to a person.
type answer struct {
	Value any
	Text  string
}

// responder answers one input. Its errors are complaints.
type responder func(in input) (answer, error)

// input is a line of a batch, or a text from the command line in that form.
type input struct {
	ID   json.RawMessage `json:"id"`
	Text *string         `json:"text"`
	Lang string          `json:"lang"`
	Now  string          `json:"now"`
	TZ   string          `json:"tz"`

	line []byte    // the whole line, for what else a command reads in it
	at   time.Time // Now, read
}

// limits of what is read
const (
	maxText = 1 << 20 // bytes of a text on standard input
	maxLine = 4 << 20 // bytes of a line of a batch
)

// answer runs an answering command: what it was asked first, so that wrong
// usage is told at once, then the rules, then the answer.
func (h *house) answer(name string, c answering, with func(*advisor.Rulebook, *advisor.Advisor) responder) error {
	if c.Batch != "" && len(c.Text) > 0 {
		return misuse{h.say("text-and-batch")}
	}
	if c.Batch != "" {
		return h.batch(c, with)
	}
	text, err := h.text(name, c.Text)
	if err != nil {
		return err
	}
	in := input{Text: &text, Now: c.Now}
	if err := h.complete(&in); err != nil {
		return misuse{h.spell(err)}
	}
	book, thinker, err := h.book()
	if err != nil {
		return err
	}
	a, err := safely(with(book, thinker), in)
	if err != nil {
		return errors.New(h.spell(err))
	}
	if !c.JSON {
		_, err = fmt.Fprintln(h.out, a.Text)
		return err
	}
	line, err := encode(a.Value)
	if err != nil {
		return errors.New(h.say("bad.no-number"))
	}
	_, err = h.out.Write(line)
	return err
}

// text is what the arguments say, or else standard input.
func (h *house) text(name string, args []string) (string, error) {
	if len(args) > 0 {
		return strings.ToValidUTF8(strings.Join(args, " "), "\uFFFD"), nil
	}
	if terminal.IsTerminal(h.in) {
		return "", misuse{fmt.Sprintf(h.say("nothing-asked"), name)}
	}
	b, err := io.ReadAll(io.LimitReader(h.in, maxText+1))
	switch {
	case err != nil || len(bytes.TrimSpace(b)) == 0:
		return "", misuse{fmt.Sprintf(h.say("nothing-asked"), name)}
	case len(b) > maxText:
		return "", errors.New(h.say("too-much-text"))
	}
	return strings.ToValidUTF8(string(bytes.TrimSpace(b)), "\uFFFD"), nil
}

// spell words an error in the language of the house.
func (h *house) spell(err error) string {
	var c complaint
	if errors.As(err, &c) {
		return c.In(h.lang)
	}
	return err.Error()
}

// lastYear is the last in which it may be now: what is due after that has a date
// that can still be written.
const lastYear = 2999

// complete reads and fills what every input may carry: language, time, zone.
func (h *house) complete(in *input) error {
	switch in.Lang {
	case "zh", "en", "":
	default:
		return complain("bad.lang", in.Lang)
	}
	if in.TZ == "" {
		in.TZ = h.zone
	}
	zone, err := loadZone(in.TZ)
	if err != nil {
		return complain("bad.tz", in.TZ)
	}
	if in.Now == "" {
		in.at = h.now().In(zone).Truncate(time.Second)
		return nil
	}
	at, err := time.Parse(time.RFC3339, in.Now)
	if err != nil || at.Year() < 1970 || at.Year() > lastYear {
		return complain("bad.now", "")
	}
	in.at = at.In(zone)
	return nil
}

// loadZone finds an IANA zone. A name with a path in it is none.
func loadZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" {
		return nil, fmt.Errorf("no zone %q", name)
	}
	return time.LoadLocation(name)
}

// batch answers JSON lines on all cores and keeps their order.
func (h *house) batch(c answering, with func(*advisor.Rulebook, *advisor.Advisor) responder) error {
	in := h.in
	if c.Batch != "-" {
		f, err := os.Open(c.Batch)
		if err != nil {
			return errors.New(complain("cannot-open", c.Batch).In(h.lang))
		}
		defer f.Close()
		in = f
	}
	book, thinker, err := h.book()
	if err != nil {
		return err
	}
	lines, bad, err := h.stream(in, c, with(book, thinker))
	if err != nil {
		return err
	}
	if bad > 0 {
		fmt.Fprintf(h.errs, "gpuadvisor: "+h.say("some-bad")+"\n", lines, bad)
		return errPrinted
	}
	return nil
}

// job is one line on its way: a worker puts the answer where the writer, who
// holds the same job in the order of the input, waits for it.
type job struct {
	line []byte
	long bool // the line was longer than maxLine and is cut
	done chan result
}

type result struct {
	line []byte
	bad  bool
}

func (h *house) stream(in io.Reader, c answering, respond responder) (lines, bad int, err error) {
	ctx, stop := context.WithCancel(h.ctx)
	defer stop()
	workers := runtime.GOMAXPROCS(0)
	todo, order := make(chan job), make(chan job, 8*workers)
	for range workers {
		go func() {
			for j := range todo {
				j.done <- h.one(j, c, respond)
			}
		}()
	}
	failed := make(chan error, 1)
	go func() {
		defer close(todo)
		defer close(order)
		failed <- readLines(in, func(line []byte, long bool) bool {
			j := job{line: line, long: long, done: make(chan result, 1)}
			return send(ctx, order, j) && send(ctx, todo, j)
		})
	}()
	out := bufio.NewWriter(h.out)
	for j := range order {
		r := <-j.done
		lines++
		if r.bad {
			bad++
		}
		if _, err := out.Write(r.line); err != nil {
			return lines, bad, err
		}
		if len(order) == 0 { // somebody may be waiting for this answer
			if err := out.Flush(); err != nil {
				return lines, bad, err
			}
		}
	}
	return lines, bad, errors.Join(out.Flush(), <-failed)
}

func send(ctx context.Context, to chan<- job, j job) bool {
	select {
	case to <- j:
		return true
	case <-ctx.Done():
		return false
	}
}

// readLines hands over every line that is not empty, until take says stop.
func readLines(in io.Reader, take func(line []byte, long bool) bool) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var line []byte
	long := false
	for first := true; ; first = false {
		part, err := r.ReadSlice('\n')
		if first {
			part = bytes.TrimPrefix(part, []byte("\ufeff"))
		}
		if room := maxLine - len(line); len(part) > room {
			part, long = part[:room], true
		}
		line = append(line, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 && !take(line, long) {
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read batch: %w", err)
		}
		line, long = nil, false
	}
}

// one answers one line of a batch.
func (h *house) one(j job, c answering, respond responder) result {
	in := input{line: j.line, Now: c.Now}
	a, err := h.answerLine(&in, j, respond)
	if err == nil {
		if line, encodeErr := encode(a.Value); encodeErr == nil {
			return result{line: line}
		}
		err = complain("bad.no-number", "")
	}
	line, _ := encode(badLine{ID: in.id(), Bad: h.wordFor(in, err)})
	return result{line: line, bad: true}
}

func (h *house) answerLine(in *input, j job, respond responder) (a answer, err error) {
	if j.long {
		return a, complain("bad.long", "")
	}
	if err := decode(j.line, in); err != nil {
		return a, err
	}
	if err := h.complete(in); err != nil {
		return a, err
	}
	return safely(respond, *in)
}

// safely is respond, with a crash as one more complaint.
func safely(respond responder, in input) (a answer, err error) {
	if crash := guard(func() { a, err = respond(in) }); crash != nil {
		return answer{}, complain("bad.internal", "")
	}
	return a, err
}

// wordFor puts a complaint in the language of the line: its own wish, else the
// house's.
func (h *house) wordFor(in input, err error) string {
	var c complaint
	if !errors.As(err, &c) {
		return err.Error()
	}
	if in.Lang == "zh" || in.Lang == "en" {
		return c.In(in.Lang)
	}
	return c.In(h.lang)
}

// badLine is the answer to a line that cannot be answered.
type badLine struct {
	ID  json.RawMessage `json:"id"`
	Bad string          `json:"bad"`
}

// id is the id of the line as it was written, and null when it has none. In a
// line that is broken further on it is looked up by itself.
func (in input) id() json.RawMessage {
	if in.ID != nil {
		return in.ID
	}
	if id := findID(in.line); id != nil {
		return id
	}
	return json.RawMessage("null")
}

// findID looks for a top-level "id" in the part of a line that is JSON.
func findID(line []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if key == "id" {
			return value
		}
	}
	return nil
}

// decode reads a line into v and complains in words.
func decode(line []byte, v any) error {
	err := json.Unmarshal(line, v)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind) && kind.Field != "":
		return complain("bad.field", strings.TrimPrefix(kind.Field, "Case."))
	default:
		return complain("bad.json", "")
	}
}

// encode writes one line of JSON with Chinese, < and > as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// show draws a reply as a person sees it, without colour.
func show(r advisor.Reply) string { return terminal.Render(r, terminal.Look{}) }

// replyLang is the language of an answer that is not part of a conversation:
// as wished, else Chinese when the text has any, else the house's.
func (h *house) replyLang(in input) string {
	switch wished := cmp.Or(in.Lang, h.wishedLang); {
	case wished != "":
		return wished
	case in.Text != nil && strings.ContainsFunc(*in.Text, func(r rune) bool { return unicode.Is(unicode.Han, r) }):
		return "zh"
	case in.line != nil:
		return "en"
	}
	return cmp.Or(h.lang, "en")
}
