//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/bolt"
	"gpuadvisor/advisor"
)

// TestOddOrders: what makes no sense is refused in a sentence that says why, in
// the person's language, and nothing is done.
func TestOddOrders(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	whole := openBolt(t, in("whole.db"))
	for i := range 200 {
		key := adapters.Key("chat", "bot", "room", "", strings.Repeat("x", i%50+1))
		r := advisor.Reminder{ID: strings.Repeat("r", i/50+1), Key: key, At: time.Now().Add(time.Hour)}
		if err := whole.Reminders().Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	whole.Close()
	data, err := os.ReadFile(in("whole.db"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"cut.db": data[:9000], "stump.db": data[:100], "empty.db": nil, "text.db": []byte("hello\n")} {
		if err := os.WriteFile(in(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("whole.db", in("link.db")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("pipe.db"), 0o600); err != nil {
		t.Fatal(err)
	}
	tomorrow := time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	if err := os.WriteFile(in("future.csv"), []byte("gpu,currency,price_hour,as_of\n4090,CNY,1.9,2026-01-02\n4090,CNY,1.8,"+tomorrow+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string // with DIR for the folder
		want string
	}{
		{"store copy DIR/whole.db DIR/whole.db", "the same store"},
		{"store copy DIR/whole.db DIR/link.db", "the same store"},
		{"store copy DIR/empty.db DIR/new.db", "empty"},
		{"store copy /dev/null DIR/new.db", "a store is a file"},
		{"store copy DIR DIR/new.db", "a store is a file"},
		{"store copy DIR/pipe.db DIR/new.db", "a store is a file"},
		{"store copy DIR/cut.db DIR/new.db", "the file is damaged"},
		{"store copy DIR/stump.db DIR/new.db", "restore a backup"},
		{"store copy DIR/text.db DIR/new.db", "not written by gpuadvisor"},
		{"chat --store /dev/zero", "a store is a file"},
		{"vram --accuracy --batch x", "stands alone"},
		{"vram --accuracy 7B", "stands alone"},
		{"verify --paid-for zzz nothing", "names no card: zzz"},
		{"when --now 9999-12-31T23:00:00Z tomorrow", "not a time such as"},
		{"prices import DIR/future.csv --provider somewhere --dry-run", "line 3"},
	} {
		args := strings.Fields(strings.ReplaceAll(tt.args, "DIR", dir))
		out, errs, status := play(t, "", append([]string{"--lang", "en"}, args...)...)
		if status == 0 || !strings.Contains(errs, tt.want) || strings.Contains(errs, "runtime error") {
			t.Errorf("%s: status %d, %q %q; want a refusal with %q", tt.args, status, out, errs, tt.want)
		}
		if got, err := os.ReadFile(in("empty.db")); err != nil || len(got) > 0 {
			t.Errorf("%s: the empty file has %d bytes now", tt.args, len(got))
		}
	}
	again, err := bolt.Open(in("whole.db"))
	if err != nil {
		t.Fatalf("the whole store after all that: %v", err)
	}
	again.Close()
}
