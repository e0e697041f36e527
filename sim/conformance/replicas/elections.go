package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// elections is when one life of a replica campaigns, by its clock. A replica that stopped
// leading lets the others campaign first. If one that was asked to step down campaigned
// before any other could, it would lead again, and all sessions would have had a fail-over
// for nothing. And defeats from before the last leader do not delay a campaign; otherwise a
// duel of long ago would make a fail-over slow (L1).
//
// The bounds have slack: half of ElectionMin, and twice the longest wait after one defeat.
type elections struct {
	role      paxos.Role
	isRefused bool      // a Nack came in this step
	defeats   int       // campaigns and tenures that a Nack ended since the replica knew a leader
	stoppedAt time.Time // when it last stopped leading; zero: it or another has campaigned since, or it never led
	attempts  uint64    // how often it has campaigned, or had to wait for the end of a grant
	hasTried  bool      // it did so in the last step
}

// onMessage records a message of another replica before it is taken.
func (e *elections) onMessage(m paxos.Message) {
	_, e.isRefused = m.(paxos.Nack)
}

// onActed checks the end of a step. The replica wants to be woken at wake.
func (e *elections) onActed(w *sim.World, now, wake time.Time, longest time.Duration, r *paxos.Status) {
	was := *e
	e.role, e.isRefused = r.Role, false
	e.attempts = r.Count.Campaigns + r.Count.Waited
	e.hasTried = e.attempts > was.attempts
	if was.role == paxos.Leader && r.Role != paxos.Leader {
		e.stoppedAt = now
	} else if isOther := r.Leader != 0 && r.Leader != r.ID; was.hasTried || isOther { // or another has led since
		e.stoppedAt = time.Time{}
	}
	switch {
	case r.Leader != 0:
		e.defeats = 0
	case was.isRefused && was.role != paxos.Follower && r.Role == paxos.Follower:
		e.defeats++
		e.checkWait(w, r.ID, wake.Sub(now), 4*longest)
	}
}

// checkWait checks how long a replica whose campaign was refused does nothing.
func (e *elections) checkWait(w *sim.World, id paxos.NodeID, wait, most time.Duration) {
	if e.defeats == 1 && wait > most {
		w.Diverge("L1", "replica %d does nothing for %v after its first defeat since it knew a leader; it has to campaign within %v", id, wait, most)
	}
}

// onWake checks, after onActed, a step that only the passing of time caused: nothing has
// demanded a campaign.
func (e *elections) onWake(w *sim.World, id paxos.NodeID, now time.Time, shortest time.Duration) {
	if since := now.Sub(e.stoppedAt); e.hasTried && !e.stoppedAt.IsZero() && since < shortest/2 {
		w.Diverge("L1", "replica %d campaigns unasked %v after it stopped leading; others have to have %v to campaign first", id, since, shortest/2)
	}
}
