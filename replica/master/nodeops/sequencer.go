package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// setSequencer begins a SetSequencer. The sequencer must be valid, which only the present rows can
// tell: without authority a CheckSequencer goes into the log.
func (o *Ops) setSequencer(at At, c *calls.Call, op api.SetSequencer) {
	h, code := o.resolve(at, c.Session, c.Request.Principal, op.Handle, 0)
	q, err := api.ParseSequencer(op.Sequencer)
	switch {
	case code != api.OK:
		o.refuse(at, c, code)
	case err != nil:
		o.refuse(at, c, api.Invalid)
	case !o.canAnswerNow(at, c):
		o.put(c, calls.Attempt{}, command.CheckSequencer{Node: q.Node, Sequencer: q, Fence: h.Fence})
	case !isFenceValid(at, h.Fence) || lock.CheckSequencer(at.Rows, q) != lock.Valid:
		o.refuse(at, c, api.StaleSequencer)
	default:
		o.attach(at, c, op)
	}
}

func isFenceValid(at At, fence api.Sequencer) bool {
	return fence == api.Sequencer{} || lock.CheckSequencer(at.Rows, fence) == lock.Valid
}

// attach ties the handle to a sequencer that was found valid. The handle may
// have been closed since.
func (o *Ops) attach(at At, c *calls.Call, op api.SetSequencer) {
	_, code := o.resolve(at, c.Session, c.Request.Principal, op.Handle, 0)
	q, err := api.ParseSequencer(op.Sequencer)
	if err != nil {
		code = api.Invalid
	}
	if code != api.OK {
		o.tell(c, api.Result{Code: code})
		return
	}
	token, v := o.handles.Attach(c.Session, op.Handle, q)
	if v != handle.Good {
		o.tell(c, api.Result{Code: codeOf(v)})
		return
	}
	o.tell(c, api.Result{Code: api.OK, Detail: api.Opened{Token: token}})
}
