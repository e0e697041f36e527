package sessions

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/sim/model"
)

// brought is what clients have presented to a master by the time that they said that
// they know of its epoch, with that word itself too. A new master fails the holders
// of locks that are not among it, and only those: the client of another goes on
// believing in its lock (S9, C12.08).
type brought struct {
	Limits handle.Limits
	owners map[model.Owner]bool
	count  map[api.SessionID]int // of them
}

func newBrought(l handle.Limits) brought {
	return brought{Limits: l, owners: map[model.Owner]bool{}, count: map[api.SessionID]int{}}
}

// Take notes that a session presents one of its handles.
func (b *brought) Take(o model.Owner) {
	if !b.owners[o] {
		b.owners[o] = true
		b.count[o.Session]++
	}
}

// keeps says that a handle was presented, and that its session had room for it: a master
// in its fail-over gives out no others. What others have open is no reason to fail who
// holds a lock.
func (b *brought) keeps(o model.Owner) bool {
	return b.owners[o] && b.count[o.Session] <= b.Limits.PerSession
}
