package memory

import (
	"bytes"
	"context"
	"maps"

	"gpuadvisor/adapters"
)

type settings struct{ *Store }

// Get implements adapters.Settings.
func (s settings) Get(ctx context.Context, of adapters.Owner, name string) (adapters.Record, error) {
	all, err := s.List(ctx, of)
	return all[name], err
}

// Put implements adapters.Settings.
func (s settings) Put(ctx context.Context, of adapters.Owner, name string, r adapters.Record) (int64, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	next, err := s.settings[of][name].Live(s.now()).Next(r)
	switch {
	case err != nil:
		return next.Version, err
	case next.Version == 0:
		delete(s.settings[of], name)
		return 0, nil
	case s.settings[of] == nil:
		s.settings[of] = map[string]adapters.Record{}
	}
	next.Data = bytes.Clone(next.Data)
	s.settings[of][name] = next
	return next.Version, nil
}

// List implements adapters.Settings.
func (s settings) List(ctx context.Context, of adapters.Owner) (map[string]adapters.Record, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	maps.DeleteFunc(s.settings[of], func(_ string, r adapters.Record) bool { return r.Live(s.now()).Version == 0 })
	all := maps.Clone(s.settings[of])
	for name, r := range all {
		r.Data = bytes.Clone(r.Data)
		all[name] = r
	}
	return all, nil
}

// Forget implements adapters.Settings.
func (s settings) Forget(ctx context.Context, of adapters.Owner) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	delete(s.settings, of)
	return nil
}
