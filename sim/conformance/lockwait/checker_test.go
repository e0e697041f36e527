package lockwait

import (
	"slices"
	"testing"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// waiters is a Checker in epoch 3, and handles 1, 2, 3 of sessions 1, 2, 3.
type waiters struct {
	worldtest.World
	b *Checker
	byLog
}

// byLog is what the log says of the lock: its holders, the modes that conflict with them,
// whether a lock-delay runs, and in which slot it last changed.
type byLog struct {
	own   func(api.HandleID) bool
	other func(api.Mode) bool
	has   []api.Mode // modes of sessions 8, 9, ..., whose handles are the only holders
	delay bool
	moved paxos.Slot
	lost  paxos.Slot // in which session 3's handle ceased to hold it; 0: it never did
}

// HeldBy implements Locks for these holders.
func (l *byLog) HeldBy(_ api.Ref, h api.HandleID) (own bool, conflicts func(api.Mode) bool) {
	if l.has != nil {
		for i := range l.has {
			own = own || h == gripOn(api.SessionID(8+i)).ID
		}
		return own, func(m api.Mode) bool {
			return slices.ContainsFunc(l.others(h), func(x api.Mode) bool { return x.HasConflict(m) })
		}
	}
	if conflicts = l.other; conflicts == nil {
		conflicts = func(api.Mode) bool { return false }
	}
	return l.own != nil && l.own(h), conflicts
}

// others returns the modes in which other handles than this one hold it.
func (l *byLog) others(h api.HandleID) (modes []api.Mode) {
	for i, m := range l.has {
		if h != gripOn(api.SessionID(8+i)).ID {
			modes = append(modes, m)
		}
	}
	return modes
}

// HasDelay reports whether its lock-delay runs.
func (l *byLog) About(api.Ref) string { return "as the log says" }

func (l *byLog) HasDelay(n api.Ref) bool { return l.delay && n == lockNode }

// MovedIn returns the slot in which it last changed.
func (l *byLog) MovedIn(n api.Ref) (paxos.Slot, bool) { return l.moved, l.moved > 0 && n == lockNode }

// LostIn returns the slot in which the handle of session 3 ceased to hold it.
func (l *byLog) LostIn(h api.HandleID) (paxos.Slot, bool) {
	return l.lost, l.lost > 0 && h == gripOn(3).ID
}

func newWaiters(t *testing.T) *waiters {
	w := &waiters{World: worldtest.New(t)}
	w.b = New(w.World.World, &w.byLog)
	return w
}

var lockNode = api.Ref{Path: worldtest.Path("/f"), Instance: 9}

func gripOn(s api.SessionID) *model.Grip {
	return &model.Grip{ID: api.HandleID{Epoch: 3, Counter: uint64(s)}, Session: s, Node: lockNode}
}

func (w *waiters) asks(s api.SessionID, m api.Mode) {
	w.b.OnRequest(api.Request{Session: s, Seq: 5, Epoch: 3, Op: api.Acquire{Handle: "x", Mode: m, Wait: true}}, gripOn(s), true)
}

func (w *waiters) told(s api.SessionID, c api.Code) {
	w.b.OnActed(1, 1, []api.Reply{{Session: s, Seq: 5, Epoch: 3, Result: api.Result{Code: c}}}, nil)
}

func trial(s api.SessionID, m api.Mode) command.NodeCommand {
	return command.NodeCommand{Guard: 3, Session: s, Seq: 5, Op: command.Acquire{Node: lockNode, Handle: gripOn(s).ID, Mode: m, Wait: true}}
}

func (w *waiters) tries(s api.SessionID, m api.Mode) {
	w.b.OnActed(1, 7, nil, []command.NodeCommand{trial(s, m)})
}

func (w *waiters) applied(s api.SessionID, m api.Mode, v command.Verdict) { w.appliedIn(6, s, m, v) }

func (w *waiters) appliedIn(slot paxos.Slot, s api.SessionID, m api.Mode, v command.Verdict) {
	w.b.OnCommand(&command.Applied{Command: trial(s, m), Verdict: v}, slot)
}

// held gives the lock to a waiter: the one that asks, or another.
func (w *waiters) held(own bool) {
	w.own, w.other = func(api.HandleID) bool { return own }, func(api.Mode) bool { return true }
}

// releases asks a master to release the hold of a session.
func (w *waiters) releases(s api.SessionID) {
	w.b.OnRequest(api.Request{Session: s, Seq: 5, Epoch: 3, Op: api.Release{Handle: "x", Acquisition: 1}}, gripOn(s), true)
}

// comesAgain cancels the Acquire of a session, which then waits again by the same handle.
func (w *waiters) comesAgain(s api.SessionID) {
	w.b.OnRequest(api.Request{Session: s, Seq: 6, Epoch: 3, Op: api.CancelAcquire{Handle: "x", Call: 5}}, gripOn(s), true)
	w.told(s, api.Cancelled)
	w.asks(s, api.Exclusive)
	w.told(s, api.Parked)
}

// shared gives the lock to other sessions.
func (w *waiters) shared() {
	w.other = func(m api.Mode) bool { return m == api.Exclusive }
}

// Sessions 1, 2 and 3 wait for a lock in these modes, in this order.
func TestS8TheQueueIsKept(t *testing.T) {
	const ex, sh = api.Exclusive, api.Shared
	for name, c := range map[string]struct {
		modes  [3]api.Mode
		do     func(w *waiters)
		breaks bool
	}{
		"the first":   {[3]api.Mode{ex, ex, ex}, func(w *waiters) { w.tries(1, ex) }, false},
		"the second":  {[3]api.Mode{ex, ex, ex}, func(w *waiters) { w.tries(2, ex) }, true},
		"two at once": {[3]api.Mode{ex, ex, ex}, func(w *waiters) { w.tries(1, ex); w.tries(2, ex) }, true},
		"one after the other": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.tries(1, ex)
			w.applied(1, ex, command.Executed)
			w.tries(2, ex)
		}, false},
		"the first again": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.tries(1, ex)
			w.applied(1, ex, command.Refused)
			w.tries(1, ex)
		}, false},
		"the second, as the first was refused": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.tries(1, ex)
			w.applied(1, ex, command.Refused)
			w.tries(2, ex)
		}, true},
		"a later master granted it to the first, then to the second, whose copies come once more, late": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			for s := range api.SessionID(2) {
				s++
				again := api.Request{Session: s, Seq: 5, Epoch: 4, Op: api.Acquire{Handle: "x", Mode: ex, Wait: true}}
				w.b.OnRequest(again, gripOn(s), true)
				c := trial(s, ex)
				c.Guard = 4
				w.b.OnCommand(&command.Applied{Command: c, Verdict: command.Executed}, 1)
			}
			w.asks(2, ex)
			w.told(2, api.Parked)
			w.asks(1, ex)
			w.told(1, api.Parked)
			w.tries(1, ex)
		}, false},
		"readers again, as they were refused in one slot": {[3]api.Mode{sh, sh, ex}, func(w *waiters) {
			w.tries(1, sh)
			w.tries(2, sh)
			w.appliedIn(7, 2, sh, command.Refused)
			w.appliedIn(7, 1, sh, command.Refused)
			w.tries(2, sh)
			w.tries(1, sh)
		}, false},
		"a writer again, as it was refused in one slot with a reader": {[3]api.Mode{sh, ex, ex}, func(w *waiters) {
			w.tries(1, sh)
			w.appliedIn(7, 1, sh, command.Refused)
			w.tries(2, ex)
		}, true},
		"the second reader, as the first was refused long ago": {[3]api.Mode{sh, sh, ex}, func(w *waiters) {
			w.tries(1, sh)
			w.tries(2, sh)
			w.appliedIn(6, 1, sh, command.Refused)
			w.appliedIn(6, 2, sh, command.Refused)
			w.tries(2, sh)
		}, true},
		"the first again, at its place, behind another that came between": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.comesAgain(1)
			w.tries(1, ex)
		}, false},
		"the second, as the first has its place again": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.comesAgain(1)
			w.tries(2, ex)
		}, false},
		"the third, as the first comes again": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.comesAgain(1)
			w.tries(3, ex)
		}, true},
		"readers in front":               {[3]api.Mode{sh, sh, ex}, func(w *waiters) { w.tries(1, sh); w.tries(2, sh) }, false},
		"a writer behind readers":        {[3]api.Mode{sh, sh, ex}, func(w *waiters) { w.tries(1, sh); w.tries(2, sh); w.tries(3, ex) }, true},
		"a reader behind a writer":       {[3]api.Mode{sh, ex, sh}, func(w *waiters) { w.tries(1, sh); w.tries(3, sh) }, true},
		"a reader before one that waits": {[3]api.Mode{sh, sh, ex}, func(w *waiters) { w.tries(2, sh) }, true},
		"the second, as the node is gone": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.b.OnCommand(&command.Applied{Command: command.NodeCommand{Op: command.DeleteNode{Node: lockNode}}, Result: api.Result{Code: api.OK}}, 1)
			w.tries(2, ex)
		}, false},
		"the second, as the first gave up": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.b.OnRequest(api.Request{Session: 1, Seq: 6, Epoch: 3, Op: api.CancelAcquire{Handle: "x", Call: 5}}, gripOn(1), true)
			w.tries(2, ex)
		}, false},
		"the second, as the first gives up where there is no master": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.b.OnRequest(api.Request{Session: 1, Seq: 6, Epoch: 3, Op: api.CancelAcquire{Handle: "x", Call: 5}}, gripOn(1), false)
			w.tries(2, ex)
		}, true},
		"the second, as the first closes": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.b.OnRequest(api.Request{Session: 1, Seq: 6, Epoch: 3, Op: api.CloseHandle{Handle: "x"}}, gripOn(1), true)
			w.tries(2, ex)
		}, false},
		"the second, as the first was answered": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.told(1, api.HandlePoisoned)
			w.tries(2, ex)
		}, false},
		"the second, as the first's session ended": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.b.OnCommand(&command.Applied{Command: command.Expire{Session: 1}}, 1)
			w.tries(2, ex)
		}, false},
		"while the lock is held": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.held(false)
			w.tries(1, ex)
		}, true},
		"behind the Release of its holder": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.has = []api.Mode{ex}
			w.releases(8)
			w.tries(1, ex)
		}, false},
		"behind the Release of another": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.has = []api.Mode{ex}
			w.releases(2)
			w.tries(1, ex)
		}, true},
		"two behind one Release": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.has = []api.Mode{ex}
			w.releases(8)
			w.tries(1, ex)
			w.tries(2, ex)
		}, true},
		"behind the Release of one of two readers": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.has = []api.Mode{sh, sh}
			w.releases(9)
			w.tries(1, ex)
		}, true},
		"after a Release in vain": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.has = []api.Mode{ex}
			w.releases(8)
			w.b.OnCommand(&command.Applied{Command: command.NodeCommand{Op: command.Release{Node: lockNode, Handle: gripOn(8).ID}}}, 1)
			w.tries(1, ex)
		}, true},
		"after the holder has got the lock anew": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.has = []api.Mode{ex}
			w.releases(8)
			w.b.OnCommand(&command.Applied{Command: command.NodeCommand{Op: command.Acquire{Node: lockNode, Handle: gripOn(8).ID}}}, 1)
			w.tries(1, ex)
		}, true},
		"while the lock is held again": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.held(false)
			w.moved = 7
			w.tries(1, ex)
		}, false},
		"while the lock has been held for long": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.held(false)
			w.moved = 6
			w.tries(1, ex)
		}, true},
		"while a lock-delay runs": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.delay = true
			w.moved = 6
			w.tries(1, ex)
		}, true},
		"a lock-delay has just begun": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.delay = true
			w.moved = 7
			w.tries(1, ex)
		}, false},
		"by its holder": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.held(true)
			w.tries(3, ex)
		}, false},
		"the first, to which a former master has refused a copy": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.b.OnActed(2, 1, []api.Reply{{Session: 1, Seq: 5, Epoch: 2, Result: api.Result{Code: api.Crowded}}}, nil)
			w.tries(1, ex)
		}, false},
		"the second, as a former master has refused a copy to the first": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.b.OnActed(2, 1, []api.Reply{{Session: 1, Seq: 5, Epoch: 2, Result: api.Result{Code: api.Crowded}}}, nil)
			w.tries(2, ex)
		}, true},
		"by one that lost it in a slot that its master has not applied": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.lost, w.moved = 7, 7
			w.tries(3, ex)
		}, false},
		"by one that lost it before": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.lost, w.moved = 6, 6
			w.tries(3, ex)
		}, true},
		"by one that has got it by another call, and then a reader": {[3]api.Mode{ex, sh, ex}, func(w *waiters) {
			w.own = func(h api.HandleID) bool { return h == gripOn(1).ID }
			w.other = func(m api.Mode) bool { return m == ex }
			w.b.OnActed(1, 7, nil, []command.NodeCommand{trial(1, ex), trial(2, sh)})
		}, false},
		"all are told": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.told(2, api.Parked)
		}, true},
		"waits again after a trial, its cancel on the way": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.b.OnRequest(api.Request{Session: 1, Seq: 6, Epoch: 3, Op: api.CancelAcquire{Handle: "x", Call: 5}}, gripOn(1), true)
			w.tries(1, ex)
			w.applied(1, ex, command.Refused)
			w.told(1, api.Parked)
		}, false},
		"told without a trial, its cancel on the way": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.b.OnRequest(api.Request{Session: 1, Seq: 6, Epoch: 3, Op: api.CancelAcquire{Handle: "x", Call: 5}}, gripOn(1), true)
			w.told(1, api.Parked)
		}, true},
		"a copy is answered": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.asks(2, ex)
			w.told(2, api.Parked)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWaiters(t)
			for i, m := range c.modes {
				w.asks(api.SessionID(i+1), m)
				w.told(api.SessionID(i+1), api.Parked)
			}
			w.Good()
			c.do(w)
			if c.breaks {
				w.Breaks("S8")
			} else {
				w.Good()
			}
		})
	}
}
