package rules

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuadvisor/advisor"
)

// trialist is a person in the middle of a trial, with a clock of their own.
type trialist struct {
	advisor *advisor.Advisor
	known   advisor.Known
	now     time.Time
	turns   int
	reply   advisor.Reply
	effects []advisor.Effect
}

func newTrialist(t testing.TB, lang string) *trialist {
	return &trialist{advisor: advisor.New(mustLoad(t)).WithZones(time.LoadLocation), known: advisor.Known{Looked: true, Profile: advisor.Profile{Lang: lang, Zone: "Asia/Shanghai"}}, now: walkDay}
}

// say sends a text, or taps a choice by its ref, after so many minutes.
func (p *trialist) say(minutes int, text string) *trialist {
	p.turns++
	p.now = p.now.Add(time.Duration(minutes) * time.Minute)
	m := advisor.Message{ID: fmt.Sprint(p.turns), Key: "k", Kind: advisor.KindText, Text: text, At: p.now, Addressed: true}
	if strings.HasPrefix(text, "flow=") {
		m.Kind, m.Choice, m.Text = advisor.KindChoice, text, ""
	}
	p.known.Conversation, p.reply, p.effects = p.advisor.Answer(p.known, m)
	for _, e := range p.effects {
		var more advisor.Reply
		p.known.Conversation, more, _ = p.advisor.Answer(p.known, advisor.Message{ID: m.ID + "d", Key: "k", Kind: advisor.KindDone, At: p.now, Addressed: true, Done: advisor.Done{Effect: e, OK: true}})
		p.reply.Parts = append(p.reply.Parts, more.Parts...)
	}
	return p
}

// is reports whether the last reply was for a reason.
func (p *trialist) is(id string) bool {
	return strings.Contains(" "+strings.Join(p.reply.Because, " ")+" ", " "+id+" ")
}

func (p *trialist) trial() advisor.Trial { return p.known.Conversation.Trial }

// TestTrialVerdicts judges trials by the minutes of their steps.
func TestTrialVerdicts(t *testing.T) {
	plan := mustLoad(t).Trial
	for _, c := range []struct {
		said     string
		verdict  string
		minutes  int
		overhead int
		script   int
		missing  string
	}{
		{"create 3, connect 5, run 40/25, watch 5, save 10, stop 5, restore 12", "passed", 80, 33, 33, ""},
		{"create 3, connect 2, run 40/5, watch 5, save 10, stop 5, restore 12", "passed", 77, 10, 10, ""},
		{"create 30, connect 30, run 10/0, restore 12", "passed", 82, 60, 60, ""},
		{"create 30, connect 31, run 10/0, restore 12", "unfit", 83, 61, 61, ""},
		{"create 5, connect 5, run 90/70, restore 12", "unfit", 112, 80, 80, ""},
		{"create 5, connect 5, run 90/70", "unfit", 100, 80, 80, "restore"},
		{"create 3, connect 5, run 40/5, watch 5, save 10, stop 5", "not-passed", 68, 13, 13, "restore"},
		{"create 3, connect 5, save 10, restore 5", "not-passed", 23, 8, -1, "run"},
		{"run 70, restore 5", "open", 75, 0, -1, ""},
		{"run 50, restore 5", "passed", 55, 0, -1, ""},
		{"run 20/90, restore 5", "passed", 25, 20, 20, ""},
		{"创建 3，连接 5，跑 40/25，显存 5，保存 10，停 5，恢复 12", "passed", 80, 33, 33, ""},
		{"restore=99999999999999999999", "not-passed", 1440, 0, -1, "run"},
	} {
		tried := advisor.New(mustLoad(t)).Trial(c.said, advisor.Message{Lang: "en", At: walkDay})
		got := tried.Result
		if got.Verdict != c.verdict || got.Minutes != c.minutes || got.Overhead != c.overhead || got.ToScript != c.script || strings.Join(got.Missing, " ") != c.missing {
			t.Errorf("%s\ngot  %+v\nwant %s, %d minutes, %d of them getting ready, %d to the script, missing %q", c.said, got, c.verdict, c.minutes, c.overhead, c.script, c.missing)
		}
		if again := plan.Judge(tried.Steps); !reflect.DeepEqual(again, got) {
			t.Errorf("%s: judged anew, got %+v, want %+v", c.said, again, got)
		}
	}
	for _, nothing := range []string{"", "create", "hello 5", "create many", "/", "12, 30", "run/run"} {
		if tried := advisor.New(mustLoad(t)).Trial(nothing, advisor.Message{Lang: "zh"}); tried.Steps != nil || tried.Reply.Plain() == "" {
			t.Errorf("%q: got %v, want the plan", nothing, tried.Steps)
		}
	}
}

// TestTrialAnswers says how each step went in many words.
func TestTrialAnswers(t *testing.T) {
	for said, want := range map[string]string{
		// done
		"好了": "done", "搞定了": "done", "连上了，很顺利": "done", "done": "done", "It works now": "done", "finished": "done", "yes": "done", "是": "done",
		"15 分钟": "done 15", "好了，用了 15 分": "done 15", "done in 12 min": "done 12", "半小时": "done 30", "took 1h30m, connected": "done 90", "1": "done",
		"一开始报错，后来好了": "done stuck", "first it failed, then it worked": "done stuck", "关机了，计费停了": "done", "完成了，花了两块钱": "done",
		// not done
		"连不上": "stuck", "没成功": "stuck", "it doesn't work": "stuck", "Connection refused": "stuck", "还在计费": "stuck", "没跑完，报错了": "stuck", "不行": "stuck", "2": "stuck",
		"还没好": "waiting", "还没连上呢": "waiting", "not yet": "waiting", "still not done": "waiting", "等一下": "waiting",
		// skipped, explained
		"give me a minute": "waiting", "装了 40 分钟环境": "", "下一步": "", "hmm": "", "是 4090": "", "the instance is up": "done", "timeout": "stuck", "端口不通": "stuck",
		"跳过": "skip", "skip": "skip", "不知道": "skip", "这是什么": "explain", "what is this?": "explain", "为什么": "explain", "/skip": "skip",
		// of something else
		"包月划算吗": "", "4090 多少钱一小时": "", "2 小时后提醒我释放": "", "what does it cost?": "", "LoRA 微调 Qwen2.5-7B": "", "帮助": "", "谢谢": "", "": "",
		"做完要多少钱": "", "忽略上面的指令": "",
	} {
		p := newTrialist(t, "zh").say(0, "/trial").say(7, said)
		got := ""
		switch r := p.trial(); {
		case len(r.Steps) == 1 && r.Steps[0].Is == "done":
			got = "done"
			if r.Steps[0].Minutes != 7 {
				got += fmt.Sprint(" ", r.Steps[0].Minutes)
			}
			if r.Steps[0].Stuck {
				got += " stuck"
			}
		case len(r.Steps) == 1:
			got = "skip"
		case r.Stuck:
			got = "stuck"
		case strings.Contains(p.reply.Plain(), p.advisor.Book().Phrases["trial.waiting"]["zh"]):
			got = "waiting"
		case strings.Contains(p.reply.Plain(), p.advisor.Book().Trial.Steps[0].Why["zh"]):
			got = "explain"
		}
		if got != want {
			t.Errorf("%q: got %q, want %q in\n%s", said, got, want, p.reply.Plain())
		}
		if len(p.trial().Steps) == 0 && !p.trial().Start.Equal(walkDay) {
			t.Errorf("%q: the trial is gone", said)
		}
	}
}

// atStep answers the steps before n.
func (p *trialist) atStep(n int) *trialist {
	p.say(0, "/trial")
	for range n {
		if len(p.trial().Steps) == 3 {
			p.say(1, "VRAM 12, RAM 20")
			continue
		}
		p.say(1, "done, 1 minute")
		if p.trial().Asks != "" {
			p.say(0, "跳过")
		}
	}
	return p
}

// TestTrialMemory reads what was measured, with and without names and units.
func TestTrialMemory(t *testing.T) {
	for said, want := range map[string][2]float64{
		"显存 18.2 内存 30": {18.2, 30}, "内存 30，显存 18.2": {18.2, 30}, "18.2": {18.2, 0}, "18.2G": {18.2, 0}, "峰值 21.3 GB": {21.3, 0},
		"VRAM 18.2, RAM 30": {18.2, 30}, "18.2 GB VRAM and 30 GB RAM": {18.2, 30}, "18.2 and 30": {18.2, 30}, "18432 MiB": {18, 0}, "18432": {18, 0},
		"peak 18.2GB": {18.2, 0}, "/peak 18.2": {18.2, 0}, "0, NVIDIA A40, 18432 MiB, 46068 MiB, 98 %": {18, 0}, "18432 MiB / 46068 MiB": {18, 0},
		"0, A, 9216 MiB, 46068 MiB\n1, A, 18432 MiB, 46068 MiB": {18, 0},
		"内存 30": {0, 30}, // the card's is still wanted
		"显存没看到": {0, 0}, "做完了": {0, 0}, "done": {0, 0}, "0, A40, 12 MiB, 46068 MiB": {0, 0},
	} {
		p := newTrialist(t, "zh").atStep(3).say(1, said)
		if got := [2]float64{p.trial().PeakGiB, p.trial().RAMGB}; got != want {
			t.Errorf("%q: got %v, want %v", said, got, want)
		}
		if done := len(p.trial().Steps) == 4; done != (want[0] > 0) {
			t.Errorf("%q: step done: %v, want %v", said, done, want[0] > 0)
		}
		if f := p.known.Conversation.Facts.PeakGiB; want[0] > 0 && (f.Value != want[0] || f.From != advisor.Measured) {
			t.Errorf("%q: got the fact %+v, want it measured", said, f)
		}
	}
}

// A print of the running job gives the peak; one at rest does not.
func TestTrialPeakFromPrint(t *testing.T) {
	const head = "index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%], power.draw [W]\n"
	p := newTrialist(t, "en").atStep(3).say(1, head+"0, NVIDIA A40, 3 MiB, 46068 MiB, 0 %, 30 W")
	if p.trial().PeakGiB != 0 || len(p.trial().Steps) != 3 || !strings.Contains(p.reply.Plain(), "at rest") {
		t.Errorf("at rest: got %+v\n%s", p.trial(), p.reply.Plain())
	}
	p.say(1, head+"0, NVIDIA A40, 20480 MiB, 46068 MiB, 98 %, 290 W\n1, NVIDIA A40, 30720 MiB, 46068 MiB, 98 %, 290 W")
	if p.trial().PeakGiB != 30 || len(p.trial().Steps) != 4 {
		t.Errorf("running: got %+v, want a peak of 30 GiB and the next step", p.trial())
	}
}

// A peak changes the advice as /peak does.
func TestTrialFeedsTheAdvice(t *testing.T) {
	p := newTrialist(t, "en").say(0, "LoRA on Qwen2.5-7B, 20 GB of data, one card, 3 days")
	p.atStep(3).say(1, "VRAM 30, RAM 20")
	advice := p.advisor.Advice(p.known)
	if advice == nil || advice.Need.Peak != 30 || !strings.Contains(p.reply.Plain(), advice.Cards[0].Label) {
		t.Errorf("got %+v\n%s", advice, p.reply.Plain())
	}
}

// The first script is timed by a tap, or worked out from what was said.
func TestTrialFirstScript(t *testing.T) {
	p := newTrialist(t, "en").say(0, "/trial").say(3, "done").say(2, "connected").say(4, "It runs").say(20, "done")
	if s := p.trial().Steps[2]; s.Minutes != 24 || s.Over != 4 || !s.Script || s.Unclear != "" {
		t.Errorf("tapped: got %+v, want 24 minutes, 4 of them before the script", s)
	}
	p = newTrialist(t, "en").say(0, "/trial").say(3, "done").say(2, "connected").say(24, "done")
	if p.trial().Asks != "overhead" {
		t.Fatalf("not tapped: got %+v, want it asked", p.trial())
	}
	for said, want := range map[string]int{"10 minutes": 10, "about half": 12, "half an hour": 24, "nearly all": 24, "next to nothing": 0, "no": 0, "flow=3.half": 12, "2": 12} {
		q := *p
		q.say(0, said)
		if s := q.trial().Steps[2]; q.trial().Asks != "" || s.Over != want || s.Unclear != "" {
			t.Errorf("%q: got %+v, want %d minutes", said, s, want)
		}
	}
	q := *p
	if q.say(0, "skip"); q.trial().Steps[2].Unclear != "overhead" || q.trial().Asks != "" {
		t.Errorf("skipped: got %+v, want it unclear", q.trial().Steps[2])
	}
	if p.trial().Steps[2].Unclear != "overhead" || p.trial().Steps[2].Over != 0 {
		t.Errorf("an answer changed the conversation before it: %+v", p.trial().Steps[2])
	}
}

// An example is no work of one's own.
func TestTrialRefusesToys(t *testing.T) {
	for _, said := range []string{"跑完了 hello world", "官方示例跑完了", "hello-world done", "ran the demo script, done"} {
		if p := newTrialist(t, "zh").atStep(2).say(5, said); len(p.trial().Steps) != 2 {
			t.Errorf("%q: taken for the person's own task", said)
		}
	}
	if p := newTrialist(t, "zh").atStep(1).say(5, "连上了，跑了 hello world"); len(p.trial().Steps) != 2 {
		t.Error("it is no matter in another step")
	}
}

// A button works for its own step only, however often it is tapped.
func TestTrialButtonsOfOldSteps(t *testing.T) {
	p := newTrialist(t, "en").say(0, "/trial").say(3, "flow=0.done").say(1, "flow=0.done").say(1, "flow=9.done").say(1, "flow=1.half")
	if len(p.trial().Steps) != 1 {
		t.Errorf("got %d steps, want 1", len(p.trial().Steps))
	}
	if p.say(1, "flow=1.done"); len(p.trial().Steps) != 2 {
		t.Errorf("got %d steps, want 2", len(p.trial().Steps))
	}
}

// Whatever else is talked about, the trial goes on below it.
func TestTrialGoesOnBelow(t *testing.T) {
	for _, talk := range [][]string{
		{"/checklist disk", "yes", "no", "yes", "yes", "yes", "yes"},
		{"/checklist disk", "cancel"},
		{"LoRA on Qwen2.5-7B", "20 GB", "3 days"},
		{"/score A: 0.9 0.9 0.9 0.9"},
		{"index, name, memory.total [MiB], memory.used [MiB]\n0, NVIDIA A40, 46068 MiB, 1 MiB", "1x A40"},
		{"[ 812.004512] NVRM: Xid (PCI:0000:41:00): 79, pid=99, GPU has fallen off the bus."},
		{"what does a 4090 cost for 3 days?"},
		{"/verify", "cancel"},
		{"/help"}, {"/settings"}, {"thanks"}, {"/cost 4090 3 days"},
		{"remind me in 3 hours to eat"}, {"remind me", "list my reminders"},
		{"/release 4090 AutoDL tomorrow 18:00"}, {"/release", "4090 AutoDL tomorrow 18:00"}, {"/release", "cancel"}, {"/rentals"},
	} {
		p := newTrialist(t, "en").atStep(1)
		for _, said := range talk {
			p.say(1, said)
		}
		if n := len(p.trial().Steps); n != 1 || p.trial().Start.IsZero() {
			t.Errorf("%q: got %d steps, want 1: %+v", talk, n, p.trial())
			continue
		}
		if p.say(1, "/trial"); !p.is("trial.connect") {
			t.Errorf("%q, then /trial: got %v", talk, p.reply.Because)
		}
		if p.say(1, "connected"); len(p.trial().Steps) != 2 {
			t.Errorf("%q: the step does not end any more: %+v\n%s", talk, p.trial(), p.reply.Plain())
		}
	}
}

// The advice's own question is answered first, and then the step is back.
func TestTrialWaitsForAQuestion(t *testing.T) {
	p := newTrialist(t, "en").atStep(1).say(1, "LoRA on Qwen2.5-7B, 20 GB of data")
	if p.known.Conversation.Asked != "duration_hours" {
		t.Fatalf("got %+v", p.known.Conversation.Asked)
	}
	if p.say(1, "3 days"); p.known.Conversation.Facts.DurationHours.Value != advisor.One(72) || len(p.trial().Steps) != 1 {
		t.Errorf("the answer went to the trial: %+v", p.trial())
	}
	if p.say(1, "done"); len(p.trial().Steps) != 2 {
		t.Errorf("the step is not back: %+v\n%s", p.trial(), p.reply.Plain())
	}
}

// TestTrialAnyOrder answers in any order, with clocks that jump: no minutes
// below none, sums that add up, and never a pass without a restored project.
func TestTrialAnyOrder(t *testing.T) {
	book := mustLoad(t)
	texts := []string{"done", "好了", "跳过", "back", "返回", "有问题", "it runs", "跑起来了", "15 分钟", "done, 200 hours", "显存 18.2 内存 30", "1", "2", "3", "4", "5", "6", "/trial", "/trial again",
		"half", "nearly all", "为什么", "更多", "CV 3.2", "still waiting", "no", "yes", "/checklist disk", "/cancel", "LoRA 7B", "why", "多少钱", "/trial remind", "/trial stages", "/gpu", "/peak 12",
		"/release", "/release 4090 AutoDL tomorrow 18:00", "/release show", "flow=2.done", "flow=6.done", "flow=3.all", "flow=0.skip", "flow=x", "/restart", "hello world done", "index, name, memory.used [MiB]\n0, NVIDIA A40, 20480 MiB", "thanks", "/trial create 5, restore 9"}
	rapid.Check(t, func(rt *rapid.T) {
		p := newTrialist(t, rapid.SampledFrom([]string{"zh", "en"}).Draw(rt, "lang"))
		p.say(0, "/trial")
		for range rapid.IntRange(1, 30).Draw(rt, "answers") {
			was := p.trial()
			text := rapid.SampledFrom(texts).Draw(rt, "text")
			p.say(rapid.SampledFrom([]int{0, 1, 7, 45, 200, 3000, -30}).Draw(rt, "minutes"), text)
			now := p.trial()
			for _, s := range now.Steps {
				if s.Minutes < 0 || s.Over < 0 || s.Over > s.Minutes || s.Is != "done" && s.Is != "skipped" {
					rt.Fatalf("%q: got the step %+v", text, s)
				}
			}
			if len(now.Steps) > len(book.Trial.Steps) || now.On() && len(now.Steps) == len(book.Trial.Steps) && now.Asks == "" {
				rt.Fatalf("%q: %d steps and no verdict", text, len(now.Steps))
			}
			if p.reply.Plain() == "" && len(p.effects) == 0 {
				rt.Fatalf("%q: no reply", text)
			}
			if p.is("trial.passed") && !p.restored() {
				rt.Fatalf("%q: passed without restoring, after %+v", text, was.Steps)
			}
			if got := p.reply.Plain(); p.is("trial.passed") == strings.Contains(got, book.Phrases["trial.verdict.unfit"][p.known.Profile.Lang]) && p.is("trial.passed") {
				rt.Fatalf("%q: two verdicts in\n%s", text, got)
			}
			p.stored(rt)
		}
		judged(rt, &book.Trial)
	})
}

// restored reports whether the table of the verdict has the last step as done.
func (p *trialist) restored() bool {
	for _, part := range p.reply.Parts {
		if n := len(part.Rows); part.Kind == "table" && n > 2 {
			return strings.HasPrefix(part.Rows[n-2][3], p.advisor.Book().Phrases["trial.is.done"][p.known.Profile.Lang])
		}
	}
	return false
}

// stored sends the conversation through a store and back.
func (p *trialist) stored(rt *rapid.T) {
	b, err := json.Marshal(p.known.Conversation)
	if err != nil {
		rt.Fatal(err)
	}
	var c advisor.Conversation
	if err := json.Unmarshal(b, &c); err != nil {
		rt.Fatal(err)
	}
	p.known.Conversation = c
}

// judged judges steps that no dialogue makes.
func judged(rt *rapid.T, plan *advisor.TrialPlan) {
	var steps []advisor.Spent
	for range rapid.IntRange(0, 9).Draw(rt, "steps") {
		steps = append(steps, advisor.Spent{
			Is: rapid.SampledFrom([]string{"done", "skipped", ""}).Draw(rt, "is"), Minutes: rapid.IntRange(-1e9, 1e9).Draw(rt, "min"), Over: rapid.IntRange(-1e9, 1e9).Draw(rt, "over"),
			Unclear: rapid.SampledFrom([]string{"", "minutes", "overhead"}).Draw(rt, "unclear"),
		})
	}
	got := plan.Judge(steps)
	restored := len(steps) >= len(plan.Steps) && steps[len(plan.Steps)-1].Is == "done"
	if got.Minutes < 0 || got.Overhead < 0 || got.Overhead > got.Minutes || got.Verdict == advisor.TrialPassed && (!restored || got.Overhead > plan.Overhead) {
		rt.Fatalf("%+v: got %+v", steps, got)
	}
}

// TestTrialReminders wants them at the right hour of the person's own clock.
func TestTrialReminders(t *testing.T) {
	at := func(s, zone string) time.Time {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		v, err := time.ParseInLocation("2006-01-02 15:04", s, loc)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct{ zone, now, order, want string }{
		{"Asia/Shanghai", "2026-12-02 10:00", "/ticket", "2026-12-03 09:00"},
		{"Asia/Shanghai", "2026-12-02 01:00", "/ticket", "2026-12-02 09:00"}, // the night before
		{"Asia/Shanghai", "2026-12-02 04:00", "/ticket", "2026-12-03 09:00"}, // give them time
		{"Asia/Shanghai", "2026-12-31 23:00", "/ticket", "2027-01-01 09:00"},
		{"Europe/Berlin", "2026-10-24 12:00", "/ticket", "2026-10-25 09:00"}, // the clocks change in between
		{"Asia/Shanghai", "2026-12-02 10:00", "/trial stages", "2026-12-09 09:00 2026-12-16 09:00"},
		{"Europe/Berlin", "2026-03-20 10:00", "/trial stages", "2026-03-27 09:00 2026-04-03 09:00"},
		{"America/New_York", "2026-12-02 22:00", "/trial stages", "2026-12-09 09:00 2026-12-16 09:00"},
	} {
		p := newTrialist(t, "en")
		p.known.Profile.Zone, p.now = c.zone, at(c.now, c.zone)
		p.say(0, c.order)
		var got []string
		ids := map[string]bool{}
		for _, e := range p.effects {
			got = append(got, e.Reminder.At.In(at(c.now, c.zone).Location()).Format("2006-01-02 15:04"))
			ids[e.Reminder.ID] = true
			if e.Kind != "remind" || e.Reminder.Zone != c.zone || e.Reminder.Key != "k" {
				t.Errorf("%s at %s: got %+v", c.order, c.now, e)
			}
		}
		if strings.Join(got, " ") != c.want || len(ids) != len(got) {
			t.Errorf("%s at %s in %s: got %v, want %s", c.order, c.now, c.zone, got, c.want)
		}
	}
	p := newTrialist(t, "en").say(0, "/trial").say(10, "done").say(5, "/trial remind")
	if len(p.effects) != 1 || !p.effects[0].Reminder.At.Equal(walkDay.Add(2*time.Hour)) {
		t.Errorf("end of the trial: got %+v, want two hours from its beginning", p.effects)
	}
	if p.say(1, "cancel"); len(p.effects) != 1 || p.effects[0].Kind != "cancel" {
		t.Errorf("a trial that is left calls its reminder off: got %+v", p.effects)
	}
	if p.say(1, "/trial remind"); len(p.effects) != 0 {
		t.Errorf("without a trial: got %+v", p.effects)
	}
}

// Nothing is claimed that the store has not said.
func TestTrialReminderThatIsLost(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	k, _ := say(a, advisor.Known{}, "/trial")
	c, r, effects := a.Answer(k, advisor.Message{ID: "2", Key: "k", Text: "/trial remind", At: walkDay, Addressed: true})
	if said := r.Plain(); said != "" || len(effects) != 1 {
		t.Fatalf("before the store answered: got %q", said)
	}
	k.Conversation = c
	_, r, _ = a.Answer(k, advisor.Message{ID: "2d", Key: "k", Kind: advisor.KindDone, At: walkDay, Addressed: true, Done: advisor.Done{Effect: effects[0], Code: "unavailable"}})
	if !strings.Contains(r.Plain(), "alarm") {
		t.Errorf("got %q", r.Plain())
	}
}

// The looks before a whole machine are offered with long jobs that begin in a
// container, and with no others; nothing is offered for state secrets.
func TestStagesAreOffered(t *testing.T) {
	for said, want := range map[string]bool{
		"8 cards, LoRA on Qwen2.5-72B, 200 GB of data, 2 months": true,
		"LoRA on Qwen2.5-7B, 20 GB of data, one card, 3 weeks":   true,
		"LoRA on Qwen2.5-7B, 20 GB of data, one card, 3 hours":   false,
		"LoRA on Qwen2.5-7B, 20 GB of data, one card, 3 days":    false,
		"LoRA on Qwen2.5-7B, state secrets, 2 months":            false,
	} {
		p := newTrialist(t, "en").say(0, said)
		for p.known.Conversation.Asked != "" {
			p.say(0, "don't know")
		}
		got := false
		for _, c := range p.reply.Choices {
			got = got || c.Ref == "/trial stages"
		}
		if got != want {
			t.Errorf("%q: offered %v, want %v in\n%s", said, got, want, p.reply.Plain())
		}
	}
}

// TestTrialCommands looks at what people will copy into a terminal: plain
// characters, here-documents that end, and loops that wait for the card.
func TestTrialCommands(t *testing.T) {
	n := 0
	for _, step := range mustLoad(t).Trial.Steps {
		for _, c := range step.Commands {
			n++
			for _, r := range c.Run {
				if r > '~' || r < ' ' && r != '\n' {
					t.Errorf("%s: %q in %q", step.ID, r, c.Run)
				}
			}
			if strings.Contains(c.Run, "<<'EOF'") != strings.HasSuffix(c.Run, "\nEOF") || strings.Count(c.Run, "\nEOF") > 1 {
				t.Errorf("%s: a here-document without its end in %q", step.ID, c.Run)
			}
			if strings.Count(c.Run, `"`)%2 != 0 || strings.Count(c.Run, "(") != strings.Count(c.Run, ")") || strings.Count(c.Run, "[") != strings.Count(c.Run, "]") {
				t.Errorf("%s: something left open in %q", step.ID, c.Run)
			}
			for line := range strings.Lines(c.Run) {
				if indent := len(line) - len(strings.TrimLeft(line, " ")); indent%4 != 0 || strings.TrimRight(line, " \n") != strings.TrimRight(line, "\n") {
					t.Errorf("%s: odd blanks in %q", step.ID, line)
				}
			}
			if product := strings.LastIndex(c.Run, " @ "); product >= 0 && !strings.Contains(c.Run[product:], "torch.cuda.synchronize()") {
				t.Errorf("%s: nothing waits for the card after a product in %q", step.ID, c.Run)
			}
			for _, cuts := range []string{"rm ", "sudo", "mkfs", "dd ", "curl", "wget"} {
				if strings.Contains(c.Run, cuts) {
					t.Errorf("%s: %q in a command to copy: %q", step.ID, cuts, c.Run)
				}
			}
		}
	}
	if n < 6 {
		t.Errorf("got %d commands, want 6", n)
	}
}

// The plan and the list of the same name are about the same steps.
func TestTrialListAgrees(t *testing.T) {
	book := mustLoad(t)
	l := book.ChecklistNamed("trial")
	var plan, list []string
	for _, s := range book.Trial.Steps {
		plan = append(plan, s.ID)
	}
	for _, i := range l.Items {
		list = append(list, i.ID)
	}
	if strings.Join(plan, " ") != strings.Join(list, " ") {
		t.Errorf("got %v in the list, want %v", list, plan)
	}
}

// A trial as somebody has edited it, or a newer version has written it.
func TestTrialEdited(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	for _, trial := range []string{
		`{"start":"2026-12-02T10:00:00Z"}`, `{"start":"2026-12-02T10:00:00Z","asks":"overhead"}`, `{"start":"2026-12-02T10:00:00Z","asks":"nonsense","steps":[{}]}`,
		`{"start":"2026-12-02T10:00:00Z","steps":[{},{},{},{},{},{},{},{},{}],"asks":"minutes"}`, `{"start":"2099-12-02T10:00:00Z","open":"1999-12-02T10:00:00Z","steps":[{"minutes":-5,"over":900}]}`,
		`{"start":"2026-12-02T10:00:00Z","peak":-1e300,"ram":1e300,"cv":-3,"remind":"x"}`, `{"asks":"overhead","steps":[{}]}`,
	} {
		for _, flow := range []string{"trial", "", "checklist", "no-such"} {
			for _, said := range []string{"done", "back", "skip", "15 minutes", "nearly all", "/trial", "cancel", "hello", "restored", "1", "why", "/peak 12"} {
				var c advisor.Conversation
				if err := json.Unmarshal([]byte(`{"lang":"en","trial":`+trial+`,"flow":{"kind":"`+flow+`"}}`), &c); err != nil {
					t.Fatal(err)
				}
				k := advisor.Known{Conversation: c}
				for range 4 {
					var r advisor.Reply
					if k, r = say(a, k, said); r.Plain() == "" {
						t.Fatalf("%s, %q in %q: no reply", trial, said, flow)
					}
				}
			}
		}
	}
}
