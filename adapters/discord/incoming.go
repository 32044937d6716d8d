package discord

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// What Discord sends us, as far as we look at it. discordgo's own types refuse
// a whole event for one component of a kind that they do not know; these take
// whatever comes.
// https://docs.discord.com/developers/interactions/receiving-and-responding

type interaction struct {
	ID      string                    `json:"id"`
	App     string                    `json:"application_id"`
	Type    discordgo.InteractionType `json:"type"`
	Data    data                      `json:"data"`
	Guild   string                    `json:"guild_id"`
	Room    string                    `json:"channel_id"`
	Channel channel                   `json:"channel"`
	Member  *member                   `json:"member"` // in a server
	User    *user                     `json:"user"`   // elsewhere
	Token   string                    `json:"token"`
	Locale  string                    `json:"locale"`
	Message *message                  `json:"message"` // that a component belongs to
	Context int                       `json:"context"` // see discordgo.InteractionContextType
	Allowed string                    `json:"app_permissions"`
}

// data is what the interaction is about; the type says which fields count.
type data struct {
	Name       string          `json:"name"` // of a command
	Kind       int             `json:"type"`
	Options    []given         `json:"options"`
	Target     string          `json:"target_id"` // of a context menu
	Resolved   resolved        `json:"resolved"`
	CustomID   string          `json:"custom_id"` // of a component or a form
	Values     []string        `json:"values"`    // taken from a menu
	Components json.RawMessage `json:"components"`
}

// given is an option that was filled in, a sub-command included.
type given struct {
	Name    string          `json:"name"`
	Value   json.RawMessage `json:"value"`
	Options []given         `json:"options"`
	Focused bool            `json:"focused"`
}

// text is the value as it was typed.
func (g given) text() string {
	var s string
	if json.Unmarshal(g.Value, &s) == nil {
		return s
	}
	if string(g.Value) == "null" {
		return ""
	}
	return strings.Trim(string(g.Value), `"`)
}

type resolved struct {
	Messages    map[string]message    `json:"messages"`
	Attachments map[string]attachment `json:"attachments"`
}

type attachment struct {
	Name string `json:"filename"`
	Type string `json:"content_type"`
	Size int64  `json:"size"` // bytes
	URL  string `json:"url"`
}

type channel struct {
	ID     string                `json:"id"`
	Type   discordgo.ChannelType `json:"type"`
	Parent string                `json:"parent_id"`
}

// thread reports whether the channel is a thread of another.
func (c channel) thread() bool {
	switch c.Type {
	case discordgo.ChannelTypeGuildNewsThread, discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread:
		return true
	}
	return false
}

type member struct {
	User        *user  `json:"user"`
	Nick        string `json:"nick"`
	Permissions string `json:"permissions"`
}

type user struct {
	ID     string `json:"id"`
	Name   string `json:"username"`
	Global string `json:"global_name"` // as shown
	Bot    bool   `json:"bot"`
}

// message is one in a channel.
type message struct {
	ID          string          `json:"id"`
	Room        string          `json:"channel_id"`
	Guild       string          `json:"guild_id"`
	Webhook     string          `json:"webhook_id"`
	Author      user            `json:"author"`
	Member      *member         `json:"member"`
	Content     string          `json:"content"`
	Mentions    []user          `json:"mentions"`
	Attachments []attachment    `json:"attachments"`
	Embeds      json.RawMessage `json:"embeds"`
	Flags       int             `json:"flags"`
	Type        int             `json:"type"`
}

// who is the person behind the interaction.
func (in *interaction) who() user {
	switch {
	case in.Member != nil && in.Member.User != nil:
		return *in.Member.User
	case in.User != nil:
		return *in.User
	}
	return user{}
}

func (in *interaction) actor() advisor.Actor {
	a := actor(in.who())
	if in.Member != nil {
		a.Admin = permits(in.Member.Permissions, discordgo.PermissionManageGuild)
	}
	return a
}

func actor(u user) advisor.Actor {
	name := u.Global
	if name == "" {
		name = u.Name
	}
	return advisor.Actor{ID: u.ID, Name: name}
}

// permits reports whether a set of permissions, spelled as Discord does, holds
// one.
func permits(set string, one int64) bool {
	n, err := strconv.ParseInt(set, 10, 64)
	return err == nil && n&(one|discordgo.PermissionAdministrator) != 0
}

// public reports whether others read along: in a server, or in somebody else's
// private chat where the person brought us along.
func (in *interaction) public() bool {
	return in.Guild != "" || in.Context == int(discordgo.InteractionContextPrivateChannel)
}

// lang is the language of the person's client.
func lang(locale string) string {
	switch {
	case locale == "":
		return ""
	case strings.HasPrefix(strings.ToLower(locale), "zh"):
		return "zh"
	}
	return "en"
}

// address is a conversation's key, taken apart. A private chat with the bot is
// written as @ and its channel.
type address struct {
	app, room, thread, user string
	private                 bool
}

func (a address) key() advisor.Key {
	room := a.room
	if a.private {
		room = "@" + room
	}
	return adapters.Key("discord", a.app, room, a.thread, a.user)
}

// readAddress takes apart what key made.
func readAddress(k advisor.Key) (a address, ok bool) {
	p := strings.Split(string(k), ":")
	if len(p) != 5 || p[0] != "discord" {
		return a, false
	}
	a = address{app: p[1], thread: p[3], user: p[4]}
	a.room, a.private = strings.CutPrefix(p[2], "@")
	return a, snowflake(a.app) && snowflake(a.room) && snowflake(a.user) && (a.thread == "" || snowflake(a.thread))
}

// channel is where messages of the conversation go.
func (a address) channel() string {
	if a.thread != "" {
		return a.thread
	}
	return a.room
}

// snowflake reports whether s looks like an id of Discord.
func snowflake(s string) bool {
	return 0 < len(s) && len(s) <= 20 && strings.Trim(s, "0123456789") == ""
}

// address is the conversation that the interaction belongs to.
func (in *interaction) address() address {
	a := address{app: in.App, room: in.Room, user: in.who().ID}
	if in.Channel.ID != "" {
		a.room = in.Channel.ID
	}
	a.private = in.Guild == "" && in.Context == int(discordgo.InteractionContextBotDM)
	if in.Channel.thread() && in.Channel.Parent != "" {
		a.room, a.thread = in.Channel.Parent, a.room
	}
	return a
}

// readInteraction decodes and checks one.
func readInteraction(raw []byte) (*interaction, error) {
	in := &interaction{Context: -1}
	if err := json.Unmarshal(raw, in); err != nil {
		return nil, fmt.Errorf("read interaction: %w", err)
	}
	if in.Type == discordgo.InteractionPing {
		return in, nil
	}
	if in.Room == "" {
		in.Room = in.Channel.ID
	}
	if in.Context < 0 { // left out by an old client
		in.Context = int(discordgo.InteractionContextBotDM)
		if in.Guild != "" {
			in.Context = int(discordgo.InteractionContextGuild)
		}
	}
	if in.Type == 0 || in.Type > discordgo.InteractionModalSubmit {
		return nil, fmt.Errorf("read interaction: kind %d is not known here", in.Type)
	}
	if !snowflake(in.ID) || !snowflake(in.App) || !snowflake(in.who().ID) || !snowflake(in.Room) || in.Token == "" {
		return nil, fmt.Errorf("read interaction: an id, the person, the channel or the token is missing")
	}
	return in, nil
}
