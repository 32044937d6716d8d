package vram

// Lowest share of the sticker that nvidia-smi is known to show, by class of
// card: the T4 (15,079 MiB of 16 GB), the Quadro RTX 6000 (22,698 of 24) and
// RTX 4090 with ECC on (23,028 of 24). Boards of domestic makers that are
// known show all of it; too few are known to trust that, so they get the
// lowest share of all.
const (
	shareDatacenter  = 0.920
	shareWorkstation = 0.923
	shareConsumer    = 0.937
	shareUnknown     = 0.920
)

// Usable is the memory of a card that a job can count on, in bytes: the
// smallest total that nvidia-smi is known to show for it, else the sticker
// times the lowest share seen in its class; 0 when neither is known.
func (c Card) Usable() int64 { return c.usable() }

// usable spares the callers in loops the copy of a card.
func (c *Card) usable() int64 {
	least := 0
	for _, m := range c.SMIMiB {
		if m > 0 && (least == 0 || m < least) {
			least = m
		}
	}
	if least > 0 {
		return min(int64(least), most/MiB) * MiB
	}
	share := shareUnknown
	switch c.Class {
	case "datacenter":
		share = shareDatacenter
	case "workstation":
		share = shareWorkstation
	case "consumer":
		share = shareConsumer
	}
	return whole(known(c.VRAMGB) * share * GiB)
}

// able compares the compute capability with a need in tenths, "8.6" is 86. A
// card that does not say is taken as able.
func (c *Card) able(tenths int) bool {
	n, point := 0, false
	for i := 0; i < len(c.ComputeCapability); i++ {
		switch d := c.ComputeCapability[i]; {
		case d == '.':
			point = true
		case d >= '0' && d <= '9' && n < 1<<16:
			n = 10*n + int(d-'0')
		default:
			return true
		}
	}
	if !point {
		n *= 10
	}
	return n == 0 || n >= tenths
}

// Class is the smallest memory of a card that can be rented and holds total
// bytes, in GB on the sticker; 0 when there is none.
func Class(total int64, cards []Card) float64 {
	best := 0.0
	for i := range cards {
		c := &cards[i]
		if c.rentable() && c.usable() >= total && (best == 0 || c.VRAMGB < best) {
			best = c.VRAMGB
		}
	}
	return best
}

// rentable reports whether most people somewhere can rent the card.
func (c *Card) rentable() bool {
	for _, r := range [...]string{c.Rentable, c.RentableAbroad} {
		if r == "common" || r == "some" {
			return c.VRAMGB > 0
		}
	}
	return false
}
