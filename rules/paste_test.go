package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuadvisor/advisor"
)

// A paste is told from what people write by its form and by what is known of
// faults; nobody has to say that it is one.
func TestPastesAreRecognised(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	const xid = "[ 812.004512] NVRM: Xid (PCI:0000:41:00): 79, pid=99, GPU has fallen off the bus."
	const card = "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-00000000-0000-0000-0000-000000000000)"
	for _, tt := range []struct{ text, because string }{
		{xid, "fault.xid-79"},
		{"帮我看看\n" + xid, "fault.xid-79"},
		{"帮我看看:\n```\n" + xid + "\n```\n急", "fault.xid-79"},
		{"@gpuadvisor please look at this\n" + xid, "fault.xid-79"},
		{"/diagnose " + xid, "fault.xid-79"},
		{"/diagnose@gpuadvisor_bot\n" + xid, "fault.xid-79"},
		{"/排障\n" + xid, "fault.xid-79"},
		{"/diagnose CUDA error: no kernel image is available for execution on the device", "fault.arch-unsupported"},
		{"RuntimeError: CUDA error: no kernel image is available for execution on the device", "fault.arch-unsupported"},
		{"我这报 RuntimeError: CUDA error: no kernel image is available for execution on the device 怎么办", "fault.arch-unsupported"},
		{"Epoch 3:  41%|████      | 812/1980 [05:12<07:29,  2.60it/s]\n{'loss': 0.4183, 'epoch': 2.41}", "fault.cannot-tell"},
		{card, "verify.unreadable"},
		{card + "\nGPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-00000000-0000-0000-0000-000000000001)", "verify.unreadable"},
		{"/verify 1x A100\n" + card, "verify.unreadable"},
		{"/验卡 2x A100\n" + card, "verify.fewer-cards"},
		{"/verify", "verify"},
		{"/diagnose", "diagnose"},
		{"Xid 79 是啥意思 卡掉了", "fault.xid-79"},
		{"报 CUDA out of memory 是不是卡坏了？", "diagnose"},
		{"任务:微调 7B\n数据:20G\n时间:三天", "ask.method"},
		{"7B LoRA\n20 GB of data\n3 days", "count.n1"},
		{"which card for SDXL?\nI have 300 dollars", "ask.duration_hours"},
	} {
		_, r, _ := a.Answer(advisor.Known{}, advisor.Message{ID: "1", Key: "k", Text: tt.text, At: walkDay, Addressed: true})
		if !strings.Contains(" "+strings.Join(r.Because, " ")+" ", " "+tt.because+" ") {
			t.Errorf("%q: got %v, want %s among the reasons", tt.text, r.Because, tt.because)
		}
	}
}

// Whatever is pasted, in whatever state: there is a reply in the person's
// language, secrets do not show, and nothing of it stays in the conversation.
func TestPastesStayNowhere(t *testing.T) {
	book := mustLoad(t)
	a := advisor.New(book).WithZones(time.LoadLocation)
	var pastes []string
	for _, f := range book.Faults {
		pastes = append(pastes, f.Examples.Match...)
	}
	for _, dir := range []string{"logs", "prints"} {
		files, _ := filepath.Glob("../advisor/fault/testdata/" + dir + "/*.txt")
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			_, paste, _ := strings.Cut(string(data), "\n---\n")
			pastes = append(pastes, paste)
		}
	}
	const secret, marker = "hf_abcdefghijklmnopqrstuvwx", "zq9marker"
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(rapid.SampledFrom(pastes).Draw(t, "paste"), "\n")
		at := rapid.IntRange(0, len(lines)).Draw(t, "at")
		lines = append(lines[:at:at], append([]string{"HF_TOKEN=" + secret + " " + marker}, lines[at:]...)...)
		text := mangled(t, strings.Join(lines, "\n"))
		lang := rapid.SampledFrom([]string{"zh", "en"}).Draw(t, "lang")
		k := advisor.Known{Profile: advisor.Profile{Lang: lang}}
		command := rapid.SampledFrom([]string{"", "/diagnose ", "/verify ", "/verify 2x A100 80G\n"}).Draw(t, "command")
		c, r, _ := a.Answer(k, advisor.Message{ID: "1", Key: "k", Text: command + text, At: walkDay, Addressed: true})
		said := r.Plain()
		if said == "" || strings.Contains(said, "{") && !strings.Contains(text, "{") {
			t.Fatalf("got the reply %q", said)
		}
		if command != "" && strings.Contains(said, secret) {
			t.Fatalf("the reply shows the secret: %s", said)
		}
		kept, err := json.Marshal(c)
		if err != nil || command != "" && strings.Contains(string(kept), marker) {
			t.Fatalf("the conversation keeps a line of the paste (%v): %s", err, kept)
		}
	})
}

// mangled cuts, doubles and swaps parts of a paste, as phones and people do.
func mangled(t *rapid.T, s string) string {
	runes := []rune(s)
	for range rapid.IntRange(0, 3).Draw(t, "cuts") {
		from := rapid.IntRange(0, len(runes)).Draw(t, "from")
		to := min(len(runes), from+rapid.IntRange(0, 40).Draw(t, "length"))
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			runes = append(runes[:from:from], runes[to:]...)
		case 1:
			runes = append(append(runes[:to:to], runes[from:to]...), runes[to:]...)
		default:
			runes = append(append(runes[:from:from], []rune("“\x1b[31m\r\n│ ：")...), runes[from:]...)
		}
	}
	return string(runes)
}

// The words of a person decide the language, not those of the log.
func TestLanguageOfAPaste(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	const log = "RuntimeError: CUDA error: no kernel image is available for execution on the device\nplease compile with the right flags"
	for _, tt := range []struct{ before, text, hint, want string }{
		{"", "帮我看看\n" + log, "", "zh"},
		{"", "what is this?\n" + log, "zh", "en"},
		{"租个显卡", log, "", "zh"},
		{"", log, "zh", "zh"},
		{"", log, "", "en"},
		{"租个显卡", "/diagnose " + log, "", "zh"},
	} {
		k := advisor.Known{}
		if tt.before != "" {
			k, _ = say(a, k, tt.before)
		}
		c, _, _ := a.Answer(k, advisor.Message{ID: "2", Key: "k", Text: tt.text, Lang: tt.hint, At: walkDay, Addressed: true})
		if c.Lang != tt.want {
			t.Errorf("after %q, %q with hint %q: got %s, want %s", tt.before, tt.text, tt.hint, c.Lang, tt.want)
		}
	}
}

// A job that did not fit is sized by the figures of its log.
func TestOutOfMemoryGoesToSizing(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	for _, tt := range []struct {
		shown float64 // GiB that the message gives for the card
		gb    float64 // on the sticker
	}{{23.64, 24}, {15.78, 16}, {79.15, 80}, {31.36, 32}, {11.66, 12}, {44.40, 45}} {
		log := fmt.Sprintf("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 100.00 MiB. GPU 0 has a total capacity of %.2f GiB of which 60.00 MiB is free. Including non-PyTorch memory, this process has %.2f GiB memory in use.", tt.shown, tt.shown-0.1)
		k, _ := say(a, advisor.Known{}, log)
		if got := k.Conversation.Facts.FailedGB.Value; got != tt.gb && !(tt.gb == 45 && got == 48) {
			t.Errorf("%.2f GiB shown: got %g GB, want %g", tt.shown, got, tt.gb)
		}
		k, _ = say(a, k, "Qwen2.5-7B LoRA")
		for _, card := range a.Advice(k).Cards {
			if c := cardByID(a.Book(), card.GPU); c != nil && c.VRAMGB <= tt.gb && card.Count == 1 {
				t.Errorf("%g GB did not do, and %s is advised", tt.gb, card.Label)
			}
		}
	}
}

func cardByID(book *advisor.Rulebook, id string) *advisor.Card {
	for i := range book.Cards {
		if book.Cards[i].ID == id {
			return &book.Cards[i]
		}
	}
	return nil
}

var missingPhrase = regexp.MustCompile(`(?m)(?:^|[ ：])(?:fault|pack|oom|verify|choice)\.[a-z]\S*|\{[a-z]+\}`)

// Every layer says who pays and has a support pack where the platform has
// something to mend, and only there.
func TestSupportPacks(t *testing.T) {
	book := mustLoad(t)
	a := advisor.New(book).WithZones(time.LoadLocation)
	for _, f := range book.Faults {
		for _, lang := range book.Langs {
			d := a.Diagnose(f.Examples.Match[0], advisor.Message{Lang: lang, At: walkDay})
			if d.Because == nil || d.Because[0] != f.ID {
				continue // another test
			}
			if wants := d.Pays == "platform"; wants != (len(d.Pack) > 0) || wants != (d.Layer == "hardware" || d.Layer == "driver" && d.Action != "fix") {
				t.Errorf("%s: layer %s, action %s: pays %s, pack of %d lines", f.ID, d.Layer, d.Action, d.Pays, len(d.Pack))
			}
			if key := missingPhrase.FindString(d.Reply.Plain()); key != "" {
				t.Errorf("%s: a phrase is missing: %s", f.ID, key)
			}
			if said := d.Reply.Plain(); lang == "en" && hasHan(said) && !hasHan(f.Examples.Match[0]) {
				t.Errorf("%s: Chinese in an English reply: %s", f.ID, said)
			}
		}
	}
}

// The order is read from what stands around a print, or asked for.
func TestVerifyAgainstTheOrder(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	print := func(name string, mib, cards int) string {
		s := "index, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%]\n"
		for i := range cards {
			s += fmt.Sprintf("%d, %s, %d MiB, 1 MiB, 0 %%\n", i, name, mib)
		}
		return s
	}
	const ada = "NVIDIA RTX 6000 Ada Generation"
	for _, tt := range []struct{ before, print, after, want string }{
		{"/verify 2x RTX 4090 24GB\n", print("NVIDIA GeForce RTX 4090", 24564, 2), "", "verify.idle"},
		{"/verify 4x RTX 4090\n", print("NVIDIA GeForce RTX 4090", 24564, 2), "", "verify.fewer-cards"},
		{"租的是两张 4090，帮我验一下\n", print("NVIDIA GeForce RTX 4090", 24564, 1), "", "verify.fewer-cards"},
		{"I rented an RTX 6000 Ada, is this it?\n", print(ada, 49140, 1), "", "verify.idle"},
		{"I rented an H100, is this it?\n", print(ada, 49140, 1), "", "verify.name-not-ordered"},
		{"/verify A100 80G\n", print("NVIDIA A100-SXM4-80GB", 40000, 1), "", "verify.slice"},
		{"/verify cu128\n", "| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2 |\n" + print("NVIDIA A40", 46068, 1), "", "verify.cuda-too-old"},
		{"", print("NVIDIA GeForce RTX 4090", 24564, 1), "2x RTX 4090", "verify.order"},
		{"", print("NVIDIA GeForce RTX 4090", 24564, 1), "不知道", "verify.order"},
	} {
		k, r := say(a, advisor.Known{}, tt.before+tt.print)
		if tt.after != "" {
			k, r = say(a, k, tt.after)
		}
		if !strings.Contains(" "+strings.Join(r.Because, " ")+" ", " "+tt.want+" ") {
			t.Errorf("%q, then %q: got %v, want %s", tt.before, tt.after, r.Because, tt.want)
		}
		if tt.after != "" && k.Conversation.Flow.Kind != "" {
			t.Errorf("%q: the flow is still open: %+v", tt.after, k.Conversation.Flow)
		}
	}
}

// Every card of the catalogue is known by what prints show, with its memory.
func TestCardsInPrints(t *testing.T) {
	a := advisor.New(mustLoad(t))
	for _, tt := range []struct {
		name    string
		mib     int
		verdict string
		card    string
	}{
		{"NVIDIA GeForce RTX 4090", 24564, "idle", "rtx-4090"},
		{"NVIDIA GeForce RTX 4090", 20480, "slice", ""},
		{"NVIDIA GeForce RTX 4090", 49140, "idle", ""},
		{"GeForce RTX 208...", 11019, "idle", "rtx-2080-ti"},
		{"NVIDIA A100-SXM...", 40960, "idle", "a100-40gb-sxm"},
		{"Tesla T4", 15360, "idle", "t4"},
		{"NVIDIA H20", 97871, "idle", "h20-96gb"},
		{"NVIDIA GeForce ...", 8192, "idle", ""},
		{"Something New 9000", 8192, "idle", ""},
	} {
		csv := fmt.Sprintf("name, memory.total [MiB], memory.used [MiB], utilization.gpu [%%]\n%s, %d MiB, 1 MiB, 0 %%\n", tt.name, tt.mib)
		v := a.Verify(csv, "", "", advisor.Message{Lang: "en", At: walkDay})
		if string(v.Verdict.Result) != tt.verdict || len(v.Cards) != 1 || tt.card != "" && v.Cards[0] != tt.card {
			t.Errorf("%s with %d MiB: got %s %v, want %s %s", tt.name, tt.mib, v.Verdict.Result, v.Cards, tt.verdict, tt.card)
		}
	}
}

func FuzzPaste(f *testing.F) {
	for _, s := range []string{"", "```\n", "/verify\n", "/diagnose " + strings.Repeat("|", 300), "2x 4090\nGPU 0: A (UUID: GPU-1)", "Traceback (most recent call last):\n  File \"x.py\", line 1"} {
		f.Add(s, "2x 4090")
	}
	a := advisor.New(mustLoad(f)).WithZones(time.LoadLocation)
	f.Fuzz(func(t *testing.T, paste, after string) {
		k, r := say(a, advisor.Known{}, paste)
		if _, next := say(a, k, after); r.Plain() == "" || next.Plain() == "" {
			t.Errorf("%q, then %q: no reply", paste, after)
		}
	})
}

// After a fault of the platform's, what is offered works: the list for a swap,
// and a reminder about the ticket, with the report last. Refs fit into a button.
func TestAfterAFault(t *testing.T) {
	book := mustLoad(t)
	a := advisor.New(book).WithZones(time.LoadLocation)
	for _, lang := range book.Langs {
		k := advisor.Known{Profile: advisor.Profile{Lang: lang}}
		k, r := say(a, k, "NVRM: Xid (PCI:0000:41:00): 79, pid=99, GPU has fallen off the bus.\nNVRM: GPU at PCI:0000:41:00: GPU-0")
		if len(r.Choices) != 3 {
			t.Fatalf("%s: got the choices %v", lang, r.Choices)
		}
		for i, want := range []string{"checklist.swap", "ticket"} {
			ref := r.Choices[i].Ref
			if len(ref) > 40 {
				t.Errorf("%s: the ref %q has %d bytes, want 40 at most", lang, ref, len(ref))
			}
			_, next, effects := a.Answer(k, advisor.Message{ID: "3", Key: "k", Kind: advisor.KindChoice, Choice: ref, At: walkDay, Addressed: true})
			if !strings.Contains(strings.Join(next.Because, " "), want) || (want == "ticket") != (len(effects) == 1) {
				t.Errorf("%s, %s: got %v, %d effects", lang, ref, next.Because, len(effects))
			}
		}
	}
}
