package cell

import (
	"fmt"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/command"
	"github.com/chubbycell/chubby/sim"
)

// handleBook sees all bytes between clients and replicas, and who sent them. From
// these alone it knows which tokens masters have given out, to whom and for what,
// and what has been closed and poisoned. Whatever is proposed for a call on a node,
// or answered to it, must be justified by a request that came from the session's
// own principal, with a token that was given to this session, on this node, for
// this right, and neither closed nor poisoned in this epoch (S14, S16).
type handleBook struct {
	world   *sim.World
	rights  *rightsBook
	now     uint64 // counts what was seen: an order, not a time
	asked   map[call][]asking
	seen    map[api.SessionID]api.Seq // up to here nobody waits, as a session's own principal says
	decided map[decision]intent       // what is begun, and not proposed yet
	begins  uint64
	lately  []uint64            // when those that were proposed last were begun
	left    map[sender]uint64   // the order of what was proposed last
	given   map[api.Token]*grip // all tokens that ever left a master
	ties    map[api.Token]bool  // those that say that their handle is tied to a sequencer
	grips   map[api.HandleID]*grip
	opened  map[call]api.HandleID   // by Opens
	applied func(paxos.NodeID) bool // has applied all that anybody has; asked of who answers alone
	judged  map[call]api.Epoch      // Opens that were answered alone, and when last: copies get the same answer
	denied  map[call]verdict        // calls that were refused for certain, without the log

	room     *roomBook
	intruder api.Principal // asks for what nobody may have

	refusals map[api.Code]uint64 // answers to what nothing spoke for
	forged   uint64              // requests with tokens that nobody was given
	foreign  uint64              // requests with tokens, or sessions, of others
	shut     uint64              // requests with handles that were closed or poisoned
	retaken  uint64              // handles of an earlier epoch that were used
	crowded  uint64              // answers that there is no room
	homeless uint64              // answers to Opens of before that there is none
}

// asking is a request as it first came in an epoch.
type asking struct {
	who   api.Principal
	epoch api.Epoch
	op    api.Op
	at    uint64
}

// grip is a handle as it was given out.
type grip struct {
	id       api.HandleID
	session  api.SessionID
	node     api.Ref
	rights   api.Rights
	closed   map[api.Epoch]uint64 // when it was confirmed, by epoch: masters remember it so long (C12.12)
	poisoned map[api.Epoch]uint64
	tied     []api.Sequencer // to which it is or was, the last in the end
	allowed  api.Epoch       // the last epoch at some place of which its session had the rights
	untested bool            // it was given to a copy of an Open that was executed in an earlier epoch
	ended    bool            // its session has asked for it to be closed, or poisoned
}

// shut says that a master of this epoch has confirmed that the handle is closed or
// poisoned.
func (g *grip) shut(e api.Epoch) bool { return g.closed[e] != 0 || g.poisoned[e] != 0 }

func newHandleBook(w *sim.World, r *rightsBook, room *roomBook) *handleBook {
	b := &handleBook{
		room:  room,
		world: w, rights: r, asked: map[call][]asking{}, seen: map[api.SessionID]api.Seq{}, given: map[api.Token]*grip{}, grips: map[api.HandleID]*grip{}, opened: map[call]api.HandleID{},
		applied: func(paxos.NodeID) bool { return false }, refusals: map[api.Code]uint64{},
		judged: map[call]api.Epoch{}, denied: map[call]verdict{}, ties: map[api.Token]bool{}, decided: map[decision]intent{}, left: map[sender]uint64{},
	}
	r.changed = b.review
	return b
}

// review notes which handles their sessions could open again now: a new master asks
// when a handle of before its time is used, and each time that this may be, the
// rights are looked at here.
func (b *handleBook) review() {
	for _, g := range b.grips { // order-free: each is looked at by itself
		if g.allowed == b.rights.epoch {
			continue
		}
		if n := b.rights.at(g.node); n != nil && b.rights.may(b.rights.who[g.session], n.names, g.rights) {
			g.allowed = b.rights.epoch
		}
	}
}

// asks is told of each request that reaches a replica.
func (b *handleBook) asks(who api.Principal, q api.Request) {
	b.now++
	if _, keeps := q.Op.(api.KeepAlive); keeps || q.Seq == 0 {
		return
	}
	if b.rights.opened[q.Session] == who {
		b.seen[q.Session] = max(b.seen[q.Session], q.Seen)
	}
	k := call{q.Session, q.Seq}
	for _, a := range b.asked[k] {
		if a.who == who && a.epoch == q.Epoch && a.op == q.Op {
			return
		}
	}
	b.count(who, q)
	b.ends(who, q)
	if b.rights.opened[q.Session] == who {
		token, _ := tokenIn(q.Op)
		b.room.asks(q, b.given[token])
	}
	b.asked[k] = append(b.asked[k], asking{who, q.Epoch, q.Op, b.now})
}

// ends notes that a session's own principal wants a handle of it closed, or poisoned.
func (b *handleBook) ends(who api.Principal, q api.Request) {
	switch q.Op.(type) {
	case api.CloseHandle, api.Poison:
		token, _ := tokenIn(q.Op)
		if g := b.given[token]; g != nil && g.session == q.Session && b.rights.opened[q.Session] == who {
			g.ended = true
		}
	}
}

// uses says that a session was given a handle in this epoch which is open: nobody of
// the session has asked for it to be closed, or poisoned.
func (b *handleBook) uses(s api.SessionID, e api.Epoch) bool {
	for _, g := range b.grips { // order-free: any one will do
		if g.session == s && g.id.Epoch == e && !g.ended {
			return true
		}
	}
	return false
}

// gets is told which handle a program got that wanted certain rights: its client has
// asked for no more and no less.
func (b *handleBook) gets(id api.HandleID, want api.Rights) {
	if g := b.grips[id]; g != nil && g.rights != want {
		b.world.Break("S16", "a program opens %v for %v, and its client gets it a handle for %v", g.node, want, g.rights)
	}
}

// count notes what somebody tries who has no business to.
func (b *handleBook) count(who api.Principal, q api.Request) {
	token, on := tokenIn(q.Op)
	g := b.given[token]
	owner, known := b.rights.opened[q.Session]
	switch {
	case known && owner != who, on && g != nil && g.session != q.Session:
		b.foreign++
	case on && g == nil:
		b.forged++
	case on && g.shut(q.Epoch):
		b.shut++
	}
}

// tokenIn is the token that an op comes with; ok is false where it needs none. An op
// that needs one and has lost it is told from one that needs none, which
// api.HandleOf does not; and what is checked is not asked.
func tokenIn(op api.Op) (t api.Token, ok bool) {
	switch op := op.(type) {
	case api.Open:
		return op.Dir, op.Dir != ""
	case api.CloseHandle:
		return op.Handle, true
	case api.Poison:
		return op.Handle, true
	case api.GetContents:
		return op.Handle, true
	case api.GetStat:
		return op.Handle, true
	case api.ReadDir:
		return op.Handle, true
	case api.SetContents:
		return op.Handle, true
	case api.SetACL:
		return op.Handle, true
	case api.DeleteNode:
		return op.Handle, true
	case api.Acquire:
		return op.Handle, true
	case api.Release:
		return op.Handle, true
	case api.CancelAcquire:
		return op.Handle, true
	case api.GetSequencer:
		return op.Handle, true
	case api.SetSequencer:
		return op.Handle, true
	case api.CheckSequencer:
		return op.Handle, true
	}
	return "", false
}

// wants is the right that an op needs (CHU §2.4, §2.6): locks need the one to
// write, in either mode.
func wants(op api.Op) api.Rights {
	switch op.(type) {
	case api.GetContents, api.GetStat, api.ReadDir, api.CheckSequencer:
		return api.RightRead
	case api.SetContents, api.DeleteNode, api.Acquire, api.GetSequencer:
		return api.RightWrite
	case api.SetACL:
		return api.RightChangeACL
	}
	return 0
}

// fault is what speaks against doing what was asked; "" is nothing.
type fault struct{ id, text string }

func faultf(id, format string, args ...any) fault { return fault{id, fmt.Sprintf(format, args...)} }

// faultOf says what speaks against doing what was asked. What is proposed now must
// not come through a handle that is shut by now; what is answered may have been
// under way when that happened.
func (b *handleBook) faultOf(k call, a asking, now uint64) fault {
	if owner, alive := b.rights.who[k.session]; alive && owner != a.who {
		return fault{"S16", fmt.Sprintf("%s asks in a session of %s", a.who, owner)}
	}
	token, on := tokenIn(a.op)
	if !on {
		return fault{}
	}
	g, given := b.given[token]
	if !given {
		return fault{"S14", "the token was given to nobody"}
	}
	_, closes := a.op.(api.CloseHandle)
	_, cancels := a.op.(api.CancelAcquire)
	_, poisons := a.op.(api.Poison)
	at, shut := g.closed[a.epoch]
	since, dead := g.poisoned[a.epoch]
	switch {
	case g.session != k.session:
		return fault{"S14", fmt.Sprintf("handle %v was given to session %d", g.id, g.session)}
	case shut && at < now && !closes && !cancels:
		return fault{"S14", fmt.Sprintf("handle %v is closed", g.id)}
	case dead && since < now && !closes && !cancels && !poisons:
		return fault{"S14", fmt.Sprintf("handle %v is poisoned", g.id)}
	case !g.rights.Has(wants(a.op)):
		return fault{"S16", fmt.Sprintf("handle %v was given for %v", g.id, g.rights)}
	case (g.id.Epoch < a.epoch || g.untested) && g.allowed < a.epoch && wants(a.op) != 0:
		return fault{"S16", fmt.Sprintf("at no time of epoch %d had %s the rights to open %v again", a.epoch, a.who, g.node)}
	}
	return fault{}
}

// justified looks for a request behind what is proposed in an epoch that speaks for
// it; if there is none, it says what speaks against the last one.
func (b *handleBook) justified(k call, e api.Epoch, fits func(api.Op) bool) (a asking, f fault) {
	f = fault{"S14", "nobody has asked for it in this epoch"}
	for _, x := range b.asked[k] {
		if x.epoch != e || !fits(x.op) {
			continue
		}
		if f = b.faultOf(k, x, b.now+1); f == (fault{}) {
			return x, f
		}
	}
	return a, f
}

// explained is justified for what is answered, which may have been asked in an
// earlier epoch: of those that speak for it, the request that came last of those of
// the latest epoch.
func (b *handleBook) explained(k call, e api.Epoch) (a asking, f fault) {
	f = fault{"S14", "nobody has asked for it"}
	for _, x := range b.asked[k] {
		if x.epoch > e {
			continue
		}
		if wrong := b.faultOf(k, x, x.at); wrong == (fault{}) {
			if a.op == nil || x.epoch >= a.epoch {
				a = x
			}
		} else if a.op == nil {
			f = wrong
		}
	}
	if a.op != nil {
		f = fault{}
	}
	return a, f
}

// command is told of each command as it is first applied anywhere: a handle of which a
// master has confirmed that it is closed takes no lock in that epoch.
func (b *handleBook) command(a *command.Applied) {
	c, acts := a.Command.(command.Act)
	d, acquires := c.Deed.(command.Acquire)
	if !acts || !acquires || a.Verdict != command.Executed || a.Result.Code != api.OK {
		return
	}
	if g := b.grips[d.Handle]; g != nil && g.closed[c.Guard] != 0 {
		b.world.Break("S14", "call %d of session %d takes the lock of %v in epoch %d by handle %v, which is closed, as its session was told", c.Seq, c.Session, d.Node, c.Guard, d.Handle)
	}
}

// tiedTo is to what the handle of an op was tied so far; none where the token that it
// comes with does not say so, or the op only gives something up.
func (b *handleBook) tiedTo(op api.Op) []api.Sequencer {
	if token, _ := tokenIn(op); fenced(op) && b.ties[token] {
		return b.given[token].tied
	}
	return nil
}

// fenced says that an op is for handles whose sequencer is valid, if they are tied to
// one: all are that do not only give something up.
func fenced(op api.Op) bool {
	switch op.(type) {
	case api.CloseHandle, api.Poison, api.Release, api.CancelAcquire:
		return false
	}
	return true
}

// refused counts the answers to what nothing spoke for.
func (b *handleBook) refused() (n uint64) {
	for _, more := range b.refusals { // order-free: a sum
		n += more
	}
	return n
}
