package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuadvisor/advisor"
)

// specimen has one of everything that Decode can fill.
type specimen struct {
	ID    string `yaml:"id" rule:"id"`
	Class string `yaml:"class,omitempty" rule:"enum=consumer|datacenter"`
	inner `yaml:",inline"`
	Day   string              `yaml:"day,omitempty" rule:"date"`
	Names []string            `yaml:"names,omitempty"`
	Cards int                 `yaml:"cards,omitempty" rule:"min=1,max=8"`
	Fast  bool                `yaml:"fast,omitempty"`
	Title advisor.Text        `yaml:"title,omitempty"`
	Parts map[string]float64  `yaml:"parts_b,omitempty"`
	When  map[string][]string `yaml:"when,omitempty"`
	Rows  []row               `yaml:"rows,omitempty"`
	More  *row                `yaml:"more,omitempty"`
	Wait  time.Duration       `yaml:"wait,omitempty"`
	Money money               `yaml:"money,omitempty"`
	Tree  *specimen           `yaml:"tree,omitempty"`
	Skip  string              `yaml:"-"`
}

type inner struct {
	VRAMGB float64 `yaml:"vram_gb,omitempty" rule:"min=0"`
}

type row struct {
	Then string `yaml:"then"`
	Note string `yaml:"note" rule:"empty"`
}

type money string

func (m *money) UnmarshalText(b []byte) error {
	if !strings.HasSuffix(string(b), " CNY") {
		return fmt.Errorf("an amount such as 1.5 CNY")
	}
	*m = money(b)
	return nil
}

func TestDecodeFillsEveryKind(t *testing.T) {
	var got specimen
	problems := Decode("a.yaml", []byte(`
id: rtx-4090
class: consumer
vram_gb: 24
day: 2026-11-30
names: [4090, RTX 4090, 四零九零, "5e3"]
cards: 8
fast: true
title: {zh: 卡, en: card}
parts_b: {dit: 1.5, vae: 0.08}
when: {task: finetune, duration: [hours, days], resume: yes}
rows:
  - {then: x, note: ""}
more: {then: y, note: z}
wait: 90s
money: 1.5 CNY
tree: {id: leaf}
`), &got)
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	want := "{rtx-4090 consumer {24} 2026-11-30 [4090 RTX 4090 四零九零 5e3] 8 true map[en:card zh:卡] map[dit:1.5 vae:0.08] " +
		"map[duration:[hours days] resume:[yes] task:[finetune]] [{x }]"
	if s := fmt.Sprintf("%v", got); !strings.HasPrefix(s, want) {
		t.Errorf("got  %s\nwant %s …", s, want)
	}
	if got.More.Then != "y" || got.Wait != 90*time.Second || got.Money != "1.5 CNY" || got.Tree.ID != "leaf" {
		t.Errorf("pointer, duration or UnmarshalText: %+v %v %v %+v", got.More, got.Wait, got.Money, got.Tree)
	}
}

// Every mistake gets the complaint it deserves.
func TestDecodeComplains(t *testing.T) {
	for _, c := range []struct{ yaml, want string }{
		{"", "a.yaml: found an empty file, want keys and values"},
		{"# nothing", "a.yaml: found an empty file, want keys and values"},
		{"class: consumer", "a.yaml:1: id: found nothing, want this key: a name of lower-case letters, digits, hyphens and dots"},
		{"id:", "a.yaml:1: id: found nothing, want a text"},
		{"id: ''", "a.yaml:1: id: found an empty text, want some text"},
		{"id: RTX 4090", `a.yaml:1: id: found "RTX 4090", want a name of lower-case letters, digits, hyphens and dots`},
		{"id: a\nvram_bg: 24", `a.yaml:2: vram_bg: found unknown key "vram_bg", want a known word; did you mean "vram_gb"?`},
		{"id: a\nid: b", "a.yaml:2: id: found the key a second time, want it once; the first is in line 1"},
		{"id: a\nclass: consumr", `a.yaml:2: class: found "consumr", want a known word; did you mean "consumer"?`},
		{"id: a\nclass: gpu", `a.yaml:2: class: found "gpu", want one of consumer, datacenter`},
		{"id: a\nday: 2026-13-01", `a.yaml:2: day: found "2026-13-01", want a day as 2026-11-30`},
		{"id: a\nvram_gb: 24 GB", `a.yaml:2: vram_gb: found "24 GB", want a number such as 24 or 1.5; the unit belongs to the key`},
		{"id: a\nvram_gb: .inf", `a.yaml:2: vram_gb: found number .inf, want a number such as 24 or 1.5; the unit belongs to the key`},
		{"id: a\nvram_gb: -1", "a.yaml:2: vram_gb: found -1, want at least 0"},
		{"id: a\ncards: 9", "a.yaml:2: cards: found 9, want at most 8"},
		{"id: a\ncards: 1.5", "a.yaml:2: cards: found number 1.5, want a whole number such as 24"},
		{"id: a\nfast: yes", `a.yaml:2: fast: found "yes", want true or false`},
		{"id: a\nnames: {a: b}", "a.yaml:2: names: found keys and values, want a list"},
		{"id: a\nnames: [x, [y]]", "a.yaml:2: names[1]: found a list, want a text"},
		{"id: a\ntitle: hello", `a.yaml:2: title: found "hello", want this text in zh and en`},
		{"id: a\ntitle: {zh: 卡}", "a.yaml:2: title.en: found nothing, want this text in en as well"},
		{"id: a\ntitle: {zh: 卡, en: ''}", "a.yaml:2: title.en: found an empty text, want some text"},
		{"id: a\ntitle: {zh: 卡, en: card, fr: carte}", `a.yaml:2: title.fr: found unknown language "fr", want one of zh, en`},
		{"id: a\nrows: [{note: x}]", "a.yaml:2: rows[0].then: found nothing, want this key: a text"},
		{"id: a\nwait: 90", "a.yaml:2: wait: found number 90, want a duration such as 90s or 2h30m"},
		{"id: a\nmoney: 1.5", `a.yaml:2: money: found "1.5", want an amount such as 1.5 CNY`},
		{"id: a\nmore: &x {then: a, note: b}", "a.yaml:2: more: found anchor &x, want no anchors: write values out where they are used"},
		{"id: a\nclass: !x consumer", "a.yaml:2: class: found tag !x, want a plain value without !tag"},
		{"id: a\n---\nid: b", "a.yaml:2: found a second document, want one document in a file, without ---"},
		{"id: [a", "a.yaml:1: found did not find expected ',' or ']', want valid YAML"},
		{"id: a\n? [x]\n: y", "a.yaml:2: found a list as a key, want a plain name"},
	} {
		problems := Decode("a.yaml", []byte(c.yaml), new(specimen))
		got := make([]string, len(problems))
		for i, p := range problems {
			got[i] = p.String()
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%q\ngot  %s\nwant %s", c.yaml, s, c.want)
		}
	}
}

func TestDecodeReportsEverythingAtOnce(t *testing.T) {
	problems := Decode("a.yaml", []byte("vram_bg: 24\nclass: gpu\nfast: 1\ntitle: {zh: 卡}\nclass: consumer\n"), new(specimen))
	if len(problems) != 6 {
		t.Errorf("got %d problems, want 6: %v", len(problems), problems)
	}
	for i := 1; i < len(problems); i++ {
		if problems[i].Line < problems[i-1].Line {
			t.Errorf("problem %d is out of order: %v", i, problems)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"vram_gb", "tdp_w", "names", "qwen2.5-7b"}
	for found, want := range map[string]string{
		"vram_bg": "vram_gb", "vram": "", "name": "names", "Names": "names", "qwen2.5-7": "qwen2.5-7b", "zzz": "", "": "",
	} {
		if got := nearest(found, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", found, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"id: a", "id: [a", "a: &a [*a]", "---\n---", "id: a\ntitle: {zh: 卡}", "? [x]\n: y", "<<: {id: a}", "tree: {tree: {tree: {id: 0x1f}}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got specimen
		problems := Decode("a.yaml", data, &got)
		for _, p := range problems {
			if p.Found == "" || p.Want == "" || p.File != "a.yaml" {
				t.Errorf("a problem that says nothing: %+v", p)
			}
		}
		if len(problems) == 0 && got.ID == "" {
			t.Error("no id and no problem")
		}
	})
}
