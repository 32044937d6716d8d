package main

import (
	"strings"

	"github.com/alecthomas/kong"

	"gpuadvisor/advisor"
)

// What the program itself says, as opposed to the advisor: help, complaints
// about a command line or a line of a batch, hello and goodbye. Everything an
// expert would want to edit lies in rules/ instead.

// say returns our words in the language of the house, English when nothing
// tells which.
func (h *house) say(key string) string { return words[key].In(h.lang) }

// complaint is an error that a person reads, in their language.
type complaint struct{ advisor.Text }

func (c complaint) Error() string { return c.In("en") }

// complain makes a complaint of the words under key, {} replaced by what.
func complain(key, what string) complaint {
	said := advisor.Text{}
	for lang, s := range words[key] {
		said[lang] = strings.ReplaceAll(s, "{}", what)
	}
	return complaint{said}
}

// help fills the ${…} of the command line's help, which know no hyphen.
func (h *house) help() kong.Vars {
	vars := kong.Vars{}
	for key, text := range words {
		if name, ok := strings.CutPrefix(key, "help."); ok {
			vars[strings.ReplaceAll(name, "-", "_")] = text.In(h.lang)
		}
	}
	return vars
}

var words = map[string]advisor.Text{
	"about": {
		"zh": "租 GPU 之前问一问:选什么卡、几张、哪类平台、花多少钱、有什么坑。不带命令就直接开聊。",
		"en": "Ask before you rent a GPU: which card, how many, what kind of platform, what it costs, what goes wrong. Without a command it starts to talk.",
	},
	"help.lang":            {"zh": "用中文(zh)还是英文(en)回答;默认跟着你写的语言走", "en": "answer in Chinese (zh) or English (en); by default in the language you write"},
	"help.rules":           {"zh": "用这个目录里的规则,不用程序自带的", "en": "use the rules of this folder instead of the built-in ones"},
	"help.tz":              {"zh": "时区,例如 Asia/Shanghai", "en": "time zone, such as Europe/Berlin"},
	"help.chat":            {"zh": "在终端里聊(默认);也能从管道读,一行一句", "en": "talk in the terminal (the default); reads a pipe too, one message a line"},
	"help.user":            {"zh": "谁在说话", "en": "who is talking"},
	"help.store":           {"zh": "把对话存进这个文件,下次接着聊;不写就只在内存里", "en": "keep the conversation in this file for next time; in memory only when left out"},
	"help.ask":             {"zh": "问一句,答一次", "en": "one question, one answer"},
	"help.accuracy":        {"zh": "公式与公开实测值差多少", "en": "how near the formulas come to published measurements"},
	"help.vram":            {"zh": "估一个任务要多少显存", "en": "memory that one task needs on the card"},
	"help.card":            {"zh": "一张卡的参数、坑和用处", "en": "facts of a card, its traps, what it is good for"},
	"help.platforms":       {"zh": "有哪几类租卡平台,各有什么特点", "en": "kinds of places that rent GPUs, and their traits"},
	"help.cost":            {"zh": "快速算钱:租金、算上重跑的总价、包月划不划算、单件成本、几家对比", "en": "quick cost math: rent, finished job, month or hour, cost of a piece, offers side by side"},
	"help.prices":          {"zh": "带日期和来源的报价;prices import 导入新的", "en": "prices with date and source; prices import takes new ones"},
	"help.importing":       {"zh": "从 SkyPilot、gpuhunt 目录或自己的表格导入报价", "en": "take prices out of a SkyPilot or gpuhunt catalogue or a table of your own"},
	"help.png":             {"zh": "把图存成 PNG", "en": "write the picture as PNG"},
	"help.import-file":     {"zh": "CSV 或 YAML 文件,“-” 是标准输入", "en": "CSV or YAML file, - is standard input"},
	"help.import-provider": {"zh": "这是哪家的报价,例如 runpod", "en": "whose prices these are, such as runpod"},
	"help.import-as-of":    {"zh": "报价日期;不写就用文件的日期", "en": "the day of the prices; the file's own day when left out"},
	"help.import-dry-run":  {"zh": "只看差别,不写入", "en": "show the difference, write nothing"},
	"help.when":            {"zh": "读一个时间,例如“明天下午6点”", "en": "read a time, such as \"tomorrow 6pm\""},
	"help.remind":          {"zh": "提醒,记在 --store FILE 里:remind \"明天 18:00 释放 4090\"、remind list、remind cancel 2", "en": "reminders in --store FILE: remind \"tomorrow 18:00 release the 4090\", remind list, remind cancel 2"},
	"help.release":         {"zh": "登记租来的机器,到点提醒,释放前五个动作:release \"4090 AutoDL 明天18:00\" --store FILE", "en": "note a rented machine, be reminded, five actions before it goes: release \"4090 AutoDL tomorrow 18:00\" --store FILE"},
	"help.rentals":         {"zh": "现在租着什么,从什么时候起,花了多少", "en": "what is rented now, since when, and what it has cost"},
	"help.config":          {"zh": "设置文件(YAML),样例见 bot/config.example.yaml", "en": "file with settings (YAML), such as bot/config.example.yaml"},
	"help.settings":        {"zh": "看和改你的语言、时区、货币,例如 settings en USD --store FILE", "en": "show or change your language, time zone, currency: settings en USD --store FILE"},
	"help.forget":          {"zh": "删掉 --store FILE 里关于你的全部记录", "en": "delete all that --store FILE keeps about you"},
	"help.reports":         {"zh": "用户匿名反馈的对话,新的在前;机器人可以不停", "en": "conversations that people have reported, the latest first; the bot may run"},
	"help.peaks":           {"zh": "用户同意匿名留下的实测峰值,按 rules/measurements 的格式;机器人可以不停", "en": "peaks that people measured and let us keep, in the form of rules/measurements; the bot may run"},
	"help.peaks-domain":    {"zh": "只要一类:llm image video cv audio", "en": "of one domain only: llm image video cv audio"},
	"help.yes":             {"zh": "不再问,直接删", "en": "do it without asking"},
	"help.serve":           {"zh": "运行 Telegram、Discord 机器人", "en": "run the bots on Telegram and Discord"},
	"help.storing":         {"zh": "搬运和备份记录", "en": "move and back up what is kept"},
	"help.copy":            {"zh": "把全部记录从一处搬到另一处:文件或 redis://…;搬的时候机器人要停着", "en": "take all of one place to another, a file or redis://…, while no bot runs"},
	"help.backup":          {"zh": "备份 STORE_FILE,机器人可以不停", "en": "back up STORE_FILE, also while the bot runs"},
	"help.from":            {"zh": "从哪里:文件,或 redis://…", "en": "from where: a file, or redis://…"},
	"help.to":              {"zh": "到哪里:文件,或 redis://…", "en": "to where: a file, or redis://…"},
	"help.backup-to":       {"zh": "备份写进哪个文件", "en": "file to write"},
	"help.doctor":          {"zh": "检查设置、令牌、存储、时钟、规则和价格，说该怎么办", "en": "look at settings, tokens, store, clock, rules and prices, and say what to do"},
	"help.check":           {"zh": "检查规则是否完整、自洽", "en": "is the knowledge complete and sound?"},
	"help.text":            {"zh": "要问的话;不写就从标准输入读", "en": "what to ask; read from standard input when left out"},
	"help.json":            {"zh": "输出 JSON", "en": "print JSON"},
	"help.batch":           {"zh": "回答一个 JSON Lines 文件,“-” 是标准输入", "en": "answer a file of JSON lines, - is standard input"},
	"help.now":             {"zh": "把这个时刻当作现在(RFC 3339)", "en": "take this for the present time (RFC 3339)"},

	"see-help":       {"zh": "(用 gpuadvisor --help 看用法)", "en": " (gpuadvisor --help shows how)"},
	"no-command":     {"zh": "没有 %s 这个命令;有这些:%s", "en": "there is no command %s; there are %s"},
	"text-needs-ask": {"zh": "想直接问一句,请写:gpuadvisor ask %s", "en": "to ask one question, write: gpuadvisor ask %s"},
	"nothing-asked":  {"zh": "没有要问的内容,请这样写:gpuadvisor %s \"…\"", "en": "nothing was asked; write: gpuadvisor %s \"…\""},
	"text-and-batch": {"zh": "--batch 和文字只能用一个", "en": "give either --batch or a text, not both"},
	"too-much-text":  {"zh": "输入超过 1 MiB,太长了", "en": "the text is longer than 1 MiB"},
	"cannot-write":   {"zh": "写不了 {}", "en": "cannot write {}"},
	"no-picture":     {"zh": "还没有可画的数:卡、时长和价格都要有", "en": "there is nothing to draw yet: it takes a card, a length and a price"},

	"import.place":         {"zh": "“{}”不能当平台名:只能用小写字母、数字和连字符,例如 runpod", "en": "\"{}\" cannot name a place: lower-case letters, digits and hyphens only, such as runpod"},
	"import.rules":         {"zh": "要写到哪个规则目录?加 --rules 目录;只想看差别就加 --dry-run", "en": "which rules folder is it for? add --rules DIR, or --dry-run to see the difference only"},
	"import.date":          {"zh": "“{}”不是可用的日期,要写成 2026-11-30 或 2026-11,而且不能是将来", "en": "\"{}\" is no usable day: write 2026-11-30 or 2026-11, and none of the future"},
	"import.format":        {"zh": "看不懂这个文件:要 SkyPilot 或 gpuhunt 的目录,或者有 gpu、currency 和 price_hour(或 price_month)列的表格", "en": "this is neither a SkyPilot nor a gpuhunt catalogue nor a table with gpu, currency and price_hour or price_month"},
	"import.read":          {"zh": "%s:%d 行,用上 %d 行,合成 %d 个价,日期 %s", "en": "%s: %d rows, %d used, %d prices, as of %s"},
	"import.left.cpu":      {"zh": "没有显卡", "en": "no card"},
	"import.left.gone":     {"zh": "没有地区,现在不卖", "en": "no region, not offered now"},
	"import.left.no-price": {"zh": "没有报价,或写成 0(不是免费)", "en": "no price, or zero, which is not free"},
	"import.left.slice":    {"zh": "不是整卡", "en": "a part of a card"},
	"import.left.unknown":  {"zh": "不认识的卡", "en": "unknown card"},
	"import.left.host":     {"zh": "卡和主机分开报价,缺一半", "en": "card or machine priced apart, the other half missing"},
	"import.left.far":      {"zh": "和同型号差 5 倍以上", "en": "more than five times off the others"},
	"import.unknown":       {"zh": "不认识:%s", "en": "unknown: %s"},
	"import.far":           {"zh": "第 %d 行 %s 的 %s 离谱,没用", "en": "line %d: %s at %s is far off, left out"},
	"import.refused":       {"zh": "第 %d 行 %s:%s 是 %s,不可能(%s)", "en": "line %d: %s: %s is %s, which cannot be (%s)"},
	"import.nothing":       {"zh": "什么都没写,原来的报价还在", "en": "nothing was written, the previous prices stay"},
	"import.empty":         {"zh": "没有一行能用,什么都没写", "en": "not one row is usable, nothing was written"},
	"import.changes":       {"zh": "新增 %d,变化 %d,消失 %d", "en": "%d new, %d changed, %d gone"},
	"import.written":       {"zh": "已写入 %s", "en": "written to %s"},
	"import.kept":          {"zh": ",旧的一份留作 .previous", "en": ", the previous set is kept as .previous"},
	"import.dry":           {"zh": "只是看看,没有写入", "en": "a look only, nothing was written"},

	"dead-letter":    {"zh": "%s 放弃 · %s · 本该在 %s · %s · 试了 %d 次", "en": "given up %s · %s · was due %s · %s · attempts: %d"},
	"no-dead-letter": {"zh": "没有送不到的提醒", "en": "there is no reminder that could not be delivered"},
	"cannot-open":    {"zh": "打不开 {}", "en": "cannot open {}"},
	"some-bad":       {"zh": "%d 行里有 %d 行没能回答", "en": "%[2]d of %[1]d lines could not be answered"},

	"no-peaks":     {"zh": "还没有人留下实测峰值", "en": "nobody has let a measured peak be kept"},
	"no-reports":   {"zh": "还没有反馈", "en": "nobody has reported anything"},
	"report.facts": {"zh": "听懂的条件", "en": "understood"},
	"report.said":  {"zh": "他说", "en": "they"},
	"report.reply": {"zh": "回答", "en": "we"},

	"copied":        {"zh": "已搬完并核对:%d 个对话,%d 条设置,%d 个提醒,%d 个没送达的提醒", "en": "copied and compared: %d conversations, %d records, %d reminders, %d dead letters"},
	"not-empty":     {"zh": "要搬去的地方已经有东西了,请换一个空的", "en": "there is something already where it should go: name an empty place"},
	"backed-up":     {"zh": "已备份 %d 字节到 %s", "en": "%d bytes backed up to %s"},
	"bots-run":      {"zh": "还有机器人在用这里,先停掉再搬:%s(刚停的要等一分钟)", "en": "bots are using this place, stop them first: %s (one that was killed is gone after a minute)"},
	"bad-config":    {"zh": "设置有 %d 处问题:", "en": "problems in the settings: %d"},
	"no-chat":       {"zh": "没有可运行的聊天软件:请设置 %s", "en": "there is no chat to run: set %s"},
	"no-store":      {"zh": "没写 --store FILE,设了也不会留下", "en": "without --store FILE nothing is kept"},
	"not-forgotten": {"zh": "什么都没删;确定要删请加 --yes", "en": "nothing was deleted; add --yes if you mean it"},

	"unsound": {"zh": "规则有 %d 处问题,第一处:%v(gpuadvisor check 会全部列出)", "en": "problems in the rules: %d, the first: %v (gpuadvisor check lists all)"},

	"bad.long":      {"zh": "这一行超过 4 MiB,太长了", "en": "the line is longer than 4 MiB"},
	"bad.json":      {"zh": "这一行不是 JSON 对象", "en": "the line is not a JSON object"},
	"bad.field":     {"zh": "字段 {} 的类型不对", "en": "field {} has the wrong type"},
	"bad.no-text":   {"zh": "缺少字段 text", "en": "field text is missing"},
	"bad.no-job":    {"zh": "缺少字段 text；也可以给 domain、task、model_id 或 params_b", "en": "field text is missing; domain, task, model_id or params_b would do as well"},
	"bad.neither":   {"zh": "缺少字段 text 或 turns", "en": "field text or turns is missing"},
	"bad.onto":      {"zh": "备份不能写到正在用的存储文件 {} 上,换个文件名", "en": "the backup cannot replace the store itself, {}; name another file"},
	"bad.now":       {"zh": "字段 now 不是 2026-12-02T15:30:00+08:00 这样的时刻", "en": "field now is not a time such as 2026-12-02T15:30:00+08:00"},
	"bad.itself":    {"zh": "两边是同一个存储，没有可搬的", "en": "both are the same store: there is nothing to copy"},
	"bad.order":     {"zh": "--paid-for 里没有读到显卡型号：{}。写成“2x RTX 4090 24GB”这样", "en": "--paid-for names no card: {}. Write it as \"2x RTX 4090 24GB\""},
	"bad.beside":    {"zh": "--accuracy 单独用，后面不能再有文本或 --batch", "en": "--accuracy stands alone: no text and no --batch beside it"},
	"bad.tz":        {"zh": "不认识时区 {}", "en": "unknown time zone {}"},
	"bad.lang":      {"zh": "不会说 {} 这种语言,只有 zh 和 en", "en": "language {} is not spoken here, only zh and en"},
	"bad.internal":  {"zh": "这里出了内部错误,没能回答", "en": "an internal error kept this from being answered"},
	"bad.no-number": {"zh": "没算出有限的数字", "en": "the answer is not a finite number"},

	"hello": {
		"zh": "你好,我帮你选要租的 GPU:显存、卡型、张数、平台类型、计费、风险。\n" +
			"说说要做什么,比如“LoRA 微调 7B,数据 2 GB,两天”或“SDXL 出图租什么卡?”\n" +
			"数字选选项,/help 看帮助,Ctrl-D 结束。",
		"en": "Hello. I help you rent the right GPU: memory, card, count, platform, risks.\n" +
			"Try \"LoRA on a 7B model, 2 GB, two days\" or \"which card for SDXL images?\"\n" +
			"A number picks a choice, /help explains, Ctrl-D ends.",
	},
	"sorry": {
		"zh": "抱歉,这句话我没处理好,前面说的都还在。请换个说法再试一次。",
		"en": "Sorry, I stumbled over that message; everything before it is kept. Please say it another way.",
	},
	"store-down": {
		"zh": "抱歉,我现在够不着存对话的地方,这条没有处理。过一分钟请再发一次。",
		"en": "Sorry, I cannot reach the place where I keep conversations, so nothing was done with that message. Please send it again in a minute.",
	},
	"store-foreign": {
		"zh": "抱歉,这里该放我们对话或设置的位置上,放着不是我写的东西。我没有动它,所以接不下去,/forget 也不会删它。请让运行这个机器人的人看一下日志,把那条记录移走,之后就能照常聊。",
		"en": "Sorry, where our conversation or your settings here should be lies something that I did not write. I left it as it is, so I cannot go on here, and /forget does not delete it. Please ask whoever runs this bot to look into its log and move that record away; then I work as before.",
	},
	"store-newer": {
		"zh": "抱歉,我们的对话或设置是新版本的程序写的,我这个旧版本读不懂,没有动它,什么都没丢。请让运行这个机器人的人把程序升级,之后接着聊。",
		"en": "Sorry, our conversation or your settings were written by a newer version of this program, which this copy cannot read. Nothing was changed and nothing is lost: please ask whoever runs this bot to upgrade it, then we go on.",
	},
	"passed-over": {
		"zh": "另有 {} 条机器记录读不出来(新版本写的,或不是本程序写的),上面没算它。原样没动;原因在机器人的日志里,请告诉运行它的人。",
		"en": "Machines on record that could not be read and are left out above: {} (written by a newer version, or not by this program). Nothing was changed; the bot's log tells whoever runs it why.",
	},
	"too-fast.user": {
		"zh": "你发得比我读得快,歇一分钟再接着说。",
		"en": "You write faster than I can answer. Give me a minute, then go on.",
	},
	"too-fast.room": {
		"zh": "这个群里问的人太多了,一分钟后我接着答。",
		"en": "This group asks more than I can answer. I go on in a minute.",
	},
	"reminders-here": {
		"zh": "那个频道我没法自己发言，提醒会发到这里。",
		"en": "I cannot speak in that channel by myself; your reminders will arrive here.",
	},
	"reminders-end": {
		"zh": "程序结束了,还没到时间的 %d 个提醒也就没有了。",
		"en": "The program ends; reminders that had not come due end with it: %d.",
	},
	"lang": {"zh": "zh", "en": "en"},

	"no-card":     {"zh": "不认识“{}”这张卡", "en": "no card called \"{}\" is known here"},
	"no-platform": {"zh": "没有“{}”这一类平台", "en": "no kind of platform is called \"{}\""},

	"no-formula": {"zh": "这类任务没有显存公式,估不出来", "en": "there is no memory formula for this kind of task"},
	"no-model":   {"zh": "没看出是什么模型,请写上名字或参数量,例如 Qwen2.5-7B 或 7B", "en": "no model was recognised; write its name or size, such as Qwen2.5-7B or 7B"},

	"accuracy.domain": {"zh": "任务", "en": "task"},
	"accuracy.cases":  {"zh": "条数", "en": "figures"},
	"accuracy.median": {"zh": "中位误差", "en": "median error"},
	"accuracy.under":  {"zh": "低估超过 5 %", "en": "over 5 % too low"},
	"accuracy.note":   {"zh": "公开的实测值,来源在 rules/measurements;公式也是看着这些值调的,没见过的任务误差会更大。", "en": "Against published measurements (sources in rules/measurements), which the formulas were also tuned on: expect more on jobs they have not seen."},
	"vram.per-gpu":    {"zh": "每张卡", "en": "On each card"},
	"vram.per-total":  {"zh": "所有卡合计", "en": "On all cards together"},
	"vram.load":       {"zh": "载入", "en": "Load"},
	"vram.peak":       {"zh": "峰值", "en": "Peak"},
	"vram.reserve":    {"zh": "预留", "en": "Reserve"},
	"vram.total":      {"zh": "卡上可用显存至少", "en": "Usable memory needed"},
	"vram.term":       {"zh": "其中", "en": "Of which"},
	"vram.assumed":    {"zh": "没说的按这些算:", "en": "Assumed: "},
	"vram.lever":      {"zh": "想降一档:", "en": "To drop a class: "},

	"help.diagnose":  {"zh": "贴报错日志:是哪一层的问题、该谁管、先做什么", "en": "paste a log: in which layer the fault lies, whose it is, what to do first"},
	"help.verify":    {"zh": "贴 nvidia-smi:是不是订的那张卡,有没有别人在用", "en": "paste nvidia-smi: is it the card that was ordered, and idle?"},
	"help.checklist": {"zh": "清单:租前、磁盘六问、费用、SLA、上机……", "en": "checklists: before renting, six disk questions, fees, SLA, first login …"},
	"help.score":     {"zh": "给平台打可靠性分,最多四家并排", "en": "score the reliability of platforms, up to four side by side"},
	"help.trial":     {"zh": "两小时试跑:七步怎么走;或把每步分钟数写上,给结论", "en": "the two-hour trial in seven steps; with the minutes of each step, its verdict"},
	"help.file":      {"zh": "从这个文件读,不从参数或标准输入读", "en": "read it from this file instead of the arguments or standard input"},
	"help.paid-for":  {"zh": "订的是什么,例如 “2x RTX 4090 24GB”", "en": "what was ordered, such as \"2x RTX 4090 24GB\""},
	"help.cuda":      {"zh": "框架需要的 CUDA 版本,例如 12.4", "en": "the CUDA version that the framework needs, such as 12.4"},
	"help.answers":   {"zh": "按顺序的回答,数出通过几条", "en": "answers in order; counts how many pass"},
	"help.markdown":  {"zh": "输出 Markdown", "en": "print Markdown"},
	"text-and-file":  {"zh": "--file 不能和文字或 --batch 一起用", "en": "give --file alone, without a text and without --batch"},
	"no-checklist":   {"zh": "没有“{}”这份清单;不带名字会列出全部", "en": "no checklist is called \"{}\"; without a name all are listed"},
	"no-trial":       {"zh": "“{}”里没有步骤和分钟,例如:创建 3, 连接 5, 跑 40/25, 显存 5, 保存 10, 停 5, 恢复 12", "en": "there are no steps with minutes in \"{}\"; write such as: create 3, connect 5, run 40/25, watch 5, save 10, stop 5, restore 12"},
	"no-score":       {"zh": "“{}”里没有能打分的数,请写四个 0 到 1 的数,或实测数,例如:波动 2%, 掉线 1, 首响 20 分钟", "en": "there is nothing to score in \"{}\"; write four numbers from 0 to 1, or measurements such as: cv 2%, drops 1, reply 20 min"},

	"when.or": {"zh": "或者:%s", "en": "or: %s"},

	"unknown": {"zh": "未知", "en": "unknown"},
	"yes":     {"zh": "有", "en": "yes"},
	"no":      {"zh": "无", "en": "no"},
	"list":    {"zh": "、", "en": ", "},

	"card.memory":    {"zh": "显存", "en": "VRAM"},
	"card.smi":       {"zh": "(nvidia-smi 里见过 %s MiB)", "en": " (nvidia-smi shows %s MiB)"},
	"card.bandwidth": {"zh": "显存带宽", "en": "Bandwidth"},
	"card.formats":   {"zh": "硬件支持", "en": "In hardware"},
	"card.power":     {"zh": "功耗", "en": "Power"},
	"card.cuda":      {"zh": "最低 CUDA", "en": "Oldest CUDA"},
	"card.rentable":  {"zh": "好租吗", "en": "For rent"},
	"card.good":      {"zh": "适合", "en": "Good for"},
	"card.notes":     {"zh": "注意", "en": "Traps"},
	"card.sources":   {"zh": "出处", "en": "Sources"},
	"card.checked":   {"zh": "%d 处,见 rules/cards/%s.yaml(%s 核对)", "en": "%d, in rules/cards/%s.yaml (checked %s)"},
	"card.doubt":     {"zh": "有疑问的地方:%s", "en": "Uncertain: %s"},

	"class.consumer":    {"zh": "消费级", "en": "consumer card"},
	"class.workstation": {"zh": "工作站卡", "en": "workstation card"},
	"class.datacenter":  {"zh": "数据中心卡", "en": "data-centre card"},
	"class.domestic":    {"zh": "国产卡", "en": "Chinese accelerator"},

	"nvlink.none":     {"zh": "没有", "en": "none"},
	"nvlink.bridge":   {"zh": "桥接", "en": "bridge"},
	"nvlink.nvswitch": {"zh": "NVSwitch 全互联", "en": "NVSwitch"},

	"rentable.common":            {"zh": "好租", "en": "common"},
	"rentable.some":              {"zh": "有些地方能租到", "en": "in some places"},
	"rentable.rare":              {"zh": "少见", "en": "rare"},
	"rentable.export-restricted": {"zh": "受出口管制", "en": "export-restricted"},

	"platforms.traits":   {"zh": "特点", "en": "Traits"},
	"platforms.good":     {"zh": "适合", "en": "Good for"},
	"platforms.bad":      {"zh": "不适合", "en": "Not for"},
	"platforms.ask":      {"zh": "下单前问", "en": "Ask them"},
	"platforms.examples": {"zh": "例如", "en": "Examples"},
	"platforms.neutral": {
		"zh": "例子按字母排序,不是推荐;价格和条款以平台自己的页面为准。",
		"en": "Examples are alphabetical, not recommended; prices and terms are what the places themselves publish.",
	},
}
