package beliefs

import (
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/resource"
)

// Fencing checks the decisions of a resource outside the cell (S10).
type Fencing struct {
	world    *sim.World
	beliefs  *Checker
	resource *resource.Resource
	holds    map[uint64]claim // by request: the lock under which it was made
}

// claim is the lock under which a request was made.
type claim struct {
	who  model.Believer
	lock model.HeldLock
}

// NewFencing returns a checker of a resource that has received no request. beliefs says
// whether clocks err beyond their bound.
func NewFencing(w *sim.World, beliefs *Checker, r *resource.Resource) *Fencing {
	return &Fencing{world: w, beliefs: beliefs, resource: r, holds: map[uint64]claim{}}
}

// OnRequest reports a request, and the lock under which its client makes it.
func (f *Fencing) OnRequest(id uint64, who model.Believer, lock model.HeldLock) {
	f.holds[id] = claim{who, lock}
}

// OnRefused reports a request whose token the resource found too low. Its client must not
// believe that it still holds the lock: a token is below another one only if the lock was
// acquired again since. This is the half of S10 that the cell must keep.
func (f *Fencing) OnRefused(q *resource.Ask) {
	x := f.holds[q.ID]
	if f.resource.Mode != plan.FenceReads || f.beliefs.Off || q.Token() >= f.resource.Highest {
		return
	}
	if !x.who.Dead() && x.lock.Held() {
		f.world.Break("S10", "the resource refuses token %d below %d of the client on %v, which holds the lock", q.Token(), f.resource.Highest, x.who.Self())
	}
}

// Judge checks what the resource did against what its kind promises (S10).
func (f *Fencing) Judge() {
	for _, found := range linearizability.CheckFencing(f.resource.Log) {
		if f.isForbidden(found.Kind) && f.world.Failure() == nil {
			f.world.Break("S10", "%s", found.Text)
		}
	}
}

// isForbidden reports whether a resource of this kind must not show this finding. A resource
// that compares tokens of writes only, or asks the cell before it acts, or checks nothing,
// promises nothing about lost updates.
func (f *Fencing) isForbidden(kind linearizability.FindingKind) bool {
	switch f.resource.Mode {
	case plan.FenceReads:
		return true
	case plan.FenceWrites:
		return kind == linearizability.Unfounded || kind == linearizability.WriteBelowWrite
	case plan.FenceCompare:
		return kind != linearizability.ReadBelowRead && kind != linearizability.ReadBelowWrite && kind != linearizability.WriteBelowRead
	}
	return kind == linearizability.Unfounded
}
