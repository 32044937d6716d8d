package telegram

import (
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// render.go draws a Reply. A message takes a small part of HTML: no headings,
// no tables, no lists. So a heading is bold, a table is preformatted where it
// fits a phone and a list where it does not, and every part has its text.
//
// The text is cut first and marked up after, piece by piece: a cut can then
// never fall inside a tag or an entity, and code that runs over several
// messages is code in each.

// run is a stretch of text in one style: "", "b", "i" or "pre".
type run struct{ style, text string }

// page is one message.
type page struct{ html, plain string }

// photo is a picture with its words.
type photo struct {
	image   []byte
	caption page
	instead []page // where Telegram does not take the picture
}

// sheet is a reply, drawn.
type sheet struct {
	photos []photo
	pages  []page
	keys   *keyboard // under the last page; nil: none
}

// draw draws a reply whose buttons are like b. A chat shows only text under
// which buttons can stand, so a reply that is all pictures and buttons gets a
// page with the choices.
func draw(r advisor.Reply, b button) sheet {
	var s sheet
	var runs []run
	for _, p := range r.Parts {
		if picture(p) {
			s.photos = append(s.photos, photo{p.Image, first(pagesOf(text(p), maxCaption)), pagesOf(block(p), maxText)})
			continue
		}
		runs = add(runs, block(p)...)
	}
	k, left := keys(r.Choices, b)
	if len(left) > 0 {
		runs = add(runs, run{"", numbered(r.Choices, left)})
	}
	s.keys, s.pages = k, pagesOf(runs, maxText)
	if len(s.pages) == 0 && k != nil {
		s.pages = []page{{"▾", "▾"}}
	}
	return s
}

// picture reports whether the part can be sent as a photo: one whose words fit
// under it.
func picture(p advisor.Part) bool {
	kind := http.DetectContentType(p.Image)
	return (kind == "image/png" || kind == "image/jpeg") && adapters.Length(p.Text, adapters.UTF16) <= maxCaption
}

func first(pages []page) page {
	if len(pages) == 0 {
		return page{}
	}
	return pages[0]
}

// add puts an empty line between blocks.
func add(runs []run, block ...run) []run {
	if len(runs) > 0 && len(block) > 0 {
		runs = append(runs, run{"", "\n\n"})
	}
	return append(runs, block...)
}

// block draws one part.
func block(p advisor.Part) []run {
	switch p.Kind {
	case "heading", "question":
		return styled("b", p.Text)
	case "note":
		return styled("i", p.Text)
	case "code":
		return styled("pre", p.Text)
	case "fields":
		return fields(p)
	}
	if len(p.Rows) > 0 { // a table, or a chart that nobody has drawn
		return table(p)
	}
	return text(p)
}

func text(p advisor.Part) []run { return styled("", p.Text) }

func styled(style, s string) []run {
	if s = strings.Trim(tame(s), "\n"); strings.TrimSpace(s) == "" {
		return nil
	}
	return []run{{style, s}}
}

// fields draws names with their values, a line each.
func fields(p advisor.Part) (runs []run) {
	for _, f := range p.Pairs {
		runs = line(runs, run{"b", oneLine(f.Name) + colon(f.Name)}, run{"", " " + strings.Trim(tame(f.Value), "\n ")})
	}
	return titled(p, runs)
}

// colon is the one that the script of the name takes.
func colon(name string) string {
	for _, r := range name {
		if unicode.Is(unicode.Han, r) {
			return "："
		}
	}
	return ":"
}

// line puts more on a line of its own.
func line(runs []run, more ...run) []run {
	if len(runs) > 0 && len(more) > 0 {
		runs = append(runs, run{"", "\n"})
	}
	return append(runs, more...)
}

// titled puts the text of a part above its lines.
func titled(p advisor.Part, runs []run) []run {
	return line(text(p), runs...)
}

// phone is how many columns of preformatted text a phone shows in a line.
const phone = 34

// table draws rows under each other, the columns aligned; if that is too wide
// for a phone, each row as a list: what it is, then "column: value".
func table(p advisor.Part) []run {
	rows := make([][]string, len(p.Rows))
	var widths []int
	for i, row := range p.Rows {
		for j, cell := range row {
			cell = oneLine(cell)
			rows[i] = append(rows[i], cell)
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], width(cell))
		}
	}
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	if total <= phone {
		return titled(p, styled("pre", aligned(rows, widths)))
	}
	return titled(p, listed(rows))
}

func aligned(rows [][]string, widths []int) string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			b.WriteString(cell + strings.Repeat(" ", widths[j]-width(cell)+2))
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return strings.Join(lines, "\n")
}

func listed(rows [][]string) (runs []run) {
	for i, row := range rows {
		if i == 0 || len(row) == 0 {
			continue
		}
		runs = line(runs, run{"b", row[0]})
		for j, cell := range row[1:] {
			head := ""
			if j+1 < len(rows[0]) && rows[0][j+1] != "" {
				head = rows[0][j+1] + colon(rows[0][j+1]) + " "
			}
			if cell != "" {
				runs = line(runs, run{"", "· " + head + cell})
			}
		}
	}
	if len(rows) > 0 && len(rows[0]) > 0 && rows[0][0] != "" { // what the bold names are
		return line([]run{{"i", rows[0][0]}}, runs...)
	}
	return runs
}

// numbered lists choices that are no buttons, by the numbers that pick them
// when typed.
func numbered(all, left []advisor.Choice) string {
	var lines []string
	for i, c := range all {
		for _, l := range left {
			if l == c {
				lines = append(lines, strconv.Itoa(i+1)+". "+oneLine(c.Label))
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}

// pagesOf cuts runs into messages of at most limit and marks them up.
func pagesOf(runs []run, limit int) (pages []page) {
	var all strings.Builder
	for _, r := range runs {
		all.WriteString(r.text)
	}
	for _, piece := range adapters.Split(all.String(), limit, adapters.UTF16) {
		var mine []run
		mine, runs = takeRuns(runs, len(piece))
		plain := strings.Trim(piece, "\n") // which Telegram would cut off
		if strings.TrimSpace(plain) != "" {
			_, mine = takeRuns(mine, strings.Index(piece, plain))
			mine, _ = takeRuns(mine, len(plain))
			pages = append(pages, page{markUp(mine), plain})
		}
	}
	return pages
}

// takeRuns splits runs after n bytes.
func takeRuns(runs []run, n int) (taken, rest []run) {
	for len(runs) > 0 && n > 0 {
		r := runs[0]
		if len(r.text) > n {
			return append(taken, run{r.style, r.text[:n]}), append([]run{{r.style, r.text[n:]}}, runs[1:]...)
		}
		taken, runs, n = append(taken, r), runs[1:], n-len(r.text)
	}
	return taken, runs
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// markUp writes runs as HTML. Telegram drops tags around nothing but spaces.
func markUp(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		s := escape.Replace(r.text)
		if r.style != "" && strings.TrimSpace(s) != "" {
			s = "<" + r.style + ">" + s + "</" + r.style + ">"
		}
		b.WriteString(s)
	}
	return b.String()
}
