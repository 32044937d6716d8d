package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/adapters/terminal"
	"gpuadvisor/advisor"
)

// chatCommand talks in the terminal.
type chatCommand struct {
	kept `embed:""`
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
	key := c.key()
	chat := terminal.New(terminal.Config{
		In: h.in, Out: h.out, Key: key, Actor: advisor.Actor{ID: c.User, Name: c.User},
		Lang: lang, Zone: zone, Now: h.now,
		Plain: os.Getenv("NO_COLOR") != "",
		Dumb:  os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" && runtime.GOOS != "windows",
	})
	d := h.desk(a, store)
	d.profile.Lang, d.profile.Zone = h.wishedLang, zone
	d.volatile, d.openOnly = c.Store == "", c.Store != ""
	if chat.Interactive() {
		chat.Say(h.greeting())
	}
	stop := h.ring(a, store, chat, d)
	err = chat.Serve(h.ctx, d.Turn)
	stop()
	if left, _ := store.Reminders().List(context.WithoutCancel(h.ctx), adapters.Person(key)); d.volatile && len(left) > 0 {
		chat.Say(fmt.Sprintf(words["reminders-end"].In(h.spoken(store, key)), len(left)))
	}
	return err
}

// spoken is the language of a conversation, ours where there was none.
func (h *house) spoken(store adapters.Store, key advisor.Key) string {
	c, err := store.Conversations().Load(context.WithoutCancel(h.ctx), key)
	if err != nil || c.Lang == "" {
		return h.lang
	}
	return c.Lang
}

// desk is where messages of the terminal are taken.
func (h *house) desk(a *advisor.Advisor, store adapters.Store) *desk {
	return &desk{
		answer: a.Answer, store: store.Conversations(), profiles: &profiles{settings: store.Settings()}, reminders: store.Reminders(),
		plan: a.Plan, profile: advisor.Profile{Currency: h.config.DefaultCurrency}, mute: true, log: slog.Default(),
	}
}

// ring says reminders in the terminal until stop, those of the desk too.
func (h *house) ring(a *advisor.Advisor, store adapters.Store, chat adapters.Chat, d *desk) (stop func()) {
	ctx, cancel := context.WithCancel(h.ctx)
	news := newNews()
	d.reminders = news.of(d.reminders)
	b := &bell{
		reminders: d.reminders, news: news, store: store.Conversations(), profiles: &profiles{settings: store.Settings()},
		word: wording(a), lang: h.say("lang"), log: slog.Default(),
		chat: func(k advisor.Key) adapters.Chat {
			if strings.HasPrefix(string(k), "terminal:") {
				return chat
			}
			return nil
		},
	}
	var done sync.WaitGroup
	done.Go(func() { b.ring(ctx) })
	return func() { cancel(); done.Wait() }
}

// open returns the file that was asked for, or else this process's memory.
func (c *chatCommand) open(now func() time.Time) (adapters.Store, error) {
	if c.Store == "" {
		return memory.Open(now), nil
	}
	return openFile(c.Store)
}

// greeting is three lines in the person's language, in both when the locale
// does not tell.
func (h *house) greeting() string {
	if h.lang != "" {
		return h.say("hello") + "\n"
	}
	return words["hello"].In("zh") + "\n\n" + words["hello"].In("en") + "\n"
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
