package sessions

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// OnReply reports an answer that leaves a replica.
func (s *Checker) OnReply(id paxos.NodeID, now time.Time, p api.Reply) {
	t := &s.Seats[id]
	if k, owed := s.owes[id][p.Session]; owed && p.Seq == 0 && p.ID == k {
		delete(s.owes[id], p.Session)
	}
	switch {
	case t.Of != nil && p.Code == api.OldEpoch && p.Epoch != t.Epoch:
		s.world.Break("L1", "replica %d, master in epoch %d, refuses a request for its older epoch, and names epoch %d", id, t.Epoch, p.Epoch)
		return
	case t.Of == nil || p.Session == 0:
		return
	}
	t.onReply(p, now)
	switch {
	case p.Seq != 0 && isAnswer(p.Code):
		t.used[p.Session] = now
		t.dropCalls(p.Session, func(n api.Seq) bool { return n == p.Seq })
		return
	case p.Seq != 0:
		return
	}
	k := t.waits[p.Session]
	if k.id != p.ID { // to an older KeepAlive, or to one from before this epoch
		if _, leased := p.Detail.(api.Leased); leased && p.Code == api.OK {
			s.checkLease(id, now, p.Session, 0) // it may have extended the lease all the same
			t.tell(p.Session)
		}
		return
	}
	delete(t.waits, p.Session)
	if l, leased := p.Detail.(api.Leased); leased && p.Code == api.OK {
		s.checkPromise(id, now, p.Session, k, l)
	}
}

// checkPromise: the lease in an answer must be the one that the master remembers, counted
// from the receipt of this very request (C11.15, C11.23). If several copies of it arrived, the
// answer may be to the first one: the client sent it no later. The answer must come while enough
// of the previous lease is left (C11.07). An idle session gets no new promise (C11.02), nor does
// a dismissed one; it may be told again of the one that it has.
func (s *Checker) checkPromise(id paxos.NodeID, now time.Time, x api.SessionID, k waiting, l api.Leased) {
	t := &s.Seats[id]
	was := t.Leases[x]
	m, ok := t.Of.Session(x)
	switch at, ends := t.ends[x]; {
	case !ok: // the log has ended it at this very instant
		return
	case m.Lease.After(was) && t.isQuiet(x, now, s.Config.IdleAfter) && !s.facts.MayHaveHandles(x):
		s.breakf(id, "promises a lease to session %d, which has no handles, and had no call for %v", x, now.Sub(t.Heard[x].at))
	case m.Expiring && ends && at.Before(now):
		s.breakf(id, "promises a lease to session %d, whose end it proposed %v ago", x, now.Sub(at))
	}
	if over := l.Lease - m.Lease.Sub(k.first); over > 0 {
		s.breakf(id, "promises session %d a lease that is longer by %v than what it remembers", x, over)
	}
	held := now.After(k.receipt) && !t.Since.After(k.receipt) && !l.Failover && s.Config.IdleAfter == 0 && !s.IsDismissed(x, t.Epoch)
	if left := was.Sub(now) + t.late; held && left < s.Config.LeaseMin/4 {
		s.breakf(id, "has held a KeepAlive of session %d, which came %v ago, until %v before the end of its lease", x, now.Sub(k.receipt), left)
	}
	t.tell(x)
	s.checkLease(id, now, x, 0)
	if !l.Failover {
		if m.Lease.After(was) || !t.isIdle(x, now, s.Config.IdleAfter) && !s.IsDismissed(x, t.Epoch) {
			t.told[x] = now
		}
		s.checkGrant(id, x, was, t.earliestCertain(now), t.latestCertain(now))
	}
}

// checkGrant: a lease that begins within [from, to] must have the length that the number of
// sessions asks for (C11.08). was is its previous end.
func (s *Checker) checkGrant(id paxos.NodeID, x api.SessionID, was, from, to time.Time) {
	t := &s.Seats[id]
	m, ok := t.Of.Session(x)
	if !ok || !s.HasLeases() {
		return
	}
	switch short, long := t.lengths.granted(was, m.Lease, from, to); {
	case short > 0 && m.Late.IsZero(): // otherwise a change waits for the session
		s.breakf(id, "gives session %d of %d a lease that is shorter by %v than their number asks for", x, t.lengths.held, short)
	case long > 0:
		s.breakf(id, "gives session %d of %d a lease that is longer by %v than their number asks for", x, t.lengths.held, long)
	}
}

// isAnswer reports whether an answer ends a call that was worked on. A request that is
// refused at once does not count as use of the session.
func isAnswer(c api.Code) bool {
	return !model.IsUndone(c) && c != api.Invalid && c != api.TooLarge && c != api.Permission
}
