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

// Grips holds the handles that masters have given out, by token.
type Grips struct {
	world  *sim.World
	rights *Rights

	Given  map[api.Token]*model.Grip    // all tokens that ever left a master
	ties   map[api.Token]bool           // tokens that say that their handle is tied to a sequencer
	grips  map[api.HandleID]*model.Grip // shared with Rights
	Opened map[model.Call]api.HandleID  // by the Open that created them
}

// HasOpen reports whether a session was given a handle in this epoch and has not asked to
// close or poison it.
func (b *Grips) HasOpen(s api.SessionID, e api.Epoch) bool {
	for _, g := range b.grips { // order-free: any one suffices
		if g.Session == s && g.ID.Epoch == e && !g.Ended {
			return true
		}
	}
	return false
}

// OnHandleGot reports that a program that wanted certain rights got a handle: its client must
// have asked for exactly these rights.
func (b *Grips) OnHandleGot(id api.HandleID, want api.Rights) {
	if g := b.grips[id]; g != nil && g.Rights != want {
		b.world.Break("S16", "a program opens %v for %v, and its client gets it a handle for %v", g.Node, want, g.Rights)
	}
}

// OnCommand reports a command when it is first applied anywhere: a handle that a master has
// confirmed as closed takes no lock in that epoch.
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

// TiedTo returns the sequencers to which the handle of an operation was tied so far. There
// are none if the operation's token does not say so, or if the operation only gives something
// up.
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

// checkTie requires that the token which answers a SetSequencer names the sequencer: a later
// master learns of the tie from nothing else.
func (b *Grips) checkTie(id paxos.NodeID, k model.Call, t api.Token, want string) {
	q, err := api.ParseSequencer(want)
	g, ok := GripBy(t)
	if err != nil || !ok || !slices.Contains(g.Tied, q) {
		b.world.Break("S10", "replica %d ties a handle to %q by call %d of session %d, and the token that it answers does not say so", id, want, k.Seq, k.Session)
	}
}

// give records a token that leaves a master. It must be for no other session and, if it is
// known that op was answered, for no more than op asked for.
func (b *Grips) give(id paxos.NodeID, k model.Call, t api.Token, op api.Op) {
	if b.Given[t] != nil {
		return
	}
	g, ok := GripBy(t)
	if !ok {
		b.world.Break("S14", "replica %d gives out a token of %d bytes that is none", id, len(t))
		return
	}
	if was := b.grips[g.ID]; was != nil { // the same handle, now tied to a sequencer
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

// mayHave is for a handle that leaves a master after another epoch has begun, or whose rights
// were not tested, and that no request has used since. It reports whether the session may
// have had the rights in this epoch: it has them now, or something about rights has changed.
func (b *Grips) mayHave(g *model.Grip) bool {
	n := b.rights.At(g.Node)
	return (b.rights.epoch > g.ID.Epoch || g.Untested) &&
		(b.rights.version != b.rights.began || n != nil && b.rights.may(b.rights.Who[g.Session], n.Names, g.Rights))
}

// GripBy decodes a token; ok is false if it is malformed.
func GripBy(t api.Token) (*model.Grip, bool) {
	k, ok := clients.ReadToken(t)
	return &model.Grip{ID: k.ID, Session: k.Session, Node: k.Node, Rights: k.Rights, Tied: k.Tied}, ok
}
