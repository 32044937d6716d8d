package rules

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
)

// The rules that ship are without a problem.
func TestRulesLoad(t *testing.T) {
	book, problems := LoadFS(Embedded())
	for _, p := range problems {
		t.Error(p)
	}
	if len(book.Hash) != 12 {
		t.Errorf("hash %q, want 12 hex digits", book.Hash)
	}
	for what, n := range map[string][2]int{
		"cards": {len(book.Cards), 93}, "models": {len(book.Models), 198}, "tasks": {len(book.Tasks), 29},
		"risks": {len(book.Risks), 18}, "platforms": {len(book.Platforms), 7}, "checklists": {len(book.Checklists), 12},
	} {
		if n[0] < n[1] {
			t.Errorf("got %d %s, want at least %d", n[0], what, n[1])
		}
	}
}

func TestCheckIsSound(t *testing.T) {
	r := Check(Embedded())
	if !r.Sound() {
		t.Errorf("check of the shipped rules:\n%s", r)
	}
	if r.Certificate.Combinations < 3_000_000 {
		t.Errorf("got %d combinations, want the whole chain", r.Certificate.Combinations)
	}
}

// Each mistake in testdata/bad earns its complaint. A case is a small archive:
// a comment on top, then files after lines like "-- cards/x.yaml --", which are
// added to the shipped rules or replace theirs, and what must be said about it
// after "-- complaints --". -update writes the complaints: read them then.
func TestMuseum(t *testing.T) {
	cases, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(cases) < 20 {
		t.Fatalf("got %d cases (%v), want at least 20", len(cases), err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			input, want, _ := strings.Cut(string(data), "-- complaints --\n")
			files := archive(input)
			_, problems := LoadFS(withShipped(t, files))
			problems = slices.DeleteFunc(problems, func(p Problem) bool { return files[p.File] == "" })
			got := Problems(problems).Error() + "\n"
			switch {
			case got == want && len(problems) > 0:
			case *update:
				if err := os.WriteFile(name, []byte(input+"-- complaints --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// withShipped lays files over the shipped rules, less the folders that no other
// file refers to: reading them for every case takes its time.
func withShipped(t *testing.T, files map[string]string) fstest.MapFS {
	t.Helper()
	all := fstest.MapFS{}
	err := fs.WalkDir(Embedded(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && d.IsDir() && slices.Contains([]string{"faults", "words/lexicon"}, name):
			return fs.SkipDir
		case err != nil || d.IsDir():
			return err
		}
		data, err := fs.ReadFile(Embedded(), name)
		all[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range files {
		all[name] = &fstest.MapFile{Data: []byte(body)}
	}
	return all
}

// archive splits the text form of a few small files.
func archive(s string) map[string]string {
	files := map[string]string{}
	name := ""
	for line := range strings.Lines(s) {
		if head, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(head, " --\n") {
			name = strings.TrimSuffix(head, " --\n")
			files[name] = ""
			continue
		}
		if name != "" {
			files[name] += line
		}
	}
	return files
}

// A wording that one language lacks is named with the file that lacks it.
func TestWordingsInEveryLanguage(t *testing.T) {
	_, problems := LoadFS(fstest.MapFS{
		"words/zh.yaml": {Data: []byte("a: 甲\nb: 乙\n")},
		"words/en.yaml": {Data: []byte("a: A\n")},
	})
	want := `words/en.yaml: found nothing for "b", want this wording, which another language has`
	if got := Problems(problems).Error(); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant among them %s", got, want)
	}
}

// Every code of a price has words.
func TestPriceTrouble(t *testing.T) {
	for _, code := range cost.Codes() {
		if priceTrouble[code] == "" {
			t.Errorf("no words for %s", code)
		}
	}
}

// Tapping an option and typing its text are the same thing, and the example of
// a question is an answer to it.
func TestQuestionsReadTheirAnswers(t *testing.T) {
	book := mustLoad(t)
	for _, q := range book.Questions {
		for lang, example := range q.Example {
			if got := book.Read(example, asked(q.ID)); !answers(got, q.ID) {
				t.Errorf("%s: the example %q (%s) is not read as an answer: %+v", q.ID, example, lang, got.Facts.Said())
			}
		}
		eachOption(q.Options, func(o advisor.Option) {
			if got := book.Read(o.Means, asked(q.ID)); !answers(got, q.ID) && got.Command != "dontknow" {
				t.Errorf("%s: option %s means %q, which is not read as an answer: %v", q.ID, o.ID, o.Means, got.Facts.Said())
			}
		})
	}
}

// Whoever types a name of the catalogue is understood. Cards of one label
// differ only in the form of the board, so any of them will do; a family whose
// members differ widely may leave the model open.
func TestNamesAreRead(t *testing.T) {
	book := mustLoad(t)
	labels := map[string]string{}
	for _, c := range book.Cards {
		labels[c.ID] = cmp.Or(c.Label, c.ID)
	}
	for _, c := range book.Cards {
		for _, name := range c.Names {
			named := book.Read("租 "+name, asked("")).Facts.GPUNamed.Value
			if len(named) != 1 || labels[named[0].Card] != labels[c.ID] {
				t.Errorf("card %s: its name %q is read as %v", c.ID, name, named)
			}
		}
	}
	for _, m := range book.Models {
		for _, name := range m.Names {
			got := book.Read("跑 "+name+" 要什么卡", asked("")).Facts.Model.Value
			if got != m.ID && !(m.Vague && got == "") {
				t.Errorf("model %s: its name %q is read as %q", m.ID, name, got)
			}
		}
	}
}

func asked(slot string) advisor.Asked { return advisor.Asked{Slot: slot, Facts: new(advisor.Facts)} }

// answers reports whether a reading settles a slot: by its own fact, or by the
// one that says the same thing.
func answers(r advisor.Reading, slot string) bool {
	same := map[string][]string{"model": {"params_b"}, "duration_hours": {"always_on"}, "compliance": {"compliance_kind"}, "compliance_kind": {"compliance"}, "next_task": {"task"}}
	for _, s := range append(same[slot], slot) {
		if r.Facts.Has(s) {
			return true
		}
	}
	return false
}

func eachOption(options []advisor.Option, f func(advisor.Option)) {
	for _, o := range options {
		if len(o.Sub) == 0 {
			f(o)
		}
		eachOption(o.Sub, f)
	}
}

func TestLoadDir(t *testing.T) {
	if _, err := LoadDir(filepath.Join(t.TempDir(), "nowhere")); err == nil {
		t.Error("a folder that is not there: no error")
	}
	_, err := LoadDir(t.TempDir())
	var problems Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Errorf("an empty folder: got %v, want Problems", err)
	}
}

// The hash changes with a name or a byte and with nothing else.
func TestHash(t *testing.T) {
	hash := func(fsys fs.FS) string { book, _ := LoadFS(fsys); return book.Hash }
	a := fstest.MapFS{"vendors.yaml": {Data: []byte("- {id: a, names: [A], kind: bare_metal}\n")}}
	b := fstest.MapFS{"vendors.yaml": {Data: []byte("- {id: b, names: [A], kind: bare_metal}\n")}}
	first, again, other := hash(a), hash(a), hash(b)
	if first != again || first == other {
		t.Errorf("hashes %s, again %s, of another %s", first, again, other)
	}
}

// FuzzLoad: whatever is in a file, loading ends with a book and problems that
// say where and what.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"cards/rtx-4090.yaml", "models/mixtral-8x7b.yaml", "risks/K5.yaml", "tables/link.yaml", "asks.yaml", "prices/seed-2026-03.yaml", "words/zh.yaml"} {
		data, err := fs.ReadFile(Embedded(), name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(name, data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if !fs.ValidPath(name) {
			return
		}
		book, problems := LoadFS(fstest.MapFS{name: {Data: data}})
		if book == nil {
			t.Fatal("no book")
		}
		for _, p := range problems {
			if p.File == "" || p.Found == "" || p.Want == "" {
				t.Errorf("a problem that says nothing: %+v", p)
			}
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}
