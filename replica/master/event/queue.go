package event

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Limits bound the events of one session that wait to be sent, and those of one answer. Each is
// at least 1.
type Limits struct {
	PerNode    int // of one node
	PerSession int // of all nodes
	PerAnswer  int // at most api.MaxEvents
}

// DefaultLimits are the limits unless a cell is configured otherwise.
var DefaultLimits = Limits{PerNode: 64, PerSession: 1 << 10, PerAnswer: api.MaxEvents}

// queue holds the events of one session that are not acknowledged.
type queue struct {
	acked  api.EventNumber // events up to this number are acknowledged, and gone
	sent   int             // how many of events, from the front, were in an answer
	drops  int             // how many of events are drops
	events []api.Event
}

// add puts an event at the end, merges it with a waiting one that tells as much, or replaces waiting
// ones if there are too many.
func (q *queue) add(e api.Event, l Limits) {
	if e.Kind.IsDrop() {
		q.events = append(q.events, e)
		q.drops++
		return
	}
	waiting := q.events[q.sent:]
	for i := range waiting {
		w := &waiting[i]
		again := w.Node == e.Node && w.Kind == api.EventReadAgain && e.Kind != api.EventInvalid
		if repeats := i == len(waiting)-1 && isSame(*w, e); again || repeats {
			w.Cause = e.Cause
			q.moveToEnd(q.sent + i)
			return
		}
	}
	switch e.Kind {
	case api.EventReadAgain: // it tells as much as all that waits about its node
		q.replace(e.Node, e.Cause)
	case api.EventInvalid:
		q.events = append(q.events, e)
		return
	default:
		q.events = append(q.events, e)
	}
	if count(q.events[q.sent:], e.Node) > l.PerNode {
		q.replace(e.Node, e.Cause)
	}
	if len(q.events)-q.sent-q.unsentDrops() > l.PerSession {
		q.replaceAll(e.Cause)
	}
}

// isSame reports whether a and b differ in their causes at most.
func isSame(a, b api.Event) bool {
	a.Cause = b.Cause
	return a == b
}

// moveToEnd keeps the causes in order after the cause of event i has changed to the newest.
func (q *queue) moveToEnd(i int) {
	e := q.events[i]
	q.events = append(slices.Delete(q.events, i, i+1), e)
}

// mayBeReplaced reports whether an EventReadAgain tells the client enough in place of e. It does not if e
// is an EventInvalid, or a drop for which a change waits.
func mayBeReplaced(e api.Event) bool { return e.Kind != api.EventInvalid && !e.Kind.IsDrop() }

func count(all []api.Event, n api.Ref) (k int) {
	for _, e := range all {
		if e.Node == n && mayBeReplaced(e) {
			k++
		}
	}
	return k
}

// replace puts one EventReadAgain in place of the events of a node that wait to be sent.
func (q *queue) replace(n api.Ref, cause api.Number) {
	kept := q.events[:q.sent]
	for _, e := range q.events[q.sent:] {
		if e.Node != n || !mayBeReplaced(e) {
			kept = append(kept, e)
		}
	}
	q.events = append(kept, api.Event{Kind: api.EventReadAgain, Node: n, Cause: cause})
}

// replaceAll does what replace does for each node, in the order of their first events, in one pass: a
// client may watch thousands of nodes, and each further event replaces all of theirs again.
func (q *queue) replaceAll(cause api.Number) {
	done := map[api.Ref]bool{}
	var again []api.Event
	kept := q.events[:q.sent]
	for _, e := range q.events[q.sent:] {
		if !mayBeReplaced(e) {
			kept = append(kept, e)
			continue
		}
		if !done[e.Node] {
			done[e.Node] = true
			again = append(again, api.Event{Kind: api.EventReadAgain, Node: e.Node, Cause: cause})
		}
	}
	q.events = append(kept, again...)
}

// forget drops the events of a node that wait to be sent, but not the drops.
func (q *queue) forget(n api.Ref) {
	kept := q.events[:q.sent]
	for _, e := range q.events[q.sent:] {
		if e.Node != n || e.Kind.IsDrop() {
			kept = append(kept, e)
		}
	}
	clear(q.events[len(kept):])
	q.events = kept
}

// take lists the events that an answer carries, and the number of the last one, see Queues.Take.
func (q *queue) take(most int) (all []api.Event, last api.EventNumber, behind api.DropNumber) {
	n, size, repeats := 0, 0, q.sent > 0
	for n < min(len(q.events), most) {
		if size += q.events[n].Size(); size > api.MaxEventBytes && n > 0 {
			break
		}
		n++
	}
	q.sent = max(q.sent, n)
	if q.drops > 0 && repeats {
		if i := slices.IndexFunc(q.events[n:], func(e api.Event) bool { return e.Kind.IsDrop() }); i >= 0 {
			behind = q.events[n+i].Drop
		}
	}
	return slices.Clone(q.events[:n]), q.acked + api.EventNumber(n), behind
}

// unsentDrops counts the drops that wait to be sent.
func (q *queue) unsentDrops() (n int) {
	if q.drops == 0 {
		return 0
	}
	for _, e := range q.events[q.sent:] {
		if e.Kind.IsDrop() {
			n++
		}
	}
	return n
}

// ack forgets the events up to a number, and returns the number of the last drop among them; 0: there
// is none. A number under which no event was sent is ignored.
func (q *queue) ack(through api.EventNumber) (last api.DropNumber) {
	if through <= q.acked || through > q.acked+api.EventNumber(q.sent) {
		return 0
	}
	n := int(through - q.acked)
	for _, e := range q.events[:n] {
		if e.Kind.IsDrop() {
			last = e.Drop
			q.drops--
		}
	}
	q.events = slices.Delete(q.events, 0, n)
	q.sent -= n
	q.acked = through
	return last
}
