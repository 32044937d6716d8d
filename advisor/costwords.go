package advisor

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor/cost"
)

// A cost sheet in words: a heading that reads back what was understood, one
// table of what it costs, one line for each thing asked beside it, the prices'
// dates and sources, and what is not in the sum. A price never stands without
// its date, and a stale one says that it decides nothing.

// saySheet words a sheet.
func (t *turn) saySheet(s *CostSheet, aside bool) {
	t.reply.Act = "answer"
	t.sayUnderstood(s)
	if s.Hours != nil && len(s.Rents) == 0 && s.Label != "" {
		t.text("cost.noprice", "hours", span(*s.GPUHours))
	}
	switch {
	case s.Finished != nil:
		t.sayFinished(s)
	case s.Hours != nil && len(s.Rents) > 0:
		t.sayRents(s)
	}
	t.sayOff(s)
	t.sayUnpriced(s)
	t.sayBudget(s)
	t.sayUnit(s)
	t.sayEffective(s)
	t.sayMonthly(s)
	t.saySpot(s)
	t.sayUpload(s)
	t.sayRunway(s)
	t.sayIdle(s)
	t.sayChart(s)
	t.sayAges(s)
	if s.Finished == nil && s.Hours != nil && len(s.Rents) > 0 {
		t.note("cost.uncounted", "parts", t.book.say(t.lang, "cost.uncounted.all"))
	}
	t.costAgain(aside)
	if !aside {
		t.reply.Choices = t.costChoices(s)
		t.c.Options = refs(t.reply.Choices)
	}
}

// sayUnderstood is the heading: card, count, length, card-hours, own price.
func (t *turn) sayUnderstood(s *CostSheet) {
	b, lang := t.book, t.lang
	var words []string
	add := func(key string, pairs ...any) { words = append(words, b.say(lang, key, pairs...)) }
	switch {
	case s.Label != "":
		words = append(words, s.Label)
	case s.Cards != nil && s.Cards.Hi > 1:
		add("cost.cards", "n", span(*s.Cards))
	}
	if s.Hours != nil {
		if s.HoursPerDay > 0 {
			add("cost.perday", "days", b.hours(lang, Range{s.Days * 24, s.Days * 24}), "hours", number(s.HoursPerDay), "total", span(*s.Hours))
		} else {
			words = append(words, b.hours(lang, *s.Hours))
		}
		if s.Label != "" || len(s.Rents) > 0 {
			add("cost.cardhours", "n", span(*s.GPUHours))
		}
	}
	for _, r := range s.Rents {
		if r.Own && r.Way != "spot" {
			add("cost.own", "price", t.perCard(r))
		}
	}
	if len(words) > 0 {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "heading", Text: strings.Join(words, " · ")})
	}
	if slices.Contains(s.Assumed, "one_card") && s.Hours != nil {
		t.note("cost.onecard")
	}
}

// sayRents is the table of what the run costs, a line for each price.
func (t *turn) sayRents(s *CostSheet) {
	b, lang := t.book, t.lang
	exact := !slices.ContainsFunc(s.Rents, func(r Rented) bool { return r.Cost.Low != r.Cost.High })
	head := []string{b.say(lang, "cost.col.way"), b.say(lang, "cost.col.price")}
	if exact {
		head = append(head, b.say(lang, "cost.col.total"))
	} else {
		head = append(head, b.say(lang, "cost.col.low"), b.say(lang, "cost.col.likely"), b.say(lang, "cost.col.high"))
	}
	rows := [][]string{head}
	for _, r := range s.Rents {
		row := []string{t.wayName(r), t.perCard(r)}
		if exact {
			row = append(row, t.sum(r.Cost))
		} else {
			row = append(row, t.figure(r.Cost.Low, r.Cost.Currency), t.figure(r.Cost.Likely, r.Cost.Currency), t.figure(r.Cost.High, r.Cost.Currency))
		}
		rows = append(rows, row)
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "table", Rows: rows})
}

// wayName is how a price is paid, with its currency where that is not plain,
// and a mark when it is too old.
func (t *turn) wayName(r Rented) string {
	name := t.book.say(t.lang, "cost.way."+r.Way)
	if r.Stale {
		name += t.book.say(t.lang, "cost.mark.stale")
	}
	return name
}

// perCard is a price of one card for its period: "1.32–2.68 元/卡时".
func (t *turn) perCard(r Rented) string {
	per := r.Way
	if per == "spot" {
		per = "hour"
	}
	return t.book.say(t.lang, "cost.per."+string(r.Per.Currency)+"."+per, "n", t.band(r.Per))
}

// band writes the ends of an estimate, without currency.
func (t *turn) band(e cost.Estimate) string {
	if e.Low == e.High {
		return figure(e.Low)
	}
	return figure(e.Low) + "–" + figure(e.High)
}

// sum writes an estimate with its currency.
func (t *turn) sum(e cost.Estimate) string {
	n := total(e.Low)
	if e.Low != e.High {
		n += "–" + total(e.High)
	}
	return t.book.say(t.lang, "money."+string(e.Currency)+".total", "n", n)
}

func (t *turn) moneySum(m cost.Money) string { return t.sum(cost.Fixed(m)) }

// figure writes an amount with its currency.
func (t *turn) figure(a cost.Amount, c cost.Currency) string {
	return t.book.say(t.lang, "money."+string(c)+".total", "n", total(a))
}

// total writes an amount that is paid: with its cents when it has any.
func total(a cost.Amount) string {
	s := figure(a)
	if whole, rest, ok := strings.Cut(s, "."); ok && len(rest) == 1 && a >= cost.One {
		return whole + "." + rest + "0"
	}
	return s
}

// figure writes an amount as people do: cents below ten thousand, none above,
// three significant digits below one.
func figure(a cost.Amount) string {
	abs := a
	if abs < 0 {
		abs = -abs
	}
	switch {
	case abs >= 10_000*cost.One:
		return a.Round(0)
	case abs >= cost.One:
		return trimZeros(a.Round(2))
	case abs >= cost.One/10:
		return trimZeros(a.Round(3))
	case abs >= cost.One/100:
		return trimZeros(a.Round(4))
	case abs >= cost.One/1000:
		return trimZeros(a.Round(5))
	}
	return trimZeros(a.Round(6))
}

func trimZeros(s string) string {
	if !strings.ContainsRune(s, '.') {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// sixParts groups the parts of a finished job as people count them: what an
// hourly price hides are six.
var sixParts = []struct {
	key   string
	parts []cost.Part
}{
	{"run", []cost.Part{cost.PartRun}}, {"setup", []cost.Part{cost.PartSetup}}, {"download", []cost.Part{cost.PartDownload}},
	{"net", []cost.Part{cost.PartDisk, cost.PartTraffic, cost.PartImage}}, {"debug", []cost.Part{cost.PartDebug}},
	{"reruns", []cost.Part{cost.PartReruns}}, {"people", []cost.Part{cost.PartPeople}},
}

// sayFinished is the table of the finished job: every part has a line, and one
// that nobody named is marked as left out.
func (t *turn) sayFinished(s *CostSheet) {
	b, lang := t.book, t.lang
	f := s.Finished
	exact := f.Total.Low == f.Total.High
	row := func(name string, e cost.Estimate, write func(cost.Amount) string) []string {
		if exact {
			return []string{name, write(e.Likely)}
		}
		return []string{name, write(e.Low), write(e.Likely), write(e.High)}
	}
	head := []string{b.say(lang, "cost.col.part"), b.say(lang, "cost.col.low"), b.say(lang, "cost.col.likely"), b.say(lang, "cost.col.high")}
	if exact {
		head = []string{head[0], b.say(lang, "cost.col.total")}
	}
	rows := [][]string{head}
	for _, group := range sixParts {
		name := b.say(lang, "cost.part."+group.key)
		if sum, counted := sumOf(f, group.parts); counted {
			rows = append(rows, row(name, sum, total))
		} else {
			rows = append(rows, []string{name, b.say(lang, "cost.part.left")})
		}
	}
	rows = append(rows, row(b.say(lang, "cost.part.total"), f.Total, func(a cost.Amount) string { return t.figure(a, f.Total.Currency) }))
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "table", Rows: rows})
	if slices.Contains(s.Assumed, "reruns_spread") {
		t.note("cost.assumed.reruns")
	}
	for _, r := range s.Rents { // the other currency has its rent alone
		if r.Way == "hour" && r.Per.Currency != f.Total.Currency && s.Hours != nil {
			t.note("cost.other", "rent", t.sum(r.Cost), "way", t.perCard(r))
		}
	}
}

// sayOff says that a discount is in the prices.
func (t *turn) sayOff(s *CostSheet) {
	if i := slices.IndexFunc(s.Rents, func(r Rented) bool { return r.Off != nil }); i >= 0 {
		t.note("cost.off", "share", percents(*s.Rents[i].Off))
	}
}

// sayUnpriced asks for the price of gigabytes that were named without one: they
// are not in the sum.
func (t *turn) sayUnpriced(s *CostSheet) {
	c := t.costSaid()
	if len(s.Rents) == 0 {
		return
	}
	if c.TrafficGB.Known() && !c.TrafficRate.Known() {
		t.text("cost.ask.traffic", "gb", span(c.TrafficGB.Value))
	}
	if c.DiskGB.Known() && !c.DiskRate.Known() {
		t.text("cost.ask.disk", "gb", span(c.DiskGB.Value))
	}
}

// sayBudget says whether the budget is enough, what is left or missing, and how
// far it goes.
func (t *turn) sayBudget(s *CostSheet) {
	b := s.Budget
	if b == nil {
		return
	}
	gap := b.Left
	if gap.Amount < 0 {
		gap.Amount = -gap.Amount
	}
	t.text("cost.fits."+b.Verdict, "budget", t.moneySum(b.Budget), "gap", t.moneySum(gap), "hours", number(math.Floor(b.Hours*10)/10))
	if b.Stale {
		t.note("cost.month.stale")
	}
}

// sumOf adds up parts of a finished job; counted is false when none was given.
func sumOf(f *cost.Finished, parts []cost.Part) (sum cost.Estimate, counted bool) {
	for _, l := range f.Lines {
		if slices.Contains(parts, l.Part) && l.Counted {
			counted = true
			sum.Low, sum.Likely, sum.High = sum.Low+l.Cost.Low, sum.Likely+l.Cost.Likely, sum.High+l.Cost.High
		}
	}
	return sum, counted
}

// sayUnit is the cost of one piece.
func (t *turn) sayUnit(s *CostSheet) {
	u := s.Unit
	if u == nil || len(u.Costs) == 0 {
		return
	}
	var sums []string
	for _, e := range u.Costs {
		sums = append(sums, t.sum(e))
	}
	key := "cost.unit.each"
	if u.Yield != nil {
		key = "cost.unit.kept"
	}
	share := ""
	if u.Yield != nil {
		share = percents(*u.Yield)
	}
	t.text(key, "unit", t.book.say(t.lang, "cost.unit."+u.Unit), "cost", t.book.list(t.lang, sums), "share", share)
	if u.Pieces > 1 && u.Hours != nil && u.Total != nil {
		t.text("cost.unit.all", "n", number(u.Pieces), "hours", t.book.hours(t.lang, *u.Hours), "cost", t.sum(*u.Total))
	}
}

// percents writes a share as a percentage.
func percents(r Range) string { return span(Range{r.Lo * 100, r.Hi * 100}) }

func percent(v float64) string { return number(math.Round(v*1000) / 10) }

func (t *turn) sayEffective(s *CostSheet) {
	if e := s.Effective; e != nil {
		t.text("cost.effective", "price", t.moneySum(e.Price), "share", percent(e.Delivered), "effective", t.moneySum(e.Effective), "factor", number(math.Round(e.Factor*100)/100))
	}
}

// sayMonthly says when the month pays.
func (t *turn) sayMonthly(s *CostSheet) {
	m := s.Monthly
	if m == nil {
		if t.costSaid().asks("monthly") {
			t.text("cost.month.missing")
		}
		return
	}
	b, lang := t.book, t.lang
	c := string(m.Hour.Currency)
	line := b.say(lang, "cost."+m.Period+".prices", "month", b.say(lang, "cost.per."+c+"."+m.Period, "n", t.band(m.Month)), "hour", b.say(lang, "cost.per."+c+".hour", "n", t.band(m.Hour)))
	line += t.breakWords(m.Period, "low", m.Low, m.Low.Hours == m.High.Hours)
	if m.Low.Hours != m.High.Hours {
		line += t.breakWords(m.Period, "high", m.High, false)
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: line})
	t.text("cost.month.verdict."+m.Verdict, "hours", number(m.HoursOn), "byhour", t.sum(m.ByHour), "bymonth", t.sum(m.ByMonth), "way", b.say(lang, "cost.way."+m.Period), "months", b.say(lang, periodsKey(m), "n", m.Months))
	for _, d := range m.Discounts {
		key := "cost.month.whatif"
		if d.Said {
			key = "cost.month.discount"
		}
		t.text(key, "share", percent(d.Share), "way", b.say(lang, "cost.way."+m.Period), "month", b.say(lang, "cost.per."+c+"."+m.Period, "n", figure(d.Month.Amount)), "hours", number(d.Hours))
	}
	if m.Stale && (s.Budget == nil || !s.Budget.Stale) {
		t.note("cost.month.stale")
	}
}

// periodsKey is the phrase for so many months or years.
func periodsKey(m *MonthlySums) string {
	key := "unit." + m.Period
	if m.Months != 1 {
		key += "s"
	}
	return key
}

// breakWords says one break-even: after how many hours, or never.
func (t *turn) breakWords(period, which string, s BreakSum, only bool) string {
	key := "cost.break"
	if period == "year" {
		key = "cost.yearbreak"
	}
	switch {
	case s.Never:
		key += ".never"
	case s.NeverIn30:
		key += ".only31"
	}
	line := t.book.say(t.lang, key, "hours", tenths(s.Hours), "perday", daily(s.PerDay))
	if only {
		return line
	}
	return t.book.say(t.lang, "cost.break."+which) + line
}

// daily writes hours of a day; near 24 every hundredth counts.
func daily(v float64) string {
	if math.Abs(v-24) < 0.1 {
		return trimZeros(strconv.FormatFloat(v, 'f', 2, 64))
	}
	return number(v)
}

// tenths writes hours with one decimal, which a break-even deserves.
func tenths(v float64) string { return trimZeros(fixed1(v)) }

// saySpot says whether an interruptible machine pays, how often to save, and
// when it would.
func (t *turn) saySpot(s *CostSheet) {
	if s.Spot == nil {
		return
	}
	if s.Spot.Spot == nil {
		t.text("cost.spot.noprice")
	}
	for _, k := range s.Spot.Plans {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.spotWords(s.Spot, k)})
	}
	if s.Spot.Stale {
		t.note("cost.month.stale")
	}
	if slices.Contains(s.Assumed, "guess_between") {
		t.note("cost.assumed.between")
	}
	if slices.Contains(s.Assumed, "checkpoint_minute") {
		t.note("cost.assumed.checkpoint")
	}
}

func (t *turn) spotWords(s *SpotSums, k SpotCase) string {
	b, lang := t.book, t.lang
	line := b.say(lang, "cost.spot.every", "between", t.period(k.Between), "interval", t.period(k.Interval), "overhead", t.overhead(k))
	line = b.say(lang, "cost.spot."+cmp.Or(k.Guess, "said")) + line
	switch {
	case k.AtLimit:
		return line + b.say(lang, "cost.spot.limit")
	case k.Wins == nil:
		line += b.say(lang, "cost.spot.needs", "off", percent(k.NeedsOff))
	case *k.Wins:
		line += b.say(lang, "cost.spot.wins", "price", t.moneySum(*k.PerHour), "demand", t.moneySum(*s.OnDemand))
	default:
		line += b.say(lang, "cost.spot.loses", "price", t.moneySum(*k.PerHour), "demand", t.moneySum(*s.OnDemand))
	}
	if k.Run != nil {
		line += b.say(lang, "cost.spot.run", "total", t.sum(*k.Run))
	}
	if k.Final != nil && !*k.Final {
		line += b.say(lang, "cost.spot.nosave")
	}
	return line
}

// overhead is what interruptions waste: by the usual formula, and when they
// come at random.
func (t *turn) overhead(k SpotCase) string {
	a, b := percent(k.Overhead), percent(k.Exact)
	if a == b || k.Exact < k.Overhead {
		return a
	}
	return a + "–" + b
}

// period writes hours in the unit that suits their length.
func (t *turn) period(hours float64) string {
	switch {
	case hours < 1.0/60:
		return t.book.say(t.lang, "cost.seconds", "n", number(math.Round(hours*3600)))
	case hours < 2:
		return t.book.say(t.lang, "unit.minutes", "n", tenths(hours*60))
	}
	return t.book.say(t.lang, "unit.hours", "n", number(hours))
}

func (t *turn) sayUpload(s *CostSheet) {
	u := s.Upload
	if u == nil {
		return
	}
	t.text("cost.upload", "gb", number(u.GB), "mbps", number(u.Mbps), "hours", tenths(u.Hours), "full", tenths(u.FullRate))
	if u.Transfer != "" {
		t.text("cost.upload." + string(u.Transfer))
	}
}

func (t *turn) sayRunway(s *CostSheet) {
	r := s.Runway
	if r == nil {
		if t.costSaid().asks("runway") && t.costSaid().Balance.Known() {
			t.text("cost.runway.noprice")
		}
		return
	}
	hours := Range{math.Floor(r.Hours.Lo*10) / 10, math.Floor(r.Hours.Hi*10) / 10}
	t.text("cost.runway", "balance", t.moneySum(r.Balance), "burn", t.moneySum(r.Burn), "hours", span(hours))
}

func (t *turn) sayIdle(s *CostSheet) {
	if s.Idle != nil {
		t.text("cost.idle", "hours", span(t.costSaid().Idle.Value), "cost", t.sum(*s.Idle))
	}
	if s.Stopped != nil {
		c := t.costSaid()
		t.text("cost.stoppeddisk", "gb", number(c.DiskGB.Value.Hi), "days", number(c.StoppedDays.Value.Hi), "cost", t.moneySum(*s.Stopped))
	}
}

// sayAges gives every known price its date, age, source and claimant.
func (t *turn) sayAges(s *CostSheet) {
	seen := map[string]bool{}
	var lines []string
	for _, r := range s.Rents {
		shown := s.Hours != nil || s.Monthly == nil || r.Per.Currency == s.Monthly.Hour.Currency
		line := t.originWords(r.Origin, r.AsOf, r.AgeDays, r.Stale, shortSources(r.Sources), r.Claimants)
		if !r.Own && shown && !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		lines = append(lines, t.book.say(t.lang, "price.live"))
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "note", Text: strings.Join(lines, "\n")})
	}
	if s.Rate != "" {
		rate, day, _ := strings.Cut(s.Rate, "@")
		t.note("cost.rate", "rate", rate, "day", day)
	}
}

// shortSources leaves out where exactly a source lies; /prices has it.
func shortSources(sources []string) []string {
	out := make([]string, len(sources))
	for i, s := range sources {
		out[i], _, _ = strings.Cut(s, " (")
	}
	return out
}

// originWords says where a price is from: date, age, source, who says so.
func (t *turn) originWords(origin cost.Origin, asOf string, days int, stale bool, sources, claimants []string) string {
	b, lang := t.book, t.lang
	if origin == cost.Set {
		line := b.say(lang, "price.set.origin", "when", asOf, "age", t.ageWords(days), "who", t.byWords(strings.Join(claimants, "; ")))
		if stale {
			line += b.say(lang, "price.stale")
		}
		return line
	}
	line := b.say(lang, "price.origin", "when", asOf, "age", t.ageWords(days), "sources", strings.Join(sources, "; "))
	switch {
	case len(claimants) == 1 && len(sources) == 1 && strings.HasPrefix(sources[0], claimants[0]):
		line += b.say(lang, "price.selfclaimed")
	case len(claimants) > 0:
		line += b.say(lang, "price.claimed", "who", strings.Join(claimants, "; "))
	}
	if stale {
		line += b.say(lang, "price.stale")
	}
	return line
}

func (t *turn) ageWords(days int) string {
	switch {
	case days < 1:
		return t.book.say(t.lang, "age.today")
	case days <= 60:
		return t.book.say(t.lang, "age.days", "n", number(float64(days)))
	}
	return t.book.say(t.lang, "age.months", "n", number(math.Round(float64(days)/30.44)))
}

// sayPrices shows the hourly prices when the length is still to be asked.
func (t *turn) sayPrices(s *CostSheet) {
	var prices []string
	for _, r := range s.Rents {
		prices = append(prices, t.wayName(r)+" "+t.perCard(r))
	}
	if len(prices) == 0 {
		return
	}
	line := strings.Join(prices, t.book.say(t.lang, "join.facts"))
	if s.Label != "" {
		line = s.Label + t.book.say(t.lang, "join.because") + line
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: line})
	t.sayAges(s)
}

// costChoices are the next things to ask about a sum.
func (t *turn) costChoices(s *CostSheet) []Choice {
	var out []Choice
	add := func(view, ref string) {
		out = append(out, Choice{Ref: ref, Label: t.book.say(t.lang, "cost.choice."+view)})
	}
	if s.Finished == nil && s.Hours != nil && len(s.Rents) > 0 {
		add("parts", "/cost parts")
	}
	if s.Monthly == nil && s.Card != "" {
		add("monthly", "/cost monthly")
	}
	if s.Spot == nil && s.Card != "" {
		add("spot", "/cost spot")
	}
	if s.Card != "" && len(s.Card) < 24 {
		add("prices", "/prices "+s.Card)
	}
	return out
}

// compareOffers words offers side by side, and where it flips.
func (t *turn) compareOffers(s *CostSheet) {
	c := s.Compared
	b, lang := t.book, t.lang
	t.reply.Act = "answer"
	if c.RunHours > 0 {
		t.heading("cost.compare.title", "hours", b.hours(lang, One(c.RunHours)))
	}
	rows := [][]string{{b.say(lang, "cost.col.offer"), b.say(lang, "cost.col.price"), b.say(lang, "cost.col.setup")}}
	if c.RunHours > 0 {
		rows[0] = append(rows[0], b.say(lang, "cost.col.done"))
	}
	for i, o := range c.Offers {
		rows = append(rows, t.offerRow(o, c.Rows[i], c.RunHours > 0))
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "table", Rows: rows})
	switch {
	case c.RunHours > 0 && c.Stale:
		t.note("cost.compare.stale")
	case c.RunHours > 0 && c.Best >= 0 && c.Saves.Given() && c.Saves.Amount > 0:
		t.text("cost.compare.best", "offer", apart("", t.offerName(c.Offers[c.Best]), " "), "saves", t.moneySum(c.Saves))
	case c.RunHours > 0 && c.Best >= 0 && c.Saves.Given():
		t.text("cost.compare.same")
	}
	for _, f := range firstOf(c.Flips, 3) {
		t.text("cost.compare.flip", "hours", tenths(f.Hours), "from", apart(" ", t.offerName(c.Offers[f.From]), " "), "to", apart("", t.offerName(c.Offers[f.To]), " "))
	}
	t.sayRate(s)
	if t.hourlyOnly(c) {
		t.note("cost.compare.hourly")
	}
	if c.RunHours == 0 {
		if !slices.ContainsFunc(c.Offers, func(o OfferSum) bool { return o.Setup > 0 }) {
			t.text("cost.compare.ask")
		}
		t.ask("duration_hours", nil)
		return
	}
	t.costAgain(false)
}

func (t *turn) sayRate(s *CostSheet) {
	if rate := t.rate; rate != nil {
		seen := map[cost.Currency]bool{}
		for _, o := range s.Compared.Offers {
			seen[o.Price.Currency] = true
		}
		if seen[cost.CNY] && seen[cost.USD] {
			t.note("cost.rate", "rate", rate.CNYPerUSD.String(), "day", rate.AsOf.String())
		}
	}
}

// hourlyOnly reports whether nothing but hourly prices was named: then the
// comparison hides the same things as the prices (S0-29).
func (t *turn) hourlyOnly(c *ComparedSums) bool {
	return !slices.ContainsFunc(c.Offers, func(o OfferSum) bool { return o.Way != "hour" || o.Setup > 0 || o.Speed != 1 || o.Once.Given() })
}

// apart sets a Latin name off from the Chinese around it; Chinese names and
// English sentences need nothing.
func apart(before, name, behind string) string {
	if isHan(name) || len(name) > 1 && name[0] >= 'a' && name[0] <= 'z' {
		return name
	}
	return before + name + behind
}

func (t *turn) offerName(o OfferSum) string {
	if key := "cost.way." + o.Name; t.book.has(key) {
		return t.book.say(t.lang, key)
	}
	return o.Name
}

func (t *turn) offerRow(o OfferSum, r cost.Row, done bool) []string {
	b, lang := t.book, t.lang
	row := []string{t.offerName(o)}
	if !o.Price.Given() {
		row = append(row, b.say(lang, "cost.compare.missing"), "–")
		if done {
			row = append(row, "–")
		}
		return row
	}
	price := b.say(lang, "cost.per."+string(o.Price.Currency)+"."+o.Way, "n", figure(o.Price.Amount))
	if o.Stale {
		price += b.say(lang, "cost.mark.stale")
	}
	setup := "–"
	if o.Setup > 0 {
		setup = t.period(o.Setup)
	}
	row = append(row, price, setup)
	if done {
		row = append(row, t.moneySum(r.Cost))
	}
	return row
}

func fixed1(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
