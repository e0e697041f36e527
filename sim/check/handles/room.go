package handles

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/sim/conformance/lockwait"
	"github.com/chubbycell/chubby/sim/model"
)

// Room computes upper bounds, from the requests, of how many handles each session and all
// sessions have, and how many Acquires wait. A request that is refused for lack of room
// (Crowded) must find the limit reached by that count (S14).
type Room struct {
	Limits nodeops.Config
	Opens  map[api.SessionID]map[api.Seq]bool // Opens that ever came, by session
	all    int                                // their number
	Closed map[Tenancy]map[api.HandleID]bool  // handles of earlier epochs that a session asked to close in one epoch
	Over   map[api.SessionID]bool             // sessions that asked to close too many of them in one epoch
	told   map[model.Call]bool                // calls that were refused
	queues *lockwait.Checker
}

// NewRoom returns the Room of a cell with these limits.
func NewRoom(limits nodeops.Config, q *lockwait.Checker) *Room {
	return &Room{Limits: limits, Opens: map[api.SessionID]map[api.Seq]bool{}, Closed: map[Tenancy]map[api.HandleID]bool{}, Over: map[api.SessionID]bool{}, told: map[model.Call]bool{}, queues: q}
}

// Tenancy is a session in an epoch.
type Tenancy struct {
	Session api.SessionID
	Epoch   api.Epoch
}

// OnRequest reports each request of the session's own principal that reaches a replica. g is
// the handle of its token, if that was given out.
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

// IsFirst reports whether a call is refused for the first time. Its copies get the same
// answer, whatever room there is by then.
func (b *Room) IsFirst(k model.Call) bool {
	was := b.told[k]
	b.told[k] = true
	return !was
}

// shut reports whether a session may have closed so many handles of earlier epochs that the
// master accepts none of its other older handles.
func (b *Room) shut(s api.SessionID, e api.Epoch, g *model.Grip) bool {
	return g.ID.Epoch < e && len(b.Closed[Tenancy{s, e}]) > b.Limits.Handles.Closed
}

// MayBeFull reports whether, in an epoch, there may be no room for a session's request: for a
// handle, if the operation needs a new one or its own, g, is of an earlier epoch; or for
// another waiting Acquire.
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
	return lock > b.Limits.Queues.PerLock || all > b.Limits.Queues.Total || own > 1 // the refused one is among them
}
