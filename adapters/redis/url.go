package redis

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// url.go reads REDIS_URL:
//
//	redis://[user:password@]host[:port][/database]     one Redis
//	rediss://…                                          over TLS
//	redis://host:port,host:port,…                       a Cluster
//	redis://sentinel:port,sentinel:port?master=NAME     what those Sentinels call NAME
//
// Options behind the question mark: master; cluster=true (a Cluster behind one
// host name); db; sentinel_user, sentinel_password; ca, cert, key (PEM files
// for TLS); insecure=true (any certificate). What net/url would refuse in a
// list of hosts or in a password is read here; no error repeats the URL,
// because it holds a password.

// target is what a URL says.
type target struct {
	options redis.UniversalOptions
	secrets []string // never to be shown
}

func parse(raw string) (*target, error) {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(raw), "://")
	if !ok || scheme != "redis" && scheme != "rediss" {
		return nil, errors.New("a Redis URL begins with redis:// or rediss://")
	}
	rest, query, _ := strings.Cut(rest, "?")
	t := &target{options: settled()}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		t.login(rest[:at])
		rest = rest[at+1:]
	}
	hosts, db, _ := strings.Cut(rest, "/")
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("what follows the ? of the Redis URL is not name=value&name=value")
	}
	if db == "" {
		db = values.Get("db")
	}
	if db != "" {
		if t.options.DB, err = strconv.Atoi(db); err != nil || t.options.DB < 0 {
			return nil, errors.New("the database of the Redis URL is not a number")
		}
	}
	if err := t.query(values, scheme == "rediss"); err != nil {
		return nil, err
	}
	if err := t.hosts(hosts); err != nil {
		return nil, err
	}
	if t.options.DB != 0 && t.options.MasterName == "" && (t.options.IsClusterMode || len(t.options.Addrs) > 1) {
		return nil, errors.New("a Redis Cluster has no numbered databases: leave the number out of the URL")
	}
	return t, nil
}

// settled are the options that do not depend on the URL. A call that the
// context ends is over at once (ContextTimeoutEnabled). Connections end after a while so that a name that points elsewhere, or a
// primary that became a replica, is noticed.
func settled() redis.UniversalOptions {
	return redis.UniversalOptions{
		ContextTimeoutEnabled: true,
		DialTimeout:           time.Second,
		DialerRetries:         1,
		ReadTimeout:           time.Second,
		WriteTimeout:          time.Second,
		PoolSize:              poolSize,
		PoolTimeout:           time.Second,
		ConnMaxIdleTime:       5 * time.Minute,
		ConnMaxLifetime:       5 * time.Minute,
		ConnMaxLifetimeJitter: time.Minute,
		MaxRetries:            -1, // do asks again, with a pause
		MaxRedirects:          5,
		ClientName:            "gpuadvisor",
		DisableIdentity:       true,
		PipelinePoolSize:      -1,
		MaintNotificationsConfig: &maintnotifications.Config{
			Mode: maintnotifications.ModeDisabled,
		},
	}
}

// poolSize is how many calls may be under way at once, per Redis server.
const poolSize = 64

func (t *target) login(s string) {
	user, password, _ := strings.Cut(s, ":")
	t.options.Username, t.options.Password = unescape(user), unescape(password)
	t.hide(password, t.options.Password)
}

// unescape reads percent escapes; a password that is none of them stands for
// itself.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

func (t *target) hide(secrets ...string) {
	for _, s := range secrets {
		if s != "" {
			t.secrets = append(t.secrets, s)
		}
	}
}

func (t *target) query(values url.Values, secure bool) error {
	var ca, cert, key string
	insecure := false
	for name := range values {
		v := values.Get(name)
		switch name {
		case "db":
		case "master":
			t.options.MasterName = v
		case "cluster":
			t.options.IsClusterMode = v == "true"
		case "sentinel_user":
			t.options.SentinelUsername = v
		case "sentinel_password":
			t.options.SentinelPassword = v
			t.hide(v, url.QueryEscape(v))
		case "ca":
			ca = v
		case "cert":
			cert = v
		case "key":
			key = v
		case "insecure":
			insecure = v == "true"
		default:
			return fmt.Errorf("the Redis URL has an option %.30q; there are master, cluster, db, sentinel_user, sentinel_password, ca, cert, key, insecure", name)
		}
	}
	if !secure {
		if ca != "" || cert != "" || key != "" || insecure {
			return errors.New("the Redis URL has options for TLS but begins with redis://: write rediss://")
		}
		return nil
	}
	return t.secure(ca, cert, key, insecure)
}

func (t *target) secure(ca, cert, key string, insecure bool) error {
	c := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: insecure}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return fmt.Errorf("option ca of the Redis URL: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return errors.New("option ca of the Redis URL: the file holds no certificate")
		}
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return fmt.Errorf("options cert and key of the Redis URL: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	t.options.TLSConfig = c
	return nil
}

func (t *target) hosts(list string) error {
	port := "6379"
	if t.options.MasterName != "" {
		port = "26379"
	}
	for h := range strings.SplitSeq(list, ",") {
		if h = strings.TrimSpace(h); h == "" {
			continue
		}
		host, p, err := net.SplitHostPort(h)
		if err != nil { // no port
			host, p = strings.Trim(h, "[]"), port
		}
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return errors.New("a port of the Redis URL is not a number from 1 to 65535; in a password write : @ / ? # % as %3A %40 %2F %3F %23 %25")
		}
		t.options.Addrs = append(t.options.Addrs, net.JoinHostPort(host, p))
	}
	if len(t.options.Addrs) == 0 {
		return errors.New("the Redis URL names no host")
	}
	// Commands go to the first address alone unless this is a Cluster.
	if t.options.TLSConfig != nil && t.options.MasterName == "" && len(t.options.Addrs) == 1 {
		host, _, _ := net.SplitHostPort(t.options.Addrs[0])
		t.options.TLSConfig.ServerName = host
	}
	return nil
}
