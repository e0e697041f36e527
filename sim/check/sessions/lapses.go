package sessions

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/master"
)

// lapse is how long a master leaves undone what nothing keeps it from.
type lapse struct {
	since   time.Time     // zero: nothing is undone
	slept   time.Duration // of that
	refused uint64        // what the log had not taken then
}

// lapsesFor is far above what a master takes to try once more.
const lapsesFor = 5 * time.Second

// of is for how long something is undone, if that is too long. A master that slept could
// not do it, and one whose log takes nothing tries again.
func (l *lapse) of(now time.Time, slept time.Duration, undone bool, refused uint64) time.Duration {
	switch {
	case !undone:
		*l = lapse{}
		return 0
	case l.since.IsZero() || refused != l.refused:
		*l = lapse{since: now, refused: refused}
		return 0
	}
	l.slept += slept
	if d := now.Sub(l.since) - l.slept; d > lapsesFor {
		return d
	}
	return 0
}

// lapses: what a master promises to sessions, and which it ends, stands on read authority
// or on the log's word, which it asks for; and a fail-over is over when all know of it.
func (s *Checker) lapses(id paxos.NodeID, now time.Time) {
	t := &s.Seats[id]
	refused := t.Of.Refusals()
	if by := t.unasked.of(now, t.slept, s.wantsEvidence(t, now), refused); by > 0 {
		s.breaks(id, "has no read authority, has not asked the log for %v, and a KeepAlive waits whose lease is over", by)
	}
	if by := t.unserved.of(now, t.slept, s.mayServe(t), refused); by > 0 {
		s.world.Break("L1", "replica %d, master in epoch %d, does not serve %v after all sessions know of that, and wants nothing of the log", id, t.Epoch, by)
	}
}

// wantsEvidence says that a KeepAlive waits whose lease is over, so that it is to be
// answered, or its session ended, and that the log was not asked.
func (s *Checker) wantsEvidence(t *seat, now time.Time) bool {
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

// mayServe says that nothing keeps a master from serving, and that it does not.
func (s *Checker) mayServe(t *seat) bool {
	if t.Of.Master().State != master.Recovering || t.Of.Wants() > 0 {
		return false
	}
	for _, x := range t.Of.Alive() {
		if s.HasLeases() && !t.knows[x] {
			return false
		}
	}
	return true
}
