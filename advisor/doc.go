// Package advisor thinks. It takes what it may know and a message, and returns
// a new conversation, a reply, and what the desk must do:
//
//	Answer(Known, Message) (Conversation, Reply, []Effect)
//
// It reads no files, opens no sockets, asks no clock and cannot fail: every
// message has an answer, and the same message has the same one. So a turn can be
// replayed after a conflict, printed in a transcript, and fuzzed.
//
// # The way of one message
//
// A message passes seven rooms and never walks back. Two of them, the door and
// the desk, lie outside (adapters, bot). In here:
//
//	ear    read*.go     text → Facts, only what the text says
//	mind   derive.go    Facts → the closed inputs of the tables
//	       chain.go     task → count → link → form → platform → billing → storage
//	       size.go      Facts → a demand for memory (advisor/vram)
//	       pick.go      a demand → cards, best first, by gates
//	       money.go     cards → a price, last and dated (advisor/cost)
//	       risk.go      which notes hold
//	       decide.go    ties these into one decision
//	       counterfactual.go  the decision again for every single changed answer
//	voice  say.go       a decision → nine blocks; voice.go fills the phrases
//
// answer.go is the table of contents of a turn: what was heard, taken over, and
// which flow answers. One file per flow: advise.go asks and advises, steps.go
// holds the orders in between (back, why, what if …), follow.go the questions back
// and what a word means, peak.go takes what was measured. remind.go (with
// reminders.go, and remind_which.go for a reminder that is named in words) and
// release.go (with rental.go, rentals.go, due.go, read_rental.go, and
// release_told.go for what is told without a command) share orders.go, which reads
// commands, and near.go, which finds the words of a phrase. costs.go, diagnose.go,
// score.go, trial.go and so on are the others.
//
// # Words
//
// A platform is a place that rents GPUs; Discord is a chat. A model is an AI
// model, a card a GPU board, release means giving a machine back. VRAM is on
// the card, RAM in the host.
//
// # What is data and what is code
//
// Knowledge is YAML (package rules) and fills the types of rulebook.go: cards,
// models, tasks with their defaults, questions, decision tables, risks, words
// and wordings. No file here names a card or a model. Conditions in YAML are
// equality and membership only, no expressions: so the loader can check every
// name and value, and Certify can walk through every combination of answers
// and prove that none is without an advice. What needs a comparison or a
// formula is derived in Go, one function with a closed set of values each.
//
// # Rules of the house that the code cannot show
//
// Facts that were said and defaults that we assumed never mix: a default stands
// in for the arithmetic and is said aloud, but it opens no door in the tables
// (a duration that we assumed must not lead to a marketplace). Memory decides
// before speed, and price decides nothing: a card that does not hold the job
// gets no price line. State secrets stop the advice. No rental platform is ever
// ranked or named first.
package advisor
