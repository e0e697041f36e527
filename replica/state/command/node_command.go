package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// applyNodeCommand is call for a NodeCommand.
func (a *applier) applyNodeCommand(c NodeCommand) {
	if !a.isFresh(c.Session, c.Seq) || !a.hasPresentGuard(c.Guard) {
		return
	}
	mark := a.tx.Mark()
	rows.RaiseAckedThrough(a.tx, c.Session, c.AckedThrough)
	result, effects := a.performNodeOp(c)
	if shouldWait(c.Op, result.Code) {
		a.tx.RollbackTo(mark)
		a.refuse(result.Code)
		return
	}
	rows.PutAnswer(a.tx, c.Session, c.Seq, result)
	a.execute(result, effects...)
}

// shouldWait reports whether code is not an answer yet, because the master will attempt the Acquire
// again.
func shouldWait(d NodeOp, code api.Code) bool {
	acquire, ok := d.(Acquire)
	return ok && acquire.Wait && (code == api.LockHeld || code == api.LockDelayed)
}

// performNodeOp executes the operation, unless its fence is not valid.
func (a *applier) performNodeOp(c NodeCommand) (api.Result, []Effect) {
	who := principalOf(a.tx, c.Session)
	if result, ok := readNodeOp(a.tx, c, who); ok {
		return result, nil
	}
	switch d := c.Op.(type) {
	case OpenNode:
		return a.openNode(d, who)
	case SetContents:
		return statResult(tree.SetContents(a.tx, a.Number, d.Node, d.Contents, d.When))
	case SetACL:
		return statResult(tree.SetACL(a.tx, a.Number, d.Node, d.Names, d.When))
	case DeleteNode:
		out, effects := a.remove(d.Node)
		return api.Result{Code: out}, effects
	case Acquire:
		return a.acquire(c, d)
	case Release:
		code, effects := lock.Release(a.tx, d.Node, c.owner(d.Handle), d.Acquisition)
		return api.Result{Code: code}, lockEffects(effects)
	case CancelAcquire:
		return a.cancel(c, d)
	case CloseHandle:
		return a.closeHandle(c, d)
	}
	return api.Result{Code: api.Invalid}, nil
}

func principalOf(r rows.Reader, id api.SessionID) api.Principal {
	s, _ := rows.GetSession(r, id)
	return s.Principal
}

// statResult is the answer to a write: with the present metadata, if the node is there and
// the code is OK or Conflict.
func statResult(out tree.Outcome) (api.Result, []Effect) {
	r := api.Result{Code: out.Code}
	if out.Code == api.OK || out.Code == api.Conflict {
		r.Detail = api.NodeStat{Stat: out.Stat}
	}
	return r, treeEffects(out.Effects)
}

// remove deletes a node, and its lock with it.
func (a *applier) remove(n api.Ref) (api.Code, []Effect) {
	out := tree.Delete(a.tx, a.Number, n)
	if out.Code != api.OK {
		return out.Code, nil
	}
	return api.OK, append(treeEffects(out.Effects), lockEffects(lock.Forget(a.tx, n))...)
}

func (a *applier) acquire(c NodeCommand, d Acquire) (api.Result, []Effect) {
	if _, code := tree.Stat(a.tx, d.Node); code != api.OK {
		return api.Result{Code: code}, nil
	}
	claim := lock.Claim{Lock: d.Node, Owner: c.owner(d.Handle), Mode: d.Mode, Delay: d.Delay}
	grant, effects := lock.Acquire(a.tx, a.Number, claim)
	if grant.Code != api.OK {
		return api.Result{Code: grant.Code}, nil
	}
	var taken []tree.Effect
	if grant.Gen == api.LockGen(a.Number) { // it was free
		taken = tree.BumpLock(a.tx, a.Number, d.Node).Effects
	}
	held := api.Held{Gen: grant.Gen, Acquisition: grant.Acquisition}
	return api.Result{Code: api.OK, Detail: held}, append(treeEffects(taken), lockEffects(effects)...)
}

// cancel is executed after its own AckedThrough was raised, which is below Call.
func (a *applier) cancel(c NodeCommand, d CancelAcquire) (api.Result, []Effect) {
	if s, _ := rows.GetSession(a.tx, c.Session); d.Call <= s.AckedThrough {
		return api.Result{Code: api.Invalid}, nil
	}
	answer, ok := rows.GetAnswer(a.tx, c.Session, d.Call)
	if !ok {
		rows.PutAnswer(a.tx, c.Session, d.Call, api.Result{Code: api.Cancelled})
		return api.Result{Code: api.OK}, nil
	}
	var freed []lock.Effect
	if held, ok := answer.Detail.(api.Held); ok {
		_, freed = lock.Release(a.tx, d.Node, c.owner(d.Handle), held.Acquisition)
	}
	return api.Result{Code: api.OK}, lockEffects(freed)
}

// closeHandle frees the lock only if it is that of the node: a handle is bound to one node.
func (a *applier) closeHandle(c NodeCommand, d CloseHandle) (api.Result, []Effect) {
	owner := c.owner(d.Handle)
	if n, holds := lock.HeldBy(a.tx, owner); !holds || n != d.Node {
		return api.Result{Code: api.OK}, nil
	}
	return api.Result{Code: api.OK}, lockEffects(lock.ReleaseHandle(a.tx, owner))
}
