package rules

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/text"
)

// Reading price files of others: the catalogues of SkyPilot and gpuhunt, and a
// plain table of one's own. Each has a file: import_sky.go, import_hunt.go,
// import_own.go. They turn rows into quotes; here quotes become a list of
// prices: one entry for each card, count and way of renting, from the lowest to
// the median over regions and sizes, as the bundled lists are. A whole catalogue
// is nobody's to copy; what it says of a card is a fact.
//
// A row that cannot be meant (below zero, a hundredth of a cent, a thousand an
// hour) is named and nothing is taken: a file with one such row has been read
// wrongly or was written wrongly. A row that is only far from the rest is left
// out and named.

// PriceImport is a price file that was read.
type PriceImport struct {
	Format  string         // skypilot gpuhunt own
	List    cost.List      // what it comes to
	Rows    int            // rows in the file
	Used    int            // rows that a price was made of
	Left    map[string]int // rows left out, by reason: see LeftOut
	Unknown []string       // names of cards that nobody here knows, sorted
	Far     []BadRow       // left out because they are far from the rest
	Refused []BadRow       // cannot be meant
	Note    advisor.Text   // what to know of this place's files
}

// BadRow is a row of a price file that is not taken.
type BadRow struct {
	Line  int    // in the file, the head is 1
	Name  string // the machine or the card, as written
	Value string // as written
	cost.Problem
}

func (b BadRow) Error() string {
	return fmt.Sprintf("line %d: %s %s: %v", b.Line, b.Name, b.Value, b.Problem)
}

// Reasons for leaving rows out.
const (
	LeftCPU     = "cpu"      // no card in it
	LeftGone    = "gone"     // no region: not offered now
	LeftNoPrice = "no-price" // nothing quoted, or zero, which means unknown
	LeftSlice   = "slice"    // a part of a card
	LeftUnknown = "unknown"  // a card that nobody here knows
	LeftHost    = "host"     // a card without its machine, or the other way round
	LeftFar     = "far"      // far from the rest
)

// LeftOut lists the reasons, for the words that explain them.
func LeftOut() []string {
	return []string{LeftCPU, LeftGone, LeftNoPrice, LeftSlice, LeftUnknown, LeftHost, LeftFar}
}

// ErrFormat is the error of a file that is no price file that we know.
var ErrFormat = errors.New("neither a SkyPilot nor a gpuhunt catalogue nor a table with gpu, currency and price_hour or price_month")

// importFacts is imports.yaml.
type importFacts struct {
	Places []importPlace `yaml:"places"`
	Cards  []importCard  `yaml:"cards"`
	Hosts  []importHost  `yaml:"hosts"`
}

type importPlace struct {
	ID     string       `yaml:"id" rule:"id"`
	Kind   string       `yaml:"kind" rule:"empty"`                         // a platform id; "" when it resells others
	Memory string       `yaml:"memory,omitempty" rule:"enum=machine|card"` // what its memory column counts
	Note   advisor.Text `yaml:"note,omitempty"`
}

type importCard struct {
	Name string `yaml:"name"`
	Card string `yaml:"card" rule:"id"`
}

type importHost struct {
	Place  string `yaml:"place" rule:"id"`
	Prefix string `yaml:"prefix"`
	Card   string `yaml:"card"` // as the catalogue spells it
	Count  int    `yaml:"count,omitempty" rule:"min=1"`
}

// machinePrice is one price of one machine, as a file has it.
type machinePrice struct {
	line   int
	name   string // of the machine
	card   string // id
	count  int
	spot   bool
	amount cost.Amount // per hour, the whole machine
	value  string      // as written
}

// importer is one reading.
type importer struct {
	book   *advisor.Rulebook
	now    time.Time
	facts  importFacts
	place  importPlace
	byName map[string][]*advisor.Card
	known  map[spelling]*advisor.Card // memo of card
	sizes  map[spelling]float64       // memo of memory, by GpuInfo
	quotes []machinePrice
	own    []cost.Price
	out    PriceImport
	hosts  map[hostKey]*hostPrice
}

// spelling is what a catalogue says of a card.
type spelling struct {
	name string
	gb   float64
	n    int
}

// ImportPrices reads a price file of a place. fsys has the rules, of which only
// imports.yaml is read; the book must be one of them. asOf is the day for which
// the file's prices hold, where they carry none of their own; a row of a day that
// is more than one ahead of now is refused. The result's
// Refused is not empty when rows cannot be meant: then nothing should be taken.
// The error is ErrFormat, or says why the file cannot be read.
func ImportPrices(book *advisor.Rulebook, fsys fs.FS, file io.Reader, name, place string, asOf cost.Date, now time.Time) (PriceImport, error) {
	im := &importer{book: book, now: now, known: map[spelling]*advisor.Card{}, sizes: map[spelling]float64{}, hosts: map[hostKey]*hostPrice{}}
	im.out.Left = map[string]int{}
	if err := im.learn(fsys, place); err != nil {
		return im.out, err
	}
	if err := im.read(file); err != nil {
		return im.out, err
	}
	im.addHosts()
	im.judge()
	im.out.Note = im.place.Note
	im.out.List = cost.List{ID: "imported-" + place, Source: im.sourceName(name), AsOf: asOf, Prices: im.prices(place)}
	if len(im.own) > 0 {
		im.out.List.Prices = im.own
	}
	slices.Sort(im.out.Unknown)
	return im.out, nil
}

// learn reads what importing takes, and indexes the cards by name.
func (im *importer) learn(fsys fs.FS, place string) error {
	data, err := fs.ReadFile(fsys, "imports.yaml")
	if err != nil {
		return fmt.Errorf("imports.yaml: %w", err)
	}
	if problems := Decode("imports.yaml", data, &im.facts); len(problems) > 0 {
		return Problems(problems)
	}
	im.place = importPlace{ID: place}
	for _, v := range im.book.Vendors {
		if v.ID == place {
			im.place.Kind = v.Kind
		}
	}
	for _, p := range im.facts.Places {
		if p.ID == place {
			im.place = p
		}
	}
	im.byName = map[string][]*advisor.Card{}
	add := func(name string, c *advisor.Card) {
		if key := text.Key(name); !slices.Contains(im.byName[key], c) {
			im.byName[key] = append(im.byName[key], c)
		}
	}
	for i := range im.book.Cards {
		c := &im.book.Cards[i]
		for _, n := range append([]string{c.ID}, c.Names...) {
			add(n, c)
		}
	}
	for i := range im.book.Cards { // the board's name without memory comes after those that have it of their own
		base, _, _ := strings.Cut(im.book.Cards[i].Label, "-")
		add(base, &im.book.Cards[i])
	}
	for _, a := range im.facts.Cards {
		for i := range im.book.Cards {
			if c := &im.book.Cards[i]; c.ID == a.Card {
				key := text.Key(a.Name)
				im.byName[key] = append([]*advisor.Card{c}, slices.DeleteFunc(im.byName[key], func(o *advisor.Card) bool { return o == c })...)
			}
		}
	}
	return nil
}

// read finds out what kind of file it is, and reads it.
func (im *importer) read(file io.Reader) error {
	in := bufio.NewReaderSize(file, 64<<10)
	if start, _ := in.Peek(3); bytes.Equal(start, []byte("\ufeff")) {
		in.Discard(3)
	}
	if start, _ := in.Peek(1 << 10); looksLikeYAML(start) {
		im.out.Format = "own"
		return im.readYAML(in)
	}
	table := csv.NewReader(in)
	table.ReuseRecord, table.FieldsPerRecord, table.LazyQuotes = true, -1, true
	head, err := table.Read()
	if err != nil {
		return ErrFormat
	}
	columns := map[string]int{}
	for i, name := range head {
		if _, twice := columns[strings.ToLower(strings.TrimSpace(name))]; !twice {
			columns[strings.ToLower(strings.TrimSpace(name))] = i
		}
	}
	r := &tableRow{columns: columns}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { _, ok := columns[n]; return !ok })
	}
	var take func(*tableRow)
	switch {
	case has("acceleratorname", "price"):
		im.out.Format, take = "skypilot", im.skyRow
	case has("gpu_name", "gpu_count", "price"):
		im.out.Format, take = "gpuhunt", im.huntRow
	case has("gpu", "currency") && (has("price_hour") || has("price_month")):
		im.out.Format, take = "own", im.ownRow
	default:
		return ErrFormat
	}
	for {
		r.cells, err = table.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read table: %w", err)
		}
		r.line, _ = table.FieldPos(0)
		im.out.Rows++
		take(r)
	}
}

// looksLikeYAML reports whether a file begins like a list or a mapping.
func looksLikeYAML(start []byte) bool {
	for line := range bytes.Lines(start) {
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			continue
		}
		return line[0] == '-' || bytes.Contains(line, []byte(": ")) && !bytes.Contains(line, []byte(",")) || bytes.HasSuffix(line, []byte(":"))
	}
	return false
}

// tableRow is one line of a table; columns are found by name, whatever their order.
type tableRow struct {
	columns map[string]int
	cells   []string
	line    int
}

// cell is the text of a column, "" when the file or the row has none.
func (r *tableRow) cell(name string) string {
	i, ok := r.columns[name]
	if !ok || i >= len(r.cells) {
		return ""
	}
	return strings.TrimSpace(r.cells[i])
}

func (r *tableRow) has(name string) bool { _, ok := r.columns[name]; return ok }

func (im *importer) leave(why string) { im.out.Left[why]++ }

// refuse names a row that cannot be meant.
func (im *importer) refuse(line int, name, value string, code cost.Code, field string) {
	const most = 20
	if len(im.out.Refused) < most {
		im.out.Refused = append(im.out.Refused, BadRow{line, strings.Clone(name), strings.Clone(value), cost.Problem{Code: code, Field: field}})
	}
}

// price reads an hourly price. ok is false for none: an empty cell, and zero,
// which these catalogues write for unknown. A price that cannot be meant is
// refused.
func (im *importer) price(r *tableRow, name, value, field string) (cost.Amount, bool) {
	if value == "" || strings.EqualFold(value, "nan") || strings.EqualFold(value, "none") {
		return 0, false
	}
	v, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		im.refuse(r.line, name, value, cost.NotANumber, field)
		return 0, false
	case v < 0:
		im.refuse(r.line, name, value, cost.Negative, field)
		return 0, false
	case v == 0:
		return 0, false
	}
	a, err := cost.AmountOf(v)
	if err != nil {
		im.refuse(r.line, name, value, cost.Overflow, field)
		return 0, false
	}
	return a, true
}

// quoted keeps a price of a machine, unless nobody can mean it.
func (im *importer) quoted(q machinePrice) {
	perCard := q.amount / cost.Amount(q.count)
	if perCard < cost.MinCardHour || perCard > cost.MaxCardHour {
		im.refuse(q.line, q.name, q.value, cost.Absurd, "price")
		return
	}
	q.name, q.value = strings.Clone(q.name), strings.Clone(q.value)
	im.quotes = append(im.quotes, q)
}

// count reads how many cards a machine has: 1, 1.0; 0 for a part of one.
func count(s string) int {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v < 1 || v > 1024 || v != math.Trunc(v) {
		return 0
	}
	return int(v)
}

// twoMemories is the form of names in which the count is folded:
// A100-80GB-160GB are two of them.
var twoMemories = regexp.MustCompile(`(?i)^(.+-\d+GB)-\d+GB$`)

// card finds a card by the name that a catalogue gives it and the memory in GB
// of one card, 0 when that is not known, or of all n. The memory decides between
// cards of one name, and where it fits none of them, the card is unknown: a
// 48 GB 4090 is not a 4090.
func (im *importer) card(name string, gb float64, n int) *advisor.Card {
	memo := spelling{name, gb, n}
	if c, ok := im.known[memo]; ok {
		return c
	}
	c := im.find(name, gb)
	if c == nil && n > 1 {
		c = im.find(name, gb/float64(n))
	}
	memo.name = strings.Clone(name)
	im.known[memo] = c
	if c == nil && !slices.Contains(im.out.Unknown, name) {
		im.out.Unknown = append(im.out.Unknown, strings.Clone(name))
	}
	return c
}

func (im *importer) find(name string, gb float64) *advisor.Card {
	if m := twoMemories.FindStringSubmatch(name); m != nil {
		name = m[1]
	}
	candidates := im.byName[text.Key(name)]
	if len(candidates) == 0 {
		return nil
	}
	if gb == 0 {
		return candidates[0]
	}
	for _, c := range candidates {
		if sameMemory(c, gb) {
			return c
		}
	}
	base, _, _ := strings.Cut(candidates[0].Label, "-")
	for i := range im.book.Cards { // the same board with other memory
		c := &im.book.Cards[i]
		if b, _, _ := strings.Cut(c.Label, "-"); b == base && sameMemory(c, gb) {
			return c
		}
	}
	return nil
}

// sameMemory allows for what the driver keeps and for catalogues that count
// nominal memory.
func sameMemory(c *advisor.Card, gb float64) bool {
	return c.VRAMGB > 0 && math.Abs(c.VRAMGB-gb) <= 0.15*c.VRAMGB
}

// judge leaves out quotes that are far from the others of their card.
func (im *importer) judge() {
	type group struct {
		card string
		spot bool
	}
	all := map[group][]cost.Amount{}
	for _, q := range im.quotes {
		g := group{q.card, q.spot}
		all[g] = append(all[g], q.amount/cost.Amount(q.count))
	}
	for _, amounts := range all {
		slices.Sort(amounts)
	}
	im.quotes = slices.DeleteFunc(im.quotes, func(q machinePrice) bool {
		amounts := all[group{q.card, q.spot}]
		median, a := middle(amounts), q.amount/cost.Amount(q.count)
		far := len(amounts) >= 3 && (a/cost.OutlierFactor > median || a < median/cost.OutlierFactor)
		if far {
			im.leave(LeftFar)
			if len(im.out.Far) < 20 {
				im.out.Far = append(im.out.Far, BadRow{q.line, q.name, q.value, cost.Problem{Code: cost.Absurd, Field: "price"}})
			}
		}
		return far
	})
	im.out.Used = len(im.quotes) + len(im.own)
}

// middle is the median of sorted amounts.
func middle(sorted []cost.Amount) cost.Amount {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	a, b := sorted[(n-1)/2], sorted[n/2]
	return a + (b-a)/2
}

// prices makes one entry of all quotes for the same machine: from the lowest to
// the median.
func (im *importer) prices(place string) []cost.Price {
	type machine struct {
		card  string
		count int
		spot  bool
	}
	all := map[machine][]cost.Amount{}
	var order []machine
	for _, q := range im.quotes {
		m := machine{q.card, q.count, q.spot}
		if all[m] == nil {
			order = append(order, m)
		}
		all[m] = append(all[m], q.amount)
	}
	slices.SortFunc(order, func(a, b machine) int {
		if c := strings.Compare(a.card, b.card); c != 0 {
			return c
		}
		if a.count != b.count {
			return a.count - b.count
		}
		return boolInt(a.spot) - boolInt(b.spot)
	})
	var out []cost.Price
	for _, m := range order {
		amounts := all[m]
		slices.Sort(amounts)
		p := cost.Price{Card: m.card, Count: m.count, HourLow: amounts[0], Currency: cost.USD, Provider: place, Kind: im.place.Kind, Spot: m.spot, Origin: cost.Imported}
		if m.count == 1 {
			p.Count = 0
		}
		if mid := middle(amounts); mid > amounts[0] {
			p.HourHigh = mid
		}
		out = append(out, p)
	}
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sourceName names a file as a source, without where it lies.
func (im *importer) sourceName(name string) string {
	switch im.out.Format {
	case "skypilot":
		return "SkyPilot catalogue, " + name
	case "gpuhunt":
		return "gpuhunt catalogue, " + name
	}
	return "imported table, " + name
}
