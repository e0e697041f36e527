package postgres

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// silence is after how long without a sign of the other end a connection is closed. By default
// that takes two hours; operators set it to seconds.
const silence = 5 * time.Second

// config is what an operator sets.
type config struct {
	standby string // that is sent the counter; "": none
	waits   bool   // for the standby, before a change is answered (synchronous_commit)
}

// backend is a process that serves a connection.
type backend struct {
	peer string // machine at the other end
	dead time.Duration
}

// server is an instance.
type server struct {
	config
	*lab.Node
	backends map[string]*backend
	started  int
	owner    string // backend that has the lock; "": none
	count    int    // how often it has taken it
	queue    []waiting
	epoch    *uint64                // of all lives
	changed  map[uint64]lab.Request // epochs that wait for the standby
}

// waiting is a backend that waits for the lock.
type waiting struct {
	backend string
	r       lab.Request
}

// serve is the program of an instance. The epoch is in a table, and outlives a power cut; locks and
// backends do not.
func (c config) serve() func(n *lab.Node) {
	epoch := new(uint64)
	return func(n *lab.Node) {
		s := &server{config: c, Node: n, backends: map[string]*backend{}, changed: map[uint64]lab.Request{}, epoch: epoch}
		n.Serve(s.request)
		n.OnNews(s.replication)
		for {
			n.Sleep(time.Second)
			s.probe()
		}
	}
}

// request executes a statement of a backend: its name, and the statement.
func (s *server) request(r lab.Request) {
	if r.Text == "connect" {
		s.started++
		name := fmt.Sprintf("backend-%d", s.started)
		s.backends[name] = &backend{peer: r.From}
		s.Answer(r, name)
		return
	}
	name, statement, _ := strings.Cut(r.Text, " ")
	if s.backends[name] == nil && statement != "holder" {
		s.Answer(r, "error")
		return
	}
	switch statement {
	case "lock":
		s.lock(name, r)
	case "unlock":
		had := s.owner == name
		if had {
			s.free(1)
		}
		s.Answer(r, strconv.FormatBool(had))
	case "epoch":
		s.bump(r)
	case "discard": // all that the session has; also what a transaction had, when it ends
		s.discard(name)
		s.Answer(r, "ok")
	case "holder": // pg_locks
		s.Answer(r, s.owner)
	case "close":
		s.exit(name)
		s.Answer(r, "ok")
	default: // a query of others, that takes milliseconds
		ms, _ := strconv.Atoi(statement)
		s.After(time.Duration(ms)*time.Millisecond, func() { s.Answer(r, "ok") })
	}
}

// lock grants the lock to a backend, or has it wait.
func (s *server) lock(name string, r lab.Request) {
	if s.owner != "" && s.owner != name {
		s.queue = append(s.queue, waiting{name, r})
		return
	}
	s.owner = name
	s.count++
	s.Answer(r, "ok")
}

// free gives a lock back so many times, and grants it to the next backend that still lives.
func (s *server) free(times int) {
	if s.count -= times; s.count > 0 {
		return
	}
	for s.owner = ""; s.owner == "" && len(s.queue) > 0; {
		next := s.queue[0]
		s.queue = s.queue[1:]
		if s.backends[next.backend] != nil {
			s.lock(next.backend, next.r)
		}
	}
}

func (s *server) discard(name string) {
	if s.owner == name {
		s.free(s.count)
	}
}

// exit ends a backend.
func (s *server) exit(name string) {
	delete(s.backends, name)
	s.discard(name)
}

// probe ends the backends whose connections are dead.
func (s *server) probe() {
	for _, name := range slices.Sorted(maps.Keys(s.backends)) {
		x := s.backends[name]
		x.dead += time.Second
		if s.Reaches(x.peer) {
			x.dead = 0
		}
		if x.dead >= silence {
			s.Note("%s exits: its connection to %s is dead", name, x.peer)
			s.exit(name)
		}
	}
}

// bump counts the epoch up.
func (s *server) bump(r lab.Request) {
	*s.epoch++
	text := strconv.FormatUint(*s.epoch, 10)
	if s.standby == "" || !s.waits {
		s.Answer(r, text)
	} else {
		s.changed[*s.epoch] = r
	}
	if s.standby != "" {
		s.Tell(s.standby, text)
	}
}

// replication is an epoch from the primary, or its acknowledgement.
func (s *server) replication(from, text string) {
	epoch, _ := strconv.ParseUint(text, 10, 64)
	switch {
	case s.standby == "":
		*s.epoch = max(*s.epoch, epoch)
		s.Tell(from, text)
	case s.waits:
		s.Answer(s.changed[epoch], text)
		delete(s.changed, epoch)
	}
}
