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

// Presider is one life of a replica, as the checker asks it about sessions.
type Presider interface {
	Master() master.Status
	Session(api.SessionID) (session.Session, bool)
	Lease() time.Time // end of its read authority
	Longest() time.Duration
	Alive() []api.SessionID // sessions by its rows
	IsAlive(api.SessionID) bool
	Count() int       // their number
	Refusals() uint64 // commands that the log has refused
	Wants() int       // commands that wait for a slot or are in flight
}

// Presiding makes a Presider of a core.Replica.
type Presiding struct{ *core.Replica }

// Longest returns the longest lease, by the rows.
func (n Presiding) Longest() time.Duration { return rows.GetLongestLease(n.Rows()) }

// Count returns the number of sessions, by the rows.
func (n Presiding) Count() int { return int(rows.GetTotals(n.Rows()).Sessions) }

// Refusals returns how many commands the log has refused.
func (n Presiding) Refusals() uint64 { return n.Status().Count.Refused }

// Wants returns how many commands wait for a slot or are in flight.
func (n Presiding) Wants() int { return n.InFlight() + n.Status().Pending + n.Master().Waiting }

// Alive returns the sessions, by the rows.
func (n Presiding) Alive() (all []api.SessionID) {
	for id := range rows.Sessions(n.Rows()) {
		all = append(all, id)
	}
	return all
}

// IsAlive reports whether there is a session, by the rows.
func (n Presiding) IsAlive(x api.SessionID) bool {
	_, ok := rows.GetSession(n.Rows(), x)
	return ok
}

// seat is what is known of a master in one epoch, and of what reached it. All its instants
// are of the master's clock.
type seat struct {
	Of      Presider // nil: the replica is in no epoch of its own
	Epoch   api.Epoch
	Began   api.Number // number of the command that began the epoch; 0: unknown
	Serving bool
	served  time.Time                   // when it began to serve
	took    bool                        // it said that it serves when a call came
	seen    map[api.SessionID]api.Seq   // acknowledged-through: the client awaits no call up to this one
	under   map[api.SessionID][]api.Seq // calls handed to the log and not applied
	busy    map[api.SessionID]time.Time // since when there are any
	Leases  map[api.SessionID]time.Time // end of the lease, as last seen
	knows   map[api.SessionID]bool      // has acknowledged the epoch
	missed  api.SessionID               // one that had not, when mayServe looked last
	waits   map[api.SessionID]waiting   // the newest KeepAlive without an answer
	used    map[api.SessionID]time.Time // when a call was last answered, or the session began
	Heard   map[api.SessionID]*activity // sessions of this epoch
	ends    map[api.SessionID]time.Time // when its end was proposed
	told    map[api.SessionID]time.Time // when its client was last told of a lease, fail-overs apart
	Brought presented
	delays  locks.Delays
	lengths lengths

	asks     int   // ConfirmLeadership commands under way: at most one
	unasked  lapse // it does not ask the log for evidence
	unserved lapse // it does not begin to serve

	executed uint64 // commands of this epoch that it has applied
	own      uint64 // commands that it decided on for itself and has not applied

	asked time.Time     // when it proposed the last ConfirmLeadership
	Known time.Time     // by the log, it was certainly master then
	knew  time.Time     // Known before the present step
	lease time.Time     // end of read authority
	prior time.Time     // lease before the present step
	Since time.Time     // since when read authority has had no gap
	Wake  time.Time     // when it asked to be woken next
	late  time.Duration // how long after Wake the present step came, or one before it at the same instant
	acted time.Time     // when it last acted
	slept time.Duration // how much of the time since acted it overslept its Wake
}

// waiting is a KeepAlive that a master has not answered.
type waiting struct {
	id      uint64
	first   time.Time // receipt of its first copy without an answer
	receipt time.Time // of its last copy
	since   time.Time // receipt of the first one without an answer; newer ones replace it
}

func newSeat(of Presider, e api.Epoch, now time.Time, l handle.Limits) seat {
	return seat{
		Of: of, Epoch: e, lease: of.Lease(), Since: now, Brought: newPresented(l), delays: locks.Delays{},
		seen: map[api.SessionID]api.Seq{}, under: map[api.SessionID][]api.Seq{}, busy: map[api.SessionID]time.Time{},
		Leases: map[api.SessionID]time.Time{}, knows: map[api.SessionID]bool{},
		waits: map[api.SessionID]waiting{}, used: map[api.SessionID]time.Time{}, Heard: map[api.SessionID]*activity{}, ends: map[api.SessionID]time.Time{},
		told: map[api.SessionID]time.Time{},
	}
}

// takesCalls records whether the master says that it serves when a call comes. The last
// KeepAlive that it awaited may have come before the call in the same step.
func (t *seat) takesCalls() {
	t.took = t.Serving || t.took || t.Of.Master().State == master.Serving
}

// onRequest takes in a request before the master sees it. It ignores requests of other epochs
// (C12.04) and of session 0, which is no client's. known returns the handle that was given
// out with a token.
func (t *seat) onRequest(now time.Time, q api.Request, known func(api.Token) *model.Grip) {
	if _, opens := q.Op.(api.OpenSession); opens && t.Of != nil { // is of no epoch
		t.takesCalls()
	}
	if t.Of == nil || q.Epoch != t.Epoch || q.Session == 0 {
		return
	}
	if q.AckedThrough > t.seen[q.Session] {
		t.seen[q.Session] = q.AckedThrough
		t.dropCalls(q.Session, func(n api.Seq) bool { return n <= q.AckedThrough })
	}
	k, keeps := q.Op.(api.KeepAlive)
	if !keeps {
		t.takesCalls()
		if h := t.Heard[q.Session]; h != nil {
			h.onRequest(now, q)
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
		t.waits[q.Session] = waiting{q.ID, now, now, now}
	} else if q.ID == w.id {
		w.receipt = now
		t.waits[q.Session] = w
	} else if q.ID > w.id {
		t.waits[q.Session] = waiting{q.ID, now, now, w.since}
	}
}

// onActed takes in that the master acts, and what it applied in this step. wake is when it
// wants to be woken next.
func (t *seat) onActed(now, wake time.Time, applied []core.Applied) {
	t.prior, t.lease = t.lease, t.Of.Lease()
	if !now.Before(t.prior) {
		t.Since = now
	}
	t.knew = t.Known
	if t.slept = 0; !now.Equal(t.acted) {
		t.late = 0 // otherwise the master still works off what waited for it
	}
	if !t.Wake.IsZero() {
		late := max(now.Sub(t.Wake), 0)
		t.late, t.slept = max(t.late, late), min(late, now.Sub(t.acted))
	}
	t.Wake, t.acted = wake, now
	for i := range applied {
		for j := range applied[i].Commands {
			t.onConfirmed(&applied[i].Commands[j])
		}
	}
}

// onDecided takes in the commands that the master has decided to hand to the log for itself.
func (t *seat) onDecided(own []command.Command) {
	t.delays.OnDecided(own, t.executed, t.own)
	t.own += uint64(len(own))
}

// onApplied records what an applied command says: that it began this epoch, or that a call
// was executed.
func (t *seat) onApplied(a *command.Applied, now time.Time) {
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
		t.dropCalls(k.Session, func(n api.Seq) bool { return n == k.Seq })
		if h := t.Heard[k.Session]; h != nil {
			h.at = now // also of a copy of what was answered at once
			delete(h.logged, k.Seq)
		}
	}
}

// dropCalls removes calls of a session from those that are under way.
func (t *seat) dropCalls(s api.SessionID, which func(api.Seq) bool) {
	if left := slices.DeleteFunc(t.under[s], which); len(left) > 0 {
		t.under[s] = left
	} else {
		delete(t.under, s)
	}
}

// onConfirmed takes in an executed ConfirmLeadership: the replica was master when it proposed
// it.
func (t *seat) onConfirmed(a *command.Applied) {
	if c, is := a.Command.(command.ConfirmLeadership); is && a.Verdict == command.Executed && c.Guard == t.Epoch {
		t.Known, t.asks = t.asked, 0
	}
}

// latestCertain returns the latest instant at which the replica was certainly master: now,
// within read authority as it was before or is after this step.
func (t *seat) latestCertain(now time.Time) time.Time {
	if now.Before(leases.Later(t.prior, t.lease)) {
		return now
	}
	return t.Known
}

// describeCertain describes that instant for a report.
func (t *seat) describeCertain(now time.Time) string {
	switch at := t.latestCertain(now); {
	case at.IsZero():
		return "never master for certain"
	case at.Equal(now):
		return "master for certain at this instant"
	default:
		return fmt.Sprintf("master for certain %v ago, for the last time", now.Sub(at))
	}
}

// earliestCertain returns the earliest instant that the master may have taken for that one in
// this step.
func (t *seat) earliestCertain(now time.Time) time.Time {
	if now.Before(t.prior) && now.Before(t.lease) {
		return now
	}
	return t.knew
}

// activity is when a session last had anything to do with calls, and which of its calls may still
// be under way.
type activity struct {
	at     time.Time        // when something last happened to one of its calls
	calls  map[api.Seq]bool // came and have no answer
	logged map[api.Seq]bool // stand in the log: a copy of an answered call may for long
	lined  map[api.Seq]bool // may wait for their turn as copies of an answered call
	again  api.Seq          // the unanswered call of which the last request was a copy
	Told   bool             // its client has been told of a lease
}

func newActivity(now time.Time) *activity {
	return &activity{at: now, calls: map[api.Seq]bool{}, logged: map[api.Seq]bool{}, lined: map[api.Seq]bool{}}
}

// onRequest takes in a call. Calls that the client no longer awaits leave lined.
func (h *activity) onRequest(now time.Time, q api.Request) {
	maps.DeleteFunc(h.lined, func(n api.Seq, _ bool) bool { return n <= q.AckedThrough })
	h.again = 0
	if h.calls[q.Seq] {
		h.again = q.Seq
	}
	h.at, h.calls[q.Seq] = now, true
}

// onReply takes in that a call is answered, or refused. If it is answered at once, an earlier
// copy may still wait for its turn. That copy came when the master had no read authority, and
// its answer makes no difference after this one, which was read from the rows.
func (h *activity) onReply(p api.Reply, now time.Time) {
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

// onLogged takes in that a call is handed to the log.
func (h *activity) onLogged(n api.Seq) {
	h.logged[n] = true
	delete(h.lined, n)
}

// onReply takes in that a call is answered, or refused.
func (t *seat) onReply(p api.Reply, now time.Time) {
	if h := t.Heard[p.Session]; h != nil && p.Seq != 0 {
		h.onReply(p, now)
	}
}

// tell records that a client was told of a lease, in answer to any of its KeepAlives.
func (t *seat) tell(x api.SessionID) {
	if h := t.Heard[x]; h != nil {
		h.Told = true
	}
}

// isQuiet reports whether a session of this epoch, whose client may make calls, had made none
// for that long when this replica was last certainly master.
func (t *seat) isQuiet(s api.SessionID, now time.Time, after time.Duration) bool {
	h := t.Heard[s]
	return after > 0 && h != nil && h.Told && len(h.calls) == 0 && len(h.logged) == 0 && len(h.lined) == 0 && !t.latestCertain(now).Before(h.at.Add(after))
}

// isIdle reports whether a session may be idle: no call of it is under way or was answered
// for that long. Whether it has handles is not considered here.
func (t *seat) isIdle(s api.SessionID, now time.Time, after time.Duration) bool {
	return after > 0 && len(t.under[s]) == 0 && !now.Before(t.used[s].Add(after))
}
