package when

import "time"

// The words that people use for time, Chinese and English side by side. Spellings
// are separated by |. Chinese is written simplified: fold turns the traditional
// characters of these words into simplified ones first. A word may stand in
// several rows; the grammar looks at the sense it needs.
//
// To teach the package a word, add it to its row. To teach it a new kind of
// word, add a class and a rule that uses it.

// class says what part a word can play in the grammar.
type class uint8

const (
	clNone      class = iota
	clNumber          // n = value of an English number word
	clOne             // a, an: one, but only before a unit
	clCouple          // two, and not quite sure
	clFew             // some, not said how many
	clMore            // "and a bit more"
	clHalf            // half
	clQuarter         // quarter of an hour, or quarter past
	clGe              // the classifier between a number and its unit
	clUnit            // n = index in units
	clDay             // n = index in days
	clPart            // n = index in parts
	clMeridiem        // n = am or pm
	clWeekday         // n = time.Weekday
	clWeekdays        // several weekdays: n = index in weekdaySets
	clMonthName       // n = time.Month
	clShift           // n = -1 last, 0 this, 1 next, 2 the one after, coming
	clEvery           // every
	clEveryGap        // every other
	clRepeat          // n = freq
	clLater           // after a length of time: from now
	clIn              // before a length of time: from now
	clWithin          // no later than
	clAfter           // after
	clBefore          // before
	clAgo             // in the past
	clEarly           // after a length of time: ahead of the event
	clLead            // before a length of time: ahead of the event
	clHour            // o'clock
	clSharp           // exactly
	clSameTime        // at this time of day
	clAbout           // roughly
	clLess            // so many minutes missing to the hour
	clPast            // so many minutes past the hour
	clDom             // marks the day of a month
	clMonth           // marks a month
	clYear            // marks a year
	clYearShift       // n = 0 this year, 1 next …
	clOrd             // st nd rd th
	clNth             // n = 1 … 5, -1 last: the first Monday
	clMonthEdge       // n = -1 last day, 1 first, 15 middle
	clEndOf           // "end of" + a month
	clYearEnd         // last day of the year
	clWeekend         // Saturday and Sunday
	clHoliday         // n = index in holidays
	clRefuse          // a date that this package does not know, such as lunar ones
	clZone            // n = index in zones
	clUTC             // UTC, which may carry an offset
	clIANA            // Area/City
	clNeg             // minus
	clAt              // at
	clLink            // and
	clOr              // or
	clTo              // up to
	clNot             // not this one
	clOnce            // "once": makes a length of time a rhythm
	clFill            // says nothing about time
	clRemind          // remind me
	clAction          // n = index in actions
	clCounted         // after a number: it counts or numbers things, not hours or days
	clThing           // after a number: it names a machine (1号机)
	clPoints          // after 两点: points of a talk, not hours
	clFrom            // "a week from Friday"
	clWeekAfter       // n weeks from this one
	clEnds            // something ends, at a time we do not know
	clVendor          // a word that belongs to a card's name
)

const (
	am = 1
	pm = 2

	coming = 9 // clShift: the nearest one
)

type row struct {
	class  class
	n      int
	zh, en string
}

// A unit of time. Units stand in rising order, which "2h30m" relies on.
type unit struct {
	months int           // by the calendar
	exact  time.Duration // by the clock; days are 24 h ("in 3 days" keeps the hour across the world, not across a clock change)
	whole  bool          // days and longer: a clock time may follow ("in 3 days at 9")
	work   bool          // counts working days, which need a holiday calendar: refused
	zh, en string
}

const day = 24 * time.Hour

var units = []unit{
	{exact: time.Second, zh: "秒|秒钟", en: "s|sec|secs|second|seconds"},
	{exact: time.Minute, zh: "分钟|分", en: "m|min|mins|minute|minutes"},
	{exact: 15 * time.Minute, zh: "刻钟"},
	{exact: time.Hour, zh: "小时|钟头|个钟|个钟头", en: "h|hr|hrs|hour|hours"},
	{exact: day, whole: true, zh: "天|日", en: "d|day|days"},
	{exact: day, whole: true, work: true, zh: "工作日|个工作日", en: "business day|business days|working day|working days|workday|workdays"},
	{exact: 7 * day, whole: true, zh: "周|星期|礼拜|个星期|个礼拜", en: "wk|wks|week|weeks"},
	{exact: 14 * day, whole: true, en: "fortnight|fortnights"},
	{months: 1, whole: true, zh: "个月", en: "mo|month|months"},
	{months: 12, whole: true, zh: "年", en: "yr|yrs|year|years"},
}

// Places of units in the table above.
const (
	unitMinute = 1
	unitHour   = 3
	unitDay    = 4
	unitWeek   = 6
	unitMonth  = 8
	unitYear   = 9
)

// reading says where hours from lo to hi lie when a part of the day goes with
// them: 晚上 + 8 is 8 + 12. Sums of 24 and more belong to the next day.
type reading struct {
	lo, hi, add int
	unsure      bool
}

// A part of the day. def is the hour when no clock time is said; ask says that
// this hour is a guess worth a question. An hour without a reading is a
// contradiction (上午 15 点).
type part struct {
	def      int
	ask      bool
	readings []reading
	zh, en   string
}

// anyHour: an hour said beside "after lunch" stands, but we ask.
var anyHour = []reading{{0, 23, 0, true}}

var parts = []part{
	{}, // no part
	{def: 3, ask: true, zh: "凌晨", en: "before dawn|small hours",
		readings: []reading{{0, 6, 0, false}, {7, 11, 0, true}, {12, 12, -12, false}}},
	{def: 8, zh: "早上|清晨|早晨|清早|一早|一大早|大清早|大早上|早间|晨间", en: "early morning|first thing|first thing in the morning",
		readings: []reading{{0, 3, 0, true}, {4, 11, 0, false}, {12, 12, 0, true}}},
	{def: 8, ask: true, en: "morning|in the morning|mornings",
		readings: []reading{{0, 12, 0, false}}},
	{def: 9, ask: true, zh: "上午|午前", en: "forenoon",
		readings: []reading{{0, 5, 0, true}, {6, 12, 0, false}}},
	{def: 12, zh: "中午|正午|晌午", en: "noon|midday|mid-day|at noon|noontime|high noon",
		readings: []reading{{10, 15, 0, false}, {1, 3, 12, false}}},
	{def: 15, ask: true, zh: "下午|午后", en: "afternoon|in the afternoon|afternoons",
		readings: []reading{{1, 7, 12, false}, {8, 11, 12, true}, {12, 19, 0, false}}},
	{def: 18, ask: true, zh: "傍晚|黄昏", en: "dusk|sunset",
		readings: []reading{{4, 9, 12, false}, {16, 21, 0, false}}},
	{def: 20, zh: "晚上|晚间|夜晚|晚", en: "evening|in the evening|evenings",
		readings: []reading{{0, 0, 24, false}, {1, 4, 24, true}, {5, 12, 12, false}, {17, 24, 0, false}}},
	{def: 20, ask: true, en: "night|at night|nights",
		readings: []reading{{0, 0, 24, false}, {1, 5, 24, true}, {6, 12, 12, false}, {18, 24, 0, false}}},
	{def: 23, ask: true, zh: "半夜|大半夜|深夜|夜里|夜间|午夜后|三更半夜|后半夜", en: "late night|late at night|late tonight|middle of the night|in the middle of the night",
		readings: []reading{{0, 0, 24, false}, {1, 5, 24, true}, {6, 12, 12, false}, {18, 24, 0, false}}},
	{def: 24, zh: "午夜|子夜", en: "midnight|at midnight",
		readings: []reading{{0, 0, 24, false}, {12, 12, 12, false}, {24, 24, 0, false}}},
	{def: 18, ask: true, zh: "下班|收工", en: "end of day|end of the day|eod|cob|close of business",
		readings: anyHour},
	{def: 9, ask: true, zh: "早饭后|早餐后|上班|上班时|上班前|一上班", en: "after breakfast|start of day|start of business", readings: anyHour},
	{def: 12, ask: true, zh: "午饭|午饭时|午饭前|午休|午休时", en: "lunch|lunchtime|at lunch|before lunch", readings: anyHour},
	{def: 13, ask: true, zh: "午饭后|午休后|中饭后|饭后", en: "after lunch", readings: anyHour},
	{def: 18, ask: true, zh: "晚饭|晚饭前|下班后|下班前|下课后|放学后", en: "after work|dinner|dinnertime|before dinner|after class", readings: anyHour},
	{def: 20, ask: true, zh: "晚饭后|晚餐后", en: "after dinner", readings: anyHour},
	{def: 22, ask: true, zh: "睡前|睡觉前|临睡前", en: "before bed|bedtime|at bedtime", readings: anyHour},
	{def: 8, zh: "早", readings: []reading{{0, 3, 0, true}, {4, 11, 0, false}, {12, 12, 0, true}}},
}

const (
	noPart        = 0
	partDawn      = 1
	partMorning   = 2
	partMorningEn = 3
	partForenoon  = 4
	partNoon      = 5
	partAfternoon = 6
	partEvening   = 8
	partNight     = 9
	partLate      = 10
	partMidnight  = 11
	partEarly     = 19
)

// dayWord is a day counted from today, maybe with a part of it.
type dayWord struct {
	off    int
	part   int
	unsure bool // the day is told from another day that we do not know, or it is one of two
	zh, en string
}

var days = []dayWord{
	{-3, noPart, false, "大前天", ""},
	{-2, noPart, false, "前天|前日", "day before yesterday|the day before yesterday"},
	{-1, noPart, false, "昨天|昨日|昨儿", "yesterday"},
	{-1, partEvening, false, "昨晚|昨夜", "last night"},
	{0, noPart, false, "今天|今日|今儿|本日|今个", "today|this day"},
	{0, partMorning, false, "今早|今晨|今儿早上", ""},
	{0, partMorningEn, false, "", "this morning"},
	{0, partAfternoon, false, "今天下午", "this afternoon"},
	{0, partEvening, false, "今晚|今夜|今儿晚上|今宵", "tonight|tonite|this evening|2nite"},
	{1, noPart, false, "明天|明日|明儿|明个", "tomorrow|tmr|tmrw|tomorow|tommorow|tommorrow|2morrow"},
	{1, noPart, true, "次日|翌日|第二天", "the next day|next day|the following day"},
	{1, noPart, true, "明后天|明后两天", ""},
	{1, partMorning, false, "明早|明晨|明儿早上|明一早", ""},
	{1, partEvening, false, "明晚|明夜|明儿晚上", ""},
	{2, noPart, false, "后天|后日|后儿", "day after tomorrow|the day after tomorrow|overmorrow"},
	{3, noPart, false, "大后天|大后日", ""},
	{4, noPart, false, "大大后天", ""},
}

var weekdaySets = []struct {
	set    []time.Weekday
	zh, en string
}{
	{[]time.Weekday{1, 2, 3, 4, 5}, "工作日|平日|上班日", "weekday|weekdays|workday|workdays|working day|working days|business day|business days"},
}

// holidays with a date of their own in every year. The moving ones are in the
// rows of clRefuse: a wrong day is worse than a question.
var holidays = []struct {
	month  time.Month
	day    int
	zh, en string
}{
	{1, 1, "元旦|元旦节", "new year's day|new years day|new year day"},
	{2, 14, "情人节", "valentine's day|valentines day"},
	{5, 1, "五一|劳动节|五一节", "labour day|may day"},
	{10, 1, "国庆|国庆节", ""},
	{10, 31, "万圣夜", "halloween"},
	{11, 11, "双十一|双11", "singles day|singles' day"},
	{12, 12, "双十二|双12", ""},
	{12, 24, "平安夜", "christmas eve|xmas eve"},
	{12, 25, "圣诞|圣诞节", "christmas|xmas|christmas day|xmas day"},
	{12, 31, "跨年|跨年夜", "new year's eve|new years eve|new year eve|nye"},
}

// A zone by the names that people say. fixed is the offset that an abbreviation
// means word for word, in minutes east of UTC; people write PST in summer too,
// so where it differs from the clock of the place, we ask.
// The offsets are those of the IANA time zone database,
// https://www.iana.org/time-zones.
type zoneWord struct {
	iana   string
	std    int  // minutes east of UTC in winter, used when the zone cannot be loaded
	fixed  bool // std is what the word means word for word
	other  string
	short  bool // a short Latin word that means other things too: counts after a clock or in capitals
	zh, en string
}

var zones = []zoneWord{
	{iana: "Asia/Shanghai", std: 480, zh: "北京时间|中国时间|上海时间|东八区|东8区|国内时间", en: "beijing time|china time|china standard time|shanghai time"},
	{iana: "Asia/Shanghai", std: 480, other: "America/Chicago", short: true, en: "cst"},
	{iana: "Asia/Hong_Kong", std: 480, zh: "香港时间", en: "hkt|hong kong time"},
	{iana: "Asia/Taipei", std: 480, zh: "台北时间|台湾时间", en: "taipei time"},
	{iana: "Asia/Singapore", std: 480, zh: "新加坡时间", en: "sgt|singapore time"},
	{iana: "Asia/Tokyo", std: 540, zh: "东京时间|日本时间", en: "jst|tokyo time|japan time"},
	{iana: "Asia/Seoul", std: 540, zh: "首尔时间|韩国时间", en: "kst|seoul time|korea time"},
	{iana: "Asia/Kolkata", std: 330, zh: "印度时间", en: "india time"},
	{iana: "Asia/Kolkata", std: 330, other: "Asia/Jerusalem", short: true, en: "ist"},
	{iana: "Asia/Dubai", std: 240, zh: "迪拜时间", en: "dubai time"},
	{iana: "Europe/Moscow", std: 180, zh: "莫斯科时间", en: "msk|moscow time"},
	{iana: "Europe/London", std: 0, zh: "伦敦时间|英国时间", en: "london time|uk time"},
	{iana: "Europe/London", std: 60, fixed: true, short: true, en: "bst"},
	{iana: "Europe/Berlin", std: 60, zh: "柏林时间|德国时间|欧洲中部时间", en: "berlin time|central european time"},
	{iana: "Europe/Paris", std: 60, zh: "巴黎时间|法国时间", en: "paris time"},
	{iana: "Europe/Berlin", std: 60, fixed: true, short: true, en: "cet"},
	{iana: "Europe/Berlin", std: 120, fixed: true, short: true, en: "cest"},
	{iana: "America/New_York", std: -300, zh: "纽约时间|美东时间|美国东部时间|东部时间", en: "eastern time|eastern|new york time|ny time"},
	{iana: "America/New_York", std: -300, short: true, en: "et"},
	{iana: "America/New_York", std: -300, fixed: true, short: true, en: "est"},
	{iana: "America/New_York", std: -240, fixed: true, short: true, en: "edt"},
	{iana: "America/Chicago", std: -360, zh: "芝加哥时间|美国中部时间", en: "central time|chicago time"},
	{iana: "America/Chicago", std: -360, short: true, en: "ct"},
	{iana: "America/Chicago", std: -300, fixed: true, short: true, en: "cdt"},
	{iana: "America/Denver", std: -420, zh: "丹佛时间|山地时间", en: "mountain time|denver time"},
	{iana: "America/Denver", std: -420, fixed: true, short: true, en: "mst"},
	{iana: "America/Denver", std: -360, fixed: true, short: true, en: "mdt"},
	{iana: "America/Los_Angeles", std: -480, zh: "洛杉矶时间|太平洋时间|美西时间|美国西部时间|西部时间|加州时间|旧金山时间", en: "pacific time|pacific|la time|california time|sf time|west coast time"},
	{iana: "America/Los_Angeles", std: -480, short: true, en: "pt"},
	{iana: "America/Los_Angeles", std: -480, fixed: true, short: true, en: "pst"},
	{iana: "America/Los_Angeles", std: -420, fixed: true, short: true, en: "pdt"},
	{iana: "Australia/Sydney", std: 600, zh: "悉尼时间", en: "sydney time"},
	{iana: "Australia/Sydney", std: 600, fixed: true, short: true, en: "aest"},
	{iana: "Australia/Sydney", std: 660, fixed: true, short: true, en: "aedt"},
}

// areas are the first words of IANA zone names.
var areas = []string{"africa", "america", "antarctica", "asia", "atlantic", "australia", "europe", "indian", "pacific", "etc", "us"}

// actions are what the person wants to do then. A reminder without one is fine.
var actions = []struct{ id, zh, en string }{
	{"release", "释放|退租|退掉|退还|归还|销毁|销毁实例|删机|删机器|删除实例|删实例|删掉实例|退机|退了|退还机器|还机|还卡|退卡|还掉", "release|terminate|destroy|give back|tear down|deprovision|delete the pod|delete the instance|delete pod|delete instance"},
	{"stop", "关机|停机|停止|停掉|停实例|停卡|停一下|停了|停pod|关掉|关闭|关实例|关机器|关了|暂停|停租|停", "stop|shut down|shutdown|shut off|power off|poweroff|turn off|kill|pause|halt|switch off"},
	{"backup", "备份|做个备份", "backup|back up|backups"},
	{"save", "保存|存档|存盘|存一下|存下|存好|存 checkpoint|存checkpoint|存权重|存模型|存数据", "save"},
	{"download", "下载|拉下来|拷贝|拷走|拷下来", "download|copy off"},
	{"renew", "续费|续租|续期|续约|续上", "renew|extend|renewal"},
	{"topup", "充值|充钱|充点钱", "top up|topup|top-up|recharge"},
	{"start", "开机|启动|起实例|开实例", "start|boot|spin up|power on|turn on|launch"},
}

var rows = []row{
	{clNumber, 0, "", "zero"}, {clNumber, 1, "", "one"}, {clNumber, 2, "俩", "two"}, {clNumber, 3, "仨", "three"}, {clNumber, 4, "", "four"},
	{clNumber, 5, "", "five"}, {clNumber, 6, "", "six"}, {clNumber, 7, "", "seven"}, {clNumber, 8, "", "eight"}, {clNumber, 9, "", "nine"},
	{clNumber, 10, "", "ten"}, {clNumber, 11, "", "eleven"}, {clNumber, 12, "", "twelve"}, {clNumber, 13, "", "thirteen"},
	{clNumber, 14, "", "fourteen"}, {clNumber, 15, "", "fifteen"}, {clNumber, 16, "", "sixteen"}, {clNumber, 17, "", "seventeen"},
	{clNumber, 18, "", "eighteen"}, {clNumber, 19, "", "nineteen"}, {clNumber, 20, "", "twenty"}, {clNumber, 30, "", "thirty"},
	{clNumber, 40, "", "forty|fourty"}, {clNumber, 50, "", "fifty"}, {clNumber, 60, "", "sixty"}, {clNumber, 70, "", "seventy"},
	{clNumber, 80, "", "eighty"}, {clNumber, 90, "", "ninety"}, {clNumber, 100, "", "hundred"},

	{clOne, 0, "", "a|an|another|one more"},
	{clCouple, 0, "", "couple|couple of|a couple|a couple of"},
	{clFew, 0, "几|几个|好几|好几个|数|若干|若干个|多少|多少个", "few|a few|several|some|many"},
	{clMore, 0, "多|多个|来", "plus|odd"},
	{clHalf, 0, "半|半个", "half|half a|half an|half of a"},
	{clQuarter, 0, "刻", "quarter|quarters|quarter of an|quarters of an|quarter of a"},
	{clGe, 0, "个", ""},

	{clMeridiem, am, "", "am|a.m.|a.m"},
	{clMeridiem, pm, "", "pm|p.m.|p.m"},

	{clWeekday, 1, "周一|星期一|礼拜一", "monday|mon|mondays"},
	{clWeekday, 2, "周二|星期二|礼拜二", "tuesday|tue|tues|tuesdays"},
	{clWeekday, 3, "周三|星期三|礼拜三", "wednesday|wed|weds|wednesdays"},
	{clWeekday, 4, "周四|星期四|礼拜四", "thursday|thu|thur|thurs|thursdays"},
	{clWeekday, 5, "周五|星期五|礼拜五", "friday|fri|fridays"},
	{clWeekday, 6, "周六|星期六|礼拜六", "saturday|sat|saturdays"},
	{clWeekday, 0, "周日|周天|星期日|星期天|礼拜日|礼拜天", "sunday|sun|sundays"},
	{clRepeat, int(weekly), "", "mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends"},

	{clMonthName, 1, "", "january|jan"}, {clMonthName, 2, "", "february|feb"}, {clMonthName, 3, "", "march|mar"},
	{clMonthName, 4, "", "april|apr"}, {clMonthName, 5, "", "may"}, {clMonthName, 6, "", "june|jun"},
	{clMonthName, 7, "", "july|jul"}, {clMonthName, 8, "", "august|aug"}, {clMonthName, 9, "", "september|sept|sep"},
	{clMonthName, 10, "", "october|oct"}, {clMonthName, 11, "", "november|nov"}, {clMonthName, 12, "", "december|dec"},

	{clShift, -1, "上|上个|上一个|上上|上上个", "last|previous|past"},
	{clShift, 0, "这|这个|本|这一|当", "this|current|the current"},
	{clShift, 1, "下|下个|下一个|下一", "next|the next|following|the following"},
	{clShift, 2, "下下|下下个", ""},
	{clShift, coming, "最近的|最近一个", "coming|the coming|upcoming|this coming|the upcoming"},

	{clEvery, 0, "每|每个|每一|每一个|每逢|逢", "every|each|every single|on each|on every"},
	{clEveryGap, 0, "每隔", "every other|every second|every alternate|alternate|each other"},
	{clRepeat, int(daily), "每天|每日|天天|每一天", "daily|every day|everyday|each day|nightly|on a daily basis|per day"},
	{clRepeat, int(monthly), everyMonthEndZh, everyMonthEnd},
	{clMonthEdge, -1, everyMonthEndZh, everyMonthEnd},
	{clRepeat, int(weekly), "", "weekly|every week|each week"},
	{clRepeat, int(monthly), "每月|每个月", "monthly|every month|each month"},
	{clRepeat, int(yearly), "每年", "yearly|annually|every year|each year"},
	{clRepeat, int(hourly), "每小时|每个小时|每钟头|每个钟头", "hourly|every hour|each hour"},
	{clRepeat, int(unknownFreq), "每季度|每个季度|每季", "quarterly|every quarter|biweekly|bi-weekly|semiweekly|bimonthly|fortnightly|twice a day|twice a week|twice daily"},

	{clLater, 0, "后|之后|以后|过后", "later|from now|from this moment|hence"},
	{clIn, 0, "过|再过|等|再等|隔", "in|in about|in the next"},
	{clWithin, 0, "内|之内|以内", "within|in less than|in under"},
	{clAfter, 0, "", "after"},
	{clBefore, 0, "前|之前|以前|的前", "before|prior to|ahead of|in advance of|previous to|til|till|until"},
	{clAgo, 0, "", "ago|back|in the past"},
	{clEarly, 0, "", "early|earlier|ahead|in advance|beforehand|prior|ahead of time|before that|before it|before then"},
	{clLead, 0, "提前|提早|早", ""},

	{clHour, 0, "点|时|点钟", "o'clock|oclock|o clock|o' clock"},
	{clSharp, 0, "整|正", "sharp|exactly|on the dot|precisely"},
	{clSameTime, 0, "这个时候|这个时间|这个点|同一时间|同样时间|这会儿|此时|此刻|现在这个时候", "this time|same time|the same time|at this time|at the same time"},
	{clAbout, 0, "左右|前后|上下|大概|大约|约|差不多|来钟", "about|around|approximately|approx|roughly|ish|or so|circa|~"},
	{clLess, 0, "差|欠", ""},
	{clPast, 0, "过", "past|after"},

	{clDom, 0, "号|日", ""},
	{clMonth, 0, "月|月份", ""},
	{clYear, 0, "年", ""},
	{clYearShift, -1, "去年", "last year"},
	{clYearShift, 0, "今年|本年", "this year"},
	{clYearShift, 1, "明年", "next year"},
	{clYearShift, 2, "后年", ""},
	{clOrd, 0, "", "st|nd|rd|th"},
	{clNth, 1, "第一个|第一", "first|1st"}, {clNth, 2, "第二个|第二", "second|2nd"}, {clNth, 3, "第三个|第三", "third|3rd"},
	{clNth, 4, "第四个|第四", "fourth|4th"}, {clNth, 5, "第五个|第五", "fifth|5th"}, {clNth, -1, "最后一个|最后", "last|final"},
	{clMonthEdge, -1, "月底|月末|月尾|月的最后一天|月最后一天|月份最后一天|最后一天", "month end|month-end|end of month|end of the month|the end of the month|the end of month|the last day of the month|eom|last day of month|last day of the month|last of the month"},
	{clMonthEdge, 1, "月初|月头", "beginning of the month|start of the month|beginning of month|start of month|first day of the month|first of the month"},
	{clMonthEdge, 15, "月中|月中旬", "middle of the month|mid month|mid-month"},
	{clEndOf, 0, "", "end of|the end of|last day of|last day in"},
	{clYearEnd, 0, "年底|年末|年终", "end of year|end of the year|year end|year-end|eoy"},
	{clWeekend, 0, "周末|双休日", "weekend|weekends|the weekend"},

	{clRefuse, 0, "隔天|农历|阴历|旧历|正月|腊月|除夕|春节|过年|大年|初一|中秋|中秋节|端午|端午节|清明|清明节|元宵|元宵节|重阳|七夕|冬至|立春|年三十|小年|财年|学期|季末|季度末|复活节|感恩节|黑色星期五|黑五",
		"lunar|lunar new year|chinese new year|spring festival|mid-autumn|easter|thanksgiving|black friday|cyber monday|ramadan|diwali|passover|fiscal year|end of quarter|end of the quarter|eoq"},
	{clUTC, 0, "世界时|世界标准时间|格林威治时间|格林尼治时间|格林威治|零时区", "utc|gmt|zulu|utc time|gmt time"},
	{clNeg, 0, "负", "minus|negative"},

	{clAt, 0, "在|于|定在|改到|改成", "at|@|by|at about|at around|by about"},
	{clLink, 0, "和|与|及|又|跟|、|以及", "and|&|,|plus"},
	{clOr, 0, "或|或者|还是|要么", "or"},
	{clTo, 0, "到|至", "to|through|thru|-|~"},
	{clNot, 0, "不是|而不是|不在|不要在|别在|不用|取消", "not|not on|not at|instead of|rather than|not for"},
	{clOnce, 0, "一次|提醒一次|一回|提醒我一次|提醒一回|一遍", "once"},
	{clFill, 0, "的|一下|一下子|一点点|晚一点|早一点|晚点|早点|快点|快一点|慢一点|有一点|有点|差一点|差点|一会儿|一会|待会|待会儿|等会|等会儿|等下|等一下|过会|过会儿|过一会|过一会儿|到时|到时候|同时|及时|准时|按时|定时|实时|平时|有时|时候|时间|小时候|一直|一样|一起|一定|一些|一边|一旦|一共|十分重要|万一|第一时间|不要忘|别忘|别忘了|不能忘|立刻|时刻|前面|以前的|后面|最后结果|然后|背后|半价|一半|年度|一步|一遍遍|周期|今后|当时|临时|即时|包月|包天|包周|按天|按月|按小时|按周|按年",
		"the|of|on|don't forget|do not forget|24/7|a lot|second thought|at all|at least|at most|at once|at first|at last|for now|right now|just now|just|also|time|part time|real time|in time|on time|every time|each time|in case|per hour|per day|per month|an hour each|another one|so far|and so on|may be|maybe"},
	{clRemind, 0, "提醒|喊|叫我|叫醒|通知|闹钟|催|告诉我|叫一下", "remind|reminder|alert|ping|notify|alarm|wake|nudge|tell me|warn"},
	{clCounted, 0, "台|张|块|路|人|楼|份|条|项|次|步|倍|字|位|名|核|门|折|元|块钱|美元|刀", "bit|bits|fps|hz|mbps|token|tokens|layer|layers|epoch|epochs|step|steps|percent|gb|g|tb|x|b|k|times|%|usd|dollars|cny|rmb|yuan|people|users|jobs|runs|trials"},
	{clThing, 0, "机|机器|卡|显卡|实例|服务器|节点|主机|库|集群|盘|线|店|货|机房|柜|容器", "gpu|gpus|card|cards|pod|pods|instance|instances|node|nodes|box|boxes|server|servers|machine|machines|vm|vms"},
	{clPoints, 0, "建议|要求|问题|注意|说明|意见|需求|原因|区别|疑问|好处|坏处|想法|经验|教训|理由", ""},
	{clFrom, 0, "", "from"},
	{clWeekAfter, 2, "", "week after next|the week after next"},
	{clEnds, 0, "跑完|训完|训练完|做完|完成|结束|完事|传完|下完", "finishes|finish|finished|done|completes|complete|completed"},
	{clVendor, 0, "", "rtx|gtx|nvidia|tesla|geforce|quadro|radeon|rx|amd|ascend|intel"},
}

// The end of every month is a rhythm and an edge at once.
const (
	everyMonthEndZh = "每月底|每月末|每个月底|每个月末|每月月底|每月的月底"
	everyMonthEnd   = "every month end|every month-end|last day of every month|last day of each month|the last day of every month|the last day of each month" +
		"|end of every month|end of each month|the end of every month|the end of each month"
)

// tails are words that may follow the number in a card's name.
var tails = []string{"ti", "super", "d", "gre", "xt", "xtx", "ada", "pro", "max", "pcie", "sxm", "nvl"}

// monthFirstZones lie outside America and write the month before the day.
var monthFirstZones = []string{"Asia/Shanghai", "Asia/Chongqing", "Asia/Urumqi", "Asia/Taipei", "Asia/Macau", "Asia/Tokyo", "Asia/Seoul", "Asia/Pyongyang", "Asia/Ulaanbaatar"}
