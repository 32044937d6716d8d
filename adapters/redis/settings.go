package redis

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gpuadvisor/adapters"
)

type settings struct{ *Store }

// Get implements adapters.Settings.
func (s settings) Get(ctx context.Context, of adapters.Owner, name string) (adapters.Record, error) {
	var have []any
	err := s.do(ctx, "get setting", func(ctx context.Context) (err error) {
		have, err = s.gatheredFields(ctx, settingsKey(of), name)
		return err
	})
	if err != nil || have[0] == nil {
		return adapters.Record{}, err
	}
	text, _ := have[0].(string)
	r, err := readRecord(text)
	if !r.Until.IsZero() {
		r = r.Live(s.serverTime(ctx))
	}
	return r, err
}

// readRecord reads "version until by data", see lua/record.lua.
func readRecord(text string) (adapters.Record, error) {
	parts := strings.SplitN(text, " ", 4)
	if len(parts) < 4 {
		return adapters.Record{}, errRecord
	}
	for _, number := range parts[:2] {
		if _, err := strconv.ParseUint(number, 10, 63); err != nil {
			return adapters.Record{}, errRecord
		}
	}
	return record(parts[0], parts[1], parts[2], parts[3]), nil
}

var errRecord = fmt.Errorf("a record is %w", adapters.ErrForeign)

// Put implements adapters.Settings.
func (s settings) Put(ctx context.Context, of adapters.Owner, name string, r adapters.Record) (version int64, err error) {
	var said string
	err = s.do(ctx, "put setting", func(ctx context.Context) error {
		answer, err := s.timed(ctx, putScript, []string{settingsKey(of)},
			name, r.Version, url.QueryEscape(r.By), untilMS(r), r.Data).Slice()
		if err != nil {
			return err
		}
		said, _ = answer[0].(string)
		version, _ = answer[1].(int64)
		return nil
	})
	if err == nil && said == "conflict" {
		err = adapters.ErrConflict
	}
	return version, err
}

// untilMS is 0 for ever.
func untilMS(r adapters.Record) int64 {
	if r.Until.IsZero() {
		return 0
	}
	return r.Until.UnixMilli()
}

// List implements adapters.Settings.
func (s settings) List(ctx context.Context, of adapters.Owner) (map[string]adapters.Record, error) {
	return s.records(ctx, "list settings", of)
}

// records reads one record of an owner, or without a name all.
func (s settings) records(ctx context.Context, what string, of adapters.Owner, name ...any) (map[string]adapters.Record, error) {
	var all map[string]adapters.Record
	foreign := false
	err := s.do(ctx, what, func(ctx context.Context) error {
		answer, err := s.timed(ctx, recordsScript, []string{settingsKey(of)}, name...).StringSlice()
		if err != nil {
			return err
		}
		all, foreign = map[string]adapters.Record{}, false
		for ; len(answer) >= 5; answer = answer[5:] {
			if answer[1] == "" {
				foreign = true
				continue
			}
			all[answer[0]] = record(answer[1], answer[2], answer[3], answer[4])
		}
		return nil
	})
	if err == nil && foreign {
		err = fmt.Errorf("%s: %w", what, errRecord)
	}
	return all, err
}

// record reads what lua/records.lua gives; the script has checked the numbers.
func record(version, until, by, data string) adapters.Record {
	r := adapters.Record{Data: []byte(data)}
	r.Version, _ = strconv.ParseInt(version, 10, 64)
	r.By, _ = url.QueryUnescape(by)
	if ms, _ := strconv.ParseInt(until, 10, 64); ms != 0 {
		r.Until = time.UnixMilli(ms).UTC()
	}
	return r
}

// Forget implements adapters.Settings.
func (s settings) Forget(ctx context.Context, of adapters.Owner) error {
	return s.do(ctx, "forget settings", func(ctx context.Context) error {
		return clearScript.Run(ctx, s.client, []string{settingsKey(of)}).Err()
	})
}
