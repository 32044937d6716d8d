package discord

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/advisor"
)

// commands.go makes Discord's slash commands and context menus out of the one
// registry of what exists, and tells Discord when they have changed.

var (
	zhLocales = []discordgo.Locale{discordgo.ChineseCN, discordgo.ChineseTW} // there is no fallback from one to the other
	enLocales = []discordgo.Locale{discordgo.EnglishUS, discordgo.EnglishGB}
)

// localized is a text for every locale that we know words for.
func localized(zh, en string) map[discordgo.Locale]string {
	m := map[discordgo.Locale]string{}
	for _, l := range zhLocales {
		m[l] = zh
	}
	for _, l := range enLocales {
		m[l] = en
	}
	return m
}

// commandList is what Discord shall offer.
func commandList(commands []advisor.Command, texts Texts) []*discordgo.ApplicationCommand {
	var out []*discordgo.ApplicationCommand
	for _, c := range commands {
		out = append(out, slash(c, texts))
		if c.Args == "paste" {
			out = append(out, contextMenu(c, texts))
		}
	}
	return out
}

func slash(c advisor.Command, texts Texts) *discordgo.ApplicationCommand {
	about := texts["command."+c.Name]
	ac := &discordgo.ApplicationCommand{
		Type: discordgo.ChatApplicationCommand, Name: c.Name,
		Description: short(about.In("en"), maxCommandText), Options: []*discordgo.ApplicationCommandOption{},
	}
	where(ac, c)
	names, abouts := localized(spelling(c.ZH, c.Name), c.Name), localized(short(about.In("zh"), maxCommandText), ac.Description)
	ac.NameLocalizations, ac.DescriptionLocalizations = &names, &abouts
	for _, o := range optionsOf(c) {
		ac.Options = append(ac.Options, o.described(texts))
	}
	oneNameEach(ac.Options)
	return ac
}

// oneNameEach takes back translated names that two options of a command would
// share: Discord refuses those.
func oneNameEach(options []*discordgo.ApplicationCommandOption) {
	for _, l := range slices.Concat(zhLocales, enLocales) {
		taken := map[string]bool{}
		for _, o := range options {
			taken[o.Name] = true
		}
		for _, o := range options {
			if name := o.NameLocalizations[l]; name != o.Name && taken[name] {
				o.NameLocalizations[l] = o.Name
			}
			taken[o.NameLocalizations[l]] = true
		}
	}
}

// contextMenu offers a command that takes a paste under "Apps" of a message.
func contextMenu(c advisor.Command, texts Texts) *discordgo.ApplicationCommand {
	ac := &discordgo.ApplicationCommand{Type: discordgo.MessageApplicationCommand, Name: menuName(c), Options: []*discordgo.ApplicationCommandOption{}}
	where(ac, c)
	zh := menuName(c)
	if len(c.ZH) > 0 {
		zh = short(c.ZH[0], maxCommandName)
	}
	names := localized(zh, menuName(c))
	ac.NameLocalizations = &names
	return ac
}

// menuName is the name of a command as a word on a menu: "Diagnose".
func menuName(c advisor.Command) string {
	r, n := utf8.DecodeRuneInString(c.Name)
	return strings.ToUpper(string(r)) + c.Name[n:]
}

// where says in which places a command is offered, and to whom. Both are
// always said: Discord's defaults have changed before.
func where(ac *discordgo.ApplicationCommand, c advisor.Command) {
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM, discordgo.InteractionContextPrivateChannel}
	installs := []discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall, discordgo.ApplicationIntegrationUserInstall}
	var permissions *int64
	switch c.Who {
	case "admin":
		permissions = new(int64)
		*permissions = discordgo.PermissionManageGuild
		contexts, installs = contexts[:1], installs[:1]
	case "operator":
		permissions = new(int64) // nobody but administrators, and in a private chat whoever may
		contexts = contexts[:2]
	}
	ac.Contexts, ac.IntegrationTypes, ac.DefaultMemberPermissions = &contexts, &installs, permissions
}

// commandName is what Discord takes for the name of a command or an option.
var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}]{1,32}$`)

// spelling is the first of the words that can be a command's name.
func spelling(words []string, name string) string {
	for _, w := range words {
		if commandName.MatchString(w) && w == strings.ToLower(w) {
			return w
		}
	}
	return name
}

func (o option) described(texts Texts) *discordgo.ApplicationCommandOption {
	key := "discord.option." + o.name
	out := &discordgo.ApplicationCommandOption{
		Type: o.kind, Name: o.name, Description: short(texts[key].In("en"), maxCommandText), Autocomplete: o.complete,
		NameLocalizations: localized(spelling([]string{texts[key+".name"].In("zh")}, o.name), spelling([]string{texts[key+".name"].In("en")}, o.name)),
	}
	out.DescriptionLocalizations = localized(short(texts[key].In("zh"), maxCommandText), out.Description)
	if o.kind == asNumber || o.kind == asInteger {
		out.MinValue, out.MaxValue = &o.min, o.max
	}
	for _, v := range o.values {
		zh, en := short(o.value(v, texts, "zh"), maxChoiceName), short(o.value(v, texts, "en"), maxChoiceName)
		out.Choices = append(out.Choices, &discordgo.ApplicationCommandOptionChoice{Name: en, Value: v, NameLocalizations: localized(zh, en)})
	}
	return out
}

// syncCommands tells Discord what we offer, unless it offers just that: every
// start would otherwise make clients load all commands again.
func (d *Discord) syncCommands(ctx context.Context) error {
	wanted := commandList(d.c.Commands, d.texts())
	path := "/applications/" + d.app() + "/commands"
	var there []*discordgo.ApplicationCommand
	if err := d.rest.do(ctx, call{method: http.MethodGet, path: path + "?with_localizations=true", route: path}, &there); err != nil {
		return fmt.Errorf("list commands: %w", err)
	}
	if fingerprint(there) == fingerprint(wanted) {
		return nil
	}
	if err := d.rest.do(ctx, call{method: http.MethodPut, path: path, body: wanted}, nil); err != nil {
		return fmt.Errorf("register commands: %w", err)
	}
	d.log.Info("registered commands with discord", "commands", len(wanted))
	return nil
}

// fingerprint is the same for lists of commands that offer the same.
func fingerprint(list []*discordgo.ApplicationCommand) [sha256.Size]byte {
	type one struct {
		Kind          discordgo.ApplicationCommandType
		Name, About   string
		Names, Abouts map[discordgo.Locale]string
		Permissions   int64 // -1 none
		Contexts      []discordgo.InteractionContextType
		Installs      []discordgo.ApplicationIntegrationType
		Options       []*discordgo.ApplicationCommandOption
	}
	var all []one
	for _, c := range list {
		o := one{Kind: cmp.Or(c.Type, discordgo.ChatApplicationCommand), Name: c.Name, About: c.Description, Permissions: -1, Options: c.Options}
		if c.DefaultMemberPermissions != nil {
			o.Permissions = *c.DefaultMemberPermissions
		}
		o.Names, o.Abouts = deref(c.NameLocalizations), deref(c.DescriptionLocalizations)
		o.Contexts, o.Installs = slices.Sorted(slices.Values(deref(c.Contexts))), slices.Sorted(slices.Values(deref(c.IntegrationTypes)))
		if len(o.Options) == 0 {
			o.Options = nil
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b one) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	b, err := json.Marshal(all)
	if err != nil {
		return [sha256.Size]byte{}
	}
	return sha256.Sum256(normal(b))
}

// normal writes JSON the same way whatever the order of its keys, and without
// what says nothing: nulls, empty lists, false, 0.
func normal(b []byte) []byte {
	var v any
	if json.Unmarshal(b, &v) != nil {
		return b
	}
	out, _ := json.Marshal(trimmed(v))
	return out
}

func trimmed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			switch x = trimmed(x); x := x.(type) {
			case nil:
				delete(v, k)
			case bool:
				if !x {
					delete(v, k)
				}
			default:
				v[k] = x
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = trimmed(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// commandNamed finds the command that a slash command or a context menu means.
func commandNamed(commands []advisor.Command, name string) (advisor.Command, bool) {
	for _, c := range commands {
		if strings.EqualFold(c.Name, name) {
			return c, true
		}
	}
	return advisor.Command{}, false
}
