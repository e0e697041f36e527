package lockwait

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// freeing holds the handles by which a master was asked to release a lock. While such a
// handle holds the lock, the lock is about to be free, and the next Acquire may be attempted
// after the Release.
type freeing map[api.Ref]map[api.HandleID]bool

// onRequest reports that a release of a lock by a handle was asked for.
func (f freeing) onRequest(n api.Ref, h api.HandleID) {
	if f[n] == nil {
		f[n] = map[api.HandleID]bool{}
	}
	f[n][h] = true
}

// onCommand reports a command when it is first applied anywhere: a handle has released the
// lock, or acquired it anew.
func (f freeing) onCommand(c command.NodeCommand) {
	switch d := c.Op.(type) {
	case command.Release:
		f.over(d.Node, d.Handle)
	case command.Acquire:
		f.over(d.Node, d.Handle)
	}
}

func (f freeing) over(n api.Ref, h api.HandleID) {
	delete(f[n], h)
	if len(f[n]) == 0 {
		delete(f, n)
	}
}

// isAboutToEnd reports whether one handle, which is being released, is the only holder of a
// lock that conflicts with a mode.
func (f freeing) isAboutToEnd(by Locks, n api.Ref, m api.Mode) bool {
	for h := range f[n] { // order-free: any one suffices
		if own, others := by.HeldBy(n, h); own && !others(m) {
			return true
		}
	}
	return false
}
