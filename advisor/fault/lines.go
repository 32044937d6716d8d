package fault

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Limits of what is read: a paste longer than both parts together keeps its
// head, where the program says what it is, and its tail, where it dies.
const (
	keepHead = 16 << 10 // bytes
	keepTail = 48 << 10 // bytes
	// longest piece of one line that is looked at whole; longer lines (JSON in
	// one line) are cut into overlapping pieces so that time stays linear
	pieceLen  = 4 << 10
	pieceOver = 256
)

// line is one line, or a piece of a very long one, with the number that the
// reader can find it by.
type line struct {
	n    int // from 1, in the original paste
	text string
}

// lines cuts a paste into readable lines. It reports whether something in the
// middle was left out.
func lines(paste string) ([]line, bool) {
	head, tail, skipped := paste, "", 0
	cut := len(paste) > keepHead+keepTail
	if cut {
		head, tail, skipped = ends(paste)
	}
	ansi := strings.Contains(paste, "[0m") || strings.Contains(paste, "[39m")
	out := split(nil, head, 1, ansi)
	if cut {
		out = split(out, tail, 1+skipped, ansi)
	}
	return out, cut
}

// ends returns the head, the tail, and how many line ends lie before the tail.
func ends(paste string) (head, tail string, skipped int) {
	head = paste[:keepHead]
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	start := len(paste) - keepTail
	if i := strings.IndexByte(paste[start:], '\n'); i >= 0 && start+i+1 < len(paste) {
		start += i + 1
	}
	return head, paste[start:], strings.Count(paste[:start], "\n")
}

func split(out []line, text string, n int, ansi bool) []line {
	for raw := range strings.SplitSeq(text, "\n") {
		// a progress bar rewrites its line after each carriage return
		for part := range strings.SplitSeq(raw, "\r") {
			if part = repair(part, ansi); part != "" {
				out = pieces(out, line{n, part})
			}
		}
		n++
	}
	return out
}

func pieces(out []line, l line) []line {
	for len(l.text) > pieceLen {
		end := runeStart(l.text, pieceLen)
		out = append(out, line{l.n, l.text[:end]})
		l.text = l.text[runeStart(l.text, end-pieceOver):]
	}
	return append(out, l)
}

// runeStart returns i or the next lower index where a character begins.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

var (
	escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_=>])`)
	// what is left of a colour code when a chat drops the escape character
	bareCodes = regexp.MustCompile(`\[(?:0|1|22|[39][0-9]|4[0-9])(?:;[0-9]{1,3})*m`)
	fence     = regexp.MustCompile("^(?:> ?)*```[a-z]*$")
	quoted    = regexp.MustCompile(`^(?:(?:>|&gt;) ?)+`)
)

// unchat undoes what editors and chats do to the characters of a log. It keeps
// spaces, because columns carry meaning.
var unchat = strings.NewReplacer(
	"“", `"`, "”", `"`, "„", `"`, "‟", `"`, "«", `"`, "»", `"`, "＂", `"`,
	"‘", "'", "’", "'", "‚", "'", "‛", "'", "´", "'", "＇", "'",
	"—", "--", "–", "-", "−", "-", "‐", "-", "‑", "-", "…", "...",
	"：", ":", "（", "(", "）", ")", "｜", "|", "│", "|", "┃", "|", "║", "|", "％", "%",
	"\u00a0", " ", "\u2002", " ", "\u2003", " ", "\u2009", " ", "\u202f", " ", "\u3000", " ",
	"\u200b", "", "\u200c", "", "\u200d", "", "\ufeff", "", "\u2060", "",
	"&quot;", `"`, "&#39;", "'", "&lt;", "<", "&gt;", ">", "&nbsp;", " ", "&amp;", "&",
	"\t", "    ", "\x00", "",
)

// repair makes one line readable; "" means there is nothing to read.
func repair(s string, ansi bool) string {
	if s == "" {
		return ""
	}
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = escapes.ReplaceAllString(s, "")
	}
	if ansi && strings.Contains(s, "m") {
		s = bareCodes.ReplaceAllString(s, "")
	}
	s = unchat.Replace(s)
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "?")
	}
	if s != "" && (s[0] == '>' || s[0] == '`') {
		if fence.MatchString(strings.TrimSpace(s)) {
			return ""
		}
		s = quoted.ReplaceAllString(s, "")
	}
	s = strings.TrimRight(s, " ")
	if strings.TrimSpace(s) == "" || strings.Trim(s, " `") == "" {
		return ""
	}
	return s
}

var (
	// what a program writes and a person in conversation hardly does
	logShape = regexp.MustCompile(`(?i)(?:error|exception|warning|fatal|failed|failure|assertion)\b[^ ]{0,2}: ?` +
		`|NVRM|xid \(|0x[0-9a-f]{3,}|\bfile "|\d ?[kmgt]i?b\b|^\s*[\[|+*]|\]:|::|\bpid\b|errno|exit ?code` +
		`|\b(?:bash|sh|zsh|curl|wget|git|docker|tar|ls|pip): |(?:错误|异常|失败|报错|警告) ?:|\w\.(?:py|cc|cpp|cu|so|go|rs|h|sh)\b|_[a-z]+_|\bunix://|\b\d\d:\d\d:\d\d\b|\|.*\|`)
	// how people talk: any Chinese words, and English ones that begin a question
	// or speak of oneself
	talking = regexp.MustCompile(`(?i)[?？]\s*$|\p{Han}{2}` +
		`|^\s*(?:hi|hello|hey|so|does|do|did|is|are|what|what's|why|how|can|could|should|would|anyone|has|i|i'm|i've|my|we|someone|people|just|when|if)[ ,]+[a-z']` +
		`|\b(?:my (?:card|gpu|machine|instance|boss|friend)|i (?:get|got|have|think|heard|read|saw)|i'm)\b`)
)

// prose reports whether a line is somebody talking about faults rather than a
// program reporting one.
func prose(s string) bool {
	if len(s) > 600 {
		s = s[:runeStart(s, 600)]
	}
	return talking.MatchString(s) && !logShape.MatchString(s)
}
