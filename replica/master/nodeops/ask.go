package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Ask takes in one copy of a call, whose Op has been found good in itself (Check),
// of a session that is alive, in this epoch. If it gets no Reply now, it is
// proposed, and gets one when its command was applied.
func (d *Desk) Ask(at At, c Call) {
	d.count.Asked++
	if d.over {
		d.reply(c.Session, c.Seq, api.Result{Code: api.NotMaster})
		return
	}
	d.see(c.Session, c.Seen)
	if !d.known(c) {
		d.serve(at, c)
	}
	d.follow(at)
}

// known answers a copy of a call that is under way, or over, as far as the Desk
// itself knows.
func (d *Desk) known(c Call) bool {
	sh := d.shelf(c.Session)
	if c.Seq <= sh.seen {
		d.reply(c.Session, c.Seq, api.Result{Code: api.Stale})
		return true
	}
	if w, ok := sh.calls[c.Seq]; ok {
		d.count.Merged++
		if w.state == parked {
			d.reply(c.Session, c.Seq, api.Result{Code: api.Parked})
		}
		return true
	}
	r, ok := sh.told[c.Seq]
	if ok {
		d.count.Repeated++
		d.reply(c.Session, c.Seq, r)
	}
	return ok
}

// serve begins a call that is not under way. Closing comes before the answers that
// rows keep: what was closed in an earlier epoch must be closed in this one as well
// (CHU §2.9).
func (d *Desk) serve(at At, c Call) {
	if op, ok := c.Op.(api.CloseHandle); ok {
		d.close(at, c, op)
		return
	}
	if r, ok := rows.GetAnswer(at.Rows, c.Session, c.Seq); ok {
		d.count.Repeated++
		d.answer(at, c, r, false)
		return
	}
	switch op := c.Op.(type) {
	case api.Open:
		d.open(at, c, op)
	case api.Poison:
		d.poison(at, c, op)
	case api.Acquire:
		d.acquire(at, c, op)
	case api.CancelAcquire:
		d.cancel(at, c, op)
	case api.SetSequencer:
		d.setSequencer(at, c, op)
	default:
		d.plain(at, c)
	}
}

// plain is for ops that only read or write their node.
func (d *Desk) plain(at At, c Call) {
	h, code := d.use(at, c, api.HandleOf(c.Op), needs(c.Op))
	if code != api.OK {
		d.refuse(at, c, code)
		return
	}
	deed, code := deedOf(c.Op, h)
	switch {
	case code != api.OK:
		d.refuse(at, c, code)
	case command.ReadsNode(deed) && d.alone(at, c):
		d.count.Read++
		d.reply(c.Session, c.Seq, command.ReadAct(at.Rows, d.act(c, deed)))
	default:
		_, frees := deed.(command.Release)
		d.put(&call{Call: c, handle: h, frees: frees}, deed)
	}
}

// refuse answers a call of which no row has an answer and no command is under way.
// With authority that decides it. Without, this replica may have been deposed, and
// its judgement may be an old one: the refusal goes into the log.
func (d *Desk) refuse(at At, c Call, code api.Code) {
	d.count.Refused++
	switch {
	case code.Execution() == api.Never:
		d.reply(c.Session, c.Seq, api.Result{Code: code})
	case d.alone(at, c):
		d.tell(c, api.Result{Code: code})
	default:
		d.put(&call{Call: c}, command.Fail{Code: code})
	}
}

// answer gives a call the answer that rows keep for it, now or since an earlier
// copy was executed, with what rows do not keep: tokens.
func (d *Desk) answer(at At, c Call, r api.Result, now bool) {
	switch op := c.Op.(type) {
	case api.Open:
		if o, ok := r.Detail.(api.Opened); ok && r.Code == api.OK {
			d.opened(at, c, op, o, now)
			return
		}
	case api.SetSequencer:
		if r.Code == api.OK {
			d.attach(at, c, op)
			return
		}
	case api.Acquire:
		if h, ok := r.Detail.(api.Held); ok && api.Number(h.Acquisition) <= d.began {
			d.heldBefore(at, c, op, r, h, now)
			return
		}
	}
	d.reply(c.Session, c.Seq, r)
}
