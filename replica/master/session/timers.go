package session

import "time"

// timers is a heap of the sessions for which something is due, ordered by instant and then by session,
// so that the order does not depend on how the heap came about. Each session knows its place, so moving
// one costs no more than the depth of the heap. The keys stand in the heap itself, and each place has
// four below it, because with many sessions nearly every look at an entry misses the processor's cache.
type timers struct {
	base time.Time // an arbitrary instant; due instants are kept as the time after it
	heap []timer
}

type timer struct {
	after time.Duration // e.due
	id    uint64        // e.id
	e     *entry
}

// first returns the session for which something is due first; nil: there is none.
func (t *timers) first() *entry {
	if len(t.heap) == 0 {
		return nil
	}
	return t.heap[0].e
}

// set makes something due for a session at e.due; if that is zero, nothing is.
func (t *timers) set(e *entry) {
	if e.due.IsZero() {
		if e.place != nowhere {
			t.remove(e)
		}
		return
	}
	if t.base.IsZero() {
		t.base = e.due
	}
	x := timer{e.due.Sub(t.base), uint64(e.id), e}
	if e.place == nowhere {
		e.place = len(t.heap)
		t.heap = append(t.heap, x)
	}
	t.settle(e.place, x)
}

// nowhere is the place of a session for which nothing is due.
const nowhere = -1

func (t *timers) remove(e *entry) {
	i, last := e.place, len(t.heap)-1
	x := t.heap[last]
	t.heap[last] = timer{}
	t.heap = t.heap[:last]
	e.place = nowhere
	if i < last {
		t.settle(i, x)
	}
}

func (a *timer) isBefore(b *timer) bool {
	return a.after < b.after || a.after == b.after && a.id < b.id
}

// settle moves x to where it belongs, starting at place i, whose content it replaces.
func (t *timers) settle(i int, x timer) {
	h := t.heap
	for i > 0 && x.isBefore(&h[(i-1)/ways]) {
		t.put(i, h[(i-1)/ways])
		i = (i - 1) / ways
	}
	for first := ways*i + 1; first < len(h); first = ways*i + 1 {
		least := first
		for c := first + 1; c < min(first+ways, len(h)); c++ {
			if h[c].isBefore(&h[least]) {
				least = c
			}
		}
		if !h[least].isBefore(&x) {
			break
		}
		t.put(i, h[least])
		i = least
	}
	t.put(i, x)
}

// ways is how many places are below each place of the heap.
const ways = 4

func (t *timers) put(i int, x timer) {
	t.heap[i] = x
	x.e.place = i
}
