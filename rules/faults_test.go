package rules

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuadvisor/advisor/fault"
)

// faultBook compiles the faults of the rulebook that comes with the program.
func faultBook(t testing.TB) *fault.Book {
	t.Helper()
	book, problems := LoadFS(embedded)
	for _, p := range problems {
		if strings.HasPrefix(p.File, "faults/") {
			t.Error(p)
		}
	}
	var sigs []fault.Signature
	for _, f := range book.Faults {
		sigs = append(sigs, f.Signature)
	}
	faults, wrong := fault.New(sigs)
	for _, p := range wrong {
		t.Errorf("faults/%s.yaml: %s: found %s, want %s", p.ID, p.Field, p.Found, p.Want)
	}
	return faults
}

// Every fault proves itself: each paste under match is read as this fault, and
// none under no_match is.
func TestFaultsProveThemselves(t *testing.T) {
	for _, p := range faultBook(t).Prove() {
		t.Errorf("faults/%s.yaml: %s: %s, want %s", p.ID, p.Field, p.Found, p.Want)
	}
}

// Every fault has what a person is told, and proof both ways.
func TestFaultsAreComplete(t *testing.T) {
	book, _ := LoadFS(embedded)
	for _, f := range book.Faults {
		if len(f.Examples.Match) == 0 || len(f.Examples.NoMatch) == 0 {
			t.Errorf("faults/%s.yaml: want examples that match and that do not", f.ID)
		}
		for _, lang := range book.Langs {
			if f.Why[lang] == "" || f.Do[lang] == "" || f.Not[lang] == "" {
				t.Errorf("faults/%s.yaml: want why, do and not in %s", f.ID, lang)
			}
		}
	}
}

func BenchmarkDiagnose(b *testing.B) {
	faults := faultBook(b)
	for name, log := range map[string]string{
		"training":  longLog("{'loss': 1.2031, 'grad_norm': 0.82, 'learning_rate': 1.9e-05, 'epoch': 0.31}"),
		"errors":    longLog("RuntimeError: CUDA error: an illegal memory access was encountered (torch, cuda, nccl, memory, device, failed)"),
		"oom":       longLog("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.10 GiB is free. Including non-PyTorch memory, this process has 22.53 GiB memory in use."),
		"xids":      longLog("[98211.004512] NVRM: Xid (PCI:0000:dc:00): 43, pid=1001, name=python, Ch 00000008"),
		"one line":  strings.Repeat("RuntimeError: NCCL error: CUDA out of memory, cannot open shared object file ", 900)[:64<<10],
		"traceback": longLog(`  File "/opt/conda/lib/python3.10/site-packages/torch/nn/modules/module.py", line 1501, in _call_impl`),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				faults.Diagnose(log)
			}
		})
	}
}

// longLog repeats a line to 64 KiB, the most that is read.
func longLog(line string) string {
	return strings.Repeat(line+"\n", 64<<10/(len(line)+1))
}

// Whatever a verdict or a diagnosis can name has words, and there are no words
// for what does not exist.
func TestVerifyHasWords(t *testing.T) {
	book, _ := LoadFS(embedded)
	v := book.Verify
	same(t, "findings", fault.FindingIDs, v.Findings)
	same(t, "proves_not", fault.ProvesNotIDs, v.ProvesNot)
	same(t, "next", fault.NextIDs, v.Next)
	same(t, "verdicts", fault.Results, v.Verdicts)
	same(t, "ask", fault.Questions, v.Ask)
	for i := 1; i < len(v.Branches); i++ {
		if v.Branches[i].Driver <= v.Branches[i-1].Driver {
			t.Errorf("verify.yaml: branches[%d]: driver %d after %d, want them in order", i, v.Branches[i].Driver, v.Branches[i-1].Driver)
		}
	}
}

func same[ID ~string, V any](t *testing.T, field string, want []ID, got map[string]V) {
	t.Helper()
	for _, id := range want {
		if _, ok := got[string(id)]; !ok {
			t.Errorf("verify.yaml: %s: nothing for %s", field, id)
		}
	}
	if len(got) > len(want) {
		t.Errorf("verify.yaml: %s: got %d entries, want the %d that can occur", field, len(got), len(want))
	}
}

// What chats, terminals and long jobs do to a paste costs at most one example
// in fifty.
func TestFaultsSurviveTheirWay(t *testing.T) {
	faults := faultBook(t)
	book, _ := LoadFS(embedded)
	for name, change := range map[string]func(string) string{
		"200 other lines": surrounded,
		"windows":         func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"colours": func(s string) string {
			return "\x1b[1;31m" + strings.ReplaceAll(s, "\n", "\x1b[0m\n\x1b[33m") + "\x1b[0m"
		},
		"chat":      chatted,
		"all of it": func(s string) string { return strings.ReplaceAll(surrounded(chatted(s)), "\n", "\r\n") },
	} {
		lost, all := 0, 0
		for _, f := range book.Faults {
			for _, paste := range f.Examples.Match {
				all++
				if got := faults.Diagnose(change(paste)).Because; len(got) == 0 || got[0] != f.ID {
					lost++
					t.Logf("%s: %s is read as %v", name, f.ID, got)
				}
			}
		}
		if lost*50 > all {
			t.Errorf("%s: %d of %d examples are read differently, want at most one in fifty", name, lost, all)
		}
	}
}

// surrounded puts a paste into the middle of what healthy programs print.
func surrounded(s string) string {
	lines := []string{
		`INFO:     10.0.0.8:51234 - "GET /health HTTP/1.1" 200 OK`,
		"{'loss': 1.2031, 'grad_norm': 0.82, 'learning_rate': 1.9e-05, 'epoch': 0.31}",
		"  3%|▎         | 31/1000 [00:41<21:33,  1.33s/it]",
		"FutureWarning: `clean_up_tokenization_spaces` was not set.",
		"node0:812:990 [0] NCCL INFO Channel 00/02 :    0   1",
		"Loading checkpoint shards:  50%|█████     | 2/4 [00:03<00:03,  1.61s/it]",
		"Requirement already satisfied: filelock in /opt/venv/lib/python3.10/site-packages (3.13.1)",
		"got prompt",
	}
	var b strings.Builder
	for i := range 200 {
		if i == 100 {
			b.WriteString(s + "\n")
		}
		b.WriteString(lines[i%len(lines)] + "\n")
	}
	return b.String()
}

// chatted puts a paste through a phone: smart quotes, lost leading spaces, a
// fence around it.
func chatted(s string) string {
	lines := strings.Split(strings.NewReplacer("'", "’", `"`, "”", "...", "…").Replace(s), "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], " ")
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```"
}

// Ten thousand pastes that went wrong on their way, each of them answered.
func TestMutatedPastes(t *testing.T) {
	const pastes = 10_000
	book, _ := LoadFS(embedded)
	faults := faultBook(t)
	var healthy []string
	for _, f := range book.Faults {
		healthy = append(healthy, f.Examples.Match...)
	}
	prints, err := filepath.Glob("../advisor/fault/testdata/prints/*")
	if err != nil || len(prints) == 0 {
		t.Fatalf("no prints of nvidia-smi: %v", err)
	}
	for _, name := range prints {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		healthy = append(healthy, string(data))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range pastes {
		paste := mutated(random, healthy)
		if got := faults.Diagnose(paste); got.Layer == "" {
			t.Fatalf("no layer for %q", paste)
		}
		for i, gpu := range fault.Read(paste).GPUs {
			for _, mib := range []*int{gpu.TotalMiB, gpu.UsedMiB} {
				if mib != nil && *mib < 0 {
					t.Fatalf("card %d of %q has %d MiB", i, paste, *mib)
				}
			}
		}
	}
}

// mutated cuts, repeats, mixes and dirties one of the pastes.
func mutated(random *rand.Rand, healthy []string) string {
	s := []byte(healthy[random.IntN(len(healthy))])
	for range 1 + random.IntN(8) {
		at := random.IntN(len(s) + 1)
		switch random.IntN(5) {
		case 0:
			s = s[:at]
		case 1:
			s = append(s[:at:at], s...)
		case 2:
			s = append(s[:at:at], healthy[random.IntN(len(healthy))]...)
		case 3:
			s = slices.Insert(s, at, byte(random.IntN(256)))
		case 4:
			if at < len(s) {
				s[at] = byte(random.IntN(256))
			}
		}
		s = s[:min(len(s), 4<<10)]
	}
	return string(s)
}
