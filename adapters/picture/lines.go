package picture

import (
	"image"
	"math"

	"github.com/go-analyze/charts/chartdraw/drawing"

	"gpuadvisor/advisor"
)

// The picture of curves: title, legend, a grid with few lines, the curves with
// their uncertainty behind them, and marks with a label each.

const (
	linesWidth  = 760
	linesHeight = 570
)

// plot maps figures to pixels.
type plot struct {
	left, top, right, bottom int
	maxX, maxY               float64
}

func (p plot) at(x, y float64) image.Point {
	return image.Point{
		X: p.left + int(math.Round(x/p.maxX*float64(p.right-p.left))),
		Y: p.bottom - int(math.Round(y/p.maxY*float64(p.bottom-p.top))),
	}
}

func drawLines(chart advisor.Chart) ([]byte, error) {
	c := newCanvas(linesWidth, linesHeight)
	p := plot{left: 92, top: 122, right: linesWidth - 26, bottom: linesHeight - 92, maxX: chart.MaxX, maxY: 1.04 * highest(chart)}
	if p.maxX <= 0 {
		p.maxX = farthest(chart)
	}
	if p.maxX <= 0 || p.maxY <= 0 || math.IsInf(p.maxY, 0) || math.IsNaN(p.maxY) {
		return nil, ErrEmpty
	}
	c.write(chart.Title, 24, 42, -1, c.fit(chart.Title, linesWidth-48, style{sizeTitle, ink}))
	c.legend(chart, 24, 84)
	c.axes(chart, p)
	for i, l := range chart.Lines {
		c.haze(l, p, colorOf(i))
	}
	for i, l := range chart.Lines {
		c.curve(l, p, colorOf(i))
	}
	c.marks(chart.Marks, p)
	if chart.Foot != "" {
		c.write(chart.Foot, linesWidth-26, linesHeight-16, 1, c.fit(chart.Foot, linesWidth-60, style{sizeSmall, grey}))
	}
	return c.png()
}

func colorOf(i int) drawing.Color { return lines[i%len(lines)] }

// highest is the largest figure drawn.
func highest(chart advisor.Chart) float64 {
	most := 0.0
	for _, l := range chart.Lines {
		for _, ys := range [][]float64{l.Y, l.High} {
			for _, y := range ys {
				most = max(most, y)
			}
		}
	}
	for _, m := range chart.Marks {
		most = max(most, m.Y)
	}
	return most
}

func farthest(chart advisor.Chart) float64 {
	most := 0.0
	for _, l := range chart.Lines {
		for _, x := range l.X {
			most = max(most, x)
		}
	}
	return most
}

// legend names the curves in one row, in smaller letters when they are many.
func (c *canvas) legend(chart advisor.Chart, x, y int) {
	size := sizeText
	width := func() int {
		w := 0
		for _, l := range chart.Lines {
			w += 34 + 22 + c.measure(l.Name, style{size, ink})
		}
		return w
	}
	for size > 10 && width() > c.width-2*x {
		size -= 0.5
	}
	for i, l := range chart.Lines {
		c.stroke([]image.Point{{X: x, Y: y - 6}, {X: x + 26, Y: y - 6}}, l.Dash, colorOf(i))
		c.write(l.Name, x+34, y, -1, style{size, ink})
		x += 34 + 22 + c.measure(l.Name, style{size, ink})
	}
}

func (c *canvas) stroke(points []image.Point, dash bool, color drawing.Color) {
	if dash {
		c.line(points, color, 3, 9, 6)
		return
	}
	c.line(points, color, 3.5)
}

// axes draws the grid and its figures.
func (c *canvas) axes(chart advisor.Chart, p plot) {
	st := style{sizeText, grey}
	for _, y := range ticks(p.maxY, 5) {
		at := p.at(0, y)
		c.line([]image.Point{at, {X: p.right, Y: at.Y}}, pale, 1)
		c.write(figure(y), p.left-10, at.Y+6, 1, st)
	}
	for _, x := range ticks(p.maxX, 6) {
		at := p.at(x, 0)
		c.line([]image.Point{at, {X: at.X, Y: at.Y + 6}}, grey, 1)
		c.write(figure(x), at.X, p.bottom+28, 0, st)
	}
	c.line([]image.Point{{X: p.left, Y: p.bottom}, {X: p.right, Y: p.bottom}}, grey, 1.5)
	c.write(chart.X, p.right, p.bottom+52, 1, st)
	c.write(chart.Y, 24, p.top-8, -1, style{sizeSmall, grey})
}

// haze is the uncertainty of a curve.
func (c *canvas) haze(l advisor.Line, p plot, color drawing.Color) {
	if len(l.Low) != len(l.X) || len(l.High) != len(l.X) || len(l.X) < 2 {
		return
	}
	var around []image.Point
	for i, x := range l.X {
		around = append(around, p.at(x, l.High[i]))
	}
	for i := len(l.X) - 1; i >= 0; i-- {
		around = append(around, p.at(l.X[i], l.Low[i]))
	}
	c.area(around, color.WithAlpha(36))
}

func (c *canvas) curve(l advisor.Line, p plot, color drawing.Color) {
	points := make([]image.Point, 0, len(l.X))
	for i, x := range l.X {
		if i < len(l.Y) {
			points = append(points, p.at(x, l.Y[i]))
		}
	}
	if len(points) > 1 {
		c.stroke(points, l.Dash, color)
	}
}

// marks draws points with their labels. A label stands where there is room:
// right of its point or left of it, and no two over each other.
func (c *canvas) marks(marks []advisor.Mark, p plot) {
	var taken []box
	for _, m := range marks {
		at := p.at(min(m.X, p.maxX), m.Y)
		c.line([]image.Point{at, {X: at.X, Y: p.bottom}}, grey, 1.5, 4, 4)
		c.dot(at, 7, red)
		st := c.fit(m.Label, (p.right-p.left)*3/4, style{sizeText, ink})
		label := c.place(at, c.measure(m.Label, st)+14, p, taken)
		taken = append(taken, label)
		c.frame(label, white.WithAlpha(235), pale)
		c.write(m.Label, label.x+7, label.y+label.h-8, -1, st)
	}
}

// box is a rectangle of the picture.
type box struct{ x, y, w, h int }

func (b box) over(o box) bool {
	return b.x < o.x+o.w && o.x < b.x+b.w && b.y < o.y+o.h && o.y < b.y+b.h
}

// place finds room for a label beside its point.
func (c *canvas) place(at image.Point, width int, p plot, taken []box) box {
	const height = 28
	left, right := max(p.left, at.X-width-14), min(at.X+14, p.right-width)
	var last box
	for _, dy := range []int{-height - 12, 14, -2*height - 20, height + 22, -3*height - 28, 2*height + 30} {
		for _, x := range []int{left, right} {
			if at.X < (p.left+p.right)/3 {
				x = left + right - x // the right side first
			}
			b := box{x, min(max(p.top-20, at.Y+dy), p.bottom-height-4), width, height}
			last = b
			free := b.x > at.X || b.x+b.w < at.X
			for _, t := range taken {
				free = free && !b.over(t)
			}
			if free {
				return b
			}
		}
	}
	return last
}
