package advisor

// Advisor answers messages out of a rulebook. It is safe for concurrent use:
// the rulebook is never changed.
type Advisor struct{ book *Rulebook }

// New makes an advisor of a linked rulebook.
func New(book *Rulebook) *Advisor { return &Advisor{book} }

// Book returns the rulebook, for reading only.
func (a *Advisor) Book() *Rulebook { return a.book }

// Read tells what a text says, out of any conversation.
func (a *Advisor) Read(text string) Reading { return a.book.Read(text, Asked{Facts: &Facts{}}) }
