package redis

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// pack.go writes a reminder as bytes, a quarter of what it is in JSON: the
// second and the nanosecond at which it is due and how many parts its key has,
// as binary.AppendVarint and AppendUvarint write numbers, then those parts and
// its other texts. Empty texts at the end are left out. What this form does not
// know of a reminder goes into the last text as JSON, so nothing that is added
// to it gets lost.

// texts are the texts of a reminder in the order of the form, behind the parts
// of its key.
func texts(r *advisor.Reminder) []*string {
	return []*string{&r.ID, &r.Zone, &r.Action, &r.Target, &r.RRule, &r.Rental, &r.Kind}
}

// A text is a number of which the last two bits are its kind: a length with
// so many bytes behind it, a decimal number such as a platform's ids, or one
// of the words.
const (
	plain = iota
	decimal
	word
)

// commonWords are never reordered, only added to.
var commonWords = []string{
	"telegram", "discord", "Asia/Shanghai", "UTC", "release", "stop", "backup", "save", "download", "renew", "topup", "start",
	"FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "America/New_York", "America/Los_Angeles", "Europe/London", "Europe/Berlin",
	"Asia/Singapore", "Asia/Tokyo", "Asia/Hong_Kong", "lead", "hour", "clock",
}

func appendText(data []byte, s string) []byte {
	if n, err := strconv.ParseUint(s, 10, 62); err == nil && strconv.FormatUint(n, 10) == s {
		return binary.AppendUvarint(data, n<<2|decimal)
	}
	if n := slices.Index(commonWords, s); n >= 0 {
		return binary.AppendUvarint(data, uint64(n)<<2|word)
	}
	return append(binary.AppendUvarint(data, uint64(len(s))<<2), s...) // plain
}

var errShort = errors.New("too short")

// cutText reads a text and returns what is behind it.
func cutText(data []byte) (s string, rest []byte, err error) {
	n, size := binary.Uvarint(data)
	if size <= 0 {
		return "", nil, errShort
	}
	data = data[size:]
	switch v := n >> 2; n & 3 {
	case decimal:
		return strconv.FormatUint(v, 10), data, nil
	case word:
		if v >= uint64(len(commonWords)) {
			return "", nil, adapters.ErrNewer
		}
		return commonWords[v], data, nil
	case plain:
		if v > uint64(len(data)) {
			return "", nil, errShort
		}
		return string(data[:v]), data[v:], nil
	}
	return "", nil, adapters.ErrNewer
}

func pack(r advisor.Reminder) ([]byte, error) {
	data := binary.AppendVarint(nil, r.At.Unix())
	data = binary.AppendUvarint(data, uint64(r.At.Nanosecond()))
	parts := strings.Split(string(r.Key), ":")
	data = binary.AppendUvarint(data, uint64(len(parts)))
	for _, p := range parts {
		data = appendText(data, p)
	}
	var all []string
	for _, s := range texts(&r) {
		all = append(all, *s)
		*s = ""
	}
	r.At, r.Key = time.Time{}, ""
	if !reflect.ValueOf(r).IsZero() {
		rest, err := json.Marshal(r)
		if err != nil {
			return nil, fmt.Errorf("encode reminder: %w", err)
		}
		all = append(all, string(rest))
	}
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	for _, s := range all {
		data = appendText(data, s)
	}
	return data, nil
}

func unpack(data []byte) (r advisor.Reminder, err error) {
	second, n := binary.Varint(data)
	nano, m := binary.Uvarint(data[max(n, 0):])
	if n <= 0 || m <= 0 {
		return r, errShort
	}
	data = data[n+m:]
	size, n := binary.Uvarint(data)
	if n <= 0 || size > uint64(len(data)) {
		return r, errShort
	}
	var all []string
	for data = data[n:]; len(data) > 0; {
		var s string
		if s, data, err = cutText(data); err != nil {
			return r, err
		}
		all = append(all, s)
	}
	if uint64(len(all)) < size {
		return r, errShort
	}
	key, all := all[:size], all[size:]
	known := texts(&r)
	switch {
	case len(all) > len(known)+1:
		return r, adapters.ErrNewer
	case len(all) == len(known)+1:
		if err := json.Unmarshal([]byte(all[len(known)]), &r); err != nil {
			return r, err
		}
		all = all[:len(known)]
	}
	for i, s := range all {
		*known[i] = s
	}
	r.Key = advisor.Key(strings.Join(key, ":"))
	r.At = time.Unix(second, int64(nano)).UTC()
	return r, nil
}
