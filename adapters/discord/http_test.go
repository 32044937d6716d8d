package discord

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const ping = `{"id":"4000000000000000001","application_id":"` + fakeApp + `","type":1,"token":"t","version":1}`

func TestPing(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{PublicKey: f.publicKey()})
	w := httptest.NewRecorder()
	d.ServeHTTP(w, f.signed([]byte(ping), time.Now())) // even before Serve: the portal asks when the address is entered
	if w.Code != 200 || strings.TrimSpace(w.Body.String()) != `{"type":1}` || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("got %d %s %q", w.Code, w.Body, w.Header())
	}
}

func TestDoor(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{PublicKey: f.publicKey()})
	other := `{"id":"4000000000000000002","application_id":"99","type":2,"token":"t","channel_id":"1","user":{"id":"5"},"data":{"name":"gpu"}}`
	ours := strings.Replace(other, `"99"`, `"`+fakeApp+`"`, 1)
	sign := func(body string) *http.Request { return f.signed([]byte(body), time.Now()) }
	header := func(r *http.Request, name, value string) *http.Request { r.Header.Set(name, value); return r }
	tampered := sign(ping)
	tampered.Body = io.NopCloser(strings.NewReader(strings.Replace(ping, "t\"", "T\"", 1)))
	_, stranger, _ := ed25519.GenerateKey(nil)
	stamp := fmt.Sprint(time.Now().Unix())
	foreign := header(sign(ping), "X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(stranger, []byte(stamp+ping))))
	for _, tt := range []struct {
		name string
		r    *http.Request
		want int
	}{
		{"well signed", sign(ping), 200},
		{"GET", httptest.NewRequest(http.MethodGet, "/", nil), 405},
		{"no signature", httptest.NewRequest(http.MethodPost, "/", strings.NewReader(ping)), 401},
		{"half a signature", header(sign(ping), "X-Signature-Ed25519", "abcd"), 401},
		{"no hex", header(sign(ping), "X-Signature-Ed25519", strings.Repeat("x", 128)), 401},
		{"somebody else's", foreign, 401},
		{"another body", tampered, 401},
		{"another time", header(sign(ping), "X-Signature-Timestamp", fmt.Sprint(time.Now().Unix()-1)), 401},
		{"no time", header(sign(ping), "X-Signature-Timestamp", ""), 401},
		{"words for a time", header(sign(ping), "X-Signature-Timestamp", "now"), 401},
		{"an hour old", f.signed([]byte(ping), time.Now().Add(-time.Hour)), 401},
		{"from tomorrow", f.signed([]byte(ping), time.Now().Add(24*time.Hour)), 401},
		{"a minute old", f.signed([]byte(ping), time.Now().Add(-time.Minute)), 200},
		{"too long", sign(ping + strings.Repeat(" ", maxBody)), 413},
		{"no JSON", sign("hello"), 400},
		{"nobody", sign(`{"type":2,"id":"1","application_id":"1","token":"x"}`), 400},
		{"a path for an id", sign(strings.Replace(ours, "4000000000000000002", "1/../2", 1)), 400},
		{"before we serve", sign(ours), 503},
	} {
		w := httptest.NewRecorder()
		d.ServeHTTP(w, tt.r)
		if w.Code != tt.want {
			t.Errorf("%s: got %d %s, want %d", tt.name, w.Code, strings.TrimSpace(w.Body.String()), tt.want)
		}
	}
	served(t, d, (&talk{}).turn)
	for _, tt := range []struct {
		name, body string
		want       int
	}{{"another application's", other, 400}, {"ours", ours, 200}, {"again", ours, 409}} {
		w := httptest.NewRecorder()
		d.ServeHTTP(w, sign(tt.body))
		if w.Code != tt.want {
			t.Errorf("%s: got %d %s, want %d", tt.name, w.Code, w.Body, tt.want)
		}
	}
	gateway := quick(t, f, Config{})
	w := httptest.NewRecorder()
	gateway.ServeHTTP(w, sign(ping))
	if w.Code != 404 {
		t.Errorf("without a public key: got %d, want 404", w.Code)
	}
}

// TestPictureOverHTTP: what has files cannot go into the response, so it is
// only acknowledged there.
func TestPictureOverHTTP(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{PublicKey: f.publicKey()})
	served(t, d, pictured)
	in := person{f: f, id: ann, http: d}.begin(2, map[string]any{"name": "help"}, nil)
	f.until(func() bool { return in.Original != nil && in.Status != 0 })
	if in.Status != http.StatusAccepted || in.Original == nil || len(in.Original.Files) != 1 {
		t.Errorf("got status %d, %+v; want 202 and a call with the file", in.Status, in.Original)
	}
}

func FuzzInteraction(f *testing.F) {
	for _, body := range []string{
		ping,
		`{"id":"1","application_id":"2","type":2,"token":"t","channel_id":"3","user":{"id":"5"},"data":{"name":"gpu","options":[{"name":"gpus","value":2},{"name":"x","options":[{"name":"y"}]}]}}`,
		`{"id":"1","application_id":"2","type":3,"token":"t","channel_id":"3","member":{"user":{"id":"5"},"permissions":"8"},"guild_id":"7","message":{"id":"9","components":[{"type":77}]},"data":{"custom_id":"g1:m:5:s:0","values":["a=b"]}}`,
		`{"id":"1","application_id":"2","type":4,"token":"t","channel_id":"3","user":{"id":"5"},"data":{"name":"gpu","options":[{"name":"model","value":"q","focused":true}]}}`,
		`{"id":"1","application_id":"2","type":5,"token":"t","channel_id":"3","user":{"id":"5"},"data":{"custom_id":"g1:t:5:s:gpus","components":[{"component":{"value":"x"}},{"components":[{"value":1}]}]}}`,
		`{"id":"1","application_id":"2","type":2,"token":"t","channel_id":"3","user":{"id":"5"},"data":{"name":"examine","type":3,"target_id":"8","resolved":{"messages":{"8":{"content":"log","components":[{"type":99}]}},"attachments":{"1":{"size":-1}}}}}`,
	} {
		f.Add([]byte(body))
	}
	fake := newFake(f)
	c := Config{Token: fakeToken, URL: fake.url(), PublicKey: fake.publicKey(), Commands: commands(), Texts: words(commands()), Log: silently(), Complete: suggest}
	d, err := New(c)
	if err != nil {
		f.Fatal(err)
	}
	d.setWork(f.Context(), (&talk{}).turn)
	d.rest.client.Timeout = 100 * time.Millisecond
	f.Fuzz(func(t *testing.T, body []byte) {
		var probe struct{ ID string }
		json.Unmarshal(body, &probe)
		d.seen.drop(probe.ID)
		w := httptest.NewRecorder()
		r := fake.signed(body, time.Now())
		d.ServeHTTP(w, r)
		switch w.Code {
		case 200:
			if !json.Valid(w.Body.Bytes()) {
				t.Errorf("the answer is no JSON: %q", w.Body)
			}
		case 202, 400, 409, 413, 503:
		default:
			t.Errorf("got status %d", w.Code)
		}
	})
}

func FuzzSignature(f *testing.F) {
	f.Add("", "", []byte(ping))
	f.Add(strings.Repeat("00", 64), fmt.Sprint(time.Now().Unix()), []byte(ping))
	f.Add("zz", "-9223372036854775808", []byte{})
	fake := newFake(f)
	d, err := New(Config{Token: fakeToken, URL: fake.url(), PublicKey: fake.publicKey(), Texts: words(nil), Commands: commands()[:0], Log: silently()})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, signature, stamp string, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.Header.Set("X-Signature-Ed25519", signature)
		r.Header.Set("X-Signature-Timestamp", stamp)
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		if w.Code != 401 && w.Code != 413 {
			t.Errorf("a made-up signature got %d", w.Code)
		}
	})
}
