package sim

import "math"

// never is the deadline of a timer that is not set.
const never = math.MaxInt64

// timer fires when a machine's own clock reaches a reading. Setting it to a later time costs
// nothing: the event under way finds that it came too early and goes back into the queue.
type timer struct {
	m     *Machine
	at    int64  // local reading, or never
	due   int64  // true time of the event under way
	event ticket // zero: none is under way
	index int    // in the machine's timers, + 1; 0: not in it
	what  input  // what the machine takes when it fires
}

// set gives the timer a new deadline on the local clock, replacing the old one.
func (t *timer) set(at int64) {
	if t.m == nil {
		return
	}
	t.at = at
	if at == never {
		t.leave()
		return
	}
	if t.index == 0 {
		t.m.timers.set = append(t.m.timers.set, t)
		t.index = len(t.m.timers.set)
	}
	t.arm()
}

// arm ensures that an event is under way that is not too late.
func (t *timer) arm() {
	w := t.m.w
	due := max(t.m.clock.line.when(t.at), w.timeline.now)
	if t.event != (ticket{}) {
		if t.due <= due {
			return
		}
		w.timeline.q.cancel(t.event)
		t.event = ticket{}
	}
	if due == math.MaxInt64 {
		return // the clock stands still; a change of rate arms again
	}
	t.due = due
	t.event = w.timeline.schedule(due-w.timeline.now, &t.m.ties, t, 0, nil)
}

func (t *timer) fire(w *World, _ uint64, _ *packet) {
	t.event = ticket{}
	if t.at == never {
		return
	}
	if t.m.clock.line.local(w.timeline.now) < t.at {
		t.arm()
		return
	}
	t.at = never
	t.leave()
	t.m.intake.take(t.what)
}

// leave removes the timer from its machine's list. An event under way stays: the timer is likely to
// be set again before it fires.
func (t *timer) leave() {
	if t.index == 0 {
		return
	}
	list := t.m.timers.set
	last := list[len(list)-1]
	list[t.index-1] = last
	last.index = t.index
	list[len(list)-1] = nil
	t.m.timers.set = list[:len(list)-1]
	t.index = 0
}

// drop unsets the timer for good.
func (t *timer) drop() {
	if t.m == nil {
		return
	}
	t.set(never)
	t.m.w.timeline.q.cancel(t.event)
	t.event = ticket{}
}

// timers is the timers of a machine that are set.
type timers struct{ set []*timer }

// arm adapts all timers to a change of the clock's rate.
func (ts *timers) arm() {
	for _, t := range ts.set {
		t.arm()
	}
}

// drop unsets all timers at the end of a life.
func (ts *timers) drop() {
	for len(ts.set) > 0 {
		ts.set[len(ts.set)-1].drop()
	}
}
