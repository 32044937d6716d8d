package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/bolt"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
	"gpuadvisor/rules"
)

var (
	ann = adapters.Person(adapters.Key("telegram", "1", "", "", "1"))
	bob = adapters.Person(adapters.Key("telegram", "1", "", "", "2"))
)

// peakOf is an effect that keeps a figure.
func peakOf(id string, gib float64) advisor.Effect {
	return advisor.Effect{ID: id, Kind: "peak", Peak: advisor.Peak{
		Day: "2026-11-30", Domain: "llm", Task: "inference", Model: "qwen2.5-7b", Precision: "bf16", Context: 8192, Batch: 8, Card: "RTX4090-24G", GPUs: 1, GiB: gib, EstimateGiB: 18.5,
	}}
}

func gibs(t *testing.T, settings adapters.Settings) string {
	t.Helper()
	list, err := keptPeaks(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{}
	for _, p := range list {
		words = append(words, fmt.Sprint(p.GiB))
	}
	return strings.Join(words, " ")
}

// Every person's figure is kept once, nothing beside it tells whose it is, and
// its person alone can have it deleted. A store that is copied brings both along.
func TestPeaks(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		p := &profiles{settings: store.Settings()}
		at := time.Now()
		keep := func(p *profiles, who adapters.Owner, e advisor.Effect) {
			t.Helper()
			if err := p.peak(t.Context(), who, e, at); err != nil {
				t.Fatal(err)
			}
		}
		keep(p, ann, peakOf("m1", 21.3))
		keep(p, ann, peakOf("m1", 21.3)) // its answer was lost
		keep(p, ann, peakOf("m2", 21.3)) // said again
		keep(p, bob, peakOf("m3", 21.3)) // another's, which happens to be the same
		keep(p, ann, peakOf("m4", 20.9))
		if got, want := gibs(t, p.settings), "20.9 21.3 21.3"; got != want {
			t.Errorf("kept %s, want %s", got, want)
		}
		all, err := p.settings.List(t.Context(), measured)
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range all {
			if r.By != "" || r.Until.Sub(r.Until.Truncate(24*time.Hour)) != 0 || strings.Contains(name+string(r.Data), "m1") {
				t.Errorf("%s %+v tells more than the figure and its day", name, r)
			}
		}
		both := []*profiles{p}
		if from, ok := store.(adapters.Archive); ok {
			to, err := bolt.Open(filepath.Join(t.TempDir(), "copy.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			if _, err := adapters.Copy(t.Context(), from, to); err != nil {
				t.Fatal(err)
			}
			both = append(both, &profiles{settings: to.Settings()})
		}
		for _, p := range both {
			if err := p.forgetPeaks(t.Context(), ann); err != nil {
				t.Fatal(err)
			}
			if got, want := gibs(t, p.settings), "21.3"; got != want {
				t.Errorf("kept %s after one of two was forgotten, want the other's %s", got, want)
			}
		}
	})
}

// The oldest of one person make room.
func TestPeaksMakeRoom(t *testing.T) {
	p := &profiles{settings: memory.Open(time.Now).Settings()}
	for i := range mostPeaks + 2 {
		if err := p.peak(t.Context(), ann, peakOf(fmt.Sprint(i), float64(100+i)), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if got := gibs(t, p.settings); strings.Count(got, " ") != mostPeaks-1 || !strings.HasPrefix(got, "102 ") {
		t.Errorf("kept %s, want the latest %d", got, mostPeaks)
	}
}

// forgetful forgets the person between the two halves of keeping a figure.
type forgetful struct {
	adapters.Settings
	who adapters.Owner
}

func (f forgetful) Put(ctx context.Context, of adapters.Owner, name string, r adapters.Record) (int64, error) {
	if of == measured && len(r.Data) > 0 {
		if err := f.Forget(ctx, f.who); err != nil {
			return 0, err
		}
	}
	return f.Settings.Put(ctx, of, name, r)
}

// Nothing stays of somebody who is forgotten while their figure is on its way.
func TestPeakOfSomebodyForgotten(t *testing.T) {
	p := &profiles{settings: forgetful{memory.Open(time.Now).Settings(), ann}}
	if err := p.peak(t.Context(), ann, peakOf("m1", 21.3), time.Now()); err != nil {
		t.Fatal(err)
	}
	if got := gibs(t, p.settings); got != "" {
		t.Errorf("kept %s that nobody can have deleted, want nothing", got)
	}
}

// From a message to the operator's file, beside a bot that runs: without a yes
// nothing is kept, and /forget takes back what was.
func TestPeaksCommand(t *testing.T) {
	alone(t)
	english(t)
	tg := newExchange(t)
	t.Setenv("STORE_FILE", filepath.Join(t.TempDir(), "bot.db"))
	t.Setenv("TELEGRAM_TOKEN", exchangeToken)
	t.Setenv("TELEGRAM_API_URL", tg.URL)
	bot := serveHere(t)
	eventually(t, "ready", func() bool { status, _ := ask(bot.listen, "/readyz"); return status == 200 })
	const who = 77002
	said := 0
	say := func(text string) {
		said++
		tg.write(int64(said), who, who, text)
		tg.until(t, who, said)
	}
	peaks := func(args ...string) string {
		t.Helper()
		out, errs, status := play(t, "", append([]string{"peaks"}, args...)...)
		if status != 0 {
			t.Fatalf("status %d, %s", status, errs)
		}
		return out
	}
	say("run Qwen2.5-7B inference on one 4090, bf16, 8 concurrent users, 8k context, two days")
	say("/peak 21.3")
	if out := peaks(); !strings.Contains(out, "nobody") {
		t.Errorf("before a yes there is %s", out)
	}
	say("yes")
	out := peaks("llm")
	for _, want := range []string{"id: reported-llm", "task: inference", "model: qwen2.5-7b", "seq_len: 8192", "gib: 21.3", "RTX4090-24G"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if strings.Contains(out, fmt.Sprint(who)) {
		t.Errorf("%s tells who measured it", out)
	}
	var p advisor.Peak
	if err := json.Unmarshal([]byte(peaks("--json")), &p); err != nil || p.GiB != 21.3 || p.EstimateGiB == 0 {
		t.Errorf("as JSON %+v, %v", p, err)
	}
	if out := peaks("video"); !strings.Contains(out, "nobody") {
		t.Errorf("of another domain there is %s", out)
	}
	say("/forget yes")
	if out := peaks(); !strings.Contains(out, "nobody") {
		t.Errorf("after /forget there is %s", out)
	}
	bot.ends(t)
}

// What WritePeaks writes is a file of measurements as it stands: it is read
// without complaint and judges the formulas as the bot did.
func TestPeaksProveThemselves(t *testing.T) {
	book, err := rules.Load()
	if err != nil {
		t.Fatal(err)
	}
	loose := peakOf("m2", 9.5).Peak
	loose.Task, loose.Loose, loose.Precision, loose.Context = "lora", true, "", 0
	two := peakOf("m3", 30).Peak
	two.Model, two.GPUs, two.ParamsB, two.EstimateGiB = "", 2, 14, 20
	list := []advisor.Peak{peakOf("m1", 21.3).Peak, two, loose}
	var file strings.Builder
	if err := rules.WritePeaks(&file, book, list); err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{"measurements/reported-llm.yaml": {Data: []byte(file.String())}}
	got, problems := rules.Measurements(fsys)
	if len(problems) > 0 || len(got) != 1 {
		t.Fatalf("%v in %s", problems, file.String())
	}
	rows, _ := rules.Accuracy(book, fsys)
	if len(rows) != 1 || rows[0].Cases != 2 || rows[0].Worse() {
		t.Errorf("got rows %+v, want one of two figures that keeps its record", rows)
	}
	if all := got[0].Cases(true); len(all) != 3 || !reflect.DeepEqual([]float64{all[0].GiB, all[1].GiB, all[2].GiB}, []float64{21.3, 30, 9.5}) || all[1].Per != "gpu" {
		t.Errorf("got %+v", all)
	}
}
