package sessions

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/master"
)

// lapse measures how long a master leaves something undone that nothing prevents.
type lapse struct {
	since   time.Time     // zero: nothing is undone
	slept   time.Duration // part of that time in which the master slept
	refused uint64        // how many commands the log had refused then
}

// maxLapse is far longer than any master takes to try once more.
const maxLapse = 5 * time.Second

// overdue returns for how long something has been undone, if that is too long. Time in which
// the master slept does not count, and each refusal of the log starts the time anew.
func (l *lapse) overdue(now time.Time, slept time.Duration, undone bool, refused uint64) time.Duration {
	switch {
	case !undone:
		*l = lapse{}
		return 0
	case l.since.IsZero() || refused != l.refused:
		*l = lapse{since: now, refused: refused}
		return 0
	}
	l.slept += slept
	if d := now.Sub(l.since) - l.slept; d > maxLapse {
		return d
	}
	return 0
}

// checkLapses: a master that promises something to a session, or ends it, needs read
// authority or the log's confirmation, and must ask for the latter. A fail-over must end when
// all sessions know of the epoch.
func (s *Checker) checkLapses(id paxos.NodeID, now time.Time) {
	t := &s.Seats[id]
	refused := t.Of.Refusals()
	if by := t.unasked.overdue(now, t.slept, s.needsEvidence(t, now), refused); by > 0 {
		s.breakf(id, "has no read authority, has not asked the log for %v, and a KeepAlive waits whose lease is over", by)
	}
	if by := t.unserved.overdue(now, t.slept, s.mayServe(t), refused); by > 0 {
		s.world.Break("L1", "replica %d, master in epoch %d, does not serve %v after all sessions know of that, and wants nothing of the log", id, t.Epoch, by)
	}
}

// needsEvidence reports whether the lease of a waiting KeepAlive is over, so that the master
// must answer it or end the session, and the master has not asked the log.
func (s *Checker) needsEvidence(t *seat, now time.Time) bool {
	if !s.HasLeases() || t.asks > 0 || now.Before(t.lease) {
		return false
	}
	for x := range t.waits { // order-free: any counts
		if m, ok := t.Of.Session(x); ok && !m.Expiring && !now.Before(m.Lease) {
			return true
		}
	}
	return false
}

// mayServe reports whether a master does not serve although nothing prevents it.
func (s *Checker) mayServe(t *seat) bool {
	if t.Of.Master().State != master.Recovering || t.Of.Wants() > 0 {
		return false
	}
	if !s.HasLeases() {
		return true
	}
	if t.missed != 0 && !t.knows[t.missed] && t.Of.IsAlive(t.missed) { // asked after every step: mostly the same one
		return false
	}
	for _, x := range t.Of.Alive() {
		if !t.knows[x] {
			t.missed = x
			return false
		}
	}
	return true
}
