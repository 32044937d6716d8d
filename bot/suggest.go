package main

import (
	"cmp"
	"slices"
	"strings"

	"gpuadvisor/advisor"
)

// suggestions are what Discord offers while somebody types a model or a card.
type suggestions struct{ models, cards []suggestion }

type suggestion struct {
	label string
	names []string // lower case, every spelling
}

func newSuggestions(b *advisor.Rulebook) *suggestions {
	s := &suggestions{}
	for _, m := range b.Models {
		s.models = append(s.models, suggested(m.Names[0], append(slices.Clone(m.Names), m.ID)))
	}
	for _, c := range b.Cards {
		s.cards = append(s.cards, suggested(cmp.Or(c.Label, c.Names[0]), append(slices.Clone(c.Names), c.ID)))
	}
	return s
}

func suggested(label string, names []string) suggestion {
	one := suggestion{label: label}
	for _, n := range append(names, label) {
		one.names = append(one.names, strings.ToLower(n))
	}
	return one
}

// complete suggests values for an option: first those whose name begins with
// what is typed, then those that hold it.
func (s *suggestions) complete(option, typed, _ string) []advisor.Choice {
	list := map[string][]suggestion{"model": s.models, "card": s.cards}[option]
	typed = strings.ToLower(strings.TrimSpace(typed))
	var begin, hold []advisor.Choice
	for _, one := range list {
		choice := advisor.Choice{Ref: one.label, Label: one.label}
		switch {
		case slices.ContainsFunc(one.names, func(n string) bool { return strings.HasPrefix(n, typed) }):
			begin = append(begin, choice)
		case slices.ContainsFunc(one.names, func(n string) bool { return strings.Contains(n, typed) }):
			hold = append(hold, choice)
		}
	}
	return append(begin, hold...)
}
