//go:build unix

package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/bolt"
	"gpuadvisor/advisor"
)

var key = adapters.Key("chat", "bot", "room", "", "me")

// commit stores the n-th turn, from 0, with a text.
func commit(s *bolt.Store, key advisor.Key, n int, text string) error {
	_, err := s.Conversations().Commit(context.Background(), key, adapters.Turn{
		MessageID:    fmt.Sprint(n),
		Conversation: advisor.Conversation{Version: int64(n), Turns: n + 1},
		Reply:        advisor.Reply{Act: text},
	})
	return err
}

func mustOpen(t *testing.T, path string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(path)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s
}

// filled is a file with some hundred turns in it.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := bolt.OpenAt(path, time.Now)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	for n := range 400 {
		who := adapters.Key("chat", "bot", "room", "", fmt.Sprint(n))
		if err := commit(s, who, 0, strings.Repeat("text ", 200)); err != nil {
			t.Fatalf("Commit: %v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	return path
}

// TestSecondProcess: the file is for one process; another is told what to do.
func TestSecondProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	if err := commit(s, key, 0, "mine"); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "ADAPTERTEST_PLACE="+path)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "REDIS_URL") || !strings.Contains(string(out), "another process") {
		t.Errorf("a second process: %v, said %q; want it to fail and to name REDIS_URL", err, out)
	}
	if err := commit(s, key, 1, "mine"); err != nil {
		t.Errorf("the first process afterwards: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	s = mustOpen(t, path) // let go of
	if c, err := s.Conversations().Load(t.Context(), key); err != nil || c.Version != 2 {
		t.Errorf("after reopening: version %d, %v; want 2", c.Version, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// refuse opens a file that must not be taken, and must be left as it is.
func refuse(t *testing.T, what, path string, want error) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := bolt.Open(path)
	if err == nil {
		s.Close()
		t.Errorf("%s was taken", what)
	} else if want != nil && !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	} else if !strings.Contains(err.Error(), path) || len(err.Error()) > len(path)+400 {
		t.Errorf("%s: got %v, want a short error that names the file", what, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%s was changed", what)
	}
	// It is not held either.
	if f, err := os.OpenFile(path, os.O_RDWR, 0); err != nil {
		t.Error(err)
	} else {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			t.Errorf("%s is still locked: %v", what, err)
		}
		f.Close()
	}
}

func TestGarbage(t *testing.T) {
	dir := t.TempDir()
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	for what, content := range map[string][]byte{
		"one byte":   {0},
		"a text":     []byte("this is my diary\n"),
		"a database": append([]byte("SQLite format 3\x00"), noise...),
		"noise":      noise,
		"zeros":      make([]byte, 100_000),
	} {
		path := filepath.Join(dir, what)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		refuse(t, what, path, nil)
	}
	path := filepath.Join(dir, "theirs.db")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("theirs"))
		return err
	})
	db.Close()
	refuse(t, "another program's file", path, adapters.ErrForeign)
	if s, err := bolt.Open(dir); err == nil {
		s.Close()
		t.Error("a folder was taken for a file")
	}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	if s, err := bolt.Open(filepath.Join(locked, "store.db")); err == nil {
		s.Close() // we are root
	} else if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a folder that cannot be written to: got %v", err)
	}
}

func TestNewer(t *testing.T) {
	path := filled(t)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("schema"), []byte("99"))
	}); err != nil {
		t.Fatal(err)
	}
	db.Close()
	refuse(t, "a newer file", path, adapters.ErrNewer)
}

// TestCutOff cuts a file at many places.
func TestCutOff(t *testing.T) {
	path := filled(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used := len(bytes.TrimRight(whole, "\x00"))
	page := os.Getpagesize()
	cut := filepath.Join(t.TempDir(), "cut.db")
	for _, size := range []int{1, 100, page - 1, page, page + 1, 2 * page, 3 * page, 4*page + 7, used / 4, used / 2, used - 2*page, used - page} {
		if err := os.WriteFile(cut, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		refuse(t, fmt.Sprintf("a file cut to %d of %d bytes", size, used), cut, nil)
	}
	if err := os.WriteFile(cut, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := mustOpen(t, cut).Close(); err != nil {
		t.Errorf("the whole file: %v", err)
	}
}

// TestDamage overwrites pages of a file, one after the other. Whatever that
// hits, the file is refused, or what is read from it is right, or reading it is
// an error.
func TestDamage(t *testing.T) {
	path := filled(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	pages := len(bytes.TrimRight(whole, "\x00"))/page + 1
	bad := filepath.Join(t.TempDir(), "bad.db")
	refused := 0
	for n := 0; n < pages; n += max(1, pages/25) {
		hurt := bytes.Clone(whole)
		for i := n * page; i < (n+1)*page && i < len(hurt); i++ {
			hurt[i] = byte(rand.Uint32())
		}
		if err := os.WriteFile(bad, hurt, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := bolt.Open(bad)
		if err != nil {
			refused++
			if after, _ := os.ReadFile(bad); !bytes.Equal(hurt, after) {
				t.Errorf("damaged in page %d: refused (%v) and changed", n, err)
			}
			continue
		}
		for who := range 400 {
			c, err := s.Conversations().Load(t.Context(), adapters.Key("chat", "bot", "room", "", fmt.Sprint(who)))
			if err == nil && c.Turns != 1 || err != nil && !strings.Contains(err.Error(), "damaged") {
				t.Errorf("damaged in page %d: taken, but conversation %d has %d turns, %v", n, who, c.Turns, err)
				break
			}
		}
		s.Close()
	}
	if refused < 5 {
		t.Errorf("only %d damaged files were refused", refused)
	}
}

// TestDamageWhileRunning overwrites the file under an open store: calls end in
// an error, not in a crash or a wait without end.
func TestDamageWhileRunning(t *testing.T) {
	path := filled(t)
	s := mustOpen(t, path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	noise := bytes.Repeat([]byte{0xa5}, int(info.Size())-2*os.Getpagesize())
	if _, err := f.WriteAt(noise, int64(2*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for range 3 {
		if _, err := s.Conversations().Load(t.Context(), key); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("Load from a damaged file: got %v, want an error that says so", err)
		}
		if err := commit(s, key, 0, "x"); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("Commit to a damaged file: got %v, want an error that says so", err)
		}
		if err := s.Ping(t.Context()); err == nil {
			t.Error("a damaged store answers a ping")
		}
	}
}

// TestShrunkWhileRunning cuts the file off under an open store.
func TestShrunkWhileRunning(t *testing.T) {
	path := filled(t)
	s := mustOpen(t, path)
	if err := os.Truncate(path, int64(2*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Conversations().Load(t.Context(), key); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("Load from a file that was cut off: got %v, want an error that says so", err)
	}
	if err := commit(s, key, 0, "x"); err == nil {
		t.Error("Commit to a file that was cut off went well")
	}
}

// TestChangedByte changes one byte of a record, such that it still reads well.
func TestChangedByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := mustOpen(t, path)
	if _, err := s.Settings().Put(t.Context(), "person:me", "n", adapters.Record{Data: []byte("100 GPUs for 100 hours")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, after := []byte(`{"v":1,`), []byte(`{"v":9,`)
	if !bytes.Contains(file, before) {
		t.Fatalf("the file does not contain %s", before)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(file, before, after), 0o600); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, path)
	defer s.Close()
	if r, err := s.Settings().Get(t.Context(), "person:me", "n"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a changed record: got %+v, %v; want an error that says so", r, err)
	}
}

// TestDiskFull fills a small file system. Needs to be root to mount one;
// TestNoRoom does without.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Logf("no small file system to fill (%v): only a limit on the size of a file was tested", err)
		return
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, filepath.Join(dir, "store.db"))
	fillUp(t, s, func() { os.Remove(ballast) })
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// fillUp commits until there is no room, makes room and goes on.
func fillUp(t *testing.T, s *bolt.Store, makeRoom func()) {
	t.Helper()
	long := strings.Repeat("很长", 15_000)
	who := func(n int) advisor.Key { return adapters.Key("chat", "bot", "room", "", fmt.Sprint(n)) }
	n, full := 0, error(nil)
	for ; n < 1000 && full == nil; n++ {
		full = commit(s, who(n), 0, long)
	}
	n--
	if !errors.Is(full, adapters.ErrUnavailable) {
		t.Fatalf("Commit to a full disk, after %d that went well: got %v, want ErrUnavailable", n, full)
	}
	check := func(what string) {
		t.Helper()
		for i := range n + 1 {
			want := int64(1)
			if i == n {
				want = 0
			}
			if c, err := s.Conversations().Load(t.Context(), who(i)); err != nil || c.Version != want {
				t.Fatalf("%s: conversation %d of %d has version %d, %v; want %d", what, i, n, c.Version, err, want)
			}
		}
	}
	check("the disk is full")
	if err := commit(s, who(n), 0, long); err == nil {
		t.Error("Commit to a full disk went well at the second try")
	}
	check("the disk is still full")
	makeRoom()
	for range 3 {
		if err := commit(s, who(n), 0, long); err != nil {
			t.Fatalf("Commit when there is room again: %v", err)
		}
		n++
	}
	check("there is room again")
}

// TestNoRoom limits how large a file may grow.
func TestNoRoom(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	s := mustOpen(t, filepath.Join(t.TempDir(), "store.db"))
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limited := before
	limited.Cur = 24 << 20 // well above what the test writes elsewhere
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limited); err != nil {
		t.Fatal(err)
	}
	free := func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	}
	defer free()
	fillUp(t, s, free)
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// TestBackup writes a backup while turns are taken.
func TestBackup(t *testing.T) {
	s := mustOpen(t, filled(t))
	var stop sync.WaitGroup
	done := make(chan bool)
	n := 0
	stop.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if err := commit(s, key, n, "hello"); err != nil {
				t.Errorf("Commit: %v", err)
				return
			}
			if _, err := s.Settings().Put(t.Context(), "person:me", "n", adapters.Record{Version: int64(n), Data: fmt.Append(nil, n)}); err != nil {
				t.Errorf("Put: %v", err)
				return
			}
			n++
		}
	})
	path := filepath.Join(t.TempDir(), "backup.db")
	for range 5 {
		var backup bytes.Buffer
		size, err := s.WriteTo(&backup)
		if err != nil || size != int64(backup.Len()) {
			t.Fatalf("WriteTo = %d, %v; wrote %d", size, err, backup.Len())
		}
		if err := os.WriteFile(path, backup.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		b := mustOpen(t, path)
		c, err := b.Conversations().Load(t.Context(), key)
		r, err2 := b.Settings().Get(t.Context(), "person:me", "n")
		if err != nil || err2 != nil || c.Version != r.Version && c.Version != r.Version+1 {
			t.Errorf("a backup has turn %d and record %d, %v, %v; want both of one moment", c.Version, r.Version, err, err2)
		}
		if c, err := b.Conversations().Load(t.Context(), adapters.Key("chat", "bot", "room", "", "399")); err != nil || c.Turns != 1 {
			t.Errorf("a backup has lost a conversation: %+v, %v", c, err)
		}
		b.Close()
	}
	close(done)
	stop.Wait()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// TestSweep: what expired leaves the disk, and nothing else.
func TestSweep(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := bolt.OpenAt(path, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	who := func(n int) advisor.Key { return adapters.Key("chat", "bot", "room", "", fmt.Sprint(n)) }
	add := func(n int) {
		t.Helper()
		if err := commit(s, who(n), 0, "hello"); err != nil {
			t.Fatal(err)
		}
		for name, until := range map[string]time.Time{"profile": {}, "rental": now.Add(time.Hour)} {
			if _, err := s.Settings().Put(ctx, adapters.Person(who(n)), name, adapters.Record{Data: []byte("x"), Until: until}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Reminders().Add(ctx, advisor.Reminder{ID: "1", Key: who(n), At: now}); err != nil {
			t.Fatal(err)
		}
		due, _, err := s.Reminders().Claim(ctx, 1, time.Minute)
		if err != nil || len(due) != 1 {
			t.Fatalf("Claim: %v, %v", due, err)
		}
		if err := s.Reminders().Finish(ctx, due[0], adapters.Fate{Dead: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 1500 {
		add(n)
	}
	now = now.Add(31 * 24 * time.Hour)
	for n := 1500; n < 1510; n++ {
		add(n)
	}
	if err := s.Sweep(ctx); err != nil {
		t.Fatalf("sweep: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.View(func(tx *bbolt.Tx) error {
		for bucket, want := range map[string]int{"conversations": 10, "settings": 1510 + 10, "reminders": 10, "dead": 10, "due": 0, "rooms": 0} {
			if got := tx.Bucket([]byte(bucket)).Stats().KeyN; got != want {
				t.Errorf("%d %s are left, want %d", got, bucket, want)
			}
		}
		return nil
	})
}
