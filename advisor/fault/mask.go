package fault

import (
	"regexp"
	"strings"
)

// What stands in for a secret. It keeps the kind, so that the text stays
// readable.
const (
	maskKey   = "<key>"
	maskMail  = "<e-mail>"
	maskIP    = "<ip>"
	maskUser  = "<user>"
	maskLogin = "<login>"
)

// A mask is one kind of secret: the expression keeps group 1 and group 2, if
// they are there, and replaces what lies between. hint is a word without which
// the expression cannot match; it spares the work.
type mask struct {
	hints []string
	re    *regexp.Regexp
	with  string
}

// The forms are public: the prefixes that the issuers document, the shape of a
// JSON web token, of a bot token, and the names of variables that hold secrets.
var masks = []mask{
	{[]string{"-----BEGIN"}, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), maskKey},
	{[]string{"://"}, regexp.MustCompile(`(://)[^\s/@:'"]+:[^\s/@'"]+(@)`), maskLogin},
	{
		[]string{"hf_", "sk-", "sk_", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "ASIA", "LTAI", "AKID", "AIza", "ya29.", "nvapi-", "r8_", "gsk_", "pypi-", "dckr_pat_", "tvly-"},
		regexp.MustCompile(`\b(?:hf_|sk-|sk_live_|sk_test_|gh[opsur]_|github_pat_|glpat-|xox[abpors]-|nvapi-|r8_|gsk_|pypi-|dckr_pat_|tvly-|ya29\.)[A-Za-z0-9_\-]{8,}|\b(?:AKIA|ASIA|LTAI|AKID|AIza)[A-Za-z0-9_\-]{12,}`),
		maskKey,
	},
	{[]string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*`), maskKey},
	{[]string{":AA"}, regexp.MustCompile(`\b\d{8,10}:AA[A-Za-z0-9_\-]{30,}`), maskKey},
	{[]string{"."}, regexp.MustCompile(`\b[MNO][A-Za-z0-9_\-]{22,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,}`), maskKey},
	{[]string{"earer", "asic "}, regexp.MustCompile(`(?i)\b((?:bearer|basic) )[A-Za-z0-9._~+/=\-]{12,}`), maskKey},
	{
		[]string{"assw", "ASSW", "oken", "OKEN", "ecret", "ECRET", "pi_key", "PI_KEY", "pi-key", "PIKEY", "pikey", "piKey", "ccess_key", "CCESS_KEY", "ccess-key", "密码", "口令"},
		regexp.MustCompile(`(?i)([a-z0-9_\-]*(?:passw(?:or)?d|secret|api[_\-]?key|access[_\-]?key|auth[_\-]?token|access[_\-]?token|hf[_\-]?token|[_\-]token|^token|\btoken|密码|口令)["']?\s*[:=]\s*["']?)[^\s"',;)}\]]{6,}`),
		maskKey,
	},
	{[]string{"--"}, regexp.MustCompile(`(?i)(--[a-z\-]*(?:token|password|secret|api-key|key)[= ]+["']?)[^\s"']{6,}`), maskKey},
	{[]string{"@"}, regexp.MustCompile(`\b[A-Za-z0-9._%+\-]+@[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.[A-Za-z]{2,}\b`), maskMail},
	{[]string{"@"}, regexp.MustCompile(`(^|[\s(\])])[A-Za-z0-9._\-]+(@[A-Za-z0-9\-]+:[~/])`), maskUser},
	{[]string{"/home/", "/Users/", `\Users\`, "/root-"}, regexp.MustCompile(`((?:/home|/Users|\\Users|\\\\Users)[/\\]+)[^/\\\s"':,;)]+`), maskUser},
}

// Mask hides what does not belong in a group chat: keys and tokens, e-mail
// addresses, public and private IP addresses, names in home paths. Numbers of
// versions and bus ids stay.
func Mask(s string) string {
	for _, m := range masks {
		if !containsAny(s, m.hints) {
			continue
		}
		with := m.with
		switch m.re.NumSubexp() {
		case 1:
			with = "${1}" + with
		case 2:
			with = "${1}" + with + "${2}"
		}
		s = m.re.ReplaceAllString(s, with)
	}
	return maskIPs(s)
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

var (
	ip4 = regexp.MustCompile(`\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}`)
	ip6 = regexp.MustCompile(`(?i)\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b|\b(?:[0-9a-f]{1,4}:){1,6}:(?:[0-9a-f]{1,4}:){0,5}[0-9a-f]{1,4}\b`)
)

func maskIPs(s string) string {
	if strings.Count(s, ".") >= 3 {
		s = replaceWhere(s, ip4, isIP4)
	}
	if strings.Count(s, ":") >= 3 {
		s = replaceWhere(s, ip6, isIP6)
	}
	return s
}

func replaceWhere(s string, re *regexp.Regexp, ok func(s string, from, to int) bool) string {
	var b strings.Builder
	last := 0
	for _, m := range re.FindAllStringIndex(s, -1) {
		if ok(s, m[0], m[1]) {
			b.WriteString(s[last:m[0]])
			b.WriteString(maskIP)
			last = m[1]
		}
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// isIP4 tells an address from a version of four parts ("==9.1.0.70", ".so.9.1.0.4")
// by what stands before it, and leaves addresses that say nothing about anybody.
func isIP4(s string, from, to int) bool {
	if from > 0 && (isWord(s[from-1]) || strings.IndexByte("=.-+", s[from-1]) >= 0 && !strings.HasSuffix(s[:from], "//")) {
		if !addressBefore(s[:from]) {
			return false
		}
	}
	if to < len(s) && (isWord(s[to]) || s[to] == '.' && to+1 < len(s) && isWord(s[to+1])) {
		return false
	}
	for part := range strings.SplitSeq(s[from:to], ".") {
		if number(part) > 255 {
			return false
		}
	}
	return !strings.HasPrefix(s[from:to], "127.") && s[from:to] != "0.0.0.0"
}

// addressBefore reports whether the word before an equals sign names an address.
func addressBefore(s string) bool {
	s = strings.ToLower(s)
	for _, w := range []string{"addr=", "addr:", "host=", "ip=", "master_addr=", "ip-"} {
		if strings.HasSuffix(s, w) {
			return true
		}
	}
	return false
}

// isIP6 leaves bus ids and times: an address has a "::" or eight groups, and a
// letter or a group longer than two digits.
func isIP6(s string, from, to int) bool {
	a := s[from:to]
	if a == "::1" || a == "::" || to < len(s) && s[to] == '.' {
		return false
	}
	if !strings.Contains(a, "::") && strings.Count(a, ":") != 7 {
		return false
	}
	for group := range strings.SplitSeq(a, ":") {
		if len(group) > 2 {
			return true
		}
	}
	return false
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}
