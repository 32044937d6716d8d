package main

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the module.
var root = os.DirFS("..")

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(root, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestDockerfile reads the Dockerfile, because nothing here can run it: each
// path that it copies from the repository exists, every package of ours is
// copied, and the Go version is that of go.mod.
func TestDockerfile(t *testing.T) {
	file := strings.ReplaceAll(read(t, "Dockerfile"), "\\\n", " ")
	var copied []string
	for line := range strings.Lines(file) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "COPY" || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--from=") }) {
			continue
		}
		for _, from := range words[1 : len(words)-1] {
			if strings.HasPrefix(from, "--") {
				continue
			}
			copied = append(copied, from)
			if _, err := fs.Stat(root, strings.TrimPrefix(from, "./")); err != nil {
				t.Errorf("the Dockerfile copies %s, which does not exist", from)
			}
		}
	}
	for _, want := range []string{"go.mod", "go.sum", "advisor", "rules", "adapters", "bot", "LICENSE"} {
		if !slices.Contains(copied, want) {
			t.Errorf("the Dockerfile does not copy %s", want)
		}
	}
	goLine := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))
	if goLine == nil || !strings.Contains(file, "FROM golang:"+goLine[1]) {
		t.Errorf("the Dockerfile does not build with the Go of go.mod, %v", goLine)
	}
	for _, want := range []string{"distroless/static", "USER nonroot", "LISTEN=0.0.0.0:8080", "STORE_FILE=/data/gpuadvisor.db", "CGO_ENABLED=0", `ENTRYPOINT ["/gpuadvisor"]`, `CMD ["serve"]`} {
		if !strings.Contains(file, want) {
			t.Errorf("the Dockerfile lacks %q", want)
		}
	}
	if !strings.Contains(read(t, "bot/main.go"), `_ "time/tzdata"`) {
		t.Error("the image has no time zones and the program embeds none")
	}
}

// TestTopLevel keeps the house at four folders.
func TestTopLevel(t *testing.T) {
	want := []string{"adapters", "advisor", "bot", "rules"}
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(want, e.Name()) {
			t.Errorf("%s is a folder of its own; everything lives in %v", e.Name(), want)
		}
	}
}
