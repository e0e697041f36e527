package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Ask takes in one duplicate of a call. The caller has checked its Op (Check), that its session is
// alive and belongs to r.Principal, and that it names this epoch. If the call gets no Reply now, it is
// under way and gets one later.
func (o *Ops) Ask(at At, r calls.Request, to calls.Destination) {
	o.count.Asked++
	c := o.calls.Await(calls.Key{Session: r.Session, Seq: r.Seq}, to)
	if o.over {
		o.reply(c, api.Result{Code: api.NotMaster})
		return
	}
	o.ack(r.Session, r.Seen)
	if !o.answerKnown(c) {
		c.Request = r
		if r.MayCache {
			o.fresh = c
		}
		o.serve(at, c)
		o.fresh = nil
	}
	o.follow(at)
}

// answerKnown handles a duplicate of a call that the table of calls knows as under way or over, and
// reports whether it was one.
func (o *Ops) answerKnown(c *calls.Call) bool {
	switch {
	case c.Seq <= o.calls.Acked(c.Session):
		o.reply(c, api.Result{Code: api.Stale})
		return true
	case c.State != calls.Undecided:
		o.count.Merged++
		if c.State == calls.Parked {
			o.reply(c, api.Result{Code: api.Parked})
		}
		return true
	}
	r, ok := o.calls.Kept(c.Key)
	if ok {
		o.count.Repeated++
		o.reply(c, r)
	}
	return ok
}

// serve begins a call that is not under way. A CloseHandle is served before stored answers are looked
// up: a handle that was closed in an earlier epoch must be closed in this one as well (CHU §2.9).
func (o *Ops) serve(at At, c *calls.Call) {
	if op, ok := c.Request.Op.(api.CloseHandle); ok {
		o.close(at, c, op)
		return
	}
	if r, ok := rows.GetAnswer(at.Rows, c.Session, c.Seq); ok {
		o.repeat(at, c, r)
		return
	}
	switch op := c.Request.Op.(type) {
	case api.Open:
		o.open(at, c, op)
	case api.Poison:
		o.poison(at, c, op)
	case api.Acquire:
		o.acquire(at, c, op)
	case api.CancelAcquire:
		o.cancel(at, c, op)
	case api.Release:
		o.release(at, c, op)
	case api.SetSequencer:
		o.setSequencer(at, c, op)
	default:
		o.serveNode(at, c)
	}
}

// repeat gives a call the answer that an earlier duplicate has in a row. If that is the grant of a node that
// is being deleted, it is handled as at its first execution: the client may not have been told of it then,
// since the log did not take the Acquire a second time.
func (o *Ops) repeat(at At, c *calls.Call, r api.Result) {
	o.count.Repeated++
	if op, acquires := c.Request.Op.(api.Acquire); acquires {
		if h, v := o.handles.Use(c.Session, op.Handle); v == handle.Good || v == handle.Poisoned {
			c.Attempt = calls.Attempt{Handle: h}
			if o.isGrantOfGoneNode(at, c, r) {
				return
			}
		}
	}
	o.answer(at, c, r, false)
}

// serveNode serves the ops that read or change the node of their handle and nothing else.
func (o *Ops) serveNode(at At, c *calls.Call) {
	h, code := o.resolve(at, c.Session, c.Request.Principal, api.HandleOf(c.Request.Op), requiredRights(c.Request.Op))
	if code != api.OK {
		o.refuse(at, c, code)
		return
	}
	deed, code := deedOf(c.Request.Op, h)
	switch {
	case code != api.OK:
		o.refuse(at, c, code)
	case command.IsNodeRead(deed) && o.canAnswerNow(at, c):
		o.count.Read++
		r := command.ReadNode(at.Rows, o.act(c, deed))
		o.reply(c, r)
		if h.Fence == (api.Sequencer{}) {
			o.letKeepRead(at, c, deed, r)
		}
	default:
		o.putChange(at, c, calls.Attempt{Handle: h}, deed)
	}
}

// refuse refuses a call that has no answer in a row and no command under way. With authority the
// refusal is answered at once. Without it, this replica may have been deposed and may judge by old
// rows, so the refusal goes into the log.
func (o *Ops) refuse(at At, c *calls.Call, code api.Code) {
	o.count.Refused++
	switch {
	case code.Execution() == api.Never:
		o.reply(c, api.Result{Code: code})
	case o.canAnswerNow(at, c):
		o.tell(c, api.Result{Code: code})
	default:
		o.put(c, calls.Attempt{}, command.Fail{Code: code})
	}
}

// answer gives a call the answer that a row has for it, and adds a token, which rows do not keep. now
// says that the command of this call was just executed; otherwise an earlier duplicate was.
func (o *Ops) answer(at At, c *calls.Call, r api.Result, now bool) {
	switch op := c.Request.Op.(type) {
	case api.Open:
		if opened, ok := r.Detail.(api.Opened); ok && r.Code == api.OK {
			o.giveHandle(at, c, op, opened, now)
			return
		}
	case api.SetSequencer:
		if r.Code == api.OK {
			o.attach(at, c, op)
			return
		}
	case api.Acquire:
		if h, ok := r.Detail.(api.Held); ok && api.Number(h.Acquisition) <= o.began {
			o.answerEarlierGrant(at, c, op, r, h, now)
			return
		}
	}
	o.reply(c, r)
}
