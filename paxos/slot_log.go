package paxos

import "slices"

// span holds one T per slot, for the contiguous slots it was grown to, from
// base on. Slots below base are gone. It is the one container of this package:
// votes, chosen values and proposals are spans.
type slotLog[T any] struct {
	base  Slot
	items []T
}

// end is the first slot not held.
func (s *slotLog[T]) end() Slot { return s.base + Slot(len(s.items)) }

// get returns the item of a slot, or nil if the span does not hold it. The
// pointer is good until the span grows.
func (s *slotLog[T]) get(slot Slot) *T {
	if slot < s.base || slot >= s.end() {
		return nil
	}
	return &s.items[slot-s.base]
}

// grow makes the span hold slot, with zero items in between, and returns its
// item. The slot must not lie below base.
func (s *slotLog[T]) grow(slot Slot) *T {
	if n := len(s.items); n == cap(s.items) && s.end() <= slot {
		s.items = slices.Grow(s.items, max(n, 8)) // doubled: append's quarter more would copy a long log often
	}
	for s.end() <= slot {
		var zero T
		s.items = append(s.items, zero)
	}
	return &s.items[slot-s.base]
}

// drop forgets all slots below floor.
func (s *slotLog[T]) drop(floor Slot) {
	n := min(max(floor, s.base)-s.base, Slot(len(s.items)))
	clear(s.items[:n])
	s.items = s.items[n:]
	s.base = max(s.base, floor)
}
