package etcd

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	beat     = 100 * time.Millisecond // between two heartbeats of a leader
	election = time.Second            // of silence, in ticks, after which the next server takes over
	entry    = time.Millisecond       // that an entry of the log takes
)

// renew gives a lease its TTL again, unless it is past its end.
func (s *server) renew(r lab.Request, id string) {
	end, lives := s.ends[id]
	switch {
	case !lives:
		s.Answer(r, "0")
	case !s.Now().Before(end):
		s.renewals[id] = append(s.renewals[id], r)
	default:
		s.ends[id] = s.Now().Add(s.leases[id])
		s.Answer(r, "ok")
	}
}

// expire revokes the leases that are past their ends, one by one.
func (s *server) expire() {
	var past []string
	for _, id := range slices.SortedFunc(maps.Keys(s.ends), byNumber) {
		if !s.Now().Before(s.ends[id]) {
			past = append(past, id)
		}
	}
	if len(past) == 0 {
		return
	}
	s.Note("takes leases for expired: %s", strings.Join(past, ", "))
	for _, id := range past {
		s.Sleep(entry)
		if s.confirms && s.leader != s.Name() {
			s.Note("leads no longer, and revokes nothing")
			return
		}
		s.propose("revoke " + id)
	}
}

func byNumber(a, b string) int {
	x, _ := strconv.Atoi(a)
	y, _ := strconv.Atoi(b)
	return x - y
}

// elect sends heartbeats, or takes over from a leader that is silent. Silence is counted in ticks: a
// server that was paused does not take over when it runs again.
func (s *server) elect() {
	for {
		s.Sleep(beat)
		if s.leader == s.Name() {
			s.tell("beat")
			continue
		}
		s.silent++
		ahead := (s.place - slices.Index(s.nodes, s.leader) + len(s.nodes)) % len(s.nodes)
		if time.Duration(s.silent)*beat < time.Duration(ahead)*election {
			continue
		}
		s.votes.term++
		s.votes.leader = s.place
		s.term = s.votes.term
		s.leader, s.ends = s.Name(), map[string]time.Time{}
		for id, ttl := range s.leases {
			s.ends[id] = s.Now().Add(ttl + election)
		}
		s.Note("leads; every lease has its whole TTL again")
		s.tell("beat")
	}
}

// news is what comes from another server.
func (s *server) news(from, text string) {
	f := strings.SplitN(text, " ", 3)
	if f[0] == "forward" {
		s.propose(strings.TrimPrefix(text, "forward "))
		return
	}
	term, _ := strconv.Atoi(f[0])
	if term < s.term {
		return
	}
	s.term, s.leader, s.silent = term, from, 0
	if s.ends != nil { // the lessor hears of it later than the Raft loop
		s.After(2*entry, func() { s.ends = nil })
	}
	if f[1] == "entry" {
		s.apply(f[2])
	}
}
