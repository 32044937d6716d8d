package rules

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"gpuadvisor/advisor"
)

// What Decode puts up with. Our largest file has a few dozen kilobytes.
const (
	maxBytes    = 1 << 20 // of one file
	maxDepth    = 24      // of nesting
	maxProblems = 200     // of one file; whoever has more has opened the wrong file
)

// Problem is one thing that is wrong in one file, in the words of the person
// who must put it right.
type Problem struct {
	File  string `json:"file"`
	Line  int    `json:"line"`  // from 1; 0 when it concerns the whole file
	Field string `json:"field"` // path of keys: options[1].label.en
	Found string `json:"found"`
	Want  string `json:"want"`
}

// String is the problem in one line: file, line, field, found, wanted.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	if p.Field != "" {
		fmt.Fprintf(&b, ": %s", p.Field)
	}
	fmt.Fprintf(&b, ": found %s, want %s", p.Found, p.Want)
	return b.String()
}

// Decode reads one YAML document into what into points to and returns every
// problem at once, in the order of the lines. It never panics.
//
// The Go types say what is allowed; nothing else has to be registered:
//
//   - `yaml:"name"` is a key that must be there and must not be empty;
//     `yaml:"name,omitempty"` may be left out; `yaml:",inline"` takes the
//     keys of an embedded struct; `yaml:"-"` is not read.
//   - `rule:"enum=a|b"` closes the set of values of a text or list of texts,
//     `rule:"date"` wants a day as 2026-11-30, `rule:"id"` a name in lower case
//     with hyphens, `rule:"min=0"` and `rule:"max=100"` bound a number,
//     `rule:"empty"` lets a required key be empty; `rule:"task"`, `want`,
//     `variant` and `platform` are closed sets that several fields share.
//     Several rules are separated by commas.
//   - A [advisor.Text] must have every language of the house and no other.
//   - A type with UnmarshalText reads itself; its error becomes the problem. A
//     time.Duration is written as 90s or 2h30m.
//   - A list of texts may be written as one text. A text may look like a number
//     or a date: it is taken as it is written, so that `4090` is a name.
//
// Unknown and duplicate keys, anchors, aliases, tags, second documents and
// empty values are problems: they are read differently by different people.
func Decode(file string, data []byte, into any) []Problem {
	_, problems := decode(file, data, into, languages)
	return problems
}

// languages are those that the product speaks; [LoadFS] takes them from the
// files of words/ instead, so that a third one needs no Go.
var languages = []string{"zh", "en"}

// decode is Decode for these languages. It also returns the node of the
// document, for the problems that only show when all files are there.
func decode(file string, data []byte, into any, langs []string) (root *yaml.Node, problems []Problem) {
	w := &walk{file: file, langs: langs}
	defer func() {
		if r := recover(); r != nil { // the YAML library is old and the input a stranger's
			w.report(nil, "something that the YAML reader stumbles over", "plain YAML")
		}
		slices.SortStableFunc(w.problems, func(a, b Problem) int { return a.Line - b.Line })
		problems = w.problems
	}()
	root = w.parse(data)
	if root == nil {
		return nil, nil
	}
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		w.report(nil, fmt.Sprintf("%T to decode into", into), "a pointer")
		return root, nil
	}
	w.value(root, v.Elem(), rule{})
	return root, nil
}

// parse turns bytes into the node of their one document, or reports why not.
func (w *walk) parse(data []byte) *yaml.Node {
	if len(data) > maxBytes {
		w.report(nil, fmt.Sprintf("%d bytes", len(data)), fmt.Sprintf("at most %d in one file", maxBytes))
		return nil
	}
	in := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := in.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		w.report(nil, "an empty file", "keys and values")
		return nil
	case err != nil:
		w.syntax(err)
		return nil
	}
	if err := in.Decode(&second); err == nil {
		w.report(&second, "a second document", "one document in a file, without ---")
	} else if !errors.Is(err, io.EOF) {
		w.syntax(err)
		return nil
	}
	return doc.Content[0]
}

var lineOfError = regexp.MustCompile(`line (\d+): `)

// syntax reports an error of the YAML reader, with the line that it hides in
// its text.
func (w *walk) syntax(err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	p := Problem{File: w.file, Want: "valid YAML"}
	if m := lineOfError.FindStringSubmatchIndex(text); m != nil {
		p.Line, _ = strconv.Atoi(text[m[2]:m[3]])
		text = text[:m[0]] + text[m[1]:]
	}
	p.Found = strings.TrimPrefix(text, "found ") // which our own line says
	w.problems = append(w.problems, p)
}

// walk is one descent through a document.
type walk struct {
	file     string
	langs    []string
	path     []step
	problems []Problem
}

// step is one key or, when it has no name, one index of a path.
type step struct {
	name  string
	index int
}

func (w *walk) field() string {
	var b strings.Builder
	for _, s := range w.path {
		switch {
		case s.name == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case b.Len() > 0:
			b.WriteString("." + s.name)
		default:
			b.WriteString(s.name)
		}
	}
	return b.String()
}

func (w *walk) report(n *yaml.Node, found, want string) {
	if len(w.problems) >= maxProblems {
		return
	}
	p := Problem{File: w.file, Field: w.field(), Found: found, Want: want}
	if n != nil {
		p.Line = n.Line
	}
	w.problems = append(w.problems, p)
}

// under runs f one step further down.
func (w *walk) under(s step, f func()) {
	w.path = append(w.path, s)
	f()
	w.path = w.path[:len(w.path)-1]
}

var (
	textType      = reflect.TypeFor[advisor.Text]()
	durationType  = reflect.TypeFor[time.Duration]()
	unmarshalType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// value decodes n into v, or reports why it cannot.
func (w *walk) value(n *yaml.Node, v reflect.Value, r rule) {
	switch {
	case !w.plain(n):
	case v.Type() == textType:
		w.text(n, v)
	case v.Type() == durationType:
		w.duration(n, v)
	case reflect.PointerTo(v.Type()).Implements(unmarshalType):
		w.unmarshal(n, v)
	default:
		w.kind(n, v, r)
	}
}

// plain reports what we do not read at all.
func (w *walk) plain(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.AliasNode:
		w.report(n, "alias *"+n.Value, "the value itself, written out")
	case n.Anchor != "":
		w.report(n, "anchor &"+n.Anchor, "no anchors: write values out where they are used")
	case n.Style&yaml.TaggedStyle != 0:
		w.report(n, "tag "+n.Tag, "a plain value without !tag")
	case len(w.path) > maxDepth:
		w.report(n, "nesting deeper than "+strconv.Itoa(maxDepth), "something flatter")
	default:
		return true
	}
	return false
}

func (w *walk) kind(n *yaml.Node, v reflect.Value, r rule) {
	switch v.Kind() {
	case reflect.Struct:
		w.structure(n, v)
	case reflect.Map:
		w.mapping(n, v, r)
	case reflect.Slice:
		w.list(n, v, r)
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		w.value(n, fresh.Elem(), r)
		v.Set(fresh)
	case reflect.String:
		w.word(n, v, r)
	case reflect.Bool:
		w.truth(n, v)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.integer(n, v, r)
	case reflect.Float64, reflect.Float32:
		w.number(n, v, r)
	default:
		w.report(n, describe(n), "nothing: a "+v.Type().String()+" cannot be written in YAML here")
	}
}

// structure decodes a mapping with known keys.
func (w *walk) structure(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		w.report(n, describe(n), "keys and values")
		return
	}
	s := shapeOf(v.Type())
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		if !w.freshKey(key, seen) {
			continue
		}
		f, ok := s.byName[key.Value]
		if !ok {
			w.under(step{name: key.Value}, func() { w.report(key, "unknown key "+quote(key.Value), wantOneOf(key.Value, s.names)) })
			continue
		}
		w.under(step{name: f.name}, func() { w.value(val, v.FieldByIndex(f.index), f.rule) })
	}
	for _, name := range s.names {
		if f := s.byName[name]; f.required && seen[name] == 0 {
			w.under(step{name: name}, func() { w.report(n, "nothing", "this key: "+w.missing(f.rule, v.FieldByIndex(f.index))) })
		}
	}
}

// missing says what a key that must be there would hold.
func (w *walk) missing(r rule, v reflect.Value) string {
	if _, ok := v.Interface().(advisor.Text); ok {
		return "a text in " + strings.Join(w.langs, " and ")
	}
	if want := r.complaint(""); want != "" {
		return want
	}
	if own, ok := reflect.New(v.Type()).Interface().(encoding.TextUnmarshaler); ok {
		if err := own.UnmarshalText([]byte("?")); err != nil {
			return err.Error()
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "a text"
	}
	return "it is required"
}

// freshKey reports keys that are no plain text or were there before.
func (w *walk) freshKey(key *yaml.Node, seen map[string]int) bool {
	if key.Kind != yaml.ScalarNode || !w.plain(key) {
		if key.Kind != yaml.ScalarNode {
			w.report(key, describe(key)+" as a key", "a plain name")
		}
		return false
	}
	if first := seen[key.Value]; first != 0 {
		w.under(step{name: key.Value}, func() {
			w.report(key, "the key a second time", fmt.Sprintf("it once; the first is in line %d", first))
		})
		return false
	}
	seen[key.Value] = key.Line
	return true
}

// mapping decodes a mapping with keys of the writer's choice.
func (w *walk) mapping(n *yaml.Node, v reflect.Value, r rule) {
	if v.Type().Key().Kind() != reflect.String {
		w.report(n, describe(n), "nothing: "+v.Type().String()+" cannot be written in YAML here")
		return
	}
	if n.Kind != yaml.MappingNode {
		w.report(n, describe(n), "keys and values")
		return
	}
	out := reflect.MakeMapWithSize(v.Type(), len(n.Content)/2)
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		if !w.freshKey(key, seen) {
			continue
		}
		item := reflect.New(v.Type().Elem()).Elem()
		w.under(step{name: key.Value}, func() { w.value(val, item, r) })
		out.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), item)
	}
	v.Set(out)
	w.notEmpty(n, len(seen), r)
}

func (w *walk) list(n *yaml.Node, v reflect.Value, r rule) {
	elem := v.Type().Elem()
	if n.Kind == yaml.ScalarNode && elem.Kind() == reflect.String && n.Tag != "!!null" {
		one := reflect.MakeSlice(v.Type(), 1, 1)
		w.value(n, one.Index(0), r)
		v.Set(one)
		return
	}
	if n.Kind != yaml.SequenceNode {
		w.report(n, describe(n), "a list")
		return
	}
	out := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		w.under(step{index: i}, func() { w.value(item, out.Index(i), r) })
	}
	v.Set(out)
	w.notEmpty(n, len(n.Content), r)
}

func (w *walk) notEmpty(n *yaml.Node, count int, r rule) {
	if count == 0 && r.required && !r.empty {
		w.report(n, "nothing in it", "at least one entry")
	}
}

// text decodes a sentence that has one version for each language.
func (w *walk) text(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		w.report(n, describe(n), "this text in "+strings.Join(w.langs, " and "))
		return
	}
	out := advisor.Text{}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		if !w.freshKey(key, seen) {
			continue
		}
		w.under(step{name: key.Value}, func() {
			if !slices.Contains(w.langs, key.Value) {
				w.report(key, "unknown language "+quote(key.Value), wantOneOf(key.Value, w.langs))
				return
			}
			var s string
			w.value(val, reflect.ValueOf(&s).Elem(), rule{required: true})
			out[key.Value] = s
		})
	}
	for _, lang := range w.langs {
		if seen[lang] == 0 {
			w.under(step{name: lang}, func() { w.report(n, "nothing", "this text in "+lang+" as well") })
		}
	}
	v.Set(reflect.ValueOf(out))
}

// word decodes a text, taken as it is written.
func (w *walk) word(n *yaml.Node, v reflect.Value, r rule) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" && n.Style == 0 {
		w.report(n, describe(n), "a text")
		return
	}
	v.SetString(n.Value)
	if strings.TrimSpace(n.Value) == "" {
		if r.required && !r.empty {
			w.report(n, "an empty text", "some text")
		}
		return
	}
	if want := r.complaint(n.Value); want != "" {
		w.report(n, quote(n.Value), want)
	}
}

func (w *walk) truth(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		w.report(n, describe(n), "true or false")
		return
	}
	v.SetBool(strings.EqualFold(n.Value, "true"))
}

func (w *walk) integer(n *yaml.Node, v reflect.Value, r rule) {
	i, err := strconv.ParseInt(n.Value, 10, 64)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || v.OverflowInt(i) {
		w.report(n, describe(n), "a whole number such as 24")
		return
	}
	v.SetInt(i)
	w.bounds(n, float64(i), r)
}

func (w *walk) number(n *yaml.Node, v reflect.Value, r rule) {
	f, err := strconv.ParseFloat(n.Value, 64)
	numeric := n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float")
	if !numeric || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		w.report(n, describe(n), "a number such as 24 or 1.5; the unit belongs to the key")
		return
	}
	v.SetFloat(f)
	w.bounds(n, f, r)
}

func (w *walk) bounds(n *yaml.Node, f float64, r rule) {
	if r.min != nil && f < *r.min {
		w.report(n, n.Value, "at least "+format(*r.min))
	}
	if r.max != nil && f > *r.max {
		w.report(n, n.Value, "at most "+format(*r.max))
	}
}

func (w *walk) duration(n *yaml.Node, v reflect.Value) {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		w.report(n, describe(n), "a duration such as 90s or 2h30m")
		return
	}
	v.SetInt(int64(d))
}

func (w *walk) unmarshal(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		w.report(n, describe(n), "a text")
		return
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Value)); err != nil {
		w.report(n, quote(n.Value), err.Error())
	}
}

// describe says what a node is, for a person.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!int", "!!float":
		return "number " + n.Value
	case "!!bool":
		return n.Value
	}
	return quote(n.Value)
}

func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

func format(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
