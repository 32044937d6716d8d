package text

import (
	"strings"
	"unicode/utf8"
)

// Unit is what a quantity counts, where its form tells.
type Unit string

// Units. The comment says what Lo and Hi are then.
const (
	Bare     Unit = ""         // no unit: the number itself
	Hours    Unit = "hours"    // hours; a day is 24, a week 168, a month 720, a year 8760
	GB       Unit = "gb"       // decimal gigabytes, or the memory of a card
	Params   Unit = "params"   // billions of parameters
	Kilo     Unit = "kilo"     // thousands: tokens, rows, money
	Mega     Unit = "mega"     // millions: parameters, rows, megabytes
	Tera     Unit = "tera"     // thousands of GB, or of billions
	CNY      Unit = "cny"      // yuan
	USD      Unit = "usd"      // dollars
	Cards    Unit = "cards"    // cards
	Sheets   Unit = "sheets"   // 张: cards or pictures
	Blocks   Unit = "blocks"   // 块: cards or yuan
	Pieces   Unit = "pieces"   // 个 片 枚: anything
	Times    Unit = "times"    // 2x, x8
	Machines Unit = "machines" // hosts
	People   Unit = "people"   // users at once, or all of them
	Streams  Unit = "streams"  // requests at once
	Frames   Unit = "frames"   // frames of a video
	Lines    Unit = "lines"    // picture height: 720p
	Size     Unit = "size"     // Lo × Hi pixels
	Percent  Unit = "percent"  // per cent
	Mbps     Unit = "mbps"     // Mbit/s
	Bits     Unit = "bits"     // width of a number
	Tokens   Unit = "tokens"   // tokens
	Watts    Unit = "watts"    // watts
	Things   Unit = "things"   // images, rows, files …: work, not a fact of ours
)

// unitWord is one spelling of a unit.
type unitWord struct {
	unit Unit
	by   float64 // factor into the base of the unit
}

// unitWords are the spellings of units, behind the number. Latin ones stand
// alone: the "h" of 8h, not of 8hello.
var unitWords = map[string]unitWord{
	"秒": {Things, 1}, "秒钟": {Things, 1}, "s": {Things, 1}, "sec": {Things, 1}, "secs": {Things, 1}, "second": {Things, 1}, "seconds": {Things, 1}, "ms": {Things, 1}, "毫秒": {Things, 1},
	"microsecond": {Things, 1}, "microseconds": {Things, 1}, "微秒": {Things, 1}, "纳秒": {Things, 1}, "ns": {Things, 1}, "nanosecond": {Things, 1}, "nanoseconds": {Things, 1},
	"分钟": {Hours, 1. / 60}, "分": {Hours, 1. / 60}, "min": {Hours, 1. / 60}, "mins": {Hours, 1. / 60}, "minute": {Hours, 1. / 60}, "minutes": {Hours, 1. / 60},
	"刻钟": {Hours, 1. / 4}, "小时": {Hours, 1}, "钟头": {Hours, 1}, "个钟": {Hours, 1}, "h": {Hours, 1}, "hr": {Hours, 1}, "hrs": {Hours, 1}, "hour": {Hours, 1}, "hours": {Hours, 1},
	"天": {Hours, 24}, "日": {Hours, 24}, "整天": {Hours, 24}, "昼夜": {Hours, 24}, "天天": {Things, 1}, "day": {Hours, 24}, "days": {Hours, 24}, "d": {Hours, 24},
	"周": {Hours, 168}, "周周": {Things, 1}, "星期": {Hours, 168}, "礼拜": {Hours, 168}, "week": {Hours, 168}, "weeks": {Hours, 168}, "wk": {Hours, 168}, "wks": {Hours, 168},
	"月": {Hours, 720}, "个月": {Hours, 720}, "month": {Hours, 720}, "months": {Hours, 720}, "mo": {Hours, 720}, "mos": {Hours, 720},
	"季度": {Hours, 2160}, "quarter": {Hours, 2160}, "quarters": {Hours, 2160}, "fortnight": {Hours, 336}, "fortnights": {Hours, 336},
	"年": {Hours, 8760}, "year": {Hours, 8760}, "years": {Hours, 8760}, "yr": {Hours, 8760}, "yrs": {Hours, 8760},
	"周末": {Hours, 48}, "weekend": {Hours, 48}, "weekends": {Hours, 48}, "workday": {Hours, 24}, "workdays": {Hours, 24}, "工作日": {Hours, 24},

	"g": {GB, 1}, "gb": {GB, 1}, "gib": {GB, 1}, "gig": {GB, 1}, "gigs": {GB, 1}, "gigabyte": {GB, 1}, "gigabytes": {GB, 1}, "gbs": {GB, 1},
	"tb": {GB, 1000}, "tib": {GB, 1000}, "tbs": {GB, 1000}, "terabyte": {GB, 1000}, "terabytes": {GB, 1000}, "pb": {GB, 1e6},
	"mb": {GB, 0.001}, "mib": {GB, 1 / 1024.}, "megabytes": {GB, 0.001}, "megs": {GB, 0.001}, "t": {Tera, 1000}, "trillion": {Tera, 1000},

	"b": {Params, 1}, "bn": {Params, 1}, "billion": {Params, 1}, "亿参数": {Params, 0.1}, "万参数": {Params, 1e-5},
	"k": {Kilo, 1000}, "m": {Mega, 1e6}, "mil": {Mega, 1e6}, "w": {Kilo, 10000},

	"元": {CNY, 1}, "块钱": {CNY, 1}, "元钱": {CNY, 1}, "rmb": {CNY, 1}, "cny": {CNY, 1}, "yuan": {CNY, 1}, "人民币": {CNY, 1}, "元人民币": {CNY, 1}, "大洋": {CNY, 1}, "毛": {CNY, 0.1}, "毛钱": {CNY, 0.1}, "¥": {CNY, 1},
	"刀": {USD, 1}, "美元": {USD, 1}, "美金": {USD, 1}, "usd": {USD, 1}, "dollar": {USD, 1}, "dollars": {USD, 1}, "buck": {USD, 1}, "bucks": {USD, 1}, "刀乐": {USD, 1}, "$": {USD, 1}, "us$": {USD, 1},
	"cent": {USD, 0.01}, "cents": {USD, 0.01}, "美分": {USD, 0.01},

	"卡时": {Things, 1}, "个卡时": {Things, 1}, "卡小时": {Things, 1}, "gpu时": {Things, 1}, "gpu小时": {Things, 1}, "gpu hours": {Things, 1}, "gpu-hours": {Things, 1}, "gpu hour": {Things, 1}, "card hours": {Things, 1}, "card-hours": {Things, 1}, "卡": {Cards, 1}, "张卡": {Cards, 1}, "块卡": {Cards, 1}, "片卡": {Cards, 1}, "个卡": {Cards, 1}, "张显卡": {Cards, 1}, "块显卡": {Cards, 1}, "张gpu": {Cards, 1}, "块gpu": {Cards, 1}, "个gpu": {Cards, 1}, "片gpu": {Cards, 1},
	"gpu": {Cards, 1}, "gpus": {Cards, 1}, "card": {Cards, 1}, "cards": {Cards, 1}, "张加速卡": {Cards, 1}, "块加速卡": {Cards, 1}, "张计算卡": {Cards, 1}, "accelerators": {Cards, 1}, "accelerator": {Cards, 1}, "graphics cards": {Cards, 1}, "graphics card": {Cards, 1}, "张显示卡": {Cards, 1},
	"张": {Sheets, 1}, "块": {Blocks, 1}, "块板": {Blocks, 1}, "片": {Pieces, 1}, "枚": {Pieces, 1}, "个": {Pieces, 1}, "颗": {Pieces, 1}, "只": {Pieces, 1},
	"x": {Times, 1}, "倍": {Percent, 100},
	"台": {Machines, 1}, "机": {Machines, 1}, "台机器": {Machines, 1}, "台服务器": {Machines, 1}, "台机子": {Machines, 1}, "节点": {Machines, 1}, "个节点": {Machines, 1}, "node": {Machines, 1}, "nodes": {Machines, 1}, "machine": {Machines, 1}, "machines": {Machines, 1}, "server": {Machines, 1}, "servers": {Machines, 1}, "box": {Machines, 1}, "boxes": {Machines, 1}, "hosts": {Machines, 1},

	"人": {People, 1}, "号人": {People, 1}, "口人": {People, 1}, "个人": {People, 1}, "位": {People, 1}, "名": {People, 1}, "人同时": {People, 1}, "用户": {People, 1}, "个用户": {People, 1}, "位用户": {People, 1}, "个公务员": {People, 1}, "个医生": {People, 1}, "个护士": {People, 1}, "个老师": {People, 1}, "个学生": {People, 1}, "个律师": {People, 1}, "个客服": {People, 1}, "个坐席": {People, 1}, "个座席": {People, 1}, "个客户": {People, 1}, "个朋友": {People, 1}, "个工程师": {People, 1}, "个程序员": {People, 1}, "个开发": {People, 1}, "个研发": {People, 1}, "个运营": {People, 1}, "个销售": {People, 1}, "个伙伴": {People, 1}, "个同伴": {People, 1}, "个哥们": {People, 1}, "个兄弟": {People, 1}, "个使用者": {People, 1}, "个业务员": {People, 1}, "个员工用": {People, 1}, "个顾问": {People, 1}, "个编辑": {People, 1}, "个分析师": {People, 1}, "来号人": {People, 1}, "来个人": {People, 1}, "名用户": {People, 1}, "个同事": {People, 1}, "位同事": {People, 1}, "个同学": {People, 1}, "个员工": {People, 1}, "名员工": {People, 1},
	"user": {People, 1}, "users": {People, 1}, "people": {People, 1}, "person": {People, 1}, "persons": {People, 1}, "colleagues": {People, 1}, "coworkers": {People, 1}, "teammates": {People, 1}, "employees": {People, 1}, "clients": {People, 1}, "customers": {People, 1}, "students": {People, 1}, "devs": {People, 1}, "developers": {People, 1}, "folks": {People, 1}, "seats": {People, 1},
	"ppl": {People, 1}, "peeps": {People, 1}, "humans": {People, 1}, "friends": {People, 1}, "mates": {People, 1}, "guys": {People, 1}, "kids": {People, 1}, "pupils": {People, 1}, "guests": {People, 1}, "visitors": {People, 1}, "subscribers": {People, 1}, "members": {People, 1}, "staff": {People, 1}, "staffers": {People, 1}, "reps": {People, 1}, "sales reps": {People, 1},
	"engineers": {People, 1}, "programmers": {People, 1}, "coders": {People, 1}, "analysts": {People, 1}, "researchers": {People, 1}, "scientists": {People, 1}, "writers": {People, 1}, "editors": {People, 1}, "designers": {People, 1}, "lawyers": {People, 1}, "attorneys": {People, 1}, "accountants": {People, 1}, "consultants": {People, 1}, "managers": {People, 1}, "contractors": {People, 1}, "interns": {People, 1}, "testers": {People, 1}, "callers": {People, 1}, "doctors": {People, 1}, "physicians": {People, 1}, "clinicians": {People, 1}, "nurses": {People, 1}, "teachers": {People, 1}, "players": {People, 1}, "support agents": {People, 1}, "operators": {People, 1}, "internal users": {People, 1}, "active users": {People, 1}, "end users": {People, 1},
	"of them": {Cards, 1}, "of those": {Cards, 1}, "of these": {Cards, 1},
	"路": {Streams, 1}, "路并发": {Streams, 1}, "并发": {Streams, 1}, "个并发": {Streams, 1}, "个请求": {Streams, 1}, "请求": {Streams, 1}, "个会话": {Streams, 1}, "concurrent": {Streams, 1}, "concurrency": {Streams, 1}, "parallel": {Streams, 1}, "simultaneous": {Streams, 1}, "streams": {Streams, 1}, "request": {Streams, 1}, "requests": {Streams, 1}, "sessions": {Streams, 1}, "qps": {Things, 1}, "rps": {Things, 1}, "chats": {Streams, 1}, "threads": {Streams, 1},

	"帧": {Frames, 1}, "frame": {Frames, 1}, "frames": {Frames, 1}, "p": {Lines, 1}, "px": {Lines, 1}, "分辨率": {Lines, 1}, "像素": {Lines, 1}, "pixels": {Lines, 1}, "fps": {Things, 1},
	"%": {Percent, 1}, "percent": {Percent, 1}, "per cent": {Percent, 1}, "成": {Percent, 10},
	"mbps": {Mbps, 1}, "mbit": {Mbps, 1}, "mbit/s": {Mbps, 1}, "mb/s": {Mbps, 8}, "gbps": {Mbps, 1000}, "gbit": {Mbps, 1000}, "兆带宽": {Mbps, 1}, "m带宽": {Mbps, 1}, "兆": {Mbps, 1}, "m宽带": {Mbps, 1}, "兆宽带": {Mbps, 1}, "千兆": {Mbps, 1000}, "万兆": {Mbps, 10000}, "g带宽": {Mbps, 1000},
	"bit": {Bits, 1}, "bits": {Bits, 1}, "位量化": {Bits, 1}, "比特": {Bits, 1},
	"token": {Tokens, 1}, "tokens": {Tokens, 1}, "个token": {Tokens, 1}, "tok": {Tokens, 1}, "词元": {Tokens, 1}, "ktoken": {Tokens, 1000}, "ktokens": {Tokens, 1000}, "ktok": {Tokens, 1000},
	"瓦": {Watts, 1}, "watt": {Watts, 1}, "watts": {Watts, 1}, "wh": {Watts, 1}, "度电": {Watts, 1},

	"分类": {Things, 1}, "分割": {Things, 1}, "分析": {Things, 1}, "分布": {Things, 1}, "分之": {Things, 1}, "年级": {Things, 1}, "月份": {Things, 1}, "周年": {Things, 1}, "天内存": {Things, 1}, "张图": {Things, 1}, "张图片": {Things, 1}, "张照片": {Things, 1}, "张海报": {Things, 1}, "幅图": {Things, 1}, "幅": {Things, 1}, "条": {Things, 1}, "篇": {Things, 1}, "字": {Things, 1}, "行": {Things, 1}, "次": {Things, 1}, "步": {Things, 1}, "轮": {Things, 1}, "遍": {Things, 1}, "段": {Things, 1}, "集": {Things, 1}, "份": {Things, 1}, "首": {Things, 1}, "句": {Things, 1}, "岁": {Things, 1}, "项": {Things, 1}, "家": {Things, 1}, "种": {Things, 1}, "级": {Things, 1}, "代": {Things, 1}, "件": {Things, 1}, "样": {Things, 1}, "些": {Things, 1}, "下": {Things, 1}, "起": {Things, 1}, "直": {Things, 1}, "点": {Things, 1}, "套": {Things, 1}, "门": {Things, 1}, "类": {Things, 1}, "层": {Things, 1}, "核": {Things, 1}, "号": {Things, 1}, "期": {Things, 1}, "折": {Things, 1},
	"个镜头": {Things, 1}, "个视频": {Things, 1}, "个文件": {Things, 1}, "个样本": {Things, 1}, "个文档": {Things, 1}, "个模型": {Things, 1}, "个任务": {Things, 1}, "个epoch": {Things, 1}, "个原子": {Things, 1}, "个音色": {Things, 1}, "元组": {Things, 1}, "元组数据": {Things, 1}, "元一次": {Things, 1}, "万条": {Things, 1e4}, "万张": {Things, 1e4}, "个点": {Things, 1}, "个类": {Things, 1},
	"image": {Things, 1}, "images": {Things, 1}, "img": {Things, 1}, "imgs": {Things, 1}, "pics": {Things, 1}, "pictures": {Things, 1}, "photos": {Things, 1}, "rows": {Things, 1}, "samples": {Things, 1}, "docs": {Things, 1}, "documents": {Things, 1}, "files": {Things, 1}, "passages": {Things, 1}, "atoms": {Things, 1}, "steps": {Things, 1}, "epochs": {Things, 1}, "epoch": {Things, 1}, "classes": {Things, 1}, "clips": {Things, 1}, "videos": {Things, 1}, "pages": {Things, 1}, "words": {Things, 1}, "examples": {Things, 1}, "conversations": {Things, 1}, "pairs": {Things, 1}, "records": {Things, 1}, "runs": {Things, 1}, "times": {Things, 1}, "jobs": {Things, 1}, "cells": {Things, 1}, "particles": {Things, 1}, "sequences": {Things, 1}, "layers": {Things, 1}, "cores": {Things, 1}, "controlnets": {Things, 1}, "loras": {Things, 1}, "episodes": {Things, 1}, "shots": {Things, 1}, "experiments": {Things, 1}, "models": {Things, 1}, "tasks": {Things, 1},
}

// longestUnit is the longest spelling in bytes.
var longestUnit = func() int {
	n := 0
	for w := range unitWords {
		n = max(n, len(w))
	}
	return n
}()

// unitAt returns the longest unit that begins at i.
func unitAt(s string, i int) (u unitWord, end int, ok bool) {
	for n := min(longestUnit, len(s)-i); n > 0; n-- {
		found, known := unitWords[s[i:i+n]]
		if known && unitEnds(s, i, i+n) && !beginsWord(s, i, i+n) {
			if part, end, ok := quarterOf(s, i, i+n); ok {
				return part, end, true
			}
			return found, i + n, true
		}
	}
	return unitWord{}, i, false
}

// quarterOf reads "quarter of an hour" and "quarters of a terabyte", where a
// quarter alone is three months.
func quarterOf(s string, i, j int) (u unitWord, end int, ok bool) {
	if w := s[i:j]; w != "quarter" && w != "quarters" {
		return unitWord{}, i, false
	}
	of := skipWords(s, j, "of", "a", "an")
	if of == j || skipBlank(s, of) == of {
		return unitWord{}, i, false
	}
	if u, end, ok = unitAt(s, skipBlank(s, of)); !ok || u.unit != Hours && u.unit != GB {
		return unitWord{}, i, false
	}
	return unitWord{u.unit, u.by / 4}, end, true
}

// unitEnds reports whether a unit may end before j. Latin units end with their
// word, except that x counts the card behind it (2x3090) and h and m add up
// (2h30m).
func unitEnds(s string, i, j int) bool {
	if j == len(s) || !isWord(s[j]) || !isWord(s[j-1]) {
		return true
	}
	if s[j] == 'x' && s[i] == 'g' && j+1 < len(s) && isDigit(s[j+1]) {
		return true // 80gx4
	}
	if j-i > 1 {
		return false
	}
	switch s[i] {
	case 'x':
		return isWord(s[j])
	case 'h', 'd':
		k := j
		for k < len(s) && isDigit(s[k]) {
			k++
		}
		return k > j && k < len(s) && (s[k] == 'm' || s[k] == 'h')
	}
	return false
}

// otherWords are Chinese units and the characters with which they make words of
// another meaning: 1280 分辨率 is not 1280 minutes, 10 分类 not ten.
var otherWords = map[string]string{
	"分": "辨类割布析数别区词层配段散离", "天": "气然空线", "周": "期边围报", "日": "志常语本", "年": "级龄轻", "月": "饼",
	"块": "状存", "路": "由径线", "机": "会制械型柜房架房", "个": "性", "个人": "工脸像物体", "人": "脸像物工体声类设格", "位": "置移姿数", "名": "称字单", "片": "段", "步": "骤", "点": "云", "层": "级",
	"代": "码理", "行": "业为人", "类": "别型", "级": "别", "期": "间望", "下": "载", "起": "步", "条": "件", "字": "段符幕", "句": "子", "份": "额", "种": "类",
}

// beginsWord reports whether the Chinese unit s[i:j] is only the beginning of
// another word.
func beginsWord(s string, i, j int) bool {
	others := otherWords[s[i:j]]
	if others == "" || j >= len(s) || s[j] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[j:])
	return strings.ContainsRune(others, r)
}

// currencySigns stand before the number.
var currencySigns = []struct {
	sign string
	unit Unit
}{
	{"us$", USD}, {"$", USD}, {"usd", USD}, {"¥", CNY}, {"rmb", CNY}, {"cny", CNY}, {"人民币", CNY},
}

// pers are ways to say "for each such time", behind a quantity, in hours.
var pers = []struct {
	word  string
	hours float64
}{
	{"/小时", 1}, {"/时", 1}, {"/hours", 1}, {"/hour", 1}, {"/hrs", 1}, {"/hr", 1}, {"/h", 1}, {"每小时", 1}, {"per hour", 1}, {"an hour", 1}, {"hourly", 1}, {"/gpu/hr", 1}, {"/gpuh", 1}, {"/gpu-hour", 1}, {"per gpu hour", 1}, {"/卡时", 1}, {"/卡/小时", 1}, {"each hour", 1}, {"每个小时", 1},
	{"/天", 24}, {"/日", 24}, {"/day", 24}, {"/d", 24}, {"每天", 24}, {"per day", 24}, {"a day", 24}, {"daily", 24}, {"each day", 24}, {"every day", 24}, {"a night", 24}, {"per night", 24}, {"every night", 24}, {"each night", 24},
	{"/周", 168}, {"/week", 168}, {"每周", 168}, {"per week", 168}, {"a week", 168}, {"weekly", 168}, {"each week", 168}, {"every week", 168},
	{"/月", 720}, {"/month", 720}, {"/mo", 720}, {"每月", 720}, {"每个月", 720}, {"per month", 720}, {"a month", 720}, {"monthly", 720}, {"each month", 720}, {"every month", 720},
	{"/年", 8760}, {"/year", 8760}, {"/yr", 8760}, {"per year", 8760}, {"a year", 8760}, {"每年", 8760}, {"yearly", 8760}, {"annually", 8760}, {"each year", 8760}, {"every year", 8760},
	{"/s", 1. / 3600}, {"/it", 1. / 3600}, {"/step", 1. / 3600}, {"/epoch", 1. / 3600}, {"per epoch", 1. / 3600}, {"an epoch", 1. / 3600}, {"per step", 1. / 3600}, {"per image", 1. / 3600}, {"每张", 1. / 3600}, {"一张图", 1. / 3600}, {"一个epoch", 1. / 3600}, {"一轮", 1. / 3600}, {"/轮", 1. / 3600}, {"/张", 1. / 3600}, {"一条", 1. / 3600},
}

type unitTime struct {
	word  string
	hours float64
}

// unitTimes are single units of time that make an amount a price.
var unitTimes = []unitTime{
	{"一小时", 1}, {"一个小时", 1}, {"一个钟头", 1}, {"一个钟", 1}, {"一天", 24}, {"一日", 24}, {"一个月", 720}, {"一月", 720}, {"一周", 168},
}
