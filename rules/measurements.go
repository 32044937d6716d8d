package rules

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/vram"
)

// Measurements reads the published figures of GPU memory, one file for each
// domain, with every problem in them. No answer is made of them, so the
// rulebook does not hold them: they judge the formulas.
func Measurements(fsys fs.FS) ([]vram.Measured, []Problem) {
	files, err := fs.Glob(fsys, "measurements/*.yaml")
	if err != nil {
		return nil, []Problem{{File: "measurements", Found: err.Error(), Want: "a readable folder"}}
	}
	var all []vram.Measured
	var problems []Problem
	for _, name := range files {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			problems = append(problems, Problem{File: name, Found: err.Error(), Want: "a readable file"})
			continue
		}
		var m vram.Measured
		bad := Decode(name, data, &m)
		if want := strings.TrimSuffix(path.Base(name), ".yaml"); len(bad) == 0 && m.ID != want {
			bad = append(bad, Problem{File: name, Field: "id", Found: quote(m.ID), Want: "the name of the file, " + want})
		}
		if problems = append(problems, bad...); len(bad) == 0 {
			all = append(all, m)
		}
	}
	return all, append(problems, unmeasurable(all)...)
}

// unmeasurable reports figures that can judge nothing: without an id of their
// own, or without a figure.
func unmeasurable(files []vram.Measured) []Problem {
	var problems []Problem
	seen := map[string]bool{}
	for _, m := range files {
		for _, c := range m.Cases(true) {
			found := ""
			switch {
			case c.ID == "":
				found = "a figure without id"
			case seen[c.ID]:
				found = "the id " + quote(c.ID) + " a second time"
			case c.GiB <= 0:
				found = "no gib in " + quote(c.ID)
			}
			if seen[c.ID] = true; found != "" {
				problems = append(problems, Problem{File: "measurements/" + m.ID + ".yaml", Field: "tables", Found: found, Want: "an id of its own and a figure in GiB"})
			}
		}
	}
	return problems
}

// Accuracy says how near the formulas of a book come to what others measured,
// beside what was recorded.
func Accuracy(book *advisor.Rulebook, fsys fs.FS) ([]vram.Row, []Problem) {
	files, problems := Measurements(fsys)
	return vram.Judge(files, modelFinder(book)), problems
}

// modelFinder finds a model of a book for the arithmetic, by id; the name of a
// family stands for its default member.
func modelFinder(book *advisor.Rulebook) func(id string) (vram.Model, bool) {
	at := func(id string) int {
		return slices.IndexFunc(book.Models, func(m advisor.Model) bool { return m.ID == id })
	}
	return func(id string) (vram.Model, bool) {
		i := at(id)
		if i >= 0 && book.Models[i].ParamsB == 0 {
			if d := at(book.Models[i].Default); d >= 0 {
				i = d
			}
		}
		if i < 0 {
			return vram.Model{}, false
		}
		return book.Models[i].Model, true
	}
}
