package advisor

import (
	"regexp"
	"strings"

	"gpuadvisor/advisor/fault"
)

// What somebody pasted, told from what they say about it. A paste is known by
// its form, or because it was asked for: after /diagnose, after /verify, or
// when we said that we wait for one. It is looked at once and never kept: no
// conversation holds a line of it.

// paste is a log or a print in a message.
type paste struct {
	kind string // diagnose or verify; "" when nothing was pasted
	log  string // as pasted, from the first line that a program wrote
	said string // what people wrote around it

	found fault.Diagnosis
	print fault.Print
}

// pasteCommands are the commands that take a paste.
var pasteCommands = map[string]string{"diagnose": "diagnose", "排障": "diagnose", "verify": "verify", "验卡": "verify"}

// readPaste finds the paste in a message. A command without anything behind it
// has a kind and no log. Nobody has to say that it is one: lines that look like
// a program's, or in which a fault or a print is recognised, are a paste.
func (b *Rulebook) readPaste(m Message, c Conversation) paste {
	if m.Kind != KindText && m.Kind != "" {
		return paste{}
	}
	text := withoutMention(m.Text)
	kind, rest, slash := pasteCommand(text)
	switch {
	case kind != "":
		text = rest
	case slash:
		return paste{}
	case c.Flow.waits() && (looksPasted(text) || strings.Contains(text, "\n")):
		kind = c.Flow.Kind
	case !mayBePasted(text):
		return paste{}
	}
	p := paste{}
	p.said, p.log = splitPaste(text, kind)
	if p.log != "" {
		p.found, p.print = b.faults().Diagnose(p.log), fault.Read(p.log)
	}
	if p.kind = kind; kind == "" {
		p.kind = p.guess(text)
	}
	if p.kind == "" {
		return paste{}
	}
	return p
}

// pasteCommand reads "/diagnose …". The name may end at a line break, because
// logs begin on a line of their own.
func pasteCommand(text string) (kind, rest string, slash bool) {
	if !strings.HasPrefix(text, "/") {
		return "", "", false
	}
	name, rest := text[1:], ""
	if i := strings.IndexAny(name, " \t\r\n\u3000"); i >= 0 {
		name, rest = name[:i], name[i:]
	}
	if strings.ContainsAny(name, "/.") { // a path, in a log
		return "", "", false
	}
	name, _, _ = strings.Cut(name, "@")
	return pasteCommands[strings.ToLower(name)], strings.TrimLeft(rest, " \t\r\n\u3000"), true
}

// guess is the kind of a paste that nobody announced, "" when it is none. A
// print is to be verified, unless a log beside it tells of a fault.
func (p *paste) guess(text string) string {
	fits := caused(p.found)
	several := strings.Contains(strings.TrimSpace(p.log), "\n")
	switch {
	case p.log == "":
		return ""
	case len(p.print.GPUs) > 0 && p.print.Tool != "" && (!fits || inPrint(p.found.Evidence)):
		return "verify"
	case fits, several && (p.found.Tier > 0 || looksPasted(text)):
		return "diagnose"
	}
	return ""
}

// mayBePasted is a cheap look before a real one: a text of several lines, or a
// line that is not a person's.
func mayBePasted(text string) bool {
	text = strings.TrimSpace(text)
	return strings.Contains(text, "\n") || isLogged(text) || len(text) >= longLine && !isSaid(text) && !isBegged(text)
}

// longLine is from which length on a line may be a program's although its form
// does not tell, in bytes.
const longLine = 40

// spoken is a message without what programs wrote and without a command as
// everybody writes it, "/group en": what tells the language that a person
// speaks.
func (p paste) spoken(m Message) Message {
	switch {
	case p.kind != "":
		m.Text = p.said
		if m.Lang == "" && isHan(p.log) {
			m.Lang = "zh"
		}
	case strings.HasPrefix(m.Text, "/") && !isHan(m.Text):
		if _, m.Text, _ = strings.Cut(m.Text, " "); englishWords(m.Text) < 3 {
			m.Text = ""
		}
	}
	return m
}

// hearPaste takes a paste for the order to look at it; what stands around it is
// read as always.
func (t *turn) hearPaste() bool {
	if t.paste.kind == "" {
		return false
	}
	said := t.paste.said
	if said == "" && spokenLine(t.paste.log) {
		said = t.paste.log // one line, and a person wrote it
	}
	t.r = t.book.Read(said, Asked{Facts: &t.c.Facts})
	t.r.Command, t.r.Arg = t.paste.kind, ""
	return true
}

// spokenLine reports whether one short line that tells of a fault is a person's
// own: "cuda out of memory on my rented A10".
func spokenLine(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	return len(line) < longestForm/2 && !strings.Contains(line, "\n") && containsAny(" "+line+" ", " my ", " i ", " we ", " rented ", "我", "租")
}

// caused reports whether a diagnosis names a cause.
func caused(d fault.Diagnosis) bool { return d.Tier > 0 && d.Tier < fault.Consequence }

// inPrint reports whether all that was quoted stands in the frame of a print.
func inPrint(quotes []fault.Quote) bool {
	for _, q := range quotes {
		if !strings.HasPrefix(q.Text, "|") {
			return false
		}
	}
	return true
}

// Bounds of what counts as a paste (our own).
const (
	pastedLines = 2   // lines that a program wrote …
	pastedShare = 0.3 // … and their share, when nothing else tells
	formBytes   = 16 << 10
)

// looksPasted reports whether a text holds output of a program, by its form: a
// fenced block with such a line, several of them, or a text that is one.
func looksPasted(text string) bool {
	if len(text) > 2*formBytes { // its ends tell
		text = text[:formBytes] + "\n" + text[len(text)-formBytes:]
	}
	total, logged, fenced := 0, 0, strings.Contains(text, "```")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "```") {
			continue
		}
		total++
		if isLogged(line) {
			logged++
		}
	}
	switch {
	case logged == 0:
		return false
	case fenced, total == 1:
		return true
	}
	return logged >= pastedLines && float64(logged) >= pastedShare*float64(total)
}

// longestOrder is how long a line with an order is, in bytes.
const longestOrder = 80

// longestForm is how much of a line its form is judged by, in bytes.
const longestForm = 400

func isLogged(line string) bool {
	return programLine.MatchString(line[:min(len(line), longestForm)])
}

// programLine is what a program writes and a person hardly does: times, levels,
// names of errors, places in a source, frames, the kernel's marks.
var programLine = regexp.MustCompile(`(?i)` +
	`^\W*(?:\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:|\[ *\d+\.\d{3,}\]|\d\d:\d\d:\d\d\b|[a-z]{3} [a-z]{3} +\d+ \d\d:|[a-z]{3} +\d+ \d\d:\d\d:\d\d)` +
	`|traceback \(most recent call|^\s*file "|^\s*at \S+\(\S*:\d+\)` +
	`|\b\w*(?:error|exception|warning)\d?: |\[?\b(?:error|warn|warning|info|fatal|critical)\b\]?:? [^ ]*[:\[(]` +
	`|\b(?:fatal|error|cannot|failed to|unable to|could not)\b[^?？]{0,80}: ` +
	`|nvrm|\bs?xid \(|0x[0-9a-f]{4}|\w\.(?:py|cc|cpp|cu|go|rs|c|so(?:\.\d+)*):\d|\w\.(?:py|cc|cpp|cu)", line \d|\w+\.so\.\d+:` +
	`|\[rank ?\d+\]|\bexit ?code ?[:=] ?-?\d|\berrno \d|\bpid[ =]\d|\(pid \d|\bsignal \d+\b|out of memory: killed process` +
	`|^\s*\+[-=+]{8,}|^\s*\|[-=+]{8,}|^\s*\|.*\|\s*$|^=+ .* =+$` +
	`|nvidia-smi has failed|failed to initialize nvml|unable to determine the device handle|: command not found` +
	`|^gpu \d+: .*\(uuid|^index, ?name|^\s*[\w ]+(?:utilization|uncorrectable)\S* *: ` +
	`|\d%\||\bit/s\b|\bHTTP/\d|^\{'|^[\w /.-]+ {2,}: ?\S` +
	`|^[\w.-]+@[\w.-]+:\S*[#$] |^(?:killed|segmentation fault|bus error)\b[^一-龥]{0,20}$`)

// splitPaste cuts a message into what people say, before and behind, and what
// the program wrote in between. Before a print that is to be verified may stand
// the order: "2x RTX 4090 24GB".
func splitPaste(text, kind string) (said, log string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	from, to := 0, len(lines)
	for from < to && (isSaid(lines[from]) || isBegged(lines[from]) || kind == "verify" && len(lines[from]) < longestOrder && !isLogged(lines[from])) {
		from++
	}
	for to > from && isSaid(lines[to-1]) {
		to--
	}
	said = strings.TrimSpace(strings.Join(lines[:from], "\n") + "\n" + strings.Join(lines[to:], "\n"))
	log = strings.Join(lines[from:to], "\n")
	if to-from == 1 && hanWords.MatchString(log) {
		said = strings.TrimSpace(said + "\n" + log) // one line that is both
	}
	return said, log
}

// isSaid reports whether a line at the edge of a paste was written by a person:
// Chinese words, or English that asks or speaks of oneself.
func isSaid(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" {
		return true
	}
	return !isLogged(line) && !strings.HasPrefix(line, "```") && (hanWords.MatchString(line) || talked.MatchString(line))
}

func isBegged(line string) bool {
	return !isLogged(line) && begged.MatchString(strings.TrimSpace(line))
}

var (
	hanWords = regexp.MustCompile(`\p{Han}{2}`)
	// before a log people also ask for help; behind one, programs do so too
	talked = regexp.MustCompile(`(?i)[?？]$|^(?:hi|hello|hey|help|what|what's|why|how|can|could|anyone|someone|i|i'm|i've|my|we)[ ,:]`)
	begged = regexp.MustCompile(`(?i)^(?:so|please|pls|here|this|that|look|check|does|do|did|is|are|should|would|has|it|just|when|any)[ ,:]`)
)
