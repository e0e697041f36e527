package handles

import (
	"fmt"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Checker sees all bytes between clients and replicas, and who sent them. From
// these alone it knows which tokens masters have given out, to whom and for what,
// and what has been closed and poisoned. Whatever is proposed for a call on a node,
// or answered to it, must be justified by a request that came from the session's
// own principal, with a token that was given to this session, on this node, for
// this right, and neither closed nor poisoned in this epoch (S14, S16).
type Checker struct {
	World   *sim.World
	rights  *Rights
	now     uint64 // counts what was seen: an order, not a time
	asked   map[model.Call][]asking
	Seen    map[api.SessionID]api.Seq // up to here no call waits, as a session's own principal says
	decided map[decision]intent       // what is begun, and not proposed yet
	Begins  uint64
	lately  []uint64                     // when those that were proposed last were begun
	left    map[sender]uint64            // the order of what was proposed last
	Given   map[api.Token]*model.Grip    // all tokens that ever left a master
	ties    map[api.Token]bool           // those that say that their handle is tied to a sequencer
	grips   map[api.HandleID]*model.Grip // that the rights look at, too
	Opened  map[model.Call]api.HandleID  // by Opens
	facts   Facts
	judged  map[model.Call]api.Epoch // Opens that were answered alone, and when last: copies get the same answer
	denied  map[model.Call]verdict   // calls that were refused for certain, without the log

	Room     *Room
	intruder api.Principal // asks for what no principal may have

	Refusals map[api.Code]uint64 // answers to what nothing spoke for
	Forged   uint64              // requests with tokens that were never given out
	Foreign  uint64              // requests with tokens, or sessions, of others
	Shut     uint64              // requests with handles that were closed or poisoned
	Retaken  uint64              // handles of an earlier epoch that were used
	Crowded  uint64              // answers that there is no room
	Homeless uint64              // answers to Opens of before that there is none
}

// asking is a request as it first came in an epoch.
type asking struct {
	who   api.Principal
	epoch api.Epoch
	op    api.Op
	at    uint64
}

// Facts is what is known of the replicas beyond what they say.
type Facts interface {
	// HasAppliedAll says that a replica has applied all that any replica has.
	HasAppliedAll(paxos.NodeID) bool
}

// New makes the checker. The intruder asks for what no principal may have.
func New(w *sim.World, r *Rights, room *Room, intruder api.Principal, facts Facts) *Checker {
	return &Checker{
		Room: room, intruder: intruder, facts: facts,
		World: w, rights: r, asked: map[model.Call][]asking{}, Seen: map[api.SessionID]api.Seq{}, Given: map[api.Token]*model.Grip{}, grips: r.given, Opened: map[model.Call]api.HandleID{},
		Refusals: map[api.Code]uint64{},
		judged:   map[model.Call]api.Epoch{}, denied: map[model.Call]verdict{}, ties: map[api.Token]bool{}, decided: map[decision]intent{}, left: map[sender]uint64{},
	}
}

// OnRequest is told of each request that reaches a replica.
func (b *Checker) OnRequest(who api.Principal, q api.Request) {
	b.now++
	if _, keeps := q.Op.(api.KeepAlive); keeps || q.Seq == 0 {
		return
	}
	if b.rights.Opened[q.Session] == who {
		b.Seen[q.Session] = max(b.Seen[q.Session], q.AckedThrough)
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
		b.Room.OnRequest(q, b.Given[token])
	}
	b.asked[k] = append(b.asked[k], asking{who, q.Epoch, q.Op, b.now})
}

// ends notes that a session's own principal wants a handle of it closed, or poisoned.
func (b *Checker) ends(who api.Principal, q api.Request) {
	switch q.Op.(type) {
	case api.CloseHandle, api.Poison:
		token, _ := model.TokenIn(q.Op)
		if g := b.Given[token]; g != nil && g.Session == q.Session && b.rights.Opened[q.Session] == who {
			g.Ended = true
		}
	}
}

// HasOpen says that a session was given a handle in this epoch which is open: the
// session has not asked for it to be closed, or poisoned.
func (b *Checker) HasOpen(s api.SessionID, e api.Epoch) bool {
	for _, g := range b.grips { // order-free: any one will do
		if g.Session == s && g.ID.Epoch == e && !g.Ended {
			return true
		}
	}
	return false
}

// OnHandleGot is told which handle a program got that wanted certain rights: its client has
// asked for no more and no less.
func (b *Checker) OnHandleGot(id api.HandleID, want api.Rights) {
	if g := b.grips[id]; g != nil && g.Rights != want {
		b.World.Break("S16", "a program opens %v for %v, and its client gets it a handle for %v", g.Node, want, g.Rights)
	}
}

// count notes what a client tries without the right to.
func (b *Checker) count(who api.Principal, q api.Request) {
	token, on := model.TokenIn(q.Op)
	g := b.Given[token]
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
func (b *Checker) faultOf(k model.Call, a asking, now uint64) model.Finding {
	if owner, alive := b.rights.Who[k.Session]; alive && owner != a.who {
		return model.Finding{ID: "S16", Text: fmt.Sprintf("%s asks in a session of %s", a.who, owner)}
	}
	token, on := model.TokenIn(a.op)
	if !on {
		return model.Finding{}
	}
	g, given := b.Given[token]
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
func (b *Checker) justified(k model.Call, e api.Epoch, fits func(api.Op) bool) (a asking, f model.Finding) {
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
func (b *Checker) explained(k model.Call, e api.Epoch) (a asking, f model.Finding) {
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

// OnCommand is told of each command as it is first applied anywhere: a handle of which a
// master has confirmed that it is closed takes no lock in that epoch.
func (b *Checker) OnCommand(a *command.Applied) {
	c, acts := a.Command.(command.NodeCommand)
	d, acquires := c.Op.(command.Acquire)
	if !acts || !acquires || a.Verdict != command.Executed || a.Result.Code != api.OK {
		return
	}
	if g := b.grips[d.Handle]; g != nil && g.Closed[c.Guard] != 0 {
		b.World.Break("S14", "call %d of session %d takes the lock of %v in epoch %d by handle %v, which is closed, as its session was told", c.Seq, c.Session, d.Node, c.Guard, d.Handle)
	}
}

// TiedTo is to what the handle of an op was tied so far; none where the token that it
// comes with does not say so, or the op only gives something up.
func (b *Checker) TiedTo(op api.Op) []api.Sequencer {
	if token, _ := model.TokenIn(op); model.NeedsFence(op) && b.ties[token] {
		return b.Given[token].Tied
	}
	return nil
}

// Refused counts the answers to what nothing spoke for.
func (b *Checker) Refused() (n uint64) {
	for _, more := range b.Refusals { // order-free: a sum
		n += more
	}
	return n
}
