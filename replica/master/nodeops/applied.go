package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/event"
	"github.com/chubbycell/chubby/replica/master/lockwait"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Applied tells Ops the outcome of the next command of the log, whichever replica proposed it. The
// first one follows the command that began the epoch. The rows in at already have all commands of its
// slot, including later ones.
func (o *Ops) Applied(at At, a command.Applied) {
	if o.over {
		o.settle(at, a)
		return
	}
	o.applied = a.Number
	for _, e := range a.Effects {
		o.onEffect(at, e)
	}
	o.settle(at, a)
	o.follow(at)
}

// follow does what an input has made possible: changes pass the barrier, waiters are attempted, nodes
// are swept.
func (o *Ops) follow(at At) {
	o.lift(at)
	o.proposeNext(at)
	o.sweepDoubted(at)
}

func (o *Ops) onEffect(at At, e command.Effect) {
	switch e := e.(type) {
	case command.EpochBegan:
		if e.Epoch.Number != o.epoch {
			o.end()
		}
	case command.SessionEnded:
		o.onSessionEnded(e.Session)
	case command.TreeChanged:
		o.onTreeChanged(at, e.Effect)
	case command.LockChanged:
		o.onLockChanged(at, e.Effect)
	}
}

func (o *Ops) onTreeChanged(at At, e tree.Effect) {
	o.tellTreeChange(e)
	switch e := e.(type) {
	case tree.Deleted:
		for _, w := range o.queues.Forget(e.Node) {
			o.onWaiterLeft(at, w, api.Gone)
		}
	case tree.ChildChanged:
		if e.Change == tree.ChildDeleted {
			o.doubted.add(e.Directory.Path)
		}
	}
}

func (o *Ops) onLockChanged(at At, e lock.Effect) {
	switch e := e.(type) {
	case lock.Granted:
		o.onGranted(e.Owner)
		o.tellNewHolder(e)
	case lock.DelayBegan:
		o.delays.begin(delay{e.Lock, e.Freed}, at.Now.Add(e.Delay.Duration()))
	case lock.DelayEnded:
		o.delays.ended(delay{e.Lock, e.Freed})
		o.doubted.add(e.Lock.Path) // an ephemeral node may have stayed for it
	case lock.Claimable:
		o.noteTurn(e.Lock)
	}
}

// settle takes in the outcome of a command that this Ops proposed.
func (o *Ops) settle(at At, a command.Applied) {
	switch c := a.Command.(type) {
	case command.NodeCommand:
		if c.Guard == o.epoch {
			o.onActApplied(at, c, a)
		}
	case command.Sweep:
		if c.Guard == o.epoch {
			o.onSweepOver(at, c.Node)
		}
	case command.FailHandle:
		if c.Guard == o.epoch {
			delete(o.failing, lock.Owner{Session: c.Session, Handle: c.Handle})
		}
	}
}

func (o *Ops) onActApplied(at At, c command.NodeCommand, a command.Applied) {
	w := o.take(c.Session, c.Seq)
	if w == nil {
		return
	}
	deed, trial := c.Op.(command.Acquire)
	again := trial && deed.Wait && a.Verdict == command.Refused && (a.Result.Code == api.LockHeld || a.Result.Code == api.LockDelayed)
	if trial && a.Result.Code == api.LockHeld {
		o.tellWanted(at, deed.Node, deed.Handle, deed.Mode)
	}
	o.settleAttempt(at, w, !again)
	if again || trial && o.isGrantOfGoneNode(at, w, a.Result) {
		return
	}
	o.answer(at, w, a.Result, a.Verdict == command.Executed)
	o.onReleaseKept(at, w)
	if cancel, ok := c.Op.(command.CancelAcquire); ok && a.Result.Code == api.OK {
		o.onCancelled(c.Session, cancel.Call)
	}
}

// end forgets everything, because another epoch has begun, except for calls that are proposed. The log
// will tell their outcome: their commands were executed before the new epoch or are refused after it.
func (o *Ops) end() {
	for _, s := range o.calls.Sessions() {
		for _, w := range o.calls.OnNodes(s) {
			w.Queued = false
			if w.State != calls.Proposed {
				o.drop(w)
				o.reply(w, api.Result{Code: api.NotMaster})
			}
		}
	}
	o.over = true
	o.queues, o.doubted, o.delays, o.sweeps = lockwait.New(o.cfg.Queues), newDoubts(), delays{}, nil
	o.events, o.barrier = event.New(o.cfg.Events), newBarrier(o.cfg.Caches)
	o.turnDue, o.failing, o.owed = nil, nil, proposals{}
	clear(o.presented)
}
