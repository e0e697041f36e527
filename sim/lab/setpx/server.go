package setpx

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// config is what an operator sets for an instance.
type config struct {
	appendFsync string // "": no append-only file; "everysec" or "always"
	replica     string // that is fed; "": none
	monotonic   bool   // not a setting of Redis: expiry by a clock that is never stepped
}

// entry is a value with its expiry.
type entry struct {
	value string
	until time.Time // zero: never
}

// server is one life of an instance: one command after the other, as in Redis.
type server struct {
	config
	*lab.Node
	keys  map[string]entry
	log   *appendOnly
	sent  int // effects sent to the replica
	acked int // of them, those it has taken in
}

// serve is the program of an instance.
func (c config) serve(n *lab.Node) {
	s := &server{config: c, Node: n, keys: map[string]entry{}}
	queue := n.Queue()
	n.OnNews(s.replication)
	if c.appendFsync != "" { // what comes meanwhile waits
		s.log = open(n, c.appendFsync)
		s.log.replay(s.apply)
	}
	queue.Each(s.run)
}

// now is the clock that expiry goes by.
func (s *server) now() time.Time {
	if s.monotonic {
		return s.Now()
	}
	return s.Wall()
}

// run executes a command and answers it. What it changed is in the append-only file before the
// answer leaves.
func (s *server) run(r lab.Request) {
	f := strings.Fields(r.Text)
	switch {
	case f[0] == "SET": // SET key value NX PX ms
		if _, taken := s.get(f[1]); taken {
			s.Answer(r, "nil")
			return
		}
		s.change("SET", f[1], f[2], s.after(f[5]))
		s.Answer(r, "OK")
	case f[0] == "GET":
		e, _ := s.get(f[1])
		s.Answer(r, e.value)
	case f[0] == "DEL":
		_, taken := s.get(f[1])
		if taken {
			s.change("DEL", f[1], "", time.Time{})
		}
		s.Answer(r, map[bool]string{true: "1", false: "0"}[taken])
	case f[0] == "WAIT":
		s.wait(r, f)
	default: // EVAL name key value [ms]
		s.Answer(r, s.script(f[1], f[2], f[3], f[len(f)-1]))
	}
}

// script is one of the scripts that clients send.
func (s *server) script(name, key, value, ms string) string {
	e, taken := s.get(key)
	switch {
	case name == "set-and-count": // SET NX PX, and INCR of a counter beside it
		if taken {
			return "nil"
		}
		s.change("SET", key, value, s.after(ms))
		count, _ := strconv.ParseUint(s.keys[key+":token"].value, 10, 64)
		s.change("SET", key+":token", strconv.FormatUint(count+1, 10), time.Time{})
		return fmt.Sprintf("OK %d", count+1)
	case !taken || e.value != value:
		return "0"
	case name == "release":
		s.change("DEL", key, "", time.Time{})
	case name == "extend":
		s.change("SET", key, value, s.after(ms))
	}
	return "1"
}

// get is the value of a key that is not past its expiry.
func (s *server) get(key string) (e entry, found bool) {
	e, found = s.keys[key]
	if found && !e.until.IsZero() && !s.now().Before(e.until) {
		s.Note("the key is past its expiry by this clock, and deleted")
		s.change("DEL", key, "", time.Time{})
		return entry{}, false
	}
	return e, found
}

func (s *server) after(ms string) time.Time {
	n, _ := strconv.Atoi(ms)
	return s.now().Add(time.Duration(n) * time.Millisecond)
}

// change makes a change and hands it to the append-only file and to the replica.
func (s *server) change(what, key, value string, until time.Time) {
	stamp := int64(0)
	if !until.IsZero() {
		stamp = until.UnixNano()
	}
	effect := fmt.Sprintf("%s %s %q %d", what, key, value, stamp)
	s.apply(effect)
	if s.log != nil {
		s.log.add(effect)
	}
	if s.replica != "" {
		s.sent++
		s.Tell(s.replica, effect)
	}
}

// apply takes in an effect: of a command, of the append-only file, or of the primary.
func (s *server) apply(effect string) bool {
	var what, key, value string
	var stamp int64
	if _, err := fmt.Sscanf(effect, "%s %s %q %d", &what, &key, &value, &stamp); err != nil {
		return false
	}
	e := entry{value: value}
	if stamp != 0 {
		e.until = time.Unix(0, stamp).UTC()
	}
	if what == "DEL" {
		delete(s.keys, key)
	} else {
		s.keys[key] = e
	}
	return true
}

// replication is what comes from the primary, or from the replica to it.
func (s *server) replication(from, text string) {
	if text == "ACK" {
		s.acked++
		return
	}
	s.apply(text)
	s.Tell(from, "ACK")
}

// wait answers WAIT replicas ms: how many replicas have all that was changed so far.
func (s *server) wait(r lab.Request, f []string) {
	ms, _ := strconv.Atoi(f[2])
	until, need := s.Now().Add(time.Duration(ms)*time.Millisecond), s.sent
	s.Go("wait", func() {
		for s.acked < need && s.Now().Before(until) {
			s.Sleep(time.Millisecond)
		}
		have := "0"
		if s.replica != "" && s.acked >= need {
			have = "1"
		}
		s.Answer(r, have)
	})
}
