package fault

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// The scanner finds every occurrence of every word, whatever its case.
func TestScannerFindsAllWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("abAB :")), 1, 6, -1)
		words := rapid.SliceOfN(rapid.Map(letters, strings.ToLower), 1, 6).Draw(t, "words")
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abAB :x")), 0, 60, -1).Draw(t, "text")
		var patterns []pattern
		for _, w := range words {
			patterns = append(patterns, pattern{need: need{words: []string{w}}})
		}
		found := map[[2]int]bool{}
		newScanner(patterns).words(text, func(p, at int) { found[[2]int{p, at}] = true })
		low := strings.ToLower(text)
		for p, w := range words {
			for at := range low {
				if want := strings.HasPrefix(low[at:], w); found[[2]int{p, at}] != want {
					t.Fatalf("word %q at %d of %q: got %v, want %v", w, at, text, !want, want)
				}
			}
		}
	})
}

// A pattern that is tried only where its word stands answers what the plain
// regular expression would.
func TestPatternsAnswerLikeRegexps(t *testing.T) {
	texts := []string{
		`(?i)out of memory`, `\bError 80[234]\b`, `(?i)failed.*(?:disk|space)`, `(?:foo|barbaz) qux`, `^\W*Killed\W*$`,
		`(?i)(?:GPU|memory) temperature`, `lib\w+\.so`, `x{2,3}abc|defg`, `\bEL0004\b|insufficient`,
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "pattern")
		words := rapid.SliceOf(rapid.SampledFrom([]string{"out of memory", "OUT OF MEMORY", "Error 803", "Errors 803", "failed", " disk", "foo qux", "barbaz qux",
			"Killed", "!", "gpu temperature", "libabc.so", "xxabc", "defg", "EL0004", "xEL0004", " ", "a", "insufficient"})).Draw(t, "line")
		line := strings.Join(words, "")
		p, problem := newPattern(text)
		if problem != "" {
			t.Fatalf("%s: %s", text, problem)
		}
		got := false
		newScanner([]pattern{p}).words(line, func(_, at int) { got = got || p.matches(line, at) })
		if want := regexp.MustCompile(text).MatchString(line); got != want {
			t.Fatalf("%s on %q: got %v, want %v", text, line, got, want)
		}
	})
}

// Ten thousand pastes, cut, joined and sprinkled with noise: whatever comes out
// is well formed.
func TestMutatedPastes(t *testing.T) {
	book := newBook(t)
	var seeds []string
	for _, s := range append(samples(t, "logs"), samples(t, "prints")...) {
		seeds = append(seeds, s.paste)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		paste := mutate(r, seeds)
		checkDiagnosis(t, book.Diagnose(paste))
		checkPrint(t, Read(paste))
	}
}

func mutate(r *rand.Rand, seeds []string) string {
	b := []byte(seeds[r.IntN(len(seeds))])
	for range 1 + r.IntN(6) {
		i, j := r.IntN(len(b)+1), r.IntN(len(b)+1)
		i, j = min(i, j), max(i, j)
		switch r.IntN(6) {
		case 0: // drop a part
			b = append(b[:i:i], b[j:]...)
		case 1: // noise
			if len(b) > 0 {
				b[r.IntN(len(b))] = byte(r.IntN(256))
			}
		case 2: // double a part
			b = append(b[:j:j], b[i:]...)
		case 3: // a second paste in the middle
			other := seeds[r.IntN(len(seeds))]
			b = append(append(b[:i:i], other...), b[i:]...)
		case 4: // no line ends
			b = []byte(strings.ReplaceAll(string(b), "\n", " "))
		case 5: // odd characters
			b = append(append(b[:i:i], "\x1b[31m|‘0%\r\x00: ERR!"...), b[i:]...)
		}
		b = b[:min(len(b), 8<<10)]
	}
	return string(b)
}

func checkDiagnosis(t testing.TB, d Diagnosis) {
	t.Helper()
	if (d.Layer == None) != (d.Action == Ask) || (d.Layer == None) != (len(d.Ask) > 0) {
		t.Fatalf("layer %s with action %s and questions %v", d.Layer, d.Action, d.Ask)
	}
	if d.Layer != None && (len(d.Evidence) == 0 || len(d.Because) == 0) {
		t.Fatalf("layer %s without evidence %v or reason %v", d.Layer, d.Evidence, d.Because)
	}
	if len(d.Evidence) > maxEvidence {
		t.Fatalf("%d lines of evidence, want at most %d", len(d.Evidence), maxEvidence)
	}
	for _, q := range d.Evidence {
		if q.Line < 1 || q.Text == "" || !utf8.ValidString(q.Text) {
			t.Fatalf("bad quote %+v", q)
		}
	}
}

func checkPrint(t testing.TB, p Print) {
	t.Helper()
	v := Judge(p, ReadPaidFor("2x RTX 4090 24GB"), "12.4", known)
	if len(v.ProvesNot) == 0 || v.Result == "" {
		t.Fatalf("verdict %+v: want a result, and what it does not prove", v)
	}
	if v.Result == Idle && len(p.GPUs) == 0 {
		t.Fatalf("idle without a card: %+v", p)
	}
}

func FuzzDiagnose(f *testing.F) {
	book := newBook(f)
	for _, s := range samples(f, "logs") {
		f.Add(s.paste)
	}
	f.Fuzz(func(t *testing.T, log string) {
		d := book.Diagnose(log)
		checkDiagnosis(t, d)
		if again := book.Diagnose(log); len(again.Because) != len(d.Because) || again.Layer != d.Layer {
			t.Fatalf("first %s %v, then %s %v", d.Layer, d.Because, again.Layer, again.Because)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range samples(f, "prints") {
		f.Add(s.paste)
	}
	f.Fuzz(func(t *testing.T, print string) { checkPrint(t, Read(print)) })
}

func FuzzMask(f *testing.F) {
	f.Add("token=hf_abcdefghijklmnop 10.0.0.1 alice@example.com")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		if got := Mask(s); !utf8.ValidString(got) {
			t.Fatalf("Mask(%q) = %q: not valid text", s, got)
		}
	})
}

// 64 KiB is the most that is read of a paste.
func BenchmarkDiagnose(b *testing.B) {
	book := newBook(b)
	for name, log := range map[string]string{
		"training": long("{'loss': 1.2031, 'grad_norm': 0.82, 'learning_rate': 1.9e-05, 'epoch': 0.31}\n"),
		"errors":   long("RuntimeError: CUDA error: device-side assert triggered\n"),
		"xids":     long("[98211.004512] NVRM: Xid (PCI:0000:dc:00): 43, pid=1001, name=python, Ch 00000008\n"),
		"one line": long("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB "),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				book.Diagnose(log)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for name, print := range map[string]string{
		"table": long("|   0  NVIDIA A40          On   | 00000000:03:00.0 Off |                    0 |\n|  0%   24C    P8    14W / 300W |      0MiB / 46068MiB |      0%      Default |\n"),
		"query": long("        HW Thermal Slowdown           : Active\n"),
		"log":   long("{'loss': 1.2031, 'grad_norm': 0.82, 'learning_rate': 1.9e-05, 'epoch': 0.31}\n"),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(print)))
			for b.Loop() {
				Read(print)
			}
		})
	}
}

func long(s string) string { return strings.Repeat(s, (keepHead+keepTail)/len(s)) }
