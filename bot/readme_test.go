package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the conversations in README.md")

// A conversation in the README: people write the lines with >, the program
// wrote the rest.
var playedBlock = regexp.MustCompile("(?s)<!-- played: (zh|en) -->\n```text\n(.*?)```\n")

// TestReadmeConversations plays the conversations of the README, so that what
// a newcomer reads there is what the program says.
func TestReadmeConversations(t *testing.T) {
	english(t)
	readme := read(t, "README.md")
	blocks := 0
	got := playedBlock.ReplaceAllStringFunc(readme, func(block string) string {
		blocks++
		m := playedBlock.FindStringSubmatch(block)
		return "<!-- played: " + m[1] + " -->\n```text\n" + playAgain(t, m[1], m[2]) + "```\n"
	})
	if blocks != 2 {
		t.Errorf("the README has %d conversations, want one in each language", blocks)
	}
	if got == readme {
		return
	}
	if *update {
		if err := os.WriteFile("../README.md", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	now, then := firstDifference(got, readme)
	t.Errorf("the conversations of the README have changed (go test ./bot -update, then read git diff):\n got %s\nwant %s", now, then)
}

// firstDifference returns the first line in which two texts differ.
func firstDifference(a, b string) (inA, inB string) {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(linesA), len(linesB)) {
		if linesA[i] != linesB[i] {
			return linesA[i], linesB[i]
		}
	}
	return "", ""
}

// playAgain plays the lines with > in one conversation.
func playAgain(t *testing.T, lang, block string) string {
	var played strings.Builder
	var said strings.Builder
	for line := range strings.Lines(block) {
		user, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		said.WriteString(user)
		// The whole conversation again, for its last reply: nothing in between
		// may depend on how often it was played.
		played.WriteString(line + lastReply(t, lang, said.String()) + "\n\n")
	}
	return strings.TrimSuffix(played.String(), "\n")
}

// lastReply is what the program says to the last line of a conversation.
func lastReply(t *testing.T, lang, lines string) string {
	all := talk(t, lang, lines)
	before := ""
	if i := strings.LastIndex(strings.TrimSuffix(lines, "\n"), "\n"); i >= 0 {
		before = talk(t, lang, lines[:i+1])
	}
	return strings.TrimSpace(strings.TrimPrefix(all, before))
}

// talk is the program on a pipe, on a fixed day.
func talk(t *testing.T, lang, lines string) string {
	var out strings.Builder
	h := &house{
		ctx: t.Context(), in: strings.NewReader(lines), out: &out, errs: &out, lang: lang, zone: defaultZone, zoneSaid: true,
		now: func() time.Time { return time.Date(2026, 12, 2, 7, 30, 0, 0, time.UTC) },
	}
	if err := (&chatCommand{kept{User: "me"}}).Run(h); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestReadmeCommands runs the commands of the README that are quick, and looks
// up the files it names.
func TestReadmeCommands(t *testing.T) {
	english(t)
	readme := read(t, "README.md")
	for _, want := range []string{"go run ./bot", "go test ./...", "rules/cards/rtx-4090.yaml", "bot/imports_test.go", ".ci/run", "LICENSE"} {
		if !strings.Contains(readme, want) {
			t.Errorf("the README does not mention %s", want)
		}
	}
	for _, file := range []string{"rules/cards/rtx-4090.yaml", "bot/imports_test.go", ".ci/run", "LICENSE"} {
		read(t, file)
	}
	commands := regexp.MustCompile("(?m)^\\| `gpuadvisor ([a-z]+)(?: (.*?))?` \\|").FindAllStringSubmatch(readme, -1)
	if len(commands) < 6 {
		t.Errorf("found %d commands in the README's table", len(commands))
	}
	for _, c := range commands {
		args := []string{c[1]}
		if c[1] == "check" { // long; a step of .ci/run
			continue
		}
		switch text := strings.Trim(c[2], `"`); text {
		case "":
		case "…":
			args = append(args, "7B LoRA")
		default:
			args = append(args, text)
		}
		if out, errs, status := play(t, "", args...); status != 0 || out == "" {
			t.Errorf("gpuadvisor %q from the README: exit status %d, %s", args, status, errs)
		}
	}
}

// TestReadmeDependencies: each direct module is listed with its licence.
func TestReadmeDependencies(t *testing.T) {
	readme := read(t, "README.md")
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(read(t, "go.mod"), -1)
	if len(direct) < 4 {
		t.Fatalf("found %d direct modules in go.mod", len(direct))
	}
	for _, m := range direct {
		if !regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(m[1]) + `\b.*\| \S+`).MatchString(readme) {
			t.Errorf("the README does not list %s with its licence", m[1])
		}
	}
}

// TestReadmeBot holds the README to what the program knows: each variable is a
// setting, and what people are told to look for is there.
func TestReadmeBot(t *testing.T) {
	readme := read(t, "README.md")
	known := map[string]bool{}
	for _, key := range keys() {
		known[variable(key)], known[variable(key)+"_FILE"] = true, true
	}
	mentioned := 0
	for _, m := range regexp.MustCompile("`([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*)(?:=[^`]*)?`").FindAllStringSubmatch(readme, -1) {
		if mentioned++; !known[m[1]] && m[1] != "TEST_REDIS" {
			t.Errorf("the README speaks of %s, which is no setting", m[1])
		}
	}
	if mentioned < 10 {
		t.Errorf("found %d settings in the README", mentioned)
	}
	for _, want := range []string{interactionsPath, "/healthz", "/readyz", "bot/config.example.yaml", string(defaults().Listen)} {
		if !strings.Contains(readme, want) {
			t.Errorf("the README does not mention %s", want)
		}
	}
	if !strings.Contains(read(t, "adapters/telegram/telegram.go"), "talking as @") {
		t.Error("the README tells people to look for a line in the log that is not written any more")
	}
}
