package adapters_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// odd is a type with everything that a stored type may have in it.
type odd struct {
	Text   string
	Words  []string              `json:"words,omitempty"`
	N      int                   `json:"n,omitempty"`
	Byte   int8                  `json:"byte,omitempty"`
	F      float64               `json:"f"`
	Yes    bool                  `json:"yes,omitempty"`
	At     time.Time             `json:"at,omitzero"`
	Hours  advisor.Range         `json:"hours,omitzero"`
	Cards  advisor.Count         `json:"cards"`
	Next   *odd                  `json:"next,omitempty"`
	Inside struct{ A, B int }    `json:"inside,omitzero"`
	List   []struct{ X float64 } `json:"list"`
	Names  map[string]int        `json:"names,omitempty"`
	Image  []byte                `json:"image,omitempty"`
	Any    any                   `json:"any,omitempty"`
	None   int                   `json:"-"`
}

// text draws strings that JSON writes in all kinds of ways.
func text(t *rapid.T, label string) string {
	return rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z<>&"\\\n]{0,9}`), rapid.SampledFrom([]string{
		"", "显存不够", "a\u2028b", "\xff", "\x7f", "null", "é", "{}[],:", "\u0000",
	})).Draw(t, label)
}

func drawOdd(t *rapid.T, deep bool) odd {
	o := odd{
		Text: text(t, "text"), N: rapid.Int().Draw(t, "n"), Byte: rapid.Int8().Draw(t, "byte"),
		F:   rapid.OneOf(rapid.Float64(), rapid.Map(rapid.IntRange(-9, 99), func(n int) float64 { return float64(n) })).Draw(t, "f"),
		Yes: rapid.Bool().Draw(t, "yes"), Cards: advisor.Count{Word: rapid.SampledFrom([]string{"", "single", "multi"}).Draw(t, "cards")},
	}
	for range rapid.IntRange(0, 3).Draw(t, "words") {
		o.Words = append(o.Words, text(t, "word"))
		o.List = append(o.List, struct{ X float64 }{float64(rapid.IntRange(-3, 3).Draw(t, "x"))})
	}
	if rapid.Bool().Draw(t, "more") {
		o.At = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "second"), rapid.Int64Range(0, 999999999).Draw(t, "nano")).UTC()
		o.Hours = advisor.Range{Lo: rapid.Float64Range(0, 9).Draw(t, "lo"), Hi: 9}
		o.Inside.B = rapid.IntRange(0, 1).Draw(t, "b")
		o.Names, o.Image, o.Any = map[string]int{"a": 1}, []byte{1, 2}, "any"
	}
	if deep {
		next := drawOdd(t, false)
		o.Next = &next
	}
	return o
}

// TestQuick: what is written is what encoding/json writes, to the byte, and
// what is read is what it reads.
func TestQuick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOdd(t, rapid.Bool().Draw(t, "deep"))
		got, err := adapters.Marshal(&o)
		want, err2 := json.Marshal(&o)
		if err != nil || err2 != nil || string(got) != string(want) {
			t.Fatalf("wrote %s, %v\nwant  %s, %v", got, err, want, err2)
		}
		sameReading[odd](t, got)
	})
}

type fataler interface{ Fatalf(string, ...any) }

// sameReading reads a text both ways.
func sameReading[T any](t fataler, data []byte) {
	var got, want T
	err, err2 := adapters.Unmarshal(data, &got), json.Unmarshal(data, &want)
	if (err == nil) != (err2 == nil) || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s\nread %+v, %v\nwant %+v, %v", data, got, err, want, err2)
	}
}

// strange are texts that are JSON, or nearly, and not as we write it.
var strange = []string{
	``, `null`, `{}`, `{ }`, `{"Text":"a"} `, `{"text":"a"}`, `{"Text":"a","Text":"b"}`, `{"Text":null}`, `{"new":1}`, `{"Text":"\u00e9"}`, `{"Text":"a`,
	`{"words":[]}`, `{"words":["a",]}`, `{"words":["a","b"],"n":1}`, `{"n":01}`, `{"n":-1}`, `{"n":1.0}`, `{"n":1e2}`, `{"n":"1"}`, `{"n":99999999999999999999}`, `{"byte":300}`,
	`{"f":1.}`, `{"f":-0}`, `{"f":1e400}`, `{"f":123456789012345678}`, `{"yes":true}`, `{"yes":truest}`, `{"at":"2026-12-01T09:00:00Z"}`, `{"at":"x"}`, `{"at":null}`,
	`{"hours":[1,2]}`, `{"hours":[1 , 2]}`, `{"hours":[1,2}`, `{"cards":"multi"}`, `{"next":{"n":2}}`, `{"next":null}`, `{"names":{"a":1}}`, `{"any":[{"]":"}"}]}`, `{"list":[{"X":1},{}]}`, `{"list":[{"X":1}{}]}`,
	`{"n":1}}`, `{"n":1,}`, `{,"n":1}`, `{"n" :1}`, `{"n":}`, `{"n"`, `{"Text":"a\"b"}`, "{\"Text\":\"\xff\"}", "{\"Text\":\"a\nb\"}", `{"inside":{"A":1},"inside":{"B":2}}`,
}

func TestQuickReadsStrangeText(t *testing.T) {
	for _, text := range strange {
		sameReading[odd](t, []byte(text))
	}
}

func FuzzQuick(f *testing.F) {
	for _, text := range strange {
		f.Add([]byte(text))
	}
	f.Add([]byte(stored(f)))
	f.Fuzz(func(t *testing.T, data []byte) {
		sameReading[odd](t, data)
		sameReading[advisor.Conversation](t, data)
		sameReading[advisor.Reply](t, data)
	})
}

// stored is a conversation as it lies in a store.
func stored(t testing.TB) string {
	c := advisor.Conversation{Schema: 1, Lang: "zh", Options: []string{"data_gb=5", "data_gb=50"}, Turns: 5, At: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	c.Facts.Task = advisor.Say("finetune")
	c.Past = append(c.Past, advisor.Keep(advisor.Step{Facts: c.Facts, Asked: "method"}))
	c.Facts.DurationHours, c.Facts.GPUs = advisor.Say(advisor.Range{Lo: 24, Hi: 48}), advisor.Say(advisor.Cards(2))
	c.Facts.GPUNamed = advisor.Say([]advisor.Named{{Card: "rtx-4090", As: "4090", N: 2}})
	c.Lately = []advisor.Exchange{{Said: "微调 <7B>\n?", Act: "answer"}}
	got, err := adapters.Marshal(&c)
	want, _ := json.Marshal(c)
	if err != nil || string(got) != string(want) {
		t.Fatalf("wrote %s, %v\nwant  %s", got, err, want)
	}
	return string(got)
}

// BenchmarkConversation is one with as many steps behind it as are kept.
func BenchmarkConversation(b *testing.B) {
	var c advisor.Conversation
	if err := adapters.Unmarshal([]byte(stored(b)), &c); err != nil {
		b.Fatal(err)
	}
	for range 11 {
		c.Past = append(c.Past, c.Past[0])
	}
	data, err := adapters.Marshal(&c)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			adapters.Marshal(&c)
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			var c advisor.Conversation
			adapters.Unmarshal(data, &c)
		}
	})
}
