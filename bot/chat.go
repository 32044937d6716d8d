package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/bolt"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/adapters/terminal"
	"gpuadvisor/advisor"
)

// chatCommand talks in the terminal.
type chatCommand struct {
	User  string `default:"me" placeholder:"NAME" help:"${user}"`
	Store string `placeholder:"FILE" help:"${store}"`
}

func (c *chatCommand) Run(h *house) error {
	_, a, err := h.book()
	if err != nil {
		return err
	}
	lang := h.wishedLang
	if lang == "" {
		lang = h.lang
	}
	store, err := c.open(h.now)
	if err != nil {
		return err
	}
	defer store.Close()
	zone := h.zone
	if !h.zoneSaid {
		zone = cmp.Or(localZone(os.Getenv), zone)
	}
	key := adapters.Key("terminal", "", "", "", c.User)
	chat := terminal.New(terminal.Config{
		In: h.in, Out: h.out, Key: key, Actor: advisor.Actor{ID: c.User, Name: c.User},
		Lang: lang, Zone: zone, Now: h.now,
		Plain: os.Getenv("NO_COLOR") != "",
		Dumb:  os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" && runtime.GOOS != "windows",
	})
	d := &desk{
		answer: a.Answer, store: store.Conversations(), sorry: words["sorry"], log: slog.Default(),
		profile: advisor.Profile{Lang: h.wishedLang, Zone: zone},
	}
	d.alarms = newAlarms(h.now, func(r advisor.Reminder) { h.remind(a, chat, d.store, r) })
	if chat.Interactive() {
		chat.Say(h.greeting())
	}
	err = chat.Serve(h.ctx, d.Turn)
	if n := d.alarms.stop(); n > 0 {
		chat.Say(fmt.Sprintf(h.say("reminders-end"), n))
	}
	return err
}

// open returns the file that was asked for, or else this process's memory.
func (c *chatCommand) open(now func() time.Time) (adapters.Store, error) {
	if c.Store == "" {
		return memory.Open(now), nil
	}
	return bolt.Open(c.Store)
}

// greeting is three lines in the person's language, in both when the locale
// does not tell.
func (h *house) greeting() string {
	if h.lang != "" {
		return h.say("hello") + "\n"
	}
	return words["hello"].In("zh") + "\n\n" + words["hello"].In("en") + "\n"
}

// remind says a reminder that came due, in the language of the conversation.
func (h *house) remind(a *advisor.Advisor, chat adapters.Chat, store adapters.Conversations, r advisor.Reminder) {
	lang := h.say("lang")
	if c, err := store.Load(context.Background(), r.Key); err == nil && c.Lang != "" {
		lang = c.Lang
	}
	if err := chat.Send(h.ctx, r.Key, a.Remind(r, lang, h.now())); err != nil {
		slog.Error("send reminder", "err", err)
	}
}

// localZone is the zone of this machine where it has a name that tells, else
// "". A machine on UTC tells nothing about the person.
func localZone(env func(string) string) string {
	if name := env("TZ"); name != "" {
		return named(strings.TrimPrefix(name, ":"))
	}
	link, err := os.Readlink("/etc/localtime")
	if err != nil {
		return ""
	}
	_, name, _ := strings.Cut(link, "zoneinfo/")
	return named(name)
}

func named(zone string) string {
	if _, err := loadZone(zone); err != nil || !strings.Contains(zone, "/") || strings.HasPrefix(zone, "Etc/") {
		return ""
	}
	return zone
}
