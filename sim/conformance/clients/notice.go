package clients

import (
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// owed is what a client has to present to a new master before it says that it knows of
// its epoch: the handles of Acquires that it sent and that have no answer, but for those
// that it has closed. The former master may have executed them, and what they got would
// be freed while their client, told by the new one, believes in it (S9, C12.08). And a
// KeepAlive that presents something may be lost: until one that did is answered, nobody
// knows of it.
type owed struct {
	epoch   api.Epoch // of the fail-over that it was told of
	handles map[api.HandleID]api.Seq
	carried map[uint64][]api.Token // by which KeepAlives
	arrived map[api.Token]bool     // all that were carried; true: one that did was answered
}

// told notes that the client was told of a fail-over, with these calls under way.
func (o *owed) told(e api.Epoch, h *hangs) {
	if e <= o.epoch {
		return
	}
	o.epoch, o.handles, o.carried, o.arrived = e, map[api.HandleID]api.Seq{}, map[uint64][]api.Token{}, map[api.Token]bool{}
	for seq, c := range h.calls { // order-free: a set
		if q, acquires := c.op.(api.Acquire); acquires && seq > h.seen {
			if id, _, shut := h.closed(q.Handle); !shut && id != (api.HandleID{}) {
				o.handles[id] = max(o.handles[id], seq)
			}
		}
	}
}

// says takes in a KeepAlive that the client sends.
func (o *owed) says(id uint64, e api.Epoch, k api.KeepAlive) fault {
	if e != o.epoch {
		return fault{}
	}
	if len(k.Tokens) > 0 {
		o.carried[id] = k.Tokens
	}
	for _, t := range k.Tokens {
		if _, known := o.arrived[t]; !known {
			o.arrived[t] = false
		}
		if k, ok := ReadToken(t); ok {
			delete(o.handles, k.ID)
		}
	}
	if k.Flushed != o.epoch {
		return fault{}
	}
	if n := o.lost(); n > 0 {
		return faultf("S9", "says that it knows of epoch %d, and of %d handles no KeepAlive that presents them has an answer", e, n)
	}
	if len(o.handles) == 0 {
		return fault{}
	}
	h := slices.MinFunc(slices.Collect(maps.Keys(o.handles)), api.HandleID.Compare)
	return faultf("S9", "says that it knows of epoch %d, and has not presented handle %v, whose call %d to acquire has no answer", e, h, o.handles[h])
}

// hears takes in that a KeepAlive was answered.
func (o *owed) hears(id uint64, e api.Epoch) {
	if e == o.epoch {
		for _, t := range o.carried[id] {
			o.arrived[t] = true
		}
	}
}

// lost is how many handles were presented, and no KeepAlive with them was answered.
func (o *owed) lost() (n int) {
	for _, arrived := range o.arrived { // order-free: a count
		if !arrived {
			n++
		}
	}
	return n
}
