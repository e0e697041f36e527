package faults

import (
	"slices"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/wal/vfs"
)

// overlays are the settings that strikes have laid over what a thing had, the latest last.
type overlays[V any] struct {
	base V
	laid []*V
}

// overlay sets a thing of a world, named by a key of its own, to now. The undo takes that away, and leaves
// what other strikes that are still on have set: two faults of one kind may strike one thing.
func overlay[V any](w *sim.World, key any, was, now V, set func(V)) (undo func()) {
	o := sim.Shared(w, key, func() *overlays[V] { return &overlays[V]{} })
	if len(o.laid) == 0 {
		o.base = was
	}
	mine := &now
	o.laid = append(o.laid, mine)
	set(now)
	return func() {
		i := slices.Index(o.laid, mine)
		isTop := i == len(o.laid)-1
		o.laid = slices.Delete(o.laid, i, i+1)
		switch {
		case !isTop: // what came later stays
		case i == 0:
			set(o.base)
		default:
			set(*o.laid[i-1])
		}
	}
}

// The keys of what is overlaid.
type (
	lossOf  struct{ link *sim.Link }
	paceOf  struct{ disk *sim.Disk }
	clockOf struct{ clock *sim.Clock }

	failureOf struct{ files *vfs.Mem }
)
