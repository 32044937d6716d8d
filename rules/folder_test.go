//go:build unix

package rules_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gpuadvisor/rules"
)

// TestFolderOfOddThings: what stands in the place of a file and is none is named,
// is not waited for, and nothing from elsewhere is quoted.
func TestFolderOfOddThings(t *testing.T) {
	const secret = "root:x:0:0 not a rule"
	outside := filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(outside, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		put  func(file string) error
		want string
	}{
		{"a pipe", func(f string) error { return syscall.Mkfifo(f, 0o600) }, "a pipe"},
		{"a device", func(f string) error { return os.Symlink("/dev/zero", f) }, "leads out of the folder"},
		{"a link out", func(f string) error { return os.Symlink(outside, f) }, "leads out of the folder"},
		{"a relative link out", func(f string) error {
			to, err := filepath.Rel(filepath.Dir(f), outside)
			if err != nil {
				return err
			}
			return os.Symlink(to, f)
		}, "leads out of the folder"},
		{"a link to nothing", func(f string) error { return os.Symlink("nowhere.yaml", f) }, "a link to nothing"},
		{"a folder", func(f string) error { return os.MkdirAll(filepath.Join(f, "below.yaml"), 0o700) }, "a folder with the name of a file"},
		{"a huge file", func(f string) error {
			if err := os.WriteFile(f, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(f, 64<<20)
		}, "64.0 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "rules")
			if err := os.MkdirAll(filepath.Join(dir, "cards"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := tt.put(filepath.Join(dir, "cards", "odd.yaml")); err != nil {
				t.Fatal(err)
			}
			_, err := rules.LoadDir(dir)
			if err == nil || !strings.Contains(err.Error(), "cards/odd.yaml: found "+tt.want) && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q of cards/odd.yaml", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "root:x") {
				t.Errorf("it quotes what lies elsewhere: %v", err)
			}
		})
	}
}

// TestFolderWithLinks: files that are links within the folder are read, as they
// are in the volumes of a container.
func TestFolderWithLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rules")
	if err := os.CopyFS(dir, rules.Embedded()); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "..data-1")
	if err := os.Mkdir(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "words", "en.yaml")
	if err := os.Rename(file, filepath.Join(kept, "en.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../..data-1/en.yaml", file); err != nil {
		t.Fatal(err)
	}
	if _, err := rules.LoadDir(dir); err != nil {
		t.Errorf("got %v, want the rules", err)
	}
}
