package nodeops

import (
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/cache"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
)

// putChange proposes what is to be done for a call, once no other client has in its cache what that
// touches (CHU §2.7). Until then the call waits.
func (o *Ops) putChange(at At, c *calls.Call, a calls.Attempt, deed command.NodeOp) {
	paths := command.Touches(o.act(c, deed))
	if len(paths) > 0 && o.mustWait(at, keyOf(c), paths) {
		o.count.Barred++
		o.calls.Bar(c, a)
		return
	}
	o.put(c, a, deed)
}

func keyOf(c *calls.Call) changeKey {
	return changeKey{Change: cache.Change{Session: c.Session, Seq: c.Seq}}
}

// mustWait reports whether a change waits at the barrier, and tells those that it waits for what
// they are to drop. Else it holds its paths, and goes on.
func (o *Ops) mustWait(at At, k changeKey, paths []api.Path) bool {
	x := o.barrier.enter(k, paths)
	if o.barrier.isClear(x) {
		o.barrier.pass(at.Now, x)
		return false
	}
	for _, d := range o.barrier.wait(at.Now, x) {
		o.tellSession(d.Session, api.Event{Kind: api.EventDrop, Node: api.Ref{Path: d.Path}, Drop: d.Number})
	}
	return true
}

// lift lets the changes go on that need not wait any more.
func (o *Ops) lift(at At) {
	for x := o.barrier.next(); x != nil; x = o.barrier.next() {
		o.rejudge(at, x)
	}
}

// rejudge ends the waiting of a change, which may not be what is to be done any more: a handle was
// closed, rights were taken away, a node has come or gone. Its paths are held in between. Where the call
// is refused now, what goes into the log may be the refusal: that changes nothing, and holds no path.
func (o *Ops) rejudge(at At, x *change) {
	o.barrier.resume(x)
	c := o.calls.Of(x.key.Session, x.key.Seq)
	if c == nil {
		o.doubted.add(x.key.swept)
		return
	}
	o.calls.Decide(c)
	x.again = false
	o.serve(at, c)
	if !x.again || c.State != calls.Proposed && c.State != calls.Barred {
		o.barrier.leave(x.key)
	}
}

// rejudgeOf does so for the changes that a session asked for by a handle.
func (o *Ops) rejudgeOf(at At, s api.SessionID, h api.HandleID) {
	for _, c := range o.calls.OnNodes(s) {
		if c.State == calls.Barred && c.Handle.ID == h {
			o.rejudge(at, o.barrier.changes[keyOf(c)])
		}
	}
}

// withdrawSweep ends the sweep of a path that waits at the barrier: the path is about to be opened.
// If it is not, after all, the sweep begins anew.
func (o *Ops) withdrawSweep(p api.Path) {
	if _, waits := o.barrier.changes[sweepKey(p)]; waits && o.sweeps[p] == nil {
		o.barrier.leave(sweepKey(p))
		o.doubted.add(p)
	}
}

// verifyHeld asserts that a command has passed the barrier.
func (o *Ops) verifyHeld(c command.Command) {
	paths := command.Touches(c)
	if len(paths) == 0 {
		return
	}
	k := sweepKey(paths[0])
	if act, ok := c.(command.NodeCommand); ok {
		k = changeKey{Change: cache.Change{Session: act.Session, Seq: act.Seq}}
	}
	if x := o.barrier.changes[k]; x == nil || x.waits || !o.barrier.isClear(x) {
		invariant.Failf("I-B7", "%+v is proposed, and has not passed the barrier: %+v", c, x)
	}
}
