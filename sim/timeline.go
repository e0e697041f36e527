package sim

import "github.com/chubbycell/chubby/internal/draw"

// timeline is the true time of a world and the events ahead of it.
type timeline struct {
	q         queue
	now       int64 // nanoseconds from the start of the world
	steps     uint64
	atInstant uint64      // events at this instant
	ties      draw.Stream // of events that belong to no machine
	apart     draw.Stream // of those that AfterApart schedules
}

// maxPerInstant events at one instant end a run: time no longer passes, and code that waits for
// time would never continue (L1).
const maxPerInstant = 1 << 20

// schedule puts an event d nanoseconds ahead. ties are the draws of the scheduling
// entity.
func (t *timeline) schedule(d int64, ties *draw.Stream, to target, arg uint64, p *packet) ticket {
	at := t.now
	if d > 0 {
		at = addCapped(t.now, uint64(d))
	}
	return t.q.push(at, ties.Uint64(), to, arg, p)
}

// cancel prevents a scheduled event.
func (t *timeline) cancel(event ticket) { t.q.cancel(event) }

// next advances to the given instant, and takes the event that is due there. ok is false for the
// event that reaches maxPerInstant.
func (t *timeline) next(at int64) (ev event, ok bool) {
	_, ev = t.q.pop()
	ok = true
	if at > t.now {
		t.now, t.atInstant = at, 0
	} else {
		t.atInstant++
		ok = t.atInstant != maxPerInstant
	}
	return ev, ok
}
