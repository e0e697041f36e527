package sessions

import (
	"maps"
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Checker checks each master: what it promises to sessions, on what evidence, when it ends
// one (S11), and which sessions have acknowledged its epoch when its fail-over is over
// (C12.09). It reads the master's memory whenever a promise changes, and judges it by what
// reached the master and by the log.
type Checker struct {
	world  *sim.World
	Off    bool // KeepAlives are not shown to it, as in cell.Crowd
	Config session.Config
	sweep  time.Duration // time from serving until nodes of earlier epochs may be swept
	room   handle.Limits
	facts  Facts
	Seats  []seat                     // by replica
	owes   []map[api.SessionID]uint64 // by replica: KeepAlives that it must answer before its present step ends

	dismissed map[dismissal]time.Time // end of the lease by the master's clock, when the order came

	Lengths lengthCounts
}

// Facts is what other models know of the cell, by which masters are judged here.
type Facts interface {
	// Given returns the handle that was given out with a token, or nil.
	Given(api.Token) *model.Grip
	// DelaysAt returns the lock-delays that ran when an epoch began.
	DelaysAt(api.Epoch) map[model.DelayID]time.Duration
	// HoldersIn returns the handles that hold locks, if that is the present epoch of the log.
	HoldersIn(api.Epoch) []model.Owner
	// MayHaveHandles reports whether a session has asked for a handle.
	MayHaveHandles(api.SessionID) bool
	// HasOpen reports whether a session certainly has an open handle of an epoch.
	HasOpen(api.SessionID, api.Epoch) bool
	// OwesDrop reports whether a session was told in an epoch to drop something from its
	// cache, or was sent events again, and has not acknowledged that.
	OwesDrop(api.SessionID, api.Epoch) bool
	// OnLease reports each lease that is seen at a replica, and when it ends by the replica's
	// clock.
	OnLease(paxos.NodeID, api.SessionID, time.Time)
}

// New makes a Checker for the replicas 1 to replicas, which have the configuration cfg.
func New(w *sim.World, replicas int, cfg core.Config, facts Facts) *Checker {
	return &Checker{
		world: w, Config: cfg.Sessions, sweep: cfg.NodeOps.SweepAfter, room: cfg.NodeOps.Handles, facts: facts,
		Seats: make([]seat, replicas+1), owes: make([]map[api.SessionID]uint64, replicas+1), dismissed: map[dismissal]time.Time{},
	}
}

func (s *Checker) breakf(id paxos.NodeID, format string, args ...any) {
	s.world.Break("S11", "replica %d, master in epoch %d, "+format, append([]any{id, s.Seats[id].Epoch}, args...)...)
}

// HasLeases reports whether sessions have leases.
func (s *Checker) HasLeases() bool { return s.Config.LeaseMin > 0 }

// OnRequest reports a request that reaches a replica, before the replica sees it.
func (s *Checker) OnRequest(id paxos.NodeID, now time.Time, q api.Request) {
	s.Seats[id].onRequest(now, q, s.facts.Given)
}

// OnActed reports a step of a replica, before its answers leave. proposed are the commands
// that it has handed to the log; own are those that it has decided on for itself, without a
// call.
func (s *Checker) OnActed(id paxos.NodeID, of Presider, now time.Time, out *model.Outcome, proposed, own []command.Command) {
	t, st := &s.Seats[id], of.Master()
	if s.Off || !st.State.HasEpoch() {
		if t.Of == of {
			s.oweWaiting(id)
		}
		if t.Of != nil {
			*t = seat{}
		}
		return
	}
	if t.Of != of || t.Epoch != st.Epoch {
		if t.Of == of {
			s.oweWaiting(id)
		}
		*t = newSeat(of, st.Epoch, now, s.room)
		if s.HasLeases() {
			t.lengths = newLengths(s.Config, of, now, &s.Lengths)
		}
		s.onEpoch(id, now)
	} else if s.HasLeases() {
		t.lengths.onActed(now, out.Applied)
	}
	t.onActed(now, out.Wake, out.Applied)
	for i := range out.Applied {
		for j := range out.Applied[i].Commands {
			s.onApplied(id, now, &out.Applied[i].Commands[j])
			t.delays.OnApplied(&out.Applied[i].Commands[j], now)
		}
	}
	t.onDecided(own)
	if d, ok := t.delays.Lost(t.executed); ok {
		s.world.Break("S8", "replica %d, master in epoch %d, has said once that the lock-delay of %v that began with command %d is over, and the log goes on without that", id, t.Epoch, d.Lock, d.Freed)
	}
	if d, by := t.delays.Overdue(now, t.slept); by > 0 {
		s.world.Break("S8", "replica %d, master in epoch %d, lets the lock-delay of %v that began with command %d run on for %v, and does not propose to end it: %s",
			id, t.Epoch, d.Lock, d.Freed, by, t.delays.Describe(d, now))
	}
	for _, c := range proposed {
		s.onProposed(id, now, c)
	}
	s.checkHeldBack(id, now)
	s.checkLongestLease(id, now)
	s.checkLapses(id, now)
}

// checkLongestLease: the master must raise the row of the longest lease when there are so
// many sessions that their leases must be longer, and lower it when no lease of that length
// can run any more (C11.08).
func (s *Checker) checkLongestLease(id paxos.NodeID, now time.Time) {
	t := &s.Seats[id]
	if !s.HasLeases() {
		return
	}
	if d := t.lengths.overdue(now, t.slept); d > 0 {
		s.breakf(id, "has had %d sessions for some time, whose leases are to be %v, and leaves the longest lease at %v", t.lengths.held, d, t.lengths.row)
	}
}

// checkHeldBack: a session with a call under way is not idle, so the master must answer its
// KeepAlive before little of the lease is left.
func (s *Checker) checkHeldBack(id paxos.NodeID, now time.Time) {
	t := &s.Seats[id]
	if !s.HasLeases() {
		return
	}
	found, of := time.Duration(0), api.SessionID(0)
	for x := range t.under { // order-free: the lowest is taken
		m, ok := t.Of.Session(x)
		k, waits := t.waits[x]
		due := m.Lease.Add(-s.Config.LeaseMin / 3)
		if !ok || !waits || !m.HasAcked || s.IsDismissed(x, t.Epoch) || t.Since.After(due) || k.receipt.After(due) || t.busy[x].After(due) {
			continue
		}
		if left := m.Lease.Sub(now) + t.late; left < s.Config.LeaseMin/4 && (of == 0 || x < of) {
			found, of = left, x
		}
	}
	if of != 0 {
		s.breakf(id, "lets a KeepAlive of session %d, which has a call under way, wait until %v before the end of its lease", of, found)
	}
}

// onEpoch: each session of earlier epochs lives on for the longest lease that a predecessor
// may have granted (C12.06), and each lock-delay begins again.
func (s *Checker) onEpoch(id paxos.NodeID, now time.Time) {
	t := &s.Seats[id]
	for _, x := range t.Of.Alive() {
		t.used[x] = now
		s.checkLease(id, now, x, max(t.Of.Longest(), s.Config.LeaseMin))
	}
	for d, length := range s.facts.DelaysAt(t.Epoch) { // order-free: each for itself
		t.delays.Begin(d, length, now)
	}
}

// checkLease looks at a session's lease, which must have at least that time to run.
func (s *Checker) checkLease(id paxos.NodeID, now time.Time, x api.SessionID, least time.Duration) {
	t := &s.Seats[id]
	m, ok := t.Of.Session(x)
	if !ok || !s.HasLeases() {
		return
	}
	was, known := t.Leases[x]
	t.Leases[x] = m.Lease
	switch left, most := m.Lease.Sub(now), t.Of.Longest(); {
	case least > 0 && left < least:
		s.breakf(id, "gives session %d a lease of %v, and owes it %v", x, left, least)
	case known && m.Lease.Before(was):
		s.breakf(id, "takes back %v of the lease of session %d", was.Sub(m.Lease), x)
	case left > max(most, least):
		s.breakf(id, "gives session %d a lease of %v, and the rows allow %v", x, left, most)
	case known && m.Lease.After(was) && m.Lease.After(t.latestCertain(now).Add(most)):
		s.breakf(id, "extends the lease of session %d to %v from now, and was %s", x, left, t.describeCertain(now))
	case s.IsDismissed(x, t.Epoch) && m.Lease.After(s.dismissed[dismissal{x, t.Epoch}]):
		s.breakf(id, "extends the lease of session %d by %v, and has the order to end the session", x, m.Lease.Sub(s.dismissed[dismissal{x, t.Epoch}]))
	}
	s.facts.OnLease(id, x, m.Lease)
}

// onApplied takes in a command that the master has applied.
func (s *Checker) onApplied(id paxos.NodeID, now time.Time, a *command.Applied) {
	t := &s.Seats[id]
	t.onApplied(a, now)
	switch c := a.Command.(type) {
	case command.Call:
		_, opens := c.Op.(api.OpenSession)
		x := a.Result.Session
		if _, was := t.Leases[x]; opens && a.Verdict == command.Executed && a.Result.Code == api.OK && !was {
			t.used[x], t.Heard[x] = now, newActivity(now)
			s.checkLease(id, now, x, s.Config.LeaseMin) // C11.06
			s.checkGrant(id, x, time.Time{}, now, now)
		}
		if _, ends := c.Op.(api.EndSession); ends && a.Verdict == command.Executed {
			s.owe(id, c.Session)
		}
	case command.Expire:
		if a.Verdict == command.Executed {
			s.owe(id, c.Session)
		}
	case command.LongestLease:
		for _, x := range t.Of.Alive() {
			s.checkLease(id, now, x, 0) // none may be longer than the rows say now
		}
	}
}

// onProposed: in a fail-over a master works on no calls (C12.07). It may propose the end of a
// session only if the lease was over at an instant at which it was certainly master. It must
// not do so while the client waits for an answer to a KeepAlive, or has only just had one,
// however late.
func (s *Checker) onProposed(id paxos.NodeID, now time.Time, c command.Command) {
	t := &s.Seats[id]
	if guard, _ := model.GuardOf(c); guard != t.Epoch {
		return
	}
	if k, is := model.CallOf(c); is {
		if len(t.under[k.Session]) == 0 {
			t.busy[k.Session] = now
		}
		t.under[k.Session] = append(t.under[k.Session], k.Seq)
		if h := t.Heard[k.Session]; h != nil {
			h.onLogged(k.Seq)
		}
	}
	switch c := c.(type) {
	case command.Call, command.NodeCommand:
		if !t.Serving && !t.took { // what came after the last awaited KeepAlive may be worked on
			s.breakf(id, "works on a call in its fail-over: %+v", c)
		}
	case command.Sweep:
		s.checkSweep(id, now, c.Node)
	case command.FailHandle:
		if o := (model.Owner{Session: c.Session, Handle: c.Handle}); t.Brought.has(o) {
			s.world.Break("S9", "replica %d, master in epoch %d, fails %v, which was presented to it", id, t.Epoch, o)
		}
	case command.ConfirmLeadership:
		t.asked = now
		t.asks++
	case command.Expire:
		s.checkExpire(id, now, c.Session)
	case command.LongestLease:
		if why := t.lengths.onProposed(c.Lease); why != "" {
			s.breakf(id, "sets the longest lease to %v, %s", c.Lease, why)
		}
	}
}

// checkSweep: a session that had an ephemeral node open before the epoch has some time to
// present its handle, counted from when the master serves (C12.13).
func (s *Checker) checkSweep(id paxos.NodeID, now time.Time, n api.Ref) {
	t := &s.Seats[id]
	switch {
	case api.Number(n.Instance) > t.Began:
	case !t.Serving:
		s.world.Break("S15", "replica %d, master in epoch %d, sweeps %v of before its epoch, and does not serve", id, t.Epoch, n)
	case now.Before(t.served.Add(s.sweep)):
		s.world.Break("S15", "replica %d, master in epoch %d, sweeps %v of before its epoch %v after it began to serve; clients have %v from then on to present their handles of it", id, t.Epoch, n, now.Sub(t.served), s.sweep)
	}
}

// MayLetEnd reports whether a replica may end a session, although a KeepAlive of it waits: its lease is over by the
// replica's clock, and an operator has dismissed it, or it has no handle open, and no call of it is under way there,
// or was answered for IdleAfter.
func (s *Checker) MayLetEnd(id uint64, now time.Time, x api.SessionID) bool {
	t := &s.Seats[paxos.NodeID(id)]
	m, ok := t.Of.Session(x)
	if !ok || now.Before(m.Lease) {
		return false
	}
	return s.IsDismissed(x, t.Epoch) || t.isIdle(x, now, s.Config.IdleAfter) && !s.facts.HasOpen(x, t.Epoch)
}

func (s *Checker) checkExpire(id paxos.NodeID, now time.Time, x api.SessionID) {
	t := &s.Seats[id]
	m, ok := t.Of.Session(x)
	if !ok {
		return
	}
	t.ends[x] = now
	switch certain := t.latestCertain(now); {
	case certain.IsZero():
		s.breakf(id, "ends session %d, and was never master for certain: another master may have extended the lease", x)
	case m.Lease.After(certain):
		s.breakf(id, "ends session %d, and was %s, when the lease had %v to run", x, t.describeCertain(now), m.Lease.Sub(certain))
	}
	if told, was := t.told[x]; was && now.Sub(told) < s.Config.LeaseMin/3 && m.Late.IsZero() {
		s.breakf(id, "ends session %d %v after it told its client of a lease: that had no time to come again", x, now.Sub(told))
	}
	switch k, waits := t.waits[x]; {
	case !waits || !m.HasAcked:
	case !k.since.Before(now): // it came in this step, after the end was decided
	case s.IsDismissed(x, t.Epoch): // its KeepAlive is left unanswered, as one of an idle session
	case !m.Late.IsZero() && s.facts.OwesDrop(x, t.Epoch): // a change has waited one lease for the drop
	case len(t.under[x]) > 0:
		s.breakf(id, "ends session %d, whose KeepAlive has waited for %v: its calls %v are on their way through the log, and a session with a call under way is not idle", x, now.Sub(k.receipt), t.under[x])
	case !t.isIdle(x, now, s.Config.IdleAfter):
		s.breakf(id, "ends session %d, whose KeepAlive has waited for %v: its last call was %v ago, and a session is idle only after %v without one", x, now.Sub(k.receipt), now.Sub(t.used[x]), s.Config.IdleAfter)
	case api.Number(x) < t.Began:
		s.breakf(id, "ends session %d of before its epoch, whose KeepAlive has waited for %v: what handles it has is not known", x, now.Sub(k.receipt))
	case t.Heard[x] != nil && !t.Heard[x].Told:
		s.breakf(id, "ends session %d, whose KeepAlive has waited for %v, and whose client was told of no lease to make a call in", x, now.Sub(k.receipt))
	case s.facts.HasOpen(x, t.Epoch):
		s.breakf(id, "ends session %d, whose KeepAlive has waited for %v, and which has a handle open", x, now.Sub(k.receipt))
	}
}

// oweWaiting: a deposed master must at once tell each session whose KeepAlive waits, so that
// the session need not find out.
func (s *Checker) oweWaiting(id paxos.NodeID) {
	for x := range s.Seats[id].waits { // order-free: each by itself
		s.owe(id, x)
	}
}

// owe demands that the waiting KeepAlive of a session is answered before the replica's step
// ends.
func (s *Checker) owe(id paxos.NodeID, x api.SessionID) {
	if k, waits := s.Seats[id].waits[x]; waits {
		if s.owes[id] == nil {
			s.owes[id] = map[api.SessionID]uint64{}
		}
		s.owes[id][x] = k.id
	}
}

// OnStepDone reports that a step of a replica has ended: all its answers have left.
func (s *Checker) OnStepDone(id paxos.NodeID) {
	if len(s.owes[id]) > 0 {
		x := slices.Min(slices.Collect(maps.Keys(s.owes[id])))
		s.world.Break("S11", "replica %d leaves the KeepAlive of session %d without an answer, and the session, or its time as master, is over", id, x)
	}
}

// OnServing reports that a master begins to serve. A master allows all operations only when
// each session of earlier epochs has acknowledged the epoch, or has ended (C12.09), and when
// locks whose handles were not presented are freed.
func (s *Checker) OnServing(id paxos.NodeID, now time.Time) {
	t := &s.Seats[id]
	t.Serving, t.served = true, now
	if s.Off || !s.HasLeases() {
		return
	}
	for _, x := range t.Of.Alive() {
		if !t.knows[x] {
			s.breakf(id, "serves, and session %d has not said that it knows of this epoch", x)
		}
	}
	for _, o := range s.facts.HoldersIn(t.Epoch) {
		if o.Handle.Epoch < t.Epoch && !t.Brought.owners[o] {
			s.world.Break("S8", "replica %d serves in epoch %d, and %v holds a lock, which no client has presented", id, t.Epoch, o)
		}
	}
}
