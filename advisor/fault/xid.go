package fault

import (
	"regexp"
	"strings"
)

// Xid is an error number of NVIDIA's kernel driver, as the log gives it.
type Xid struct {
	Code int
	PCI  string // "0000:dc:00"; "" when the line has none
	Line int
}

// The number follows the bus id in the driver's own line ("Xid (PCI:0000:dc:00):
// 79, …", older drivers leave out "PCI:"), and the word in what monitors print
// ("XID error 79", "xid=79"). SXid is the switch's and has its own signatures.
var (
	xidText  = regexp.MustCompile(`(?i)\bxids?(?: errors?| code| event)?\s*(?:\((?:PCI:)?([0-9a-fx]{2,8}(?::[0-9a-fx]{2}){1,2}(?:\.[0-9a-f])?)\))?\s*[:=]?\s*(\d{1,3})\b`)
	xidCause = regexp.MustCompile(`(?i)(?:caused by|due to|following|after)(?: a| an| the)? previous xid[: ]+(\d{1,3})\b`)
	// Xid 154 is the driver telling what it wants done next.
	recovery = regexp.MustCompile(`(?i)recovery action changed from .*\bto 0x[0-9a-f]+ \(([^)]*)\)`)
)

// xidsIn returns the numbers in one line. A number that the driver itself traces
// to an earlier one is replaced by that one.
func xidsIn(l line) []Xid {
	if !strings.Contains(l.text, "xid") && !strings.Contains(l.text, "Xid") && !strings.Contains(l.text, "XID") {
		return nil
	}
	if m := xidCause.FindStringSubmatch(l.text); m != nil {
		return []Xid{{Code: number(m[1]), PCI: pciIn(l.text), Line: l.n}}
	}
	var out []Xid
	for _, m := range xidText.FindAllStringSubmatch(l.text, 8) {
		x := Xid{Code: number(m[2]), Line: l.n}
		if m[1] != "" {
			x.PCI = shortPCI(m[1])
		} else {
			x.PCI = pciIn(l.text)
		}
		out = append(out, x)
	}
	return out
}

var pciID = regexp.MustCompile(`\b([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})(?:\.[0-9a-fA-F])?\b`)

// pciIn returns the first bus id in a text, in the short form, or "".
func pciIn(s string) string {
	m := pciID.FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	return shortPCI(m[1])
}

// shortPCI writes a bus id the way the kernel does: nvidia-smi prints eight
// digits of domain ("00000000:DC:00.0"), the kernel four ("0000:dc:00").
func shortPCI(s string) string {
	s = strings.ToLower(s)
	s, _, _ = strings.Cut(s, ".")
	domain, rest, _ := strings.Cut(s, ":")
	if len(domain) > 4 && strings.Trim(domain[:len(domain)-4], "0") == "" {
		domain = domain[len(domain)-4:]
	}
	return domain + ":" + rest
}
