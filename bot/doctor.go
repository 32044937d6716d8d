package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/bolt"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor/cost"
	"gpuadvisor/rules"
)

// doctorCommand looks at everything that a server needs, before it is started
// or while it runs, and says of each thing whether it is well and what to do
// when it is not. It asks Telegram and Discord only what changes nothing there.
// No token is shown, not even a wrong one.
//
// Exit status: 0 without a problem, warnings or not; 1 with one.
type doctorCommand struct {
	JSON bool `name:"json" help:"${json}"`
}

// verdict is how one thing does.
type verdict string

const (
	well    verdict = "ok"
	warning verdict = "warning"
	problem verdict = "problem"
)

// finding is one line of the doctor's.
type finding struct {
	Check string  `json:"check"`
	State verdict `json:"state"`
	Found string  `json:"found"`
	Do    string  `json:"do,omitempty"`
}

// doctor goes from thing to thing.
type doctor struct {
	h       *house
	conf    config
	secrets adapters.Secrets
	list    []finding
}

const (
	// doctorTime is how long one look may take.
	doctorTime = 8 * time.Second
	// Clocks that are apart by more than this make wrong times; a little more
	// and signed requests are refused.
	skewWarning, skewProblem = 2 * time.Second, 30 * time.Second
	// slowRedis is a Redis that every turn has to wait for.
	slowRedis = 20 * time.Millisecond
)

func (c *doctorCommand) Run(h *house) error {
	d := &doctor{h: h, conf: h.config.filled()}
	d.secrets = d.conf.secrets()
	d.config()
	d.zones()
	d.knowledge()
	d.store()
	if d.conf.TelegramToken != "" {
		d.telegram()
	}
	if d.conf.DiscordToken != "" {
		d.discord()
	}
	return d.tell(c.JSON)
}

// say is a sentence of the doctor's, from the words of the rules, with what its
// {names} stand for. Where the rules in use cannot be read, those that came with
// the program have them.
func (d *doctor) say(key string, pairs ...any) string {
	book, _, err := d.h.book()
	if err != nil {
		if book, err = embedded(); err != nil {
			return key
		}
	}
	said := book.Phrases["doctor."+key].In(d.h.say("lang"))
	for i := 0; i+1 < len(pairs); i += 2 {
		value := pairs[i+1]
		if yes, ok := value.(bool); ok {
			value = d.say("no")
			if yes {
				value = d.say("yes")
			}
		}
		said = strings.ReplaceAll(said, fmt.Sprintf("{%s}", pairs[i]), fmt.Sprint(value))
	}
	return said
}

// title is what a check is called.
func (d *doctor) title(check string) string {
	return d.say("check." + strings.ReplaceAll(check, " ", "-"))
}

// padded is a text in a column of so many places; a Chinese character takes two.
func padded(s string, places int) string {
	for _, r := range s {
		places--
		if unicode.Is(unicode.Han, r) {
			places--
		}
	}
	return s + strings.Repeat(" ", max(places, 1))
}

func (d *doctor) note(check string, state verdict, found, do string) {
	d.list = append(d.list, finding{check, state, quotable(d.secrets.Hide(found)), quotable(d.secrets.Hide(do))})
}

func (d *doctor) tell(asJSON bool) error {
	sound := true
	for _, f := range d.list {
		sound = sound && f.State != problem
	}
	if asJSON {
		line, err := encode(struct {
			OK     bool      `json:"ok"`
			Checks []finding `json:"checks"`
		}{sound, d.list})
		if err != nil {
			return err
		}
		if _, err := d.h.out.Write(line); err != nil {
			return err
		}
	} else {
		for _, f := range d.list {
			line := padded(d.say("state."+string(f.State)), 9) + padded(d.title(f.Check), 21) + f.Found + "\n"
			if f.Do != "" {
				line += padded("", 30) + "→ " + f.Do + "\n"
			}
			if _, err := io.WriteString(d.h.out, line); err != nil {
				return err
			}
		}
	}
	if !sound {
		return errPrinted
	}
	return nil
}

// config looks at the settings.
func (d *doctor) config() {
	for _, p := range d.h.wrong {
		d.note("config", problem, p.String(), d.say("config.setting"))
	}
	if d.conf.TelegramToken == "" && d.conf.DiscordToken == "" {
		d.note("config", problem, d.say("config.nochat"), d.say("config.nochat.do"))
	} else if len(d.h.wrong) == 0 {
		d.note("config", well, d.say("config.well"), "")
	}
}

// zones looks for time zones, which images may come without.
func (d *doctor) zones() {
	for _, name := range []string{string(d.conf.DefaultTZ), "Asia/Shanghai", "America/New_York"} {
		if _, err := loadZone(name); err != nil {
			d.note("time zones", problem, d.say("zones.none", "zone", name), d.say("zones.none.do"))
			return
		}
	}
	d.note("time zones", well, d.say("zones.well"), "")
}

// knowledge looks at the rules, their certificate and how old the prices are.
func (d *doctor) knowledge() {
	fsys := rules.Embedded()
	if d.h.rules != "" {
		var err error
		if fsys, err = rules.Folder(d.h.rules); err != nil {
			d.note("rules", problem, err.Error(), d.say("rules.folder.do"))
			return
		}
	}
	book, report := readRules(fsys)
	if !report.Sound() {
		list := unsoundness(report)
		d.note("rules", problem, d.say("rules.unsound", "n", len(list), "first", list[0]), "gpuadvisor check")
		return
	}
	d.note("rules", well, d.say("rules.well", "hash", book.Hash, "n", report.Certificate.Combinations), "")
	old, newest := 0, cost.Date{}
	for _, p := range book.Prices {
		if cost.AgeOf(p.AsOf, d.h.now()) == cost.Stale {
			old++
		}
		if newest.IsZero() || p.AsOf.DaysAt(d.h.now()) < newest.DaysAt(d.h.now()) {
			newest = p.AsOf
		}
	}
	found := d.say("prices.found", "n", len(book.Prices), "newest", newest, "old", old)
	if old > 0 {
		d.note("prices", warning, found, d.say("prices.old.do"))
		return
	}
	d.note("prices", well, found, "")
}

// store looks at where everything is kept.
func (d *doctor) store() {
	ctx, cancel := context.WithTimeout(d.h.ctx, doctorTime)
	defer cancel()
	if d.conf.RedisURL == "" {
		d.file(ctx)
		return
	}
	s, err := redis.Open(ctx, string(d.conf.RedisURL))
	if err != nil {
		d.note("redis", problem, err.Error(), d.say("redis.down.do"))
		return
	}
	defer s.Close()
	st, err := s.State(ctx)
	if err != nil {
		d.note("redis", warning, err.Error(), d.say("redis.rights.do", "rights", redis.Rights))
	} else {
		d.redis(st)
	}
	d.dead(ctx, s)
}

// redis judges what a Redis tells of itself.
func (d *doctor) redis(st redis.State) {
	kind := d.say("redis.single")
	if st.Cluster {
		kind = d.say("redis.cluster")
	}
	if !versionAtLeast(st.Version, 6) {
		d.note("redis", warning, d.say("redis.version", "version", st.Version), d.say("redis.version.do"))
	} else {
		d.note("redis", well, d.say("redis.well", "version", st.Version, "kind", kind, "replicas", st.Replicas), "")
	}
	policy, sure := st.Policy, problem
	if policy == "" {
		policy, sure = d.say("redis.policy.untold"), warning
	}
	d.judge("redis policy", policy == "noeviction", policy, d.say("redis.policy.do"), sure)
	d.judge("redis persistence", st.AOF, map[bool]string{true: "appendonly yes", false: "appendonly no"}[st.AOF], d.say("redis.aof.do"), warning)
	d.judge("redis latency", st.Answers <= slowRedis, st.Answers.Round(time.Microsecond).String(), d.say("redis.slow.do"), warning)
	d.clock("redis", st.Skew)
}

// judge notes a thing that is well or is not.
func (d *doctor) judge(check string, good bool, found, do string, otherwise verdict) {
	if good {
		d.note(check, well, found, "")
		return
	}
	d.note(check, otherwise, found, do)
}

func versionAtLeast(version string, major int) bool {
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	return err == nil && n >= major
}

// clock judges how far the clock of somebody else is ahead of ours.
func (d *doctor) clock(whose string, skew time.Duration) {
	found := d.say("clock.found", "whose", whose, "skew", skew.Abs().Round(time.Millisecond))
	switch {
	case skew.Abs() > skewProblem:
		d.note("clock", problem, found, d.say("clock.do"))
	case skew.Abs() > skewWarning:
		d.note("clock", warning, found, d.say("clock.do"))
	default:
		d.note("clock", well, found, "")
	}
}

// file looks at the store in one file, without making one.
func (d *doctor) file(ctx context.Context) {
	name, err := d.conf.storeFile()
	if err != nil {
		d.note("store", problem, err.Error(), d.say("store.where.do"))
		return
	}
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
		d.note("store", well, d.say("store.none"), "")
		return
	}
	s, err := bolt.Open(name)
	if err != nil {
		d.note("store", warning, err.Error(), d.say("store.held.do"))
		return
	}
	defer s.Close()
	d.note("store", well, d.say("store.well"), "")
	d.dead(ctx, s)
}

// dead counts reminders that could not be delivered.
func (d *doctor) dead(ctx context.Context, s adapters.Store) {
	const most = 1000
	list, err := s.Reminders().Dead(ctx, most)
	switch {
	case err != nil:
		d.note("dead letters", problem, err.Error(), "")
	case len(list) > 0:
		d.note("dead letters", warning, d.say("dead.some", "n", len(list), "day", list[0].At.Format(time.DateOnly)), "gpuadvisor remind dead")
	default:
		d.note("dead letters", well, d.say("dead.none"), "")
	}
}

// refusal is an answer of a platform that is no success.
type refusal struct {
	status int
	said   string
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d %s", r.status, r.said) }

// get asks a platform for JSON and returns how far its clock is ahead.
func (d *doctor) get(url, authorization string, into any) (skew time.Duration, err error) {
	ctx, cancel := context.WithTimeout(d.h.ctx, doctorTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, errors.New("no usable URL")
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	r.Header.Set("User-Agent", "DiscordBot (gpuadvisor, 1)")
	begun := time.Now()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, d.secrets.Error(err)
	}
	defer resp.Body.Close()
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		// The header has whole seconds: on average half a second is cut off.
		skew = at.Add(500 * time.Millisecond).Sub(begun.Add(time.Since(begun) / 2))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return skew, d.secrets.Error(err)
	}
	if resp.StatusCode != http.StatusOK {
		var said struct{ Description, Message string }
		json.Unmarshal(body, &said) // it may be a page
		return skew, &refusal{resp.StatusCode, said.Description + said.Message}
	}
	return skew, json.Unmarshal(body, into)
}

// unheard notes that a platform gave no good answer.
func (d *doctor) unheard(check string, err error) {
	do := d.say("unheard.do")
	if r, ok := errors.AsType[*refusal](err); ok && (r.status == 401 || r.status == 404) {
		do = d.say("token.do")
	}
	d.note(check, problem, err.Error(), do)
}

// telegram looks at the bot's account and its webhook.
func (d *doctor) telegram() {
	base := "https://api.telegram.org"
	if d.conf.TelegramAPIURL != "" {
		base = string(d.conf.TelegramAPIURL)
	}
	base += "/bot" + string(d.conf.TelegramToken) + "/"
	var me struct {
		Result struct {
			Username string
			Groups   bool `json:"can_join_groups"`
			ReadsAll bool `json:"can_read_all_group_messages"`
		}
	}
	skew, err := d.get(base+"getMe", "", &me)
	if err != nil {
		d.unheard("telegram token", err)
		return
	}
	d.note("telegram token", well, "@"+me.Result.Username, "")
	d.clock("telegram", skew)
	d.judge("telegram groups", me.Result.Groups, d.say("telegram.groups", "groups", me.Result.Groups, "all", me.Result.ReadsAll), d.say("telegram.groups.do"), warning)
	d.webhook(base)
}

// webhook looks at where Telegram brings messages.
func (d *doctor) webhook(base string) {
	var hook struct {
		Result struct {
			URL     string
			Pending int    `json:"pending_update_count"`
			Error   string `json:"last_error_message"`
			ErrorAt int64  `json:"last_error_date"`
		}
	}
	if _, err := d.get(base+"getWebhookInfo", "", &hook); err != nil {
		d.unheard("telegram webhook", err)
		return
	}
	w, want := hook.Result, string(d.conf.TelegramWebhookURL)
	fresh := d.h.now().Sub(time.Unix(w.ErrorAt, 0)) < time.Hour
	switch {
	case strings.TrimRight(w.URL, "/") != want && want != "":
		d.note("telegram webhook", warning, d.say("telegram.hook.other"), d.say("telegram.hook.other.do"))
	case w.URL != want && want == "":
		d.note("telegram webhook", warning, d.say("telegram.hook.alien"), d.say("telegram.hook.alien.do"))
	case w.Error != "" && fresh:
		d.note("telegram webhook", problem, d.say("telegram.hook.failed", "error", w.Error), d.say("telegram.hook.failed.do"))
	default:
		d.judge("telegram webhook", w.Pending < 1000, d.say("telegram.hook.waiting", "n", w.Pending), d.say("telegram.hook.waiting.do"), warning)
	}
}

// What a bot must be allowed to do in a server of Discord's
// (https://docs.discord.com/developers/topics/permissions).
const (
	viewChannel, sendMessages, embedLinks, attachFiles = 1 << 10, 1 << 11, 1 << 14, 1 << 15
	discordNeeds                                       = viewChannel | sendMessages | embedLinks | attachFiles
	administrator                                      = 1 << 3
)

// discord looks at the bot's account, its application and its servers.
func (d *doctor) discord() {
	base := "https://discord.com"
	if d.conf.DiscordAPIURL != "" {
		base = string(d.conf.DiscordAPIURL)
	}
	if !strings.Contains(base, "/api") {
		base += "/api/v10"
	}
	bot := "Bot " + string(d.conf.DiscordToken)
	var me struct{ ID, Username string }
	skew, err := d.get(base+"/users/@me", bot, &me)
	if err != nil {
		d.unheard("discord token", err)
		return
	}
	d.note("discord token", well, me.Username, "")
	d.clock("discord", skew)
	d.application(base, bot)
	if d.conf.DiscordPublicKey == "" {
		d.gateway(base, bot)
	}
	var guilds []struct{ Permissions string }
	if _, err := d.get(base+"/users/@me/guilds?limit=200", bot, &guilds); err != nil {
		d.unheard("discord rights", err)
		return
	}
	lacking := 0
	for _, g := range guilds {
		if has, _ := strconv.ParseUint(g.Permissions, 10, 64); has&administrator == 0 && has&discordNeeds != discordNeeds {
			lacking++
		}
	}
	d.judge("discord rights", lacking == 0, d.say("discord.rights", "n", len(guilds), "lacking", lacking), d.say("discord.rights.do"), warning)
}

// application compares how interactions come in with what is set here.
func (d *doctor) application(base, bot string) {
	var app struct {
		Key      string `json:"verify_key"`
		Endpoint string `json:"interactions_endpoint_url"`
	}
	if _, err := d.get(base+"/applications/@me", bot, &app); err != nil {
		d.unheard("discord interactions", err)
		return
	}
	key := string(d.conf.DiscordPublicKey)
	switch {
	case key != "" && !strings.EqualFold(key, app.Key):
		d.note("discord interactions", problem, d.say("discord.key.other"), d.say("discord.key.other.do"))
	case key != "" && !strings.HasSuffix(app.Endpoint, interactionsPath):
		d.note("discord interactions", problem, d.say("discord.endpoint.none"), d.say("discord.endpoint.none.do", "path", interactionsPath))
	case key == "" && app.Endpoint != "":
		d.note("discord interactions", problem, d.say("discord.endpoint.some"), d.say("discord.endpoint.some.do"))
	case key != "":
		d.note("discord interactions", well, d.say("discord.http"), "")
	default:
		d.note("discord interactions", well, d.say("discord.gateway"), "")
	}
}

// gateway looks at how many sessions may still be started today.
func (d *doctor) gateway(base, bot string) {
	var g struct {
		Shards int
		Limit  struct{ Total, Remaining int } `json:"session_start_limit"`
	}
	if _, err := d.get(base+"/gateway/bot", bot, &g); err != nil {
		d.unheard("discord sessions", err)
		return
	}
	d.judge("discord sessions", g.Limit.Remaining >= max(50, 2*g.Shards), d.say("discord.sessions", "left", g.Limit.Remaining, "total", g.Limit.Total), d.say("discord.sessions.do"), warning)
}
