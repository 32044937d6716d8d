package fault

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sample is a file of testdata: what is expected, a line of dashes, the paste.
type sample struct {
	name  string
	want  map[string][]string
	paste string
}

func samples(t testing.TB, dir string) []sample {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples in testdata/%s: %v", dir, err)
	}
	var out []sample
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		head, paste, ok := strings.Cut(string(data), "\n---\n")
		if !ok {
			t.Fatalf("%s: want a line --- between what is expected and the paste", f)
		}
		s := sample{strings.TrimSuffix(filepath.Base(f), ".txt"), map[string][]string{}, paste}
		for line := range strings.SplitSeq(head, "\n") {
			if key, value, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
				s.want[key] = append(s.want[key], value)
			}
		}
		out = append(out, s)
	}
	return out
}

func (s sample) one(key string) string { return strings.Join(s.want[key], " ") }

// Every log of testdata says in its head what it is about.
func TestDiagnose(t *testing.T) {
	book := newBook(t)
	for _, s := range samples(t, "logs") {
		t.Run(s.name, func(t *testing.T) {
			d := book.Diagnose(s.paste)
			for key, got := range map[string]string{
				"layer":      string(d.Layer),
				"action":     string(d.Action),
				"because":    strings.Join(d.Because, " "),
				"pci":        strings.Join(d.Machine.PCI, " "),
				"recovery":   d.Recovery,
				"rank":       strconv.Itoa(d.Rank),
				"oom":        oomKind(d),
				"ask":        joined(d.Ask),
				"quote-line": firstLine(d),
			} {
				if want, ok := s.want[key]; ok && got != strings.Join(want, " ") {
					t.Errorf("%s: got %q, want %q", key, got, strings.Join(want, " "))
				}
			}
			if q := s.one("quote"); !strings.Contains(quotes(d.Evidence), q) {
				t.Errorf("evidence: got %q, want it to hold %q", quotes(d.Evidence), q)
			}
			if q := s.one("background"); !strings.Contains(quotes(d.Background), q) {
				t.Errorf("background: got %q, want it to hold %q", quotes(d.Background), q)
			}
			for _, secret := range strings.Fields(s.one("hidden")) {
				if strings.Contains(quotes(d.Evidence), secret) {
					t.Errorf("evidence shows %q: %q", secret, quotes(d.Evidence))
				}
			}
		})
	}
}

func oomKind(d Diagnosis) string {
	if d.OOM == nil {
		return ""
	}
	return string(d.OOM.Kind)
}

func joined(qs []Question) string {
	var out []string
	for _, q := range qs {
		out = append(out, string(q))
	}
	return strings.Join(out, " ")
}

func quotes(qs []Quote) string {
	var out []string
	for _, q := range qs {
		out = append(out, q.Text)
	}
	return strings.Join(out, "\n")
}

func firstLine(d Diagnosis) string {
	if len(d.Evidence) == 0 {
		return ""
	}
	return strconv.Itoa(d.Evidence[0].Line)
}

// Every print of testdata says in its head what it shows and what to make of it.
func TestReadAndJudge(t *testing.T) {
	for _, s := range samples(t, "prints") {
		t.Run(s.name, func(t *testing.T) {
			p := Read(s.paste)
			v := Judge(p, ReadPaidFor(s.one("paid")), s.one("wants-cuda"), known)
			if got := shown(p); !slices.Equal(got, s.want["gpu"]) {
				t.Errorf("cards:\ngot  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(s.want["gpu"], "\n     "))
			}
			for key, got := range map[string]string{"driver": p.Driver, "cuda": p.CUDA, "want": string(v.Result)} {
				if want, ok := s.want[key]; ok && got != want[0] {
					t.Errorf("%s: got %q, want %q", key, got, want[0])
				}
			}
			for _, want := range s.want["process"] {
				if !slices.ContainsFunc(p.Processes, func(p Process) bool { return p.Name+" | "+count(p.MemMiB) == want }) {
					t.Errorf("processes: got %+v, want %q among them", p.Processes, want)
				}
			}
			for _, id := range strings.Fields(s.one("finds")) {
				if !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.ID == id }) {
					t.Errorf("findings: got %+v, want %s among them", v.Findings, id)
				}
			}
			for _, id := range strings.Fields(s.one("next")) {
				if !slices.Contains(v.Next, id) {
					t.Errorf("next: got %v, want %s among them", v.Next, id)
				}
			}
		})
	}
}

// shown writes each card the way the heads of the samples do; "-" is what the
// print does not give.
func shown(p Print) []string {
	var out []string
	for _, g := range p.GPUs {
		name := g.Name
		if name == "" {
			name = "-"
		}
		line := strings.Join([]string{name, count(g.TotalMiB), count(g.UsedMiB), amountText(g.UtilPct), amountText(g.TempC), amountText(g.PowerW), amountText(g.CapW)}, " | ")
		if g.MIG {
			line += " | mig"
		}
		out = append(out, line)
	}
	return out
}

func count(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

func amountText(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// A verdict names only what the rules have words for.
func TestJudgeNamesOnlyKnownIDs(t *testing.T) {
	for _, s := range samples(t, "prints") {
		v := Judge(Read(s.paste), ReadPaidFor(s.one("paid")), "99.9", known)
		for _, f := range v.Findings {
			if !slices.Contains(FindingIDs, f.ID) {
				t.Errorf("%s: finding %s is not in FindingIDs", s.name, f.ID)
			}
		}
		for _, id := range v.ProvesNot {
			if !slices.Contains(ProvesNotIDs, id) {
				t.Errorf("%s: %s is not in ProvesNotIDs", s.name, id)
			}
		}
		for _, id := range v.Next {
			if !slices.Contains(NextIDs, id) {
				t.Errorf("%s: %s is not in NextIDs", s.name, id)
			}
		}
		if v.Result == Idle && !slices.Contains(v.ProvesNot, "alone") {
			t.Errorf("%s: an idle print never proves that one is alone", s.name)
		}
	}
}

// What chats, terminals and long jobs do to a paste must not change the answer:
// at most one in fifty may be lost.
func TestPastesSurviveTheirWay(t *testing.T) {
	book := newBook(t)
	logs, prints := samples(t, "logs"), samples(t, "prints")
	for name, change := range ways {
		t.Run(name, func(t *testing.T) {
			lost, all := 0, 0
			for _, s := range logs {
				all++
				was, is := book.Diagnose(s.paste), book.Diagnose(change(s.paste))
				if was.Layer != is.Layer || was.Action != is.Action || first(was.Because) != first(is.Because) {
					lost++
					t.Logf("%s: was %s %v, is %s %v", s.name, was.Layer, was.Because, is.Layer, is.Because)
				}
			}
			for _, s := range prints {
				all++
				was, is := Read(s.paste), Read(change(s.paste))
				paid := ReadPaidFor(s.one("paid"))
				if !slices.Equal(shown(was), shown(is)) || Judge(was, paid, "", known).Result != Judge(is, paid, "", known).Result {
					lost++
					t.Logf("%s: was\n%s\nis\n%s", s.name, strings.Join(shown(was), "\n"), strings.Join(shown(is), "\n"))
				}
			}
			if lost*50 > all {
				t.Errorf("%d of %d pastes are read differently, want at most one in fifty", lost, all)
			}
		})
	}
}

var ways = map[string]func(string) string{
	"200 other lines": surrounded,
	"windows":         func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"colours":         coloured,
	"lost escapes":    func(s string) string { return strings.ReplaceAll(coloured(s), "\x1b", "") },
	"chat":            chatted,
	"reply":           func(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") },
	"all of it":       func(s string) string { return strings.ReplaceAll(coloured(surrounded(chatted(s))), "\n", "\r\n") },
}

// otherLines are what healthy programs print around a failure.
var otherLines = []string{
	`INFO:     10.0.0.8:51234 - "GET /health HTTP/1.1" 200 OK`,
	"{'loss': 1.2031, 'grad_norm': 0.82, 'learning_rate': 1.9e-05, 'epoch': 0.31}",
	"  3%|▎         | 31/1000 [00:41<21:33,  1.33s/it]",
	"step 200 tokens/s 18233",
	"FutureWarning: `clean_up_tokenization_spaces` was not set.",
	"node0:812:990 [0] NCCL INFO Channel 00/02 :    0   1",
	"Loading checkpoint shards:  50%|█████     | 2/4 [00:03<00:03,  1.61s/it]",
	"Requirement already satisfied: filelock in /opt/venv/lib/python3.10/site-packages (3.13.1)",
	"got prompt",
	"root@node0:/workspace# ls",
	"",
}

func surrounded(s string) string {
	var before, after strings.Builder
	for i := range 100 {
		before.WriteString(otherLines[i%len(otherLines)] + "\n")
		after.WriteString("\n" + otherLines[(i*7)%len(otherLines)])
	}
	return before.String() + s + after.String()
}

func coloured(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		switch i % 3 {
		case 0:
			lines[i] = "\x1b[31m" + l + "\x1b[0m"
		case 1:
			half := runeStart(l, len(l)/2)
			lines[i] = "\x1b[1;33m" + l[:half] + "\x1b[0m" + l[half:]
		}
	}
	return strings.Join(lines, "\n")
}

// chatted puts a paste through a phone: smart quotes, no leading spaces, a
// fence around it.
func chatted(s string) string {
	var b strings.Builder
	open := false
	for _, r := range s {
		switch r {
		case '\'':
			r = '’'
		case '"':
			if open = !open; open {
				r = '“'
			} else {
				r = '”'
			}
		}
		b.WriteRune(r)
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], " ")
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```"
}

// A log of any length is read at both ends, and line numbers stay those of the
// paste.
func TestLongLogKeepsHeadAndTail(t *testing.T) {
	book := newBook(t)
	filler := strings.Repeat("step 100 loss 0.1\n", 20_000)
	for name, log := range map[string]string{
		"head": "RuntimeError: expected scalar type Half but found Float\n" + filler,
		"tail": filler + "RuntimeError: expected scalar type Half but found Float\n",
	} {
		d := book.Diagnose(log)
		want := 1
		if name == "tail" {
			want = 20_001
		}
		if !d.Cut || first(d.Because) != "dtype" || d.Evidence[0].Line != want {
			t.Errorf("%s: got cut %v, because %v, evidence %v; want cut, dtype in line %d", name, d.Cut, d.Because, d.Evidence, want)
		}
	}
}

func TestReadOOM(t *testing.T) {
	for _, c := range []struct {
		text  string
		kind  Fact
		other float64 // MiB, rounded; -1 unknown
	}{
		{"CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.35 GiB total capacity; 75.19 GiB already allocated; 1.03 GiB free; 76.84 GiB reserved in total by PyTorch)", OOMPlain, 1516},
		{"CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.93 GiB total capacity; 2.81 GiB already allocated; 25.38 MiB free; 3.06 GiB reserved in total by PyTorch)", OOMHeld, 4962},
		{"CUDA out of memory. Tried to allocate 96.00 GiB (GPU 0; 23.70 GiB total capacity; 5.10 GiB already allocated; 17.38 GiB free; 5.30 GiB reserved in total by PyTorch)", OOMLarger, 1044},
		// torch 2.1 spells it so, and lists its own process by number
		{"CUDA out of memory. Tried to allocate 448.00 MiB. GPU 0 has a total capacty of 14.75 GiB of which 335.06 MiB is free. Process 2345 has 14.41 GiB memory in use. Of the allocated memory 13.20 GiB is allocated by PyTorch, and 1.09 GiB is reserved by PyTorch but unallocated.", OOMPlain, 136},
		{"CUDA out of memory. Tried to allocate 3.20 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process has 22.40 GiB memory in use. Of the allocated memory 14.10 GiB is allocated by PyTorch, and 7.60 GiB is reserved by PyTorch but unallocated.", OOMFragmented, 41},
		{"CUDA out of memory.", OOMPlain, -1},
	} {
		all, _ := lines(c.text)
		o := readOOM(all, 0)
		other := -1.0
		if o.Other != nil {
			other = float64(int(*o.Other + 0.5))
		}
		if o.Kind != c.kind || other != c.other {
			t.Errorf("%.60s…: got %s with %v MiB held by others, want %s with %v", c.text, o.Kind, other, c.kind, c.other)
		}
	}
}

func TestXidsIn(t *testing.T) {
	for text, want := range map[string]string{
		"NVRM: Xid (PCI:0000:dc:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.": "79@0000:dc:00",
		"NVRM: Xid (0000:03:00): 48, DBE (double bit error)":                                           "48@0000:03:00",
		"NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT  Fatal":                                       "149@0009:01:00",
		"XID: NVRM: Xid (PCI:0000:00:06): 31, pid=1001":                                                "31@0000:00:06",
		"monitor: GPU 2 had XID error 79 at 03:14":                                                     "79@",
		"event xid=119 gpu=3": "119@",
		"nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 62": "",
		"NVRM: Xid (PCI:0000:86:00): 45, caused by previous Xid 48":        "48@0000:86:00",
		"the word xid alone": "",
	} {
		var got []string
		for _, x := range xidsIn(line{1, text}) {
			got = append(got, fmt.Sprintf("%d@%s", x.Code, x.PCI))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

func TestStampsCompareWithinOneClock(t *testing.T) {
	for _, c := range []struct {
		a, b    string
		seconds int
		ok      bool
	}{
		{"[Mon Mar  2 08:00:01 2026] x", "2026-03-02 09:00:01,000 y", 3600, true},
		{"Mar  2 08:00:01 node kernel: x", "[Mon Mar  2 08:00:31 2026] y", 30, true},
		{"[E0302 08:00:01.1 a.cpp:1] x", "(Worker pid=1) ERROR 03-02 08:01:01 [core.py:1] y", 60, true},
		{"[  100.000001] x", "[ 5000.000001] y", 4900, true},
		{"[  100.000001] x", "2026-03-02 09:00:01 y", 0, false},
		{"no time", "2026-03-02 09:00:01 y", 0, false},
		{"2025-12-31 23:59:59 x", "2026-01-01 00:00:00 y", 86400*366 - (11*31+30)*86400 - 86399, true},
	} {
		seconds, ok := stampOf(c.a).before(stampOf(c.b))
		if ok != c.ok || seconds != c.seconds {
			t.Errorf("%q before %q: got %d %v, want %d %v", c.a, c.b, seconds, ok, c.seconds, c.ok)
		}
	}
}

func TestProse(t *testing.T) {
	for text, want := range map[string]bool{
		"Does error 802 mean the fabric manager is down?": true,
		"群里有人说Xid 79就是掉卡，是真的吗？":                           true,
		"my card shows CUDA out of memory, what now":      true,
		"I get Error 803":                         true,
		"RuntimeError: CUDA error: out of memory": false,
		"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.":   false,
		"Please make sure libcudnn_ops_infer.so.8 is in your library path!":               false,
		"what():  CUDA driver version is insufficient for CUDA runtime version":           false,
		"模型加载失败: CUDA error: no kernel image is available":                                false,
		"Out of memory: Killed process 12 (python)":                                       false,
		"Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU": false,
		"求助：torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB，怎么办？":  false,
	} {
		if got := prose(text); got != want {
			t.Errorf("prose(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestMask(t *testing.T) {
	for text, want := range map[string]string{
		"export HF_TOKEN=hf_abcdefghijklmnop":                         "export HF_TOKEN=<key>",
		"openai.api_key = 'sk-proj-abcdefghijkl123'":                  "openai.api_key = '<key>'",
		"Authorization: Bearer abcdef.ghijkl-123456":                  "Authorization: Bearer <key>",
		"https://user:secret@example.com/x":                           "https://<login>@example.com/x",
		"mail me at alice.b@example.com":                              "mail me at <e-mail>",
		`File "/home/alice/train.py", line 3`:                         `File "/home/<user>/train.py", line 3`,
		`C:\Users\Bob\ComfyUI`:                                        `C:\Users\<user>\ComfyUI`,
		"connect to (10.0.0.1, 38321)":                                "connect to (<ip>, 38321)",
		"peer 192.168.1.2<51234> error 12":                            "peer <ip><51234> error 12",
		"MASTER_ADDR=172.16.3.4":                                      "MASTER_ADDR=<ip>",
		"addr=[fe80::1ff:fe23:4567:890a]:29500":                       "addr=[<ip>]:29500",
		"listening on 127.0.0.1:8000 and 0.0.0.0":                     "listening on 127.0.0.1:8000 and 0.0.0.0",
		"nvidia-cudnn-cu12==9.1.0.70":                                 "nvidia-cudnn-cu12==9.1.0.70",
		"libcudnn_ops.so.9.1.0":                                       "libcudnn_ops.so.9.1.0",
		"NVRM: Xid (PCI:0000:dc:00): 79, GPU at 00000000:DC:00.0":     "NVRM: Xid (PCI:0000:dc:00): 79, GPU at 00000000:DC:00.0",
		"Driver Version: 550.54.14 at 12:30:45":                       "Driver Version: 550.54.14 at 12:30:45",
		"alice@node:~$ python train.py":                               "<user>@node:~$ python train.py",
		"AWS AKIAIOSFODNN7EXAMPLE":                                    "AWS <key>",
		"WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567":      "WANDB_API_KEY=<key>",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl": "<key>",
	} {
		if got := Mask(text); got != want {
			t.Errorf("Mask(%q)\ngot  %q\nwant %q", text, got, want)
		}
		if again := Mask(want); again != want {
			t.Errorf("Mask twice: got %q, want %q to stay", again, want)
		}
	}
}

func TestReadPaidFor(t *testing.T) {
	for text, want := range map[string]PaidFor{
		"2x RTX 4090 24GB": {"RTX 4090 24GB", 2, 24},
		"8卡 A100 80G":      {"A100 80G", 8, 80},
		"A800 × 4":         {"A800", 4, 0},
		"H20":              {"H20", 0, 0},
		"":                 {"", 0, 0},
	} {
		if got := ReadPaidFor(text); got != want {
			t.Errorf("ReadPaidFor(%q) = %+v, want %+v", text, got, want)
		}
	}
}

func TestNamesAgree(t *testing.T) {
	for _, c := range []struct {
		printed, ordered string
		want             bool
	}{
		{"NVIDIA GeForce RTX 4090", "RTX4090 24G", true},
		{"NVIDIA GeForce RTX 4090 D", "4090D", true},
		{"NVIDIA GeForce RTX 4090 D", "RTX 4090", false},
		{"NVIDIA GeForce RTX 4090", "4090D", false},
		{"NVIDIA GeForce RTX 4070 Ti SUPER", "4070TiS", true},
		{"NVIDIA GeForce RTX 4080 SUPER", "4080S", true},
		{"NVIDIA GeForce RTX 3060 Laptop GPU", "RTX 3060", false},
		{"NVIDIA H100 80GB HBM3", "H100 SXM", true},
		{"NVIDIA H100 PCIe", "H100 SXM", false},
		{"NVIDIA A100-SXM4-80GB", "A100", true},
		{"NVIDIA A800 80GB PCIe", "A800 80GB", true},
		{"Tesla T4", "A10", false},
		{"NVIDIA A10G", "A10", false},
		{"NVIDIA L40S", "L40", false},
		{"NVIDIA H200", "H20", false},
		{"GeForce RTX 208...", "RTX 2080 Ti", true},
		{"910B4", "昇腾910B", true},
		{"Ascend910", "Ascend 910C", true},
		{"910B3", "Ascend 910C", false},
		{"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada", true},
		{"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "RTX PRO 6000", true},
		{"NVIDIA RTX A6000", "RTX 6000 Ada", false},
		{"AMD Instinct MI300X OAM", "MI300X", true},
	} {
		if got := partsOf(c.printed).agrees(partsOf(c.ordered)); got != c.want {
			t.Errorf("%q ordered as %q: got %v, want %v", c.printed, c.ordered, got, c.want)
		}
	}
}

// New reports every mistake at once and leaves only the broken ones out.
func TestNewReportsMistakes(t *testing.T) {
	book, problems := New([]Signature{
		{ID: "good", Layer: User, Tier: 5, Action: Fix, Match: []string{"a good word"}, Examples: Examples{Match: []string{"error: a good word"}, NoMatch: []string{"error: bad word"}}},
		{ID: "good", Layer: User, Tier: 5, Action: Fix, Match: []string{"twice"}},
		{ID: "layer", Layer: "gpu", Tier: 5, Action: Fix, Match: []string{"some word"}},
		{ID: "tier", Layer: User, Tier: 7, Action: Fix, Match: []string{"some word"}},
		{ID: "regexp", Layer: User, Tier: 5, Action: Fix, Match: []string{"(unclosed"}},
		{ID: "short", Layer: User, Tier: 5, Action: Fix, Match: []string{`\d+`}},
		{ID: "empty", Layer: User, Tier: 5, Action: Fix},
	})
	var got []string
	for _, p := range problems {
		got = append(got, p.ID+" "+p.Field)
	}
	want := []string{"good id", "layer layer", "tier tier", "regexp match[0]", "short match[0]", "empty match"}
	if !slices.Equal(got, want) {
		t.Errorf("problems: got %q, want %q", got, want)
	}
	if _, ok := book.Signature("good"); !ok || len(book.Prove()) != 0 {
		t.Errorf("the good signature: found %v, unproved %v; want it to work", ok, book.Prove())
	}
	if d := book.Diagnose("error: some word"); d.Layer != None {
		t.Errorf("a broken signature still matches: %+v", d)
	}
}

func TestProveFindsWhatFails(t *testing.T) {
	book, _ := New([]Signature{{ID: "a", Layer: User, Tier: 5, Action: Fix, Match: []string{"alpha"},
		Examples: Examples{Match: []string{"error: beta"}, NoMatch: []string{"error: alpha"}}}})
	if got := book.Prove(); len(got) != 2 || got[0].Field != "examples.match[0]" || got[1].Field != "examples.no_match[0]" {
		t.Errorf("got %+v, want both examples to fail", got)
	}
}
