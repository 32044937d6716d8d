package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuadvisor/rules"
)

// TestCost asks for sums as a person in a terminal does.
func TestCost(t *testing.T) {
	english(t)
	t.Setenv("DEFAULT_CURRENCY", "")
	t.Setenv("EXCHANGE_RATE", "")
	for _, tt := range []struct {
		args []string
		want []string // parts of what is printed
	}{
		{[]string{"cost", "4090", "x3", "72h"}, []string{"3xRTX4090-24G", "216 card-hours", "not counted", "live page decides"}},
		{[]string{"cost", "h100 @ 2.49usd 10h"}, []string{"H100-80G", "$24.90"}},
		{[]string{"cost", "--lang", "zh", "4090 8h/天 30天 月付4199"}, []string{"240 卡时", "永远不划算", "按时便宜"}},
		{[]string{"cost", "$2/h 10h setup 1h reruns 20%"}, []string{"$22", "$26", "$30"}},
		{[]string{"prices", "4090"}, []string{"Prices of RTX4090-24G", "2026-03", "Community marketplace"}},
		{[]string{"prices"}, []string{"Common cards", "H100-80G"}},
		{[]string{"prices", "4099"}, []string{"did you mean 4090"}},
	} {
		out, errs, status := play(t, "", tt.args...)
		if status != 0 || errs != "" {
			t.Errorf("%q: status %d: %s", tt.args, status, errs)
		}
		for _, want := range tt.want {
			if !strings.Contains(strings.ToLower(out), strings.ToLower(want)) {
				t.Errorf("%q: %q is missing in\n%s", tt.args, want, out)
			}
		}
	}
}

// TestCostJSON: the contract's cost object, and the sheet beside it.
func TestCostJSON(t *testing.T) {
	english(t)
	out, errs, status := play(t, `{"id":"a","text":"4090 x3 72h"}
{"id":"b","text":"4090 1.9元/h x2 10h 装环境 1h"}
{"id":"c","text":"4090 -1元/h 10h"}
{"id":"d"}
`, "cost", "--json", "--batch", "-")
	if status != 1 || !strings.Contains(errs, "1 of 4") {
		t.Errorf("got status %d: %s", status, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 4 {
		t.Fatalf("got %d lines:\n%s", len(lines), out)
	}
	var a, b, c struct {
		ID   string
		Act  string
		Cost struct {
			GPUHours          *float64 `json:"gpu_hours"`
			Low, Likely, High *float64
			Currency, Source  string
			AsOf              string `json:"as_of"`
			Stale             bool
		}
		Sheet struct {
			Finished *struct{ Total struct{ Likely float64 } }
			Problem  *struct{ Code string }
			Rents    []json.RawMessage
		}
		Reply string
	}
	for i, v := range []any{&a, &b, &c} {
		if err := json.Unmarshal([]byte(lines[i]), v); err != nil {
			t.Fatal(err)
		}
	}
	if a.ID != "a" || a.Cost.GPUHours == nil || *a.Cost.GPUHours != 216 || a.Cost.Likely == nil || a.Cost.AsOf == "" || !a.Cost.Stale || len(a.Sheet.Rents) != 2 {
		t.Errorf("got %s", lines[0])
	}
	if b.Cost.Source != "user" || *b.Cost.GPUHours != 20 || *b.Cost.Likely != 41.8 || b.Sheet.Finished == nil || b.Sheet.Finished.Total.Likely != 41.8 {
		t.Errorf("got %s", lines[1])
	}
	if c.Act != "clarify" || c.Reply == "" {
		t.Errorf("got %s", lines[2])
	}
	out, _, _ = play(t, "", "prices", "--json", "4090")
	var p struct {
		Cards []struct {
			Card  string
			Bands []struct {
				Kind, Currency string
				AsOf           string `json:"as_of"`
				Stale          bool
				Sources        []string
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &p); err != nil || len(p.Cards) != 1 || p.Cards[0].Card != "rtx-4090" || len(p.Cards[0].Bands) != 3 || len(p.Cards[0].Bands[0].Sources) == 0 {
		t.Errorf("got %v: %s", err, out)
	}
}

// TestCostPicture writes pictures that can be looked at.
func TestCostPicture(t *testing.T) {
	english(t)
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"sum":    {"cost", "4090 1.9cny/h monthly 950 30 days"},
		"single": {"cost", "4090 $0.4/h 10h"},
		"zh":     {"cost", "--lang", "zh", "4090 包月划算吗"},
		"prices": {"prices", "h100"},
	} {
		file := filepath.Join(dir, name+".png")
		if _, errs, status := play(t, "", append(args, "--png", file)...); status != 0 {
			t.Errorf("%s: %s", name, errs)
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(data)); err != nil || len(data) > 60<<10 {
			t.Errorf("%s: %d bytes: %v", name, len(data), err)
		}
	}
	_, errs, status := play(t, "", "cost", "which?", "--png", filepath.Join(dir, "none.png"))
	if status != 1 || !strings.Contains(errs, "nothing to draw") {
		t.Errorf("got status %d: %s", status, errs)
	}
	_, errs, status = play(t, "", "cost", "4090 $0.4/h 10h", "--png", filepath.Join(dir, "no", "such", "folder.png"))
	if status != 1 || !strings.Contains(errs, "cannot write") {
		t.Errorf("got status %d: %s", status, errs)
	}
}

// TestExchangeRate: a dated rate puts both currencies into one, and is named.
func TestExchangeRate(t *testing.T) {
	english(t)
	t.Setenv("EXCHANGE_RATE", "7.10@2026-11-01")
	out, errs, status := play(t, "", "cost", "--lang", "zh", "4090", "10h")
	if status != 0 || !strings.Contains(out, "按 7.1（2026-11-01）折算") || strings.Contains(out, "美元") {
		t.Errorf("got status %d: %s%s", status, out, errs)
	}
}

// TestPricesImport takes prices in, shows what changes, keeps the previous set,
// and is not moved by a value that cannot be meant.
func TestPricesImport(t *testing.T) {
	english(t)
	dir := filepath.Join(t.TempDir(), "rules")
	if err := os.CopyFS(dir, rules.Embedded()); err != nil {
		t.Fatal(err)
	}
	for _, aside := range []string{"faults", "words/lexicon"} { // they take their time, and nothing here looks at them
		if err := os.RemoveAll(filepath.Join(dir, aside)); err != nil {
			t.Fatal(err)
		}
	}
	const head = "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\n"
	take := func(table string, more ...string) (string, string, int) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "vms.csv")
		if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
		return play(t, "", append([]string{"--rules", dir, "prices", "import", file, "--provider", "RunPod", "--as-of", "2026-11-20"}, more...)...)
	}
	written := filepath.Join(dir, "prices", "imported-runpod.yaml")

	out, errs, status := take(head+"a,RTX4090,1,,0.69,0.35,US\n", "--dry-run")
	if status != 0 || !strings.Contains(out, "+ rtx-4090  0.69 USD/h") {
		t.Errorf("a look: status %d: %s%s", status, out, errs)
	}
	if _, err := os.Stat(written); err == nil {
		t.Error("a look wrote")
	}
	if out, errs, status = take(head + "a,RTX4090,1,,0.69,0.35,US\n"); status != 0 || !strings.Contains(out, "2 new, 0 changed, 0 gone") || strings.Contains(out, ".previous") {
		t.Errorf("first: status %d: %s%s", status, out, errs)
	}
	first, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	_, errs, status = take(head + "a,RTX4090,1,,0.74,,US\nb,RTX4090,1,,-3,,US\n")
	now, _ := os.ReadFile(written)
	if status != 1 || !strings.Contains(errs, "line 3: b: price is -3") || !bytes.Equal(first, now) {
		t.Errorf("a value that cannot be: status %d: %s", status, errs)
	}
	if out, errs, status = take(head + "a,RTX4090,1,,0.74,,US\n"); status != 0 || !strings.Contains(out, "~ rtx-4090  0.69 USD/h → 0.74 USD/h") || !strings.Contains(out, "0 new, 1 changed, 1 gone") {
		t.Errorf("second: status %d: %s%s", status, out, errs)
	}
	if kept, err := os.ReadFile(written + ".previous"); err != nil || !bytes.Equal(kept, first) {
		t.Errorf("the previous set is not kept: %v", err)
	}
	if out, errs, status = play(t, "", "--rules", dir, "check"); status != 0 {
		t.Errorf("check: %s%s", out, errs)
	}
	out, errs, _ = play(t, "", "--rules", dir, "cost", "4090", "10h", "--now", "2026-11-30T10:00:00Z")
	if !strings.Contains(out, "$0.74/card-hour") || !strings.Contains(out, "vms.csv") {
		t.Errorf("imported prices are not used: %s%s", out, errs)
	}
	for _, tt := range []struct {
		args   []string
		status int
		errs   string
	}{
		{[]string{"prices", "import", written, "--provider", "x"}, 2, "--rules"},
		{[]string{"--rules", dir, "prices", "import", written, "--provider", "../etc"}, 2, "lower-case letters"},
		{[]string{"--rules", dir, "prices", "import", written}, 2, "--provider"},
		{[]string{"--rules", dir, "prices", "import", "nowhere.csv", "--provider", "x"}, 1, "cannot open"},
		{[]string{"--rules", dir, "prices", "import", written, "--provider", "x", "--as-of", "tomorrow"}, 2, "no usable day"},
		{[]string{"--rules", dir, "prices", "import", written, "--provider", "x", "--as-of", "2999-01-01"}, 2, "no usable day"},
	} {
		if _, errs, status := play(t, "", tt.args...); status != tt.status || !strings.Contains(errs, tt.errs) {
			t.Errorf("%q: status %d: %s", tt.args[2:], status, errs)
		}
	}
	if _, errs, status := play(t, "a,b\n1,2\n", "--rules", dir, "prices", "import", "-", "--provider", "x"); status != 1 || !strings.Contains(errs, "neither a SkyPilot") {
		t.Errorf("an unknown table: status %d: %s", status, errs)
	}
}

// TestImportWords: every reason for leaving a row out has its words.
func TestImportWords(t *testing.T) {
	for _, why := range rules.LeftOut() {
		if w := words["import.left."+why]; w["zh"] == "" || w["en"] == "" {
			t.Errorf("no words for %s", why)
		}
	}
}
