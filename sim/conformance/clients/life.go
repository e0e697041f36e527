package clients

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// Life checks one life of a client. The code between the client and the network reports each
// step to it, by the client's clock:
//
//  1. each request, before it leaves: OnSend;
//  2. each reply: OnReply before the client takes it, OnReplyTaken after, OnReplyHandled after
//     the next OnStatus;
//  3. the client's status, whenever it may have changed: OnStatus;
//  4. what the client tells its programs: OnEvent, OnCallEnd.
//
// A Life does not call the client. It runs on the world's goroutine and does not block.
type Life struct {
	world *sim.World
	self  sim.Addr

	model     sessionModel
	events    eventModel
	delivery  delivery
	pace      pace
	queues    []*LockQueue // of the oldest handle first
	repliedTo api.Op       // the call that the present reply answers; nil: none
	isOver    bool         // the client takes its session for expired
}

// New returns the checks for a client on machine self that has not started. It takes clocks
// to err by rho parts per million and waits for grace in jeopardy.
func New(w *sim.World, self sim.Addr, rho int64, grace time.Duration) *Life {
	return &Life{world: w, self: self, model: sessionModel{rho: rho, grace: grace}, events: newEventModel(), delivery: newDelivery()}
}

// OnSend checks request q, which leaves now. renewed reports that it requests a session after
// an earlier one.
func (l *Life) OnSend(now time.Time, q api.Request) (renewed bool) {
	before := l.model.sessions
	l.report(l.model.onSend(now, q))
	l.report(l.pace.onSend(now, q))
	_, ends := q.Op.(api.EndSession)
	l.events.isEnding = l.events.isEnding || ends
	return before > 0 && l.model.sessions > before
}

// OnReply records reply p, which has arrived now, before the client takes it.
func (l *Life) OnReply(now time.Time, p api.Reply) {
	l.repliedTo = l.model.calls.sent[p.Seq].op
	l.model.onReply(now, p)
	if l.repliedTo != nil {
		l.model.calls.answeredAt = l.world.Now()
	}
}

// OnReplyTaken checks the client's status before and after it took reply p of the last
// OnReply.
func (l *Life) OnReplyTaken(p api.Reply, before, after session.Status) {
	if l.model.isFromFormerMaster(p) && hasEndedCall(before, after) {
		l.report(breachf("S9", "takes the reply to call %d of the master of epoch %d, although it knows of epoch %d", p.Seq, p.Epoch, before.Epoch))
	}
}

// OnReplyHandled checks the client's events and status after it took reply p and OnStatus was
// called.
func (l *Life) OnReplyHandled(p api.Reply, s session.Status) {
	l.report(l.events.onReply(p, &l.model))
	if l.repliedTo != nil && l.model.calls.sent[p.Seq].op == nil {
		l.delivery.onReply(l.world.Now(), l.repliedTo, p, s)
	}
	l.repliedTo = nil
}

// OnStatus checks what the client reports of itself now.
func (l *Life) OnStatus(now time.Time, s session.Status) {
	at := l.world.Now()
	if s.State == session.Over && l.model.calls.overAt == 0 {
		l.model.calls.overAt = at
	}
	l.report(l.checkStatus(now, s))
	l.report(l.events.onStatus(at, s, &l.model))
	l.delivery.onStatus(at, s)
	for _, q := range l.queues {
		l.report(q.onStatus(at, s))
	}
}

// OnEvent checks the next event of the client, as soon as it can be read.
func (l *Life) OnEvent(e client.Event) { l.report(l.events.onEvent(e, &l.model)) }

// OnCallEnd checks the instant at which a program learns how its call ended; t is the call's
// trail.
func (l *Life) OnCallEnd(t *client.CallID) {
	l.report(l.delivery.onCallEnd(l.world.Now(), call{t.Session, t.Seq}))
}

// LockQueue returns the queue of programs that share handle h of the client, until
// OnHandleClose.
func (l *Life) LockQueue(h *client.Handle) *LockQueue {
	i := slices.IndexFunc(l.queues, func(q *LockQueue) bool { return q.handle == h })
	if i < 0 {
		i = len(l.queues)
		l.queues = append(l.queues, &LockQueue{handle: h, idleSince: -1})
	}
	return l.queues[i]
}

// KeepsHandles records that the client keeps handles open that its program has closed; they
// do not count as lost with the session.
func (l *Life) KeepsHandles() { l.model.calls.keeps = true }

// OnHandleGot records that the program has got handle h.
func (l *Life) OnHandleGot(h *client.Handle) { l.model.calls.inUse[h] = true }

// OnHandleClose records that the client is about to close handle h: its queue ends.
func (l *Life) OnHandleClose(h *client.Handle) {
	delete(l.model.calls.inUse, h)
	l.queues = slices.DeleteFunc(l.queues, func(q *LockQueue) bool { return q.handle == h })
}

// Session returns the client's session, 0 before it has one.
func (l *Life) Session() api.SessionID { return l.model.session }

// IsOver reports that the client takes its session for expired.
func (l *Life) IsOver() bool { return l.isOver }

// LeaseLeft returns for how long from now the client may count on its lease.
func (l *Life) LeaseLeft(now time.Time) time.Duration {
	if l.model.hasNoLeases {
		return 0
	}
	return l.model.bound.Sub(now)
}

// OpenHandles returns the number of open handles, by the replies that arrived.
func (l *Life) OpenHandles() int { return l.model.calls.handles }

// LiveHandles returns OpenHandles without those that the latest master does not know of: a
// handle that a client keeps for the next Open, and does not present, ends with the epoch.
func (l *Life) LiveHandles() int { return l.model.calls.countLive() }

// Strays returns the handles among LiveHandles that the program has not got, or has closed.
func (l *Life) Strays() (all []api.HandleID) {
	known := map[api.HandleID]bool{}
	for h := range l.model.calls.inUse { // order-free: a set
		if k, ok := ReadToken(api.Token(h.Token())); ok {
			known[k.ID] = true
		}
	}
	for id, epoch := range l.model.calls.live { // order-free: sorted below
		if epoch >= l.model.calls.epoch && !known[id] {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, api.HandleID.Compare)
	return all
}

// AnsweredCalls returns how many calls of the session have a reply.
func (l *Life) AnsweredCalls() int { return l.model.calls.answered }

// LastRequest returns the id of the last request that was sent.
func (l *Life) LastRequest() uint64 { return l.model.last }

// LastExtension returns the KeepAlive whose reply moved the session's bound last, and the
// epoch of that reply. ok is false where that reply granted no new lease, but told how long
// an old one runs.
func (l *Life) LastExtension() (by uint64, in api.Epoch, ok bool) {
	return l.model.boundBy, l.model.boundEpoch, l.model.isNewLease
}

// checkStatus checks what the client reports of its session when its clock reads now.
func (l *Life) checkStatus(now time.Time, s session.Status) breach {
	a := &l.model
	if s.Bound.After(a.bound) {
		return breachf("S11", "%s", a.overrun(now, s.Bound))
	}
	if s.Lease == session.Valid {
		a.notBefore = s.Bound.Add(a.grace)
	}
	was := l.isOver
	l.isOver = s.State == session.Over && s.Why == session.Expired
	if !l.isOver || was {
		return breach{}
	}
	if end := a.earliestExpiry(); !a.isGone && now.Before(end) {
		return breachf("S11", "takes its session for expired %v before the end of its grace period", end.Sub(now))
	}
	return breach{}
}

// hasEndedCall reports that a call ended between two statuses of one open session.
func hasEndedCall(before, after session.Status) bool {
	return after.State == session.Open && after.Session == before.Session && after.Flight+after.Queued < before.Flight+before.Queued
}

// breach is a rule that the client did not keep: the property that the rule serves, and what
// was seen. The zero breach is none.
type breach struct{ id, text string }

func breachf(id, format string, args ...any) breach { return breach{id, fmt.Sprintf(format, args...)} }

func (l *Life) report(f breach) {
	if f != (breach{}) {
		l.world.Diverge(f.id, "the client on %v %s", l.self, f.text)
	}
}
