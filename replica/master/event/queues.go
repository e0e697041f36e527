package event

import (
	"errors"

	"github.com/chubbycell/chubby/replica/api"
)

// Queues holds the queues of all sessions, in one epoch. One goroutine owns it. An event stays until
// it is acknowledged or replaced, or until EndSession.
type Queues struct {
	limits   Limits
	sessions map[api.SessionID]*queue
	count    Counters
}

// Counters count since the epoch began; for reports only.
type Counters struct {
	Added uint64 // events, counted once for each session that gets them
	Acked uint64
}

// Validate returns an error unless each limit is at least 1, and PerAnswer is at most api.MaxEvents.
func (l Limits) Validate() error {
	if min(l.PerNode, l.PerSession, l.PerAnswer) < 1 || l.PerAnswer > api.MaxEvents {
		return errors.New("a limit of events below 1, or more in an answer than one may hold")
	}
	return nil
}

// New returns the empty queues of an epoch.
func New(l Limits) *Queues { return &Queues{limits: l, sessions: map[api.SessionID]*queue{}} }

// Add puts an event into the queue of a session. Its cause must not be below those of earlier ones.
func (qs *Queues) Add(s api.SessionID, e api.Event) {
	q := qs.sessions[s]
	if q == nil {
		q = &queue{}
		qs.sessions[s] = q
	}
	qs.count.Added++
	q.add(e, qs.limits)
}

// Ack forgets the events of a session up to a number. It returns the number of the last drop among
// them, which acknowledges all drops up to that one; 0: there is none.
func (qs *Queues) Ack(s api.SessionID, through api.EventNumber) (last api.DropNumber) {
	if q := qs.sessions[s]; q != nil {
		before := q.acked
		last = q.ack(through)
		qs.count.Acked += uint64(q.acked - before)
	}
	return last
}

// Take lists the events that the next answer to a session carries, and the number of the last one:
// the oldest events that are not acknowledged, as many as an answer may hold. behind is the first drop
// that the answer has no room for, if its client has left an event unacknowledged that an earlier answer
// carried; 0: there is none. A client that acknowledges nothing may never be told of that drop, and the
// change that waits for it must not wait for ever (C10.06).
func (qs *Queues) Take(s api.SessionID) (all []api.Event, last api.EventNumber, behind api.DropNumber) {
	q := qs.sessions[s]
	if q == nil || len(q.events) == 0 {
		return nil, 0, 0
	}
	return q.take(qs.limits.PerAnswer)
}

// Has reports whether a session has events that it has not acknowledged.
func (qs *Queues) Has(s api.SessionID) bool {
	q := qs.sessions[s]
	return q != nil && len(q.events) > 0
}

// Forget drops the events of a node that wait to be sent to a session, because it has closed its last
// handle that watched the node. Drops stay, since changes wait for them.
func (qs *Queues) Forget(s api.SessionID, n api.Ref) {
	if q := qs.sessions[s]; q != nil {
		q.forget(n)
	}
}

// EndSession forgets a session.
func (qs *Queues) EndSession(s api.SessionID) { delete(qs.sessions, s) }

// Len counts the events of all sessions.
func (qs *Queues) Len() (n int) {
	for _, q := range qs.sessions { // order-free: a sum
		n += len(q.events)
	}
	return n
}

// Counters returns the present counters.
func (qs *Queues) Counters() Counters { return qs.count }
