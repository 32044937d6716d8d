package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gpuadvisor/rules"
)

// TestReadmeCommands runs every command that the READMEs tell people to write.
func TestReadmeCommands(t *testing.T) {
	var lines []string
	for _, r := range readmes {
		found := commandsIn(read(t, r.file))
		if len(found) < 20 {
			t.Errorf("found %d commands in %s", len(found), r.file)
		}
		lines = append(lines, found...)
	}
	slices.Sort(lines)
	ci := read(t, ".ci/run")
	for _, line := range slices.Compact(lines) {
		t.Run(strings.ReplaceAll(line, "/", "∕"), func(t *testing.T) {
			for begin, step := range provenBy {
				if strings.HasPrefix(line, begin) {
					if !strings.Contains(ci, step) && !strings.Contains(read(t, "Dockerfile"), step) {
						t.Errorf("it is run nowhere: want %q in .ci/run", step)
					}
					return
				}
			}
			runLine(t, line)
		})
	}
}

// provenBy are the commands that a test does not run, by how they begin, with
// the step of .ci/run or the line of the Dockerfile that proves them.
var provenBy = map[string]string{
	"go test -tags scale ":   "go vet -tags scale ./bot",
	"go test ./":             "go test -race ./...",
	"go build -o gpuadvisor": `go build -o "$dir/gpuadvisor" ./bot`,
	"go run ./bot check":     "go run ./bot check",
	"gpuadvisor check":       "go run ./bot check",
	"docker run ":            `ENTRYPOINT ["/gpuadvisor"]`,
}

// commandsIn are the commands of a text: the lines of its shell blocks, and
// what stands in backquotes and begins like one.
func commandsIn(text string) []string {
	var found []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			if line, _, _ = strings.Cut(line, " #"); strings.TrimSpace(line) != "" {
				found = append(found, strings.TrimSpace(line))
			}
		}
	}
	for _, line := range regexp.MustCompile(`(?m)^\$ (gpuadvisor .*)$`).FindAllStringSubmatch(text, -1) {
		found = append(found, line[1])
	}
	inline := regexp.MustCompile("`((?:[A-Z_]+=\\S+ )*(?:gpuadvisor|go run|go test|go build|docker)(?: [^`]*)?)`")
	for _, m := range inline.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

// runLine runs one command with files and names in the places of FILE, DIR and
// so on. Where it wants a token it must say so: exit status 2, with the names
// of the variables.
func runLine(t *testing.T, line string) {
	english(t)
	dir := t.TempDir()
	if strings.Contains(line, "DIR") {
		if err := os.CopyFS(filepath.Join(dir, "rules"), os.DirFS("../rules")); err != nil {
			t.Fatal(err)
		}
	}
	prices := "provider,gpu,count,price_hour,currency,as_of\nacme,RTX 4090,1,1.9,CNY,2026-11-20\n"
	if err := os.WriteFile(filepath.Join(dir, "prices.csv"), []byte(prices), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "kept.db")
	if _, errs, status := play(t, "LoRA 7B\n", "--store", kept); status != 0 {
		t.Fatal(errs)
	}
	args := cutWords(strings.NewReplacer("[", "", "]", "").Replace(line))
	for len(args) > 0 && strings.Contains(args[0], "=") {
		name, _, _ := strings.Cut(args[0], "=")
		t.Setenv(name, "")
		args = args[1:]
	}
	if args = args[1:]; strings.Contains(line, "go run ./bot") {
		args = args[2:]
	}
	imports := slices.Contains(args, "import")
	for i, a := range args {
		switch {
		case a == "…":
			args[i] = "7B LoRA"
		case a == "DIR":
			args[i] = filepath.Join(dir, "rules")
		case a == "FILE" && imports:
			args[i] = filepath.Join(dir, "prices.csv")
		case a == "FILE" && slices.Contains(args, "--store"), a == "STORE_FILE":
			args[i] = kept
		case a == "FILE", a == "REDIS_URL", a == "cost.png":
			args[i] = filepath.Join(dir, "new-"+a)
		case a == "NAME":
			args[i] = "acme"
		case a == "DATE":
			args[i] = "2026-11-20"
		}
	}
	want, says := 0, ""
	switch {
	case slices.Contains(args, "serve"):
		want, says = 2, "TELEGRAM_TOKEN / "
	case slices.Equal(args, []string{"settings"}):
		want, says = 2, "--store FILE"
	case slices.Contains(args, "backup"), slices.Contains(args, "reports"), slices.Contains(args, "peaks"):
		t.Setenv("STORE_FILE", kept)
	case slices.Contains(args, "doctor"): // no token: a problem, and it says so on standard output
		want = 1
	case slices.Contains(args, "vram") && len(args) == 1:
		args = append(args, "7B LoRA")
	}
	out, errs, status := play(t, "LoRA 7B\n", args...)
	if status != want || !strings.Contains(errs, says) || out == "" && want == 0 {
		t.Errorf("gpuadvisor %q: exit status %d, %q; want %d and %q", args, status, errs, want, says)
	}
}

// cutWords cuts a command line as a shell does it, as far as the READMEs need it.
func cutWords(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// TestReadmeTwins: both READMEs have the same sections, commands, files and
// numbers, each in its language.
func TestReadmeTwins(t *testing.T) {
	en, zh := read(t, "README.md"), read(t, "README.zh.md")
	// People write their own words in a command.
	free := regexp.MustCompile(`"[^"]*"`)
	for _, part := range []struct {
		what string
		of   func(string) []string
	}{
		{"heading levels", func(s string) []string { return regexp.MustCompile(`(?m)^#+ `).FindAllString(s, -1) }},
		{"numbered steps", func(s string) []string { return regexp.MustCompile(`(?m)^\d\. `).FindAllString(s, -1) }},
		{"commands", func(s string) []string {
			var out []string
			for _, c := range commandsIn(s) {
				out = append(out, free.ReplaceAllString(c, `""`))
			}
			return sorted(out)
		}},
		{"files to copy", func(s string) []string {
			return regexp.MustCompile("(?s)```yaml\n.*?```").FindAllString(s, -1)
		}},
		{"settings and paths", func(s string) []string {
			return sorted(regexp.MustCompile("`(?:[A-Z][A-Z0-9_]+|[./]?[a-z_.]+/[^` ]*|/[a-z]+)`").FindAllString(s, -1))
		}},
		{"links", func(s string) []string {
			s = strings.NewReplacer("-en.png)", ".png)", "-zh.png)", ".png)").Replace(s) // a picture for each language
			return sorted(regexp.MustCompile(`\]\((?:http|\.|rules|adapters|bot|LICENSE)[^)]*\)`).FindAllString(s, -1))
		}},
		{"modules", func(s string) []string {
			return regexp.MustCompile(`(?m)^\| [a-z.]+/\S+[^|]*\| [^|]+ \|`).FindAllString(s, -1)
		}},
		{"figures", func(s string) []string {
			return regexp.MustCompile(`(?m)\| \d+ \| [\d.]+ / [\d.]+ % \|.*$`).FindAllString(s, -1)
		}},
	} {
		a, b := part.of(en), part.of(zh)
		if slices.Equal(a, b) {
			continue
		}
		t.Errorf("%s differ:\nonly in README.md:    %q\nonly in README.zh.md: %q\n%d and %d of them", part.what, without(a, b), without(b, a), len(a), len(b))
	}
	for paragraph := range strings.SplitSeq(regexp.MustCompile("(?s)```.*?```").ReplaceAllString(zh, ""), "\n\n") {
		if p := strings.TrimSpace(paragraph); len(p) > 40 && !strings.HasPrefix(p, "!") && !regexp.MustCompile(`\p{Han}`).MatchString(p) {
			t.Errorf("README.zh.md has a paragraph without Chinese: %s", p)
		}
	}
	if han := regexp.MustCompile(`(?m)^#.*\p{Han}`).FindString(en); han != "" {
		t.Errorf("README.md has a Chinese heading: %s", han)
	}
}

// TestRulesReadme: both halves of the guide for rules tell about the same
// files and fields.
func TestRulesReadme(t *testing.T) {
	zh, en, ok := strings.Cut(read(t, "rules/README.md"), "\n---\n")
	if !ok {
		t.Fatal("the guide has no two halves")
	}
	for _, what := range []string{"(?m)^## .*(`.*`)$", "(?m)^\\| (`[^|]*) \\|", "(?m)^\\| [^|`]+ \\| [^|`]*(`[a-z/_.]+`)"} {
		of := func(s string) (out []string) {
			for _, m := range regexp.MustCompile(what).FindAllStringSubmatch(s, -1) {
				out = append(out, strings.NewReplacer("、", " ", ", ", " ", "语言", "language").Replace(m[1]))
			}
			return sorted(out)
		}
		if a, b := of(zh), of(en); !slices.Equal(a, b) {
			t.Errorf("the halves differ:\nonly in Chinese: %q\nonly in English: %q", without(a, b), without(b, a))
		}
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// without is what of a is not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// TestReadmeFiles: the files that the READMEs and their companions point to
// are there.
func TestReadmeFiles(t *testing.T) {
	for _, file := range []string{"README.md", "README.zh.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", "bot/deploy/SCALE.md"} {
		text := read(t, file)
		for _, m := range regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], "://") {
				isThere(t, file, path.Join(path.Dir(file), m[1]))
			}
		}
		for _, m := range regexp.MustCompile("`((?:rules|bot|adapters|advisor|\\.ci)/[^`*<>… ]*)`").FindAllStringSubmatch(text, -1) {
			isThere(t, file, m[1])
		}
	}
}

func isThere(t *testing.T, file, points string) {
	t.Helper()
	if _, err := os.Stat("../" + points); err != nil {
		t.Errorf("%s points to %s, which is not there", file, points)
	}
}

// TestContributing: the commands that contributors are told to run, with what
// stands for a name filled in.
func TestContributing(t *testing.T) {
	filled := strings.NewReplacer("<name> LoRA", "7B LoRA", "<name>", `"RTX 4090"`, "<card>", "4090", "<the line>", "Xid 79: GPU has fallen off the bus",
		"--rules rules", "--rules DIR")
	ci := read(t, ".ci/run")
	for _, line := range commandsIn(read(t, ".github/CONTRIBUTING.md")) {
		line = filled.Replace(line)
		if begin, _, ok := strings.Cut(line, " ./"); strings.HasPrefix(line, "go test") && ok {
			if !strings.Contains(ci, begin) && !strings.Contains(begin, "scale") {
				t.Errorf("%s: .ci/run has no %s", line, begin)
			}
			continue
		}
		if line != "go run ./bot check" {
			t.Run(strings.ReplaceAll(line, "/", "∕"), func(t *testing.T) { runLine(t, line) })
		}
	}
}

// TestReadmeKnowledge puts the files that the README gives as patterns into a
// copy of the rules: they are sound, and the program knows what they tell.
func TestReadmeKnowledge(t *testing.T) {
	english(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../rules")); err != nil {
		t.Fatal(err)
	}
	patterns := regexp.MustCompile("(?s)```yaml\n# rules/(\\S+)\n(.*?)```").FindAllStringSubmatch(read(t, "README.md"), -1)
	var kinds []string
	for _, m := range patterns {
		kinds = append(kinds, path.Dir(m[1]))
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(m[1])), []byte(m[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"cards", "models", "faults", "prices"}; !slices.Equal(kinds, want) {
		t.Fatalf("the README shows patterns of %q, want %q", kinds, want)
	}
	if _, err := rules.LoadDir(dir); err != nil {
		t.Fatalf("the patterns are not sound: %v", err)
	}
	for _, tt := range []struct{ want, command, text string }{
		{"24 GB", "card", "nova 24"},
		{"GiB", "vram", "Nova-7B LoRA"},
		{"The link between two cards is down", "diagnose", "kernel: novalink3: link down"},
		{"¥1.8/card-hour", "prices", "nova 24"},
		{"NOVA-24G", "ask", "is a Nova 24 enough for a 7B LoRA?"},
	} {
		out, errs, _ := play(t, "", "--rules", dir, "--lang", "en", tt.command, tt.text)
		if !strings.Contains(out, tt.want) {
			t.Errorf("%s %s: want %q in\n%s%s", tt.command, tt.text, tt.want, out, errs)
		}
	}
}
