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
	ooms  map[int]*OOM // by line
}

// maxHits is how many lines of one pattern are looked at: a hundred equal lines
// say no more than a dozen.
const maxHits = 12

// read finds the hits of the book in a log.
func (b *Book) read(log string) *paste {
	p := &paste{book: b, with: map[int]int{}, gone: map[int]bool{}}
	p.lines, p.cut = lines(log)
	seen := make([]sighting, len(b.patterns))
	for at, l := range p.lines {
		talk := unknown
		b.scan.words(l.text, func(n, from int) {
			s, pat := &seen[n], &b.patterns[n]
			if s.hits == maxHits || s.line == at+1 && (s.matched || !pat.again(l.text, s.from, from)) {
				return
			}
			s.line, s.from, s.matched = at+1, from, pat.matches(l.text, from)
			if !s.matched {
				return
			}
			s.hits++
			if talk == unknown {
				talk = logged
				if prose(l.text) {
					talk = spoken
				}
			}
			p.mark(pat, at, talk == logged)
		})
		p.markXids(at)
	}
	p.filter()
	return p
}

// sighting is what happened to a pattern so far.
type sighting struct {
	line    int  // the last on which it was tried, from 1
	from    int  // where on that line
	matched bool // on that line
	hits    int
}

// A line is written by a program or by a person in conversation.
const (
	unknown = iota
	logged
	spoken
)

func (p *paste) mark(pat *pattern, at int, log bool) {
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

// maxXids is how many numbers of one log are kept.
const maxXids = 64

func (p *paste) markXids(at int) {
	if len(p.xids) >= maxXids {
		return
	}
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
			if h.oom = p.oom(h.at); h.oom.Kind != e.Needs {
				continue
			}
		}
		kept = append(kept, p.describe(h))
	}
	p.hits = kept
}

// oom reads the arithmetic of a line once for all signatures that need it.
func (p *paste) oom(at int) *OOM {
	if p.ooms == nil {
		p.ooms = map[int]*OOM{}
	}
	if p.ooms[at] == nil {
		o := readOOM(p.lines, at)
		p.ooms[at] = &o
	}
	return p.ooms[at]
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
