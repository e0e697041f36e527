package beliefs

import (
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/resource"
)

// Fencing checks what a resource outside of the cell decides (S10).
type Fencing struct {
	world    *sim.World
	minds    *Checker
	resource *resource.Resource
	holds    map[uint64]claim // by request: under what it was made
}

// claim is the lock under which a request was made.
type claim struct {
	who  model.Believer
	lock model.HeldLock
}

// NewFencing is a checker of a resource that nothing has been asked of. Whether clocks err by
// more than they may it is told by minds.
func NewFencing(w *sim.World, minds *Checker, r *resource.Resource) *Fencing {
	return &Fencing{world: w, minds: minds, resource: r, holds: map[uint64]claim{}}
}

// OnRequest is told of a request and of the lock under which its client makes it.
func (f *Fencing) OnRequest(id uint64, who model.Believer, lock model.HeldLock) {
	f.holds[id] = claim{who, lock}
}

// OnRefused is told of a request whose token the resource found too low. Its maker
// must not believe then to hold the lock: a token is below another one only if the
// lock was taken again since (S10, the half that the cell has to keep).
func (f *Fencing) OnRefused(q *resource.Ask) {
	x := f.holds[q.ID]
	if f.resource.Mode != plan.FenceReads || f.minds.Off || q.Token() >= f.resource.Highest {
		return
	}
	if !x.who.Dead() && x.lock.Held() {
		f.world.Break("S10", "the resource refuses token %d below %d of the client on %v, which holds the lock", q.Token(), f.resource.Highest, x.who.Self())
	}
}

// Judge checks what the resource did, as far as its kind promises anything (S10).
func (f *Fencing) Judge() {
	for _, found := range linearizability.CheckFencing(f.resource.Log) {
		if f.breaks(found.Kind) && f.world.Failure() == nil {
			f.world.Break("S10", "%s", found.Text)
		}
	}
}

// breaks says that a resource of this kind must not show this. A resource that
// compares tokens of writes alone, or asks and acts, or does nothing, promises nothing about updates.
func (f *Fencing) breaks(kind linearizability.FindingKind) bool {
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
