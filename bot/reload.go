package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
	"gpuadvisor/rules"
)

// reload.go takes rules and prices anew while the bot runs: at SIGHUP, and when
// an operator writes /admin reload. They are read and checked whole, as
// gpuadvisor check does, and only then put in place of the old ones, in one
// step: a turn goes on with the rules that it began with. With any problem the
// old ones stay.
//
// The chats learn the words of the new rules, and what they offer is registered
// once more where it changed.

// knowledge is the rules in use.
type knowledge struct {
	now  atomic.Pointer[advisor.Advisor]
	book atomic.Pointer[advisor.Rulebook]
	from string // folder; "": those that came with the program
	make func(*advisor.Rulebook) *advisor.Advisor
	read func(fs.FS) (*advisor.Rulebook, rules.Report)

	mu sync.Mutex // one reload at a time
}

// readRules reads and checks rules. Tests that look at something else leave the
// check out: it takes its time.
var readRules = rules.CheckedBook

func newKnowledge(book *advisor.Rulebook, a *advisor.Advisor, from string, make func(*advisor.Rulebook) *advisor.Advisor) *knowledge {
	k := &knowledge{from: from, make: make, read: readRules}
	k.now.Store(a)
	k.book.Store(book)
	return k
}

// again reads the rules once more. The error is rules.Problems for rules that
// do not hold; the old ones stay then.
func (k *knowledge) again() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.from == "" {
		return errors.New("set RULES_DIR: the rules in use came with the program and never change")
	}
	fsys, err := rules.Folder(k.from)
	if err != nil {
		return err
	}
	book, report := k.read(fsys)
	if !report.Sound() {
		return unsoundness(report)
	}
	k.now.Store(k.make(book))
	k.book.Store(book)
	return nil
}

// unsoundness is what is wrong with rules, as problems.
func unsoundness(r rules.Report) rules.Problems {
	list := rules.Problems(r.Problems)
	for _, d := range r.Certificate.Details {
		list = append(list, rules.Problem{File: "tables", Found: d, Want: "one advice for every answer"})
	}
	if len(list) == 0 {
		list = rules.Problems{{File: "tables", Found: "no combination of answers", Want: "tables that can be enumerated"}}
	}
	return list
}

// reload reads the rules once more, and says in the log how that went.
func (s *server) reload(ctx context.Context) error {
	err := s.known.again()
	s.meters.reloaded(err == nil)
	var problems rules.Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			s.log.ErrorContext(ctx, "the rules do not hold, the old ones stay", "problem", p.String())
		}
	case err != nil:
		s.log.ErrorContext(ctx, "the rules are not read again, the old ones stay", "err", err)
	default:
		hash := s.known.book.Load().Hash
		s.meters.uses(hash)
		s.log.InfoContext(ctx, "the rules are in use", "hash", hash)
		s.teach(ctx)
	}
	return err
}

// teach gives the chats the words of the rules in use. One that lacks some goes
// on with the old ones.
func (s *server) teach(ctx context.Context) {
	for _, c := range s.chats {
		if err := c.learn(s.known.book.Load()); err != nil {
			s.log.ErrorContext(ctx, "a chat keeps its old words", "chat", c.name, "err", err)
		}
	}
}

// hangup listens for SIGHUP from now on; later ones than the first that waits
// are the same wish.
func hangup() chan os.Signal {
	hung := make(chan os.Signal, 1)
	if len(hangups) > 0 { // of none, Notify would take all
		signal.Notify(hung, hangups...)
	}
	return hung
}

// reloadAt reloads at every signal until ctx ends.
func (s *server) reloadAt(ctx context.Context, hung chan os.Signal) {
	defer signal.Stop(hung)
	for {
		select {
		case <-hung:
			s.reload(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// problemsShown is how many problems fit into an answer; the log has all.
const problemsShown = 10

// reloaded is reload for an operator who asked for it in a chat.
func (s *server) reloaded(ctx context.Context, done *advisor.Done) {
	err := s.reload(ctx)
	var problems rules.Problems
	switch {
	case err == nil:
		done.OK, done.Code = true, s.known.book.Load().Hash
	case errors.As(err, &problems):
		done.Code = "unsound"
		for _, p := range problems[:min(len(problems), problemsShown)] {
			done.Problems = append(done.Problems, quotable(p.String()))
		}
		done.More = len(problems) - len(done.Problems)
	case s.known.from == "":
		done.Code = "embedded"
	default:
		done.Code = "unreadable"
	}
}

// word words a reminder.
func (s *server) word(d adapters.Due, lang string) advisor.Reply {
	return wording(s.known.now.Load())(d, lang)
}
