package event

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Audit returns the first fault that it finds in the queues; nil: they have none.
func (qs *Queues) Audit() error {
	for _, s := range slices.Sorted(maps.Keys(qs.sessions)) {
		if err := qs.sessions[s].audit(); err != nil {
			return fmt.Errorf("%w (session %d)", err, s)
		}
	}
	return nil
}

// Sessions lists the sessions that have a queue, in order. Each is alive.
func (qs *Queues) Sessions() []api.SessionID { return slices.Sorted(maps.Keys(qs.sessions)) }

func (q *queue) audit() error {
	if q.sent > len(q.events) {
		return fmt.Errorf("I-V1: %d events were sent of %d", q.sent, len(q.events))
	}
	waits, last, drops := map[api.Ref]api.EventKind{}, api.DropNumber(0), 0
	for i, e := range q.events {
		if i > 0 && e.Cause < q.events[i-1].Cause {
			return fmt.Errorf("I-V2: %v of command %d stands behind %v of %d", e, e.Cause, q.events[i-1], q.events[i-1].Cause)
		}
		if e.Kind.IsDrop() {
			if e.Drop <= last {
				return fmt.Errorf("I-V2: %v stands behind drop %d", e, last)
			}
			last, drops = e.Drop, drops+1
			continue
		}
		if i < q.sent || e.Kind == api.EventInvalid {
			continue
		}
		if first := waits[e.Node]; first == api.EventReadAgain || first != 0 && e.Kind == api.EventReadAgain {
			return fmt.Errorf("I-V3: %v waits, and so does an event on its node in front of it: %v", e, first)
		}
		waits[e.Node] = e.Kind
	}
	if drops != q.drops {
		return fmt.Errorf("I-V1: counted %d drops, there are %d", q.drops, drops)
	}
	return nil
}
