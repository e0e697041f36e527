package handles

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/sim/conformance/lockwait"
	"github.com/chubbycell/chubby/sim/model"
)

// Room knows how many handles there may be at most, of each session and of all,
// and how many Acquires may wait, from what was asked for. Who is refused for want of
// room (Crowded) must find it full by that count, which is never below what there is
// (S14).
type Room struct {
	Limits nodeops.Config
	Opens  map[api.SessionID]map[api.Seq]bool // Opens that were ever asked for
	all    int                                // of them
	Closed map[Tenancy]map[api.HandleID]bool  // handles of earlier epochs that were to be closed in one
	Over   map[api.SessionID]bool             // who wanted to close too many of them in one
	told   map[model.Call]bool                // calls that were refused
	queues *lockwait.Checker
}

// NewRoom makes the model of how many handles and waiting Acquires there may be.
func NewRoom(limits nodeops.Config, q *lockwait.Checker) *Room {
	return &Room{Limits: limits, Opens: map[api.SessionID]map[api.Seq]bool{}, Closed: map[Tenancy]map[api.HandleID]bool{}, Over: map[api.SessionID]bool{}, told: map[model.Call]bool{}, queues: q}
}

// Tenancy is a session in an epoch.
type Tenancy struct {
	Session api.SessionID
	Epoch   api.Epoch
}

// OnRequest is told of each request of the session's own principal that reaches a replica;
// g is its handle, if it comes with one that was given out.
func (b *Room) OnRequest(q api.Request, g *model.Grip) {
	if _, closes := q.Op.(api.CloseHandle); closes && g != nil && g.ID.Epoch < q.Epoch {
		s := Tenancy{q.Session, q.Epoch}
		if b.Closed[s] == nil {
			b.Closed[s] = map[api.HandleID]bool{}
		}
		b.Closed[s][g.ID] = true
		if len(b.Closed[s]) > b.Limits.Handles.Closed {
			b.Over[q.Session] = true
		}
	}
	if _, opens := q.Op.(api.Open); !opens || b.Opens[q.Session][q.Seq] {
		return
	}
	if b.Opens[q.Session] == nil {
		b.Opens[q.Session] = map[api.Seq]bool{}
	}
	b.Opens[q.Session][q.Seq] = true
	b.all++
}

// IsFirst says that a call is refused for the first time: its copies are told the same,
// whatever room there is by then.
func (b *Room) IsFirst(k model.Call) bool {
	was := b.told[k]
	b.told[k] = true
	return !was
}

// shut says that a session may have closed so many handles of earlier epochs that its
// others are not taken up any more.
func (b *Room) shut(s api.SessionID, e api.Epoch, g *model.Grip) bool {
	return g.ID.Epoch < e && len(b.Closed[Tenancy{s, e}]) > b.Limits.Handles.Closed
}

// MayBeFull says that in an epoch there may be no room for what a session asks for: a
// handle, where the op needs a new one, as it does if its own, g, is of an earlier
// epoch; or a place to wait.
func (b *Room) MayBeFull(s api.SessionID, e api.Epoch, op api.Op, g *model.Grip) bool {
	h := b.Limits.Handles
	if _, opens := op.(api.Open); opens || g != nil && g.ID.Epoch < e {
		if len(b.Opens[s]) >= h.PerSession || b.all >= h.Total {
			return true
		}
	}
	acquire, _ := op.(api.Acquire)
	if !acquire.Wait || g == nil {
		return false
	}
	lock, all, own := b.queues.Waiting(e, g)
	return lock > b.Limits.Queues.PerLock || all > b.Limits.Queues.Total || own > 1 // who is refused is among them
}
