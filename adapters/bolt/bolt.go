// Package bolt keeps everything in one file: the store of a bot that runs as
// one process on one machine, with nothing else installed. Each call that
// changes something is one transaction, on disk (fsync) before it returns.
//
// One process has the file at a time. A second one is refused and pointed to
// Redis, which is for several. A file that is damaged, cut off or not ours is
// refused with a reason and left as it is.
//
// What expires is gone for every reader at once; a slow walk over the file
// takes it off the disk later. The file does not shrink: freed pages are used
// again.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"gpuadvisor/adapters"
)

// Store is an adapters.Store.
type Store struct {
	db   *bbolt.DB
	now  func() time.Time
	stop func() // ends the sweeping

	mu      sync.Mutex
	damaged error // found while running: nothing more is read or written
}

var _ adapters.Store = (*Store)(nil)

// Open opens the file, which is made when there is none, with its folder.
func Open(path string) (*Store, error) {
	s, err := open(path, time.Now)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { s.keepSweeping(ctx) })
	s.stop = func() { cancel(); done.Wait() }
	return s, nil
}

// patience is how long a file may be held by a process that is just ending.
const patience = time.Second

func open(path string, now func() time.Time) (s *Store, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is a folder, a device or a pipe; a store is a file")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	var file *os.File
	defer func() {
		if err != nil && file != nil {
			unlock(file) // bbolt lets go of it, unless it panicked
			file.Close()
		}
	}()
	defer catch(&err)()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout:      patience,
		FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag, mode)
			file = f
			return f, err
		},
	})
	if err != nil {
		return nil, explain(err)
	}
	s = &Store{db: db, now: now, stop: func() {}}
	if err := s.inspect(file); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// inspect looks for what would go wrong later, and makes our buckets.
func (s *Store) inspect(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		if tx.Size() > info.Size() {
			return fmt.Errorf("the file is cut off: %d bytes of %d; it was left as it is, restore a backup", info.Size(), tx.Size())
		}
		if info.Size() > checkAtMost {
			return nil
		}
		var first error
		for err := range tx.Check() { // to its end, or its goroutine hangs
			if first == nil {
				first = damage(err)
			}
		}
		return first
	})
	if err != nil {
		return err
	}
	return s.db.Update(prepare)
}

// checkAtMost is the size up to which every page of a file is looked at when
// it is opened, which takes a fraction of a second.
const checkAtMost = 64 << 20

// Conversations implements adapters.Store.
func (s *Store) Conversations() adapters.Conversations { return conversations{s} }

// Settings implements adapters.Store.
func (s *Store) Settings() adapters.Settings { return settings{s} }

// Reminders implements adapters.Store.
func (s *Store) Reminders() adapters.Reminders { return reminders{s} }

// Ping implements adapters.Store.
func (s *Store) Ping(ctx context.Context) error {
	return s.view(ctx, "ping", func(*bbolt.Tx) error { return nil })
}

// Close implements adapters.Store.
func (s *Store) Close() error {
	s.stop()
	return s.db.Close()
}

// WriteTo writes a backup: all of the store as it is at this moment, as a file
// that Open takes. The bot keeps running meanwhile, but may wait with growing
// the file until w has taken it all; a slow w belongs behind a file.
func (s *Store) WriteTo(w io.Writer) (n int64, err error) {
	err = s.view(context.Background(), "back up", func(tx *bbolt.Tx) error {
		n, err = tx.WriteTo(w)
		return err
	})
	return n, err
}

// errSame ends a transaction that turned out to have nothing to change.
var errSame = errors.New("nothing to change")

// view reads in one transaction, update changes in one. what names the call
// in errors.
func (s *Store) view(ctx context.Context, what string, f func(*bbolt.Tx) error) error {
	return s.run(ctx, what, s.db.View, f)
}

func (s *Store) update(ctx context.Context, what string, f func(*bbolt.Tx) error) error {
	return s.run(ctx, what, s.db.Update, f)
}

func (s *Store) run(ctx context.Context, what string, in func(func(*bbolt.Tx) error) error, f func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	damaged := s.damaged
	s.mu.Unlock()
	if damaged != nil {
		return fmt.Errorf("%s: %w", what, damaged)
	}
	var ours error // what f says; another error is one of the disk
	err := s.try(in, func(tx *bbolt.Tx) error {
		ours = f(tx)
		return ours
	})
	switch {
	case err == nil, errors.Is(err, errSame):
		return nil
	case errors.Is(err, adapters.ErrConflict), errors.Is(err, adapters.ErrLost), errors.Is(err, adapters.ErrTooMany):
		return err
	case ours == nil && !errors.Is(err, errDamaged):
		return fmt.Errorf("%s: the file is %w: %w", what, adapters.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// try runs a transaction. bbolt panics over a page that makes no sense; after
// that its locks are in no known state, so the store is closed to all.
func (s *Store) try(in func(func(*bbolt.Tx) error) error, f func(*bbolt.Tx) error) (err error) {
	panicked := true
	defer func() {
		if panicked {
			s.mu.Lock()
			s.damaged = err
			s.mu.Unlock()
		}
	}()
	defer catch(&err)()
	err = in(f)
	panicked = false
	return err
}

// catch makes an error of a panic, also of one over a page that the file does
// not reach to.
func catch(err *error) func() {
	old := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			*err = damage(r)
		}
	}
}

// errDamaged means that what is in the file is not what was written to it.
var errDamaged = errors.New("the file is damaged")

func damage(what any) error {
	if _, ours := what.(runtime.Error); ours { // a page that leads nowhere
		what = "a page of it cannot be read, or it is cut off"
	}
	return fmt.Errorf("%w: %.200v; it was left as it is, restore a backup", errDamaged, what)
}

// explain says what an error of opening means for whoever runs the bot.
func explain(err error) error {
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return errors.New("another process has it open; one file is for one process: for several, set REDIS_URL and let them share a Redis")
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return fmt.Errorf("the file is %w, or damaged (%v); it was left as it is: restore a backup or name another file", adapters.ErrForeign, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; the user that runs the bot must be able to write there", err)
	}
	return err
}
