package discord

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// gate is the gateway.
type gate struct {
	f                              *fake
	mu                             sync.Mutex
	interval                       time.Duration
	sessions                       map[string]*fakeSession
	identified                     []time.Time
	shardsSeen                     [][2]int
	intents                        int
	resumes                        int
	closes                         []int // codes that we closed with
	dropAcks                       bool
	refuse                         int // close code for whoever identifies
	refuseSession                  int // so many identifies are answered with op 9
	shards, concurrency, remaining int
	deafTo                         int // so many connections get no hello
}

type fakeSession struct {
	id    string
	shard [2]int
	seq   int64
	kept  []payload
	conn  *fakeConn
}

type fakeConn struct {
	mu sync.Mutex
	*websocket.Conn
}

func (c *fakeConn) send(v any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.WriteJSON(v)
}

func (g *gate) url() string { return "ws" + strings.TrimPrefix(g.f.server.URL, "http") + "/gateway" }

var upgrader = websocket.Upgrader{}

func (g *gate) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer raw.Close()
	c := &fakeConn{Conn: raw}
	g.mu.Lock()
	silent := g.deafTo > 0
	g.deafTo--
	g.mu.Unlock()
	if !silent {
		c.send(map[string]any{"op": opHello, "d": map[string]any{"heartbeat_interval": g.interval.Milliseconds()}})
	}
	var s *fakeSession
	for {
		var p payload
		if err := raw.ReadJSON(&p); err != nil {
			if e, ok := err.(*websocket.CloseError); ok {
				g.mu.Lock()
				g.closes = append(g.closes, e.Code)
				if s != nil && (e.Code == 1000 || e.Code == 1001) {
					delete(g.sessions, s.id)
				}
				g.mu.Unlock()
			}
			return
		}
		switch p.Op {
		case opHeartbeat:
			g.mu.Lock()
			drop := g.dropAcks
			g.mu.Unlock()
			if !drop {
				c.send(map[string]any{"op": opAck})
			}
		case opIdentify:
			if s = g.identify(c, p.Data); s == nil {
				return
			}
		case opResume:
			if s = g.resume(c, p.Data); s == nil {
				c.send(map[string]any{"op": opRefused, "d": false})
			}
		}
	}
}

func (g *gate) identify(c *fakeConn, data json.RawMessage) *fakeSession {
	var d struct {
		Token   string
		Intents int
		Shard   [2]int
	}
	json.Unmarshal(data, &d)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.identified = append(g.identified, time.Now())
	g.shardsSeen = append(g.shardsSeen, d.Shard)
	g.intents = d.Intents
	g.remaining--
	code := g.refuse
	if d.Token != fakeToken {
		code = 4004
	}
	if code != 0 {
		c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
		return nil
	}
	if g.refuseSession > 0 {
		g.refuseSession--
		c.send(map[string]any{"op": opRefused, "d": false})
		return &fakeSession{}
	}
	s := &fakeSession{id: fmt.Sprint("session", len(g.identified)), conn: c, shard: d.Shard}
	for id, old := range g.sessions {
		if old.shard == s.shard {
			delete(g.sessions, id)
		}
	}
	g.sessions[s.id] = s
	raw, _ := json.Marshal(map[string]any{"session_id": s.id, "resume_gateway_url": g.url(), "application": map[string]any{"id": fakeApp}})
	s.send("READY", raw)
	return s
}

func (g *gate) resume(c *fakeConn, data json.RawMessage) *fakeSession {
	var d struct {
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	json.Unmarshal(data, &d)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resumes++
	s := g.sessions[d.Session]
	if s == nil {
		return nil
	}
	s.conn = c
	for _, p := range s.kept {
		if p.Seq > d.Seq {
			c.send(p)
		}
	}
	s.send("RESUMED", []byte("{}"))
	return s
}

// send gives an event to the session; g.mu is held.
func (s *fakeSession) send(kind string, data []byte) {
	s.seq++
	p := payload{Op: opEvent, Seq: s.seq, Type: kind, Data: data}
	s.kept = append(s.kept, p)
	s.kept = s.kept[max(0, len(s.kept)-500):]
	s.conn.send(p)
}

// dispatch gives an event to whoever is there, waiting for somebody.
func (g *gate) dispatch(kind string, data []byte) {
	for range 1000 {
		g.mu.Lock()
		for _, s := range g.sessions {
			s.send(kind, data)
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
	g.f.t.Errorf("nobody is connected to take %s", kind)
}

// each does something with every connection.
func (g *gate) each(do func(s *fakeSession)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions {
		do(s)
	}
}

func (g *gate) state() (identified, resumed int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.identified), g.resumes
}
