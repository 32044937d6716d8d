package fault

import "regexp"

// The kernel log belongs to the whole host and keeps what happened days ago. An
// event in it is set aside when the paste itself shows that it is not ours:
// it is much older than the failure, or on a card that the print beside it does
// not list.

// longBefore is how much older an event must be (our own bound): a watchdog of
// NCCL waits up to half an hour by default before it reports.
const longBefore = 3600 // seconds

var (
	kernelLine = regexp.MustCompile(`NVRM:|\bXid\b|SXid|kernel:|oom-kill|Killed process|Memory cgroup|nvswitch|pcieport|\bmce:`)
	printedBus = regexp.MustCompile(`\b[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]\b`)
)

// aside marks hits that are background.
func (p *paste) aside(log string) {
	var listed map[string]bool
	latest := p.latest()
	for i := range p.hits {
		h := &p.hits[i]
		if text := p.lines[h.at].text; !kernelLine.MatchString(text[:min(len(text), window)]) {
			continue
		}
		if listed == nil {
			listed = printedBuses(log)
		}
		for _, l := range latest {
			if gap, ok := h.when.before(l); ok && gap > longBefore {
				h.old = true
			}
		}
		if len(listed) > 0 && h.pci != "" && !listed[h.pci] && !p.book.sigs[h.sig].Vanishes {
			h.old = true
		}
	}
}

// printedBuses returns the bus ids that nvidia-smi printed into the paste.
func printedBuses(log string) map[string]bool {
	out := map[string]bool{}
	for _, bus := range printedBus.FindAllString(log[:min(len(log), keepHead+keepTail)], 64) {
		out[shortPCI(bus)] = true
	}
	return out
}

// latest returns the last time of each clock at which something failed.
func (p *paste) latest() []stamp {
	var wall, uptime stamp
	for _, h := range p.hits {
		last := &wall
		if h.when.uptime {
			last = &uptime
		}
		if gap, ok := last.before(h.when); !last.known && h.when.known || ok && gap > 0 {
			*last = h.when
		}
	}
	return []stamp{wall, uptime}
}
