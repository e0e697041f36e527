package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/lockwait"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Applied tells what became of the next command of the log, above the one that
// began the epoch, whoever proposed it; the rows have it, and perhaps some that
// follow it.
func (d *Desk) Applied(at At, a command.Applied) {
	if d.over {
		d.settle(at, a)
		return
	}
	for _, e := range a.Effects {
		d.effect(at, e)
	}
	d.settle(at, a)
	d.follow(at)
}

// follow does what other things have made possible.
func (d *Desk) follow(at At) {
	d.turns(at)
	d.sweepDoubted(at)
}

func (d *Desk) effect(at At, e command.Effect) {
	switch e := e.(type) {
	case command.EpochBegan:
		if e.Epoch.Number != d.epoch {
			d.end()
		}
	case command.SessionEnded:
		d.sessionEnded(e.Session)
	case command.TreeChanged:
		d.treeChanged(at, e.Effect)
	case command.LockChanged:
		d.lockChanged(at, e.Effect)
	}
}

func (d *Desk) treeChanged(at At, e tree.Effect) {
	switch e := e.(type) {
	case tree.Deleted:
		for _, w := range d.queues.Forget(e.Node) {
			d.left(at, w, api.Gone)
		}
	case tree.ChildChanged:
		if e.Change == tree.ChildDeleted {
			d.doubted.add(e.Directory.Path)
		}
	}
}

func (d *Desk) lockChanged(at At, e lock.Effect) {
	switch e := e.(type) {
	case lock.Granted:
		d.granted(e.Owner)
	case lock.DelayBegan:
		d.delays.begin(delay{e.Lock, e.Freed}, at.Now.Add(e.Delay.Duration()))
	case lock.DelayEnded:
		d.delays.ended(delay{e.Lock, e.Freed})
	case lock.Claimable:
		d.stir(e.Lock)
	}
}

// settle looks for what the Desk has proposed.
func (d *Desk) settle(at At, a command.Applied) {
	switch c := a.Command.(type) {
	case command.Act:
		if c.Guard == d.epoch {
			d.acted(at, c, a)
		}
	case command.Sweep:
		if c.Guard == d.epoch {
			d.sweepOver(at, c.Node)
		}
	case command.FailHandle:
		if c.Guard == d.epoch {
			delete(d.failing, lock.Owner{Session: c.Session, Handle: c.Handle})
		}
	}
}

func (d *Desk) acted(at At, c command.Act, a command.Applied) {
	w := d.take(c.Session, c.Seq)
	if w == nil {
		return
	}
	deed, trial := c.Deed.(command.Acquire)
	again := trial && deed.Wait && a.Verdict == command.Refused && (a.Result.Code == api.LockHeld || a.Result.Code == api.LockDelayed)
	d.tried(at, w, !again)
	if again {
		return
	}
	d.answer(at, w.Call, a.Result, a.Verdict == command.Executed)
	d.kept(at, w)
	if cancel, ok := c.Deed.(command.CancelAcquire); ok && a.Result.Code == api.OK {
		d.cancelled(c.Session, cancel.Call)
	}
}

// end is told when another epoch has begun. What is proposed is refused from there
// on, or was executed before; where that is found the log tells. Everything else
// is forgotten.
func (d *Desk) end() {
	for _, s := range d.sessions() {
		for _, w := range d.shelves[s].pending() {
			w.queued = false
			if w.state != proposed {
				d.drop(w)
				d.reply(s, w.Seq, api.Result{Code: api.NotMaster})
			}
		}
	}
	d.over = true
	d.queues, d.doubted, d.delays, d.sweeps = lockwait.New(d.cfg.Queues), newDoubts(), delays{}, nil
	d.stirred, d.failing, d.owed = nil, nil, owed{}
}
