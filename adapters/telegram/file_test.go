package telegram

import (
	"strings"
	"testing"
)

func TestFiles(t *testing.T) {
	f, _, d := open(t, nil)
	f.files["log.txt"] = []byte("\ufeffRuntimeError: CUDA out of memory\r\n显存不足\n")
	f.files["smi.txt"] = append([]byte{0xFF, 0xFE}, []byte("G\x00P\x00U\x00\x00\x90\n\x00")...) // UTF-16, as PowerShell writes
	f.files["large.log"] = []byte(strings.Repeat("x", largestFile+1))
	f.files["archive.zip"] = []byte("PK\x03\x04\x00\x00\x00\x00")
	f.files["empty.txt"] = []byte(" \n")
	f.files["latin1.log"] = []byte("temp\xe9rature " + strings.Repeat("ok ", 50))
	doc := func(name string, size int) map[string]any {
		return map[string]any{"document": map[string]any{"file_id": name, "file_name": name, "file_size": size}, "text": nil, "caption": nil}
	}
	for _, tt := range []struct {
		name  string
		extra map[string]any
		text  string // at the desk
		told  string // by us
	}{
		{"a log", doc("log.txt", 40), "RuntimeError: CUDA out of memory\r\n显存不足", ""},
		{"UTF-16", doc("smi.txt", 12), "GPU退", ""},
		{"larger than it says", doc("large.log", 0), "", "只收文本文件"},
		{"too large", doc("log.txt", largestFile+1), "", "只收文本文件"},
		{"no text", doc("archive.zip", 8), "", "只收文本文件"},
		{"nothing in it", doc("empty.txt", 2), "", "只收文本文件"},
		{"a few broken bytes", doc("latin1.log", 0), "temp\uFFFDrature " + strings.TrimSpace(strings.Repeat("ok ", 50)), ""},
		{"not there", doc("lost.txt", 5), "", "取不到文件"},
		{"a picture", map[string]any{"photo": []any{}, "text": nil}, "", "请发文字"},
		{"a picture with words", map[string]any{"photo": []any{}, "text": nil, "caption": "/gpu"}, "/gpu", "请发文字\n\nheard /gpu."},
		{"a picture with a question", map[string]any{"photo": []any{}, "text": nil, "caption": "LoRA 7B?"}, "LoRA 7B?", "请发文字\n\nheard LoRA 7B?."},
		{"a voice message", map[string]any{"voice": map[string]any{}, "text": nil}, "", "请发文字"},
		{"a sticker", map[string]any{"sticker": map[string]any{}, "text": nil}, "", "请发文字"},
		{"a GIF", map[string]any{"animation": map[string]any{}, "document": map[string]any{"file_id": "log.txt"}, "text": nil}, "", "请发文字"},
		{"a place", map[string]any{"location": map[string]any{}, "text": nil}, "", "请发文字"},
	} {
		before, shown := len(d.messages()), f.seen(person)
		f.sayWith(person, person, "", tt.extra)
		eventually(t, tt.name, func() bool { return f.seen(person) != shown })
		told := strings.TrimSpace(strings.TrimPrefix(f.seen(person), shown))
		got := strings.Join(d.texts()[before:], "|")
		if got != tt.text || tt.told != "" && told != tt.told {
			t.Errorf("%s: the desk got %.60q, the person is told %.60q; want %.60q and %.60q", tt.name, got, told, tt.text, tt.told)
		}
	}
}

// A command with a file gets the file as its paste.
func TestFileOfACommand(t *testing.T) {
	f, _, d := open(t, nil)
	f.files["smi.txt"] = []byte("| NVIDIA-SMI 550 |\n| 4090 |")
	extra := f.written(group, 51, "/gpu@"+fakeName, map[string]any{"document": map[string]any{"file_id": "smi.txt"}})
	extra["caption"], extra["caption_entities"] = extra["text"], extra["entities"]
	delete(extra, "text")
	delete(extra, "entities")
	f.deliver(map[string]any{"message": extra})
	if m := d.waits(1); m.Text != "/gpu \n| NVIDIA-SMI 550 |\n| 4090 |" || !m.Commanded {
		t.Errorf("got %q", m.Text)
	}
}

// An album of pictures is one message to people: they are told once.
func TestAlbum(t *testing.T) {
	f, _, _ := open(t, nil)
	for album, caption := range map[string]any{"a1": nil, "a2": "LoRA 7B?"} {
		before := f.seen(person)
		f.sayWith(person, person, "", map[string]any{"photo": []any{}, "text": nil, "media_group_id": album, "caption": caption})
		for range 3 {
			f.sayWith(person, person, "", map[string]any{"photo": []any{}, "text": nil, "media_group_id": album})
		}
		f.say(person, person, "end of "+album)
		eventually(t, "the end", func() bool { return strings.Contains(f.seen(person), "end of "+album) })
		if n := strings.Count(strings.TrimPrefix(f.seen(person), before), "请发文字"); n != 1 {
			t.Errorf("%s: told %d times, want once", album, n)
		}
	}
}

// A download that fails for a moment is tried again.
func TestFileLater(t *testing.T) {
	t.Parallel()
	f, _, d := open(t, nil)
	f.files["log.txt"] = []byte("some log")
	f.breakWith(fault{method: "getFile", times: 1, status: 502, body: "<html>"})
	f.sayWith(person, person, "", map[string]any{"text": nil, "document": map[string]any{"file_id": "log.txt"}})
	if m := d.waits(1); m.Text != "some log" {
		t.Errorf("got %q", m.Text)
	}
}
