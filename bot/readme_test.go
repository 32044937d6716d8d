package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gpuadvisor/rules"
)

var update = flag.Bool("update", false, "rewrite what README.md and README.zh.md show of the program")

// readme_test.go holds README.md and README.zh.md to the program: what they show
// is what it says, each command in them runs, and both tell the same. The
// conversations, sums and figures in them are written by
//
//	go test ./bot -run Readme -update

// A conversation: people write the lines with >, the program wrote the rest.
var playedBlock = regexp.MustCompile("(?s)<!-- played: (zh|en) -->\n```text\n(.*?)```\n")

// readmes are the two, with the language of each and how many conversations it
// shows.
var readmes = []struct {
	file, lang    string
	conversations int
}{{"README.md", "en", 2}, {"README.zh.md", "zh", 1}}

// TestReadmeConversations plays the conversations, so that what a newcomer
// reads there is what the program says.
func TestReadmeConversations(t *testing.T) {
	english(t)
	for _, r := range readmes {
		readme, blocks := read(t, r.file), 0
		got := playedBlock.ReplaceAllStringFunc(readme, func(block string) string {
			blocks++
			m := playedBlock.FindStringSubmatch(block)
			return "<!-- played: " + m[1] + " -->\n```text\n" + playAgain(t, m[1], m[2]) + "```\n"
		})
		if blocks != r.conversations {
			t.Errorf("%s has %d conversations, want %d", r.file, blocks, r.conversations)
		}
		rewrite(t, r.file, readme, got)
	}
}

// rewrite holds a file to what it should say, or brings it up to date.
func rewrite(t *testing.T, file, was, got string) {
	t.Helper()
	if got == was {
		return
	}
	if *update {
		if err := os.WriteFile("../"+file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	now, then := firstDifference(got, was)
	t.Errorf("%s is out of date (go test ./bot -run Readme -update, then read git diff):\n got %s\nwant %s", file, now, then)
}

// shownBlock is a command with what it printed.
var shownBlock = regexp.MustCompile("(?m)^```text\n\\$ gpuadvisor (.*)\n((?s:.*?))```\n")

// shownPicture is the picture below a command that draws one.
var shownPicture = regexp.MustCompile(`!\[[^]]+\]\((adapters/picture/testdata/cost[^)]*\.png)\)`)

// samePicture holds the picture that a README shows to the one that its command
// has just drawn, in the README's language: the same to the byte, and small
// enough for a phone.
func samePicture(t *testing.T, file, readme, drawn string) {
	t.Helper()
	got, err := os.ReadFile(drawn)
	if err != nil {
		t.Errorf("%s: its command draws nothing: %v", file, err)
		return
	}
	m := shownPicture.FindStringSubmatch(readme)
	if m == nil {
		t.Errorf("%s does not show the picture of its sum", file)
		return
	}
	if len(got) > 60<<10 {
		t.Errorf("%s: the picture has %d bytes, want at most 60 KB", file, len(got))
	}
	if want, err := os.ReadFile("../" + m[1]); err == nil && bytes.Equal(got, want) {
		return
	}
	if !*update {
		t.Errorf("%s: %s is not what its command draws (go test ./bot -run Readme -update, then look at it)", file, m[1])
		return
	}
	if err := os.WriteFile("../"+m[1], got, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReadmeShown runs the commands that are shown with what they print and
// draw.
func TestReadmeShown(t *testing.T) {
	english(t)
	t.Setenv("DEFAULT_CURRENCY", "")
	for _, r := range readmes {
		readme := read(t, r.file)
		rewrite(t, r.file, readme, shownBlock.ReplaceAllStringFunc(readme, func(block string) string {
			line := shownBlock.FindStringSubmatch(block)[1]
			drawn := filepath.Join(t.TempDir(), "cost.png")
			args := cutWords(strings.ReplaceAll(line, "cost.png", drawn))
			out, errs, status := play(t, "", append(args, "--lang", r.lang)...)
			if status != 0 {
				t.Errorf("%s: gpuadvisor %s: exit status %d, %s", r.file, line, status, errs)
			}
			if strings.Contains(line, "cost.png") {
				samePicture(t, r.file, readme, drawn)
			}
			return "```text\n$ gpuadvisor " + line + "\n" + out + "```\n"
		}))
	}
}

// accuracyRow is a row of the accuracy table: task, figures, ours, others.
var accuracyRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| \d+ \| [\d.]+ / [\d.]+ % \| ([^|]+) \|$`)

// measuredTask is what the rows are called.
var measuredTask = map[string]string{
	"LLM inference": "llm inference", "LoRA": "llm lora", "QLoRA": "llm qlora", "full fine-tune": "llm full-finetune",
	"images": "image inference", "image LoRA": "image lora", "video": "video inference", "audio": "audio inference", "vision training": "cv train",
	"大模型推理": "llm inference", "全量微调": "llm full-finetune", "出图": "image inference", "出图 LoRA": "image lora",
	"视频": "video inference", "语音": "audio inference", "视觉训练": "cv train",
}

// TestReadmeAccuracy holds our column to what vram --accuracy prints.
func TestReadmeAccuracy(t *testing.T) {
	book, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	measured, problems := rules.Accuracy(book, rules.Embedded())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, r := range readmes {
		readme, rows := read(t, r.file), 0
		got := accuracyRow.ReplaceAllStringFunc(readme, func(row string) string {
			m := accuracyRow.FindStringSubmatch(row)
			for _, a := range measured {
				if a.Domain+" "+a.Task == measuredTask[m[1]] {
					rows++
					return fmt.Sprintf("| %s | %d | %.1f / %.1f %% | %s |", m[1], a.Cases, 100*a.Median, 100*a.P90, m[2])
				}
			}
			t.Errorf("%s: nothing is measured under %q", r.file, m[1])
			return row
		})
		if rows != len(measured) {
			t.Errorf("%s has %d rows of accuracy, want %d", r.file, rows, len(measured))
		}
		rewrite(t, r.file, readme, got)
	}
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

// TestReadmeDependencies: each direct module is listed with its licence, and no
// other.
func TestReadmeDependencies(t *testing.T) {
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(read(t, "go.mod"), -1)
	if len(direct) < 4 {
		t.Fatalf("found %d direct modules in go.mod", len(direct))
	}
	for _, r := range readmes {
		readme := read(t, r.file)
		for _, row := range regexp.MustCompile(`(?m)^\| ([a-z0-9.]+\.[a-z]+/[^ ,|]+)[^|]* \| (MIT|BSD|Apache|MPL)`).FindAllStringSubmatch(readme, -1) {
			if !strings.Contains(read(t, "go.mod"), "\t"+row[1]+" v") {
				t.Errorf("%s lists %s, which go.mod does not require", r.file, row[1])
			}
		}
		for _, m := range direct {
			if !regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(m[1]) + `\b.*\| \S+`).MatchString(readme) {
				t.Errorf("%s does not list %s with its licence", r.file, m[1])
			}
		}
	}
}

// TestReadmeBot holds the README to what the program knows: each variable is a
// setting, and what people are told to look for is there.
func TestReadmeBot(t *testing.T) {
	readme := read(t, "README.md") + read(t, "README.zh.md")
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
