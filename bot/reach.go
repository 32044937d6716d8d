package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// reacher is a chat that may answer where it may not speak by itself: it tells
// which way a reminder would go. hello goes to the person where only a direct
// message is left, for nothing else tells whether they take any.
type reacher interface {
	Reach(ctx context.Context, key advisor.Key, hello advisor.Reply) (direct bool, err error)
}

// paths finds out whether a reminder will arrive, before anybody relies on it.
type paths struct {
	chat  func(advisor.Key) adapters.Chat
	known rooms // conversations that were reached of late
	log   *slog.Logger
}

// open tells whether there is a way to a conversation. One that cannot be tried
// now counts as open: the reminder itself will be tried for a day.
func (p *paths) open(ctx context.Context, k advisor.Key, lang string) bool {
	if p == nil || !shared(k) { // in private we have just been spoken to
		return true
	}
	r, ok := p.chat(k).(reacher)
	where := adapters.Owner(k)
	if !ok || !p.known.speaks(where, time.Now()) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	_, err := r.Reach(ctx, k, advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: words["reminders-here"].In(lang)}}})
	if err == nil {
		return true
	}
	p.known.forget(where)
	p.log.Warn("try the way of a reminder", "err", err)
	return !errors.Is(err, adapters.ErrGone)
}
