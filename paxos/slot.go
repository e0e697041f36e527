package paxos

import "fmt"

// Slot is a position in the replicated log, from 1. Slot 0 means "none".
type Slot uint64

// MaxSlot is the open end: a range up to MaxSlot has no last slot.
const MaxSlot Slot = 1<<64 - 1

// Range is the half-open range [From, To) of slots.
type Range struct{ From, To Slot }

// Has reports whether s lies in the range.
func (r Range) Has(s Slot) bool { return r.From <= s && s < r.To }

// IsEmpty reports whether no slot lies in the range.
func (r Range) IsEmpty() bool { return r.From >= r.To }

// String returns [from,to), or [from,) if there is no end.
func (r Range) String() string {
	if r.To == MaxSlot {
		return fmt.Sprintf("[%d,)", r.From)
	}
	return fmt.Sprintf("[%d,%d)", r.From, r.To)
}
