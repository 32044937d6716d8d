package redis

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"gpuadvisor/adapters"
)

type settings struct{ *Store }

// Get implements adapters.Settings.
func (s settings) Get(ctx context.Context, of adapters.Owner, name string) (adapters.Record, error) {
	all, err := s.records(ctx, "get setting", of, name)
	return all[name], err
}

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
	err := s.do(ctx, what, func(ctx context.Context) error {
		answer, err := s.timed(ctx, recordsScript, []string{settingsKey(of)}, name...).StringSlice()
		if err != nil {
			return err
		}
		all = map[string]adapters.Record{}
		for ; len(answer) >= 5; answer = answer[5:] {
			all[answer[0]] = record(answer[1], answer[2], answer[3], answer[4])
		}
		return nil
	})
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
