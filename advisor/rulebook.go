package advisor

import (
	"regexp"
	"slices"

	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/fault"
	"gpuadvisor/advisor/table"
	"gpuadvisor/advisor/text"
	"gpuadvisor/advisor/vram"
)

// Text is one thing said in every language we speak, by language code:
// {"zh": …, "en": …}. The loader refuses entries that lack one.
type Text map[string]string

// In returns the text in lang, or in English when lang is not there.
func (t Text) In(lang string) string {
	if s, ok := t[lang]; ok {
		return s
	}
	return t["en"]
}

// Provenance says where the facts of an entry come from. Every entry has one.
type Provenance struct {
	Sources    []string `yaml:"sources"`                                          // page, file or document, with its date where known
	Checked    string   `yaml:"checked" rule:"date"`                              // YYYY-MM-DD: when somebody last compared the entry with its sources
	Confidence string   `yaml:"confidence,omitempty" rule:"enum=high|medium|low"` // high medium low; "" is high
	Doubt      Text     `yaml:"doubt,omitempty"`                                  // what exactly is uncertain
}

// Card is a GPU board that can be rented, or was once.
type Card struct {
	ID         string   `yaml:"id" rule:"id"`
	Label      string   `yaml:"label,omitempty"` // NAME-MEMORYG of the contract; "" when the memory is unknown
	Names      []string `yaml:"names"`           // every spelling people type
	vram.Card  `yaml:",inline"`
	Refit      bool `yaml:"refit,omitempty"` // rebuilt by a third party with other memory
	Notes      Text `yaml:"notes,omitempty"` // variants and traps
	Good       Text `yaml:"good,omitempty"`  // what it is good for
	Provenance `yaml:",inline"`

	common bool // advised without being named: in our order, of known memory, and to be had; set by Link
}

// Model is an AI model or a program that runs on GPUs.
type Model struct {
	ID         string   `yaml:"id" rule:"id"`
	Names      []string `yaml:"names"`
	Task       string   `yaml:"task,omitempty" rule:"task"`       // task that naming it alone implies: blender → render
	Variant    string   `yaml:"variant,omitempty" rule:"variant"` // fine-task word that naming it implies: yolo → detect
	vram.Model `yaml:",inline"`
	Size       string   `yaml:"size,omitempty"`              // the figure in the name, in billions, when it differs from params_b ("7")
	Frames     int      `yaml:"usual_frames,omitempty"`      // of a clip as this model makes it, when nobody says
	Resolution string   `yaml:"usual_resolution,omitempty"`  // of its pictures or clips: 720x480
	Vague      bool     `yaml:"vague,omitempty"`             // a family whose members differ so much that the model still has to be asked
	Default    string   `yaml:"default,omitempty"`           // for a family name: the member whose figures stand in, said aloud
	Need       *Need    `yaml:"need,omitempty"`              // for what has no formula: a published or typical demand
	Wants      []string `yaml:"wants,omitempty" rule:"want"` // what matters beyond memory
	Notes      Text     `yaml:"notes,omitempty"`
	Provenance `yaml:",inline"`
}

// Need is a memory demand taken from documents instead of a formula, in GiB of
// one card, per use of the model.
type Need struct {
	Inference Band `yaml:"inference,omitempty"`
	Train     Band `yaml:"train,omitempty"`
}

// Band is a demand in GiB: the least that works and what is comfortable.
type Band struct {
	Min         float64 `yaml:"min_gib,omitempty"`
	Comfortable float64 `yaml:"comfortable_gib,omitempty"`
}

// Task is one of the fine tasks (about thirty) that the tables know.
type Task struct {
	ID         string   `yaml:"id" rule:"id"`
	Task       string   `yaml:"task" rule:"task"` // the coarse task of the contract
	Title      Text     `yaml:"title"`            // what to call it
	Names      []string `yaml:"names"`            // words that mean it
	Family     string   `yaml:"family"`
	NeedGiB    float64  `yaml:"need_gib"`                             // demand on one card with the default model and method
	GPUs       string   `yaml:"gpus" rule:"enum=one|few|eight|nodes"` // one few eight nodes: default and floor
	Comm       string   `yaml:"comm" rule:"enum=none|low|high"`       // none low high
	RAMGB      float64  `yaml:"ram_gb"`                               // floor of host RAM
	Unit       string   `yaml:"unit"`                                 // unit of finished work
	Defaults   Defaults `yaml:"defaults,omitempty"`
	Settles    []string `yaml:"settles,omitempty,flow"` // questions that this kind of job answers by itself
	Wants      []string `yaml:"wants,omitempty" rule:"want"`
	Assumption Text     `yaml:"assumption"` // what the default stands on
	Provenance `yaml:",inline"`
}

// Defaults are the settings that stand in for what nobody said. Each one that
// is used is said aloud.
type Defaults struct {
	Model         string  `yaml:"model,omitempty"`              // id: whose figures stand in when none is named
	ParamsB       float64 `yaml:"params_b,omitempty"`           // billions, when there is no model to name
	Method        string  `yaml:"method,omitempty"`             // full lora qlora
	Precision     string  `yaml:"precision,omitempty"`          // of the weights
	ContextLen    int     `yaml:"context_len,omitempty"`        // tokens
	SharedContext int     `yaml:"shared_context_len,omitempty"` // tokens that each of many users holds on average
	Concurrency   int     `yaml:"concurrency,omitempty"`        // requests at once
	Batch         int     `yaml:"batch,omitempty"`              // samples, images or clips at once
	Resolution    string  `yaml:"resolution,omitempty"`         // pixels, WxH
	Frames        int     `yaml:"frames,omitempty"`             // of one clip
	Offload       string  `yaml:"offload,omitempty"`            // what leaves the card while it is idle: "model cpu"
	Checkpointing bool    `yaml:"checkpointing,omitempty"`      // activations computed twice instead of kept
	GPUs          []Floor `yaml:"gpus_by_size,omitempty"`       // how many cards a job of that size takes to end in reasonable time
	Continued     []Floor `yaml:"gpus_continued,omitempty"`     // the same when training goes on from a published model
	FloorGiB      float64 `yaml:"floor_gib,omitempty"`          // least memory worth renting for this, per card
	Quantised     string  `yaml:"quantised,omitempty"`          // precision meant by "quantised" without a figure
}

// Floor says that a model of up to UpToB billion parameters wants GPUs cards.
type Floor struct {
	UpToB float64 `yaml:"up_to_b"` // billions; 0 is no limit
	GPUs  int     `yaml:"gpus"`
	GiB   float64 `yaml:"gib,omitempty"` // least memory per card worth renting for it
}

// Preference is the order in which we try cards of equal memory, and why. It
// is a judgement of ours, marked as such; prices never enter it.
type Preference struct {
	GiB     float64  `yaml:"gib"`   // memory on the sticker
	Cards   []string `yaml:"cards"` // ids, first tried first
	Because Text     `yaml:"because"`
}

// Question is what we ask for one slot.
type Question struct {
	ID      string   `yaml:"id" rule:"id"` // the slot
	Ask     Text     `yaml:"ask"`
	Why     Text     `yaml:"why"`              // why we ask, for /why
	Unknown Text     `yaml:"unknown"`          // what we assume on "don't know", said aloud
	Example Text     `yaml:"example"`          // an answer to copy, for the one re-ask
	Assume  string   `yaml:"assume,omitempty"` // the default as a reader would read it: "qlora", "24h"
	Options []Option `yaml:"options,omitempty"`
	Tasks   []string `yaml:"tasks,omitempty"` // coarse tasks for which it is worth asking; empty: all
}

// Option is a prepared answer to a question. Means is text that the reader
// understands as that answer, so that tapping and typing are the same thing.
type Option struct {
	ID    string   `yaml:"id" rule:"id"`
	Label Text     `yaml:"label"`
	Means string   `yaml:"means,omitempty"`
	Sub   []Option `yaml:"sub,omitempty"`               // a group: tapping it shows these instead
	Tasks []string `yaml:"tasks,omitempty" rule:"task"` // coarse tasks for which it is offered; empty: all
}

// suits reports whether the option is worth showing for a coarse task.
func (o Option) suits(task string) bool {
	return task == "" || len(o.Tasks) == 0 || slices.Contains(o.Tasks, task)
}

// Asks says for each coarse task which slots are required, in order.
type Asks struct {
	Required map[string][]string `yaml:"required"`
	Offered  []string            `yaml:"offered"` // named after the answer as "what would change this"
}

// Risk is a note that is printed when its condition holds.
type Risk struct {
	ID         string                `yaml:"id"`
	When       []map[string][]string `yaml:"when"`                                      // any of these rows; each input must have one of the values
	Severity   string                `yaml:"severity" rule:"enum=stop|high|medium|low"` // stop high medium low
	Note       Text                  `yaml:"note"`
	Because    Text                  `yaml:"because"` // what triggers it
	Support    Text                  `yaml:"support,omitempty"`
	Provenance `yaml:",inline"`
}

// Platform is a category of places that rent GPUs, with traits that a renter
// can test. Vendor names occur only as alphabetical examples.
type Platform struct {
	ID         string   `yaml:"id" rule:"id"`
	Names      []string `yaml:"names"`
	Title      Text     `yaml:"title"`
	Traits     []Text   `yaml:"traits"` // testable
	Good       Text     `yaml:"good"`
	Bad        Text     `yaml:"bad"`
	Ask        []Text   `yaml:"ask"`                // what to ask them
	Examples   []string `yaml:"examples,omitempty"` // three or more, alphabetical; not recommendations
	Provenance `yaml:",inline"`
}

// Vendor is a rental platform that people name; it is recognised, never
// recommended.
type Vendor struct {
	ID    string   `yaml:"id" rule:"id"`
	Names []string `yaml:"names"`
	Kind  string   `yaml:"kind" rule:"platform"` // a platform id
}

// Audience adds to the platform advice what this kind of renter should weigh.
type Audience struct {
	ID    string   `yaml:"id" rule:"id"` // student lab smb enterprise individual
	Class string   `yaml:"class" rule:"enum=person|uni|smb|gov"`
	Title Text     `yaml:"title"`
	Names []string `yaml:"names"`
	Weigh Text     `yaml:"weigh"`
	Ask   Text     `yaml:"ask"`
}

// Checklist is a list to go through before renting or before releasing.
type Checklist struct {
	ID         string   `yaml:"id" rule:"id"`
	Names      []string `yaml:"names"`
	Title      Text     `yaml:"title"`
	Items      []Item   `yaml:"items"`
	Go         Text     `yaml:"go,omitempty"`    // what follows when all pass, and when not:
	Stay       Text     `yaml:"stay,omitempty"`  // a list that decides something
	Leads      string   `yaml:"leads,omitempty"` // command that goes through it with a clock or more
	Provenance `yaml:",inline"`
}

// Item is one line of a checklist.
type Item struct {
	ID   string `yaml:"id" rule:"id"`
	Ask  Text   `yaml:"ask"`
	Why  Text   `yaml:"why"`
	Pass string `yaml:"pass,omitempty" rule:"enum=yes|no"`    // the answer that is good; "" is yes
	Gate string `yaml:"gate,omitempty" rule:"enum=stop|must"` // stop: the other answer ends it, do not rent; must: without the good answer the list is not passed
}

// Fault is one thing that goes wrong with a rented machine: the lines that
// show it, and what to tell about it.
type Fault struct {
	Names           []string `yaml:"names"`
	fault.Signature `yaml:",inline"`
	Why             Text `yaml:"why"`           // one sentence
	Do              Text `yaml:"do"`            // what to do first
	Not             Text `yaml:"not,omitempty"` // what it is not
	Provenance      `yaml:",inline"`
}

// Verify is what the check of a print must know of the world beside the cards,
// and what is said about its findings.
type Verify struct {
	Branches   []fault.Branch    `yaml:"branches"`
	Devices    map[string]string `yaml:"devices"` // PCI device id → name
	Verdicts   map[string]Text   `yaml:"verdicts"`
	Findings   map[string]Text   `yaml:"findings"`   // {have} {want} {gpu}
	ProvesNot  map[string]Text   `yaml:"proves_not"` // what no pass proves
	Next       map[string]ToRun  `yaml:"next"`       // what to run next
	Ask        map[string]Text   `yaml:"ask"`        // what a diagnosis asks for
	Provenance `yaml:",inline"`
}

// ToRun is a command to copy, and why.
type ToRun struct {
	Run string `yaml:"run"`
	Why Text   `yaml:"why"`
}

// Word ties spellings to a meaning: slot and value ("method" "lora"), or an
// intent or a command.
type Word struct {
	ID    string   `yaml:"id"` // slot=value, intent=…, command=…
	Slot  string   `yaml:"slot"`
	Value string   `yaml:"value"`
	ZH    []string `yaml:"zh,omitempty"`
	EN    []string `yaml:"en,omitempty"`
	Not   []string `yaml:"not,omitempty"` // longer words in which it means nothing
}

// Rulebook is everything the YAML says, checked and linked. It is read-only
// after rules.Load.
type Rulebook struct {
	Cards      []Card
	Models     []Model
	Tasks      []Task
	Questions  []Question
	Asks       Asks
	Prefer     []Preference
	Tables     map[string]*table.Table
	Risks      []Risk
	Platforms  []Platform
	Vendors    []Vendor
	Retentions []Retention
	Audiences  []Audience
	Checklists []Checklist
	Faults     []Fault
	Verify     Verify
	Scoring    Scoring
	Trial      TrialPlan
	Words      []Word
	CostWords  []Word // of money questions alone
	Followups  []Followup
	Prices     []cost.Price
	Phrases    map[string]Text // wording by key, with {placeholders}
	Langs      []string        // languages that every Text has
	Hash       string          // of all files, for the certificate

	cards           map[string]*Card
	models          map[string]*Model
	tasks           map[string]*Task
	asks            map[string]*Question
	order           map[string]int          // place of a card in Prefer
	boards          map[string]bool         // labels without memory of the cards in Prefer
	largestDomestic int64                   // usable memory of the largest domestic board that is advised, bytes
	prices          map[string][]cost.Price // by card; those of one label have the same
	prefer          cost.Currency           // of one person's prices; "" is yuan
	lexicon         *text.Lexicon
	slips           *text.Slips
	beside          map[string][]string // see wordsBeside
	said            map[string][]string // see spellings
	spoken          spoken              // see learnPatterns

	costWords *text.Lexicon
	followups *text.Lexicon
	chain     *chain // the tables, compiled

	faults      func() *fault.Book // compiled when first needed
	printed     map[string][]*Card // by the names that prints show, see printKey
	scoreNames  []scoreWord
	scoreNumber *regexp.Regexp // see scoreNumbers
}
