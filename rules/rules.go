package rules

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/table"
)

//go:embed *.yaml */*.yaml words/lexicon/*.yaml
var embedded embed.FS

// Embedded returns the files that came with the program.
func Embedded() fs.FS { return embedded }

// Load reads the rulebook that came with the program. The error, if any, is a
// [Problems].
func Load() (*advisor.Rulebook, error) { return orError(LoadFS(embedded)) }

// LoadDir reads the rulebook of a folder. The error is a [Problems], or says
// that the folder cannot be read.
func LoadDir(dir string) (*advisor.Rulebook, error) {
	fsys, err := Folder(dir)
	if err != nil {
		return nil, err
	}
	return orError(LoadFS(fsys))
}

// Folder is a folder of rules, which must be there. No link leads out of it: what
// a complaint quotes is what somebody put there.
func Folder(dir string) (fs.FS, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("rules folder %s: not a readable folder", dir)
	}
	root, err := os.OpenRoot(dir) // closed when nobody has it any more
	if err != nil {
		return nil, fmt.Errorf("rules folder %s: not a readable folder", dir)
	}
	return root.FS(), nil
}

func orError(book *advisor.Rulebook, problems []Problem) (*advisor.Rulebook, error) {
	if len(problems) > 0 {
		return nil, Problems(problems)
	}
	return book, nil
}

// Problems is the error of a rulebook that does not hold: all that is wrong.
type Problems []Problem

// Error has one problem a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// LoadFS reads a rulebook and returns every problem of every file. The book is
// never nil and holds what could be read, but only one without problems is fit
// for use.
func LoadFS(fsys fs.FS) (*advisor.Rulebook, []Problem) {
	l := load(fsys)
	return l.book, l.problems
}

// load reads everything: files, their entries in parallel, then what one file
// says of another.
func load(fsys fs.FS) *loader {
	defer hurry()()
	l := &loader{book: &advisor.Rulebook{}}
	l.read(fsys)
	l.book.Hash = l.hash()
	l.book.Langs = l.languages()
	l.shelves()
	l.decodeAll()
	for _, finish := range l.finish {
		finish()
	}
	l.checkLinks()
	if len(l.problems) == 0 {
		l.link()
	}
	slices.SortStableFunc(l.problems, func(a, b Problem) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return a.Line - b.Line
	})
	return l
}

// reading guards the pace of the collector, which is one for the program.
var reading sync.Mutex

// hurry lets the heap grow further than usual until the returned function is
// called. A reading leaves some 30 MB of nodes behind and is over in a moment:
// collecting in between takes a quarter of its time.
func hurry() (done func()) {
	const pace = 400 // percent
	reading.Lock()
	usual := debug.SetGCPercent(pace)
	if usual < 0 || usual > pace {
		debug.SetGCPercent(usual)
	}
	return func() {
		debug.SetGCPercent(usual)
		reading.Unlock()
	}
}

// link lets the book prepare itself; what does not fit together concerns
// several files at once.
func (l *loader) link() {
	err := l.book.Link()
	if err == nil {
		return
	}
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, e := range all {
		l.problems = append(l.problems, Problem{File: ".", Found: e.Error(), Want: "one meaning for each name and id"})
	}
}

// loader is one reading of a folder of rules.
type loader struct {
	book     *advisor.Rulebook
	files    []*file  // sorted by name
	jobs     []job    // one per file, independent of each other
	finish   []func() // what puts their results into the book
	entries  int      // cards, models … found
	tables   []table.Table
	prices   []cost.List
	imports  importFacts
	problems []Problem
}

// read takes all YAML files up to three levels deep, testdata excepted.
func (l *loader) read(fsys fs.FS) {
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && name != "."):
			return fs.SkipDir
		case path.Ext(name) != ".yaml" || name == ".":
			return nil
		}
		if found := unreadable(fsys, name); found != "" {
			l.problems = append(l.problems, Problem{File: name, Found: found, Want: "a file of the folder itself, of at most " + sizeInWords(longestFile)})
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		l.files = append(l.files, &file{name: name, data: data})
		return err
	})
	if err != nil {
		l.problems = append(l.problems, Problem{File: ".", Found: err.Error(), Want: "a readable folder of YAML files"})
	}
	if len(l.files) == 0 {
		l.problems = append(l.problems, Problem{File: ".", Found: "no YAML file", Want: "folders such as cards and models"})
	}
}

// longestFile is how long a file of rules may be, in bytes: the longest of ours
// has a tenth of that.
const longestFile = 4 << 20

func sizeInWords(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }

// unreadable says what stands in the place of a file of rules when it is none that
// can be read, "" when it can. To open some of them would wait for ever.
func unreadable(fsys fs.FS, name string) string {
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "a link to nothing"
	case err != nil:
		return "a link that leads out of the folder, or a file that cannot be looked at"
	case info.IsDir():
		return "a folder with the name of a file"
	case !info.Mode().IsRegular():
		return "a device, a pipe or a socket"
	case info.Size() > longestFile:
		return sizeInWords(info.Size())
	}
	return ""
}

// hash is the short form of the SHA-256 over all names and contents.
func (l *loader) hash() string {
	h := sha256.New()
	for _, f := range l.files {
		fmt.Fprintf(h, "%s %d\n", f.name, len(f.data))
		h.Write(f.data)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// languages are the names of the files in words/.
func (l *loader) languages() []string {
	var langs []string
	for _, f := range l.in("words") {
		langs = append(langs, f.id())
	}
	if len(langs) == 0 {
		return languages
	}
	return langs
}
