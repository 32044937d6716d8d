package rules

import (
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gopkg.in/yaml.v3"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/table"
)

// shelves says which folder or file fills what. A new kind of knowledge is one
// more line here.
func (l *loader) shelves() {
	b := l.book
	entries(l, "cards", &b.Cards, func(c *advisor.Card) string { return c.ID })
	entries(l, "models", &b.Models, func(m *advisor.Model) string { return m.ID })
	entries(l, "tasks", &b.Tasks, func(t *advisor.Task) string { return t.ID })
	entries(l, "questions", &b.Questions, func(q *advisor.Question) string { return q.ID })
	entries(l, "risks", &b.Risks, func(r *advisor.Risk) string { return r.ID })
	entries(l, "platforms", &b.Platforms, func(p *advisor.Platform) string { return p.ID })
	entries(l, "audiences", &b.Audiences, func(a *advisor.Audience) string { return a.ID })
	entries(l, "checklists", &b.Checklists, func(c *advisor.Checklist) string { return c.ID })
	entries(l, "faults", &b.Faults, func(f *advisor.Fault) string { return f.ID })
	entries(l, "tables", &l.tables, func(t *table.Table) string { return t.ID })
	entries(l, "prices", &l.prices, func(p *cost.List) string { return p.ID })
	lists(l, "words/lexicon", &b.Words)
	single(l, "asks.yaml", &b.Asks)
	single(l, "costs.yaml", &b.CostWords)
	single(l, "followups.yaml", &b.Followups)
	single(l, "imports.yaml", &l.imports) // for whoever imports prices; checked here
	single(l, "verify.yaml", &b.Verify)
	single(l, "score.yaml", &b.Scoring)
	single(l, "trial.yaml", &b.Trial)
	single(l, "prefer.yaml", &b.Prefer)
	single(l, "vendors.yaml", &b.Vendors)
	single(l, "retention.yaml", &b.Retentions)
	phrases(l, "words")
	l.leave("measurements") // no answer is made of them: see Measurements
	l.unclaimed()
}

// leave marks a folder that somebody else reads.
func (l *loader) leave(dir string) {
	for _, f := range l.in(dir) {
		f.claimed = true
	}
}

// claim makes f the business of a shelf: it is decoded into what into points
// to, together with all other files.
func (l *loader) claim(f *file, into any) {
	f.claimed = true
	l.jobs = append(l.jobs, job{len(f.data), func() { f.node, f.problems = decode(f.name, f.data, into, l.book.Langs) }})
}

// job is the decoding of one file.
type job struct {
	bytes int
	run   func()
}

// entries reads a folder of files with one entry each, called like the entry.
func entries[T any](l *loader, dir string, into *[]T, id func(*T) string) {
	files := l.in(dir)
	found := make([]T, len(files))
	for i, f := range files {
		l.claim(f, &found[i])
	}
	l.finish = append(l.finish, func() {
		*into = found
		l.entries += len(found)
		for i, f := range files {
			if got := id(&found[i]); got != "" && got != f.id() {
				l.complain(f, at("id"), quote(got), "the name of the file, "+f.id())
			}
		}
	})
}

// lists reads a folder of files with a list of entries each.
func lists[T any](l *loader, dir string, into *[]T) {
	files := l.in(dir)
	found := make([][]T, len(files))
	for i, f := range files {
		l.claim(f, &found[i])
	}
	l.finish = append(l.finish, func() {
		*into = slices.Concat(found...)
		l.entries += len(*into)
	})
}

// single reads the one file of that name.
func single(l *loader, name string, into any) {
	for _, f := range l.files {
		if f.name == name {
			l.claim(f, into)
			l.entries++
		}
	}
}

// phrases reads one file of wordings for each language.
func phrases(l *loader, dir string) {
	files := l.in(dir)
	found := make([]map[string]string, len(files))
	for i, f := range files {
		l.claim(f, &found[i])
	}
	l.finish = append(l.finish, func() {
		l.book.Phrases = map[string]advisor.Text{}
		for i, f := range files {
			for key, wording := range found[i] {
				if l.book.Phrases[key] == nil {
					l.book.Phrases[key] = advisor.Text{}
				}
				l.book.Phrases[key][f.id()] = wording
			}
		}
		l.entries += len(l.book.Phrases)
		for i, f := range files {
			for _, key := range slices.Sorted(maps.Keys(l.book.Phrases)) {
				if _, ok := found[i][key]; !ok && len(f.problems) == 0 {
					l.complain(f, nil, "nothing for "+quote(key), "this wording, which another language has")
				}
			}
		}
	})
}

// unclaimed reports files that nobody reads: most often a folder misspelled.
func (l *loader) unclaimed() {
	for _, f := range l.files {
		if !f.claimed {
			l.complain(f, nil, "a file in a place that nothing is read from", "a folder such as cards or models")
		}
	}
}

// decodeAll runs the jobs on all processors, the largest first so that none is
// left over at the end: parsing is most of the work of a start.
func (l *loader) decodeAll() {
	slices.SortFunc(l.jobs, func(a, b job) int { return b.bytes - a.bytes })
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(l.jobs); i = next.Add(1) - 1 {
				l.jobs[i].run()
			}
		})
	}
	all.Wait()
	for _, f := range l.files {
		l.problems = append(l.problems, f.problems...)
	}
}

// in returns the files of one folder, without its subfolders.
func (l *loader) in(dir string) []*file {
	var in []*file
	for _, f := range l.files {
		if path.Dir(f.name) == dir {
			in = append(in, f)
		}
	}
	return in
}

// file is one file of rules.
type file struct {
	name     string // with its folder
	data     []byte
	claimed  bool // a shelf reads it
	node     *yaml.Node
	problems []Problem
}

// id is the name without folder and ending.
func (f *file) id() string { return strings.TrimSuffix(path.Base(f.name), ".yaml") }

// at makes a path of keys (string) and indices (int).
func at(steps ...any) []any { return steps }

// complain reports what only shows when all files are there.
func (l *loader) complain(f *file, where []any, found, want string) {
	l.problems = append(l.problems, problemAt(f, where, found, want))
}

// problemAt finds the line of a field, or of the nearest one above it.
func problemAt(f *file, where []any, found, want string) Problem {
	p := Problem{File: f.name, Found: found, Want: want}
	n := f.node
	for _, s := range where {
		switch s := s.(type) {
		case int:
			p.Field += fmt.Sprintf("[%d]", s)
			n = item(n, s)
		case string:
			p.Field = strings.TrimPrefix(p.Field+"."+s, ".")
			n = value(n, s)
		}
		if n != nil {
			p.Line = n.Line
		}
	}
	return p
}

func item(n *yaml.Node, i int) *yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode || i >= len(n.Content) {
		return n // a text in place of a list of one
	}
	return n.Content[i]
}

func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
