package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/go-analyze/charts/chartdraw"
	"github.com/go-analyze/charts/chartdraw/drawing"
)

// canvas is a picture being drawn, in pixels from its upper left corner. It
// wraps the library's renderer, which keeps a pen: every method here leaves the
// pen as it found it.
type canvas struct {
	r             chartdraw.Renderer
	width, height int
}

func newCanvas(width, height int) *canvas {
	c := &canvas{chartdraw.PNG(width, height), width, height}
	c.area([]image.Point{{0, 0}, {width, 0}, {width, height}, {0, height}}, white)
	return c
}

// The colours: dark ink on white, four lines that differ in brightness too.
var (
	white = rgb(255, 255, 255)
	ink   = rgb(31, 41, 55)
	grey  = rgb(95, 103, 118)
	pale  = rgb(225, 228, 233)
	dull  = rgb(153, 153, 153)
	red   = rgb(190, 18, 60)
	lines = []drawing.Color{rgb(29, 78, 216), rgb(217, 119, 6), rgb(4, 120, 87), rgb(126, 34, 206)}
)

func rgb(r, g, b uint8) drawing.Color { return drawing.Color{R: r, G: g, B: b, A: 255} }

// Sizes of letters, in points.
const (
	sizeTitle = 19.0
	sizeText  = 15.0
	sizeSmall = 13.0
)

// style is how a text is written.
type style struct {
	size  float64
	color drawing.Color
}

// write writes a text with its baseline at y. Align is -1 for a text that
// begins at x, 0 for one in the middle, 1 for one that ends there.
func (c *canvas) write(s string, x, y, align int, st style) {
	w := c.measure(s, st)
	switch align {
	case 0:
		x -= w / 2
	case 1:
		x -= w
	}
	c.letters(st)
	c.r.Text(drawable(s), x, y)
	c.r.ResetStyle()
}

func (c *canvas) letters(st style) {
	c.r.SetFont(chartdraw.GetFont(fontName))
	c.r.SetFontSize(st.size)
	c.r.SetFontColor(st.color)
}

func (c *canvas) measure(s string, st style) int {
	c.letters(st)
	w := c.r.MeasureText(drawable(s)).Width()
	c.r.ResetStyle()
	return w
}

// fit returns the style in the size at which the text is no wider than room.
func (c *canvas) fit(s string, room int, st style) style {
	for st.size > 9 && c.measure(s, st) > room {
		st.size -= 0.5
	}
	return st
}

// drawable replaces what the font has no shape for.
func drawable(s string) string {
	font := chartdraw.GetFont(fontName)
	return strings.Map(func(r rune) rune {
		if font.Index(r) == 0 {
			return '?'
		}
		return r
	}, s)
}

// line draws from point to point; a dash is its on and off lengths.
func (c *canvas) line(points []image.Point, color drawing.Color, width float64, dash ...float64) {
	c.r.SetStrokeColor(color)
	c.r.SetStrokeWidth(width)
	c.r.SetStrokeDashArray(dash)
	c.path(points)
	c.r.Stroke()
	c.r.ResetStyle()
}

// area fills what the points enclose.
func (c *canvas) area(points []image.Point, color drawing.Color) {
	c.r.SetFillColor(color)
	c.path(points)
	c.r.Close()
	c.r.Fill()
	c.r.ResetStyle()
}

// frame is a filled rectangle with an edge.
func (c *canvas) frame(b box, fill, edge drawing.Color) {
	c.r.SetFillColor(fill)
	c.r.SetStrokeColor(edge)
	c.r.SetStrokeWidth(1)
	c.path([]image.Point{{b.x, b.y}, {b.x + b.w, b.y}, {b.x + b.w, b.y + b.h}, {b.x, b.y + b.h}})
	c.r.Close()
	c.r.FillStroke()
	c.r.ResetStyle()
}

// dot is a filled circle with a white rim.
func (c *canvas) dot(at image.Point, radius float64, color drawing.Color) {
	c.r.SetFillColor(color)
	c.r.SetStrokeColor(white)
	c.r.SetStrokeWidth(2)
	c.r.Circle(radius, at.X, at.Y)
	c.r.FillStroke()
	c.r.ResetStyle()
}

func (c *canvas) path(points []image.Point) {
	for i, p := range points {
		if i == 0 {
			c.r.MoveTo(p.X, p.Y)
			continue
		}
		c.r.LineTo(p.X, p.Y)
	}
}

// png is the finished picture. Letters and slanted lines have soft edges in
// hundreds of shades; sixteen of each colour look the same and take a fourth of
// the bytes.
func (c *canvas) png() ([]byte, error) {
	var w chartdraw.ImageWriter
	if err := c.r.Save(&w); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	img, err := w.Image()
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	if rgba, ok := img.(*image.RGBA); ok {
		img = fewer(rgba)
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return b.Bytes(), nil
}

// fewer is the picture with at most 256 colours: every shade is rounded to the
// nearest of sixteen for each of red, green and blue, and what is beyond the
// 256th takes the nearest of those.
func fewer(in *image.RGBA) *image.Paletted {
	out := image.NewPaletted(in.Bounds(), nil)
	var index [1 << 12]int16 // palette index + 1, by the rounded shade
	n := 0
	for y := range in.Bounds().Dy() {
		row := in.Pix[y*in.Stride:]
		for x := range in.Bounds().Dx() {
			p := row[4*x : 4*x+3]
			key := sixteenth(p[0])<<8 | sixteenth(p[1])<<4 | sixteenth(p[2])
			if index[key] == 0 {
				shade := color.RGBA{uint8(key>>8) * 17, uint8(key>>4&15) * 17, uint8(key&15) * 17, 255}
				if n < 256 {
					out.Palette = append(out.Palette, shade)
					n++
					index[key] = int16(n)
				} else {
					index[key] = int16(out.Palette.Index(shade)) + 1
				}
			}
			out.Pix[y*out.Stride+x] = uint8(index[key] - 1)
		}
	}
	return out
}

func sixteenth(v uint8) int { return (int(v)*15 + 127) / 255 }
