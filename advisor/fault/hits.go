package fault

import (
	"regexp"
	"strconv"
)

// hit is a signature on a line.
type hit struct {
	sig  int
	at   int // index in paste.lines
	when stamp
	rank int  // of the process that wrote the line; -1 is not said
	soft bool // the program calls it a warning
	old  bool // background, see aside
	pci  string
	oom  *OOM
}

// paste is a log on its way to a diagnosis.
type paste struct {
	book  *Book
	lines []line
	cut   bool
	hits  []hit
	with  map[int]int  // signature → line on which its "with" was seen
	gone  map[int]bool // signatures whose "without" was seen
	xids  []Xid
}

// read finds every hit of the book in a log.
func (b *Book) read(log string) *paste {
	p := &paste{book: b, with: map[int]int{}, gone: map[int]bool{}}
	p.lines, p.cut = lines(log)
	tried := make([]int, len(b.patterns)) // line number + 1 at which a pattern was last tried
	for at, l := range p.lines {
		talk := 0 // 1 a log line, 2 conversation; 0 not looked at yet
		b.scan.each(l.text, func(n int) {
			if tried[n] == at+1 {
				return
			}
			tried[n] = at + 1
			if !b.patterns[n].re.MatchString(l.text) {
				return
			}
			if talk == 0 {
				talk = 1
				if prose(l.text) {
					talk = 2
				}
			}
			p.mark(b.patterns[n], at, talk == 1)
		})
		p.markXids(at)
	}
	p.filter()
	return p
}

func (p *paste) mark(pat pattern, at int, log bool) {
	for _, u := range pat.uses {
		switch u.kind {
		case asAbsent:
			p.gone[u.sig] = true
		case asWith:
			if _, seen := p.with[u.sig]; !seen {
				p.with[u.sig] = at
			}
		case asMatch:
			if log && !p.hasHit(u.sig, at) {
				p.hits = append(p.hits, hit{sig: u.sig, at: at, rank: -1})
			}
		}
	}
}

func (p *paste) hasHit(sig, at int) bool {
	for i := len(p.hits) - 1; i >= 0 && p.hits[i].at == at; i-- {
		if p.hits[i].sig == sig {
			return true
		}
	}
	return false
}

func (p *paste) markXids(at int) {
	xids := xidsIn(p.lines[at])
	if len(xids) == 0 || prose(p.lines[at].text) {
		return
	}
	for _, x := range xids {
		p.xids = append(p.xids, x)
		if sig, ok := p.book.xids[x.Code]; ok && !p.hasHit(sig, at) {
			p.hits = append(p.hits, hit{sig: sig, at: at, rank: -1, pci: x.PCI})
		}
	}
}

// filter drops hits that their signature's conditions forbid, and learns about
// the others what the ranking needs.
func (p *paste) filter() {
	kept := p.hits[:0]
	full := 0 // 0 not looked at, 1 a full card, 2 none
	for _, h := range p.hits {
		e := p.book.sigs[h.sig]
		if p.gone[h.sig] || p.forbidden(e, h.at) {
			continue
		}
		if _, seen := p.with[h.sig]; len(e.With) > 0 && !seen {
			continue
		}
		switch e.Needs {
		case "":
		case CardFull:
			if full == 0 {
				full = 2
				if cardFull(p.lines) {
					full = 1
				}
			}
			if full == 2 {
				continue
			}
		default:
			o := readOOM(p.lines, h.at)
			if o.Kind != e.Needs {
				continue
			}
			h.oom = &o
		}
		kept = append(kept, p.describe(h))
	}
	p.hits = kept
}

// nearLines is how far "unless_near" looks, each way.
const nearLines = 2

func (p *paste) forbidden(e entry, at int) bool {
	if anyMatch(e.unless, p.lines[at].text) {
		return true
	}
	if len(e.near) == 0 {
		return false
	}
	for i := max(0, at-nearLines); i <= min(len(p.lines)-1, at+nearLines); i++ {
		if anyMatch(e.near, p.lines[i].text) {
			return true
		}
	}
	return false
}

func anyMatch(res []*regexp.Regexp, s string) bool {
	for _, re := range res {
		if re.MatchString(s) {
			return true
		}
	}
	return false
}

var (
	rankPrefix = regexp.MustCompile(`(?i)^\W{0,3}(?:default\d*\]:)?\[?\s*rank\s*:?\s*(\d{1,4})\]|\[rank ?(\d{1,4})\]|\brank=(\d{1,4})\b`)
	warning    = regexp.MustCompile(`(?i)^[^A-Za-z]{0,30}(?:warn(?:ing)?|info|debug)\b|\b[A-Za-z]*Warning:|\b(?:WARNING|WARN|INFO)\b`)
	fromNCCL   = regexp.MustCompile(`NCCL WARN`) // NCCL calls its errors so
)

func (p *paste) describe(h hit) hit {
	text := p.lines[h.at].text
	if len(text) > 600 {
		text = text[:600]
	}
	h.when = stampOf(text)
	h.soft = warning.MatchString(text) && !fromNCCL.MatchString(text)
	if m := rankPrefix.FindStringSubmatch(text); m != nil {
		h.rank, _ = strconv.Atoi(m[1] + m[2] + m[3]) // one of them is there
	}
	if h.pci == "" && kernelLine.MatchString(text) {
		h.pci = pciIn(text)
	}
	return h
}
