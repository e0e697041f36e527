package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// upkeep applies a command that the master proposes for itself. No client waits for its
// result. The guard is tested first, so that decisions of a deposed master by its clock have no
// effect (P5.01).
func (a *applier) upkeep(c Command) {
	switch c := c.(type) {
	case Found:
		a.found(c)
	case Expire:
		a.expire(c)
	case FailHandle:
		a.failHandle(c)
	case DelayOver:
		a.delayOver(c)
	case Sweep:
		a.sweep(c)
	case LongestLease:
		if a.hasPresentGuard(c.Guard) {
			rows.SetLongestLease(a.tx, c.Lease)
			a.execute(api.Result{Code: api.OK})
		}
	case Backup:
		a.backup(c)
	case SetLimits:
		a.setLimits(c)
	case ConfirmLeadership:
		if a.hasPresentGuard(c.Guard) {
			a.execute(api.Result{Code: api.OK})
		}
	}
}

func (a *applier) found(c Found) {
	if !a.hasPresentGuard(c.Guard) {
		return
	}
	out := tree.Make(a.tx, a.Number, c.Founding)
	if out.Code != api.OK {
		a.refuse(out.Code)
		return
	}
	rows.SetSecret(a.tx, c.Secret)
	a.execute(api.Result{Code: api.OK}, treeEffects(out.Effects)...)
}

// expire reports the session's end first, so that the master drops the session's waiting
// Acquires before it is told that their locks are claimable.
func (a *applier) expire(c Expire) {
	if !a.hasPresentGuard(c.Guard) {
		return
	}
	if _, alive := rows.GetSession(a.tx, c.Session); !alive {
		a.refuse(api.NoSession)
		return
	}
	freed := lock.FailSession(a.tx, a.Number, c.Session)
	rows.EndSession(a.tx, c.Session)
	a.execute(api.Result{Code: api.OK}, SessionEnded{Session: c.Session, Expired: true})
	a.addEffects(lockEffects(freed)...)
}

func (a *applier) failHandle(c FailHandle) {
	if !a.hasPresentGuard(c.Guard) {
		return
	}
	if _, alive := rows.GetSession(a.tx, c.Session); !alive {
		a.refuse(api.NoSession)
		return
	}
	if _, holds := lock.HeldBy(a.tx, c.owner()); !holds {
		a.refuse(api.NotHeld)
		return
	}
	a.execute(api.Result{Code: api.OK}, lockEffects(lock.FailHandle(a.tx, a.Number, c.owner()))...)
}

func (a *applier) delayOver(c DelayOver) {
	if !a.hasPresentGuard(c.Guard) {
		return
	}
	ended, effects := lock.EndDelay(a.tx, c.Node, c.Freed)
	if !ended {
		a.refuse(api.NotFound)
		return
	}
	a.execute(api.Result{Code: api.OK}, lockEffects(effects)...)
}

func (a *applier) backup(c Backup) {
	switch {
	case !a.hasPresentGuard(c.Guard):
	case rows.SetBackup(a.tx, c.Done):
		a.execute(api.Result{Code: api.OK})
	default:
		a.refuse(api.Conflict)
	}
}

func (a *applier) setLimits(c SetLimits) {
	if !a.hasPresentGuard(c.Guard) {
		return
	}
	if _, founded := rows.GetSecret(a.tx); !founded {
		a.refuse(api.NotFound)
		return
	}
	tree.SetLimits(a.tx, c.Nodes.Or(tree.GetLimits(a.tx)))
	if c.Sessions != 0 {
		rows.SetMaxSessions(a.tx, c.Sessions)
	}
	a.execute(api.Result{Code: api.OK})
}

func (a *applier) sweep(c Sweep) {
	if !a.hasPresentGuard(c.Guard) {
		return
	}
	stat, code := tree.Stat(a.tx, c.Node)
	if code == api.OK && !stat.Ephemeral {
		code = api.Invalid
	}
	var effects []Effect
	if code == api.OK {
		code, effects = a.remove(c.Node)
	}
	if code != api.OK {
		a.refuse(code)
		return
	}
	a.execute(api.Result{Code: api.OK}, effects...)
}
