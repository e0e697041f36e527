package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Ask takes in one copy of a call, whose Op has been found good in itself (Check),
// of a session that is alive, in this epoch. If it gets no Reply now, it is
// proposed, and gets one when its command was applied.
func (o *Ops) Ask(at At, c Call) {
	o.count.Asked++
	if o.over {
		o.reply(c.Session, c.Seq, api.Result{Code: api.NotMaster})
		return
	}
	o.see(c.Session, c.Seen)
	if !o.known(c) {
		o.serve(at, c)
	}
	o.follow(at)
}

// known answers a copy of a call that is under way, or over, as far as the Ops
// itself knows.
func (o *Ops) known(c Call) bool {
	sh := o.shelf(c.Session)
	if c.Seq <= sh.seen {
		o.reply(c.Session, c.Seq, api.Result{Code: api.Stale})
		return true
	}
	if w, ok := sh.calls[c.Seq]; ok {
		o.count.Merged++
		if w.state == parked {
			o.reply(c.Session, c.Seq, api.Result{Code: api.Parked})
		}
		return true
	}
	r, ok := sh.told[c.Seq]
	if ok {
		o.count.Repeated++
		o.reply(c.Session, c.Seq, r)
	}
	return ok
}

// serve begins a call that is not under way. Closing comes before the answers that
// rows keep: what was closed in an earlier epoch must be closed in this one as well
// (CHU §2.9).
func (o *Ops) serve(at At, c Call) {
	if op, ok := c.Op.(api.CloseHandle); ok {
		o.close(at, c, op)
		return
	}
	if r, ok := rows.GetAnswer(at.Rows, c.Session, c.Seq); ok {
		o.count.Repeated++
		o.answer(at, c, r, false)
		return
	}
	switch op := c.Op.(type) {
	case api.Open:
		o.open(at, c, op)
	case api.Poison:
		o.poison(at, c, op)
	case api.Acquire:
		o.acquire(at, c, op)
	case api.CancelAcquire:
		o.cancel(at, c, op)
	case api.SetSequencer:
		o.setSequencer(at, c, op)
	default:
		o.plain(at, c)
	}
}

// plain is for ops that only read or write their node.
func (o *Ops) plain(at At, c Call) {
	h, code := o.use(at, c, api.HandleOf(c.Op), needs(c.Op))
	if code != api.OK {
		o.refuse(at, c, code)
		return
	}
	deed, code := deedOf(c.Op, h)
	switch {
	case code != api.OK:
		o.refuse(at, c, code)
	case command.ReadsNode(deed) && o.alone(at, c):
		o.count.Read++
		o.reply(c.Session, c.Seq, command.ReadAct(at.Rows, o.act(c, deed)))
	default:
		_, frees := deed.(command.Release)
		o.put(&call{Call: c, handle: h, frees: frees}, deed)
	}
}

// refuse answers a call of which no row has an answer and no command is under way.
// With authority that decides it. Without, this replica may have been deposed, and
// its judgement may be an old one: the refusal goes into the log.
func (o *Ops) refuse(at At, c Call, code api.Code) {
	o.count.Refused++
	switch {
	case code.Execution() == api.Never:
		o.reply(c.Session, c.Seq, api.Result{Code: code})
	case o.alone(at, c):
		o.tell(c, api.Result{Code: code})
	default:
		o.put(&call{Call: c}, command.Fail{Code: code})
	}
}

// answer gives a call the answer that rows keep for it, now or since an earlier
// copy was executed, with what rows do not keep: tokens.
func (o *Ops) answer(at At, c Call, r api.Result, now bool) {
	switch op := c.Op.(type) {
	case api.Open:
		if opened, ok := r.Detail.(api.Opened); ok && r.Code == api.OK {
			o.opened(at, c, op, opened, now)
			return
		}
	case api.SetSequencer:
		if r.Code == api.OK {
			o.attach(at, c, op)
			return
		}
	case api.Acquire:
		if h, ok := r.Detail.(api.Held); ok && api.Number(h.Acquisition) <= o.began {
			o.heldBefore(at, c, op, r, h, now)
			return
		}
	}
	o.reply(c.Session, c.Seq, r)
}
