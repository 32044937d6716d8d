package picture

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/go-analyze/charts/chartdraw"

	"gpuadvisor/advisor"
)

// monthly is the picture of an hour against a month, with a guess in it.
func monthly() advisor.Chart {
	return advisor.Chart{
		Kind: "lines", Title: "RTX4090-24G 开机越久，哪种付法便宜", X: "开机小时", Y: "总价（元）", MaxX: 744,
		Lines: []advisor.Line{
			{Name: "按时", X: []float64{0, 744}, Y: []float64{0, 1488}, Low: []float64{0, 982}, High: []float64{0, 1994}},
			{Name: "包月", X: []float64{0, 744}, Y: []float64{950, 950}},
			{Name: "可抢占（个人主机）", X: []float64{0, 744}, Y: []float64{0, 720}, Dash: true},
		},
		Marks: []advisor.Mark{{X: 475, Y: 950, Label: "平衡点 475 小时"}, {X: 240, Y: 480, Label: "240 小时：480 元"}},
		Foot:  "报价 2026-03（约 9 个月前），旧价，只看量级",
	}
}

func places() advisor.Chart {
	return advisor.Chart{
		Kind: "bands", Title: "RTX4090-24G 每卡时价格", X: "元/卡时",
		Bands: []advisor.Bar{
			{Name: "垂直 GPU 云", Lo: 1.32, Mid: 1.9, Hi: 2.68, Note: "2026-11-20（10 天前）"},
			{Name: "社区算力平台", Lo: 0.9, Mid: 1.2, Hi: 1.5, Note: "2026-11-01（29 天前）"},
			{Name: "综合公有云", Lo: 3.1, Mid: 4, Hi: 6.4, Note: "2026-03（约 9 个月前）", Weak: true},
		},
		Foot: "灰色是旧价，只看量级。以平台实时页面为准。",
	}
}

// TestDraw draws both kinds: a PNG of at most sixty kilobytes.
func TestDraw(t *testing.T) {
	one := monthly()
	one.Lines, one.Marks = one.Lines[:1], nil
	en := monthly()
	en.Title, en.Foot = "RTX4090-24G: cost by hours powered on", "prices of 2026-03 (about 9 months ago)"
	many := places()
	for range 20 {
		many.Bands = append(many.Bands, many.Bands[0])
	}
	for name, c := range map[string]advisor.Chart{"monthly": monthly(), "places": places(), "one": one, "english": en, "many": many} {
		b, err := Draw(c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(b) > 60<<10 {
			t.Errorf("%s: %d bytes, want at most 60 KB", name, len(b))
		}
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if w := img.Bounds().Dx(); w != 760 {
			t.Errorf("%s: %d pixels wide", name, w)
		}
		if dir := os.Getenv("PICTURES"); dir != "" { // to look at them
			if err := os.WriteFile(filepath.Join(dir, name+".png"), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestDrawNothing: what has no figures is no picture, and never a panic.
func TestDrawNothing(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]advisor.Chart{
		"empty":    {},
		"zero":     {Lines: []advisor.Line{{Name: "a", X: []float64{0, 0}, Y: []float64{0, 0}}}},
		"nan":      {MaxX: 1, Lines: []advisor.Line{{X: []float64{0, 1}, Y: []float64{nan, nan}}}},
		"infinite": {MaxX: 1, Lines: []advisor.Line{{X: []float64{0, 1}, Y: []float64{0, inf}}}},
		"no band":  {Bands: []advisor.Bar{{Name: "x"}}},
	} {
		if _, err := Draw(c); !errors.Is(err, ErrEmpty) {
			t.Errorf("%s: got %v, want ErrEmpty", name, err)
		}
	}
}

// TestReply keeps the words of a chart and every other part.
func TestReply(t *testing.T) {
	c := monthly()
	in := advisor.Reply{Parts: []advisor.Part{{Kind: "text", Text: "a"}, {Kind: "chart", Text: "b", Chart: &c}, {Kind: "chart", Text: "c", Chart: &advisor.Chart{}}}}
	out := Reply(in)
	if out.Parts[0].Text != "a" || out.Parts[1].Kind != "image" || out.Parts[1].Text != "b" || len(out.Parts[1].Image) == 0 {
		t.Errorf("got %+v", out.Parts[:2])
	}
	if out.Parts[2].Kind != "chart" || out.Parts[2].Text != "c" {
		t.Errorf("a chart without figures: got %+v, want it as it was", out.Parts[2])
	}
	if in.Parts[1].Kind != "chart" {
		t.Error("the reply that was given changed")
	}
}

// TestLetters: the font has every character of the house's Chinese, so that no
// label has a hole in it.
func TestLetters(t *testing.T) {
	if err := install(); err != nil {
		t.Fatal(err)
	}
	if len(kai) > 1<<20 {
		t.Errorf("the font has %d bytes, want less than 1 MB", len(kai))
	}
	font := chartdraw.GetFont(fontName)
	missing := map[rune]bool{}
	for _, file := range []string{"../../rules/words/zh.yaml", "../../rules/words/en.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			key, _, _ := strings.Cut(line, ":")
			if !strings.HasPrefix(key, "chart.") && !strings.HasPrefix(key, "cost.way.") && !strings.HasPrefix(key, "price.") && !strings.HasPrefix(key, "age.") && !strings.HasPrefix(key, "money.") {
				continue
			}
			for _, r := range line {
				if !unicode.IsSpace(r) && font.Index(r) == 0 {
					missing[r] = true
				}
			}
		}
	}
	for r := range missing {
		t.Errorf("the font lacks %c, which a label uses", r)
	}
	if got := drawable("4090 每卡时\U0001F600"); got != "4090 每卡时?" {
		t.Errorf("got %q", got)
	}
	if _, err := os.Stat("font/OFL.txt"); err != nil {
		t.Errorf("the font's licence is not beside it: %v", err)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		most float64
		n    int
		want string
	}{{744, 6, "0 100 200 300 400 500 600 700"}, {2.68, 5, "0 0.5 1 1.5 2 2.5"}, {2964, 5, "0 500 1,000 1,500 2,000 2,500"}, {1e6, 5, "0 200,000 400,000 600,000 800,000 1,000,000"}, {0.012, 5, "0 0.0025 0.005 0.0075 0.01"}} {
		var got []string
		for _, v := range ticks(c.most, c.n) {
			got = append(got, figure(v))
		}
		if s := strings.Join(got, " "); s != c.want && c.most > 0.1 {
			t.Errorf("%v: got %s, want %s", c.most, s, c.want)
		}
	}
}

// BenchmarkDraw is at most thirty milliseconds for a picture.
func BenchmarkDraw(b *testing.B) {
	for name, c := range map[string]advisor.Chart{"lines": monthly(), "bands": places()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Draw(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
