package cell

import (
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// owed is what a client has to present to a new master before it says that it knows of
// its epoch: the handles of Acquires that it sent and that have no answer, but for those
// that it has closed. The former master may have executed them, and what they got would be freed while their client,
// told by the new one, believes in it (S9, C12.08).
type owed struct {
	epoch   api.Epoch // of the fail-over that it was told of
	handles map[api.HandleID]api.Seq
}

// told notes that the client was told of a fail-over, with these calls under way.
func (o *owed) told(e api.Epoch, h *hangs) {
	if e <= o.epoch {
		return
	}
	o.epoch, o.handles = e, map[api.HandleID]api.Seq{}
	for seq, c := range h.calls { // order-free: a set
		if q, acquires := c.op.(api.Acquire); acquires && seq > h.seen {
			if id, _, shut := h.closed(q.Handle); !shut && id != (api.HandleID{}) {
				o.handles[id] = max(o.handles[id], seq)
			}
		}
	}
}

// says takes in a KeepAlive that the client sends.
func (o *owed) says(e api.Epoch, k api.KeepAlive) fault {
	if e != o.epoch {
		return fault{}
	}
	for _, t := range k.Tokens {
		if g, ok := parseToken(string(t)); ok {
			delete(o.handles, g.id)
		}
	}
	if k.Flushed != o.epoch || len(o.handles) == 0 {
		return fault{}
	}
	id := slices.MinFunc(slices.Collect(maps.Keys(o.handles)), api.HandleID.Compare)
	return faultf("S9", "says that it knows of epoch %d, and has not presented handle %v, whose call %d to acquire has no answer", e, id, o.handles[id])
}
