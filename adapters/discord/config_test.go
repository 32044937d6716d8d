package discord

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// TestConfig: every mistake gets the complaint that it deserves, all at once,
// and none shows the token.
func TestConfig(t *testing.T) {
	good := Config{Token: fakeToken, Texts: words(advisor.Commands())}
	for _, tt := range []struct {
		name string
		bend func(*Config)
		want []string // in the complaint; none: it is fine
	}{
		{"fine", func(*Config) {}, nil},
		{"http", func(c *Config) { c.PublicKey = strings.Repeat("ab", 32) }, nil},
		{"an address with a path", func(c *Config) { c.URL = "http://127.0.0.1:9083/proxy/" }, nil},
		{"no token", func(c *Config) { c.Token = "  " }, []string{"token", "Reset Token"}},
		{"a token with its kind", func(c *Config) { c.Token = "Bot " + fakeToken }, []string{`without "Bot "`}},
		{"a short key", func(c *Config) { c.PublicKey = "abcd" }, []string{"64 hexadecimal digits"}},
		{"an application by name", func(c *Config) { c.Application = "gpuadvisor" }, []string{`"gpuadvisor" is not a number`}},
		{"a server by name", func(c *Config) { c.Guilds = []string{"1", "home"} }, []string{`"home" is not an id`}},
		{"no address", func(c *Config) { c.URL = "discord.com" }, []string{"https://discord.com"}},
		{"an address with a password", func(c *Config) { c.URL = "https://a:" + fakeToken + "@x.example" }, []string{"https://discord.com"}},
		{"two mistakes", func(c *Config) { c.Token, c.PublicKey = "", "x" }, []string{"token", "hexadecimal"}},
	} {
		c := good
		tt.bend(&c)
		_, err := New(c)
		if (err == nil) != (tt.want == nil) {
			t.Errorf("%s: got %v", tt.name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), fakeToken) {
				t.Errorf("%s: got %q, want it to say %q", tt.name, err, want)
			}
		}
	}
}

func TestAddressOfTheAPI(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", "https://discord.com/api/v10"},
		{"http://127.0.0.1:9083", "http://127.0.0.1:9083/api/v10"},
		{"http://127.0.0.1:9083/", "http://127.0.0.1:9083/api/v10"},
		{"https://proxy.example/discord/api/v10", "https://proxy.example/discord/api/v10"},
	} {
		if got, err := apiURL(tt.in); got != tt.want || err != nil {
			t.Errorf("apiURL(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

func TestWrongToken(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{})
	d.rest.token = "another"
	err := d.Serve(t.Context(), (&talk{}).turn)
	if err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("Serve: got %v, want it to name the token", err)
	}
	if n := f.count("GET", "."); n != 1 {
		t.Errorf("a wrong token was tried %d times, want once", n)
	}
	d = quick(t, f, Config{Application: fakeApp})
	d.c.Token, d.rest.token = "another", "another"
	if err := d.Serve(t.Context(), (&talk{}).turn); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("Serve with an application: got %v", err)
	}
}

// TestDiscordIsDown: a start waits until Discord is there.
func TestDiscordIsDown(t *testing.T) {
	f := newFake(t)
	f.fail("GET", "applications/@me$", 503, "<html>", 6)
	f.fail("GET", "gateway/bot", 503, "<html>", 6)
	served(t, quick(t, f, Config{}), (&talk{}).turn)
	if in := (person{f: f, id: ann}).command("gpu"); in.Kind != 4 {
		t.Errorf("got %+v", in)
	}
}

// TestNoSecretShows: whatever goes wrong, no token is in an error or the log.
func TestNoSecretShows(t *testing.T) {
	var log safeBuilder
	f := newFake(t)
	d := quick(t, f, Config{Log: logTo(&log)})
	d.pace.deferAfter = 0
	served(t, d, func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		err := respond(ctx, advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: "x"}}})
		fmt.Fprintf(&log, "%v %+v %#v\n", err, err, err)
	})
	p := person{f: f, id: ann, room: fakeRoom}
	f.breaker(true)
	for range 3 {
		p.begin(2, map[string]any{"name": "gpu"}, nil)
	}
	p.write("hello")
	d.idle()
	f.until(func() bool { return strings.Count(log.String(), "discord") >= 4 })
	f.server.CloseClientConnections()
	f.breaker(false)
	if s := log.String(); strings.Contains(s, fakeToken) || strings.Contains(s, "secret-token") {
		t.Errorf("a token shows in %s", s)
	}
}
