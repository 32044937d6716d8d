package rules

import (
	"regexp"
	"strconv"
	"strings"

	"gpuadvisor/advisor/cost"
)

// The catalogue of SkyPilot, schema v8 (github.com/skypilot-org/skypilot-catalog,
// catalogs/v8/<cloud>/vms.csv), read as its files really are: columns in any
// order and spelled in two ways, GpuInfo as a Python or a JSON literal, memory
// in three units, machines priced apart from their cards.

// skyRow reads one row: a machine, on demand and interruptible.
func (im *importer) skyRow(r *tableRow) {
	instance, accelerator := r.cell("instancetype"), r.cell("acceleratorname")
	onDemand, yes := im.price(r, instance, r.cell("price"), "price")
	spot, also := im.price(r, instance, r.cell("spotprice"), "spotprice")
	switch {
	case accelerator == "":
		if h := im.hostOf(instance); h != nil {
			im.hostRow(h, r.cell("region"), onDemand, spot)
			return
		}
		im.leave(LeftCPU)
		return
	case r.has("region") && r.cell("region") == "":
		im.leave(LeftGone)
		return
	case !yes && !also:
		im.leave(LeftNoPrice)
		return
	}
	n := count(r.cell("acceleratorcount"))
	if n == 0 {
		im.leave(LeftSlice)
		return
	}
	card := im.card(accelerator, im.memory(r.cell("gpuinfo"), n), n)
	switch {
	case card == nil:
		im.leave(LeftUnknown)
		return
	case instance == "" && im.pricedApart():
		im.cardRow(accelerator, n, r, card.ID, onDemand, spot)
		return
	}
	name := instance
	if name == "" {
		name = accelerator
	}
	if yes {
		im.quoted(machinePrice{r.line, name, card.ID, n, false, onDemand, r.cell("price")})
	}
	if also {
		im.quoted(machinePrice{r.line, name, card.ID, n, true, spot, r.cell("spotprice")})
	}
}

var (
	oneMemory = regexp.MustCompile(`(?i)['"]?SizeInMiB['"]?\s*:\s*([0-9.]+)`)
	allMemory = regexp.MustCompile(`(?i)['"]?TotalGpuMemoryInMiB['"]?\s*:\s*([0-9.]+)`)
)

// memory reads the memory of one card in GB out of GpuInfo, 0 when it is not
// there. Files count it in MiB or, below 1024, in GB; some count the memory of
// all cards.
func (im *importer) memory(info string, n int) float64 {
	memo := spelling{info, 0, n}
	if v, ok := im.sizes[memo]; ok {
		return v
	}
	v := figureIn(oneMemory, info)
	if v == 0 {
		v = figureIn(allMemory, info) / float64(n)
	} else if im.place.Memory == "machine" {
		v /= float64(n)
	}
	if v >= 1024 {
		v /= 1024
	}
	if len(im.sizes) < 10_000 {
		memo.name = strings.Clone(info)
		im.sizes[memo] = v
	}
	return v
}

func figureIn(form *regexp.Regexp, s string) float64 {
	m := form.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	return v
}

// hostKey is a machine that is priced apart from its cards, in one region.
type hostKey struct {
	card   string // as the catalogue spells it
	count  int
	region string
}

// hostPrice is what a machine and its cards cost apart; zero is unknown.
type hostPrice struct {
	id                 string // of the card
	line               int
	host, hostSpot     cost.Amount
	cards, cardsSpot   cost.Amount
	written, writtenSp string
}

// pricedApart reports whether the place has such machines.
func (im *importer) pricedApart() bool {
	for _, h := range im.facts.Hosts {
		if h.Place == im.place.ID {
			return true
		}
	}
	return false
}

// hostOf finds which cards a machine is for, nil for a machine without.
func (im *importer) hostOf(instance string) *hostKey {
	for _, h := range im.facts.Hosts {
		rest, ok := strings.CutPrefix(instance, h.Prefix)
		if !ok || h.Place != im.place.ID {
			continue
		}
		n := h.Count
		if n == 0 {
			n = count(strings.TrimSuffix(rest, "g"))
		} else if rest != "" {
			continue
		}
		if n > 0 {
			return &hostKey{card: h.Card, count: n}
		}
	}
	return nil
}

func (im *importer) hostRow(h *hostKey, region string, onDemand, spot cost.Amount) {
	h.region = strings.Clone(region)
	p := im.apart(*h)
	p.host, p.hostSpot = onDemand, spot
}

func (im *importer) cardRow(accelerator string, n int, r *tableRow, id string, onDemand, spot cost.Amount) {
	p := im.apart(hostKey{strings.Clone(accelerator), n, strings.Clone(r.cell("region"))})
	p.id, p.line, p.cards, p.cardsSpot = id, r.line, onDemand, spot
	p.written, p.writtenSp = strings.Clone(r.cell("price")), strings.Clone(r.cell("spotprice"))
}

func (im *importer) apart(k hostKey) *hostPrice {
	if im.hosts[k] == nil {
		im.hosts[k] = &hostPrice{}
	}
	return im.hosts[k]
}

// addHosts adds machines and their cards; one without the other is no price.
func (im *importer) addHosts() {
	for k, p := range im.hosts {
		added := false
		for _, sum := range []struct {
			host, cards cost.Amount
			spot        bool
			written     string
		}{{p.host, p.cards, false, p.written}, {p.hostSpot, p.cardsSpot, true, p.writtenSp}} {
			if sum.host > 0 && sum.cards > 0 {
				im.quoted(machinePrice{p.line, k.card, p.id, k.count, sum.spot, sum.host + sum.cards, sum.written})
				added = true
			}
		}
		if !added {
			im.leave(LeftHost)
		}
	}
}
