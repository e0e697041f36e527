package sessions

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/sim/model"
)

// presented is the set of handles that clients presented to a new master until they
// acknowledged its epoch, the acknowledging KeepAlive included. The master must fail the
// holders of locks that are not in it, and only those: the client of any other holder still
// believes in its lock (S9, C12.08).
type presented struct {
	Limits handle.Limits
	owners map[model.Owner]bool
	count  map[api.SessionID]int // number of owners
}

func newPresented(l handle.Limits) presented {
	return presented{Limits: l, owners: map[model.Owner]bool{}, count: map[api.SessionID]int{}}
}

// Take records that a session presents one of its handles.
func (b *presented) Take(o model.Owner) {
	if !b.owners[o] {
		b.owners[o] = true
		b.count[o.Session]++
	}
}

// has reports whether a handle was presented, and its session had room for it. In its
// fail-over a master gives out no other handles, so the handles of other sessions are no
// reason to fail the holder of a lock.
func (b *presented) has(o model.Owner) bool {
	return b.owners[o] && b.count[o.Session] <= b.Limits.PerSession
}
