package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// close closes a handle, whatever state it is in, and ends what depends on it: an Acquire that waits,
// a lock that it holds or is about to get, and an ephemeral node that no other handle has open. From
// now on no duplicate of any call can use the handle. A command frees its lock; that command stands in
// the log behind the Acquires that are proposed.
func (o *Ops) close(at At, c *calls.Call, op api.CloseHandle) {
	closing, v := o.handles.Close(c.Session, op.Handle)
	h := closing.Handle
	if v != handle.Good && v != handle.Closed {
		o.refuse(at, c, codeOf(v))
		return
	}
	o.leave(at, h.ID, api.HandleClosed)
	o.rejudgeOf(at, c.Session, h.ID)
	if !o.handles.IsWatching(c.Session, h.Node) {
		o.events.Forget(c.Session, h.Node)
	}
	o.onClosed(closing)
	_, holds := lock.HeldBy(at.Rows, ownerOf(h))
	if !holds && o.calls.Acquires(h.ID) == 0 && o.canAnswerNow(at, c) {
		o.reply(c, api.Result{Code: api.OK})
		return
	}
	o.put(c, calls.Attempt{}, command.CloseHandle{Node: h.Node, Handle: h.ID})
}

// onClosed doubts the ephemeral node of a closed handle if no other handle has it open.
func (o *Ops) onClosed(c handle.Closing) {
	if c.Last {
		o.doubted.add(c.Handle.Node.Path)
	}
}

// poison makes a handle useless: calls that wait on it fail, and later ones too. Only the master's
// memory changes, and that of a deposed master does not count, so no command is needed.
func (o *Ops) poison(at At, c *calls.Call, op api.Poison) {
	h, code := o.resolve(at, c.Session, c.Request.Principal, op.Handle, 0)
	switch code {
	case api.OK:
		o.handles.Poison(c.Session, op.Handle)
		o.leave(at, h.ID, api.HandlePoisoned)
		o.rejudgeOf(at, c.Session, h.ID)
		o.tell(c, api.Result{Code: api.OK})
	case api.HandlePoisoned:
		o.tell(c, api.Result{Code: api.OK})
	default:
		o.refuse(at, c, code)
	}
}
