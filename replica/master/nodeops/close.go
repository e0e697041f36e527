package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// close ends a handle, whatever state it is in, and what hangs on it: the Acquire
// that waits, the lock that it holds or is about to hold, the ephemeral node that
// no other handle has open. From here on no duplicate of any call uses it. Its lock is freed
// by a command, behind the Acquires that are proposed.
func (o *Ops) close(at At, c *calls.Call, op api.CloseHandle) {
	closing, v := o.handles.Close(c.Session, op.Handle)
	h := closing.Handle
	if v != handle.Good && v != handle.Closed {
		o.refuse(at, c, codeOf(v))
		return
	}
	o.leave(at, h.ID, api.HandleClosed)
	o.rejudgeOf(at, c.Session, h.ID)
	o.onClosed(closing)
	_, holds := lock.HeldBy(at.Rows, ownerOf(h))
	if !holds && o.calls.Acquires(h.ID) == 0 && o.canAnswerNow(at, c) {
		o.reply(c, api.Result{Code: api.OK})
		return
	}
	o.put(c, calls.Attempt{}, command.CloseHandle{Node: h.Node, Handle: h.ID})
}

// onClosed looks after the ephemeral node of a handle that was closed.
func (o *Ops) onClosed(c handle.Closing) {
	if c.Last {
		o.doubted.add(c.Handle.Node.Path)
	}
}

// poison makes a handle useless: what waits on it fails, what comes later fails.
// This is memory of the master alone, and a deposed one has none that counts; so
// nothing needs to be asked of the log.
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
