package handles

import (
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/model"
)

// Requests holds all requests that reached replicas, and their senders.
type Requests struct {
	world  *sim.World
	rights *Rights
	grips  *Grips
	room   *Room

	now   uint64 // counts what was seen: an order, not a time
	asked map[model.Call][]asking
	Seen  map[api.SessionID]api.Seq // acknowledged-through, by requests of the session's own principal

	Forged  uint64 // requests with tokens that were never given out
	Foreign uint64 // requests with tokens, or sessions, of others
	Shut    uint64 // requests with handles that were closed or poisoned
}

// asking is a request when it first came in an epoch.
type asking struct {
	who   api.Principal
	epoch api.Epoch
	op    api.Op
	at    uint64
}

// OnRequest reports each request that reaches a replica.
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
	b.noteEnd(who, q)
	if b.rights.Opened[q.Session] == who {
		token, _ := model.TokenIn(q.Op)
		b.room.OnRequest(q, b.grips.Given[token])
	}
	b.asked[k] = append(b.asked[k], asking{who, q.Epoch, q.Op, b.now})
}

// noteEnd records that a session's own principal asks to close or poison one of its handles.
func (b *Requests) noteEnd(who api.Principal, q api.Request) {
	switch q.Op.(type) {
	case api.CloseHandle, api.Poison:
		token, _ := model.TokenIn(q.Op)
		if g := b.grips.Given[token]; g != nil && g.Session == q.Session && b.rights.Opened[q.Session] == who {
			g.Ended = true
		}
	}
}

// count counts what a client tries without the right to it.
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

// faultOf returns what speaks against executing a request. What is proposed now must not use
// a handle that is closed or poisoned by now; for an answer, now is when the request came,
// since it may have been under way when that happened.
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
		return model.Finding{ID: "S16", Text: fmt.Sprintf("at no time of epoch %d had %s the rights to open %v again: %s", a.epoch, a.who, g.Node, b.rights.tell(a.who, g.Node.Path.String()))}
	}
	return model.Finding{}
}

// justified looks for a request of the same epoch that justifies what is proposed. If there
// is none, it returns what speaks against the last candidate.
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

// explained is justified for an answer, whose request may have come in an earlier epoch. Of
// the requests that justify the answer, it returns the last one of the latest epoch.
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

// tooLate reports whether an operation cancels an Acquire that its client no longer awaits: a
// copy that was long under way does.
func (b *Requests) tooLate(s api.SessionID, op api.Op) bool {
	c, cancels := op.(api.CancelAcquire)
	return cancels && c.Call <= b.Seen[s]
}

// other returns a different operation that was asked for under the same number; ok is false
// if there is none.
func (b *Requests) other(k model.Call, op api.Op) (x api.Op, ok bool) {
	i := slices.IndexFunc(b.asked[k], func(x asking) bool { return x.op != op })
	if i < 0 {
		return nil, false
	}
	return b.asked[k][i].op, true
}

// LooseFinding is for a call by a handle that its program has tied to a sequencer. Every copy
// that came must carry a token that says so, since otherwise the cell checks no sequencer
// (C6.16). Operations that only give something up are exempt.
func (b *Requests) LooseFinding(k model.Call) model.Finding {
	for _, a := range b.asked[k] {
		token, on := model.TokenIn(a.op)
		if t, ok := clients.ReadToken(token); on && model.NeedsFence(a.op) && (!ok || len(t.Tied) == 0) && a.who == b.rights.Opened[k.Session] {
			return model.Findingf("S10", "call %d of session %d, %T, comes by a token that does not say so", k.Seq, k.Session, a.op)
		}
	}
	return model.Finding{}
}
