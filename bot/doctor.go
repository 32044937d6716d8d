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

// two is a sentence in the language of the house.
func (d *doctor) two(zh, en string, args ...any) string {
	if d.h.lang == "zh" {
		en = zh
	}
	return fmt.Sprintf(en, args...)
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
		mark := map[verdict]string{well: d.two("正常", "ok"), warning: d.two("注意", "warning"), problem: d.two("问题", "problem")}
		for _, f := range d.list {
			line := fmt.Sprintf("%-8s %-18s %s\n", mark[f.State], f.Check, f.Found)
			if f.Do != "" {
				line += fmt.Sprintf("%-8s %-18s → %s\n", "", "", f.Do)
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
		d.note("config", problem, p.String(), d.two("改好这一项设置", "mend this setting"))
	}
	if d.conf.TelegramToken == "" && d.conf.DiscordToken == "" {
		d.note("config", problem, d.two("没有可以运行的聊天", "no chat to run"), d.two("设置 TELEGRAM_TOKEN 或 DISCORD_TOKEN", "set TELEGRAM_TOKEN or DISCORD_TOKEN"))
	} else if len(d.h.wrong) == 0 {
		d.note("config", well, d.two("设置可以读，互相不矛盾", "the settings are read and go together"), "")
	}
}

// zones looks for time zones, which images may come without.
func (d *doctor) zones() {
	for _, name := range []string{string(d.conf.DefaultTZ), "Asia/Shanghai", "America/New_York"} {
		if _, err := loadZone(name); err != nil {
			d.note("time zones", problem, d.two("没有时区 %s", "no zone %s", name), d.two("用官方方式编译程序，时区会编进去", "build the program as it is: it embeds all zones"))
			return
		}
	}
	d.note("time zones", well, d.two("都在", "they are there"), "")
}

// knowledge looks at the rules, their certificate and how old the prices are.
func (d *doctor) knowledge() {
	fsys := rules.Embedded()
	if d.h.rules != "" {
		var err error
		if fsys, err = rules.Folder(d.h.rules); err != nil {
			d.note("rules", problem, err.Error(), d.two("检查 RULES_DIR", "look at RULES_DIR"))
			return
		}
	}
	book, report := readRules(fsys)
	if !report.Sound() {
		list := unsoundness(report)
		d.note("rules", problem, d.two("%d 个问题，第一个：%s", "%d problems, the first: %s", len(list), list[0]), "gpuadvisor check")
		return
	}
	d.note("rules", well, d.two("%s，%d 种组合都有答案", "%s, every one of %d combinations has its answer", book.Hash, report.Certificate.Combinations), "")
	old, newest := 0, cost.Date{}
	for _, p := range book.Prices {
		if cost.AgeOf(p.AsOf, d.h.now()) == cost.Stale {
			old++
		}
		if newest.IsZero() || p.AsOf.DaysAt(d.h.now()) < newest.DaysAt(d.h.now()) {
			newest = p.AsOf
		}
	}
	found := d.two("%d 条，最新 %s，过旧 %d 条", "%d of them, the newest of %s, %d stale", len(book.Prices), newest, old)
	if old > 0 {
		d.note("prices", warning, found, d.two("用 gpuadvisor prices import 导入新价格；过旧的会标明，不会当新的用", "import new ones with gpuadvisor prices import; stale ones are marked as such"))
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
		d.note("redis", problem, err.Error(), d.two("检查 REDIS_URL，以及 Redis 是否在运行", "look at REDIS_URL, and whether that Redis runs"))
		return
	}
	defer s.Close()
	st, err := s.State(ctx)
	if err != nil {
		d.note("redis", warning, err.Error(), d.two("允许这个用户：%s", "allow the user: %s", redis.Rights))
	} else {
		d.redis(st)
	}
	d.dead(ctx, s)
}

// redis judges what a Redis tells of itself.
func (d *doctor) redis(st redis.State) {
	kind := d.two("单机", "single")
	if st.Cluster {
		kind = d.two("集群", "cluster")
	}
	if !versionAtLeast(st.Version, 6) {
		d.note("redis", warning, d.two("版本 %s", "version %s", st.Version), d.two("测试过的是 6 和更新的版本", "6 and newer are tested"))
	} else {
		d.note("redis", well, d.two("版本 %s，%s，副本 %s 个", "version %s, %s, %s replicas", st.Version, kind, st.Replicas), "")
	}
	policy, sure := st.Policy, problem
	if policy == "" {
		policy, sure = d.two("没有告诉我们", "not told"), warning
	}
	d.judge("redis policy", policy == "noeviction", policy, d.two("设 maxmemory-policy noeviction，否则内存满时提醒会丢", "set maxmemory-policy noeviction, or reminders vanish when memory is full"), sure)
	d.judge("redis persistence", st.AOF, map[bool]string{true: "appendonly yes", false: "appendonly no"}[st.AOF], d.two("设 appendonly yes，否则崩溃会丢掉最近的数据", "set appendonly yes, or a crash loses what came last"), warning)
	d.judge("redis latency", st.Answers <= slowRedis, st.Answers.Round(time.Microsecond).String(), d.two("把 Redis 放近一些：每轮对话要问它几次", "bring Redis nearer: every turn asks it a few times"), warning)
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
	found := d.two("与 %s 相差 %s", "%[2]s apart from %[1]s", whose, skew.Abs().Round(time.Millisecond))
	switch {
	case skew.Abs() > skewProblem:
		d.note("clock", problem, found, d.two("开启 NTP 对时", "keep the time with NTP"))
	case skew.Abs() > skewWarning:
		d.note("clock", warning, found, d.two("开启 NTP 对时", "keep the time with NTP"))
	default:
		d.note("clock", well, found, "")
	}
}

// file looks at the store in one file, without making one.
func (d *doctor) file(ctx context.Context) {
	name, err := d.conf.storeFile()
	if err != nil {
		d.note("store", problem, err.Error(), d.two("设置 STORE_FILE", "set STORE_FILE"))
		return
	}
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
		d.note("store", well, d.two("文件还没有，第一次运行时会建", "no file yet: the first run makes it"), "")
		return
	}
	s, err := bolt.Open(name)
	if err != nil {
		d.note("store", warning, err.Error(), d.two("机器人正在运行的话，这是正常的；死信用 gpuadvisor remind dead 看", "while the bot runs that is as it should be; gpuadvisor remind dead reads it all the same"))
		return
	}
	defer s.Close()
	d.note("store", well, d.two("文件可以打开", "the file opens"), "")
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
		d.note("dead letters", warning, d.two("%d 条提醒没有送到，最近一条 %s", "%d reminders could not be delivered, the latest on %s", len(list), list[0].At.Format(time.DateOnly)), "gpuadvisor remind dead")
	default:
		d.note("dead letters", well, d.two("没有", "none"), "")
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
	do := d.two("检查网络，再试一次", "look at the network and try again")
	if r, ok := errors.AsType[*refusal](err); ok && (r.status == 401 || r.status == 404) {
		do = d.two("令牌不对：重新复制一次", "the token is wrong: copy it once more")
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
	d.judge("telegram groups", me.Result.Groups, d.two("可以进群：%v，读到全部群消息：%v", "may join groups: %v, reads all their messages: %v", me.Result.Groups, me.Result.ReadsAll), d.two("要在群里用，找 @BotFather：/setjoingroups", "for groups ask @BotFather: /setjoingroups"), warning)
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
		d.note("telegram webhook", warning, d.two("还没有登记成设置里的地址", "not the URL of the settings yet"), d.two("启动 serve 时会登记", "serve registers it when it starts"))
	case w.URL != want && want == "":
		d.note("telegram webhook", warning, d.two("登记着别的 webhook，长轮询收不到消息", "another webhook is registered: polling gets nothing"), d.two("启动 serve 时会取消它；另一个程序在用这个令牌的话，换一个", "serve removes it when it starts; use another token if another program has this one"))
	case w.Error != "" && fresh:
		d.note("telegram webhook", problem, d.two("最近一次投递出错：%s", "the last delivery went wrong: %s", w.Error), d.two("检查 TELEGRAM_WEBHOOK_URL 从公网能否访问、证书是否有效", "can TELEGRAM_WEBHOOK_URL be reached from the internet, is its certificate good?"))
	default:
		d.judge("telegram webhook", w.Pending < 1000, d.two("等待的消息 %d 条", "%d messages wait", w.Pending), d.two("机器人跟不上，或者没有运行", "the bot does not keep up, or does not run"), warning)
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
	d.judge("discord rights", lacking == 0, d.two("%d 个服务器，权限不足的 %d 个", "%d servers, rights are missing in %d", len(guilds), lacking), d.two("在那里给机器人：查看频道、发送消息、嵌入链接、附加文件", "give the bot there: view channels, send messages, embed links, attach files"), warning)
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
		d.note("discord interactions", problem, d.two("DISCORD_PUBLIC_KEY 不是这个应用的", "DISCORD_PUBLIC_KEY is not that of this application"), d.two("从 General Information 重新复制", "copy it once more from General Information"))
	case key != "" && !strings.HasSuffix(app.Endpoint, interactionsPath):
		d.note("discord interactions", problem, d.two("应用没有填 Interactions Endpoint URL", "the application has no Interactions Endpoint URL of ours"), d.two("填成 https://你的域名%s", "set it to https://your.host%s", interactionsPath))
	case key == "" && app.Endpoint != "":
		d.note("discord interactions", problem, d.two("应用填了 Interactions Endpoint URL，网关收不到命令", "the application has an Interactions Endpoint URL: no command comes by the gateway"), d.two("清空它，或者设置 DISCORD_PUBLIC_KEY", "empty it, or set DISCORD_PUBLIC_KEY"))
	case key != "":
		d.note("discord interactions", well, d.two("走 HTTP，公钥一致", "by HTTP, the key is that of the application"), "")
	default:
		d.note("discord interactions", well, d.two("走网关；用到的意图都不需要特别批准", "by the gateway; none of its intents needs an approval"), "")
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
	d.judge("discord sessions", g.Limit.Remaining >= max(50, 2*g.Shards), d.two("今天还能新建 %d 次，共 %d 次", "%d of %d may still be started today", g.Limit.Remaining, g.Limit.Total), d.two("别再反复重启；用完后 Discord 会重置令牌", "do not start it again and again: at the end Discord resets the token"), warning)
}
