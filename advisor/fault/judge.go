package fault

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Result is the verdict on a print, in one word.
type Result string

// The verdicts, the gravest first.
const (
	Faulty     Result = "faulty"     // something is broken
	Sliced     Result = "slice"      // a part of a card
	Mismatch   Result = "mismatch"   // not what was ordered
	Occupied   Result = "occupied"   // somebody is working on it
	Idle       Result = "idle"       // whole and quiet, as far as the print shows
	Unreadable Result = "unreadable" // too little to judge by
)

// Verdict is what a print says about a machine.
type Verdict struct {
	Result    Result
	Findings  []Finding // in the order of the checks
	ProvesNot []string  // ids of what this print cannot show, whatever it says
	Next      []string  // ids of commands worth running next
}

// Finding is one thing worth telling.
type Finding struct {
	ID   string
	GPU  int    // position in Print.GPUs; -1 is the whole machine
	Have string // what the print shows, with its unit
	Want string // what was expected; "" when there is no figure for it
}

// Known is what Judge must be told about the world.
type Known struct {
	// Card returns the facts about a card by the name that a print shows. A
	// name that ends in "..." was cut: the facts of all cards that begin so.
	Card func(name string) (Stock, bool)
	// Branches are the driver branches, oldest first.
	Branches []Branch
	// Devices names boards by PCI device id ("0x74a1"), for prints without names.
	Devices map[string]string
}

// Stock is what an untouched card shows. Empty is unknown.
type Stock struct {
	MiB     []int   // every memory.total that is known for it
	CapW    float64 // stock power limit, watts
	MinCUDA string  // the oldest CUDA that knows the chip, "11.8"
}

// Branch is a driver branch and the CUDA version that it brings.
type Branch struct {
	Driver int    `yaml:"driver"` // major number: 535
	CUDA   string `yaml:"cuda"`   // "12.2"
}

// FindingIDs, ProvesNotIDs and NextIDs are all that a verdict may name; the rules
// must have a text for each.
var (
	FindingIDs = []string{
		string(TroubleMismatch), string(TroubleNoDriver), string(TroubleLost), string(TroubleNone), string(TroubleNoTool), string(TroubleNVML), string(TroubleBlocked),
		"cuda-error", "error-fields", "health", "memory-errors", "remap-failed", "remap-pending", "hw-thermal", "hw-power-brake", "hw-slowdown",
		"sw-thermal", "unlicensed", "hot", "mig", "vgpu", "memory-below-card", "round-quota", "other-variant", "memory-above-card", "ecc-takes-memory",
		"memory-odd", "memory-not-ordered", "name-cut", "name-missing", "name-not-ordered", "integrated-gpu", "mixed-cards", "fewer-cards",
		"more-cards", "frame-odd", "driver-before-card", "not-genuine", "memory-held", "busy", "sample-again", "process", "small-process",
		"desktop-process", "power-cap-low", "lanes-few", "link-resting", "cuda-not-shown", "cuda-compat", "cuda-too-old", "two-versions",
	}
	ProvesNotIDs = []string{"alone", "load", "genuine", "links", "memory-health", "rest-of-machine"}
	NextIDs      = []string{"full-print", "list-cards", "second-sample", "kernel-log", "query-all", "health-fields", "load-test", "topology"}
)

// Results are all verdicts; the rules must have a text for each.
var Results = []Result{Faulty, Sliced, Mismatch, Occupied, Idle, Unreadable}

// Bounds of the checks (our own, from the prints collected; each is explained
// where it is used).
const (
	idleMiB       = 600  // rest of a card nobody uses …
	idleShare     = 0.01 // … or this share of a large one
	desktopMiB    = 2048 // a desktop or WSL draws with the card
	serviceMiB    = 64   // a process below it is a service's, MPS for instance
	npuIdleMiB    = 4096 // an Ascend chip keeps 2.9 to 3.5 GB for itself
	idlePct       = 5    // utilisation, and VRAM where only a share is printed
	idlePower     = 0.35 // of the cap: above it, a busy reading is believed
	hotC          = 85   // an idle or busy card above this lacks air
	sizeTolerance = 0.03
	sliceShare    = 0.90 // less memory than this share of the card's is a part of it
	otherCardCap  = 0.60 // a cap below this share of stock belongs to another board
	loweredCap    = 0.90
	stickerLow    = 0.90 // ECC and reserves take up to a tenth of the sticker's size
)

// Judge compares a print with what was ordered. paid and wantsCUDA ("12.4") may
// be zero. In order it looks at what the tool complains of, then for every card
// at slices, memory, name, load, power cap, errors and health, age, slot; then at
// processes, count and the drawing of the frame; last at CUDA.
func Judge(p Print, paid PaidFor, wantsCUDA string, known Known) Verdict {
	j := judge{p: p, paid: paid, wants: wantsCUDA, known: known, ordered: partsOf(paid.Text)}
	j.troubles()
	for i := range p.GPUs {
		j.gpu(i)
	}
	j.whole()
	j.cuda()
	v := Verdict{Result: j.result(), Findings: j.findings}
	v.ProvesNot = j.provesNot(v.Result)
	v.Next = j.next(v.Result)
	return v
}

type judge struct {
	p        Print
	paid     PaidFor
	ordered  cardName
	wants    string
	known    Known
	findings []Finding
	doubts   int // contradictions within the print: two make it a fake
	grave    map[Result]bool
}

// say records a finding; kind "" is a remark that decides nothing.
func (j *judge) say(kind Result, id string, gpu int, have, want string) {
	j.findings = append(j.findings, Finding{id, gpu, have, want})
	if kind != "" {
		if j.grave == nil {
			j.grave = map[Result]bool{}
		}
		j.grave[kind] = true
	}
}

func (j *judge) result() Result {
	for _, r := range Results {
		if j.grave[r] {
			return r
		}
	}
	readable := func(g GPU) bool {
		return g.UsedMiB != nil || g.UsedPct != nil || g.UtilPct != nil
	}
	if slices.ContainsFunc(j.p.GPUs, readable) {
		return Idle
	}
	return Unreadable
}

func (j *judge) troubles() {
	for _, t := range j.p.Troubles {
		j.say(Faulty, string(t), -1, "", "")
	}
	if j.p.CUDA == "ERR!" {
		j.say(Faulty, "cuda-error", -1, j.p.CUDA, "")
	}
}

// gpu runs the checks of one device.
func (j *judge) gpu(i int) {
	g := j.p.GPUs[i]
	stock, found := Stock{}, false
	if g.Name != "" && g.Name != "ERR!" && j.known.Card != nil {
		stock, found = j.known.Card(g.Name)
	}
	part := j.slice(i, g)
	if !part {
		part = j.size(i, g, stock, found)
	}
	j.name(i, g)
	if !part {
		j.busy(i, g, stock)
	}
	j.powerCap(i, g, stock)
	j.health(i, g)
	j.age(i, g, stock)
	j.link(i, g)
}

var vgpuName = regexp.MustCompile(`-\d{1,3}(?:-\d{1,3})?[QCAB]\d?$|\bMIG \d+[gc]\.`)

// slice finds parts that call themselves so: MIG and vGPU.
func (j *judge) slice(i int, g GPU) bool {
	if g.MIG {
		j.say(Sliced, "mig", i, sizes(g.Slices), "")
		return true
	}
	if vgpuName.MatchString(g.Name) {
		j.say(Sliced, "vgpu", i, g.Name, "")
		return true
	}
	return false
}

func sizes(slices []Slice) string {
	var out []string
	for _, s := range slices {
		switch {
		case s.Profile != "":
			out = append(out, s.Profile)
		case s.TotalMiB != nil:
			out = append(out, mib(*s.TotalMiB))
		}
	}
	return strings.Join(out, " ")
}

// size compares the memory with the card's and with the order. It reports
// whether the device is a part of a card that calls itself whole.
func (j *judge) size(i int, g GPU, stock Stock, found bool) bool {
	if g.TotalMiB == nil {
		return false
	}
	total := *g.TotalMiB
	want := stock.MiB
	if !found || len(want) == 0 {
		want = sticker(g.Name)
	}
	if len(want) > 0 {
		low, high := slices.Min(want), slices.Max(want)
		switch {
		case float64(total) < sliceShare*float64(low):
			if j.otherBoard(g, stock) {
				j.say("", "other-variant", i, mib(total), mib(low))
				break
			}
			j.say(Sliced, "memory-below-card", i, mib(total), mib(low))
			if total%1000 == 0 {
				j.say("", "round-quota", i, mib(total), "")
			}
			return true
		case near(total, want):
		case total > high:
			j.say("", "memory-above-card", i, mib(total), mib(high))
		case float64(total) >= 0.93*float64(low) && eccOn(g):
			j.say("", "ecc-takes-memory", i, mib(total), mib(low))
		default:
			j.say("", "memory-odd", i, mib(total), mib(low))
		}
		if found && float64(total) > 1.002*float64(high) {
			j.doubts++
		}
	}
	if j.paid.GB > 0 {
		label := j.paid.GB * 1024
		if float64(total) < stickerLow*label || float64(total) > (1+sizeTolerance)*label {
			j.say(Mismatch, "memory-not-ordered", i, mib(total), strconv.FormatFloat(j.paid.GB, 'f', -1, 64)+" GB")
		}
	}
	return false
}

// otherBoard reports whether a cut name hides a smaller board of the same
// number, a laptop part say: its power cap tells. A slice keeps the cap.
func (j *judge) otherBoard(g GPU, stock Stock) bool {
	return g.cut() && g.CapW != nil && stock.CapW > 0 && *g.CapW < otherCardCap*stock.CapW
}

func eccOn(g GPU) bool { return g.ECC == "On" || g.ECC == "Enabled" || g.Uncorrect != nil }

// near reports whether a size is one of those known, within the tolerance.
func near(total int, want []int) bool {
	for _, w := range want {
		if math.Abs(float64(total-w)) <= sizeTolerance*float64(w) {
			return true
		}
	}
	return false
}

var stickerGB = regexp.MustCompile(`\b(\d{1,3}) ?GB\b`)

// sticker is the size in a name that no catalogue knows, as the range it allows.
func sticker(name string) []int {
	m := groups(stickerGB, name)
	if m == nil {
		return nil
	}
	gb := number(m[0])
	return []int{int(stickerLow * float64(gb) * 1024), gb * 1024}
}

// name compares the printed name with the order.
func (j *judge) name(i int, g GPU) {
	name := g.Name
	if name == "" && g.DeviceID != "" {
		name = j.known.Devices[g.DeviceID]
	}
	if g.cut() {
		j.say("", "name-cut", i, g.Name, "")
	}
	if len(j.ordered.model) == 0 || g.Name == "ERR!" {
		return
	}
	switch {
	case name == "" && g.NoPowerCap:
		j.say(Mismatch, "integrated-gpu", i, g.DeviceID, j.paid.Text)
	case name == "":
		j.say("", "name-missing", i, "", j.paid.Text)
	case !partsOf(name).agrees(j.ordered):
		j.say(Mismatch, "name-not-ordered", i, name, j.paid.Text)
	}
}

// busy looks for somebody else's work. Memory is believed; a busy reading alone
// is not, because the first sample after a pause can read anything.
func (j *judge) busy(i int, g GPU, stock Stock) {
	limit := j.restMiB(g)
	held := g.UsedMiB != nil && *g.UsedMiB > limit || g.UsedPct != nil && *g.UsedPct > idlePct
	if held {
		want := mib(limit)
		if g.UsedMiB == nil {
			want = percent(idlePct)
		}
		j.say(Occupied, "memory-held", i, usedText(g), want)
	}
	if g.UtilPct == nil || *g.UtilPct <= idlePct {
		return
	}
	draw, sure := j.draw(g, stock)
	quiet := g.UsedMiB != nil && !held
	switch {
	case held, sure && draw > idlePower, !sure && !quiet:
		j.say(Occupied, "busy", i, percent(*g.UtilPct), percent(idlePct))
	default:
		j.say("", "sample-again", i, percent(*g.UtilPct), percent(idlePct))
	}
}

// restMiB is the memory that an unused card may show as used.
func (j *judge) restMiB(g GPU) int {
	if j.p.Tool == "npu-smi" {
		return npuIdleMiB
	}
	limit := idleMiB
	if g.TotalMiB != nil {
		limit = max(limit, int(idleShare*float64(*g.TotalMiB)))
	}
	if j.p.Windows || g.Display == "On" {
		limit = max(limit, desktopMiB)
	}
	return limit
}

// draw returns the power draw as a share of the cap.
func (j *judge) draw(g GPU, stock Stock) (share float64, ok bool) {
	limit := stock.CapW
	if g.CapW != nil {
		limit = *g.CapW
	}
	if g.PowerW == nil || limit <= 0 {
		return 0, false
	}
	return *g.PowerW / limit, true
}

// powerCap compares the power cap with the stock one.
func (j *judge) powerCap(i int, g GPU, stock Stock) {
	if g.CapW == nil || stock.CapW <= 0 || *g.CapW >= loweredCap*stock.CapW {
		return
	}
	j.say("", "power-cap-low", i, watts(*g.CapW), watts(stock.CapW))
	if *g.CapW < 0.5*stock.CapW {
		j.doubts++
	}
}

// health finds what is broken or about to be.
func (j *judge) health(i int, g GPU) {
	if len(g.Errors) > 0 {
		j.say(Faulty, "error-fields", i, strings.Join(g.Errors, " "), "")
	}
	if g.Health != "" && g.Health != "OK" {
		j.say(Faulty, "health", i, g.Health, "OK")
	}
	if g.Uncorrect != nil && *g.Uncorrect > 0 {
		j.say(Faulty, "memory-errors", i, strconv.Itoa(*g.Uncorrect), "0")
	}
	if g.RemapFail {
		j.say(Faulty, "remap-failed", i, "", "")
	}
	if g.RemapWait {
		j.say(Faulty, "remap-pending", i, "", "")
	}
	for _, r := range g.Throttle {
		kind := Faulty
		if r == "sw-thermal" {
			kind = ""
		}
		j.say(kind, r, i, "", "")
	}
	if g.Unlicensed {
		j.say(Faulty, "unlicensed", i, "", "")
	}
	if g.TempC != nil && *g.TempC >= hotC {
		j.say("", "hot", i, strconv.FormatFloat(*g.TempC, 'f', -1, 64)+" °C", "")
	}
}

// age finds a driver that is older than the card it claims to drive.
func (j *judge) age(i int, g GPU, stock Stock) {
	native := j.native()
	if native != "" && stock.MinCUDA != "" && less(native, stock.MinCUDA) {
		j.say("", "driver-before-card", i, j.p.Driver, stock.MinCUDA)
		j.doubts++
	}
}

// link looks at the slot, which only CSV and -q show. A card at rest lowers the
// generation by itself; the number of lanes it does not change.
func (j *judge) link(i int, g GPU) {
	if g.Lanes != nil && *g.Lanes > 0 && g.LanesMax != nil && *g.Lanes < *g.LanesMax {
		j.say("", "lanes-few", i, "x"+strconv.Itoa(*g.Lanes), "x"+strconv.Itoa(*g.LanesMax))
	}
	if g.PCIeGen != nil && g.PCIeGenMax != nil && *g.PCIeGen < *g.PCIeGenMax {
		j.say("", "link-resting", i, "gen "+strconv.Itoa(*g.PCIeGen), "gen "+strconv.Itoa(*g.PCIeGenMax))
	}
}

// whole runs the checks of the machine.
func (j *judge) whole() {
	for _, pr := range j.p.Processes {
		switch {
		case j.p.Windows && (pr.Type == "C+G" || pr.MemMiB == nil), pr.Type == "G":
			j.say("", "desktop-process", -1, pr.Name, "")
		case pr.MemMiB != nil && *pr.MemMiB < serviceMiB:
			j.say("", "small-process", -1, pr.Name+" "+mib(*pr.MemMiB), "")
		default:
			j.say(Occupied, "process", -1, strings.TrimSpace(pr.Name+" "+optional(pr.MemMiB)), "")
		}
	}
	j.count()
	j.frame()
	if j.doubts >= 2 {
		j.say(Mismatch, "not-genuine", -1, strconv.Itoa(j.doubts), "")
	}
}

func (j *judge) count() {
	n := len(j.p.GPUs)
	if n == 0 {
		return
	}
	if j.paid.Count > n {
		j.say(Mismatch, "fewer-cards", -1, strconv.Itoa(n), strconv.Itoa(j.paid.Count))
	}
	if j.paid.Count > 0 && j.paid.Count < n {
		j.say("", "more-cards", -1, strconv.Itoa(n), strconv.Itoa(j.paid.Count))
	}
	for i := range n {
		a, b := j.p.GPUs[0], j.p.GPUs[i]
		if a.Name != "" && b.Name != "" && a.Name != b.Name && a.Name != "ERR!" && b.Name != "ERR!" && !a.cut() && !b.cut() {
			kind := Result("")
			if j.paid.Count > 1 {
				kind = Mismatch
			}
			j.say(kind, "mixed-cards", i, b.Name, a.Name)
			return
		}
	}
}

// frame checks the drawing itself: its width belongs to the tool's version.
func (j *judge) frame() {
	major := majorOf(j.p.Version)
	if j.p.Tool != "nvidia-smi" || j.p.Frame == 0 || major == 0 {
		return
	}
	want := 91
	switch {
	case major < 530:
		want = 79
	case major < 550:
		want = 89
	}
	if j.p.Frame != want {
		j.say("", "frame-odd", -1, strconv.Itoa(j.p.Frame), strconv.Itoa(want))
		j.doubts++
	}
}

// cuda checks what the driver offers against what is wanted, and tells a compat
// library in the image from a new driver.
func (j *judge) cuda() {
	offered := j.p.CUDA
	native := j.native()
	switch {
	case offered == "N/A" || offered == "Not Found":
		j.say("", "cuda-not-shown", -1, offered, "")
		offered = native
	case firstNumber.MatchString(offered) && native != "" && less(native, offered):
		j.say("", "cuda-compat", -1, offered, native)
	case offered == "":
		offered = native
	}
	if j.wants != "" && firstNumber.MatchString(offered) && less(offered, j.wants) {
		j.say("", "cuda-too-old", -1, offered, j.wants)
	}
	if j.p.Windows && j.p.Version != j.p.Driver {
		j.say("", "two-versions", -1, j.p.Version+" / "+j.p.Driver, "")
	}
}

// native returns the CUDA version of the driver's branch, "" when unknown.
func (j *judge) native() string {
	if j.p.Tool != "nvidia-smi" {
		return ""
	}
	major, out := majorOf(j.p.Driver), ""
	for _, b := range j.known.Branches {
		if b.Driver <= major {
			out = b.CUDA
		}
	}
	return out
}

func majorOf(version string) int {
	m, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(m)
	if err != nil {
		return 0
	}
	return n
}

// less compares versions of numbers and dots.
func less(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		var x, y int
		if i < len(as) {
			x, _ = strconv.Atoi(as[i])
		}
		if i < len(bs) {
			y, _ = strconv.Atoi(bs[i])
		}
		if x != y {
			return x < y
		}
	}
	return false
}

// provesNot lists what no print of this kind can prove.
func (j *judge) provesNot(r Result) []string {
	out := []string{"alone", "load", "genuine"}
	if r == Unreadable {
		return out
	}
	if len(j.p.GPUs) > 1 {
		out = append(out, "links")
	}
	if !slices.ContainsFunc(j.p.GPUs, func(g GPU) bool { return g.Uncorrect != nil }) {
		out = append(out, "memory-health")
	}
	return append(out, "rest-of-machine")
}

// next lists commands that would show more.
func (j *judge) next(r Result) []string {
	has := func(id string) bool {
		return slices.ContainsFunc(j.findings, func(f Finding) bool { return f.ID == id })
	}
	var out []string
	add := func(yes bool, id string) {
		if yes {
			out = append(out, id)
		}
	}
	add(r == Unreadable, "full-print")
	add(has("name-cut") || has("name-missing"), "list-cards")
	add(r == Occupied || has("sample-again"), "second-sample")
	add(r == Faulty, "kernel-log")
	add(r == Sliced || r == Mismatch, "query-all")
	add(r == Idle || r == Occupied, "health-fields")
	add(r == Idle, "load-test")
	add(r == Idle && len(j.p.GPUs) > 1, "topology")
	return out
}

func mib(n int) string         { return strconv.Itoa(n) + " MiB" }
func watts(w float64) string   { return strconv.FormatFloat(w, 'f', -1, 64) + " W" }
func percent(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + " %" }
func optional(n *int) string {
	if n == nil {
		return ""
	}
	return mib(*n)
}

func usedText(g GPU) string {
	if g.UsedMiB == nil {
		return percent(*g.UsedPct)
	}
	if g.TotalMiB == nil {
		return mib(*g.UsedMiB)
	}
	return fmt.Sprintf("%d / %d MiB", *g.UsedMiB, *g.TotalMiB)
}
