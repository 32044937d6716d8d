package discord

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/advisor"
)

// answer.go answers interactions. Discord waits three seconds for the first
// answer and takes further ones for a quarter of an hour. So a turn that takes
// longer than deferAfter gets a "thinking" in its place; what comes later
// edits that, and what comes too late goes to the channel, or by direct
// message when others must not see it.

// door is the way that the first answer takes: a call of its own when the
// interaction came through the gateway, the body of the response when it came
// over HTTP.
type door interface {
	first(ctx context.Context, r response, files []file) error
}

// response is a first answer.
type response struct {
	Type discordgo.InteractionResponseType `json:"type"`
	Data any                               `json:"data,omitempty"`
}

// asked is an interaction that wants an answer.
type asked struct {
	d      *Discord
	in     *interaction
	door   door
	at     time.Time // when it came in
	lang   string
	hidden bool   // a new answer is for the asker's eyes only
	over   bool   // the answer takes the place of the message that it was pressed on
	stamp  string // of the answer's components
	ended  func() // called when the turn is over

	mu    sync.Mutex
	stage stage
	timer *time.Timer
	moved bool // the answer has taken that place
}

// stage is how far an answer has come.
type stage int

const (
	fresh    stage = iota // nothing was said
	thinking              // "thinking" is shown, an edit replaces it
	quiet                 // taken note of, an edit replaces the message pressed on
	said                  // the first answer is there, more may follow
)

func (d *Discord) asked(in *interaction, door door) *asked {
	a := &asked{d: d, in: in, door: door, at: d.c.Now(), lang: d.lang(lang(in.Locale)), hidden: in.public()}
	a.stamp = stamp(in.ID)
	a.ended = func() {}
	return a
}

// look is how the answer is drawn.
func (a *asked) look() look {
	return look{
		texts: a.d.texts(), lang: a.lang, owner: a.in.who().ID, stamp: a.stamp,
		embeds: a.in.Allowed == "" || permits(a.in.Allowed, discordgo.PermissionEmbedLinks),
		shares: a.in.Guild != "" && (a.hidden || a.over && a.ephemeral()),
	}
}

// ephemeral reports whether only the asker sees the message pressed on.
func (a *asked) ephemeral() bool {
	return a.in.Message != nil && discordgo.MessageFlags(a.in.Message.Flags)&discordgo.MessageFlagsEphemeral != 0
}

// startClock makes sure that Discord hears from us in time.
func (a *asked) startClock(ctx context.Context) {
	a.timer = time.AfterFunc(a.d.pace.deferAfter, func() { a.think(ctx) })
}

// think shows that we work on it, unless something was said already.
func (a *asked) think(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stage != fresh {
		return
	}
	r, next := response{Type: discordgo.InteractionResponseDeferredMessageUpdate}, quiet
	if !a.over {
		r, next = response{discordgo.InteractionResponseDeferredChannelMessageWithSource, flagged{a.flags(a.hidden)}}, thinking
	}
	if err := a.first(ctx, r, nil); err != nil {
		a.d.log.WarnContext(ctx, "discord: ask for patience", "interaction", a.in.ID, "err", err)
		return
	}
	a.stage = next
	a.d.stats.deferred.Add(1)
}

type flagged struct {
	Flags discordgo.MessageFlags `json:"flags,omitempty"`
}

func (a *asked) flags(hidden bool) discordgo.MessageFlags {
	if hidden {
		return discordgo.MessageFlagsEphemeral
	}
	return 0
}

// respond shows a reply: it is the adapters.Respond of the interaction.
func (a *asked) respond(ctx context.Context, r advisor.Reply) error {
	a.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.look()
	l.lang = langOf(r, l.lang)
	hidden := a.hidden || r.Private
	over := a.over && (r.Edit || l.asks(r) || len(r.Choices) > 0) && (a.ephemeral() || a.in.Guild == "" || !r.Private)
	pages := l.pages(r)
	if len(pages) == 0 {
		return a.silence(ctx)
	}
	err := a.show(ctx, pages, over, hidden)
	if isCode(err, discordgo.ErrCodeInvalidFormBody) {
		a.d.log.ErrorContext(ctx, "discord refused a reply, sending it as plain text", "interaction", a.in.ID, "err", err)
		err = a.show(ctx, l.bare(r), over, hidden)
	}
	a.moved = err == nil && over
	return err
}

func (a *asked) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// show sends pages the way that is open.
func (a *asked) show(ctx context.Context, pages []*page, over, hidden bool) error {
	err := a.begin(ctx, pages[0], over, hidden)
	sent := 1
	for ; err == nil && sent < len(pages); sent++ {
		err = a.follow(ctx, pages[sent], hidden)
	}
	if e, ok := refused(err); ok && e.tokenExpired() {
		a.stage = said
		a.d.stats.late.Add(1)
		return a.d.deliver(ctx, a.in.address(), hidden, pages[sent-1:], a.in.ID, "")
	}
	return err
}

// begin shows the first page.
func (a *asked) begin(ctx context.Context, p *page, over, hidden bool) error {
	switch a.stage {
	case thinking:
		a.stage = said
		return a.edit(ctx, p)
	case quiet:
		a.stage = said
		if over {
			return a.edit(ctx, p)
		}
		return a.follow(ctx, p, hidden)
	case said:
		return a.follow(ctx, p, hidden)
	}
	kind := discordgo.InteractionResponseChannelMessageWithSource
	if over {
		kind = discordgo.InteractionResponseUpdateMessage
	} else {
		p.Flags = a.flags(hidden)
	}
	err := a.first(ctx, response{kind, p}, p.files)
	if err == nil {
		a.stage = said
		return nil
	}
	if e, ok := refused(err); ok && e.Status < 500 && e.Code != discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged {
		return err
	}
	// Either an answer of ours was taken and only its receipt lost, or nobody
	// knows. An edit finds out, and says the same in both cases.
	a.stage, p.Flags = said, 0
	return a.edit(ctx, p)
}

// first gives the first answer, in time or not at all.
func (a *asked) first(ctx context.Context, r response, files []file) error {
	ctx, cancel := context.WithDeadline(ctx, a.at.Add(firstAnswer))
	defer cancel()
	return a.door.first(ctx, r, files)
}

// webhook is where further answers go.
func (a *asked) webhook() string {
	return "/webhooks/" + a.in.App + "/" + url.PathEscape(a.in.Token)
}

// left is how long further answers are taken.
func (a *asked) left() time.Duration {
	return max(a.d.pace.tokenLives-a.d.c.Now().Sub(a.at), time.Second)
}

func (a *asked) edit(ctx context.Context, p *page) error {
	return a.d.rest.do(ctx, call{
		method: http.MethodPatch, path: a.webhook() + "/messages/@original", body: p, files: p.files, answer: true, patience: a.left(),
	}, nil)
}

func (a *asked) follow(ctx context.Context, p *page, hidden bool) error {
	p.Flags = a.flags(hidden)
	return a.d.rest.do(ctx, call{
		method: http.MethodPost, path: a.webhook(), body: p, files: p.files, answer: true, patience: a.left(),
	}, nil)
}

// finish ends an interaction that nobody has answered: Discord would call it
// failed.
func (a *asked) finish(ctx context.Context) {
	a.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.ended()
	if a.stage == fresh || a.stage == thinking {
		if err := a.silence(ctx); err != nil {
			a.d.log.WarnContext(ctx, "discord: end interaction", "interaction", a.in.ID, "err", err)
		}
	}
}

// silence says nothing as well as Discord allows it: where there is no message
// to leave as it is, it shows "thinking" to the asker and takes that away.
func (a *asked) silence(ctx context.Context) error {
	if a.stage == fresh && a.in.Message != nil {
		a.stage = said
		return a.first(ctx, response{Type: discordgo.InteractionResponseDeferredMessageUpdate}, nil)
	}
	if a.stage == fresh {
		a.stage = thinking
		r := response{discordgo.InteractionResponseDeferredChannelMessageWithSource, flagged{discordgo.MessageFlagsEphemeral}}
		if err := a.first(ctx, r, nil); err != nil {
			return err
		}
	}
	if a.stage == thinking {
		a.stage = said
		return a.d.rest.do(ctx, call{method: http.MethodDelete, path: a.webhook() + "/messages/@original", answer: true}, nil)
	}
	return nil
}

// tell shows one of our own sentences, to the asker alone.
func (a *asked) tell(ctx context.Context, key string, buttons ...discordgo.MessageComponent) error {
	p := emptyPage()
	p.Content = escape(a.d.texts()[key].In(a.lang))
	if len(buttons) > 0 {
		p.Components = append(p.Components, discordgo.ActionsRow{Components: buttons})
	}
	return a.show(ctx, []*page{p}, false, a.in.Guild != "" || a.hidden)
}

// notice is tell for whoever does not hold the lock; nothing more can be done
// about an error than to note it.
func (a *asked) notice(ctx context.Context, key string, buttons ...discordgo.MessageComponent) {
	a.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.tell(ctx, key, buttons...); err != nil {
		a.d.log.WarnContext(ctx, "discord: notice", "interaction", a.in.ID, "err", err)
	}
}

// open shows a form. It must be the first answer.
func (a *asked) open(ctx context.Context, f form) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.first(ctx, response{discordgo.InteractionResponseModal, f.answer()}, nil); err != nil {
		a.d.log.WarnContext(ctx, "discord: open form", "interaction", a.in.ID, "err", err)
	}
	a.stage = said
}

// callback is the door of interactions that come through the gateway.
type callback struct {
	d  *Discord
	in *interaction
}

func (c callback) first(ctx context.Context, r response, files []file) error {
	return c.d.rest.do(ctx, call{
		method: http.MethodPost, path: "/interactions/" + c.in.ID + "/" + url.PathEscape(c.in.Token) + "/callback",
		body: r, files: files, answer: true,
	}, nil)
}
