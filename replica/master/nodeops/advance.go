package nodeops

import (
	"time"

	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// Advance does what is due by now: it proposes again what the log refused, ends lock-delays and sweeps.
func (o *Ops) Advance(at At) {
	if o.over {
		return
	}
	if owed := o.owed; !owed.at.IsZero() && !at.Now.Before(owed.at) {
		o.owed = proposals{}
		o.turnDue = append(o.turnDue, owed.locks...)
		for _, p := range owed.paths {
			o.doubted.add(p)
		}
		o.failUnpresented()
	}
	o.endDelays(at.Now)
	o.doubtAll(at)
	o.follow(at)
}

// Wake returns when to call Advance at the latest; zero: not before another method has been called.
func (o *Ops) Wake() time.Time {
	if o.over {
		return time.Time{}
	}
	first := o.owed.at
	if len(o.delays.all) > 0 {
		first = instant.Earliest(first, o.delays.all[0].end)
	}
	if !o.swept {
		first = instant.Earliest(first, o.sweepAt)
	}
	return first
}

// proposals holds what the log did not take and Ops proposes again.
type proposals struct {
	at    time.Time  // when to propose it; zero: there is nothing
	locks []api.Ref  // with a waiter whose turn had come
	paths []api.Path // of sweeps
}

// Refused returns a command that the log did not take, with the code for the answer to its call.
func (o *Ops) Refused(at At, c command.Command, code api.Code) {
	if act, ok := c.(command.NodeCommand); ok {
		o.onActRefused(at, act, code)
	}
	if o.over {
		return
	}
	switch c := c.(type) {
	case command.Sweep:
		o.owed.paths = append(o.owed.paths, c.Node.Path)
		o.onSweepOver(at, c.Node)
	case command.DelayOver:
		o.delays.begin(delay{c.Node, c.Freed}, at.Now.Add(o.cfg.Retry))
	case command.FailHandle:
		o.onFailRefused(c)
	}
	o.owe(at)
}

func (o *Ops) owe(at At) {
	if o.owed.at.IsZero() {
		o.owed.at = at.Now.Add(o.cfg.Retry)
	}
}

// onActRefused answers the call of a command that the log did not take. An Acquire with a place in the
// queue waits on instead, unless its handle has got the lock by another call: a handle never waits for
// itself.
func (o *Ops) onActRefused(at At, c command.NodeCommand, code api.Code) {
	w := o.take(c.Session, c.Seq)
	if w == nil {
		return
	}
	if _, holds := lock.HeldBy(at.Rows, ownerOf(w.Handle)); holds && o.calls.Releases(w.Handle.ID) == 0 {
		o.unqueue(w)
	}
	if w.Queued {
		o.queues.Settle(w.Handle.ID, w.Seq, false)
		o.owed.locks = append(o.owed.locks, w.Handle.Node)
		code = o.waitAgain(w)
	}
	o.reply(w, api.Result{Code: code})
	o.onReleaseKept(at, w)
}
