package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
	"gpuadvisor/rules"
)

// peaks.go keeps the peaks that people measured and let us keep. The figures lie
// together under names that tell nothing; whose they are is written down with
// each person alone, so that /forget finds them and nobody else does.

const (
	// measured is whose record every figure is; no person and no room is called
	// that.
	measured adapters.Owner = "measured"

	peaksRecord = "peaks" // of a person: ownPeaks as JSON

	mostPeaks = 50                   // of one person; the oldest make room
	keepPeak  = 365 * 24 * time.Hour // at least
)

// ownPeaks are the names of a person's figures, the latest last.
type ownPeaks struct {
	Salt  string   `json:"salt"` // makes the names; without it nobody can tell whose a figure is
	Names []string `json:"names"`
}

// peak keeps a figure. A person's same figure is kept once, also when its answer
// was lost.
func (p *profiles) peak(ctx context.Context, who adapters.Owner, e advisor.Effect, at time.Time) error {
	data, err := json.Marshal(e.Peak)
	if err != nil {
		return fmt.Errorf("encode peak: %w", err)
	}
	own, version, err := p.ownPeaks(ctx, who)
	if err != nil {
		return err
	}
	own.Salt = cmp.Or(own.Salt, rand.Text())
	name := adapters.Mark(own.Salt, string(data))
	own.Names = append(slices.DeleteFunc(own.Names, func(n string) bool { return n == name }), name)
	for len(own.Names) > mostPeaks {
		if err := p.dropPeak(ctx, own.Names[0]); err != nil {
			return err
		}
		own.Names = own.Names[1:]
	}
	until := at.UTC().Truncate(24 * time.Hour).Add(keepPeak + 24*time.Hour) // the hour would tell when it was said
	// The name first: what cannot be found again must not be kept.
	mine, err := json.Marshal(own)
	if err == nil {
		_, err = p.settings.Put(ctx, who, peaksRecord, adapters.Record{Version: version, Data: mine, By: e.ID, Until: until})
	}
	if err != nil {
		return fmt.Errorf("note peak: %w", err)
	}
	old, err := p.settings.Get(ctx, measured, name)
	if err == nil {
		_, err = p.settings.Put(ctx, measured, name, adapters.Record{Version: old.Version, Data: data, Until: until})
	}
	if err != nil {
		return fmt.Errorf("keep peak: %w", err)
	}
	now, _, err := p.ownPeaks(ctx, who)
	if err == nil && !slices.Contains(now.Names, name) { // they were forgotten meanwhile
		err = p.dropPeak(ctx, name)
	}
	return err
}

func (p *profiles) ownPeaks(ctx context.Context, who adapters.Owner) (own ownPeaks, version int64, err error) {
	r, err := p.settings.Get(ctx, who, peaksRecord)
	if err != nil || r.Version == 0 {
		return own, 0, err
	}
	if err := json.Unmarshal(r.Data, &own); err != nil {
		return own, 0, fmt.Errorf("load peaks: they are %w", adapters.ErrForeign)
	}
	return own, r.Version, nil
}

func (p *profiles) dropPeak(ctx context.Context, name string) error {
	r, err := p.settings.Get(ctx, measured, name)
	if err == nil {
		_, err = p.settings.Put(ctx, measured, name, adapters.Record{Version: r.Version})
	}
	return err
}

// forgetPeaks deletes the figures of a person. The list of their names goes with
// the rest of what is kept of them.
func (p *profiles) forgetPeaks(ctx context.Context, who adapters.Owner) error {
	own, _, err := p.ownPeaks(ctx, who)
	for _, name := range own.Names {
		if err == nil {
			err = p.dropPeak(ctx, name)
		}
	}
	if err != nil {
		return fmt.Errorf("forget peaks: %w", err)
	}
	return nil
}

// keptPeaks lists the figures of everybody, in the order of what was measured.
func keptPeaks(ctx context.Context, settings adapters.Settings) ([]advisor.Peak, error) {
	all, err := settings.List(ctx, measured)
	if err != nil {
		return nil, fmt.Errorf("list peaks: %w", err)
	}
	out := []advisor.Peak{}
	for _, r := range all {
		var one advisor.Peak
		if err := json.Unmarshal(r.Data, &one); err != nil {
			return nil, fmt.Errorf("a peak is %w", adapters.ErrForeign)
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b advisor.Peak) int {
		return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Model, b.Model),
			cmp.Compare(a.Day, b.Day), cmp.Compare(a.GiB, b.GiB), cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	return out, nil
}

// peaksCommand gives the operator what people have measured, as a file of
// rules/measurements for each domain. Of a file that a running bot has to itself
// it reads a copy.
type peaksCommand struct {
	Domain string `arg:"" optional:"" help:"${peaks_domain}"`
	JSON   bool   `help:"${json}"`
}

func (c *peaksCommand) Run(h *house) error {
	var list []advisor.Peak
	err := h.readKept(func(settings adapters.Settings) (err error) {
		list, err = keptPeaks(h.ctx, settings)
		return err
	})
	if err != nil {
		return err
	}
	if c.Domain != "" {
		list = slices.DeleteFunc(list, func(p advisor.Peak) bool { return p.Domain != c.Domain })
	}
	switch {
	case c.JSON:
		for _, p := range list {
			if err := json.NewEncoder(h.out).Encode(p); err != nil {
				return err
			}
		}
		return nil
	case len(list) == 0:
		_, err := fmt.Fprintln(h.out, h.say("no-peaks"))
		return err
	}
	book, _, err := h.book()
	if err != nil {
		return err
	}
	return rules.WritePeaks(h.out, book, list)
}
