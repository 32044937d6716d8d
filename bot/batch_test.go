package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// echo is a responder that repeats what it was asked, slowly for some.
func echo(in input) (answer, error) {
	switch {
	case in.Text == nil:
		return answer{}, complain("bad.no-text", "")
	case *in.Text == "crash":
		panic("as asked")
	case *in.Text == "nan":
		return answer{Value: math.NaN()}, nil
	case *in.Text == "fail":
		return answer{}, errors.New("as asked")
	case strings.HasPrefix(*in.Text, "slow"):
		time.Sleep(time.Millisecond)
	}
	return answer{Value: map[string]any{"id": in.batchID(), "text": *in.Text, "zone": in.TZ}}, nil
}

func stream(t testing.TB, in io.Reader) (lines []string, bad int) {
	t.Helper()
	var out bytes.Buffer
	h := &house{ctx: t.Context(), out: &out, now: time.Now, lang: "en", zone: defaultZone}
	n, bad, err := h.stream(in, answering{}, echo)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	if len(lines) != n {
		t.Errorf("counted %d lines, wrote %d", n, len(lines))
	}
	return lines, bad
}

// TestBatchLines: each line in, what comes out. An empty want is no answer.
func TestBatchLines(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"plain":              {`{"id":"a","text":"x"}`, `{"id":"a","text":"x","zone":"Asia/Shanghai"}`},
		"unknown keys":       {`{"id":"a","text":"x","turn":7}`, `{"id":"a","text":"x","zone":"Asia/Shanghai"}`},
		"zone":               {`{"id":"a","text":"x","tz":"Europe/Berlin"}`, `{"id":"a","text":"x","zone":"Europe/Berlin"}`},
		"number as id":       {`{"id":7,"text":"x"}`, `{"id":7,"text":"x","zone":"Asia/Shanghai"}`},
		"big number as id":   {`{"id":12345678901234567890,"text":"x"}`, `{"id":12345678901234567890,"text":"x","zone":"Asia/Shanghai"}`},
		"object as id":       {`{"id":{"a":[1]},"text":"x"}`, `{"id":{"a":[1]},"text":"x","zone":"Asia/Shanghai"}`},
		"null as id":         {`{"id":null,"text":"x"}`, `{"id":null,"text":"x","zone":"Asia/Shanghai"}`},
		"no id":              {`{"text":"x"}`, `{"id":null,"text":"x","zone":"Asia/Shanghai"}`},
		"html and Chinese":   {`{"id":"中","text":"<b>&显存</b>"}`, `{"id":"中","text":"<b>&显存</b>","zone":"Asia/Shanghai"}`},
		"escapes":            {`{"id":"a","text":"\u663e\u5b58\n\ud83d\ude00"}`, `{"id":"a","text":"显存\n😀","zone":"Asia/Shanghai"}`},
		"carriage return":    {"{\"id\":\"a\",\"text\":\"x\"}\r", `{"id":"a","text":"x","zone":"Asia/Shanghai"}`},
		"byte order mark":    {"\ufeff{\"id\":\"a\",\"text\":\"x\"}", `{"id":"a","text":"x","zone":"Asia/Shanghai"}`},
		"empty text":         {`{"id":"a","text":""}`, `{"id":"a","text":"","zone":"Asia/Shanghai"}`},
		"empty line":         {"", ""},
		"spaces":             {"  \t ", ""},
		"not JSON":           {`hello`, `{"id":null,"bad":"the line is not a JSON object"}`},
		"an array":           {`[{"id":"a"}]`, `{"id":null,"bad":"the line is not a JSON object"}`},
		"a string":           {`"a"`, `{"id":null,"bad":"the line is not a JSON object"}`},
		"null":               {`null`, `{"id":null,"bad":"field text is missing"}`},
		"cut off":            {`{"id":"a","text":"x`, `{"id":"a","bad":"the line is not a JSON object"}`},
		"id after the break": {`{"text":x,"id":"a"}`, `{"id":null,"bad":"the line is not a JSON object"}`},
		"two objects":        {`{"id":"a","text":"x"}{"id":"b"}`, `{"id":"a","bad":"the line is not a JSON object"}`},
		"no text":            {`{"id":"a"}`, `{"id":"a","bad":"field text is missing"}`},
		"text is a number":   {`{"text":5,"id":"a"}`, `{"id":"a","bad":"field text has the wrong type"}`},
		"bad time":           {`{"id":"a","text":"x","now":"yesterday"}`, `{"id":"a","bad":"field now is not a time such as 2026-12-02T15:30:00+08:00"}`},
		"bad zone":           {`{"id":"a","text":"x","tz":"Mars/Base"}`, `{"id":"a","bad":"unknown time zone Mars/Base"}`},
		"zone with a path":   {`{"id":"a","text":"x","tz":"../../etc/passwd"}`, `{"id":"a","bad":"unknown time zone ../../etc/passwd"}`},
		"bad language":       {`{"id":"a","text":"x","lang":"fr"}`, `{"id":"a","bad":"language fr is not spoken here, only zh and en"}`},
		"bad, in Chinese":    {`{"id":"a","lang":"zh"}`, `{"id":"a","bad":"缺少字段 text"}`},
		"a crash":            {`{"id":"a","text":"crash"}`, `{"id":"a","bad":"an internal error kept this from being answered"}`},
		"not a number":       {`{"id":"a","text":"nan"}`, `{"id":"a","bad":"the answer is not a finite number"}`},
		"a failure":          {`{"id":"a","text":"fail"}`, `{"id":"a","bad":"as asked"}`},
		"deep":               {`{"id":"a","x":` + strings.Repeat("[", 20000), `{"id":"a","bad":"the line is not a JSON object"}`},
	} {
		t.Run(name, func(t *testing.T) {
			lines, bad := stream(t, strings.NewReader(tt.in+"\n"))
			if got := strings.Join(lines, "\n"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if wantBad := strings.Contains(tt.want, `"bad"`); (bad == 1) != wantBad {
				t.Errorf("counted %d bad lines", bad)
			}
		})
	}
}

func TestBatchHugeLine(t *testing.T) {
	huge := `{"id":"huge","text":"` + strings.Repeat("长", maxLine/3) + `"}`
	big := strings.Repeat("x", maxLine-100)
	lines, bad := stream(t, strings.NewReader(huge+"\n"+`{"id":"big","text":"`+big+`"}`+"\n"+`{"id":"next","text":"x"}`))
	if len(lines) != 3 || bad != 1 {
		t.Fatalf("got %d lines, %d bad; want 3 with 1 bad", len(lines), bad)
	}
	if want := `{"id":"huge","bad":"the line is longer than 4 MiB"}`; lines[0] != want {
		t.Errorf("got %.100s, want %s", lines[0], want)
	}
	if !strings.Contains(lines[1], big) {
		t.Errorf("a line just below the limit came back with %d bytes", len(lines[1]))
	}
	if !strings.HasPrefix(lines[2], `{"id":"next"`) {
		t.Errorf("after the huge line: got %.100s", lines[2])
	}
}

func TestBatchOrder(t *testing.T) {
	var in strings.Builder
	const n = 2000
	for i := range n {
		text := "quick"
		if i%7 == 0 {
			text = "slow"
		}
		fmt.Fprintf(&in, `{"id":%d,"text":"%s"}`+"\n", i, text)
	}
	lines, bad := stream(t, strings.NewReader(in.String()))
	if len(lines) != n || bad != 0 {
		t.Fatalf("got %d lines, %d bad", len(lines), bad)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, fmt.Sprintf(`{"id":%d,`, i)) {
			t.Fatalf("line %d is %s", i, line)
		}
	}
}

// TestBatchInterplay: somebody who waits for each answer before the next
// question gets it at once.
func TestBatchInterplay(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	h := &house{ctx: t.Context(), out: out, now: time.Now, zone: defaultZone}
	done := make(chan error, 1)
	go func() {
		_, _, err := h.stream(in, answering{}, echo)
		done <- err
	}()
	d := json.NewDecoder(answers)
	for i := range 10 {
		fmt.Fprintf(ask, `{"id":%d,"text":"x"}`+"\n", i)
		var got struct{ ID int }
		if err := d.Decode(&got); err != nil || got.ID != i {
			t.Fatalf("question %d: got %+v, %v", i, got, err)
		}
	}
	ask.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Whatever comes in, every line that is not blank gets one answer, in order,
// with the id that a reader of JSON would find in it.
func TestBatchAnswersEveryLine(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		line := rapid.OneOf(
			rapid.StringOf(rapid.RuneFrom([]rune(`{}[]":,\ idtextx1中`+"\t\u0000"))),
			rapid.Map(rapid.String(), func(s string) string {
				b, _ := json.Marshal(map[string]string{"id": s, "text": s})
				return string(b)
			}),
			rapid.SampledFrom([]string{`{"id":1,"text":"crash"}`, `{"id":2}`, "", " "}),
		)
		in := rapid.SliceOfN(line, 0, 20).Draw(r, "lines")
		var want []string
		for _, l := range in {
			if strings.TrimSpace(l) != "" {
				want = append(want, l)
			}
		}
		got, _ := stream(t, strings.NewReader(strings.Join(in, "\n")))
		if len(got) != len(want) {
			r.Fatalf("%d lines in, %d out", len(want), len(got))
		}
		for i, l := range want {
			var asked, answered struct{ ID json.RawMessage }
			if err := json.Unmarshal([]byte(got[i]), &answered); err != nil {
				r.Fatalf("answer %d is not JSON: %s", i, got[i])
			}
			if json.Unmarshal([]byte(l), &asked) == nil && asked.ID != nil {
				var a, b any
				json.Unmarshal(asked.ID, &a)
				json.Unmarshal(answered.ID, &b)
				if fmt.Sprint(a) != fmt.Sprint(b) {
					r.Fatalf("line %s was answered with id %s", l, answered.ID)
				}
			}
		}
	})
}

func BenchmarkBatch(b *testing.B) {
	var in strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&in, `{"id":%d,"text":"想微调一个 7B 模型,租什么卡?"}`+"\n", i)
	}
	h := &house{ctx: b.Context(), out: io.Discard, now: time.Now, zone: defaultZone}
	for b.Loop() {
		if _, _, err := h.stream(strings.NewReader(in.String()), answering{}, echo); err != nil {
			b.Fatal(err)
		}
	}
}

// TestBatchOfJobs sends vram lines whose id is a number.
func TestBatchOfJobs(t *testing.T) {
	english(t)
	lines := []struct{ in, want string }{
		{`{"id":2}`, `{"id":2,"bad":"field text is missing; domain, task, model_id or params_b would do as well"}`},
		{`{"id":3,"batch":"x"}`, `{"id":3,"bad":"field batch has the wrong type"}`},
		{`{"id":4,"domain":"llm","task":"inference","model_id":"qwen2.5-7b"}`, `{"id":4,"load_gib":`},
	}
	var said strings.Builder
	for _, l := range lines {
		said.WriteString(l.in + "\n")
	}
	out, errs, status := play(t, said.String(), "vram", "--batch", "-")
	got := strings.Split(out, "\n")
	if status != 1 || len(got) != len(lines)+1 {
		t.Fatalf("exit status %d and %q, %s", status, out, errs)
	}
	for i, l := range lines {
		if !strings.HasPrefix(got[i], l.want) {
			t.Errorf("%s\n got %s\nwant %s", l.in, got[i], l.want)
		}
	}
}

// TestCheckWithoutRules looks for rules in a place where there are none.
func TestCheckWithoutRules(t *testing.T) {
	english(t)
	for dir, want := range map[string]string{
		"/no/such/folder": "gpuadvisor: rules folder /no/such/folder: not a readable folder\n",
		t.TempDir():       "",
	} {
		out, errs, status := play(t, "", "--rules", dir, "check")
		if status != 1 || errs != want || want == "" && !strings.Contains(out, "mend the files first") {
			t.Errorf("check in %s: exit status %d, %q %q, want %q", dir, status, out, errs, want)
		}
	}
}
