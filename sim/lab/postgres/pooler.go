package postgres

import (
	"maps"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// pooling is how PgBouncer is set up.
type pooling struct {
	session bool // pool_mode session, the default; else transaction
	reset   bool // server_reset_query = DISCARD ALL, when a session ends
}

// pooler is PgBouncer with two backends.
type pooler struct {
	pooling
	*lab.Node
	idle   []string          // backends; the last one is lent first
	lent   map[string]string // backend, by client, for longer than a statement
	silent map[string]time.Duration
}

// poolSize is how many backends there are.
const poolSize = 2

// serve is the program of the pooler.
func (p pooling) serve(n *lab.Node) {
	s := &pooler{pooling: p, Node: n, lent: map[string]string{}, silent: map[string]time.Duration{}}
	n.Serve(func(r lab.Request) { n.Go("client", func() { s.request(r) }) })
	for len(s.idle) < poolSize {
		if name, ok := n.Call(one, "connect", time.Second); ok {
			s.idle = append(s.idle, name)
		}
	}
	slices.Reverse(s.idle)
	for {
		n.Sleep(time.Second)
		s.probe()
	}
}

// request runs a statement of a client on a backend.
func (s *pooler) request(r lab.Request) {
	switch r.Text {
	case "connect":
		s.Answer(r, "pooled")
		return
	case "begin":
		s.lent[r.From] = s.take()
		s.Answer(r, "ok")
		return
	case "commit": // ends what the transaction had
		s.Call(one, s.lent[r.From]+" discard", time.Hour)
		s.give(r.From)
		s.Answer(r, "ok")
		return
	case "close":
		s.end(r.From)
		s.Answer(r, "ok")
		return
	}
	name, lent := s.lent[r.From]
	if !lent {
		name = s.take()
		if s.session {
			s.lent[r.From] = name
		}
	}
	answer, _ := s.Call(one, name+" "+r.Text, time.Hour)
	if _, lent := s.lent[r.From]; !lent {
		s.idle = append(s.idle, name)
	}
	if r.Text == "lock" || r.Text == "unlock" {
		s.Note("%s of %s on %s: %s", r.Text, r.From, name, answer)
	}
	s.Answer(r, answer)
}

// take waits for an idle backend.
func (s *pooler) take() string {
	for len(s.idle) == 0 {
		s.Sleep(10 * time.Millisecond)
	}
	name := s.idle[len(s.idle)-1]
	s.idle = s.idle[:len(s.idle)-1]
	return name
}

// give takes a lent backend back.
func (s *pooler) give(client string) {
	if name, lent := s.lent[client]; lent {
		s.idle = append(s.idle, name)
		delete(s.lent, client)
	}
}

// end ends the session of a client.
func (s *pooler) end(client string) {
	if name, lent := s.lent[client]; lent && s.reset {
		s.Call(one, name+" discard", time.Hour)
	}
	s.give(client)
}

// probe ends the sessions of clients whose connections are dead.
func (s *pooler) probe() {
	for _, client := range slices.Sorted(maps.Keys(s.lent)) {
		s.silent[client] += time.Second
		if s.Reaches(client) {
			s.silent[client] = 0
		}
		if s.silent[client] >= silence {
			s.Note("the connection of %s is dead: takes %s back", client, s.lent[client])
			s.end(client)
		}
	}
}
