//go:build scale

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// scale_fleet_test.go has the machines of the load: a Redis Cluster, replicas
// of the real program, and the door in front of them.

// --- Redis Cluster -----------------------------------------------------------

// redisNode is a redis-server.
type redisNode struct {
	port int
	cmd  *exec.Cmd
}

func (n *redisNode) at() string { return "127.0.0.1:" + strconv.Itoa(n.port) }

// newCluster starts three primaries with a replica each, with appendonly as
// the README asks for, and a failover after two seconds instead of fifteen.
func newCluster(t *testing.T) []*redisNode {
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatal("this needs redis-server (on Debian: apt-get install redis-server)")
	}
	var nodes []*redisNode
	create := []string{"--cluster", "create"}
	for range 6 {
		n := &redisNode{port: freePort(t)}
		n.cmd = exec.Command("redis-server", "--port", strconv.Itoa(n.port), "--cluster-port", strconv.Itoa(freePort(t)), "--bind", "127.0.0.1",
			"--dir", t.TempDir(), "--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--appendonly", "yes", "--save", "",
			"--maxmemory-policy", "noeviction", "--logfile", "redis.log")
		if err := n.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.cmd.Process.Kill(); n.cmd.Wait() })
		nodes = append(nodes, n)
		create = append(create, n.at())
	}
	for _, n := range nodes {
		eventually(t, "redis at "+n.at(), func() bool { return redisSays(n, "PING") == "PONG" })
	}
	out, err := exec.Command("redis-cli", append(create, "--cluster-replicas", "1", "--cluster-yes")...).CombinedOutput()
	if err != nil {
		t.Fatalf("make the cluster: %v\n%s", err, out)
	}
	eventually(t, "the cluster", func() bool {
		for _, n := range nodes {
			if !strings.Contains(redisSays(n, "CLUSTER", "INFO"), "cluster_state:ok") {
				return false
			}
		}
		return true
	})
	return nodes
}

func redisSays(n *redisNode, command ...string) string {
	out, _ := exec.Command("redis-cli", append([]string{"-p", strconv.Itoa(n.port)}, command...)...).CombinedOutput()
	return strings.TrimSpace(string(out))
}

func clusterURL(nodes []*redisNode) string {
	var hosts []string
	for _, n := range nodes {
		hosts = append(hosts, n.at())
	}
	return "redis://" + strings.Join(hosts, ",")
}

func freePort(t *testing.T) int {
	_, port, _ := net.SplitHostPort(freeAddress(t))
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// --- replicas ----------------------------------------------------------------

// replica is one process of the real program.
type replica struct {
	cmd    *exec.Cmd
	listen string
	log    lines
	mu     sync.Mutex
	cpu    time.Duration // when it ended, or was last looked at
	began  time.Duration // before the load
	most   int64         // bytes of memory, the most that was seen
	dead   atomic.Bool
}

// build builds the program as it is released.
func buildProgram(t *testing.T) string {
	bin := filepath.Join(t.TempDir(), "gpuadvisor")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// newReplica starts the program with settings.
func newReplica(t *testing.T, bin string, settings ...string) *replica {
	r := &replica{listen: freeAddress(t)}
	r.cmd = exec.Command(bin, "serve")
	r.cmd.Env = append([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "LISTEN=" + r.listen}, settings...)
	r.cmd.Stdout, r.cmd.Stderr = &r.log, &r.log
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.kill()
		if t.Failed() {
			t.Logf("the log of %s ends:\n%s", r.listen, lastLines(r.log.String(), 20))
		}
	})
	return r
}

func (r *replica) ready() bool {
	status, _ := ask(r.listen, "/readyz")
	return status == 200
}

// kill is kill -9.
func (r *replica) kill() {
	r.look()
	if r.dead.CompareAndSwap(false, true) {
		r.cmd.Process.Signal(syscall.SIGKILL)
		r.cmd.Wait()
	}
}

// look notes CPU time and memory, as /proc has them.
func (r *replica) look() {
	if r.dead.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	pid := strconv.Itoa(r.cmd.Process.Pid)
	if b, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil {
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		user, _ := strconv.ParseInt(f[11], 10, 64)
		system, _ := strconv.ParseInt(f[12], 10, 64)
		r.cpu = time.Duration(user+system) * 10 * time.Millisecond // in ticks of 1/100 s
	}
	r.most = max(r.most, r.resident())
}

// resident is the memory that it takes, in bytes.
func (r *replica) resident() int64 {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(r.cmd.Process.Pid) + "/status")
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kib, 10, 64)
	return n << 10
}

// --- the door ----------------------------------------------------------------

// door is what a balancer does: each request to the next replica that takes
// connections. What a dying one had taken already fails.
type door struct {
	server   *httptest.Server
	replicas []*replica
	next     atomic.Uint64
}

// errNoConnection: the request never got there, another may have it.
var errNoConnection = errors.New("no connection")

func newDoor(t *testing.T, replicas []*replica) *door {
	d := &door{replicas: replicas}
	d.server = httptest.NewServer(d)
	t.Cleanup(d.server.Close)
	return d
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	for range d.replicas {
		to := d.replicas[d.next.Add(1)%uint64(len(d.replicas))]
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		taken := true
		d.proxy(to, func() { taken = false }).ServeHTTP(w, r)
		if taken {
			return
		}
	}
	w.WriteHeader(http.StatusServiceUnavailable)
}

// proxy brings a request to a replica; untaken is called when that takes no
// connections.
func (d *door) proxy(to *replica, untaken func()) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: to.listen}) },
		Transport: doorTransport,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if errors.Is(err, errNoConnection) {
				untaken()
				return
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
}

var doorTransport = &http.Transport{
	MaxIdleConnsPerHost: 200,
	DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, network, address)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNoConnection, err)
		}
		return c, nil
	},
}

func lastLines(s string, n int) string {
	all := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
