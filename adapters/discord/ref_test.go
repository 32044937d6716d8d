package discord

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuadvisor/advisor"
)

func TestPress(t *testing.T) {
	p := press{answers, ann, "ABC123", "duration_hours=days"}
	if got, want := p.String(), "g1:q:11zk02pzlmwox:ABC123:duration_hours=days"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, id := range []string{"", "g1", "g1:q:1:2", "g0:q:1:2:x", "g1:qq:1:2:x", "g1:z:1:2:x", "g1:q:!:2:x", "v:24", "g1:q:zzzzzzzzzzzzzzzzzz:2:x"} {
		if p, ok := readPress(id); ok {
			t.Errorf("readPress(%q) = %+v, want it refused", id, p)
		}
	}
}

func TestPressTravels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := press{
			does: does(rapid.SampledFrom([]byte("qcmltpsn")).Draw(t, "does")), stamp: stamp(rapid.String().Draw(t, "of")),
			ref: rapid.StringN(0, 40, maxShownRef).Draw(t, "ref"),
		}
		if rapid.Bool().Draw(t, "owned") {
			p.owner = fmt.Sprint(rapid.Uint64().Draw(t, "owner"))
		}
		id := p.String()
		if got, ok := readPress(id); !ok || got != p {
			t.Fatalf("readPress(%q) = %+v, want %+v", id, got, p)
		}
		if length(id) > maxCustomID {
			t.Fatalf("%q has %d characters, Discord takes %d", id, length(id), maxCustomID)
		}
	})
}

func TestDigest(t *testing.T) {
	if a, b := digest("a"), digest("b"); a == b || len(a) > maxNonce || a != digest("a") {
		t.Errorf("digests %q and %q", a, b)
	}
}

func TestAddress(t *testing.T) {
	for _, a := range []address{
		{app: "1", room: "2", user: "3"}, {app: "1", room: "2", thread: "4", user: "3"}, {app: "1", room: "2", user: "3", private: true},
	} {
		if got, ok := readAddress(a.key()); !ok || got != a {
			t.Errorf("readAddress(%q) = %+v, want %+v", a.key(), got, a)
		}
	}
	for _, key := range []string{"", "nowhere:at:all", "telegram:1:2::3", "discord:1:2:3", "discord:x:2::3", "discord:1:2:x:3", "discord:1:@::3", "discord:1:../x::3"} {
		if a, ok := readAddress(advisor.Key(key)); ok {
			t.Errorf("readAddress(%q) = %+v, want it refused", key, a)
		}
	}
}

func TestRecent(t *testing.T) {
	r := newRecent[int, string](10)
	for i := range 1000 {
		if !r.add(i, "x") || r.add(i, "y") {
			t.Fatalf("%d is taken for known, or not known right after", i)
		}
		if v, ok := r.get(max(0, i-9)); !ok || v != "x" {
			t.Fatalf("after %d: %d is forgotten", i, i-9)
		}
		if n := len(r.now) + len(r.old); n > 20 {
			t.Fatalf("%d entries are kept, want at most 20", n)
		}
	}
	r.drop(999)
	if _, ok := r.get(999); ok {
		t.Error("a dropped entry is still there")
	}
}

func TestLanes(t *testing.T) {
	l := newLanes(100, 1000)
	got := make(chan string, 1000)
	for i := range 100 {
		for _, name := range []string{"a", "b", "c"} {
			if !l.add(name, func() { got <- fmt.Sprintf("%s%03d", name, i) }) {
				t.Fatalf("no room for piece %d", i)
			}
		}
	}
	l.wait()
	close(got)
	last := map[byte]string{}
	for s := range got {
		if s <= last[s[0]] {
			t.Errorf("%s came after %s", s, last[s[0]])
		}
		last[s[0]] = s
	}
	if strings.Join([]string{last['a'], last['b'], last['c']}, " ") != "a099 b099 c099" || len(l.lanes) != 0 || l.total != 0 {
		t.Errorf("ended with %v; %d lanes and %d pieces are left", last, len(l.lanes), l.total)
	}
}

func TestLanesAreFull(t *testing.T) {
	l := newLanes(2, 4)
	hold := make(chan struct{})
	wait := func() { <-hold }
	var took []bool
	for range 4 {
		took = append(took, l.add("a", wait)) // one runs, two wait
	}
	took = append(took, l.add("b", wait), l.add("c", wait))
	if got := fmt.Sprint(took); got != "[true true true false true false]" {
		t.Errorf("got %s", got)
	}
	close(hold)
	l.wait()
}
