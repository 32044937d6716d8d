package redis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	for _, c := range []struct {
		url  string
		want string // addresses, and then what differs from a plain Redis
	}{
		{"redis://localhost", "localhost:6379"},
		{" redis://10.0.0.1:7000/3 ", "10.0.0.1:7000 db=3"},
		{"redis://10.0.0.1/0?db=2", "10.0.0.1:6379 db=0"},
		{"redis://h?db=2", "h:6379 db=2"},
		{"redis://[::1]:7000", "[::1]:7000"},
		{"redis://[::1]", "[::1]:6379"},
		{"redis://:secret@h", "h:6379 password=secret"},
		{"redis://bot:secret@h:1", "h:1 user=bot password=secret"},
		{"redis://bot:p%40ss%2F%3F%25@h:1", "h:1 user=bot password=p@ss/?%"},
		{"redis://bot:p@ss:/word%@h:1/2", "h:1 user=bot password=p@ss:/word% db=2"},
		{"rediss://h", "h:6379 tls=h"},
		{"rediss://h:6380?insecure=true", "h:6380 tls=h insecure"},
		{"redis://a:7000,b:7001,c", "a:7000 b:7001 c:6379"},
		{"rediss://bot:secret@a:7000,b:7001", "a:7000 b:7001 user=bot password=secret tls="},
		{"redis://a:7000?cluster=true", "a:7000 cluster"},
		{"redis://s1,s2:26380?master=main", "s1:26379 s2:26380 master=main"},
		{"redis://bot:x@s1/4?master=main&sentinel_user=u&sentinel_password=a%26b", "s1:26379 master=main user=bot password=x db=4 sentinel=u:a&b"},
	} {
		got, err := parse(c.url)
		if err != nil {
			t.Errorf("parse(%q): %v", c.url, err)
			continue
		}
		if d := describe(got); !slices.Equal(fields(d), fields(c.want)) && d != strings.TrimSuffix(c.want, " db=0") {
			t.Errorf("parse(%q) = %q, want %q", c.url, d, c.want)
		}
	}
}

func fields(s string) []string { return slices.Sorted(strings.FieldsSeq(s)) }

func describe(t *target) string {
	o := t.options
	s := strings.Join(o.Addrs, " ")
	add := func(name, value string) {
		if value != "" {
			s += " " + name + "=" + value
		}
	}
	add("master", o.MasterName)
	add("user", o.Username)
	add("password", o.Password)
	if o.DB != 0 {
		add("db", fmt.Sprint(o.DB))
	}
	if o.SentinelPassword != "" {
		add("sentinel", o.SentinelUsername+":"+o.SentinelPassword)
	}
	if o.IsClusterMode {
		s += " cluster"
	}
	if o.TLSConfig != nil {
		s += " tls=" + o.TLSConfig.ServerName
		if o.TLSConfig.InsecureSkipVerify {
			s += " insecure"
		}
	}
	return s
}

func TestURLMistakes(t *testing.T) {
	for url, want := range map[string]string{
		"":                          "redis://",
		"localhost:6379":            "redis://",
		"http://h":                  "redis://",
		"redis://":                  "no host",
		"redis://,":                 "no host",
		"redis://bot:x@":            "no host",
		"redis://h:port":            "port",
		"redis://h:0":               "port",
		"redis://h:70000":           "port",
		"redis://h:1,b:x":           "port",
		"redis://h/one":             "number",
		"redis://h/-1":              "number",
		"redis://a,b/1":             "Cluster",
		"redis://a/1?cluster=true":  "Cluster",
		"redis://h?pool=3":          "pool",
		"redis://h?a=%zz":           "name=value",
		"redis://h?ca=x":            "rediss://",
		"redis://h?insecure=true":   "rediss://",
		"rediss://h?ca=/nowhere":    "ca",
		"rediss://h?ca=url_test.go": "certificate",
		"rediss://h?cert=a&key=b":   "cert",
	} {
		_, err := parse(url)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%q): got %v, want an error with %q", url, err, want)
		}
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"redis://bot:secret@h:1/2?master=x", "rediss://a,b", "redis://@@:,?&=%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, url string) {
		got, err := parse(url)
		if err == nil && len(got.options.Addrs) == 0 {
			t.Errorf("parse(%q) names no host", url)
		}
		if _, rest, ok := strings.Cut(url, "://"); ok && err != nil {
			if user, _, ok := strings.Cut(rest, "@"); ok && len(user) > 20 && strings.Contains(err.Error(), user) {
				t.Errorf("parse(%q) repeats the password: %v", url, err)
			}
		}
	})
}
