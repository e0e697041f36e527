package lockwait

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// freeing knows the handles that a master was asked to release a lock by: while they hold it, it is about to be
// free, and the next one may be tried behind their Release.
type freeing map[api.Ref]map[api.HandleID]bool

// onRequest is told that the release of a lock by a handle was asked for.
func (f freeing) onRequest(n api.Ref, h api.HandleID) {
	if f[n] == nil {
		f[n] = map[api.HandleID]bool{}
	}
	f[n][h] = true
}

// onCommand is told of each command as it is first applied anywhere: a handle has released the lock, or has it anew.
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

// isAboutToEnd reports whether all holds of a lock that are in conflict with a mode are that of one handle,
// which is being released.
func (f freeing) isAboutToEnd(by Locks, n api.Ref, m api.Mode) bool {
	for h := range f[n] { // order-free: any will do
		if own, others := by.HeldBy(n, h); own && !others(m) {
			return true
		}
	}
	return false
}
