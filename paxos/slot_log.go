package paxos

import "slices"

// slotLog holds one T per slot, for contiguous slots from base on. Slots below base are gone.
// Votes, chosen values and proposals are in slotLogs.
type slotLog[T any] struct {
	base  Slot
	items []T
}

// end returns the first slot that is not held.
func (s *slotLog[T]) end() Slot { return s.base + Slot(len(s.items)) }

// get returns the item of a slot, or nil if the log does not hold it. The pointer is
// valid until the log grows.
func (s *slotLog[T]) get(slot Slot) *T {
	if slot < s.base || slot >= s.end() {
		return nil
	}
	return &s.items[slot-s.base]
}

// grow makes the log hold slot, with zero items in between, and returns its item. The
// slot must not lie below base.
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
