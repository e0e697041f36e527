package nodeops

import (
	"time"

	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// Advance tells that time has passed.
func (d *Desk) Advance(at At) {
	if d.over {
		return
	}
	if o := d.owed; !o.at.IsZero() && !at.Now.Before(o.at) {
		d.owed = owed{}
		d.stirred = append(d.stirred, o.locks...)
		for _, p := range o.paths {
			d.doubted.add(p)
		}
		d.failUnpresented()
	}
	d.endDelays(at.Now)
	d.lookAround(at)
	d.follow(at)
}

// Wake is when Advance has something to do; zero: when something else has happened.
func (d *Desk) Wake() time.Time {
	if d.over {
		return time.Time{}
	}
	first := d.owed.at
	if len(d.delays.all) > 0 {
		first = instant.Earliest(first, d.delays.all[0].end)
	}
	if !d.swept {
		first = instant.Earliest(first, d.sweepAt)
	}
	return first
}

// owed is what the log did not take, to be proposed again.
type owed struct {
	at    time.Time // zero: nothing
	locks []api.Ref // at which somebody's turn had come
	paths []api.Path
}

// Refused gives back a command that the log did not take, with the code with which
// to answer a call.
func (d *Desk) Refused(at At, c command.Command, code api.Code) {
	if act, ok := c.(command.Act); ok {
		d.unproposed(at, act, code)
	}
	if d.over {
		return
	}
	switch c := c.(type) {
	case command.Sweep:
		d.owed.paths = append(d.owed.paths, c.Node.Path)
		d.sweepOver(at, c.Node)
	case command.DelayOver:
		d.delays.begin(delay{c.Node, c.Freed}, at.Now.Add(d.cfg.Retry))
	case command.FailHandle:
		d.refusedFail(c)
	}
	d.owe(at)
}

func (d *Desk) owe(at At) {
	if d.owed.at.IsZero() {
		d.owed.at = at.Now.Add(d.cfg.Retry)
	}
}

// unproposed answers the call, unless it has a place in the queue, which it keeps;
// but not if its handle has got the lock by another call: nobody waits for himself.
func (d *Desk) unproposed(at At, c command.Act, code api.Code) {
	w := d.take(c.Session, c.Seq)
	if w == nil {
		return
	}
	if _, holds := lock.HeldBy(at.Rows, ownerOf(w.handle)); holds && d.releases[w.handle.ID] == 0 {
		d.unqueue(w)
	}
	if w.queued {
		d.queues.Settle(w.handle.ID, w.Seq, false)
		d.owed.locks = append(d.owed.locks, w.handle.Node)
		code = d.back(w)
	}
	d.reply(w.Session, w.Seq, api.Result{Code: code})
	d.kept(at, w)
}
