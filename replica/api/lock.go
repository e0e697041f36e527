package api

import (
	"fmt"
	"time"
)

// Mode says how a lock is held. The zero Mode is not one of the modes: not held.
type Mode uint8

// The modes.
const (
	Exclusive Mode = 1 + iota // by one handle
	Shared                    // by any number of handles
)

// Valid reports whether m is Exclusive or Shared.
func (m Mode) Valid() bool { return m == Exclusive || m == Shared }

// HasConflict reports whether two handles cannot hold one lock in these modes at the same time.
func (m Mode) HasConflict(with Mode) bool { return m == Exclusive || with == Exclusive }

// String returns the mode as in traces.
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

// Acquisition names one hold of one lock by one handle: it is the number of the command that
// granted it. A LockGen does not suffice for that: a handle that leaves a shared lock and comes
// back while others stay gets the same generation twice.
type Acquisition uint64

// LockDelay is for how long no handle may claim a lock whose holder failed, in milliseconds
// of the master's clock. 0 is no delay.
type LockDelay uint32

// MaxLockDelay is the longest delay; a longer one is shortened to it. The bound keeps a faulty
// client from making a lock unusable for long (CHU §2.4).
const MaxLockDelay LockDelay = 60_000

// DelayOf returns the LockDelay of at least d, within the bound; it is 0 if d is negative.
func DelayOf(d time.Duration) LockDelay {
	switch {
	case d <= 0:
		return 0
	case d >= MaxLockDelay.Duration():
		return MaxLockDelay
	}
	return LockDelay((d + time.Millisecond - 1) / time.Millisecond)
}

// Bound returns d, or MaxLockDelay if d is longer.
func (d LockDelay) Bound() LockDelay { return min(d, MaxLockDelay) }

// Duration returns d as a time.Duration.
func (d LockDelay) Duration() time.Duration { return time.Duration(d) * time.Millisecond }

// String returns d as a duration.
func (d LockDelay) String() string { return d.Duration().String() }
