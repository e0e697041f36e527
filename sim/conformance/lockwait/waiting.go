package lockwait

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// Waiting returns how many Acquires may wait in an epoch: for the lock of handle g, for all
// locks, and by g itself, which may wait once.
func (b *Checker) Waiting(e api.Epoch, g *model.Grip) (lock, all, own int) {
	for _, s := range b.calls { // order-free: counts
		if s.at.epoch != e {
			continue
		}
		all++
		if s.at.node == g.Node {
			lock++
		}
		if s.grip.ID == g.ID {
			own++
		}
	}
	return lock, all, own
}
