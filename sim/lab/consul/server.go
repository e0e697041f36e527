package consul

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// commit is how long an entry takes from its proposal until it is applied.
const commit = 5 * time.Millisecond

// config is what differs between servers.
type config struct {
	peer       string // that copies this server, or that it copies at its start; "": none
	leads      bool   // at the beginning
	replicated bool   // not in Consul: the lock-delay is part of the state, and looked at when an entry is applied
}

// entry is the key that stands for the lock.
type entry struct {
	session     string // "": free
	lockIndex   uint64
	modifyIndex uint64
}

// session is as the state has it.
type session struct {
	ttl, delay time.Duration
	node       string // whose health check it is bound to; "": none
}

// server is one server.
type server struct {
	config
	*lab.Node
	index    uint64
	key      entry
	opened   int
	sessions map[string]session
	ends     map[string]time.Time // memory of the leader: when sessions are invalidated
	delayed  time.Time            // memory of each server: until when the key must not be acquired
	changes  []lab.Request        // blocking queries
}

// serve is the program of a server.
func (c config) serve(n *lab.Node) {
	s := &server{config: c, Node: n, sessions: map[string]session{}, ends: map[string]time.Time{}}
	n.Serve(s.request)
	n.OnNews(s.news)
	if c.peer != "" && !c.leads {
		s.restore()
	}
	for {
		n.Sleep(100 * time.Millisecond)
		s.invalidate()
	}
}

// request executes a request of a client, on the leader.
func (s *server) request(r lab.Request) {
	f := strings.Fields(r.Text)
	switch f[0] {
	case "create": // create TTL LockDelay node
		s.propose(r.Text, func(answer string) { s.Answer(r, answer) })
	case "renew":
		x, lives := s.sessions[f[1]]
		if !lives {
			s.Answer(r, "404")
			return
		}
		s.ends[f[1]] = s.Now().Add(2 * x.ttl)
		s.Answer(r, "ok")
	case "acquire":
		if !s.replicated && s.Now().Before(s.delayed) {
			s.Answer(r, "false")
			return
		}
		s.propose(r.Text, func(answer string) { s.Answer(r, answer) })
	case "get": // get index: answered when the key has changed since
		if f[1] == strconv.FormatUint(s.key.modifyIndex, 10) {
			s.changes = append(s.changes, r)
			return
		}
		s.Answer(r, s.shown())
	case "snapshot":
		s.Answer(r, s.snapshot())
	default:
		s.propose(r.Text, func(answer string) { s.Answer(r, answer) })
	}
}

// shown is the key as a client reads it.
func (s *server) shown() string {
	return fmt.Sprintf("%d %d %s", s.key.modifyIndex, s.key.lockIndex, "/"+s.key.session)
}

// propose has an entry of the log applied a moment later, in the order of proposals, here and where
// this server is copied.
func (s *server) propose(text string, done func(answer string)) {
	s.After(commit, func() {
		answer := s.apply(text)
		if s.peer != "" {
			s.Tell(s.peer, "entry "+text)
		}
		if done != nil {
			done(answer)
		}
	})
}

// apply changes the state.
func (s *server) apply(text string) string {
	f := strings.Fields(text)
	s.index++
	switch f[0] {
	case "create":
		s.opened++
		id := fmt.Sprintf("s%d", s.opened)
		x := session{ttl: milliseconds(f[1]), delay: milliseconds(f[2]), node: f[3]}
		s.sessions[id], s.ends[id] = x, s.Now().Add(2*x.ttl)
		return id
	case "acquire":
		return s.acquire(f[1])
	case "release":
		if s.key.session == f[1] {
			s.change(func() { s.key.session = "" })
		}
	case "delete":
		s.change(func() { s.key = entry{} })
	case "destroy":
		s.destroy(f[1])
	}
	return "ok"
}

func (s *server) acquire(id string) string {
	_, lives := s.sessions[id]
	switch {
	case !lives:
		return "404"
	case s.replicated && s.Now().Before(s.delayed):
		return "false"
	case s.key.session != "" && s.key.session != id:
		return "false"
	case s.key.session == "":
		s.change(func() {
			s.key.session = id
			s.key.lockIndex++
		})
	}
	return fmt.Sprintf("true %d %d", s.key.lockIndex, s.key.modifyIndex)
}

// destroy ends a session, and frees its key for the time after the lock-delay.
func (s *server) destroy(id string) {
	x, lives := s.sessions[id]
	if !lives {
		return
	}
	delete(s.sessions, id)
	delete(s.ends, id)
	if s.key.session == id {
		s.delayed = s.Now().Add(x.delay)
		s.change(func() { s.key.session = "" })
	}
}

// change changes the key, and answers the queries that wait for that.
func (s *server) change(f func()) {
	f()
	s.key.modifyIndex = s.index
	for _, r := range s.changes {
		s.Answer(r, s.shown())
	}
	s.changes = nil
}

func milliseconds(text string) time.Duration {
	n, _ := strconv.Atoi(text)
	return time.Duration(n) * time.Millisecond
}
