package clients

import (
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// presentation holds what a client has to present to a new master before it acknowledges the
// master's epoch: the handle of each Acquire that was sent, has no reply, and whose handle is
// not closed. The former master may have executed the Acquire; the new master frees the locks
// of handles that were not presented, although their client may rely on them (S9, C12.08). A
// KeepAlive that presents handles may be lost, so one of those that carried a handle must
// have a reply.
type presentation struct {
	epoch     api.Epoch                // of the fail-over that a reply announced
	missing   map[api.HandleID]api.Seq // handle -> call of its Acquire; not presented yet
	carriedBy map[uint64][]api.Token   // KeepAlive -> the tokens that it presented
	answered  map[api.Token]bool       // all tokens presented; true: a KeepAlive that carried it has a reply
}

// onFailover records that a reply announced a fail-over to epoch e, and takes the Acquires
// under way from h.
func (p *presentation) onFailover(e api.Epoch, h *callModel) {
	if e <= p.epoch {
		return
	}
	p.epoch, p.missing, p.carriedBy, p.answered = e, map[api.HandleID]api.Seq{}, map[uint64][]api.Token{}, map[api.Token]bool{}
	for seq, c := range h.sent { // order-free: a set
		if q, acquires := c.op.(api.Acquire); acquires && seq > h.acked {
			if id, _, closed := h.closedHandle(q.Handle); !closed && id != (api.HandleID{}) {
				p.missing[id] = max(p.missing[id], seq)
			}
		}
	}
}

// onKeepAlive checks a KeepAlive that the client sends.
func (p *presentation) onKeepAlive(id uint64, e api.Epoch, k api.KeepAlive) breach {
	if e != p.epoch {
		return breach{}
	}
	if len(k.Tokens) > 0 {
		p.carriedBy[id] = k.Tokens
	}
	for _, t := range k.Tokens {
		if _, known := p.answered[t]; !known {
			p.answered[t] = false
		}
		if k, ok := ReadToken(t); ok {
			delete(p.missing, k.ID)
		}
	}
	if k.AckedEpoch != p.epoch {
		return breach{}
	}
	if n := p.unanswered(); n > 0 {
		return breachf("S9", "acknowledges epoch %d, but no KeepAlive that presents %d of its handles has a reply", e, n)
	}
	if len(p.missing) == 0 {
		return breach{}
	}
	h := slices.MinFunc(slices.Collect(maps.Keys(p.missing)), api.HandleID.Compare)
	return breachf("S9", "acknowledges epoch %d, but has not presented handle %v, whose Acquire, call %d, has no reply", e, h, p.missing[h])
}

// onKeepAliveReplied records that KeepAlive id has a reply of epoch e.
func (p *presentation) onKeepAliveReplied(id uint64, e api.Epoch) {
	if e == p.epoch {
		for _, t := range p.carriedBy[id] {
			p.answered[t] = true
		}
	}
}

// unanswered counts the handles that were presented by KeepAlives of which none has a reply.
func (p *presentation) unanswered() (n int) {
	for _, answered := range p.answered { // order-free: a count
		if !answered {
			n++
		}
	}
	return n
}
