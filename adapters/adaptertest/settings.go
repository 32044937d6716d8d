package adaptertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"gpuadvisor/adapters"
)

// TestSettings checks a store against adapters.Settings. open returns an empty
// store; it cleans up with t.Cleanup.
func TestSettings(t *testing.T, open func(t *testing.T) adapters.Settings) {
	for name, test := range map[string]func(*testing.T, *shelf){
		"nothing":      nothing,
		"versions":     versions,
		"stale":        stale,
		"same effect":  sameEffect,
		"remove":       remove,
		"list":         list,
		"owners apart": ownersApart,
		"any bytes":    anyBytes,
		"own copy":     ownCopy,
		"gave up":      gaveUp,
		"crowd":        crowd,
	} {
		t.Run(name, func(t *testing.T) { test(t, &shelf{t, open(t)}) })
	}
	t.Run("like the model", func(t *testing.T) { settingsLikeTheModel(t, open) })
}

const me = adapters.Owner("person:chat:bot:me")

// shelf is a Settings whose errors end the test.
type shelf struct {
	t testing.TB
	s adapters.Settings
}

func (s *shelf) get(of adapters.Owner, name string) adapters.Record {
	s.t.Helper()
	r, err := s.s.Get(context.Background(), of, name)
	if err != nil {
		s.t.Fatalf("Get(%s, %q): %v", of, name, err)
	}
	return r
}

func (s *shelf) put(of adapters.Owner, name string, r adapters.Record) int64 {
	s.t.Helper()
	v, err := s.s.Put(context.Background(), of, name, r)
	if err != nil {
		s.t.Fatalf("Put(%s, %q, %+v): %v", of, name, r, err)
	}
	return v
}

func (s *shelf) list(of adapters.Owner) map[string]adapters.Record {
	s.t.Helper()
	all, err := s.s.List(context.Background(), of)
	if err != nil {
		s.t.Fatalf("List(%s): %v", of, err)
	}
	return all
}

// want checks a record's version and data.
func (s *shelf) want(of adapters.Owner, name string, version int64, data string) {
	s.t.Helper()
	if r := s.get(of, name); r.Version != version || string(r.Data) != data {
		s.t.Errorf("Get(%s, %q) = version %d %q, want version %d %q", of, name, r.Version, r.Data, version, data)
	}
}

func nothing(t *testing.T, s *shelf) {
	if r := s.get(me, "profile"); !reflect.DeepEqual(r, adapters.Record{}) {
		t.Errorf("Get before Put = %+v, want the zero record", r)
	}
	if all := s.list(me); len(all) != 0 {
		t.Errorf("List before Put = %v, want nothing", all)
	}
	if err := s.s.Forget(context.Background(), me); err != nil {
		t.Errorf("Forget of nothing: %v", err)
	}
}

func versions(t *testing.T, s *shelf) {
	for i := range int64(4) {
		data := fmt.Sprint("version ", i+1)
		if v := s.put(me, "profile", adapters.Record{Version: i, Data: []byte(data)}); v != i+1 {
			t.Fatalf("Put over version %d returned %d, want %d", i, v, i+1)
		}
		s.want(me, "profile", i+1, data)
	}
}

func stale(t *testing.T, s *shelf) {
	s.put(me, "profile", adapters.Record{Data: []byte("1"), By: "a"})
	for _, version := range []int64{0, 2, -1} {
		for _, data := range [][]byte{[]byte("2"), nil} {
			_, err := s.s.Put(context.Background(), me, "profile", adapters.Record{Version: version, Data: data, By: "b"})
			if !errors.Is(err, adapters.ErrConflict) {
				t.Errorf("Put of %q over version %d: got error %v, want ErrConflict", data, version, err)
			}
		}
	}
	if _, err := s.s.Put(context.Background(), me, "other", adapters.Record{Version: 1, Data: []byte("2")}); !errors.Is(err, adapters.ErrConflict) {
		t.Errorf("Put of version 1 over nothing: got error %v, want ErrConflict", err)
	}
	s.want(me, "profile", 1, "1")
}

// sameEffect: an effect that is done again changes nothing, even over a
// version that it never saw.
func sameEffect(t *testing.T, s *shelf) {
	s.put(me, "profile", adapters.Record{Data: []byte("1"), By: "消息 1/set it"})
	for _, version := range []int64{0, 1, 7} {
		if v := s.put(me, "profile", adapters.Record{Version: version, Data: []byte("2"), By: "消息 1/set it"}); v != 1 {
			t.Errorf("the same effect over version %d: got version %d, want 1", version, v)
		}
	}
	s.want(me, "profile", 1, "1")
}

func remove(t *testing.T, s *shelf) {
	s.put(me, "rental/1", adapters.Record{Data: []byte("4090")})
	s.put(me, "rental/2", adapters.Record{Data: []byte("A100")})
	for range 2 {
		if v := s.put(me, "rental/1", adapters.Record{Version: 1}); v != 0 {
			t.Errorf("removing returned version %d, want 0", v)
		}
	}
	s.want(me, "rental/1", 0, "")
	s.want(me, "rental/2", 1, "A100")
	s.put(me, "rental/1", adapters.Record{Data: []byte("H100")})
	s.want(me, "rental/1", 1, "H100")
}

func list(t *testing.T, s *shelf) {
	names := []string{"profile", "rental/1", "rental/2", "prices"}
	for _, n := range names {
		s.put(me, n, adapters.Record{Data: []byte(n + "!"), By: n})
	}
	all := s.list(me)
	slices.Sort(names)
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, names) {
		t.Errorf("List has %q, want %q", got, names)
	}
	for n, r := range all {
		if string(r.Data) != n+"!" || r.Version != 1 || r.By != n {
			t.Errorf("List has %q = %+v, want what was put", n, r)
		}
	}
}

func ownersApart(t *testing.T, s *shelf) {
	owners := []adapters.Owner{me, "person:chat:bot:you", "room:chat:bot:me", "person:chat:bot:me:x", "person:chat:bot:", "person:", "{a}b", "}{", ""}
	for _, o := range owners {
		s.put(o, "profile", adapters.Record{Data: []byte(o + "!")})
	}
	for _, o := range owners {
		s.want(o, "profile", 1, string(o)+"!")
		if all := s.list(o); len(all) != 1 {
			t.Errorf("List(%s) = %v, want one record", o, all)
		}
	}
	if err := s.s.Forget(context.Background(), me); err != nil {
		t.Fatalf("Forget: %v", err)
	}
	for _, o := range owners[1:] {
		s.want(o, "profile", 1, string(o)+"!")
	}
	s.want(me, "profile", 0, "")
}

func anyBytes(t *testing.T, s *shelf) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	texts := append(slices.Clone(Texts), string(all), " ", "1 2 3", "\n")
	for i, text := range texts {
		name := fmt.Sprintf("名字 %d\n\x00:%.40s", i, text)
		s.put(me, name, adapters.Record{Data: []byte(text), By: text})
		if r := s.get(me, name); string(r.Data) != text || r.By != text {
			t.Errorf("text %d came back as %.60q by %.60q", i, r.Data, r.By)
		}
		if v := s.put(me, name, adapters.Record{Data: []byte("x"), By: text}); v != 1 {
			t.Errorf("text %d is not known again as an effect", i)
		}
	}
	if got := len(s.list(me)); got != len(texts) {
		t.Errorf("List has %d records, want %d", got, len(texts))
	}
}

func ownCopy(t *testing.T, s *shelf) {
	data := []byte("first")
	s.put(me, "profile", adapters.Record{Data: data})
	copy(data, "xxxxx")
	copy(s.get(me, "profile").Data, "yyyyy")
	copy(s.list(me)["profile"].Data, "zzzzz")
	s.want(me, "profile", 1, "first")
}

func gaveUp(t *testing.T, s *shelf) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, get := s.s.Get(ctx, me, "profile")
	_, put := s.s.Put(ctx, me, "profile", adapters.Record{Data: []byte("x")})
	_, list := s.s.List(ctx, me)
	for call, err := range map[string]error{"Get": get, "Put": put, "List": list, "Forget": s.s.Forget(ctx, me)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: got %v, want context.Canceled", call, err)
		}
	}
	s.want(me, "profile", 0, "")
}

// crowd: of writers that start from the same version one gets through.
func crowd(t *testing.T, s *shelf) {
	const writers, each = 8, 15
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := 0; i < each; {
				r, err := s.s.Get(context.Background(), me, "count")
				if err == nil {
					r.Data, r.By = append(r.Data, '+'), fmt.Sprint(w, ".", i)
					_, err = s.s.Put(context.Background(), me, "count", r)
				}
				if err != nil && !errors.Is(err, adapters.ErrConflict) {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				if err == nil {
					i++
				}
			}
		})
	}
	wg.Wait()
	s.want(me, "count", writers*each, string(bytes.Repeat([]byte("+"), writers*each)))
}

// settingsLikeTheModel plays random calls against the store and a map.
func settingsLikeTheModel(t *testing.T, open func(t *testing.T) adapters.Settings) {
	s := open(t)
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++ // owners of their own for each run, one store for all
		model := map[adapters.Owner]map[string]adapters.Record{}
		owner := rapid.Custom(func(r *rapid.T) adapters.Owner {
			return adapters.Owner(fmt.Sprint(run, ":", rapid.IntRange(0, 1).Draw(r, "who")))
		})
		ctx := context.Background()
		r.Repeat(map[string]func(*rapid.T){
			"put": func(r *rapid.T) {
				of, name := owner.Draw(r, "owner"), rapid.SampledFrom([]string{"a", "b", "rental/1"}).Draw(r, "name")
				old := model[of][name]
				with := adapters.Record{
					Version: old.Version + rapid.SampledFrom([]int64{0, 0, 0, 1, -1}).Draw(r, "off"),
					Data:    []byte(rapid.StringN(1, 20, 60).Draw(r, "data")),
					By:      fmt.Sprint(rapid.IntRange(0, 30).Draw(r, "by")),
				}
				version, err := s.Put(ctx, of, name, with)
				switch {
				case with.By == old.By:
					if err != nil || version != old.Version {
						r.Fatalf("the same effect again: got version %d, %v; want %d", version, err, old.Version)
					}
				case with.Version != old.Version:
					if !errors.Is(err, adapters.ErrConflict) {
						r.Fatalf("Put over %d at %d: got %v, want ErrConflict", with.Version, old.Version, err)
					}
				default:
					if err != nil || version != old.Version+1 {
						r.Fatalf("Put over %d: got version %d, %v", old.Version, version, err)
					}
					with.Version++
					if model[of] == nil {
						model[of] = map[string]adapters.Record{}
					}
					model[of][name] = with
				}
			},
			"remove": func(r *rapid.T) {
				of, name := owner.Draw(r, "owner"), rapid.SampledFrom([]string{"a", "b", "rental/1"}).Draw(r, "name")
				if _, err := s.Put(ctx, of, name, adapters.Record{Version: model[of][name].Version}); err != nil {
					r.Fatalf("removing: %v", err)
				}
				delete(model[of], name)
			},
			"forget": func(r *rapid.T) {
				of := owner.Draw(r, "owner")
				delete(model, of)
				if err := s.Forget(ctx, of); err != nil {
					r.Fatalf("Forget: %v", err)
				}
			},
			"": func(r *rapid.T) {
				for of, want := range model {
					got, err := s.List(ctx, of)
					if err != nil || len(got) != len(want) {
						r.Fatalf("List(%s) = %v, %v; want %v", of, got, err, want)
					}
					for name, w := range want {
						if !reflect.DeepEqual(got[name], w) {
							r.Fatalf("List(%s) has %q = %+v, want %+v", of, name, got[name], w)
						}
					}
				}
			},
		})
	})
}
