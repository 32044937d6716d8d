package rules

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/text"
)

// A table of one's own, because no catalogue has the Chinese places:
//
//	provider,category,gpu,count,price_hour,price_month,currency,as_of,url,note
//
// gpu, currency and one of the two prices are needed. Prices are for the
// machine; category is a platform id or one of its names. The same keys in a
// YAML list do as well, and so does a list of prices as in rules/prices.

// ownEntry is one line of such a YAML list.
type ownEntry struct {
	Provider   string `yaml:"provider,omitempty"`
	Category   string `yaml:"category,omitempty"`
	GPU        string `yaml:"gpu"`
	Count      string `yaml:"count,omitempty"`
	PriceHour  string `yaml:"price_hour,omitempty"`
	PriceMonth string `yaml:"price_month,omitempty"`
	Currency   string `yaml:"currency"`
	AsOf       string `yaml:"as_of,omitempty"`
	URL        string `yaml:"url,omitempty"`
	Note       string `yaml:"note,omitempty"`
	Spot       string `yaml:"spot,omitempty"`
}

// ownRow reads one row of the table.
func (im *importer) ownRow(r *tableRow) {
	im.entry(r.line, ownEntry{
		r.cell("provider"), r.cell("category"), r.cell("gpu"), r.cell("count"), r.cell("price_hour"), r.cell("price_month"),
		r.cell("currency"), r.cell("as_of"), r.cell("url"), r.cell("note"), r.cell("spot"),
	})
}

// entry makes a price of an entry. Here somebody wrote by hand, so nothing is
// passed over in silence.
func (im *importer) entry(line int, e ownEntry) {
	refuse := func(value string, code cost.Code, field string) { im.refuse(line, e.GPU, value, code, field) }
	card := im.card(e.GPU, 0, 1)
	switch {
	case card == nil:
		im.leave(LeftUnknown)
		return
	case im.vague(e.GPU):
		refuse(e.GPU, cost.Missing, "memory")
		return
	}
	p := cost.Price{
		Card: card.ID, Currency: cost.Currency(strings.ToUpper(e.Currency)), Provider: strings.Clone(cmp.Or(e.Provider, im.place.ID)),
		Kind: im.kind(e.Category), URL: strings.Clone(e.URL), Spot: strings.EqualFold(e.Spot, "true") || strings.EqualFold(e.Spot, "yes"), Origin: cost.Imported,
	}
	if e.Count != "" && e.Count != "1" {
		if p.Count = count(e.Count); p.Count == 0 {
			refuse(e.Count, cost.Absurd, "count")
			return
		}
	}
	for _, f := range []struct {
		written, field string
		into           *cost.Amount
	}{{e.PriceHour, "price_hour", &p.HourLow}, {e.PriceMonth, "price_month", &p.MonthLow}} {
		if f.written == "" {
			continue
		}
		a, err := cost.ParseAmount(f.written)
		if err != nil {
			refuse(f.written, cost.NotANumber, f.field)
			return
		}
		if a == 0 {
			refuse(f.written, cost.Zero, f.field)
			return
		}
		*f.into = a
	}
	if e.AsOf != "" {
		d, err := cost.ParseDate(e.AsOf)
		if err != nil || cost.AgeOf(d, im.now) == cost.None { // of the future
			refuse(e.AsOf, cost.BadDate, "as_of")
			return
		}
		p.AsOf = d
	}
	if bad := im.unusable(p); bad != nil {
		field := map[string]string{"hour_low": "price_hour", "month_low": "price_month"}[bad.Field]
		refuse(cmp.Or(e.PriceHour, e.PriceMonth, e.Currency), bad.Code, cmp.Or(field, bad.Field))
		return
	}
	im.own = append(im.own, p)
}

// vague reports whether a name fits cards with different memory: A100, H20.
// What somebody pays tells them apart, so nothing is guessed.
func (im *importer) vague(name string) bool {
	cards := im.byName[text.Key(name)]
	return slices.ContainsFunc(cards, func(c *advisor.Card) bool {
		return c.VRAMGB != cards[0].VRAMGB && !c.Refit && !strings.EqualFold(name, cards[0].ID)
	})
}

// unusable is the first thing that is wrong with a price, but for the date and
// the source, which the list may give.
func (im *importer) unusable(p cost.Price) *cost.Problem {
	if p.AsOf.IsZero() {
		p.AsOf = cost.Date{Year: 2026, Month: 1, Day: 1}
	}
	p.Source = "file"
	if problems := p.Problems(); len(problems) > 0 {
		return &problems[0]
	}
	return nil
}

// kind is the platform id that a category means, or that of the place.
func (im *importer) kind(category string) string {
	for _, p := range im.book.Platforms {
		if strings.EqualFold(category, p.ID) || strings.EqualFold(category, p.Title["zh"]) || strings.EqualFold(category, p.Title["en"]) {
			return p.ID
		}
		for _, n := range p.Names {
			if strings.EqualFold(category, n) {
				return p.ID
			}
		}
	}
	return im.place.Kind
}

// readYAML reads a list of entries, or a list of prices as in rules/prices.
func (im *importer) readYAML(in io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	if err != nil || len(data) > maxBytes {
		return fmt.Errorf("read list: %w", cmp.Or(err, error(ErrFormat)))
	}
	if bytes.HasPrefix(bytes.TrimLeft(data, " \n"), []byte("-")) || listFirst(data) {
		var entries []ownEntry
		if problems := Decode("file", data, &entries); len(problems) > 0 {
			return Problems(problems)
		}
		lines := entryLines(data)
		for i, e := range entries {
			im.out.Rows++
			line := 0
			if i < len(lines) {
				line = lines[i]
			}
			im.entry(line, e)
		}
		return nil
	}
	var list cost.List
	if problems := Decode("file", data, &list); len(problems) > 0 {
		return Problems(problems)
	}
	for _, p := range list.Rows() {
		im.out.Rows++
		p.Origin = cost.Imported
		if im.cardByID(p.Card) == nil {
			im.leave(LeftUnknown)
			im.out.Unknown = append(im.out.Unknown, p.Card)
			continue
		}
		if bad := p.Problems(); len(bad) > 0 {
			im.refuse(0, p.Card, p.HourLow.String(), bad[0].Code, bad[0].Field)
			continue
		}
		im.own = append(im.own, p)
	}
	return nil
}

// listFirst reports whether the first line that says something begins a list.
func listFirst(data []byte) bool {
	for line := range bytes.Lines(data) {
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
			return t[0] == '-'
		}
	}
	return false
}

// entryLines are the lines on which the entries of a YAML list begin.
func entryLines(data []byte) []int {
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	var lines []int
	for _, n := range doc.Content[0].Content {
		lines = append(lines, n.Line)
	}
	return lines
}

func (im *importer) cardByID(id string) *advisor.Card {
	for i := range im.book.Cards {
		if im.book.Cards[i].ID == id {
			return &im.book.Cards[i]
		}
	}
	return nil
}
