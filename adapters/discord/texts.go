package discord

import (
	"fmt"
	"slices"

	"gpuadvisor/advisor"
)

// Texts are the words that this chat says by itself, by the keys of Keys. They
// live with all other wording, in rules/words.
type Texts map[string]advisor.Text

// notices are what we say on our own, below "discord.".
var notices = []string{
	"menu",        // placeholder of a menu
	"type",        // button: type an answer
	"type.title",  // title of the form that it opens
	"type.hint",   // placeholder of its field
	"share",       // button: post for everybody
	"shared",      // above what somebody has posted; {name}
	"start",       // button: start a dialogue of one's own
	"not-yours",   // somebody else's button was pressed
	"answered",    // the question has been answered already
	"outdated",    // a button that an older program made
	"busy",        // too many messages at once
	"not-here",    // this server is not on the list
	"paste.hint",  // placeholder of the field to paste into
	"paste.large", // a file that is too long
	"paste.kind",  // a file that is not text
	"paste.lost",  // a file that could not be read now
	"dm.sent",     // the answer went by direct message
	"dm.closed",   // … and could not: no direct messages wanted
}

// Keys are the texts that New needs. Descriptions of commands are
// "command.NAME", of options "discord.option.NAME" with the Chinese and English
// name as "discord.option.NAME.name"; "discord.say.NAME" is how a filled
// option reads in a sentence, {v} being its value, and "discord.value.NAME.VALUE"
// a value that can be taken.
func Keys(commands []advisor.Command) []string {
	var keys []string
	for _, n := range notices {
		keys = append(keys, "discord."+n)
	}
	for _, c := range commands {
		keys = append(keys, "command."+c.Name)
		for _, o := range optionsOf(c) {
			keys = append(keys, o.keys()...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// texts are the words in use.
func (d *Discord) texts() Texts { return *d.words.Load() }

// Say makes the chat say other words from now on, and registers the commands
// once more when those say something else. Their names stay, so Discord counts
// none as a new one: of those it takes 200 a day. With any text missing the old
// words stay.
func (d *Discord) Say(t Texts) error {
	if err := t.missing(d.c.Commands); err != nil {
		return err
	}
	old := d.words.Swap(&t)
	if fingerprint(commandList(d.c.Commands, *old)) != fingerprint(commandList(d.c.Commands, t)) {
		select {
		case d.renamed <- struct{}{}:
		default:
		}
	}
	return nil
}

// missing lists keys that have no text in one of the languages.
func (t Texts) missing(commands []advisor.Command) error {
	var missing []string
	for _, key := range Keys(commands) {
		if t[key]["zh"] == "" || t[key]["en"] == "" {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("discord has no words, zh and en, for %d keys: %v", len(missing), missing)
	}
	return nil
}
