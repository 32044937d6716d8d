package discord

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"
)

// ref.go writes what a button, a menu or a form carries. It is all we get back
// when somebody uses one, perhaps months and restarts later, so it says
// everything: what it does, whose it is, which reply it stood under, and which
// choice it means. Nothing of it is kept here.

// A press is what a component means.
type press struct {
	does  does
	owner string // id of the person that it is for; "" anybody
	stamp string // of the reply it stands under
	ref   string // choice, slot or command
}

type does byte

const (
	answers does = 'q' // picks a choice of a question; the reply takes the question's place
	picks   does = 'c' // picks a choice under an answer, which stays
	menu    does = 'm' // picks from a list of choices of a question
	list    does = 'l' // picks from a list of choices under an answer
	types   does = 't' // opens a form to type the answer to a question; the form carries it too
	pastes  does = 'p' // a form to paste what a command needs
	shares  does = 's' // posts the reply for everybody
	starts  does = 'n' // starts a dialogue of one's own
)

// mark begins our custom ids of this form; another form would have another.
const mark = "g1"

// String is the custom id. It fits as long as the ref does.
func (p press) String() string {
	owner := p.owner
	if n, err := strconv.ParseUint(owner, 10, 64); err == nil {
		owner = strconv.FormatUint(n, 36)
	}
	return strings.Join([]string{mark, string(rune(p.does)), owner, p.stamp, p.ref}, ":")
}

// readPress reads a custom id. It reports false for those of anybody else, or
// of a form that we do not write any more.
func readPress(id string) (press, bool) {
	part := strings.SplitN(id, ":", 5)
	if len(part) != 5 || part[0] != mark || len(part[1]) != 1 {
		return press{}, false
	}
	p := press{does: does(part[1][0]), stamp: part[3], ref: part[4]}
	if part[2] != "" {
		n, err := strconv.ParseUint(part[2], 36, 64)
		if err != nil {
			return press{}, false
		}
		p.owner = strconv.FormatUint(n, 10)
	}
	return p, strings.IndexByte("qcmltpsn", byte(p.does)) >= 0
}

// stamp is a short name for what s names at length. The same s gives the same
// name after a restart.
func stamp(s string) string { return digest(s)[:6] }

// digest is a name of at most maxNonce characters.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:])[:maxNonce]
}
