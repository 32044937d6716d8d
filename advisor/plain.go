package advisor

import (
	"strings"
)

// Plain writes a reply as plain text: the form that every chat can show, and
// that transcripts and JSON carry. Fields become "name: value" lines, choices a
// numbered list.
func (r Reply) Plain() string {
	var blocks []string
	for _, p := range r.Parts {
		if s := p.Plain(); s != "" {
			blocks = append(blocks, s)
		}
	}
	var options []string
	for i, c := range r.Choices {
		options = append(options, enumerated(i+1, c.Label))
	}
	if len(options) > 0 {
		blocks = append(blocks, strings.Join(options, "\n"))
	}
	return strings.Join(blocks, "\n")
}

// Plain writes one part as plain text.
func (p Part) Plain() string {
	switch p.Kind {
	case "fields":
		lines := make([]string, len(p.Pairs))
		for i, f := range p.Pairs {
			lines[i] = field(f)
		}
		return strings.Join(lines, "\n")
	case "table":
		return plainTable(p.Rows)
	}
	return p.Text
}

// field writes "name: value"; a value of several lines or bullets is indented
// under its name.
func field(f Pair) string {
	mark := ": "
	if isHan(f.Name) {
		mark = "："
	}
	value := strings.ReplaceAll(f.Value, "\n", "\n  ")
	if strings.HasPrefix(f.Value, "•") {
		return strings.TrimRight(f.Name+mark, " ") + "\n  " + value
	}
	return f.Name + mark + value
}

// plainTable aligns columns; a Chinese character is two columns wide.
func plainTable(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(cell))
		}
	}
	var lines []string
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-columns(cell)+2))
			}
		}
		lines = append(lines, line.String())
	}
	return strings.Join(lines, "\n")
}

// columns is how many terminal columns a text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		if n++; wide(r) {
			n++
		}
	}
	return n
}

// wide reports whether a character takes two columns: Chinese and its marks.
func wide(r rune) bool {
	return r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff)
}
