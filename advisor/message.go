package advisor

import "time"

// Key names the conversation of one person in one place:
// chat, bot, room, thread and user as the adapter spells them.
type Key string

// Actor is who wrote a message.
type Actor struct {
	ID        string `json:"id"`
	Name      string `json:"name,omitempty"`
	Anonymous bool   `json:"anonymous,omitempty"` // a shared identity: never keep personal state for it
	Admin     bool   `json:"admin,omitempty"`     // of the group
	Operator  bool   `json:"operator,omitempty"`  // of this bot
}

// Kind is what sort of message came in.
type Kind string

const (
	KindText   Kind = "text"   // free text, a command included
	KindChoice Kind = "choice" // a tapped option: Choice carries its ref
	KindDone   Kind = "done"   // the outcome of an effect: Done carries it
)

// Message is one thing that a person (or the desk) sent.
type Message struct {
	ID        string    // unique per chat: the platform's update id
	Key       Key       // whose conversation this is
	Actor     Actor     // who wrote it
	Kind      Kind      // KindText when empty
	Text      string    // as written
	Choice    string    // ref of the tapped option
	Turn      int       // of the reply that offered it; 0 when the chat cannot tell
	Done      Done      // outcome of an effect, for KindDone
	Lang      string    // "zh", "en" or "": a hint by the platform
	Zone      string    // IANA name when the platform tells
	At        time.Time // when it was sent: the only clock there is
	Addressed bool      // private chat, command, mention or reply to us
	Commanded bool      // came as a slash command of the chat
}

// Effect is something the desk must do for a turn. Effects are idempotent: the
// ID derives from the message's, so a replayed turn asks for the same ones.
type Effect struct {
	ID       string
	Kind     string // remind, move, cancel, rental, settings, forget, look …
	Reminder Reminder
	From     string   // move: id of the reminder that this one replaces
	Rental   Rental   // rental: to be kept
	Why      string   // rental: new, edit, tick, released, dropped; settings: what it was about, when that is worded apart
	Plan     bool     // rental: make its reminders anew
	Last     bool     // of several that belong together
	Profile  Profile  // settings: what to remember from now on, all of it
	Price    SetPrice // price: what to note; unprice: of which card to note nothing any more
	Room     bool     // settings, prices: of the room, not of the person
	All      bool     // prices: of everybody
	Report   string   // report: a Report as JSON
	Peak     Peak     // peak: a figure to keep
}

// Done tells how an effect went.
type Done struct {
	Effect  Effect
	OK      bool
	Code    string     // stable word for what went wrong, or for what is to be known about it: while-running, when-open, gone
	Deleted Deleted    // forget: what there was
	Kept    []Reminder // rental: its reminders that wait now, the soonest first
	Refused int        // rental: how many more there should be: no room for them, or with Code "reminders" the store failed

	Problems []string // reload: what is wrong with the new rules, the first few of it
	More     int      // reload: how many there are beside
}

// Deleted is how much was forgotten of a person.
type Deleted struct{ Conversations, Reminders, Records int }

// Reminder is when to speak again, and about what.
type Reminder struct {
	ID     string    `json:"id"`
	Key    Key       `json:"key"`
	At     time.Time `json:"at"`
	Zone   string    `json:"zone"`
	RRule  string    `json:"rrule,omitempty"`
	Action string    `json:"action,omitempty"`
	Target string    `json:"target,omitempty"` // a machine, or what else it is about
	Rental string    `json:"rental,omitempty"` // id of the rental that it is about; its text is made of that when it is sent
	Kind   string    `json:"kind,omitempty"`   // of a rental's: lead, hour, clock, scratch

	About *Rental `json:"-"` // the rental, when it is said
}

// Known is what Answer may look at.
type Known struct {
	Conversation Conversation
	Profile      Profile    // what holds: the person's own, else the room's, else the operator's
	Own          Profile    // what the person has set
	Room         Profile    // what admins have set for the room
	Group        bool       // others may be in the room
	Prices       []SetPrice // noted for the room; in a private chat, for the person
	AllPrices    []SetPrice // noted for everybody
	KeepsPeaks   bool       // the desk can keep a measured peak

	// What follows is there when Looked says so. A message that needs it and
	// finds it missing is answered by one effect, "look": the desk fetches it
	// and plays the turn once more.
	Looked        bool
	Reminders     []Reminder // the person's that wait, in every room, the soonest first
	RoomReminders []Reminder // everybody's that wait in this room
	Rung          []Reminder // the person's that came due of late
	Rentals       []Rental   // the person's, the soonest end first
	RoomRentals   []Rental   // everybody's that were told in this room
}

// Profile is what we remember of a person across conversations, or of a room.
type Profile struct {
	Lang     string `json:"lang,omitempty"`
	Zone     string `json:"zone,omitempty"`     // IANA
	Currency string `json:"currency,omitempty"` // CNY or USD
	Peaks    string `json:"peaks,omitempty"`    // may measured peaks be kept: yes no asked; of a person alone
}

// Reply is what goes out. Every part has a plain-text form, so that a chat
// that can draw nothing still says everything.
type Reply struct {
	Act     string   // the contract's act: answer, ask:<slot>, clarify …
	Turn    int      `json:",omitempty"` // of the conversation; a tap on one of the choices tells it back
	Parts   []Part   `json:",omitempty"`
	Choices []Choice `json:",omitempty"`
	Edit    bool     // may replace our previous message
	Private bool     // for the asker's eyes only
	Because []string // rule ids that led here
	Intent  string   // what the message was taken for
	Once    string   `json:",omitempty"` // a name for this saying of it: a chat that can shows the same one once
}

// Part is one block of a reply; Kind says which fields count.
type Part struct {
	Kind  string     // heading, text, fields, table, code, note, question, image, chart
	Text  string     `json:",omitempty"`
	Rows  [][]string `json:",omitempty"` // table: first row is the head
	Pairs []Pair     `json:",omitempty"` // fields
	Image []byte     `json:",omitempty"` // image: PNG or JPEG; Text says the same in words
	Chart *Chart     `json:",omitempty"` // chart: the data of a picture; Text says the same in words
	At    time.Time  `json:",omitzero"`  // the instant that Text names: a chat may show it in the reader's own zone
}

// Pair is a name with its value, shown side by side.
type Pair struct{ Name, Value string }

// Choice is an option to tap; typing its number or label picks it as well.
type Choice struct {
	Ref   string // what comes back when it is tapped, ≤ 40 bytes
	Label string
}
