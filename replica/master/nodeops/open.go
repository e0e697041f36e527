package nodeops

import (
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// open begins an Open. It waits if a sweep of its path is proposed: otherwise it could open a node that
// is about to be deleted.
func (o *Ops) open(at At, c *calls.Call, op api.Open) {
	deed, code := o.openNode(at, c, op)
	switch {
	case code != api.OK:
		o.refuse(at, c, code)
	case o.holdForSweep(c, deed.Path):
	case !o.hasRoom(c.Session):
		o.refuse(at, c, api.Crowded)
	case isRead(at, deed) && o.canAnswerNow(at, c):
		o.openNow(at, c, op, deed)
	default:
		o.putChange(at, c, calls.Attempt{Kind: calls.Opens, Path: deed.Path}, deed)
	}
}

// holdForSweep makes an Open wait if a sweep of the path is proposed, and reports whether it did. A sweep
// that waits at the barrier is withdrawn instead.
func (o *Ops) holdForSweep(c *calls.Call, p api.Path) bool {
	o.withdrawSweep(p)
	s, ok := o.sweeps[p]
	if ok {
		s.held = append(s.held, c)
		o.calls.Hold(c, p)
	}
	return ok
}

// openNode returns the node operation of an Open, with the full path and, for an Open by the handle of a
// directory, that directory.
func (o *Ops) openNode(at At, c *calls.Call, op api.Open) (command.OpenNode, api.Code) {
	deed := command.OpenNode{
		Rights: op.Rights, Create: op.Create,
		Kind: op.Kind, Ephemeral: op.Ephemeral, Contents: op.Contents, Names: op.Names,
	}
	if op.Dir != "" {
		dir, code := o.resolve(at, c.Session, c.Request.Principal, op.Dir, 0)
		if code != api.OK {
			return deed, code
		}
		deed.Dir, deed.Path, deed.Fence = dir.Node, dir.Node.Path, dir.Fence
	}
	if op.Path == "" {
		return deed, api.OK
	}
	path, err := deed.Path.Join(op.Path)
	if err != nil {
		return deed, api.Invalid
	}
	deed.Path = path
	return deed, api.OK
}

// isRead reports whether an Open makes nothing.
func isRead(at At, deed command.OpenNode) bool {
	if deed.Create == api.CreateMay {
		_, _, code := tree.Lookup(at.Rows, deed.Path)
		return code == api.OK
	}
	return deed.Create == api.CreateNever
}

// openNow opens a node without the log. The answer stands in no row, so it is kept: a duplicate that
// comes when the node is gone or was made anew must not make or open another one.
func (o *Ops) openNow(at At, c *calls.Call, op api.Open, deed command.OpenNode) {
	o.count.Read++
	deed.Create, deed.Kind, deed.Ephemeral = api.CreateNever, 0, false
	deed.Contents, deed.Names = "", api.ACLNames{}
	r := command.ReadNode(at.Rows, o.act(c, deed))
	if opened, ok := r.Detail.(api.Opened); ok {
		o.giveHandle(at, c, op, opened, true)
	} else {
		o.tell(c, r)
	}
	o.letKeepOpen(at, c, deed, r)
}

// giveHandle gives out the handle of an Open that was executed. If it was executed now, the rights that
// this duplicate asks for were checked. If it was executed before, a duplicate with the same number may
// have asked for fewer rights, so they are checked when the handle is used (Untested). The handle is given
// out even then: if this master refused the Open because the ACL names have changed, the client would
// believe that it has made no node. If there is no room for the handle, the answer is NoHandle and not
// Crowded, after which the client would send the call again. The Close that makes room may stand behind
// this very call, and the session would stand still.
func (o *Ops) giveHandle(at At, c *calls.Call, op api.Open, opened api.Opened, now bool) {
	if !now && o.holdForSweep(c, opened.Node.Path) {
		return
	}
	if !now && !o.hasRoom(c.Session) {
		o.reply(c, api.Result{Code: api.NoHandle})
		return
	}
	token, h, v := o.handles.Open(handle.Opening{
		Session: c.Session, Seq: c.Seq, Seen: o.calls.Acked(c.Session),
		Node: opened.Node, Kind: opened.Stat.Kind, Ephemeral: opened.Stat.Ephemeral, Rights: op.Rights, Delay: op.Delay, Events: op.Events, Untested: !now,
	})
	if v == handle.Full {
		invariant.Failf("I-B2", "call %d of session %d was to open %v, and no handle was kept free", c.Seq, c.Session, opened.Node)
	}
	if v != handle.Good { // the client has given the call up, and would never close the handle
		o.count.GivenUp++
		o.reply(c, api.Result{Code: api.Stale})
		return
	}
	if !now {
		o.tellMissed(h) // events since the Open was executed
	}
	opened.Token = token
	o.tell(c, api.Result{Code: api.OK, Detail: opened})
}
