package setnx

import (
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// config is what an operator sets for an instance.
type config struct {
	appendFsync string // "": no append-only file; "everysec" or "always"
	replica     string // that is fed; "": none
	room        int    // how many keys there is memory for; 0: for all
	evicts      bool   // maxmemory-policy allkeys-lru; else noeviction
}

// entry is a value, when it is over, and when it was last used.
type entry struct {
	value string
	until time.Time // zero: never
	used  int
}

// server is one life of an instance.
type server struct {
	config
	*lab.Node
	keys   map[string]entry
	uses   int
	kept   *kept
	behind bool // the replica has not taken in the last change
}

// serve is the program of an instance: one command after the other.
func (c config) serve(n *lab.Node) {
	s := &server{config: c, Node: n, keys: map[string]entry{}}
	n.OnNews(s.replication)
	queue := n.Queue()
	if c.appendFsync != "" {
		var value string
		if s.kept, value = open(n, c.appendFsync == "always"); value != "" {
			s.keys[key] = entry{value: value}
		}
	}
	queue.Each(func(r lab.Request) { s.run(r, strings.Fields(r.Text)) })
}

// run executes a command: SETNX key v, SET key v [NX PX ms], EXPIRE key ms, GET key, DEL key,
// WAIT, and the script that deletes a key if it has the value, RELEASE key v.
func (s *server) run(r lab.Request, f []string) {
	e, found := s.get(f)
	answer := "1"
	switch f[0] {
	case "SETNX", "SET":
		switch nx := f[0] == "SETNX" || len(f) > 3; {
		case nx && found:
			answer = "0"
		case !found && !s.makeRoom():
			answer = "OOM"
		case len(f) > 3:
			s.put(f[1], entry{value: f[2], until: s.after(f[5])})
		default:
			s.put(f[1], entry{value: f[2]})
		}
	case "EXPIRE":
		if found {
			e.until = s.after(f[2])
			s.put(f[1], e)
		}
	case "GET":
		answer = e.value
	case "RELEASE", "DEL":
		if found && (f[0] == "DEL" || e.value == f[2]) {
			s.put(f[1], entry{})
		}
	case "WAIT":
		s.Go("wait", func() {
			for s.behind { // the client's patience ends it
				s.Sleep(10 * time.Millisecond)
			}
			s.Answer(r, answer)
		})
		return
	}
	s.Answer(r, answer)
}

func (s *server) after(ms string) time.Time {
	n, _ := strconv.Atoi(ms)
	return s.Wall().Add(time.Duration(n) * time.Millisecond)
}

// get is the value of the key of a command, which it uses.
func (s *server) get(f []string) (e entry, found bool) {
	if len(f) < 2 {
		return entry{}, false
	}
	e, found = s.keys[f[1]]
	if found && !e.until.IsZero() && !s.Wall().Before(e.until) {
		s.put(f[1], entry{})
		return entry{}, false
	}
	if s.uses++; found {
		e.used = s.uses
		s.keys[f[1]] = e
	}
	return e, found
}

// put sets a key, or deletes it where the entry has no value. The disk has it before it is
// answered; the replica is told.
func (s *server) put(k string, e entry) {
	e.used = s.uses
	if s.keys[k] = e; e.value == "" {
		delete(s.keys, k)
	}
	if k != key {
		return
	}
	if s.kept != nil {
		s.kept.put(e.value)
	}
	if s.replica != "" {
		s.behind = true
		s.Tell(s.replica, "lock="+e.value)
	}
}

// makeRoom evicts the key that was used longest ago, where there is no room for one more and the
// policy lets it.
func (s *server) makeRoom() bool {
	if s.room == 0 || len(s.keys) < s.room {
		return true
	}
	if !s.evicts {
		return false
	}
	oldest, at := "", s.uses+1
	for k, e := range s.keys {
		if e.used < at { // no two are equal
			oldest, at = k, e.used
		}
	}
	if oldest == key {
		s.Note("evicts the key of the lock: it was used longest ago")
	}
	s.put(oldest, entry{})
	return true
}

// replication is what comes from the primary, or from the replica to it.
func (s *server) replication(from, text string) {
	if value, is := strings.CutPrefix(text, "lock="); is {
		s.put(key, entry{value: value})
		s.Tell(from, "ACK")
		return
	}
	s.behind = false
}
