package advisor

// Reading is what one text says: facts, and what the person wants of us.
type Reading struct {
	Facts    Facts    // only what the text says; nothing inferred
	Withdraw []string // slots that it takes back without a new value ("never mind the A100")
	Intent   string   // recommend cost compare platform remind diagnose checklist help offtopic; "" when only an answer to our question
	Command  string   // back skip cancel restart why whynot whatif more peak dontknow decide explain thanks help …; "" for none
	Arg      string   // what follows the command: the card of "why not X", the change of "what if …"
	Topic    string   // the general question it asks, "intent.topic": platform.stock; "" for none
	Unlisted string   // a model name that the catalogue does not know, as said
	Unclear  string   // slot of a number whose unit we cannot tell ("150" for data)
	Odd      string   // a figure that cannot be meant, as said; nothing was made of it
	Narrower string   // a precision below those that we size, as said; it is counted as quantised
	Greeting bool
	Hostile  bool // injected instructions, insults, crime
}

// Asked tells the reader what question is open, so that a bare "2" or "一周"
// can be taken for its answer.
type Asked struct {
	Slot    string
	Options []string // refs of the shown choices, in order
	Facts   *Facts   // what is known so far
}
