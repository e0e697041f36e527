package master

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
)

// seekers are the requests that this replica has lately answered NotMaster, the newest of each client.
// Their clients look for the master. Each pauses up to a third of a second before it asks again, and a
// new master must wait for all of them. So this replica answers each request once more as soon as an
// epoch begins here, whether it is the new master or only knows it. The second answer names the master
// and the epoch; a client that has found them ignores it.
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
	// maxSeekers bounds the answers that leave at once: the transport would drop more. Further clients
	// ask again by themselves.
	maxSeekers = 4096
	// seekTime is how long a client that looks for the master may go without asking one replica, since
	// it asks the replicas in turn.
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

// dropOld forgets requests older than seekTime: their clients have found a master, or have gone.
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

// take returns the requests whose clients still seek, in the order in which those first asked, and
// forgets all.
func (s *seekers) take(now time.Time) []seeker {
	s.dropOld(now)
	all := s.all
	*s = seekers{}
	return all
}

// tellSeekers answers the seekers when an epoch has begun. A replica that catches up on old epochs may
// know no master yet; then the seekers are kept.
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
