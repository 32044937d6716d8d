package discord

import (
	"strings"
	"testing"
	"unicode/utf16"

	"gpuadvisor/advisor"
)

// pasted is what the advisor got after somebody did something.
func pasted(t *testing.T, advice *talk, d *Discord) advisor.Message {
	t.Helper()
	d.idle()
	all := advice.all()
	if len(all) == 0 {
		return advisor.Message{}
	}
	return all[len(all)-1]
}

func TestPaste(t *testing.T) {
	advice := &talk{}
	both(t, Config{}, advice.turn, func(t *testing.T, f *fake, d *Discord, ann, _ person) {
		form := ann.command("examine")
		if form.Kind != 9 || form.Form.Components[0].Components[0].MaxLength != maxInput {
			t.Fatalf("nothing given: type %d, want a form", form.Kind)
		}
		ann.submit(form, "Xid 79\nline two")
		if m := pasted(t, advice, d); m.Text != "/examine Xid 79\nline two" {
			t.Errorf("by form: got %q", m.Text)
		}
		ann.command("examine", "text", "CUDA error")
		if m := pasted(t, advice, d); m.Text != "/examine CUDA error" || !m.Commanded {
			t.Errorf("by option: got %q", m.Text)
		}
		log := strings.Repeat("NCCL error\n", 1000)
		f.keep("train.log", []byte("\ufeff"+log))
		in := ann.interaction(2, map[string]any{
			"name": "examine", "options": []any{map[string]any{"name": "file", "type": 11, "value": "77"}},
			"resolved": map[string]any{"attachments": map[string]any{"77": f.attachment("train.log", "text/plain; charset=utf-8", len(log))}},
		}, nil)
		if m := pasted(t, advice, d); m.Text != "/examine "+strings.TrimSpace(log) || in.Kind != 5 {
			t.Errorf("by file: %d bytes, type %d; want %d after a thinking", len(m.Text), in.Kind, len(log))
		}
		ann.interaction(2, map[string]any{
			"name": "Examine", "type": 3, "target_id": "88",
			"resolved": map[string]any{"messages": map[string]any{"88": map[string]any{
				"content": "look at this", "attachments": []any{f.attachment("train.log", "", len(log))}, "components": []any{map[string]any{"type": 42}},
			}}},
		}, nil)
		if m := pasted(t, advice, d); !strings.HasPrefix(m.Text, "/examine look at this\nNCCL error") {
			t.Errorf("from a message: got %.60q", m.Text)
		}
		empty := ann.interaction(2, map[string]any{"name": "Examine", "type": 3, "target_id": "88", "resolved": map[string]any{"messages": map[string]any{"88": map[string]any{}}}}, nil)
		if empty.Kind != 9 {
			t.Errorf("from an empty message: type %d, want a form", empty.Kind)
		}
	})
}

func TestFileThatIsNone(t *testing.T) {
	f := newFake(t)
	advice := &talk{}
	d := quick(t, f, Config{})
	served(t, d, advice.turn)
	p := person{f: f, id: ann, room: fakeRoom}
	f.keep("core.bin", []byte("\x7fELF\x00\x00"))
	f.keep("long.txt", []byte(strings.Repeat("x", maxPaste+1)))
	for _, tt := range []struct {
		name string
		file attachment
		want string
	}{
		{"too large", f.attachment("a.log", "text/plain", maxPaste+1), "paste.large"},
		{"larger than it says", f.attachment("long.txt", "text/plain", 10), "paste.large"},
		{"a picture", f.attachment("a.png", "image/png", 10), "paste.kind"},
		{"a program", f.attachment("a.exe", "application/x-dosexec", 10), "paste.kind"},
		{"binary", f.attachment("core.bin", "text/plain", 10), "paste.kind"},
		{"gone", f.attachment("gone.txt", "text/plain", 10), "paste.lost"},
		{"elsewhere", attachment{Name: "a.txt", URL: "http://169.254.169.254/latest/meta-data"}, "paste.lost"},
		{"elsewhere in disguise", attachment{Name: "a.txt", URL: "https://discordapp.com.evil.example/a.txt"}, "paste.lost"},
		{"a file of ours", attachment{Name: "a.txt", URL: "file:///etc/passwd"}, "paste.lost"},
	} {
		in := p.interaction(2, map[string]any{
			"name": "examine", "options": []any{map[string]any{"name": "file", "type": 11, "value": "77"}},
			"resolved": map[string]any{"attachments": map[string]any{"77": tt.file}},
		}, nil)
		d.idle()
		if in.Original == nil || !strings.HasPrefix(in.Original.Content, tt.want) {
			t.Errorf("%s: got %+v, want %s", tt.name, in.Original, tt.want)
		}
	}
	if n := len(advice.all()); n != 0 {
		t.Errorf("%d of them reached the advisor", n)
	}
}

// TestFileInAMessage: a file under a message is part of what is said.
func TestFileInAMessage(t *testing.T) {
	f := newFake(t)
	advice := &talk{}
	d := quick(t, f, Config{})
	served(t, d, advice.turn)
	f.keep("out.log", []byte("CUDA out of memory"))
	p := person{f: f, id: ann}
	p.write("/examine", f.attachment("out.log", "", 18))
	f.until(func() bool { return len(advice.all()) == 1 })
	if m := pasted(t, advice, d); m.Text != "/examine\nCUDA out of memory" {
		t.Errorf("got %q", m.Text)
	}
}

func (f *fake) keep(name string, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[name] = data
}

func (f *fake) attachment(name, kind string, size int) attachment {
	return attachment{Name: name, Type: kind, Size: int64(size), URL: f.url() + "/files/" + name}
}

func TestDecodeText(t *testing.T) {
	wide := func(mark string, swap bool) []byte {
		b := []byte(mark)
		for _, u := range utf16.Encode([]rune("显存 😀")) {
			if swap {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return b
	}
	for _, tt := range []struct {
		in   []byte
		want string // "" for not text
	}{
		{[]byte("plain"), "plain"}, {[]byte("\ufeff显存"), "显存"}, {wide("\xff\xfe", false), "显存 😀"}, {wide("\xfe\xff", true), "显存 😀"},
		{[]byte("some \xff text with one broken byte in it"), "some \uFFFD text with one broken byte in it"},
		{[]byte("\x00\x01"), ""}, {[]byte(strings.Repeat("\xff\xfa", 40)), ""},
	} {
		got, err := decodeText(tt.in)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("decodeText(%.20q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

func FuzzDecodeText(f *testing.F) {
	f.Add([]byte("\xff\xfe1\x00"))
	f.Add([]byte("plain"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := decodeText(b); err == nil && strings.Contains(s, "\x00") {
			t.Errorf("%q is taken for text", s)
		}
	})
}
