package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// report.go keeps what people report, for the operator alone: the latest
// keepReports, for keepReport. Nobody can tell from one whose it is.

const (
	keepReports = 1000
	keepReport  = 90 * 24 * time.Hour
)

// reported is whose records they are; no person and no room is called that.
const reported adapters.Owner = "reports"

// latestReport is the record whose version counts them. Each takes the place
// of the one that came keepReports before it.
const latestReport = "latest"

type reports struct {
	settings adapters.Settings

	mu     sync.Mutex
	day    string
	counts map[adapters.Owner]int // of that day; never stored
}

// reportsADay is how many of one person are kept in a day, so that nobody fills
// the list with theirs alone. Each process counts by itself.
const reportsADay = 20

// from keeps a report of somebody; beyond reportsADay the error is ErrTooMany.
func (r *reports) from(ctx context.Context, who adapters.Owner, e advisor.Effect, at time.Time) error {
	if !r.admits(who, at) {
		return adapters.ErrTooMany
	}
	return r.keep(ctx, e, at)
}

func (r *reports) admits(who adapters.Owner, at time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if day := at.UTC().Format(time.DateOnly); day != r.day {
		r.day, r.counts = day, map[adapters.Owner]int{}
	}
	r.counts[who]++
	return r.counts[who] <= reportsADay
}

// keep stores the report of an effect. When its answer was lost it may be
// called again: the same report then takes the same place.
func (r *reports) keep(ctx context.Context, e advisor.Effect, at time.Time) error {
	n, err := r.number(ctx, e.ID)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%03d", n%keepReports)
	old, err := r.settings.Get(ctx, reported, name)
	if err == nil {
		_, err = r.settings.Put(ctx, reported, name, adapters.Record{Version: old.Version, Data: []byte(e.Report), By: e.ID, Until: at.Add(keepReport)})
	}
	if err != nil {
		return fmt.Errorf("keep report: %w", err)
	}
	return nil
}

// number counts one more.
func (r *reports) number(ctx context.Context, id string) (n int64, err error) {
	for range replays {
		last, err := r.settings.Get(ctx, reported, latestReport)
		if err == nil {
			n, err = r.settings.Put(ctx, reported, latestReport, adapters.Record{Version: last.Version, Data: []byte("{}"), By: id})
		}
		switch {
		case err == nil:
			return n, nil
		case !errors.Is(err, adapters.ErrConflict):
			return 0, fmt.Errorf("count reports: %w", err)
		}
	}
	return 0, fmt.Errorf("count reports: %w %d times", adapters.ErrConflict, replays)
}

// list returns what is kept, the latest first.
func (r *reports) list(ctx context.Context) ([]advisor.Report, error) {
	all, err := r.settings.List(ctx, reported)
	if err != nil {
		return nil, fmt.Errorf("list reports: %w", err)
	}
	last := all[latestReport].Version
	out := []advisor.Report{}
	for n := last; n > 0 && n > last-keepReports; n-- {
		record, ok := all[fmt.Sprintf("%03d", n%keepReports)]
		if !ok {
			continue
		}
		var one advisor.Report
		if err := json.Unmarshal(record.Data, &one); err != nil {
			return nil, fmt.Errorf("report %d is %w", n, adapters.ErrForeign)
		}
		out = append(out, one)
	}
	return out, nil
}

// reportsCommand shows the operator what people have reported. Of a file that
// a running bot has to itself it reads a copy.
type reportsCommand struct {
	JSON bool `help:"${json}"`
}

func (c *reportsCommand) Run(h *house) error {
	var list []advisor.Report
	err := h.readKept(func(settings adapters.Settings) (err error) {
		list, err = (&reports{settings: settings}).list(h.ctx)
		return err
	})
	if err != nil {
		return err
	}
	if len(list) == 0 && !c.JSON {
		_, err := fmt.Fprintln(h.out, h.say("no-reports"))
		return err
	}
	for _, r := range list {
		if c.JSON {
			err = json.NewEncoder(h.out).Encode(r)
		} else {
			err = h.showReport(h.out, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// showReport writes one as Markdown.
func (h *house) showReport(w io.Writer, r advisor.Report) error {
	lines := []string{"## " + r.Day + " · " + r.Lang, ""}
	if r.Note != "" {
		lines = append(lines, "**"+oneLine(r.Note)+"**", "")
	}
	for _, x := range r.Turns {
		lines = append(lines, "- "+h.say("report.said")+": "+oneLine(x.Said))
		lines = append(lines, "- "+h.say("report.reply")+" ("+strings.Join(slices.Concat([]string{x.Act}, x.Because), " ")+"): "+oneLine(x.Reply))
	}
	if len(r.Facts) > 0 {
		facts, err := json.Marshal(r.Facts)
		if err != nil {
			return err
		}
		lines = append(lines, "- "+h.say("report.facts")+": `"+string(facts)+"`")
	}
	if r.Advice != "" {
		lines = append(lines, "", "```", strings.ReplaceAll(r.Advice, "```", "'''"), "```")
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n")+"\n")
	return err
}

func oneLine(s string) string { return quotable(strings.Join(strings.Fields(s), " ")) }
