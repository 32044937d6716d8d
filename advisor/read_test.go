package advisor_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"gpuadvisor/advisor"
	"gpuadvisor/rules"
)

var update = flag.Bool("update", false, "rewrite testdata/readings.txt from what is read")

// book is the rulebook that the program comes with.
var book = sync.OnceValue(func() *advisor.Rulebook {
	b, err := rules.Load()
	if err != nil {
		panic(err)
	}
	return b
})

// TestReadings plays testdata/readings.txt: each text, and below it what is
// read. A text after "known >> slot?" answers the open question of a
// conversation that began with known; "1. a | 2. b" there are shown options.
func TestReadings(t *testing.T) {
	const file = "testdata/readings.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	in := bufio.NewScanner(strings.NewReader(string(data)))
	said := ""
	for in.Scan() {
		line := in.Text()
		switch {
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
			fmt.Fprintln(&out, line)
		case strings.HasPrefix(line, "  "):
			got := describe(readLine(said))
			if want := strings.TrimSpace(line); got != want && !*update {
				t.Errorf("%s\n got %s\nwant %s", said, got, want)
			}
		default:
			said = line
			fmt.Fprintf(&out, "%s\n  %s\n", line, describe(readLine(line)))
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readLine reads "text" or "known >> slot? text".
func readLine(line string) advisor.Reading {
	known, rest, talk := strings.Cut(line, " >> ")
	if !talk {
		return book().Read(line, advisor.Asked{})
	}
	facts := book().Read(known, advisor.Asked{}).Facts
	slot, said, _ := strings.Cut(rest, "? ")
	asked := advisor.Asked{Slot: strings.TrimSuffix(slot, "*"), Facts: &facts}
	if slot == "-" {
		asked.Slot = ""
	}
	if strings.HasSuffix(slot, "*") {
		asked.Options = options(asked.Slot)
	}
	return book().Read(said, asked)
}

// options are the refs of a question's choices as a chat shows them.
func options(slot string) []string {
	var refs []string
	for _, q := range book().Questions {
		if q.ID == slot {
			for _, o := range q.Options {
				refs = append(refs, slot+"="+o.ID)
			}
		}
	}
	return append(refs, "/dontknow")
}

// describe writes a reading on one line.
func describe(r advisor.Reading) string {
	words := []string{}
	if r.Intent != "" {
		words = append(words, r.Intent+":")
	}
	for _, name := range r.Facts.Said() {
		words = append(words, name+"="+value(&r.Facts, name))
	}
	for _, extra := range []struct{ name, value string }{{"command", r.Command}, {"arg", r.Arg}, {"unlisted", r.Unlisted}, {"unclear", r.Unclear}, {"withdraw", strings.Join(r.Withdraw, ",")}} {
		if extra.value != "" {
			words = append(words, extra.name+"="+extra.value)
		}
	}
	if r.Hostile {
		words = append(words, "hostile")
	}
	if r.Greeting {
		words = append(words, "greeting")
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, " ")
}

func value(f *advisor.Facts, name string) string {
	switch name {
	case "gpu_named":
		var cards []string
		for _, n := range f.GPUNamed.Value {
			word := n.As
			if n.N > 0 {
				word = fmt.Sprintf("%dx%s", n.N, word)
			}
			if n.Not {
				word = "not-" + word
			}
			cards = append(cards, word)
		}
		return strings.Join(cards, ",")
	case "budget", "price_hour":
		b := f.Budget.Value
		if name == "price_hour" {
			b = f.PriceHour.Value
		}
		return fmt.Sprintf("%g%s/%s", b.Amount, b.Currency, b.Per)
	case "duration_hours":
		return span(f.DurationHours.Value)
	case "gpus":
		if w := f.GPUs.Value.Word; w != "" {
			return w
		}
		return span(f.GPUs.Value.Range)
	case "resolution":
		return f.Resolution.Value.String()
	}
	state := f.State()
	if v, ok := state[name]; ok {
		return fmt.Sprint(v)
	}
	return hidden(f, name)
}

func span(r advisor.Range) string {
	if r.Single() {
		return fmt.Sprintf("%g", r.Lo)
	}
	return fmt.Sprintf("%g..%g", r.Lo, r.Hi)
}

// hidden are the facts that the contract's state does not have.
func hidden(f *advisor.Facts, name string) string {
	switch name {
	case "compliance_kind":
		return f.ComplianceKind.Value
	case "variant":
		return f.Variant.Value
	case "priority":
		return f.Priority.Value
	case "next_task":
		return f.NextTask.Value
	case "hours_per_day":
		return fmt.Sprint(f.HoursPerDay.Value)
	case "host_ram_gb":
		return fmt.Sprint(f.HostRAMGB.Value)
	case "upload_mbps":
		return fmt.Sprint(f.UploadMbps.Value)
	case "frames":
		return fmt.Sprint(f.Frames.Value)
	case "batch":
		return fmt.Sprint(f.Batch.Value)
	case "peak_gib":
		return fmt.Sprint(f.PeakGiB.Value)
	case "always_on":
		return fmt.Sprint(f.AlwaysOn.Value)
	case "integration":
		return fmt.Sprint(f.Integration.Value)
	case "serving":
		return fmt.Sprint(f.Serving.Value)
	case "ops_staff":
		return fmt.Sprint(f.OpsStaff.Value)
	}
	return "yes"
}
