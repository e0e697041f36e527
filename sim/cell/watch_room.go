package cell

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/sim/model"
)

// roomBook knows how many handles there may be at most, of each session and of all,
// and how many Acquires may wait, from what was asked for. Who is refused for want of
// room (Crowded) must find it full by that count, which is never below what there is
// (S14).
type roomBook struct {
	limits nodeops.Config
	opens  map[api.SessionID]map[api.Seq]bool // Opens that were ever asked for
	all    int                                // of them
	closed map[tenancy]map[api.HandleID]bool  // handles of earlier epochs that were to be closed in one
	over   map[api.SessionID]bool             // who wanted to close too many of them in one
	told   map[model.Call]bool                // calls that were refused
	queues *queueBook
}

func newRoomBook(limits nodeops.Config, q *queueBook) *roomBook {
	return &roomBook{limits: limits, opens: map[api.SessionID]map[api.Seq]bool{}, closed: map[tenancy]map[api.HandleID]bool{}, over: map[api.SessionID]bool{}, told: map[model.Call]bool{}, queues: q}
}

// tenancy is a session in an epoch.
type tenancy struct {
	session api.SessionID
	epoch   api.Epoch
}

// asks is told of each request of the session's own principal that reaches a replica;
// g is its handle, if it comes with one that was given out.
func (b *roomBook) asks(q api.Request, g *model.Grip) {
	if _, closes := q.Op.(api.CloseHandle); closes && g != nil && g.ID.Epoch < q.Epoch {
		s := tenancy{q.Session, q.Epoch}
		if b.closed[s] == nil {
			b.closed[s] = map[api.HandleID]bool{}
		}
		b.closed[s][g.ID] = true
		if len(b.closed[s]) > b.limits.Handles.Closed {
			b.over[q.Session] = true
		}
	}
	if _, opens := q.Op.(api.Open); !opens || b.opens[q.Session][q.Seq] {
		return
	}
	if b.opens[q.Session] == nil {
		b.opens[q.Session] = map[api.Seq]bool{}
	}
	b.opens[q.Session][q.Seq] = true
	b.all++
}

// first says that a call is refused for the first time: its copies are told the same,
// whatever room there is by then.
func (b *roomBook) first(k model.Call) bool {
	was := b.told[k]
	b.told[k] = true
	return !was
}

// shut says that a session may have closed so many handles of earlier epochs that its
// others are not taken up any more.
func (b *roomBook) shut(s api.SessionID, e api.Epoch, g *model.Grip) bool {
	return g.ID.Epoch < e && len(b.closed[tenancy{s, e}]) > b.limits.Handles.Closed
}

// full says that in an epoch there may be no room for what a session asks for: a
// handle, where the op needs a new one, as it does if its own, g, is of an earlier
// epoch; or a place to wait.
func (b *roomBook) full(s api.SessionID, e api.Epoch, op api.Op, g *model.Grip) bool {
	h := b.limits.Handles
	if _, opens := op.(api.Open); opens || g != nil && g.ID.Epoch < e {
		if len(b.opens[s]) >= h.PerSession || b.all >= h.Total {
			return true
		}
	}
	acquire, _ := op.(api.Acquire)
	if !acquire.Wait || g == nil {
		return false
	}
	lock, all, own := b.queues.waiting(e, g)
	return lock > b.limits.Queues.PerLock || all > b.limits.Queues.Total || own > 1 // who is refused is among them
}

// waiting counts who may wait in an epoch: for the lock of a handle, for all locks,
// and by the handle itself, which may do so once.
func (b *queueBook) waiting(e api.Epoch, g *model.Grip) (lock, all, own int) {
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
