package lab

import (
	"fmt"
	"time"
)

// Harm is what a break claims to happen in its faulty variants and not in the repaired ones.
type Harm struct {
	Name string
	in   func(o *Outcome) bool
}

// In reports that the harm happened in a run.
func (h Harm) In(o *Outcome) bool { return h.in(o) }

// The kinds of harm.
var (
	// Overlapping is two clients that act as holders at one instant: for repairs of the lock
	// service.
	Overlapping = Harm{"two clients act as holders at once", func(o *Outcome) bool { return len(o.Overlaps) > 0 }}
	// LosesUpdate is an accepted write that the value does not contain: for repairs of any kind.
	LosesUpdate = Harm{"an update is lost", func(o *Outcome) bool { n, _ := o.of(isLost); return n > 0 }}
	// TakesStale is a write of a client that is taken after a later holder began.
	TakesStale = Harm{"a stale write is taken", func(o *Outcome) bool { n, _ := o.of(isStale); return n > 0 }}
	// RefusesHolder is a request of the latest holder that the resource refuses.
	RefusesHolder = Harm{"the rightful holder is refused", func(o *Outcome) bool { n, _ := o.of(isWrong); return n > 0 }}
)

// WaitsFor is a client that waits for the lock for longer than d.
func WaitsFor(d time.Duration) Harm {
	return Harm{fmt.Sprintf("a client waits longer than %v for the lock", d), func(o *Outcome) bool {
		longest, _ := o.longest()
		return longest > d
	}}
}
