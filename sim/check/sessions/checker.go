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
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/model"
)

// Checker looks over the shoulder of each master: what it promises to
// sessions, on the strength of what, and when it lets go of one (S11); and who
// knows of a fail-over when it is over (C12.09). It reads the master's memory where
// a promise moves, and judges it by what came to the master and by the log.
type Checker struct {
	world  *sim.World
	Off    bool // KeepAlives are not shown to it: see Crowd
	Config session.Config
	sweep  time.Duration // from serving until nodes of before are swept
	room   handle.Limits
	facts  Facts
	Seats  []seat                     // by replica
	owes   []map[api.SessionID]uint64 // by replica: KeepAlives that its present step must answer

	Lengths lengthCounts
}

// Facts is what is known of the cell by other models, by which masters are judged here.
type Facts interface {
	// Given is the handle that was given out with a token, nil if none was.
	Given(api.Token) *model.Grip
	// DelaysAt are the lock-delays that ran when an epoch began.
	DelaysAt(api.Epoch) map[model.DelayID]time.Duration
	// HoldersIn are those that hold locks, if that is the present epoch of the log.
	HoldersIn(api.Epoch) []model.Owner
	// MayHaveHandles says that a session has asked for a handle.
	MayHaveHandles(api.SessionID) bool
	// HasOpen says that a session has a handle for certain that is of an epoch.
	HasOpen(api.SessionID, api.Epoch) bool
	// OwesDrop says that a session was told in an epoch to drop something from its cache, and has
	// not acknowledged that.
	OwesDrop(api.SessionID, api.Epoch) bool
	// OnLease is told of each lease that is seen at a replica, and when it ends by its clock.
	OnLease(paxos.NodeID, api.SessionID, time.Time)
}

// New makes a Checker for the replicas 1 to that number, which are so configured, and with
// what is known of their cell.
func New(w *sim.World, replicas int, cfg core.Config, facts Facts) *Checker {
	return &Checker{
		world: w, Config: cfg.Sessions, sweep: cfg.NodeOps.SweepAfter, room: cfg.NodeOps.Handles, facts: facts,
		Seats: make([]seat, replicas+1), owes: make([]map[api.SessionID]uint64, replicas+1),
	}
}

func (s *Checker) breaks(id paxos.NodeID, format string, args ...any) {
	s.world.Break("S11", "replica %d, master in epoch %d, "+format, append([]any{id, s.Seats[id].Epoch}, args...)...)
}

// HasLeases says whether sessions have any.
func (s *Checker) HasLeases() bool { return s.Config.LeaseMin > 0 }

// OnRequest is told of a request that comes to a replica, before that is.
func (s *Checker) OnRequest(id paxos.NodeID, now time.Time, q api.Request) {
	s.Seats[id].came(now, q, s.facts.Given)
}

// OnActed is told what a replica does, before its answers leave, and which commands it
// has handed to the log; own are those that it has decided on, which no call wants.
func (s *Checker) OnActed(id paxos.NodeID, of Presider, now time.Time, out *model.Outcome, proposed, own []command.Command) {
	t, st := &s.Seats[id], of.Master()
	if s.Off || !st.State.HasEpoch() {
		if t.Of == of {
			s.leaves(id)
		}
		if t.Of != nil {
			*t = seat{}
		}
		return
	}
	if t.Of != of || t.Epoch != st.Epoch {
		if t.Of == of {
			s.leaves(id)
		}
		*t = newSeat(of, st.Epoch, now, s.room)
		if s.HasLeases() {
			t.lengths = newLengths(s.Config, of, now, &s.Lengths)
		}
		s.recovers(id, now)
	} else if s.HasLeases() {
		t.lengths.acts(now, out.Applied)
	}
	t.acts(now, out.Wake, out.Applied)
	for i := range out.Applied {
		for j := range out.Applied[i].Commands {
			s.applied(id, now, &out.Applied[i].Commands[j])
			t.delays.OnApplied(&out.Applied[i].Commands[j], now)
		}
	}
	t.wants(own)
	if d, ok := t.delays.Lost(t.executed); ok {
		s.world.Break("S8", "replica %d, master in epoch %d, has said once that the lock-delay of %v that began with command %d is over, and the log goes on without that", id, t.Epoch, d.Lock, d.Freed)
	}
	if d, by := t.delays.Overdue(now, t.slept); by > 0 {
		s.world.Break("S8", "replica %d, master in epoch %d, lets the lock-delay of %v that began with command %d run on for %v", id, t.Epoch, d.Lock, d.Freed, by)
	}
	for _, c := range proposed {
		s.proposes(id, now, c)
	}
	s.withholds(id, now)
	s.measures(id, now)
	s.lapses(id, now)
}

// measures: the row of the longest lease is raised when there are so many sessions that
// their leases must be longer, and lowered when none can be as long any more (C11.08).
func (s *Checker) measures(id paxos.NodeID, now time.Time) {
	t := &s.Seats[id]
	if !s.HasLeases() {
		return
	}
	if d := t.lengths.overdue(now, t.slept); d > 0 {
		s.breaks(id, "has had %d sessions for some time, whose leases are to be %v, and leaves the longest lease at %v", t.lengths.held, d, t.lengths.row)
	}
}

// withholds: a session with a call under way is not idle, so its KeepAlive does not
// wait until there is little left of the lease.
func (s *Checker) withholds(id paxos.NodeID, now time.Time) {
	t := &s.Seats[id]
	if !s.HasLeases() {
		return
	}
	found, of := time.Duration(0), api.SessionID(0)
	for x := range t.under { // order-free: the lowest is taken
		m, ok := t.Of.Session(x)
		k, waits := t.waits[x]
		due := m.Lease.Add(-s.Config.LeaseMin / 3)
		if !ok || !waits || !m.HasAcked || t.Since.After(due) || k.receipt.After(due) || t.busy[x].After(due) {
			continue
		}
		if left := m.Lease.Sub(now) + t.late; left < s.Config.LeaseMin/4 && (of == 0 || x < of) {
			found, of = left, x
		}
	}
	if of != 0 {
		s.breaks(id, "lets a KeepAlive of session %d, which has a call under way, wait until %v before the end of its lease", of, found)
	}
}

// recovers: each session of before lives on for the longest lease that a
// predecessor may have granted (C12.06), and each lock-delay begins again.
func (s *Checker) recovers(id paxos.NodeID, now time.Time) {
	t := &s.Seats[id]
	for _, x := range t.Of.Alive() {
		t.used[x] = now
		s.sees(id, now, x, max(t.Of.Longest(), s.Config.LeaseMin))
	}
	for d, length := range s.facts.DelaysAt(t.Epoch) { // order-free: each for itself
		t.delays[d] = locks.DelayEnd{Due: now.Add(length)}
	}
}

// sees looks at a session, which is to have a lease of at least that length.
func (s *Checker) sees(id paxos.NodeID, now time.Time, x api.SessionID, least time.Duration) {
	t := &s.Seats[id]
	m, ok := t.Of.Session(x)
	if !ok || !s.HasLeases() {
		return
	}
	was, known := t.Leases[x]
	t.Leases[x] = m.Lease
	switch left, most := m.Lease.Sub(now), t.Of.Longest(); {
	case least > 0 && left < least:
		s.breaks(id, "gives session %d a lease of %v, and owes it %v", x, left, least)
	case known && m.Lease.Before(was):
		s.breaks(id, "takes back %v of the lease of session %d", was.Sub(m.Lease), x)
	case left > max(most, least):
		s.breaks(id, "gives session %d a lease of %v, and the rows allow %v", x, left, most)
	case known && m.Lease.After(was) && m.Lease.After(t.certainly(now).Add(most)):
		s.breaks(id, "extends the lease of session %d to %v from now, and was %s", x, left, t.lastCertain(now))
	}
	s.facts.OnLease(id, x, m.Lease)
}

// applied takes in what the log says to the master.
func (s *Checker) applied(id paxos.NodeID, now time.Time, a *command.Applied) {
	t := &s.Seats[id]
	t.takes(a, now)
	switch c := a.Command.(type) {
	case command.Call:
		_, opens := c.Op.(api.OpenSession)
		x := a.Result.Session
		if _, was := t.Leases[x]; opens && a.Verdict == command.Executed && a.Result.Code == api.OK && !was {
			t.used[x], t.Heard[x] = now, newLately(now)
			s.sees(id, now, x, s.Config.LeaseMin) // C11.06
			s.grants(id, x, time.Time{}, now, now)
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
			s.sees(id, now, x, 0) // none is longer than the rows say, whatever they say now
		}
	}
}

// proposes: in a fail-over a master works on no calls (C12.07), and the end of a
// session is proposed when its lease is over, as of an instant at which this was
// the master for certain, and not while its client waits for an answer, or has only
// just had one, however late that was.
func (s *Checker) proposes(id paxos.NodeID, now time.Time, c command.Command) {
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
			h.logs(k.Seq)
		}
	}
	switch c := c.(type) {
	case command.Call, command.NodeCommand:
		if !t.Serving && !t.took { // what came behind the last KeepAlive that was awaited may be worked on
			s.breaks(id, "works on a call in its fail-over: %+v", c)
		}
	case command.Sweep:
		s.sweeps(id, now, c.Node)
	case command.FailHandle:
		if o := (model.Owner{Session: c.Session, Handle: c.Handle}); t.Brought.keeps(o) {
			s.world.Break("S9", "replica %d, master in epoch %d, fails %v, which was presented to it", id, t.Epoch, o)
		}
	case command.ConfirmLeadership:
		t.asked = now
		t.asks++
	case command.Expire:
		s.ends(id, now, c.Session)
	case command.LongestLease:
		if why := t.lengths.asks(c.Lease); why != "" {
			s.breaks(id, "sets the longest lease to %v, %s", c.Lease, why)
		}
	}
}

// sweeps: a session that had an ephemeral node open before the epoch has some time to come
// back, counted from when all may be asked (C12.13).
func (s *Checker) sweeps(id paxos.NodeID, now time.Time, n api.Ref) {
	t := &s.Seats[id]
	switch {
	case api.Number(n.Instance) > t.Began:
	case !t.Serving:
		s.world.Break("S15", "replica %d, master in epoch %d, sweeps %v of before its epoch, and does not serve", id, t.Epoch, n)
	case now.Before(t.served.Add(s.sweep)):
		s.world.Break("S15", "replica %d, master in epoch %d, sweeps %v of before its epoch %v after it began to serve; clients have %v from then on to present their handles of it", id, t.Epoch, n, now.Sub(t.served), s.sweep)
	}
}

func (s *Checker) ends(id paxos.NodeID, now time.Time, x api.SessionID) {
	t := &s.Seats[id]
	m, ok := t.Of.Session(x)
	if !ok {
		return
	}
	t.ends[x] = now
	if left := m.Lease.Sub(t.certainly(now)); left > 0 {
		s.breaks(id, "ends session %d, and was %s, when the lease had %v to run", x, t.lastCertain(now), left)
	}
	if told, was := t.told[x]; was && now.Sub(told) < s.Config.LeaseMin/3 && m.Late.IsZero() {
		s.breaks(id, "ends session %d %v after it told its client of a lease: that had no time to come again", x, now.Sub(told))
	}
	switch k, waits := t.waits[x]; {
	case !waits || !m.HasAcked:
	case !k.since.Before(now): // taken in by this step, behind what has decided the end
	case !m.Late.IsZero() && s.facts.OwesDrop(x, t.Epoch): // a change has waited for one lease for that
	case !t.idle(x, now, s.Config.IdleAfter):
		s.breaks(id, "ends session %d, whose KeepAlive has waited for %v, and whose last call was %v ago", x, now.Sub(k.receipt), now.Sub(t.used[x]))
	case api.Number(x) < t.Began:
		s.breaks(id, "ends session %d of before its epoch, whose KeepAlive has waited for %v: what handles it has is not known", x, now.Sub(k.receipt))
	case t.Heard[x] != nil && !t.Heard[x].Told:
		s.breaks(id, "ends session %d, whose KeepAlive has waited for %v, and whose client was told of no lease to make a call in", x, now.Sub(k.receipt))
	case s.facts.HasOpen(x, t.Epoch):
		s.breaks(id, "ends session %d, whose KeepAlive has waited for %v, and which has a handle open", x, now.Sub(k.receipt))
	}
}

// leaves: whose KeepAlive waits at a master that is none any more is told so at once,
// and need not find out.
func (s *Checker) leaves(id paxos.NodeID) {
	for x := range s.Seats[id].waits { // order-free: each is noted by itself
		s.owe(id, x)
	}
}

// owe demands an answer to the KeepAlive of a session that waits, before the step of
// the replica is over.
func (s *Checker) owe(id paxos.NodeID, x api.SessionID) {
	if k, waits := s.Seats[id].waits[x]; waits {
		if s.owes[id] == nil {
			s.owes[id] = map[api.SessionID]uint64{}
		}
		s.owes[id][x] = k.id
	}
}

// OnStepDone is told that a step of a replica is over: all its answers have left.
func (s *Checker) OnStepDone(id paxos.NodeID) {
	if len(s.owes[id]) > 0 {
		x := slices.Min(slices.Collect(maps.Keys(s.owes[id])))
		s.world.Break("S11", "replica %d leaves the KeepAlive of session %d without an answer, and the session, or its time as master, is over", id, x)
	}
}

// serves: all operations are allowed in an epoch when each session of before has
// taken notice of it, or has ended (C12.09), and what they did not present is freed.
func (s *Checker) OnServing(id paxos.NodeID, now time.Time) {
	t := &s.Seats[id]
	t.Serving, t.served = true, now
	if s.Off || !s.HasLeases() {
		return
	}
	for _, x := range t.Of.Alive() {
		if !t.knows[x] {
			s.breaks(id, "serves, and session %d has not said that it knows of this epoch", x)
		}
	}
	for _, o := range s.facts.HoldersIn(t.Epoch) {
		if o.Handle.Epoch < t.Epoch && !t.Brought.owners[o] {
			s.world.Break("S8", "replica %d serves in epoch %d, and %v holds a lock, which no client has presented", id, t.Epoch, o)
		}
	}
}
