package cell

import (
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/resource"
)

// refuses is told of a request whose token the resource found too low. Its maker
// must not believe then to hold the lock: a token is below another one only if the
// lock was taken again since (S10, the half that the cell has to keep).
func (f *fence) refuses(q *resource.Ask) {
	x := f.holds[q.ID]
	if f.resource.Mode != plan.FenceReads || f.cell.minds.Off || q.Token() >= f.resource.Highest {
		return
	}
	if !x.who.Dead() && x.lock.Held() {
		f.cell.world.Break("S10", "the resource refuses token %d below %d of the client on %v, which holds the lock", q.Token(), f.resource.Highest, x.who.Self())
	}
}

// judge checks what the resource did, as far as its kind promises anything (S10).
func (f *fence) judge() {
	for _, found := range linearizability.CheckFencing(f.resource.Log) {
		if f.breaks(found.Kind) && f.cell.world.Failure() == nil {
			f.cell.world.Break("S10", "%s", found.Text)
		}
	}
}

// breaks says that a resource of this kind must not show this. Who compares tokens
// of writes alone, or asks and acts, or does nothing, promises nothing about updates.
func (f *fence) breaks(kind linearizability.FindingKind) bool {
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
