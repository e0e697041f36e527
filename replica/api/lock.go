package api

import (
	"fmt"
	"time"
)

// Mode is how a lock is held. The zero Mode is none of them: not held.
type Mode uint8

// The modes.
const (
	Exclusive Mode = 1 + iota // by one handle
	Shared                    // by any number of handles
)

// Valid says that m is Exclusive or Shared.
func (m Mode) Valid() bool { return m == Exclusive || m == Shared }

// HasConflict reports that two handles cannot hold one lock in these modes at once.
func (m Mode) HasConflict(with Mode) bool { return m == Exclusive || with == Exclusive }

// String prints the mode as traces do.
func (m Mode) String() string {
	switch m {
	case 0:
		return "free"
	case Exclusive:
		return "exclusive"
	case Shared:
		return "shared"
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// Acquisition names one hold of one lock by one handle: it is the number of the
// command that granted it. A LockGen does not suffice for that: a handle that
// leaves a shared lock and comes back while others stay meets the same
// generation twice.
type Acquisition uint64

// LockDelay is for how long no handle may claim a lock whose holder failed, in milliseconds
// of the master's clock. 0 is no delay.
type LockDelay uint32

// MaxLockDelay is the longest delay; a longer one is cut to it. The bound keeps a faulty
// client from making a lock unusable for long (CHU §2.4).
const MaxLockDelay LockDelay = 60_000

// DelayOf is the LockDelay of at least d, within the bound; a negative d is none.
func DelayOf(d time.Duration) LockDelay {
	switch {
	case d <= 0:
		return 0
	case d >= MaxLockDelay.Duration():
		return MaxLockDelay
	}
	return LockDelay((d + time.Millisecond - 1) / time.Millisecond)
}

// Bound is d, or MaxLockDelay where d is longer.
func (d LockDelay) Bound() LockDelay { return min(d, MaxLockDelay) }

// Duration is d as a length of time.
func (d LockDelay) Duration() time.Duration { return time.Duration(d) * time.Millisecond }

// String prints d as a length of time.
func (d LockDelay) String() string { return d.Duration().String() }
