package sessions

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim/check/leases"
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/model"
)

// Presider is a replica's life, as far as it is asked about sessions.
type Presider interface {
	Master() master.Status
	Session(api.SessionID) (session.Session, bool)
	Lease() time.Time // of its read authority
	Longest() time.Duration
	Alive() []api.SessionID // by its rows
	Count() int             // of them
	Refusals() uint64       // of the log
	Wants() int             // of the log: commands that wait, and slots that are in flight
}

// Presiding is a Presider that is a node.
type Presiding struct{ *core.Replica }

// Longest is the longest lease, by the rows.
func (n Presiding) Longest() time.Duration { return rows.GetLongestLease(n.Rows()) }

// Count is how many sessions there are, by the rows.
func (n Presiding) Count() int { return int(rows.GetTotals(n.Rows()).Sessions) }

// Refusals is how many commands the log has refused.
func (n Presiding) Refusals() uint64 { return n.Status().Count.Refused }

// Wants is how many commands wait for a slot or are in flight.
func (n Presiding) Wants() int { return n.InFlight() + n.Status().Pending + n.Master().Waiting }

// Alive are the sessions, by the rows.
func (n Presiding) Alive() (all []api.SessionID) {
	for id := range rows.Sessions(n.Rows()) {
		all = append(all, id)
	}
	return all
}

// seat is a master in one epoch, and what came to it.
type seat struct {
	Of      Presider // nil: this replica is in no epoch of its own
	Epoch   api.Epoch
	Began   api.Number // the command that began the epoch; 0: not known
	Serving bool
	served  time.Time                   // when it began to
	took    bool                        // it serves, as it said of itself when a request came
	seen    map[api.SessionID]api.Seq   // its client waits for no call up to this one
	under   map[api.SessionID][]api.Seq // calls in the log that the master has not heard of again
	busy    map[api.SessionID]time.Time // since then there are any
	Leases  map[api.SessionID]time.Time // as last seen, by its clock, as all instants
	knows   map[api.SessionID]bool      // has said that it took notice of the epoch
	waits   map[api.SessionID]waiting   // the newest KeepAlive without an answer
	used    map[api.SessionID]time.Time // a call was answered, or the session began
	Heard   map[api.SessionID]*lately   // sessions of this epoch
	ends    map[api.SessionID]time.Time // its end was proposed
	told    map[api.SessionID]time.Time // of a lease, and of no fail-over
	Brought brought
	delays  locks.Delays
	lengths lengths

	asks     int   // Confirms in the log: one at most
	unasked  lapse // it does not ask for evidence
	unserved lapse // it does not begin to serve

	executed uint64 // commands in its name
	own      uint64 // what it wants for itself, of which the log has not said anything

	asked time.Time // when the last Confirm was proposed
	Known time.Time // master for certain then, by the log
	knew  time.Time // the same, when it began to act
	lease time.Time // the end of read authority
	prior time.Time // the same, when it began to act
	Since time.Time // read authority has had no break since
	Wake  time.Time // when it asked to be called
	late  time.Duration
	acted time.Time     // when it acted last
	slept time.Duration // of what passed since then, what it had asked to be called in
}

// waiting is a KeepAlive that came to a master, and when.
type waiting struct {
	id      uint64
	receipt time.Time
	since   time.Time // receipt of the first that has no answer: a newer one takes its place
}

func newSeat(of Presider, e api.Epoch, now time.Time, l handle.Limits) seat {
	return seat{
		Of: of, Epoch: e, lease: of.Lease(), Since: now, Brought: newBrought(l), delays: locks.Delays{},
		seen: map[api.SessionID]api.Seq{}, under: map[api.SessionID][]api.Seq{}, busy: map[api.SessionID]time.Time{},
		Leases: map[api.SessionID]time.Time{}, knows: map[api.SessionID]bool{},
		waits: map[api.SessionID]waiting{}, used: map[api.SessionID]time.Time{}, Heard: map[api.SessionID]*lately{}, ends: map[api.SessionID]time.Time{},
		told: map[api.SessionID]time.Time{},
	}
}

// takesCalls notes whether the master says that it serves, at an instant at which a call has come: the
// last KeepAlive that it awaited may have come in front of that, in one step.
func (t *seat) takesCalls() {
	t.took = t.Serving || t.took || t.Of.Master().State == master.Serving
}

// came is told of a request before the master is; those of other epochs are not
// for it (C12.04), and session 0 is no client's. known finds the handle that was given out
// with a token.
func (t *seat) came(now time.Time, q api.Request, known func(api.Token) *model.Grip) {
	if _, opens := q.Op.(api.OpenSession); opens && t.Of != nil { // is of no epoch
		t.takesCalls()
	}
	if t.Of == nil || q.Epoch != t.Epoch || q.Session == 0 {
		return
	}
	if q.AckedThrough > t.seen[q.Session] {
		t.seen[q.Session] = q.AckedThrough
		t.drops(q.Session, func(n api.Seq) bool { return n <= q.AckedThrough })
	}
	k, keeps := q.Op.(api.KeepAlive)
	if !keeps {
		t.takesCalls()
		if h := t.Heard[q.Session]; h != nil {
			h.came(now, q)
		}
		return
	}
	for _, token := range k.Tokens {
		if g := known(token); g != nil && g.Session == q.Session && !t.knows[q.Session] {
			t.Brought.Take(model.Owner{Session: g.Session, Handle: g.ID})
		}
	}
	if k.AckedEpoch == t.Epoch {
		t.knows[q.Session] = true
	}
	if w, waits := t.waits[q.Session]; !waits {
		t.waits[q.Session] = waiting{q.ID, now, now}
	} else if q.ID >= w.id {
		t.waits[q.Session] = waiting{q.ID, now, w.since}
	}
}

// acts is told that the master acts at an instant, and what it was told by the log
// then; wake is when it wants to be called next.
func (t *seat) acts(now, wake time.Time, applied []core.Applied) {
	t.prior, t.lease = t.lease, t.Of.Lease()
	if !now.Before(t.prior) {
		t.Since = now
	}
	t.knew = t.Known
	t.late, t.slept = 0, 0
	if !t.Wake.IsZero() {
		t.late = max(now.Sub(t.Wake), 0)
		t.slept = min(t.late, now.Sub(t.acted))
	}
	t.Wake, t.acted = wake, now
	for i := range applied {
		for j := range applied[i].Commands {
			t.confirms(&applied[i].Commands[j])
		}
	}
}

// Wants takes in what the master has decided to hand to the log for itself.
func (t *seat) wants(own []command.Command) {
	t.delays.OnDecided(own, t.executed, t.own)
	t.own += uint64(len(own))
}

// takes notes what the log brings back: what began this epoch, and calls.
func (t *seat) takes(a *command.Applied, now time.Time) {
	if guard, guarded := model.GuardOf(a.Command); guarded && guard == t.Epoch {
		t.executed++
		if model.IsOfMaster(a.Command) && t.own > 0 {
			t.own--
		}
	}
	for _, e := range a.Effects {
		if e, ok := e.(command.EpochBegan); ok && e.Epoch.Number == t.Epoch {
			t.Began = a.Number
		}
	}
	guard, _ := model.GuardOf(a.Command)
	if k, is := model.CallOf(a.Command); is && guard == t.Epoch {
		t.drops(k.Session, func(n api.Seq) bool { return n == k.Seq })
		if h := t.Heard[k.Session]; h != nil {
			h.at = now // also of a copy of what was answered at once
			delete(h.logged, k.Seq)
		}
	}
}

// drops takes calls of a session out of those that are under way.
func (t *seat) drops(s api.SessionID, which func(api.Seq) bool) {
	if left := slices.DeleteFunc(t.under[s], which); len(left) > 0 {
		t.under[s] = left
	} else {
		delete(t.under, s)
	}
}

// confirms takes in that the log says that it was master when it asked.
func (t *seat) confirms(a *command.Applied) {
	if c, is := a.Command.(command.ConfirmLeadership); is && a.Verdict == command.Executed && c.Guard == t.Epoch {
		t.Known, t.asks = t.asked, 0
	}
}

// certainly is the latest instant at which it was master for certain: now, within
// read authority, whatever that was when it began to act.
func (t *seat) certainly(now time.Time) time.Time {
	if now.Before(leases.Later(t.prior, t.lease)) {
		return now
	}
	return t.Known
}

// lastCertain says when that was, for a report.
func (t *seat) lastCertain(now time.Time) string {
	switch at := t.certainly(now); {
	case at.IsZero():
		return "never master for certain"
	case at.Equal(now):
		return "master for certain at this instant"
	default:
		return fmt.Sprintf("master for certain %v ago, for the last time", now.Sub(at))
	}
}

// surely is the earliest instant that it may have taken for that in this step.
func (t *seat) surely(now time.Time) time.Time {
	if now.Before(t.prior) && now.Before(t.lease) {
		return now
	}
	return t.knew
}

// lately is when something happened last to the calls of a session, which came and
// have no answer, which stand in the log, as copies of what is answered may for long
// afterwards, which may wait for their turn as such copies, and whether its client has
// been told of a lease.
type lately struct {
	at     time.Time
	calls  map[api.Seq]bool
	logged map[api.Seq]bool
	lined  map[api.Seq]bool
	again  api.Seq // of a call without an answer, of which a copy came last
	Told   bool
}

func newLately(now time.Time) *lately {
	return &lately{at: now, calls: map[api.Seq]bool{}, logged: map[api.Seq]bool{}, lined: map[api.Seq]bool{}}
}

// came is told of a call. What its client waits for no more leaves the line.
func (h *lately) came(now time.Time, q api.Request) {
	maps.DeleteFunc(h.lined, func(n api.Seq, _ bool) bool { return n <= q.AckedThrough })
	h.again = 0
	if h.calls[q.Seq] {
		h.again = q.Seq
	}
	h.at, h.calls[q.Seq] = now, true
}

// tells notes that a call is answered, or refused. Where that is at once, an earlier copy
// may still wait for its turn: it came when this had no read authority, and wants no
// other answer than the later one, which was read from the rows.
func (h *lately) tells(p api.Reply, now time.Time) {
	delete(h.calls, p.Seq)
	delete(h.lined, p.Seq)
	switch {
	case p.Code == api.Busy:
		delete(h.logged, p.Seq) // the log did not take it
	case p.Code.Execution() == api.Executed && h.again == p.Seq && h.at.Equal(now):
		h.lined[p.Seq] = true
	}
	h.at = now
}

// logs is told that a call is handed to the log.
func (h *lately) logs(n api.Seq) {
	h.logged[n] = true
	delete(h.lined, n)
}

// tells notes that a call is answered, or refused.
func (t *seat) tells(p api.Reply, now time.Time) {
	if h := t.Heard[p.Session]; h != nil && p.Seq != 0 {
		h.tells(p, now)
	}
}

// quiet says that a session of this epoch, whose client may make calls, has had none
// for so long, when this was last master for certain.
func (t *seat) quiet(s api.SessionID, now time.Time, after time.Duration) bool {
	h := t.Heard[s]
	return after > 0 && h != nil && h.Told && len(h.calls) == 0 && len(h.logged) == 0 && len(h.lined) == 0 && !t.certainly(now).Before(h.at.Add(after))
}

// idle says that a session may be idle: no call of it is under way, or was answered
// for so long. That it has no handles is not asked here.
func (t *seat) idle(s api.SessionID, now time.Time, after time.Duration) bool {
	return after > 0 && len(t.under[s]) == 0 && !now.Before(t.used[s].Add(after))
}
