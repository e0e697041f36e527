package master

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
)

// seekers are the requests that this replica has answered NotMaster lately, the newest of each client.
// Their clients look for the master and pause before they ask again, up to a third of a second, and a
// new master waits for all of them. So each is answered once more as soon as an epoch begins here, by the
// new master or by a replica that knows it. The second answer names the master and the epoch; a client
// that has found both ignores it.
type seekers struct {
	all    []seeker
	newest map[Addr]int // index in all
}

type seeker struct {
	to      calls.Destination
	session api.SessionID
	seq     api.Seq
	at      time.Time // when it was answered
}

const (
	// maxSeekers bounds the answers that leave at once: more would not find room on their way. The
	// clients that are beyond it ask again by themselves.
	maxSeekers = 4096
	// seekTime is how long a client that has found no master may be silent towards one replica: it asks
	// them in turn.
	seekTime = 3 * time.Second
)

// note remembers a request that was answered NotMaster.
func (s *seekers) note(now time.Time, from Addr, q api.Request) {
	one := seeker{to: destination(from, q), session: q.Session, seq: q.Seq, at: now}
	if i, ok := s.newest[from]; ok {
		s.all[i] = one
		return
	}
	if len(s.all) >= maxSeekers {
		s.dropOld(now)
	}
	if len(s.all) >= maxSeekers {
		return
	}
	if s.newest == nil {
		s.newest = map[Addr]int{}
	}
	s.newest[from] = len(s.all)
	s.all = append(s.all, one)
}

// dropOld forgets those that have found a master by now, or have gone.
func (s *seekers) dropOld(now time.Time) {
	left := s.all[:0]
	clear(s.newest)
	for _, one := range s.all {
		if now.Sub(one.at) < seekTime {
			s.newest[one.to.Addr] = len(left)
			left = append(left, one)
		}
	}
	s.all = left
}

// take returns those that still seek, in the order in which they first asked, and forgets all.
func (s *seekers) take(now time.Time) []seeker {
	s.dropOld(now)
	all := s.all
	*s = seekers{}
	return all
}

// tellSeekers names the master of an epoch that has just begun to the clients that look for one. A replica
// that catches up with old epochs may know of none yet; then they go on waiting.
func (m *Master) tellSeekers(at At) {
	if m.master() == 0 {
		return
	}
	for _, s := range m.seekers.take(at.Now) {
		code := api.NotMaster
		switch {
		case m.hasEpoch() && s.session == 0: // to open a session, which names no epoch
			code = api.Recovering
		case m.hasEpoch():
			code = api.OldEpoch
		}
		m.answer(s.to, s.session, s.seq, api.Result{Code: code})
	}
}
