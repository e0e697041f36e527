package zookeeper

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	ensemble = "zookeeper" // name of the machine
	tick     = 2 * time.Second
	timeout  = 6 * time.Second // of sessions
)

// znode is an ephemeral node below lock/.
type znode struct {
	czxid uint64 // transaction that created it
	owner string // session
}

// server is the ensemble: one state, changed by one request after the other.
type server struct {
	*lab.Node
	began    time.Time
	zxid     uint64
	sessions map[string]time.Time // when they end
	opened   int
	created  int // children, ever: the next sequence number
	nodes    map[string]znode
	watches  map[string][]lab.Request // by node
}

// serve is the program of the ensemble.
func serve(n *lab.Node) {
	s := &server{Node: n, began: n.Now(), sessions: map[string]time.Time{}, nodes: map[string]znode{}, watches: map[string][]lab.Request{}}
	n.Serve(s.request)
	for {
		n.Sleep(tick)
		s.expire()
	}
}

// request executes a request: a verb, a session, and what the verb needs.
func (s *server) request(r lab.Request) {
	f := strings.Fields(r.Text)
	if f[0] == "connect" {
		s.opened++
		id := fmt.Sprintf("s%d", s.opened)
		s.touch(id)
		s.Answer(r, id)
		return
	}
	if _, lives := s.sessions[f[1]]; !lives {
		s.Answer(r, "expired")
		return
	}
	s.touch(f[1])
	switch f[0] {
	case "ping":
		s.Answer(r, "pong")
	case "create": // create session prefix
		s.zxid++
		s.created++
		name := fmt.Sprintf("%s%010d", f[2], s.created)
		s.nodes[name] = znode{s.zxid, f[1]}
		s.Answer(r, name)
	case "children":
		s.Answer(r, strings.Join(slices.Sorted(maps.Keys(s.nodes)), " "))
	case "stat": // stat session node
		z := s.nodes[f[2]]
		s.Answer(r, fmt.Sprintf("%d %s", z.czxid, z.owner))
	case "watch": // watch session node: answered when the node is gone
		if _, there := s.nodes[f[2]]; !there {
			s.Answer(r, "deleted")
			return
		}
		s.watches[f[2]] = append(s.watches[f[2]], r)
	case "delete": // delete session node
		s.remove(f[2])
		s.Answer(r, "ok")
	}
}

// touch has a session end T after now, at the next multiple of the tick.
func (s *server) touch(id string) {
	ticks := (s.Now().Sub(s.began) + timeout) / tick
	s.sessions[id] = s.began.Add((ticks + 1) * tick)
}

// expire ends the sessions that were silent for too long, with their nodes.
func (s *server) expire() {
	for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
		if s.Now().Before(s.sessions[id]) {
			continue
		}
		delete(s.sessions, id)
		for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
			if s.nodes[name].owner == id {
				s.Note("session %s was silent for too long; its node %d is deleted", id, sequence(name))
				s.remove(name)
			}
		}
	}
}

func (s *server) remove(name string) {
	s.zxid++
	delete(s.nodes, name)
	for _, r := range s.watches[name] {
		s.Answer(r, "deleted")
	}
	delete(s.watches, name)
}
