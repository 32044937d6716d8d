package rules

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// shape is what the tags of a struct say about the keys of a mapping.
type shape struct {
	names  []string // in the order of the struct
	byName map[string]field
}

type field struct {
	name  string
	index []int
	rule
}

// rule is what a value must satisfy beyond its Go type.
type rule struct {
	required bool // the key must be there
	empty    bool // and may be empty
	enum     []string
	date, id bool
	min, max *float64
}

var shapes sync.Map // reflect.Type → *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{byName: map[string]field{}}
	s.add(t, nil)
	shapes.Store(t, s)
	return s
}

func (s *shape) add(t reflect.Type, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		at := append(slices.Clone(index), i)
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case strings.Contains(options, "inline") && f.Type.Kind() == reflect.Struct:
			s.add(f.Type, at)
		case f.IsExported():
			if name == "" {
				name = strings.ToLower(f.Name)
			}
			s.names = append(s.names, name)
			s.byName[name] = field{name, at, ruleOf(f.Tag.Get("rule"), !strings.Contains(options, "omitempty"))}
		}
	}
}

func ruleOf(tag string, required bool) rule {
	r := rule{required: required}
	for option := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "empty":
			r.empty = true
		case "enum":
			r.enum = strings.Split(value, "|")
		case "task", "want", "variant", "platform":
			r.enum = sets[name]
		case "date":
			r.date = true
		case "id":
			r.id = true
		case "min", "max":
			f, err := strconv.ParseFloat(value, 64)
			if err == nil && name == "min" {
				r.min = &f
			} else if err == nil {
				r.max = &f
			}
		}
	}
	return r
}

// sets are closed sets of values that several fields share; a rule tag calls
// them by name.
var sets = map[string][]string{
	"task": {"learn", "train", "pretrain", "finetune", "inference", "image-gen", "image-train", "video-gen",
		"cv-train", "render", "simulation", "speech", "embedding", "other"},
	"variant":  {"rlhf", "repro", "detect", "driving", "drama", "sd15", "sdxl", "flux", "nlp"},
	"want":     {"rt_cores", "fp64", "fp32", "bf16", "fp8", "cuda", "many_cards", "fast", "ram", "disk"},
	"platform": {"vertical_gpu_cloud", "public_cloud", "community_marketplace", "bare_metal", "dedicated_cluster", "domestic_pool", "none"},
}

var idForm = regexp.MustCompile(`^[a-z0-9]+([-._+][a-z0-9]+)*$`)

// complaint says what a text should have been, or nothing when it is fine.
func (r rule) complaint(s string) string {
	switch {
	case len(r.enum) > 0 && !slices.Contains(r.enum, s):
		return wantOneOf(s, r.enum)
	case r.date && !isDate(s):
		return "a day as 2026-11-30"
	case r.id && !idForm.MatchString(s):
		return "a name of lower-case letters, digits, hyphens and dots"
	}
	return ""
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// wantOneOf names the nearest of the known words, or all when none is near.
func wantOneOf(found string, known []string) string {
	if near := nearest(found, known); near != "" {
		return "a known word; did you mean " + strconv.Quote(near) + "?"
	}
	const most = 40
	if len(known) > most {
		return "one of " + strings.Join(known[:most], ", ") + " …"
	}
	return "one of " + strings.Join(known, ", ")
}

// nearest returns the known word that a slip of the fingers could have meant:
// at most a third of the letters wrong, and one at least.
func nearest(found string, known []string) string {
	best, least := "", max(1, len([]rune(found))/3)+1
	for _, k := range known {
		if d := distance(strings.ToLower(found), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of letters to insert, drop, replace or swap with
// their neighbour (optimal string alignment).
func distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	const most = 80 // longer words are no slips
	if len(a) > most || len(b) > most {
		return most
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
