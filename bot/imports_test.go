package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed is the architecture: which of our packages each package may import,
// and which modules. Changing it means changing this table, in the open.
// A package that is not listed belongs to the longest folder that is.
var allowed = map[string]struct {
	ours    []string // folders below the module, "advisor/..." with all below
	modules []string // beside the standard library
	pure    bool     // no network, no files, no clock of its own
}{
	"advisor/text":         {pure: true},
	"advisor/when":         {ours: []string{"advisor/text"}, pure: true},
	"advisor/table":        {pure: true},
	"advisor/vram":         {pure: true},
	"advisor/cost":         {pure: true},
	"advisor/fault":        {pure: true},
	"advisor":              {ours: []string{"advisor/..."}, pure: true},
	"rules":                {ours: []string{"advisor/..."}, modules: []string{"gopkg.in/yaml.v3"}},
	"adapters":             {ours: []string{"advisor"}},
	"adapters/memory":      {ours: []string{"adapters", "advisor"}},
	"adapters/bolt":        {ours: []string{"adapters", "advisor"}, modules: []string{"go.etcd.io/bbolt"}},
	"adapters/redis":       {ours: []string{"adapters", "advisor"}, modules: []string{"github.com/redis/go-redis/v9"}},
	"adapters/discord":     {ours: []string{"adapters", "advisor"}, modules: []string{"github.com/bwmarrin/discordgo", "github.com/gorilla/websocket"}},
	"adapters/telegram":    {ours: []string{"adapters", "advisor"}, modules: []string{"github.com/go-telegram/bot"}},
	"adapters/adaptertest": {ours: []string{"adapters", "advisor"}, modules: []string{"pgregory.net/rapid"}},
	"adapters/picture":     {ours: []string{"adapters", "advisor"}, modules: []string{"github.com/go-analyze/charts"}},
	"adapters/terminal": {ours: []string{"adapters", "advisor"},
		modules: []string{"github.com/reeflective/readline", "github.com/rivo/uniseg", "golang.org/x/term"}},
	"bot": {ours: []string{"advisor/...", "rules", "adapters/..."}, modules: []string{"github.com/alecthomas/kong", "github.com/prometheus/client_golang"}},
}

// What pure packages do without, and the functions that ask the clock.
var (
	impure = []string{"net", "os", "syscall", "io/ioutil", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand", "embed", "plugin"}
	clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "LoadLocation", "Local"}
)

// Tests may use more: the ports' suites, rapid, and what they test against.
var forTests = []string{"pgregory.net/rapid", "github.com/alicebob/miniredis/v2", "gpuadvisor/adapters/adaptertest", "gpuadvisor/adapters/bolt", "gpuadvisor/adapters/redis", "gpuadvisor/rules", "gpuadvisor/advisor"}

func TestImports(t *testing.T) {
	for name, file := range sources(t) {
		rule, listed := allowed[path.Dir(name)]
		if !listed {
			t.Errorf("%s: its folder is not in the table of who may import whom", name)
			continue
		}
		test := strings.HasSuffix(name, "_test.go")
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			switch ours, isOurs := strings.CutPrefix(imported, "gpuadvisor/"); {
			case test && imported == "gpuadvisor/"+path.Dir(name): // what it tests
			case test && slices.ContainsFunc(forTests, func(p string) bool { return imported == p || strings.HasPrefix(imported, p+"/") }):
			case isOurs && !slices.ContainsFunc(rule.ours, func(p string) bool { return covers(p, ours) }):
				t.Errorf("%s imports %s, which its package may not", name, imported)
			case !isOurs && strings.Contains(strings.Split(imported, "/")[0], ".") && !slices.ContainsFunc(rule.modules, func(m string) bool { return covers(m+"/...", imported) }):
				t.Errorf("%s imports %s, a module that its package may not", name, imported)
			case rule.pure && !test && slices.ContainsFunc(impure, func(p string) bool { return covers(p+"/...", imported) }):
				t.Errorf("%s imports %s, but its package touches nothing outside", name, imported)
			}
		}
		if rule.pure && !test {
			for _, call := range clockCalls(file) {
				t.Errorf("%s uses time.%s, but its package gets the time from its caller", name, call)
			}
		}
	}
}

// covers reports whether pattern, a path or a path with /..., matches p.
func covers(pattern, p string) bool {
	tree, all := strings.CutSuffix(pattern, "/...")
	return p == tree || all && strings.HasPrefix(p, tree+"/")
}

func clockCalls(file *ast.File) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clocks, s.Sel.Name) {
				found = append(found, s.Sel.Name)
			}
		}
		return true
	})
	return found
}

// sources parses every Go file of the module, by its path below the root.
func sources(t *testing.T) map[string]*ast.File {
	files := map[string]*ast.File{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case path.Ext(name) != ".go":
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		files[name], err = parser.ParseFile(token.NewFileSet(), name, src, 0)
		return err
	})
	if err != nil || len(files) < 20 {
		t.Fatalf("parsed %d files: %v", len(files), err)
	}
	return files
}
