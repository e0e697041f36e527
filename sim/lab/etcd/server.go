package etcd

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// config is what an operator sets, and the version of the server.
type config struct {
	nodes    []string // the first one leads first
	confirms bool     // the leader makes sure that it still leads before it revokes (#16822)
	votes    *votes
}

// votes stands for the votes of Raft: a leader of an earlier term gets no quorum for what it does.
type votes struct{ term, leader int }

// lock is a key below lock/.
type lock struct {
	created uint64 // revision
	lease   string
}

// server is one server: a copy of the state, and what a leader has besides.
type server struct {
	config
	*lab.Node
	rev     uint64
	keys    map[string]lock
	leases  map[string]time.Duration // and their TTL
	granted int

	term, place int
	leader      string
	silent      int                      // ticks since the leader was heard
	ends        map[string]time.Time     // of leases; nil: is no leader
	renewals    map[string][]lab.Request // of expired leases, that wait for the revocation
	watches     map[string][]lab.Request // by key
}

// serve is the program of a server.
func (c config) serve(n *lab.Node) {
	s := &server{
		config: c, Node: n, keys: map[string]lock{}, leases: map[string]time.Duration{}, leader: c.nodes[0],
		place: slices.Index(c.nodes, n.Name()), renewals: map[string][]lab.Request{}, watches: map[string][]lab.Request{},
	}
	n.Serve(s.request)
	n.OnNews(s.news)
	if s.leader == n.Name() {
		s.ends = map[string]time.Time{}
	}
	n.Go("elections", s.elect)
	for {
		n.Sleep(500 * time.Millisecond)
		s.expire()
	}
}

// request answers a request of a client, if this server leads. Without a quorum it answers nothing.
func (s *server) request(r lab.Request) {
	if s.leader != s.Name() {
		s.Answer(r, "leader "+s.leader)
		return
	}
	if s.term < s.votes.term {
		return
	}
	f := strings.Fields(r.Text)
	switch f[0] {
	case "grant": // grant milliseconds
		id := fmt.Sprintf("%d", s.granted+1)
		s.propose("grant " + id + " " + f[1])
		s.Answer(r, id)
	case "keepalive":
		s.renew(r, f[1])
	case "txn": // txn lease: puts the key if it is not there; own create revision, lowest key's, revision
		if s.leases[f[1]] == 0 {
			s.Answer(r, "no lease")
			return
		}
		if _, there := s.keys[f[1]]; !there {
			s.propose("put " + f[1])
		}
		_, first := s.below(0)
		s.Answer(r, fmt.Sprintf("%d %d %d", s.keys[f[1]].created, first, s.rev))
	case "below": // below revision: the last key that was created before; revision
		limit, _ := strconv.ParseUint(f[1], 10, 64)
		key, _ := s.below(limit)
		s.Answer(r, fmt.Sprintf("%s %d", key, s.rev))
	case "watch": // watch key: answered when it is deleted
		if _, there := s.keys[f[1]]; !there {
			s.Answer(r, "deleted")
			return
		}
		s.watches[f[1]] = append(s.watches[f[1]], r)
	case "get": // get key: its create revision, 0 for none; revision
		s.Answer(r, fmt.Sprintf("%d %d", s.keys[f[1]].created, s.rev))
	case "delete", "revoke":
		s.propose(r.Text)
		s.Answer(r, "ok")
	}
}

// below is the key that was created last before a revision; 0: the one that was created first.
func (s *server) below(limit uint64) (key string, created uint64) {
	key = "-"
	for _, k := range slices.Sorted(maps.Keys(s.keys)) {
		c := s.keys[k].created
		if limit == 0 && (created == 0 || c < created) || c < limit && c > created {
			key, created = k, c
		}
	}
	return key, created
}

// propose has an entry of the log applied everywhere. A server that does not lead forwards it.
func (s *server) propose(entry string) {
	if s.leader != s.Name() {
		s.Tell(s.leader, "forward "+entry)
		return
	}
	if s.term < s.votes.term {
		return
	}
	s.apply(entry)
	s.tell("entry " + entry)
}

// tell sends a message to the other servers.
func (s *server) tell(text string) {
	for _, name := range s.nodes {
		if name != s.Name() {
			s.Tell(name, fmt.Sprintf("%d %s", s.term, text))
		}
	}
}

// apply changes the state.
func (s *server) apply(entry string) {
	f := strings.Fields(entry)
	switch f[0] {
	case "grant":
		ms, _ := strconv.Atoi(f[2])
		s.granted++
		s.leases[f[1]] = time.Duration(ms) * time.Millisecond
		if s.ends != nil {
			s.ends[f[1]] = s.Now().Add(s.leases[f[1]])
		}
	case "put":
		s.rev++
		s.keys[f[1]] = lock{created: s.rev, lease: f[1]}
	case "delete":
		s.remove(f[1])
	case "revoke":
		delete(s.leases, f[1])
		delete(s.ends, f[1])
		s.remove(f[1]) // the only key of the lease has its name
		s.answer(s.renewals, f[1], "0")
	}
}

func (s *server) remove(key string) {
	if _, there := s.keys[key]; there {
		s.rev++
		delete(s.keys, key)
		s.answer(s.watches, key, "deleted")
	}
}

// answer answers all requests that wait for a thing.
func (s *server) answer(waiting map[string][]lab.Request, thing, text string) {
	for _, r := range waiting[thing] {
		s.Answer(r, text)
	}
	delete(waiting, thing)
}
