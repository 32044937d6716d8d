package adapters

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// quick.go writes and reads the JSON of encoding/json in a quarter of its
// time, which is most of what a turn does besides its trips to a store. It
// looks at each type once. Whatever is out of the ordinary it leaves to
// encoding/json: a value when it writes, the whole text when it reads. So
// nothing depends on which of the two was at work.

// Marshal is json.Marshal of what v points to.
func Marshal[T any](v *T) ([]byte, error) {
	return formOf(reflect.TypeFor[T]()).write(make([]byte, 0, 1024), reflect.ValueOf(v).Elem())
}

// Unmarshal is json.Unmarshal into what v points to, which is zero before.
func Unmarshal[T any](data []byte, v *T) error {
	rest, ok := formOf(reflect.TypeFor[T]()).read(string(data), reflect.ValueOf(v).Elem())
	if ok && rest == "" {
		return nil
	}
	var zero T
	*v = zero
	return json.Unmarshal(data, v)
}

// form is how values of a type are written and read. What is written can be
// addressed. A read begins at the front of the text and returns what is behind
// the value; it is not ok when encoding/json has to decide.
type form struct {
	write func([]byte, reflect.Value) ([]byte, error)
	read  func(string, reflect.Value) (string, bool)
}

var (
	forms       sync.Map // reflect.Type → form
	marshaler   = reflect.TypeFor[json.Marshaler]()
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

func formOf(t reflect.Type) form {
	if f, ok := forms.Load(t); ok {
		return f.(form)
	}
	f := makeForm(t)
	forms.Store(t, f)
	return f
}

func makeForm(t reflect.Type) form {
	switch {
	case t.Implements(marshaler) && reflect.PointerTo(t).Implements(unmarshaler):
		return form{writeOwn, readOwn}
	case speaksForItself(reflect.PointerTo(t)):
		return form{writeOther, readOther}
	}
	switch t.Kind() {
	case reflect.String:
		return form{writeString, readString}
	case reflect.Bool:
		return form{writeBool, readBool}
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16, reflect.Int8:
		return form{writeInt, readInt}
	case reflect.Float64:
		return form{writeFloat, readFloat}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return sliceForm(formOf(t.Elem()))
		}
	case reflect.Struct:
		if f, ok := structForm(t); ok {
			return f
		}
	}
	return form{writeOther, readOther}
}

// speaksForItself tells whether a type has a say in its JSON.
func speaksForItself(t reflect.Type) bool {
	for _, name := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
		if _, ok := t.MethodByName(name); ok {
			return true
		}
	}
	return false
}

func writeOther(b []byte, v reflect.Value) ([]byte, error) {
	text, err := json.Marshal(v.Interface())
	return append(b, text...), err
}

func readOther(s string, v reflect.Value) (string, bool) {
	one, rest := cutValue(s)
	return rest, json.Unmarshal([]byte(one), v.Addr().Interface()) == nil
}

// A type that writes and reads itself is trusted to write JSON without blanks.
func writeOwn(b []byte, v reflect.Value) ([]byte, error) {
	text, err := v.Addr().Interface().(json.Marshaler).MarshalJSON()
	return append(b, text...), err
}

func readOwn(s string, v reflect.Value) (string, bool) {
	one, rest := cutValue(s)
	text := []byte(one)
	ok := one != "null" && json.Valid(text) && v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text) == nil
	return rest, ok
}

// cutValue cuts off what is a value if the text is JSON at all.
func cutValue(s string) (one, rest string) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
			if depth < 0 {
				return s[:i], s[i:]
			}
		case ',':
			if depth == 0 {
				return s[:i], s[i:]
			}
			continue
		default:
			continue
		}
		if depth == 0 { // a string has ended, or what is in brackets
			i = min(i+1, len(s))
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// plain tells whether a string is in its JSON as it is.
func plain(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			ascii = false
		case c < ' ' || c == 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&':
			return false
		}
	}
	return ascii || utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029")
}

func writeString(b []byte, v reflect.Value) ([]byte, error) {
	s := v.String()
	if !plain(s) {
		text, err := json.Marshal(s)
		return append(b, text...), err
	}
	return append(append(append(b, '"'), s...), '"'), nil
}

// readString takes strings out of the text without a copy.
func readString(s string, v reflect.Value) (string, bool) {
	if s == "" || s[0] != '"' {
		return s, false
	}
	end := strings.IndexByte(s[1:], '"')
	if end < 0 {
		return s, false
	}
	if one := s[1 : 1+end]; plain(one) {
		v.SetString(one)
		return s[end+2:], true
	}
	return readOther(s, v)
}

func writeBool(b []byte, v reflect.Value) ([]byte, error) {
	return strconv.AppendBool(b, v.Bool()), nil
}

func readBool(s string, v reflect.Value) (string, bool) {
	if rest, ok := strings.CutPrefix(s, "true"); ok {
		v.SetBool(true)
		return rest, true
	}
	rest, ok := strings.CutPrefix(s, "false")
	v.SetBool(false)
	return rest, ok
}

// exactDigits is how many digits a number may have to be taken at sight.
const exactDigits = 15

// number reads a whole number without a sign.
func number(s string) (n int64, rest string, ok bool) {
	i := 0
	for ; i < len(s) && i < exactDigits && '0' <= s[i] && s[i] <= '9'; i++ {
		n = 10*n + int64(s[i]-'0')
	}
	ends := i == len(s) || s[i] == ',' || s[i] == '}' || s[i] == ']'
	return n, s[i:], ends && (i == 1 || i > 1 && s[0] != '0')
}

func writeInt(b []byte, v reflect.Value) ([]byte, error) {
	return strconv.AppendInt(b, v.Int(), 10), nil
}

func readInt(s string, v reflect.Value) (string, bool) {
	n, rest, ok := number(s)
	if !ok || v.OverflowInt(n) {
		return readOther(s, v)
	}
	v.SetInt(n)
	return rest, true
}

func writeFloat(b []byte, v reflect.Value) ([]byte, error) {
	f := v.Float()
	if n := int64(f); float64(n) == f && 0 < n && n < 1e15 || f == 0 && !math.Signbit(f) {
		return strconv.AppendInt(b, n, 10), nil
	}
	return writeOther(b, v)
}

func readFloat(s string, v reflect.Value) (string, bool) {
	n, rest, ok := number(s)
	if !ok {
		return readOther(s, v)
	}
	v.SetFloat(float64(n))
	return rest, true
}

func sliceForm(elem form) form {
	return form{
		write: func(b []byte, v reflect.Value) (_ []byte, err error) {
			if v.IsNil() {
				return append(b, "null"...), nil
			}
			b = append(b, '[')
			for i := range v.Len() {
				if i > 0 {
					b = append(b, ',')
				}
				if b, err = elem.write(b, v.Index(i)); err != nil {
					return nil, err
				}
			}
			return append(b, ']'), nil
		},
		read: func(s string, v reflect.Value) (string, bool) {
			s, ok := strings.CutPrefix(s, "[")
			if !ok || s == "" || s[0] == ']' {
				return s, false
			}
			for n := 0; ; n++ {
				v.Grow(1)
				v.SetLen(n + 1)
				v.Index(n).SetZero()
				if s, ok = elem.read(s, v.Index(n)); !ok || s == "" {
					return s, false
				}
				if s[0] == ']' {
					return s[1:], true
				}
				if s, ok = strings.CutPrefix(s, ","); !ok {
					return s, false
				}
			}
		},
	}
}

// field is one of a struct's.
type field struct {
	form
	index     int
	head      string // "name":
	omitEmpty bool
	omitZero  bool
	isZero    bool // it has a method of that name
}

func (f *field) left(v reflect.Value) bool {
	switch {
	case f.isZero && f.omitZero:
		return v.Addr().Interface().(interface{ IsZero() bool }).IsZero()
	case f.omitZero:
		return v.IsZero()
	case !f.omitEmpty:
		return false
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Map:
		return v.Len() == 0
	}
	return v.Kind() != reflect.Struct && v.Kind() != reflect.Array && v.IsZero()
}

// mostFields is how many fields a struct may have here, a bit for each.
const mostFields = 64

// structForm is the form of a struct whose fields are all its own.
func structForm(t reflect.Type) (form, bool) {
	fields, byName := []field{}, map[string]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && options == "" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if name == "" {
			name = f.Name
		}
		one := field{form: formOf(f.Type), index: i, head: `"` + name + `":`}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "":
			case "omitempty":
				one.omitEmpty = true
			case "omitzero":
				one.omitZero = true
				_, one.isZero = reflect.PointerTo(f.Type).MethodByName("IsZero")
			default:
				return form{}, false
			}
		}
		if _, twice := byName[name]; twice || f.Anonymous || !plain(name) {
			return form{}, false
		}
		byName[name] = len(fields)
		fields = append(fields, one)
	}
	return form{
		write: func(b []byte, v reflect.Value) ([]byte, error) { return writeStruct(b, v, fields) },
		read:  func(s string, v reflect.Value) (string, bool) { return readStruct(s, v, fields, byName) },
	}, len(fields) <= mostFields
}

func writeStruct(b []byte, v reflect.Value, fields []field) (_ []byte, err error) {
	b = append(b, '{')
	empty := len(b)
	for i := range fields {
		f := &fields[i]
		value := v.Field(f.index)
		if (f.omitZero || f.omitEmpty) && f.left(value) {
			continue
		}
		if len(b) > empty {
			b = append(b, ',')
		}
		if b, err = f.write(append(b, f.head...), value); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func readStruct(s string, v reflect.Value, fields []field, byName map[string]int) (string, bool) {
	s, ok := strings.CutPrefix(s, "{")
	if rest, empty := strings.CutPrefix(s, "}"); ok && empty {
		return rest, true
	}
	for seen := uint64(0); ok; {
		if s, ok = strings.CutPrefix(s, `"`); !ok {
			return s, false
		}
		end := strings.IndexByte(s, '"')
		if end < 0 || !strings.HasPrefix(s[end+1:], ":") {
			return s, false
		}
		n, known := byName[s[:end]]
		if !known || seen&(1<<n) != 0 {
			return s, false
		}
		seen |= 1 << n
		if s, ok = fields[n].read(s[end+2:], v.Field(fields[n].index)); !ok || s == "" {
			return s, false
		}
		if s[0] == '}' {
			return s[1:], true
		}
		s, ok = strings.CutPrefix(s, ",")
	}
	return s, false
}
