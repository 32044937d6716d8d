package advisor

// Dump is for debugging.
func (b *Rulebook) Dump(s string) {
	e := b.listen(s, Asked{})
	for _, t := range e.toks {
		print(e.s[t.start:t.end], " ")
		for _, x := range t.senses {
			print(x.Kind, "=", x.ID, " ")
		}
		if t.q != nil {
			print(t.q.Lo, "-", t.q.Hi, " ", string(t.q.Unit))
		}
		println(" | c", t.clause, t.not, t.weak, t.theirs, t.asked)
	}
}
