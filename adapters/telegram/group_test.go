package telegram

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// What is for us in a group, and what is not. Each line is said, then "next",
// which shows that the one before is dealt with.
func TestForUs(t *testing.T) {
	f, chat, d := open(t, nil)
	ours := func() map[string]any {
		return map[string]any{"message_id": 1, "date": 1, "chat": roomOf(group), "from": map[string]any{"id": fakeID, "is_bot": true}}
	}
	theirs := map[string]any{"message_id": 1, "date": 1, "chat": roomOf(group), "from": user(53)}
	for _, tt := range []struct {
		name, text string
		extra      map[string]any
		want       string
	}{
		{"people talking", "which card do you use?", nil, ""},
		{"a command", "/gpu 微调", nil, "/gpu 微调"},
		{"a command with our name", "/GPU@fake_gpu_bot 微调", nil, "/gpu 微调"},
		{"a command after Chinese", "你好 /gpu@Fake_GPU_bot 微调", nil, "/gpu 你好 微调"},
		{"another bot's command", "/gpu@other_bot 微调", nil, ""},
		{"another bot's command in a reply to us", "/stop@other_bot", map[string]any{"reply_to_message": ours()}, ""},
		{"a command that we do not have", "/weather", nil, ""},
		{"our name", "@Fake_GPU_bot 7B", nil, "7B"},
		{"a reply to us", "14B", map[string]any{"reply_to_message": ours()}, "14B"},
		{"a reply to somebody", "14B", map[string]any{"reply_to_message": theirs}, ""},
		{"what inline mode posted", "24 GiB, see /gpu", map[string]any{"via_bot": map[string]any{"id": fakeID, "is_bot": true}}, ""},
		{"another bot", "/gpu hello", map[string]any{"from": map[string]any{"id": 99, "is_bot": true}}, ""},
		{"a channel's post in its group", "/gpu@Fake_GPU_bot", map[string]any{"is_automatic_forward": true, "sender_chat": map[string]any{"id": -100777, "type": "channel"}}, ""},
		{"somebody joined", "", map[string]any{"text": nil, "new_chat_members": []any{user(54)}}, ""},
		{"nobody", "/gpu", map[string]any{"from": nil}, ""},
	} {
		before := len(d.messages())
		f.sayWith(group, 52, tt.text, tt.extra)
		f.say(group, 52, "/gpu next")
		eventually(t, tt.name, func() bool { all := d.texts(); return len(all) > before && all[len(all)-1] == "/gpu next" })
		got := strings.Join(d.texts()[before:], "|")
		if want := strings.TrimPrefix(tt.want+"|/gpu next", "|"); got != want {
			t.Errorf("%s: got %q, want %q", tt.name, got, want)
		}
	}
	for _, m := range d.messages() {
		if m.Key != chat.key(group, 0, 52) || !m.Addressed || m.Lang != "zh" {
			t.Fatalf("got %+v, want an addressed one in Chinese of the person in the group", m)
		}
	}
}

// In a private chat everything that somebody writes is for us, and nothing that
// just happens.
func TestPrivate(t *testing.T) {
	f, _, d := open(t, nil)
	for _, extra := range []map[string]any{
		{"text": nil, "pinned_message": map[string]any{"message_id": 1}},
		{"text": nil, "new_chat_title": "x"},
		{"text": nil, "of_tomorrow": map[string]any{}},
		{"from": map[string]any{"id": 777000, "is_bot": true}, "text": "hello"},
		{"chat": map[string]any{"id": -100, "type": "channel"}, "text": "a post"},
	} {
		f.sayWith(person, person, "", extra)
	}
	for _, text := range []string{"微调 7B", "/unheard_of", "/start vram", "显存 7B"} {
		f.say(person, person, text)
	}
	f.say(person, person, "/gpu@other_bot")
	f.say(person, person, "end")
	d.waits(5)
	if got, want := d.texts(), []string{"微调 7B", "/unheard_of", "/vram", "/vram 7B", "end"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The answer stands in the topic, below the question that it answers.
func TestTopics(t *testing.T) {
	f, chat, d := open(t, nil)
	d.answers(func(m advisor.Message) advisor.Reply {
		return question("how long?", advisor.Choice{Ref: "duration_hours=h2", Label: "2 h"})
	})
	f.sayWith(group, 51, "/gpu@"+fakeName, map[string]any{"message_id": 777, "message_thread_id": 9, "is_topic_message": true})
	m := d.waits(1)
	if m.Key != chat.key(group, 9, 51) {
		t.Errorf("got key %s, want the topic in it", m.Key)
	}
	eventually(t, "the answer", func() bool { return len(f.in(group)) == 1 })
	if got := f.in(group)[0]; got.thread != 9 || got.replyTo != 777 {
		t.Errorf("the answer stands in topic %d, below message %d; want 9 and 777", got.thread, got.replyTo)
	}
	f.pick(group, 51, 1)
	if m := d.waits(2); m.Key != chat.key(group, 9, 51) || m.Choice != "duration_hours=h2" {
		t.Errorf("the tap is %q of %s", m.Choice, m.Key)
	}
	// A chain of replies has a thread number too, and is no topic.
	f.sayWith(group, 51, "/gpu@"+fakeName, map[string]any{"message_thread_id": 12})
	if m := d.waits(3); m.Key != chat.key(group, 0, 51) {
		t.Errorf("a chain of replies: got key %s, want none of a topic", m.Key)
	}
	eventually(t, "its answer", func() bool { return len(f.in(group)) == 2 })
	// A reminder goes to the topic; when that is gone, to the group.
	if err := chat.Send(t.Context(), chat.key(group, 9, 51), reply("remember")); err != nil {
		t.Fatal(err)
	}
	f.breakWith(fault{method: "sendMessage", times: 1, status: 400, body: apiError(400, "Bad Request: message thread not found", "")})
	if err := chat.Send(t.Context(), chat.key(group, 9, 51), reply("remember again")); err != nil {
		t.Fatal(err)
	}
	all := f.in(group)
	if a, b := all[len(all)-2], all[len(all)-1]; a.thread != 9 || b.thread != 0 || a.replyTo != 0 {
		t.Errorf("reminders stand in topics %d and %d, want 9 and none", a.thread, b.thread)
	}
}

// In a group we see only replies, so a question without buttons asks for one.
func TestQuestionWithoutButtons(t *testing.T) {
	f, _, d := open(t, nil)
	d.answers(func(advisor.Message) advisor.Reply { return question("which model?") })
	f.say(group, 51, "/gpu@"+fakeName)
	f.say(person, person, "hello")
	eventually(t, "both answers", func() bool { return len(f.in(group)) == 1 && len(f.in(person)) == 1 })
	if !f.in(group)[0].force || f.in(person)[0].force {
		t.Errorf("asks to reply: %v in the group, %v in private; want only in the group", f.in(group)[0].force, f.in(person)[0].force)
	}
}

// Buttons belong to who was asked.
func TestSomebodyElsesButton(t *testing.T) {
	f, chat, d := open(t, nil)
	d.answers(func(m advisor.Message) advisor.Reply {
		return question("how long?", advisor.Choice{Ref: "duration_hours=h2", Label: "2 h"})
	})
	f.say(group, 51, "/gpu@"+fakeName)
	eventually(t, "the question", func() bool { return len(f.in(group)) == 1 })
	stranger := f.pick(group, 52, 1)
	eventually(t, "a notice", func() bool { return f.answered(stranger).answer != "" })
	if got := f.answered(stranger); got.answer != "alert" || got.text != "不是你的,发 /gpu@"+fakeName {
		t.Errorf("the other person sees %+v, want whose it is and how to start", got)
	}
	own := f.pick(group, 51, 1)
	if m := d.waits(2); m.Choice != "duration_hours=h2" || m.Key != chat.key(group, 0, 51) || m.Actor.ID != "51" {
		t.Errorf("the tap of the one who was asked came as %+v", m)
	}
	eventually(t, "the tap is answered", func() bool { return f.answered(own).answer == "silent" })
	if n := len(d.messages()); n != 2 {
		t.Errorf("%d messages at the desk, want 2: %q", n, d.texts())
	}
}

func TestAnonymous(t *testing.T) {
	f, chat, d := open(t, nil)
	d.answers(func(m advisor.Message) advisor.Reply {
		return question("how long?", advisor.Choice{Ref: "x=1", Label: "2 h"})
	})
	hidden := map[string]any{"from": map[string]any{"id": 1087968824, "is_bot": true, "first_name": "Group"}, "sender_chat": roomOf(group)}
	f.sayWith(group, 0, "/gpu@"+fakeName, hidden)
	want := advisor.Actor{ID: fmt.Sprint(group), Name: "G", Anonymous: true, Admin: true}
	if m := d.waits(1); m.Actor != want || m.Key != chat.key(group, 0, group) {
		t.Errorf("an anonymous admin: got %+v of %s, want %+v", m.Actor, m.Key, want)
	}
	eventually(t, "the question", func() bool { return len(f.in(group)) == 1 })
	other := f.pick(group, 52, 1)
	eventually(t, "a notice", func() bool { return f.answered(other).answer == "alert" })
	f.members[51] = "administrator"
	f.pick(group, 51, 1)
	if m := d.waits(2); m.Actor.ID != want.ID || !m.Actor.Anonymous || m.Choice != "x=1" {
		t.Errorf("an admin's tap for the anonymous one: got %+v by %+v", m.Choice, m.Actor)
	}
	channel := map[string]any{"from": map[string]any{"id": 136817688, "is_bot": true}, "sender_chat": map[string]any{"id": -100999, "type": "channel", "title": "News"}}
	f.sayWith(group, 0, "/gpu@"+fakeName, channel)
	want = advisor.Actor{ID: "-100999", Name: "News", Anonymous: true}
	if m := d.waits(3); m.Actor != want {
		t.Errorf("a channel: got %+v, want %+v", m.Actor, want)
	}
}

// Who is an admin is asked only where it matters.
func TestAdmins(t *testing.T) {
	f, _, d := open(t, func(c *Config) {
		c.Operators = []int64{52}
	})
	f.members[51] = "creator"
	f.say(group, 51, "/gpu@"+fakeName)
	f.say(group, 51, "/group@"+fakeName+" en")
	f.say(group, 52, "/group@"+fakeName)
	d.waits(3)
	for _, m := range d.messages() {
		admin := m.Text == "/group en"
		if m.Actor.Admin != admin || m.Actor.Operator != (m.Actor.ID == "52") {
			t.Errorf("%q by %+v, want admin %v", m.Text, m.Actor, admin)
		}
	}
	if n := len(f.called("getChatMember")); n != 2 {
		t.Errorf("asked %d times who is an admin, want 2", n)
	}
}

func TestMigration(t *testing.T) {
	told := make(chan string, 10)
	f, chat, d := open(t, func(c *Config) {
		c.Moved = func(from, to adapters.Owner) { told <- fmt.Sprint(from, " → ", to) }
	})
	const old, now = -77, -1000000000078
	f.deliver(map[string]any{"message": f.written(old, 51, "", map[string]any{"migrate_to_chat_id": now})})
	f.deliver(map[string]any{"message": f.written(now, 51, "", map[string]any{"migrate_from_chat_id": old})})
	f.say(now, 51, "/gpu@"+fakeName)
	d.waits(1)
	f.breakWith(fault{method: "sendMessage", room: old, times: 9, status: 400, body: apiError(400, "Bad Request: group chat was upgraded to a supergroup chat", fmt.Sprintf(`"migrate_to_chat_id":%d`, now))})
	if err := chat.Send(t.Context(), chat.key(old, 0, 51), reply("follows")); err != nil {
		t.Errorf("Send to the old group: %v", err)
	}
	if !strings.Contains(f.seen(now), "follows") {
		t.Errorf("the new group sees %q", f.seen(now))
	}
	want := fmt.Sprint(chat.room(old), " → ", chat.room(now))
	for range 3 {
		if got := <-told; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
}

func TestThrownOut(t *testing.T) {
	told := make(chan string, 10)
	f, chat, _ := open(t, func(c *Config) {
		c.Gone = func(room adapters.Owner, gone bool) { told <- fmt.Sprint(room, " ", gone) }
	})
	member := func(room int64, status string) {
		f.deliver(map[string]any{"my_chat_member": map[string]any{"chat": roomOf(room), "from": user(51), "date": 1,
			"new_chat_member": map[string]any{"status": status, "user": map[string]any{"id": fakeID}}}})
	}
	expect := func(want string) {
		t.Helper()
		if got := <-told; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	member(group, "kicked")
	expect(fmt.Sprint(chat.room(group), " true"))
	member(group, "member")
	expect(fmt.Sprint(chat.room(group), " false"))
	member(person, "kicked") // blocked
	expect(fmt.Sprint(chat.room(person), " true"))
	member(person, "member")
	expect(fmt.Sprint(chat.room(person), " false"))
	f.breakWith(fault{method: "sendMessage", times: 1, status: 403, body: apiError(403, "Forbidden: bot was blocked by the user", "")})
	if err := chat.Send(t.Context(), chat.key(person, 0, person), reply("hello")); err == nil {
		t.Error("Send to who blocked us: no error")
	}
	expect(fmt.Sprint(chat.room(person), " true"))
}

// Only an edit that changes the last message counts.
func TestEdits(t *testing.T) {
	f, _, d := open(t, nil)
	edit := func(id int, text string) {
		f.deliver(map[string]any{"edited_message": f.written(person, person, text, map[string]any{"message_id": id, "edit_date": 5})})
	}
	f.sayWith(person, person, "first", map[string]any{"message_id": 1})
	f.sayWith(person, person, "微调 7B", map[string]any{"message_id": 2})
	edit(1, "another first")
	edit(2, "微调 7B") // a link preview came, say
	edit(2, "微调 70B")
	edit(2, "微调 70B")
	edit(3, "never seen")
	caption := func(words string) map[string]any {
		return f.written(person, person, "", map[string]any{"message_id": 4, "text": nil, "caption": words, "photo": []any{}})
	}
	f.deliver(map[string]any{"message": caption("LoRA")})
	f.deliver(map[string]any{"edited_message": caption("QLoRA")})
	f.say(person, person, "end")
	d.waits(6)
	if got, want := d.texts(), []string{"first", "微调 7B", "微调 70B", "LoRA", "QLoRA", "end"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAllowedChats(t *testing.T) {
	f, _, d := open(t, func(c *Config) { c.Allowed = []int64{person} })
	f.say(group, 51, "/gpu@"+fakeName)
	f.say(77, 77, "hello")
	f.deliver(map[string]any{"inline_query": map[string]any{"id": "i1", "from": user(77), "query": "vram 7B", "offset": ""}})
	f.say(person, person, "hello")
	d.waits(1)
	eventually(t, "the inline query is answered", func() bool { return len(f.called("answerInlineQuery")) == 1 })
	if got := d.messages(); len(got) != 1 || got[0].Actor.ID != fmt.Sprint(person) {
		t.Errorf("got %+v, want the one of the allowed chat", got)
	}
	if len(f.in(group))+len(f.in(77)) > 0 {
		t.Error("we spoke in a chat that is not allowed")
	}
}

// A reply for the asker alone goes to the private chat.
func TestWhisper(t *testing.T) {
	f, _, d := open(t, nil)
	d.answers(func(m advisor.Message) advisor.Reply {
		r := reply("your settings")
		r.Private = true
		return r
	})
	f.say(group, 51, "/gpu@"+fakeName)
	eventually(t, "word in the group", func() bool { return strings.Contains(f.seen(group), "已私聊回复") })
	if !strings.Contains(f.seen(51), "your settings") || strings.Contains(f.seen(group), "your settings") {
		t.Errorf("in private %q, in the group %q", f.seen(51), f.seen(group))
	}
	f.breakWith(fault{method: "sendMessage", room: 52, times: 1, status: 403, body: apiError(403, "Forbidden: bot can't initiate conversation with a user", "")})
	f.say(group, 52, "/gpu@"+fakeName)
	eventually(t, "a hint in the group", func() bool { return strings.Contains(f.seen(group), "先打开私聊") })
	all := f.in(group)
	if last := all[len(all)-1]; len(last.keys) != 1 || last.keys[0][0].URL != "https://t.me/"+fakeName+"?start=help" || strings.Contains(f.seen(group), "your settings") {
		t.Errorf("the hint is %+v", last)
	}
	f.say(53, 53, "in private")
	eventually(t, "the answer in private", func() bool { return strings.Contains(f.seen(53), "your settings") })
}
