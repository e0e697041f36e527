package handles

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/model"
)

// Grips are the handles that masters have given out, by their tokens.
type Grips struct {
	world  *sim.World
	rights *Rights

	Given  map[api.Token]*model.Grip    // all tokens that ever left a master
	ties   map[api.Token]bool           // those that say that their handle is tied to a sequencer
	grips  map[api.HandleID]*model.Grip // that the rights look at, too
	Opened map[model.Call]api.HandleID  // by Opens
}

// HasOpen says that a session was given a handle in this epoch which is open: the
// session has not asked for it to be closed, or poisoned.
func (b *Grips) HasOpen(s api.SessionID, e api.Epoch) bool {
	for _, g := range b.grips { // order-free: any one will do
		if g.Session == s && g.ID.Epoch == e && !g.Ended {
			return true
		}
	}
	return false
}

// OnHandleGot is told which handle a program got that wanted certain rights: its client has
// asked for no more and no less.
func (b *Grips) OnHandleGot(id api.HandleID, want api.Rights) {
	if g := b.grips[id]; g != nil && g.Rights != want {
		b.world.Break("S16", "a program opens %v for %v, and its client gets it a handle for %v", g.Node, want, g.Rights)
	}
}

// OnCommand is told of each command as it is first applied anywhere: a handle of which a
// master has confirmed that it is closed takes no lock in that epoch.
func (b *Grips) OnCommand(a *command.Applied) {
	c, acts := a.Command.(command.NodeCommand)
	d, acquires := c.Op.(command.Acquire)
	if !acts || !acquires || a.Verdict != command.Executed || a.Result.Code != api.OK {
		return
	}
	if g := b.grips[d.Handle]; g != nil && g.Closed[c.Guard] != 0 {
		b.world.Break("S14", "call %d of session %d takes the lock of %v in epoch %d by handle %v, which is closed, as its session was told", c.Seq, c.Session, d.Node, c.Guard, d.Handle)
	}
}

// TiedTo is to what the handle of an op was tied so far; none where the token that it
// comes with does not say so, or the op only gives something up.
func (b *Grips) TiedTo(op api.Op) []api.Sequencer {
	if token, _ := model.TokenIn(op); model.NeedsFence(op) && b.ties[token] {
		return b.Given[token].Tied
	}
	return nil
}

func (b *Grips) pathOf(op api.Open) string {
	switch {
	case op.Dir == "":
		return "/" + op.Path
	case op.Path == "":
		return b.Given[op.Dir].Node.Path.String()
	}
	return model.Inside(b.Given[op.Dir].Node.Path.String()) + op.Path
}

// saysTie demands of the token that answers a SetSequencer that it names the sequencer:
// a later master knows of the tie by nothing else.
func (b *Grips) saysTie(id paxos.NodeID, k model.Call, t api.Token, want string) {
	q, err := api.ParseSequencer(want)
	g, ok := GripBy(t)
	if err != nil || !ok || !slices.Contains(g.Tied, q) {
		b.world.Break("S10", "replica %d ties a handle to %q by call %d of session %d, and the token that it answers does not say so", id, want, k.Seq, k.Session)
	}
}

// gives notes a token that leaves a master. It is for no other session, and for no
// more than was asked for by op, where it is known that this was answered.
func (b *Grips) gives(id paxos.NodeID, k model.Call, t api.Token, op api.Op) {
	if b.Given[t] != nil {
		return
	}
	g, ok := GripBy(t)
	if !ok {
		b.world.Break("S14", "replica %d gives out a token of %d bytes that is none", id, len(t))
		return
	}
	if was := b.grips[g.ID]; was != nil { // the same handle, tied to a sequencer
		if was.Session != g.Session || was.Node != g.Node || was.Rights != g.Rights {
			b.world.Break("S14", "replica %d gives out handle %v for session %d on %v, which was given to session %d on %v", id, g.ID, g.Session, g.Node, was.Session, was.Node)
		}
		b.Given[t] = was
		if len(g.Tied) > 0 {
			b.ties[t], was.Tied = true, append(was.Tied, g.Tied...)
		}
		return
	}
	if g.Session != k.Session {
		b.world.Break("S14", "replica %d gives session %d a handle of session %d", id, k.Session, g.Session)
	}
	if open, ok := op.(api.Open); ok && g.Rights != open.Rights {
		b.world.Break("S16", "replica %d gives session %d a handle for %v, which asked for one for %v", id, k.Session, g.Rights, open.Rights)
	}
	executed, logged := b.rights.Executed[k]
	g.Untested = logged && executed < g.ID.Epoch
	g.Allowed = g.ID.Epoch
	switch {
	case b.mayHave(g):
		g.Allowed = b.rights.epoch
	case g.Untested && b.rights.epoch == g.ID.Epoch:
		g.Allowed--
	}
	g.Closed, g.Poisoned = map[api.Epoch]uint64{}, map[api.Epoch]uint64{}
	b.Given[t], b.grips[g.ID] = g, g
	b.Opened[k] = g.ID
}

// mayHave says of a handle that leaves a master when another epoch has begun, or that
// was not tested, and that no request has shown since, whether its session may have
// had the rights in this epoch: it has them still, or something has changed.
func (b *Grips) mayHave(g *model.Grip) bool {
	n := b.rights.At(g.Node)
	return (b.rights.epoch > g.ID.Epoch || g.Untested) &&
		(b.rights.version != b.rights.began || n != nil && b.rights.may(b.rights.Who[g.Session], n.Names, g.Rights))
}

// GripBy is a handle by its token.
func GripBy(t api.Token) (*model.Grip, bool) {
	k, ok := clients.ReadToken(t)
	return &model.Grip{ID: k.ID, Session: k.Session, Node: k.Node, Rights: k.Rights, Tied: k.Tied}, ok
}
