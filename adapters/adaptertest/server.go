//go:build unix

package adaptertest

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a redis-server process of the test's own, on a port of the
// loopback interface. It writes an append-only file, synced every second,
// unless it is told otherwise.
type Server struct {
	Addr string // host:port
	Port string

	t    testing.TB
	dir  string
	args []string
	cmd  *exec.Cmd
}

// Redis starts a redis-server with further arguments. Where none is installed
// it says so and returns nil, unless the environment has TEST_REDIS=required.
func Redis(t testing.TB, args ...string) *Server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("TEST_REDIS") == "required" {
			t.Fatalf("TEST_REDIS=required, but there is no redis-server on PATH")
		}
		t.Log("no redis-server on PATH: only the in-process one was tested here; TEST_REDIS=required makes this fail")
		return nil
	}
	s := &Server{t: t, dir: t.TempDir(), args: args, Port: FreePort(t)}
	s.Addr = net.JoinHostPort("127.0.0.1", s.Port)
	t.Cleanup(s.end)
	s.Start()
	return s
}

// FreePort is a port that nobody uses now, nor the one 10,000 above it, where
// the nodes of a Cluster talk to each other.
func FreePort(t testing.TB) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		if port > 65535-10_000 {
			continue
		}
		if above, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+10_000))); err == nil {
			above.Close()
			return strconv.Itoa(port)
		}
	}
}

// Sentinel starts a Sentinel that watches a primary, with two of them to agree
// that it is down after two seconds.
func Sentinel(t testing.TB, name string, primary *Server) *Server {
	t.Helper()
	s := &Server{t: t, dir: t.TempDir(), Port: FreePort(t)}
	s.Addr = net.JoinHostPort("127.0.0.1", s.Port)
	t.Cleanup(s.end)
	config := filepath.Join(s.dir, "sentinel.conf")
	text := fmt.Sprintf(`port %s
bind 127.0.0.1
dir %s
logfile log
sentinel monitor %[3]s 127.0.0.1 %[4]s 2
sentinel down-after-milliseconds %[3]s 2000
sentinel failover-timeout %[3]s 10000
`, s.Port, s.dir, name, primary.Port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("redis-server", config, "--sentinel")
	return s
}

// Start starts the server, again after Kill: with the same port and files.
func (s *Server) Start() {
	s.t.Helper()
	args := append([]string{
		"--port", s.Port, "--bind", "127.0.0.1", "--dir", s.dir, "--save", "",
		"--appendonly", "yes", "--appendfsync", "everysec", "--logfile", "log",
	}, s.args...)
	s.run("redis-server", args...)
}

// run starts the process with these arguments and waits until it answers.
func (s *Server) run(name string, args ...string) {
	s.t.Helper()
	s.cmd = exec.Command(name, args...)
	s.cmd.Dir = s.dir
	if err := s.cmd.Start(); err != nil {
		s.t.Fatalf("start %s: %v", name, err)
	}
	for end := time.Now().Add(10 * time.Second); !s.answers(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			s.t.Fatalf("%s does not answer on %s; its log:\n%s", name, s.Addr, log)
		}
	}
}

// answers tells whether the server takes commands: any answer but "loading".
func (s *Server) answers() bool {
	line, err := s.command("PING")
	return err == nil && line != "" && !strings.HasPrefix(line, "-LOADING")
}

// command sends a line to the server and returns the first line of its answer.
func (s *Server) command(line string) (string, error) {
	c, err := net.DialTimeout("tcp", s.Addr, time.Second)
	if err != nil {
		return "", err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Second))
	fmt.Fprintf(c, "%s\r\n", line)
	return bufio.NewReader(c).ReadString('\n')
}

// Flush empties the server.
func (s *Server) Flush() {
	s.t.Helper()
	if got, err := s.command("FLUSHALL"); err != nil || !strings.HasPrefix(got, "+OK") {
		s.t.Fatalf("flush: %q, %v", got, err)
	}
}

// Kill ends the server at once, as kill -9 does.
func (s *Server) Kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatalf("kill the server: %v", err)
	}
	s.cmd.Wait()
}

// Pause stops the server in the middle of whatever it does; Resume lets it go
// on.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Resume lets a paused server go on.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("signal the server: %v", err)
	}
}

// end ends the server when the test is over.
func (s *Server) end() {
	if s.cmd != nil && s.cmd.ProcessState == nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	}
}

// URL is the address as REDIS_URL has it.
func (s *Server) URL() string { return "redis://" + s.Addr }
