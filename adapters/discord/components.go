package discord

import (
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/advisor"
)

// rows draws the choices of a reply and what we add to them: a way to type an
// answer where we ask, a way to post what only the asker sees. Choices that
// fit nowhere come back as a numbered text; their number picks them too.
func (l look) rows(r advisor.Reply) (rows []discordgo.MessageComponent, left string) {
	fit, rest := l.sort(r.Choices)
	one, many := picks, list
	if l.asks(r) {
		one, many = answers, menu
	}
	if len(fit) <= buttonsUpTo {
		if len(fit) > 0 {
			rows = append(rows, l.buttons(one, fit))
		}
	} else {
		for i := 0; len(fit) > 0; i++ {
			n := min(len(fit), maxSelectOptions)
			rows = append(rows, l.menu(many, i, fit[:n]))
			fit = fit[n:]
		}
	}
	if extras := l.extras(r); len(extras) > 0 {
		rows = append(rows, discordgo.ActionsRow{Components: extras})
	}
	return rows, strings.Join(rest, "\n")
}

// asks reports whether the reply ends in a question, whose place the next
// reply takes.
func (l look) asks(r advisor.Reply) bool { return slotOf(r) != "" || r.Act == "clarify" }

// slotOf is the slot that a reply asks for, or "".
func slotOf(r advisor.Reply) string {
	slot, _ := strings.CutPrefix(r.Act, "ask:")
	if slot == r.Act {
		return ""
	}
	return slot
}

// shownChoices is how many choices have a place: the last row is for extras.
const shownChoices = (maxRows - 1) * maxSelectOptions

// sort tells choices that can be shown from those that cannot, and repeats in
// text what a label is too long for.
func (l look) sort(choices []advisor.Choice) (fit []advisor.Choice, rest []string) {
	seen := map[string]bool{}
	room := maxButtonLabel
	if len(choices) > buttonsUpTo {
		room = maxOptionLabel
	}
	for i, c := range choices {
		line := fmt.Sprintf("%d. %s", i+1, c.Label)
		switch {
		case seen[c.Ref]:
		case c.Ref == "", len(c.Ref) > maxShownRef, len(fit) == shownChoices:
			rest = append(rest, line)
		default:
			seen[c.Ref] = true
			fit = append(fit, c)
			if length(oneLine(c.Label)) > room {
				rest = append(rest, line)
			}
		}
	}
	return fit, rest
}

func (l look) buttons(do does, choices []advisor.Choice) discordgo.ActionsRow {
	var row discordgo.ActionsRow
	for _, c := range choices {
		style := discordgo.PrimaryButton
		if strings.HasPrefix(c.Ref, "/") { // a way on, not an answer
			style = discordgo.SecondaryButton
		}
		row.Components = append(row.Components, discordgo.Button{
			Label: label(c.Label, maxButtonLabel), Style: style, CustomID: l.press(do, c.Ref),
		})
	}
	return row
}

func (l look) menu(do does, nth int, choices []advisor.Choice) discordgo.ActionsRow {
	m := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: l.press(do, fmt.Sprint(nth)),
		Placeholder: short(l.say("discord.menu"), maxPlaceholder),
	}
	for _, c := range choices {
		m.Options = append(m.Options, discordgo.SelectMenuOption{Label: label(c.Label, maxOptionLabel), Value: c.Ref})
	}
	return discordgo.ActionsRow{Components: []discordgo.MessageComponent{m}}
}

// label is never empty: Discord refuses a button without one.
func label(s string, limit int) string {
	if s = short(s, limit); s == "" {
		return "…"
	}
	return s
}

func (l look) extras(r advisor.Reply) (row []discordgo.MessageComponent) {
	if slot := slotOf(r); slot != "" {
		row = append(row, l.extra(types, slot, "discord.type"))
	}
	if l.shares && !r.Private && !l.asks(r) {
		row = append(row, l.extra(shares, "", "discord.share"))
	}
	return row
}

func (l look) extra(do does, ref, key string) discordgo.Button {
	return discordgo.Button{
		Label: label(l.say(key), maxButtonLabel), Style: discordgo.SecondaryButton, CustomID: l.press(do, ref),
	}
}

func (l look) press(do does, ref string) string {
	return press{do, l.owner, l.stamp, ref}.String()
}

func (l look) say(key string) string { return l.texts[key].In(l.lang) }

// form is a window with one field to type in. Its custom id comes back with
// what was typed.
type form struct {
	id, title, label, hint string
	long                   bool
}

// The type of an answer with a form, and of a form's field, as discordgo
// spells them.
func (f form) answer() any {
	style := discordgo.TextInputShort
	if f.long {
		style = discordgo.TextInputParagraph
	}
	field := discordgo.TextInput{
		CustomID: "text", Label: label(f.label, maxInputLabel), Style: style,
		Placeholder: short(f.hint, maxInputHint), Required: true, MaxLength: maxInput,
	}
	return struct {
		ID         string                       `json:"custom_id"`
		Title      string                       `json:"title"`
		Components []discordgo.MessageComponent `json:"components"`
	}{f.id, label(f.title, maxModalTitle), []discordgo.MessageComponent{
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{field}},
	}}
}
