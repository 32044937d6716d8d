package advisor

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/fault"
	"gpuadvisor/advisor/text"
)

// Link prepares the rulebook for use: it builds the maps by id and the
// lexicon. It returns everything that does not fit together: ids that occur
// twice, and names that mean two things which nothing tells apart.
func (b *Rulebook) Link() error {
	var errs []error
	b.cards, errs = byID("card", b.Cards, func(c *Card) string { return c.ID }, errs)
	b.models, errs = byID("model", b.Models, func(m *Model) string { return m.ID }, errs)
	b.tasks, errs = byID("task", b.Tasks, func(t *Task) string { return t.ID }, errs)
	b.asks, errs = byID("question", b.Questions, func(q *Question) string { return q.ID }, errs)
	b.lexicon = newLexicon(b)
	b.slips = newSlips(b)
	b.beside = wordsBeside(b.Words)
	b.costWords = newCostLexicon(b.CostWords)
	b.followups = newFollowLexicon(b.Followups)
	b.arrange()
	b.learnOrders()
	b.learnPatterns()
	b.printed = b.printedNames()
	b.scoreNames, b.scoreNumber = b.scoreWords(), b.scoreNumbers()
	b.faults = sync.OnceValue(func() *fault.Book { // takes 50 ms, and most turns have no paste
		book, _ := b.CompileFaults()
		return book
	})
	return errors.Join(append(errs, b.doubleNames()...)...)
}

// arrange indexes what is looked up for every card of every decision: its
// place in our order of preference, and its prices.
func (b *Rulebook) arrange() {
	b.order, b.boards = map[string]int{}, map[string]bool{}
	for _, p := range b.Prefer {
		for i, id := range p.Cards {
			b.order[id] = i
			if c := b.cards[id]; c != nil {
				b.boards[c.board()] = true
			}
		}
	}
	for i := range b.Cards {
		c := &b.Cards[i]
		_, listed := b.order[c.ID]
		c.common = listed && c.VRAMGB != 0 && c.Rentable != "rare" && c.Rentable != "export-restricted"
	}
	b.largestDomestic = 0
	for i := range b.Cards {
		if c := &b.Cards[i]; c.Class == "domestic" && b.offered(c, &Facts{Domestic: Say(true)}) {
			b.largestDomestic = max(b.largestDomestic, c.Usable())
		}
	}
	b.prices = map[string][]cost.Price{}
	for _, p := range b.Prices { // boards of one label are one thing to whoever rents
		for _, id := range b.sameLabel(p.Card) {
			p.Card = id
			b.prices[id] = append(b.prices[id], p)
		}
	}
}

func byID[T any](what string, list []T, id func(*T) string, errs []error) (map[string]*T, []error) {
	m := make(map[string]*T, len(list))
	for i := range list {
		key := id(&list[i])
		if _, twice := m[key]; twice {
			errs = append(errs, fmt.Errorf("two entries for the %s %q", what, key))
			continue
		}
		m[key] = &list[i]
	}
	return m, errs
}

// doubleNames reports names of two different models, or of cards with
// different labels. Cards that differ in the form of the board only share
// their names, and a word of the lexicon settles any case.
func (b *Rulebook) doubleNames() []error {
	var errs []error
	seen, settled := map[string]bool{}, b.settled()
	check := func(name string) {
		key := text.Key(name)
		if seen[key] {
			return
		}
		seen[key] = true
		for _, kind := range []string{kindModel, kindLabel} {
			if ids := rivals(b.lexicon.Senses(name), kind, settled[kind][key]); len(ids) > 1 {
				errs = append(errs, fmt.Errorf("the name %q means %s", name, strings.Join(ids, " and ")))
			}
		}
	}
	for i := range b.Models {
		for _, name := range b.Models[i].Names {
			check(name)
		}
	}
	for i := range b.Cards {
		for _, name := range b.Cards[i].Names {
			check(name)
		}
	}
	return errs
}

// settled holds, for each kind, the keys of the names whose meaning a word of
// the lexicon says.
func (b *Rulebook) settled() map[string]map[string]bool {
	keys := map[string]map[string]bool{kindModel: {}, kindLabel: {}}
	for _, w := range b.Words {
		kind := w.Slot
		if kind == "gpu_named" {
			kind = kindLabel
		}
		if keys[kind] == nil {
			continue
		}
		for _, names := range [][]string{w.ZH, w.EN} {
			for _, name := range names {
				keys[kind][text.Key(name)] = true
			}
		}
	}
	return keys
}

func rivals(senses []text.Sense, kind string, settled bool) []string {
	if settled {
		return nil
	}
	var ids []string
	for _, s := range senses {
		if s.Kind == kind {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
