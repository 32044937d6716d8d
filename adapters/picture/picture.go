// Package picture draws the charts that replies carry, as PNG: what something
// costs over the hours that it is on, and what a card costs at which kind of
// place. It draws what it is given and computes nothing; every figure in a
// picture also stands in the text of the same reply.
//
// A picture is read on a phone: few lines, large letters, no more than sixty
// kilobytes. Colours are told apart by brightness too, a guess is dashed, and a
// price that is too old to decide is grey.
//
// The letters come from a font of our own, a subset of an open Chinese font
// (font/OFL.txt): the drawing library brings Latin letters only, and machines
// that run bots rarely have fonts at all. What the subset lacks is drawn as a
// question mark; a test draws every label of the rules.
package picture

import (
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"github.com/go-analyze/charts/chartdraw"

	"gpuadvisor/advisor"
)

//go:embed font/AdvisorChartsKai.ttf
var kai []byte

const fontName = "advisor-charts-kai"

// install teaches the library our font, once.
var install = sync.OnceValue(func() error { return chartdraw.InstallFont(fontName, kai) })

// ErrEmpty is the error of a chart without a single figure.
var ErrEmpty = errors.New("chart without figures")

// Draw draws a chart as PNG. The error is ErrEmpty, or that of the library.
func Draw(c advisor.Chart) ([]byte, error) {
	if err := install(); err != nil {
		return nil, fmt.Errorf("install font: %w", err)
	}
	switch {
	case len(c.Lines) > 0:
		return drawLines(c)
	case len(c.Bands) > 0:
		return drawBands(c)
	}
	return nil, ErrEmpty
}

// Reply turns the charts of a reply into images; their words stay. A chart that
// cannot be drawn stays as it is, and is shown as text.
func Reply(r advisor.Reply) advisor.Reply {
	parts := make([]advisor.Part, len(r.Parts))
	for i, p := range r.Parts {
		parts[i] = p
		if p.Kind != "chart" || p.Chart == nil {
			continue
		}
		if png, err := Draw(*p.Chart); err == nil {
			parts[i] = advisor.Part{Kind: "image", Text: p.Plain(), Image: png}
		}
	}
	r.Parts = parts
	return r
}
