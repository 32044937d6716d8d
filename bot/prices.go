package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
	"gpuadvisor/rules"
)

// pricesCommand shows dated prices, and takes new ones out of a file.
type pricesCommand struct {
	Show   pricesShow   `cmd:"" default:"withargs" hidden:"" help:"${prices}"`
	Import pricesImport `cmd:"" help:"${importing}"`
}

// pricesShow is what a chat answers to /prices.
type pricesShow struct {
	answering `embed:""`
	PNG       string `name:"png" placeholder:"FILE" help:"${png}"`
}

func (c *pricesShow) Run(h *house) error {
	c.orElse("") // all of them
	var chart *advisor.Chart
	err := h.answer("prices", c.answering, func(_ *advisor.Rulebook, a *advisor.Advisor) responder {
		return func(in input) (answer, error) {
			if in.Text == nil {
				return answer{}, complain("bad.no-text", "")
			}
			out := h.pricesOf(a, in)
			if c.PNG != "" {
				chart = out.Chart
			}
			return answer{out, out.Reply}, nil
		}
	})
	if err != nil || c.PNG == "" {
		return err
	}
	return h.draw(chart, c.PNG)
}

// pricesOf answers one text as a chat answers it behind /prices.
func (h *house) pricesOf(a *advisor.Advisor, in input) pricesAnswer {
	lang := h.replyLang(in)
	k := advisor.Known{Profile: advisor.Profile{Lang: lang, Zone: in.TZ, Currency: h.config.DefaultCurrency}}
	_, reply := converse(a, k, in.message("1", "", strings.TrimSpace("/prices "+*in.Text)))
	cards := a.PricesOf(*in.Text, in.at)
	if cards == nil {
		cards = []advisor.PriceSheet{}
	}
	return pricesAnswer{ID: in.batchID(), Lang: lang, Act: reply.Act, Cards: cards, Chart: chartOf(reply), Reply: show(reply)}
}

// pricesAnswer is the JSON of one question for prices.
type pricesAnswer struct {
	ID    json.RawMessage      `json:"id,omitempty"`
	Lang  string               `json:"lang"`
	Act   string               `json:"act"`
	Cards []advisor.PriceSheet `json:"cards"`
	Chart *advisor.Chart       `json:"chart,omitempty"`
	Reply string               `json:"reply"`
}

// pricesImport takes the prices of one place out of a catalogue or a table of
// one's own, and puts them into the rules folder, where every copy of the
// program that uses the folder finds them. What was there before is kept beside
// the new file, with the ending .previous.
type pricesImport struct {
	File     string `arg:"" help:"${import_file}"`
	Provider string `required:"" placeholder:"NAME" help:"${import_provider}"`
	AsOf     string `placeholder:"DATE" help:"${import_as_of}"`
	DryRun   bool   `help:"${import_dry_run}"`
	JSON     bool   `name:"json" help:"${json}"`
}

// placeName is what a place may be called here: it is part of a file's name.
var placeName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (c *pricesImport) Run(h *house) error {
	place := strings.ToLower(strings.TrimSpace(c.Provider))
	switch {
	case !placeName.MatchString(place):
		return misuse{complain("import.place", clip(c.Provider)).In(h.lang)}
	case h.rules == "" && !c.DryRun:
		return misuse{h.say("import.rules")}
	}
	got, err := c.read(h, place)
	if err != nil {
		return err
	}
	old, oldText := h.previous(place)
	report := importReport{Provider: place, Format: got.Format, AsOf: got.List.AsOf.String(), Rows: got.Rows, Used: got.Used, Left: got.Left, Unknown: orEmpty(got.Unknown), Prices: len(got.List.Prices)}
	for _, change := range rules.DiffPrices(old, got.List.Rows()) {
		report.Changes = append(report.Changes, changeOf(change))
	}
	report.Refused, report.Far = badRows(got.Refused), badRows(got.Far)
	report.Note = got.Note.In(h.say("lang"))
	if len(got.Refused) == 0 && len(got.List.Prices) > 0 && !c.DryRun {
		if err := h.keep(place, got.List, oldText); err != nil {
			return err
		}
		report.Kept = oldText != nil
		report.Written = "prices/imported-" + place + ".yaml"
	}
	if err := h.tell(report, c.JSON); err != nil {
		return err
	}
	if len(got.Refused) > 0 || len(got.List.Prices) == 0 {
		return errPrinted
	}
	return nil
}

// read reads the file that is to be imported.
func (c *pricesImport) read(h *house, place string) (rules.PriceImport, error) {
	var in io.Reader = h.in
	asOf := cost.DateOf(h.now())
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return rules.PriceImport{}, errors.New(complain("cannot-open", c.File).In(h.lang))
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.ModTime().Before(h.now()) {
			asOf = cost.DateOf(info.ModTime()) // the best that is known; the report says so
		}
		in = f
	}
	if c.AsOf != "" {
		d, err := cost.ParseDate(c.AsOf)
		if err != nil || cost.AgeOf(d, h.now()) == cost.None {
			return rules.PriceImport{}, misuse{complain("import.date", c.AsOf).In(h.lang)}
		}
		asOf = d
	}
	book, _, err := h.book()
	if err != nil {
		return rules.PriceImport{}, err
	}
	got, err := rules.ImportPrices(book, h.rulesFS(), in, filepath.Base(c.File), place, asOf, h.now())
	var problems rules.Problems
	switch {
	case errors.Is(err, rules.ErrFormat):
		return got, errors.New(h.say("import.format"))
	case errors.As(err, &problems) && len(problems) > 0:
		return got, errors.New(problems[0].String())
	}
	return got, err
}

// rulesFS is the folder of rules in use.
func (h *house) rulesFS() fs.FS {
	if h.rules == "" {
		return rules.Embedded()
	}
	if fsys, err := rules.Folder(h.rules); err == nil {
		return fsys
	}
	return os.DirFS(h.rules) // which is not there: whoever reads it is told so
}

// previous is the imported set of a place that is in use, as prices and as the
// text of its file.
func (h *house) previous(place string) ([]cost.Price, []byte) {
	data, err := fs.ReadFile(h.rulesFS(), "prices/imported-"+place+".yaml")
	if err != nil {
		return nil, nil
	}
	var list cost.List
	rules.Decode("prices/imported-"+place+".yaml", data, &list)
	return list.Rows(), data
}

// keep writes the new set, after all rules were read with it, and puts the
// previous one aside. A set that the rules cannot be read with changes nothing.
func (h *house) keep(place string, list cost.List, previous []byte) error {
	file := filepath.Join(h.rules, "prices", "imported-"+place+".yaml")
	var text bytes.Buffer
	comment := fmt.Sprintf("Imported by gpuadvisor prices import --provider %s; the next import replaces it.", place)
	if err := rules.WritePrices(&text, list, comment); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return errors.New(complain("cannot-write", "prices").In(h.lang))
	}
	refused := errors.New(complain("cannot-write", "prices/imported-"+place+".yaml").In(h.lang))
	if previous != nil {
		if err := replaceFile(file+".previous", previous); err != nil {
			return refused
		}
	}
	if err := replaceFile(file, text.Bytes()); err != nil {
		return refused
	}
	if _, err := rules.LoadDir(h.rules); err != nil {
		if previous == nil {
			os.Remove(file)
		} else {
			replaceFile(file, previous)
		}
		return h.unsound(err)
	}
	return nil
}

// replaceFile writes a file whole or not at all.
func replaceFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".import-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// importReport is what an import came to.
type importReport struct {
	Provider string         `json:"provider"`
	Format   string         `json:"format"` // skypilot gpuhunt own
	AsOf     string         `json:"as_of"`
	Rows     int            `json:"rows"`
	Used     int            `json:"used"`
	Prices   int            `json:"prices"` // what they come to: one for each card, count and way of renting
	Left     map[string]int `json:"left_out"`
	Unknown  []string       `json:"unknown_cards"`
	Far      []badRow       `json:"far"`     // left out: far from the others of their card
	Refused  []badRow       `json:"refused"` // cannot be meant; then nothing is taken
	Changes  []priceChange  `json:"changes"`
	Written  string         `json:"written,omitempty"` // file in the rules folder; "" for none
	Kept     bool           `json:"kept,omitempty"`    // the set before it lies beside it
	Note     string         `json:"note,omitempty"`
}

type badRow struct {
	Line  int       `json:"line"`
	Name  string    `json:"name"`
	Value string    `json:"value"`
	Code  cost.Code `json:"code"`
	Field string    `json:"field"`
}

func badRows(rows []rules.BadRow) []badRow {
	out := []badRow{}
	for _, r := range rows {
		out = append(out, badRow{r.Line, r.Name, r.Value, r.Code, r.Field})
	}
	return out
}

// priceChange is one line of the difference to the previous set.
type priceChange struct {
	What string `json:"what"` // new changed gone
	Card string `json:"card"` // with count and way
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

func changeOf(c rules.PriceChange) priceChange {
	card := c.Card
	if c.Count > 1 {
		card = fmt.Sprintf("%d×%s", c.Count, card)
	}
	if c.Spot {
		card += " spot"
	}
	return priceChange{c.What, card, quoteOf(c.Old), quoteOf(c.New)}
}

// quoteOf spells the prices of a machine: "0.4–0.42 USD/h, 280 USD/month".
func quoteOf(p cost.Price) string {
	var out []string
	for _, q := range []struct {
		low, high cost.Amount
		per       string
	}{{p.HourLow, p.HourHigh, "/h"}, {p.MonthLow, p.MonthHigh, "/month"}} {
		if q.low == 0 {
			continue
		}
		s := q.low.String()
		if q.high > q.low {
			s += "–" + q.high.String()
		}
		out = append(out, s+" "+string(p.Currency)+q.per)
	}
	return strings.Join(out, ", ")
}

// shownChanges is how much of a difference a person wants to read at once.
const shownChanges = 20

// tell prints what an import came to.
func (h *house) tell(r importReport, asJSON bool) error {
	if r.Changes == nil {
		r.Changes = []priceChange{}
	}
	if asJSON {
		line, err := encode(r)
		if err != nil {
			return err
		}
		_, err = h.out.Write(line)
		return err
	}
	var b strings.Builder
	h.tellRead(&b, r)
	if len(r.Refused) > 0 {
		for _, row := range r.Refused {
			fmt.Fprintf(&b, h.say("import.refused")+"\n", row.Line, row.Name, row.Field, row.Value, row.Code)
		}
		fmt.Fprintln(&b, h.say("import.nothing"))
		_, err := io.WriteString(h.errs, b.String())
		return err
	}
	h.tellChanges(&b, r)
	_, err := io.WriteString(h.out, b.String())
	return err
}

// tellRead says what was in the file.
func (h *house) tellRead(b *strings.Builder, r importReport) {
	fmt.Fprintf(b, h.say("import.read")+"\n", r.Format, r.Rows, r.Used, r.Prices, r.AsOf)
	for _, why := range rules.LeftOut() {
		if n := r.Left[why]; n > 0 {
			fmt.Fprintf(b, "  %s: %d\n", h.say("import.left."+why), n)
		}
	}
	if len(r.Unknown) > 0 {
		fmt.Fprintf(b, h.say("import.unknown")+"\n", strings.Join(r.Unknown[:min(len(r.Unknown), shownChanges)], h.say("list")))
	}
	if r.Note != "" {
		fmt.Fprintln(b, r.Note)
	}
	for _, row := range r.Far {
		fmt.Fprintf(b, h.say("import.far")+"\n", row.Line, row.Name, row.Value)
	}
}

// tellChanges says how the new prices differ from those before, and what became of
// them.
func (h *house) tellChanges(b *strings.Builder, r importReport) {
	counts := map[string]int{}
	for i, c := range r.Changes {
		counts[c.What]++
		if i < shownChanges {
			fmt.Fprintf(b, "  %s %s  %s\n", map[string]string{"new": "+", "gone": "-", "changed": "~"}[c.What], c.Card, strings.Join(slices.DeleteFunc([]string{c.Old, c.New}, func(s string) bool { return s == "" }), " → "))
		}
	}
	if rest := len(r.Changes) - shownChanges; rest > 0 {
		fmt.Fprintf(b, "  … %d\n", rest)
	}
	fmt.Fprintf(b, h.say("import.changes")+"\n", counts["new"], counts["changed"], counts["gone"])
	switch {
	case r.Written != "" && r.Kept:
		fmt.Fprintf(b, h.say("import.written")+h.say("import.kept")+"\n", r.Written)
	case r.Written != "":
		fmt.Fprintf(b, h.say("import.written")+"\n", r.Written)
	case r.Prices == 0:
		fmt.Fprintln(b, h.say("import.empty"))
	default:
		fmt.Fprintln(b, h.say("import.dry"))
	}
}
