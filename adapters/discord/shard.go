package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// shard is one connection to the gateway, and the session that may outlive it.
type shard struct {
	g         *gateway
	id, count int

	session   string // "" to start anew
	resumeURL string
	seq       atomic.Int64 // of the last event
	deaf      int          // connections in a row that ended because nothing was heard

	conn  *websocket.Conn
	write sync.Mutex
	acked atomic.Bool // the last heartbeat was answered
	mute  atomic.Bool // one was not, before the next was due
}

// intents are what we ask to hear of: who joins which thread, and messages,
// whose text we see only when they are meant for us.
const intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentDirectMessages

// The gateway's operations.
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway
const (
	opEvent     = 0
	opHeartbeat = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opRefused   = 9
	opHello     = 10
	opAck       = 11
)

// payload is what travels in both directions.
type payload struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int64           `json:"s,omitempty"`
	Type string          `json:"t,omitempty"`
}

// Why a connection ended, beside codes of Discord.
var (
	errSessionRefused = errors.New("discord refused the session")
	errReconnect      = errors.New("discord asked to connect anew")
	errDeaf           = errors.New("discord does not answer heartbeats")
)

// How long we wait for what must come at once, and how long an event may be.
const (
	helloWithin = 20 * time.Second
	readyWithin = time.Minute
	writeWithin = 10 * time.Second
	maxEvent    = 64 << 20 // bytes: a large server arrives whole
)

// stayAlive closes a connection in a way that lets the session be resumed:
// any code but 1000 and 1001.
const stayAlive = 4000

// serve connects and hands over events until the connection ends; the error
// says why. started is called when a new session was asked for.
func (s *shard) serve(ctx context.Context, address string, started func()) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		s.session = "" // start at an address that is asked for
		return fmt.Errorf("the gateway's address is not valid")
	}
	u.RawQuery = "v=10&encoding=json"
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: helloWithin}
	conn, _, err := dialer.DialContext(ctx, u.String(), nil)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	s.conn = conn
	conn.SetReadLimit(maxEvent)
	conn.SetCloseHandler(func(int, string) error { s.hangUp(stayAlive); return nil })
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { s.hangUp(websocket.CloseNormalClosure); conn.Close() })()

	var hello struct {
		Interval int64 `json:"heartbeat_interval"` // milliseconds
	}
	if err := s.expect(opHello, &hello); err != nil {
		return s.ended(err)
	}
	if err := s.introduce(started); err != nil {
		return s.ended(err)
	}
	var beating sync.WaitGroup
	done := make(chan struct{})
	defer func() { // the next connection takes this one's place: no beat may be under way
		close(done)
		conn.Close()
		beating.Wait()
	}()
	s.acked.Store(true)
	s.mute.Store(false)
	beating.Go(func() { s.beat(max(time.Duration(hello.Interval)*time.Millisecond, 10*time.Millisecond), done) })
	return s.ended(s.listen())
}

// expect reads one payload, which must be of that kind.
func (s *shard) expect(op int, into any) error {
	s.conn.SetReadDeadline(time.Now().Add(helloWithin))
	var p payload
	if err := s.conn.ReadJSON(&p); err != nil {
		return err
	}
	if p.Op != op {
		return fmt.Errorf("discord began with operation %d, not %d", p.Op, op)
	}
	return json.Unmarshal(p.Data, into)
}

// introduce resumes the session, or asks for a new one.
func (s *shard) introduce(started func()) error {
	if s.session != "" {
		return s.send(opResume, map[string]any{"token": s.g.d.c.Token, "session_id": s.session, "seq": s.seq.Load()})
	}
	err := s.send(opIdentify, map[string]any{
		"token": s.g.d.c.Token, "intents": intents, "shard": [2]int{s.id, s.count},
		"properties": map[string]string{"os": runtime.GOOS, "browser": "gpuadvisor", "device": "gpuadvisor"},
	})
	started()
	return err
}

func (s *shard) send(op int, data any) error {
	s.write.Lock()
	defer s.write.Unlock()
	s.conn.SetWriteDeadline(time.Now().Add(writeWithin))
	return s.conn.WriteJSON(map[string]any{"op": op, "d": data})
}

// beat keeps the connection alive. A beat that is not answered before the next
// one is due means that nobody is there any more.
func (s *shard) beat(every time.Duration, done <-chan struct{}) {
	next := time.NewTimer(upTo(every)) // not all bots at once
	defer next.Stop()
	for {
		select {
		case <-done:
			return
		case <-next.C:
		}
		if !s.acked.Swap(false) {
			s.mute.Store(true)
			s.hangUp(stayAlive)
			s.conn.Close()
			return
		}
		if s.send(opHeartbeat, s.seq.Load()) != nil {
			s.conn.Close()
			return
		}
		next.Reset(every)
	}
}

// hangUp says why we go.
func (s *shard) hangUp(code int) {
	s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
}

// listen takes payloads until there are no more.
func (s *shard) listen() error {
	ready := false
	defer func() {
		if ready {
			s.g.d.stats.connected.Add(-1)
		}
	}()
	s.conn.SetReadDeadline(time.Now().Add(readyWithin))
	for {
		var p payload
		_, raw, err := s.conn.ReadMessage()
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			s.g.d.log.Warn("discord gateway: a payload that is no JSON", "bytes", len(raw))
			continue
		}
		switch p.Op {
		case opHeartbeat:
			if err := s.send(opHeartbeat, s.seq.Load()); err != nil {
				return err
			}
		case opAck:
			s.acked.Store(true)
			s.deaf = 0
		case opReconnect:
			s.hangUp(stayAlive)
			return errReconnect
		case opRefused:
			if again := false; json.Unmarshal(p.Data, &again) != nil || !again {
				s.forget()
			}
			s.hangUp(stayAlive)
			return errSessionRefused
		case opEvent:
			s.seq.Store(p.Seq)
			if s.event(p) && !ready {
				ready = true
				s.g.d.stats.connected.Add(1)
				s.conn.SetReadDeadline(time.Time{}) // from now on heartbeats tell
			}
		}
	}
}

// event hands over what happened, and reports whether it was the event that
// ends the introduction.
func (s *shard) event(p payload) (ready bool) {
	d := s.g.d
	switch p.Type {
	case "READY":
		var r struct {
			Session string              `json:"session_id"`
			URL     string              `json:"resume_gateway_url"`
			App     struct{ ID string } `json:"application"`
		}
		if json.Unmarshal(p.Data, &r) == nil {
			s.session, s.resumeURL = r.Session, r.URL
			if s.resumeURL == "" {
				s.resumeURL = s.g.address()
			}
		}
		d.log.Info("discord gateway: ready", "shard", s.id)
		return true
	case "RESUMED":
		d.log.Info("discord gateway: resumed", "shard", s.id)
		return true
	case "INTERACTION_CREATE":
		in, err := readInteraction(p.Data)
		if err != nil {
			d.log.Warn("discord gateway: an interaction that we cannot read", "err", err)
			return false
		}
		d.interaction(in, callback{d, in})
	case "MESSAGE_CREATE":
		var m message
		if err := json.Unmarshal(p.Data, &m); err != nil {
			d.log.Warn("discord gateway: a message that we cannot read")
			return false
		}
		d.written(&m)
	}
	return false
}

// forget drops the session: the next connection starts a new one.
func (s *shard) forget() {
	s.session, s.resumeURL = "", ""
	s.seq.Store(0)
}

// ended tells what the end of a connection means for the next one.
func (s *shard) ended(err error) error {
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		if why, ok := final[closed.Code]; ok {
			return &refusal{closed.Code, why}
		}
		switch closed.Code {
		case 4003, 4005, 4007, 4009: // not identified, twice, a wrong sequence, timed out
			s.forget()
		}
		return fmt.Errorf("discord closed the connection: %w", err)
	}
	if s.mute.Load() {
		if s.deaf++; s.deaf > 1 { // resuming did not help
			s.forget()
		}
		return fmt.Errorf("%w: %w", errDeaf, err)
	}
	return err
}
