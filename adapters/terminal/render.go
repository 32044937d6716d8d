package terminal

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"gpuadvisor/advisor"
)

// Look is how replies are drawn.
type Look struct {
	Width  int  // break lines here, columns; 0 leaves them whole
	Colour bool // bold headings and dim notes
}

// Render draws a reply as plain text without a final newline. Every part and
// every choice is there, whatever the look: a reply loses nothing in a
// terminal. Characters that could steer the terminal are removed.
func Render(r advisor.Reply, look Look) string {
	var blocks []string
	for i, p := range r.Parts {
		block := look.part(p)
		if block == "" {
			continue
		}
		if p.Kind == "heading" && i > 0 {
			block = "\n" + block
		}
		blocks = append(blocks, block)
	}
	if len(r.Choices) > 0 {
		blocks = append(blocks, look.choices(r.Choices))
	}
	return strings.Join(blocks, "\n")
}

func (l Look) part(p advisor.Part) string {
	switch p.Kind {
	case "heading":
		return l.style(bold, l.wrap(tame(p.Text), ""))
	case "note":
		return l.style(dim, l.wrap(tame(p.Text), ""))
	case "code":
		return indent(tame(p.Text), "    ")
	case "table":
		return l.table(p)
	case "fields":
		return l.fields(p)
	case "chart":
		return l.chart(p)
	default:
		return l.wrap(tame(p.Text), "")
	}
}

// The two styles we use, as ECMA-48 SGR parameters.
const (
	bold = "1"
	dim  = "2"
)

func (l Look) style(sgr, text string) string {
	if !l.Colour || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

func (l Look) choices(choices []advisor.Choice) string {
	lines := make([]string, len(choices))
	for i, c := range choices {
		number := "  " + strconv.Itoa(i+1) + ". "
		lines[i] = number + l.wrap(tame(c.Label), strings.Repeat(" ", len(number)))
	}
	return strings.Join(lines, "\n")
}

// nameColumn is the widest that names of fields push their values to the right.
const nameColumn = 24 // columns

func (l Look) fields(p advisor.Part) string {
	column := 0
	for _, f := range p.Pairs {
		if w := Width(f.Name) + 2; w <= nameColumn {
			column = max(column, w)
		}
	}
	var lines []string
	if p.Text != "" {
		lines = append(lines, l.wrap(tame(p.Text), ""))
	}
	for _, f := range p.Pairs {
		name := tame(f.Name)
		pad := strings.Repeat(" ", max(1, column-Width(name)))
		lines = append(lines, name+pad+l.wrap(tame(f.Value), strings.Repeat(" ", column)))
	}
	return strings.Join(lines, "\n")
}

// table aligns columns by what characters measure on the screen. The first row
// is the head.
func (l Look) table(p advisor.Part) string {
	var widths []int
	for _, row := range p.Rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(oneLine(cell)))
		}
	}
	var lines []string
	if p.Text != "" {
		lines = append(lines, l.wrap(tame(p.Text), ""))
	}
	for i, row := range p.Rows {
		var b strings.Builder
		for j, cell := range row {
			cell = oneLine(cell)
			b.WriteString(cell)
			if j < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[j]-Width(cell)+2))
			}
		}
		line := strings.TrimRight(b.String(), " ")
		if i == 0 {
			line = l.style(bold, line)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// chartRows is how many rows a curve is shown in, its marks not counted.
const chartRows = 4

// chart shows curves as a table of what they are at round steps and at the
// marks, under the words. Bands have no more than their words: the table that
// they were drawn from stands above.
func (l Look) chart(p advisor.Part) string {
	words := l.wrap(tame(p.Text), "")
	if p.Chart == nil || len(p.Chart.Lines) < 2 {
		return words
	}
	c := p.Chart
	at := map[float64]bool{}
	for i := 1; i <= chartRows; i++ {
		at[math.Round(c.MaxX*float64(i)/chartRows)] = true
	}
	for _, m := range c.Marks {
		at[m.X] = true
	}
	rows := [][]string{{c.X}}
	for _, line := range c.Lines {
		rows[0] = append(rows[0], line.Name)
	}
	for _, x := range slices.Sorted(maps.Keys(at)) {
		row := []string{figure(x)}
		for _, line := range c.Lines {
			row = append(row, figure(line.At(x)))
		}
		rows = append(rows, row)
	}
	return words + "\n" + c.Y + "\n" + l.table(advisor.Part{Rows: rows})
}

// figure writes a number with no more digits than a curve deserves.
func figure(v float64) string {
	if math.Abs(v) < 100 {
		return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// Width is how many columns a text takes: two for a Chinese character or an
// emoji, none for a combining mark.
func Width(s string) int { return uniseg.StringWidth(s) }

func oneLine(s string) string { return strings.Join(strings.Fields(tame(s)), " ") }

// tame removes what could steer a terminal; only newline and tab stay.
func tame(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}

func indent(s, by string) string {
	return by + strings.ReplaceAll(s, "\n", "\n"+by)
}

// wrap breaks lines where the language allows it: between words, and between
// Chinese characters but never before their punctuation. Every line after the
// first starts with margin, and the first is taken to start after it too.
func (l Look) wrap(s, margin string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = l.wrapLine(line, margin)
	}
	return strings.Join(lines, "\n"+margin)
}

func (l Look) wrapLine(s, margin string) string {
	room := l.Width - Width(margin)
	if l.Width == 0 || room < 10 || Width(s) <= room {
		return s
	}
	var b strings.Builder
	used, state := 0, -1
	for s != "" {
		var segment string
		segment, s, _, state = uniseg.FirstLineSegmentInString(s, state)
		w := Width(strings.TrimRight(segment, " "))
		if used > 0 && used+w > room {
			b.WriteString("\n" + margin)
			used = 0
		}
		b.WriteString(segment)
		used += Width(segment)
	}
	return trimLines(b.String())
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
