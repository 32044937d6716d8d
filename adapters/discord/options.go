package discord

import (
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/advisor"
)

// option is what a slash command can be given beside its name.
type option struct {
	name     string
	fact     string // the fact's name where it is another
	kind     discordgo.ApplicationCommandOptionType
	values   []string // the only ones, if any
	spelled  bool     // values are spelled alike in every language
	complete bool     // suggests while it is typed: see Config.Complete
	raw      bool     // reads as it was typed
	min, max float64  // of a number
}

// The facts that /gpu takes, in the order of the contract, which is the order
// in which they are said. Discord allows 25 options with the free text; what
// does not fit (a measured peak, the next task) has a command of its own or is
// asked for.
var facts = []option{
	{name: "task", kind: asText, values: []string{"learn", "train", "pretrain", "finetune", "inference", "image-gen", "image-train", "video-gen", "cv-train", "render", "simulation", "speech", "embedding"}},
	{name: "method", kind: asText, values: []string{"full", "lora", "qlora"}},
	{name: "model", kind: asText, complete: true, raw: true},
	{name: "params_b", kind: asNumber, min: 0.01, max: 10000},
	{name: "precision", kind: asText, spelled: true, values: []string{"fp64", "fp32", "bf16", "fp16", "fp8", "int8", "int4"}},
	{name: "duration", fact: "duration_hours", kind: asText, raw: true},
	{name: "gpus", kind: asInteger, min: 1, max: 1024},
	{name: "card", fact: "gpu_named", kind: asText, complete: true},
	{name: "data_gb", kind: asNumber, min: 0.01, max: 1e7},
	{name: "interruptible", kind: asBoolean},
	{name: "budget", kind: asText},
	{name: "concurrency", kind: asInteger, min: 1, max: 1e6},
	{name: "context", fact: "context_len", kind: asInteger, min: 1, max: 1e8},
	{name: "compliance", kind: asText, values: []string{"none", "regulated", "xinchuang", "secret"}},
	{name: "audience", kind: asText, values: []string{"student", "lab", "smb", "enterprise", "individual"}},
	{name: "always_on", kind: asBoolean},
	{name: "hours_per_day", kind: asNumber, min: 0.1, max: 24},
	{name: "ram_gb", fact: "host_ram_gb", kind: asNumber, min: 1, max: 1e6},
	{name: "upload_mbps", kind: asNumber, min: 0.1, max: 1e6},
	{name: "integration", kind: asBoolean},
	{name: "resolution", kind: asInteger, min: 16, max: 65536},
	{name: "frames", kind: asInteger, min: 1, max: 1e6},
	{name: "batch", kind: asInteger, min: 1, max: 1e6},
	{name: "price_hour", kind: asText},
}

const (
	asText    = discordgo.ApplicationCommandOptionString
	asInteger = discordgo.ApplicationCommandOptionInteger
	asNumber  = discordgo.ApplicationCommandOptionNumber
	asBoolean = discordgo.ApplicationCommandOptionBoolean
	asFile    = discordgo.ApplicationCommandOptionAttachment
)

// free takes whatever else there is to say.
var free = option{name: "text", kind: asText, raw: true}

// typed are the commands that take facts one by one.
var typed = map[string][]option{
	"gpu":   append(facts[:len(facts):len(facts)], free),
	"vram":  only("task", "method", "model", "params_b", "precision", "gpus", "concurrency", "context", "resolution", "frames", "batch", "text"),
	"cost":  only("duration", "gpus", "card", "hours_per_day", "price_hour", "budget", "interruptible", "text"),
	"price": only("card", "text"),
}

func only(names ...string) []option {
	var out []option
	for _, name := range names {
		for _, o := range append(facts[:len(facts):len(facts)], free) {
			if o.name == name {
				out = append(out, o)
			}
		}
	}
	return out
}

// optionsOf lists what a command takes. A kind of argument that is not known
// here is a word that is suggested while it is typed.
func optionsOf(c advisor.Command) []option {
	if o, ok := typed[c.Name]; ok {
		return o
	}
	switch c.Args {
	case "":
		return nil
	case "text":
		return []option{free}
	case "number":
		return []option{{name: "number", kind: asNumber, raw: true, min: -1e9, max: 1e9}}
	case "paste":
		return []option{free, {name: "file", kind: asFile}}
	}
	return []option{{name: c.Args, kind: asText, complete: true, raw: true}}
}

func (o option) keys() []string {
	keys := []string{"discord.option." + o.name, "discord.option." + o.name + ".name"}
	for _, v := range o.values {
		if !o.spelled {
			keys = append(keys, o.valueKey(v))
		}
	}
	switch {
	case o.kind == asBoolean:
		keys = append(keys, o.valueKey("yes"), o.valueKey("no"))
	case o.kind != asFile && !o.raw && len(o.values) == 0:
		keys = append(keys, "discord.say."+o.name)
	}
	return keys
}

func (o option) valueKey(v string) string { return "discord.value." + o.name + "." + v }

// value is how a value reads.
func (o option) value(v string, texts Texts, lang string) string {
	if said := texts[o.valueKey(v)].In(lang); said != "" && !o.spelled {
		return said
	}
	return v
}

// say words a filled option as a person would write it, so that the advisor
// reads it as it reads a person.
func (o option) say(v string, texts Texts, lang string) string {
	v = strings.TrimSpace(v)
	switch {
	case v == "" || o.kind == asFile:
		return ""
	case o.kind == asBoolean:
		yes, _ := strconv.ParseBool(v)
		return texts[o.valueKey(map[bool]string{true: "yes", false: "no"}[yes])].In(lang)
	case len(o.values) > 0:
		return o.value(v, texts, lang)
	case o.kind == asNumber || o.kind == asInteger:
		v = plain(v)
	}
	if o.raw {
		return v
	}
	return strings.ReplaceAll(texts["discord.say."+o.name].In(lang), "{v}", v)
}

// plain writes a number without an exponent.
func plain(v string) string {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil {
		return v
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// compose writes a slash command as a line of text.
func compose(c advisor.Command, options []given, texts Texts, lang string) string {
	filled := map[string]string{}
	for _, g := range options {
		filled[g.Name] = g.text()
	}
	var said []string
	for _, o := range optionsOf(c) {
		if s := o.say(filled[o.name], texts, lang); s != "" {
			said = append(said, s)
		}
	}
	between := ", "
	if lang == "zh" {
		between = "，"
	}
	return strings.TrimSpace("/" + c.Name + " " + strings.Join(said, between))
}
