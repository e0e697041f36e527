package faults

import (
	"slices"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/wal/vfs"
)

// overlays are the settings of one thing, such as a link or a disk: the original, and those of the
// strikes in force, the latest last.
type overlays[V any] struct {
	base V
	laid []*V // by strikes in force
}

// overlay sets a thing of a world to now. key identifies the thing, and was is its setting before.
// undo takes only this setting away: two faults of one kind may strike one thing, and the latest
// setting still in force counts.
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
		case !isTop: // a later setting stays in force
		case i == 0:
			set(o.base)
		default:
			set(*o.laid[i-1])
		}
	}
}

// The keys of overlay.
type (
	lossOf  struct{ link *sim.Link }
	paceOf  struct{ disk *sim.Disk }
	clockOf struct{ clock *sim.Clock }

	failureOf struct{ files *vfs.Mem }
)
