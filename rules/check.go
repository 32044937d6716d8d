package rules

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor"
)

// Report is what `gpuadvisor check` prints: what was read, everything that is
// wrong with it, and what the enumeration of the tables says.
type Report struct {
	Files       int                 `json:"files"`
	Entries     int                 `json:"entries"` // cards, models, tasks, wordings …
	Problems    []Problem           `json:"problems"`
	Certificate advisor.Certificate `json:"certificate"`
}

// Check reads a rulebook, enumerates its tables and reports. With problems in
// the files nothing is enumerated: the certificate then counts no combination
// and is not sound.
func Check(fsys fs.FS) Report {
	_, report := CheckedBook(fsys)
	return report
}

// CheckedBook is Check with the rulebook that was checked. Only with a sound
// report is it fit for use.
func CheckedBook(fsys fs.FS) (*advisor.Rulebook, Report) {
	l := load(fsys)
	return l.book, l.report(fsys)
}

func (l *loader) report(fsys fs.FS) Report {
	r := Report{Files: len(l.files), Entries: l.entries, Problems: l.problems}
	_, unsound := Measurements(fsys)
	r.Problems = append(append([]Problem{}, r.Problems...), unsound...)
	r.Problems = append(r.Problems, unsaid(l.faultProblems(), r.Problems)...)
	if len(r.Problems) > 0 {
		r.Certificate = advisor.Certificate{RulesHash: l.book.Hash, Cells: []advisor.TableCells{}, Details: []string{}}
		return r
	}
	r.Certificate = l.book.Certify()
	for _, c := range l.book.CertifyRisks() {
		if c.Problem != "" || !c.Reached {
			r.Problems = append(r.Problems, l.riskProblem(c))
		}
	}
	return r
}

// unsaid leaves out what was said already about the same field.
func unsaid(problems, said []Problem) []Problem {
	return slices.DeleteFunc(problems, func(p Problem) bool {
		return slices.ContainsFunc(said, func(q Problem) bool { return q.File == p.File && q.Field == p.Field })
	})
}

// riskProblem says which row of which note can never hold.
func (l *loader) riskProblem(c advisor.RiskCheck) Problem {
	f := l.fileOf("risks", c.Risk)
	found := c.Problem
	if found == "" {
		found = "a condition that no case fulfils"
	}
	return problemAt(f, at("when", c.Row), found, "inputs and values that can come together")
}

// faultProblems compiles the faults, and lets each prove itself on its examples.
func (l *loader) faultProblems() []Problem {
	book, wrong := l.book.CompileFaults()
	wrong = append(wrong, book.Prove()...)
	out := make([]Problem, len(wrong))
	for i, p := range wrong {
		out[i] = problemAt(l.fileOf("faults", p.ID), pathOf(p.Field), p.Found, p.Want)
	}
	return out
}

// pathOf takes "examples.match[2]" apart.
func pathOf(field string) []any {
	var path []any
	for key := range strings.SplitSeq(field, ".") {
		name, index, listed := strings.Cut(key, "[")
		path = append(path, name)
		if n, err := strconv.Atoi(strings.TrimSuffix(index, "]")); listed && err == nil {
			path = append(path, n)
		}
	}
	return path
}

// fileOf finds the file of an entry.
func (l *loader) fileOf(dir, id string) *file {
	for _, f := range l.in(dir) {
		if f.id() == id {
			return f
		}
	}
	return &file{name: dir + "/" + id + ".yaml"}
}

// Sound reports whether nothing at all is wrong.
func (r Report) Sound() bool { return len(r.Problems) == 0 && r.Certificate.Sound() }

// String is the report for people: the problems, then the figures.
func (r Report) String() string {
	s := ""
	for _, p := range r.Problems {
		s += p.String() + "\n"
	}
	for _, d := range r.Certificate.Details {
		s += d + "\n"
	}
	c, problems := r.Certificate, "problems"
	if len(r.Problems) == 1 {
		problems = "problem"
	}
	s += fmt.Sprintf("%d files, %d entries, %d %s\n", r.Files, r.Entries, len(r.Problems), problems)
	if c.Combinations == 0 {
		return s + "answers not walked through: mend the files first\n"
	}
	return s + fmt.Sprintf("%d combinations of answers: %d uncovered, %d dead rows, %d shadowed rows, %d forbidden\nrules %s\n",
		c.Combinations, c.Uncovered, c.DeadRows, c.ShadowedRows, c.ForbiddenHits, c.RulesHash)
}
