package consul

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// invalidate ends the sessions that were not renewed for twice their TTL.
func (s *server) invalidate() {
	if !s.leads {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(s.ends)) {
		if !s.Now().Before(s.ends[id]) {
			s.Note("ends session %s: twice its TTL without a renewal", id)
			delete(s.ends, id)
			s.propose("destroy "+id, nil)
		}
	}
}

// news is what comes from the server that this one copies, from gossip, or from a script.
func (s *server) news(_, text string) {
	what, rest, _ := strings.Cut(text, " ")
	switch what {
	case "entry":
		s.apply(rest)
	case "critical": // the node of a client, by serfHealth
		for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
			if s.sessions[id].node == rest {
				s.Note("serfHealth of %s is critical: ends session %s at once", rest, id)
				s.propose("destroy "+id, nil)
			}
		}
	case "lead":
		s.leads, s.peer = true, ""
		for id, x := range s.sessions {
			s.ends[id] = s.Now().Add(2 * x.ttl)
		}
	case "delete":
		s.propose(text, nil)
	}
}

// state is what is in a snapshot. The lock-delay is not, unless it is part of the state.
type state struct {
	Index, LockIndex, ModifyIndex uint64
	Holder                        string
	Opened                        int
	TTLs, Delays                  map[string]time.Duration
	Nodes                         map[string]string
	Delayed                       time.Duration // what is left of it
}

func (s *server) snapshot() string {
	x := state{
		Index: s.index, LockIndex: s.key.lockIndex, ModifyIndex: s.key.modifyIndex, Holder: s.key.session, Opened: s.opened,
		TTLs: map[string]time.Duration{}, Delays: map[string]time.Duration{}, Nodes: map[string]string{},
	}
	for id, one := range s.sessions {
		x.TTLs[id], x.Delays[id], x.Nodes[id] = one.ttl, one.delay, one.node
	}
	if s.replicated {
		x.Delayed = s.delayed.Sub(s.Now())
	}
	text, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// restore takes the state of the other server, as a server does that starts.
func (s *server) restore() {
	text, ok := s.Call(s.peer, "snapshot", time.Second)
	if !ok {
		return
	}
	var x state
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		panic(err)
	}
	s.index, s.opened = x.Index, x.Opened
	s.key = entry{session: x.Holder, lockIndex: x.LockIndex, modifyIndex: x.ModifyIndex}
	for id, ttl := range x.TTLs {
		s.sessions[id] = session{ttl: ttl, delay: x.Delays[id], node: x.Nodes[id]}
	}
	s.delayed = s.Now().Add(x.Delayed)
}
