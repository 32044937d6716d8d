package picture

import (
	"image"
	"math"

	"gpuadvisor/advisor"
)

// The picture of price bands: a bar from the lowest to the highest price for
// each kind of place, the likely one marked, the date beneath the name.

const (
	bandsWidth = 760
	bandRow    = 62
	// maxBands is how many bars a phone shows at a readable size; the text has
	// the rest.
	maxBands = 12
)

func drawBands(chart advisor.Chart) ([]byte, error) {
	bars := chart.Bands[:min(len(chart.Bands), maxBands)]
	most := 0.0
	for _, b := range bars {
		most = max(most, b.Hi)
	}
	if most <= 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return nil, ErrEmpty
	}
	height := 150 + bandRow*len(bars)
	c := newCanvas(bandsWidth, height)
	c.write(chart.Title, 24, 42, -1, c.fit(chart.Title, bandsWidth-48, style{sizeTitle, ink}))
	p := plot{left: 24 + c.nameColumn(bars), top: 66, right: bandsWidth - 112, bottom: height - 76, maxX: 1.02 * most, maxY: 1}
	for _, x := range ticks(p.maxX, 5) {
		at := p.at(x, 0)
		c.line([]image.Point{{X: at.X, Y: p.top}, at}, pale, 1)
		c.write(figure(x), at.X, p.bottom+26, 0, style{sizeText, grey})
	}
	c.write(chart.X, p.right, p.bottom+50, 1, style{sizeText, grey})
	for i, b := range bars {
		c.band(b, p, p.top+i*bandRow)
	}
	if chart.Foot != "" {
		c.write(chart.Foot, 24, height-14, -1, c.fit(chart.Foot, bandsWidth-48, style{sizeSmall, grey}))
	}
	return c.png()
}

// nameColumn is as wide as the names need, up to a third of the picture.
func (c *canvas) nameColumn(bars []advisor.Bar) int {
	most := 0
	for _, b := range bars {
		most = max(most, c.measure(b.Name, style{sizeText, ink}), c.measure(b.Note, style{sizeSmall, grey}))
	}
	return min(most+16, bandsWidth*2/5)
}

func (c *canvas) band(b advisor.Bar, p plot, y int) {
	color := lines[0]
	if b.Weak {
		color = dull
	}
	room := p.left - 24 - 10
	c.write(b.Name, 24, y+26, -1, c.fit(b.Name, room, style{sizeText, ink}))
	c.write(b.Note, 24, y+47, -1, c.fit(b.Note, room, style{sizeSmall, grey}))
	from, to := p.at(b.Lo, 0).X, p.at(b.Hi, 0).X
	if to-from < 6 {
		from, to = from-3, from+3
	}
	c.frame(box{from, y + 16, to - from, 24}, color.WithAlpha(120), color)
	mid := p.at(b.Mid, 0).X
	c.line([]image.Point{{X: mid, Y: y + 11}, {X: mid, Y: y + 45}}, color, 4)
	label := figure(b.Lo)
	if b.Hi != b.Lo {
		label += "–" + figure(b.Hi)
	}
	c.write(label, to+10, y+34, -1, c.fit(label, c.width-to-14, style{sizeText, ink}))
}
