package advisor

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gpuadvisor/advisor/vram"
)

// Origin tells where a fact came from. The zero Origin means that the fact is
// unknown.
type Origin string

const (
	Said     Origin = "said"     // the person wrote or tapped it
	Assumed  Origin = "assumed"  // a default of ours, always said aloud
	Measured Origin = "measured" // read from a run of theirs ("peak was 21.3 GB")
)

// Fact is a value together with where it came from.
type Fact[T any] struct {
	Value T      `json:"v"`
	From  Origin `json:"from,omitempty"`
}

// Known reports whether the fact has a value at all.
func (f Fact[T]) Known() bool { return f.From != "" }

// IsSaid reports whether the person gave the value; defaults do not count.
func (f Fact[T]) IsSaid() bool { return f.From == Said || f.From == Measured }

// Or returns the value, or def when the fact is unknown.
func (f Fact[T]) Or(def T) T {
	if f.Known() {
		return f.Value
	}
	return def
}

// Say makes a fact that the person said.
func Say[T any](v T) Fact[T] { return Fact[T]{v, Said} }

// Assume makes a fact that we assumed.
func Assume[T any](v T) Fact[T] { return Fact[T]{v, Assumed} }

// Range is a closed interval of one quantity; Lo equals Hi for a single value.
// JSON is a number, or [lo,hi].
type Range struct{ Lo, Hi float64 }

// One is the range of a single value.
func One(v float64) Range { return Range{v, v} }

// Single reports whether the range is one value.
func (r Range) Single() bool { return r.Lo == r.Hi }

// MarshalJSON writes a number, or [lo,hi].
func (r Range) MarshalJSON() ([]byte, error) {
	if r.Single() {
		return json.Marshal(r.Lo)
	}
	return json.Marshal([2]float64{r.Lo, r.Hi})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Range) UnmarshalJSON(b []byte) error {
	var one float64
	if json.Unmarshal(b, &one) == nil {
		*r = One(one)
		return nil
	}
	var two [2]float64
	if err := json.Unmarshal(b, &two); err != nil {
		return fmt.Errorf("range: %w", err)
	}
	*r = Range{two[0], two[1]}
	return nil
}

// Count is how many cards were asked for: a number, a range, or one of the
// words "single" and "multi". JSON is the number, [lo,hi] or the word.
type Count struct {
	Range
	Word string // "single", "multi" or empty
}

// Cards is a count of exactly n cards.
func Cards(n int) Count { return Count{Range: One(float64(n))} }

// Most returns the upper end: 1 for "single", 4 for "multi" (the class "few"
// of the tables), else the number. A count is at least one.
func (c Count) Most() int {
	switch c.Word {
	case "single":
		return 1
	case "multi":
		return 4
	}
	return max(1, int(math.Round(c.Hi)))
}

// MarshalJSON writes the number, the interval or the word.
func (c Count) MarshalJSON() ([]byte, error) {
	if c.Word != "" {
		return json.Marshal(c.Word)
	}
	return c.Range.MarshalJSON()
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Count) UnmarshalJSON(b []byte) error {
	var w string
	if json.Unmarshal(b, &w) == nil {
		*c = Count{Word: w}
		if w == "single" {
			c.Range = One(1)
		}
		return nil
	}
	return c.Range.UnmarshalJSON(b)
}

// Budget is what the person is ready to pay.
type Budget struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"` // CNY or USD
	Per      string  `json:"per"`      // total, hour, day or month
}

// Named is a card as the person named it: a card of the catalogue, with its
// memory only when they said it.
type Named struct {
	Card string  `json:"card"`          // id in the catalogue; "" when only the label is known
	As   string  `json:"as"`            // label as said: "A100", "RTX4090-48G"
	GB   float64 `json:"gb,omitempty"`  // memory as said, decimal GB
	N    int     `json:"n,omitempty"`   // how many of this one, when said with it
	Not  bool    `json:"not,omitempty"` // ruled out ("never mind the A100")
}

// Facts is everything a conversation knows about one job. Units are in the
// field comments; the names in the tags are the contract's.
type Facts struct {
	Task          Fact[string]  `json:"task,omitzero"`           // learn train pretrain finetune inference image-gen image-train video-gen cv-train render simulation speech embedding
	Method        Fact[string]  `json:"method,omitzero"`         // full lora qlora
	Model         Fact[string]  `json:"model,omitzero"`          // id of the catalogue, or the name as said when Unlisted
	ParamsB       Fact[float64] `json:"params_b,omitzero"`       // billions, the figure in the name
	Precision     Fact[string]  `json:"precision,omitzero"`      // fp64 fp32 bf16 fp16 fp8 int8 int4
	DurationHours Fact[Range]   `json:"duration_hours,omitzero"` // hours
	GPUs          Fact[Count]   `json:"gpus,omitzero"`
	GPUNamed      Fact[[]Named] `json:"gpu_named,omitzero"`
	DataGB        Fact[float64] `json:"data_gb,omitzero"` // decimal GB
	Interruptible Fact[bool]    `json:"interruptible,omitzero"`
	Budget        Fact[Budget]  `json:"budget,omitzero"`
	Concurrency   Fact[float64] `json:"concurrency,omitzero"` // requests at once
	ContextLen    Fact[float64] `json:"context_len,omitzero"` // tokens
	Compliance    Fact[bool]    `json:"compliance,omitzero"`
	Audience      Fact[string]  `json:"audience,omitzero"` // student lab smb enterprise individual

	ComplianceKind Fact[string]     `json:"compliance_kind,omitzero"` // none regulated xinchuang secret
	Domestic       Fact[bool]       `json:"domestic,omitzero"`        // only Chinese boards are meant, required or not
	AlwaysOn       Fact[bool]       `json:"always_on,omitzero"`
	HoursPerDay    Fact[float64]    `json:"hours_per_day,omitzero"` // hours
	HostRAMGB      Fact[float64]    `json:"host_ram_gb,omitzero"`   // GB of RAM, not VRAM
	UploadMbps     Fact[float64]    `json:"upload_mbps,omitzero"`   // Mbit/s
	Integration    Fact[bool]       `json:"integration,omitzero"`   // database, object store, private network …
	OnSite         Fact[bool]       `json:"on_site,omitzero"`       // the data may not leave the place of those who ask
	Serving        Fact[bool]       `json:"serving,omitzero"`       // production, API, SLA: the fine task llm_serve
	Variant        Fact[string]     `json:"variant,omitzero"`       // words that pick the fine task: rlhf, repro, detect, driving, drama
	Priority       Fact[string]     `json:"priority,omitzero"`      // runs fast cheap stable
	Resolution     Fact[Size]       `json:"resolution,omitzero"`    // pixels
	Frames         Fact[float64]    `json:"frames,omitzero"`
	Batch          Fact[float64]    `json:"batch,omitzero"`
	PeakGiB        Fact[float64]    `json:"peak_gib,omitzero"`   // measured peak, GiB of VRAM
	PriceHour      Fact[Budget]     `json:"price_hour,omitzero"` // the user's own price of one card, per hour
	NextTask       Fact[string]     `json:"next_task,omitzero"`
	OpsStaff       Fact[bool]       `json:"ops_staff,omitzero"`
	Quantised      Fact[bool]       `json:"quantised,omitzero"`   // "quantised" without saying how, or a program that always is
	Bulk           Fact[bool]       `json:"bulk,omitzero"`        // much of it: throughput decides
	Daily          Fact[float64]    `json:"daily,omitzero"`       // pieces to be made in a day
	PieceHours     Fact[float64]    `json:"piece_hours,omitzero"` // hours that one of them takes
	Sharded        Fact[bool]       `json:"sharded,omitzero"`     // ZeRO-3 or FSDP: weights and gradients are split, as a full fine-tune needs
	Shape          Fact[vram.Model] `json:"shape,omitzero"`       // of a model outside the catalogue, from its config.json
	LeastGB        Fact[float64]    `json:"least_gb,omitzero"`    // memory that one card must have, as the person wishes, GB
	FailedGB       Fact[float64]    `json:"failed_gb,omitzero"`   // memory of one card on which it ran out, GB
}

// Size is a picture size in pixels.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

// String is "1024x768".
func (s Size) String() string { return strconv.Itoa(s.W) + "x" + strconv.Itoa(s.H) }

// slot gives untyped access to one fact, for the places that handle all facts
// alike: merging, forgetting, the "understood" block, JSON.
type slot struct {
	name  string
	core  bool // one of the contract's fifteen, shown in "slots" and "state"
	from  func(*Facts) *Origin
	copy  func(dst, src *Facts)
	value func(*Facts) any
}

func of[T any](name string, core bool, field func(*Facts) *Fact[T]) slot {
	return slot{
		name: name, core: core,
		from:  func(f *Facts) *Origin { return &field(f).From },
		copy:  func(dst, src *Facts) { *field(dst) = *field(src) },
		value: func(f *Facts) any { return field(f).Value },
	}
}

// slots lists every fact in the order in which people read them.
var slots = []slot{
	of("task", true, func(f *Facts) *Fact[string] { return &f.Task }),
	of("method", true, func(f *Facts) *Fact[string] { return &f.Method }),
	of("model", true, func(f *Facts) *Fact[string] { return &f.Model }),
	of("params_b", true, func(f *Facts) *Fact[float64] { return &f.ParamsB }),
	of("precision", true, func(f *Facts) *Fact[string] { return &f.Precision }),
	of("duration_hours", true, func(f *Facts) *Fact[Range] { return &f.DurationHours }),
	of("gpus", true, func(f *Facts) *Fact[Count] { return &f.GPUs }),
	of("gpu_named", true, func(f *Facts) *Fact[[]Named] { return &f.GPUNamed }),
	of("data_gb", true, func(f *Facts) *Fact[float64] { return &f.DataGB }),
	of("interruptible", true, func(f *Facts) *Fact[bool] { return &f.Interruptible }),
	of("budget", true, func(f *Facts) *Fact[Budget] { return &f.Budget }),
	of("concurrency", true, func(f *Facts) *Fact[float64] { return &f.Concurrency }),
	of("context_len", true, func(f *Facts) *Fact[float64] { return &f.ContextLen }),
	of("compliance", true, func(f *Facts) *Fact[bool] { return &f.Compliance }),
	of("audience", true, func(f *Facts) *Fact[string] { return &f.Audience }),
	of("compliance_kind", false, func(f *Facts) *Fact[string] { return &f.ComplianceKind }),
	of("domestic", false, func(f *Facts) *Fact[bool] { return &f.Domestic }),
	of("always_on", false, func(f *Facts) *Fact[bool] { return &f.AlwaysOn }),
	of("hours_per_day", false, func(f *Facts) *Fact[float64] { return &f.HoursPerDay }),
	of("host_ram_gb", false, func(f *Facts) *Fact[float64] { return &f.HostRAMGB }),
	of("upload_mbps", false, func(f *Facts) *Fact[float64] { return &f.UploadMbps }),
	of("integration", false, func(f *Facts) *Fact[bool] { return &f.Integration }),
	of("on_site", false, func(f *Facts) *Fact[bool] { return &f.OnSite }),
	of("serving", false, func(f *Facts) *Fact[bool] { return &f.Serving }),
	of("variant", false, func(f *Facts) *Fact[string] { return &f.Variant }),
	of("priority", false, func(f *Facts) *Fact[string] { return &f.Priority }),
	of("resolution", false, func(f *Facts) *Fact[Size] { return &f.Resolution }),
	of("frames", false, func(f *Facts) *Fact[float64] { return &f.Frames }),
	of("batch", false, func(f *Facts) *Fact[float64] { return &f.Batch }),
	of("peak_gib", false, func(f *Facts) *Fact[float64] { return &f.PeakGiB }),
	of("price_hour", false, func(f *Facts) *Fact[Budget] { return &f.PriceHour }),
	of("next_task", false, func(f *Facts) *Fact[string] { return &f.NextTask }),
	of("ops_staff", false, func(f *Facts) *Fact[bool] { return &f.OpsStaff }),
	of("quantised", false, func(f *Facts) *Fact[bool] { return &f.Quantised }),
	of("daily", false, func(f *Facts) *Fact[float64] { return &f.Daily }),
	of("piece_hours", false, func(f *Facts) *Fact[float64] { return &f.PieceHours }),
	of("sharded", false, func(f *Facts) *Fact[bool] { return &f.Sharded }),
	of("bulk", false, func(f *Facts) *Fact[bool] { return &f.Bulk }),
	of("shape", false, func(f *Facts) *Fact[vram.Model] { return &f.Shape }),
	of("least_gb", false, func(f *Facts) *Fact[float64] { return &f.LeastGB }),
	of("failed_gb", false, func(f *Facts) *Fact[float64] { return &f.FailedGB }),
}

func slotByName(name string) (slot, bool) {
	i := slices.IndexFunc(slots, func(s slot) bool { return s.name == name })
	if i < 0 {
		return slot{}, false
	}
	return slots[i], true
}

// SlotNames lists the names of all facts, the fifteen of the contract first.
func SlotNames() []string {
	names := make([]string, len(slots))
	for i, s := range slots {
		names[i] = s.name
	}
	return names
}

// Has reports whether the person said the named fact.
func (f *Facts) Has(name string) bool {
	s, ok := slotByName(name)
	return ok && (*s.from(f) == Said || *s.from(f) == Measured)
}

// Merge takes over every fact that other knows; the last statement wins.
func (f *Facts) Merge(other Facts) {
	for _, s := range slots {
		if *s.from(&other) != "" {
			s.copy(f, &other)
		}
	}
}

// Forget removes the named facts.
func (f *Facts) Forget(names ...string) {
	var none Facts
	for _, n := range names {
		if s, ok := slotByName(n); ok {
			s.copy(f, &none)
		}
	}
}

// Said returns the names of all facts that the person said.
func (f *Facts) Said() []string {
	var names []string
	for _, s := range slots {
		if f.Has(s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

// State is the JSON form of the contract: the fifteen core facts that were
// said, never a default.
func (f *Facts) State() map[string]any {
	out := map[string]any{}
	for _, s := range slots {
		if s.core && f.Has(s.name) {
			out[s.name] = stateValue(s, f)
		}
	}
	return out
}

func stateValue(s slot, f *Facts) any {
	if s.name != "gpu_named" {
		return s.value(f)
	}
	labels := []string{}
	for _, n := range f.GPUNamed.Value {
		if !n.Not {
			labels = append(labels, n.As)
		}
	}
	return labels
}
