package handles

import (
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/model"
)

// Requests are all that came to replicas, and who sent them.
type Requests struct {
	world  *sim.World
	rights *Rights
	grips  *Grips
	room   *Room

	now   uint64 // counts what was seen: an order, not a time
	asked map[model.Call][]asking
	Seen  map[api.SessionID]api.Seq // up to here no call waits, as a session's own principal says

	Forged  uint64 // requests with tokens that were never given out
	Foreign uint64 // requests with tokens, or sessions, of others
	Shut    uint64 // requests with handles that were closed or poisoned
}

// asking is a request as it first came in an epoch.
type asking struct {
	who   api.Principal
	epoch api.Epoch
	op    api.Op
	at    uint64
}

// OnRequest is told of each request that reaches a replica.
func (b *Requests) OnRequest(who api.Principal, q api.Request) {
	b.now++
	if q.Session != 0 && b.rights.Opened[q.Session] == who {
		b.Seen[q.Session] = max(b.Seen[q.Session], q.AckedThrough)
	}
	if _, keeps := q.Op.(api.KeepAlive); keeps || q.Seq == 0 {
		return
	}
	k := model.Call{Session: q.Session, Seq: q.Seq}
	for _, a := range b.asked[k] {
		if a.who == who && a.epoch == q.Epoch && a.op == q.Op {
			return
		}
	}
	b.count(who, q)
	b.ends(who, q)
	if b.rights.Opened[q.Session] == who {
		token, _ := model.TokenIn(q.Op)
		b.room.OnRequest(q, b.grips.Given[token])
	}
	b.asked[k] = append(b.asked[k], asking{who, q.Epoch, q.Op, b.now})
}

// ends notes that a session's own principal wants a handle of it closed, or poisoned.
func (b *Requests) ends(who api.Principal, q api.Request) {
	switch q.Op.(type) {
	case api.CloseHandle, api.Poison:
		token, _ := model.TokenIn(q.Op)
		if g := b.grips.Given[token]; g != nil && g.Session == q.Session && b.rights.Opened[q.Session] == who {
			g.Ended = true
		}
	}
}

// count notes what a client tries without the right to.
func (b *Requests) count(who api.Principal, q api.Request) {
	token, on := model.TokenIn(q.Op)
	g := b.grips.Given[token]
	owner, known := b.rights.Opened[q.Session]
	switch {
	case known && owner != who, on && g != nil && g.Session != q.Session:
		b.Foreign++
	case on && g == nil:
		b.Forged++
	case on && g.Shut(q.Epoch):
		b.Shut++
	}
}

// faultOf says what speaks against doing what was asked. What is proposed now must
// not come through a handle that is shut by now; what is answered may have been
// under way when that happened.
func (b *Requests) faultOf(k model.Call, a asking, now uint64) model.Finding {
	if owner, alive := b.rights.Who[k.Session]; alive && owner != a.who {
		return model.Finding{ID: "S16", Text: fmt.Sprintf("%s asks in a session of %s", a.who, owner)}
	}
	token, on := model.TokenIn(a.op)
	if !on {
		return model.Finding{}
	}
	g, given := b.grips.Given[token]
	if !given {
		return model.Finding{ID: "S14", Text: "the token was never given out"}
	}
	_, closes := a.op.(api.CloseHandle)
	_, cancels := a.op.(api.CancelAcquire)
	_, poisons := a.op.(api.Poison)
	at, shut := g.Closed[a.epoch]
	since, dead := g.Poisoned[a.epoch]
	switch {
	case g.Session != k.Session:
		return model.Finding{ID: "S14", Text: fmt.Sprintf("handle %v was given to session %d", g.ID, g.Session)}
	case shut && at < now && !closes && !cancels:
		return model.Finding{ID: "S14", Text: fmt.Sprintf("handle %v is closed", g.ID)}
	case dead && since < now && !closes && !cancels && !poisons:
		return model.Finding{ID: "S14", Text: fmt.Sprintf("handle %v is poisoned", g.ID)}
	case !g.Rights.Has(model.RightFor(a.op)):
		return model.Finding{ID: "S16", Text: fmt.Sprintf("handle %v was given for %v", g.ID, g.Rights)}
	case (g.ID.Epoch < a.epoch || g.Untested) && g.Allowed < a.epoch && model.RightFor(a.op) != 0:
		return model.Finding{ID: "S16", Text: fmt.Sprintf("at no time of epoch %d had %s the rights to open %v again", a.epoch, a.who, g.Node)}
	}
	return model.Finding{}
}

// justified looks for a request behind what is proposed in an epoch that speaks for
// it; if there is none, it says what speaks against the last one.
func (b *Requests) justified(k model.Call, e api.Epoch, fits func(api.Op) bool) (a asking, f model.Finding) {
	f = model.Finding{ID: "S14", Text: "no session has asked for it in this epoch"}
	for _, x := range b.asked[k] {
		if x.epoch != e || !fits(x.op) {
			continue
		}
		if f = b.faultOf(k, x, b.now+1); f == (model.Finding{}) {
			return x, f
		}
	}
	return a, f
}

// explained is justified for what is answered, which may have been asked in an
// earlier epoch: of those that speak for it, the request that came last of those of
// the latest epoch.
func (b *Requests) explained(k model.Call, e api.Epoch) (a asking, f model.Finding) {
	f = model.Finding{ID: "S14", Text: "no session has asked for it"}
	for _, x := range b.asked[k] {
		if x.epoch > e {
			continue
		}
		if wrong := b.faultOf(k, x, x.at); wrong == (model.Finding{}) {
			if a.op == nil || x.epoch >= a.epoch {
				a = x
			}
		} else if a.op == nil {
			f = wrong
		}
	}
	if a.op != nil {
		f = model.Finding{}
	}
	return a, f
}

// tooLate says that an op cancels an Acquire that no client waits for any more: a copy that
// was long under way does.
func (b *Requests) tooLate(s api.SessionID, op api.Op) bool {
	c, cancels := op.(api.CancelAcquire)
	return cancels && c.Call <= b.Seen[s]
}

// other is another op that was asked for by the same number; ok is false if there is
// none.
func (b *Requests) other(k model.Call, op api.Op) (x api.Op, ok bool) {
	i := slices.IndexFunc(b.asked[k], func(x asking) bool { return x.op != op })
	if i < 0 {
		return nil, false
	}
	return b.asked[k][i].op, true
}

// LooseFinding demands of a call that is made by a handle which its program has tied to a
// sequencer that every copy which came was asked by a token that says so: of another one
// the cell looks at no sequencer (C6.16). What only gives something up needs none.
func (b *Requests) LooseFinding(k model.Call) model.Finding {
	for _, a := range b.asked[k] {
		token, on := model.TokenIn(a.op)
		if t, ok := clients.ReadToken(token); on && model.NeedsFence(a.op) && (!ok || len(t.Tied) == 0) && a.who == b.rights.Opened[k.Session] {
			return model.Findingf("S10", "call %d of session %d, %T, comes by a token that does not say so", k.Seq, k.Session, a.op)
		}
	}
	return model.Finding{}
}
