package lockwait

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// Sessions 1, 2 and 3 wait for a lock that is held; then the obstacle disappears.
func TestS8TheFrontIsAttemptedAtOnce(t *testing.T) {
	const ex, sh = api.Exclusive, api.Shared
	for name, c := range map[string]struct {
		modes   [3]api.Mode
		do      func(w *waiters)
		waiting int // at the master
		breaks  bool
	}{
		"it is held":          {[3]api.Mode{ex, ex, ex}, func(w *waiters) { w.held(false) }, 3, false},
		"it is his":           {[3]api.Mode{ex, ex, ex}, func(w *waiters) { w.held(true) }, 3, false},
		"it is free":          {[3]api.Mode{ex, ex, ex}, func(*waiters) {}, 3, true},
		"an unknown one":      {[3]api.Mode{ex, ex, ex}, func(*waiters) {}, 4, false},
		"he is tried":         {[3]api.Mode{ex, ex, ex}, func(w *waiters) { w.tries(1, ex) }, 3, false},
		"a lock-delay runs":   {[3]api.Mode{ex, ex, ex}, func(w *waiters) { w.delay = true }, 3, false},
		"a refused try again": {[3]api.Mode{ex, ex, ex}, func(w *waiters) { w.tries(1, ex); w.told(1, api.Parked) }, 3, false}, // by the log: it comes later
		"he was tried, in vain": {[3]api.Mode{ex, ex, ex}, func(w *waiters) {
			w.tries(1, ex)
			w.applied(1, ex, command.Refused)
			w.told(1, api.Parked)
		}, 3, true},
		"the writer in front of readers is refused": {[3]api.Mode{ex, sh, sh}, func(w *waiters) {
			w.shared()
			w.told(1, api.HandleClosed)
		}, 2, true},
		"the session of the writer in front of readers ends": {[3]api.Mode{ex, sh, sh}, func(w *waiters) {
			w.shared()
			w.b.OnCommand(&command.Applied{Command: command.Expire{Session: 1}}, 1)
			w.told(1, api.NoSession)
		}, 2, true},
		"the writer in front of readers leaves": {[3]api.Mode{ex, sh, sh}, func(w *waiters) {
			w.shared()
			w.b.OnCommand(&command.Applied{Command: command.Expire{Session: 1}}, 1)
		}, 3, false},
		"a writer in front of readers": {[3]api.Mode{ex, sh, sh}, func(w *waiters) { w.shared() }, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWaiters(t)
			for i, m := range c.modes {
				w.asks(api.SessionID(i+1), m)
				w.told(api.SessionID(i+1), api.Parked)
			}
			c.do(w)
			w.b.CheckFront(1, 4, c.waiting) // another epoch
			w.Good()
			w.b.CheckFront(1, 3, c.waiting)
			if c.breaks {
				w.Breaks("S8")
			} else {
				w.Good()
			}
		})
	}
}

// Session 1 waits, and its handle is closed or poisoned.
func TestS14NoAcquireWaitsByAShutHandle(t *testing.T) {
	shut := api.Request{Session: 1, Seq: 6, Epoch: 3, Op: api.Poison{Handle: "x"}}
	done := func(c api.Code, more ...api.Reply) []api.Reply {
		return append(more, api.Reply{Session: 1, Seq: 6, Epoch: 3, Result: api.Result{Code: c}})
	}
	refused := api.Reply{Session: 1, Seq: 5, Epoch: 3, Result: api.Result{Code: api.HandlePoisoned}}
	parked := api.Reply{Session: 1, Seq: 5, Epoch: 3, Result: api.Result{Code: api.Parked}}
	fails := command.NodeCommand{Guard: 3, Session: 1, Seq: 5, Op: command.Fail{Code: api.HandlePoisoned}}
	for name, c := range map[string]struct {
		do     func(w *waiters, g *model.Grip)
		breaks bool
	}{
		"and it waits on": {func(w *waiters, g *model.Grip) {
			g.Poisoned[3] = 1
			w.b.OnActed(1, 1, done(api.OK), nil)
		}, true},
		"closed, and it waits on": {func(w *waiters, g *model.Grip) {
			g.Closed[3] = 1
			w.b.OnActed(1, 1, done(api.OK), nil)
		}, true},
		"which was not done": {func(w *waiters, g *model.Grip) { w.b.OnActed(1, 1, done(api.Busy), nil) }, false},
		"in an earlier epoch": {func(w *waiters, g *model.Grip) {
			g.Closed[2] = 1
			w.b.OnActed(1, 1, done(api.OK), nil)
		}, false},
		"and it is refused": {func(w *waiters, g *model.Grip) {
			g.Poisoned[3] = 1
			w.b.OnActed(1, 1, done(api.OK, refused), nil)
		}, false},
		"and it is refused by the log": {func(w *waiters, g *model.Grip) {
			g.Poisoned[3] = 1
			w.b.OnActed(1, 1, done(api.OK), []command.NodeCommand{fails})
		}, false},
		"while it is tried": {func(w *waiters, g *model.Grip) {
			g.Poisoned[3] = 1
			w.b.OnActed(1, 7, done(api.OK), []command.NodeCommand{trial(1, api.Exclusive)})
		}, false},
		"while it is tried, and it waits again": {func(w *waiters, g *model.Grip) {
			g.Poisoned[3] = 1
			w.b.OnActed(1, 7, done(api.OK), []command.NodeCommand{trial(1, api.Exclusive)})
			w.asks(1, api.Exclusive)
			w.b.OnActed(1, 7, []api.Reply{parked}, nil)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWaiters(t)
			g := gripOn(1)
			g.Closed, g.Poisoned = map[api.Epoch]uint64{}, map[api.Epoch]uint64{}
			w.b.OnRequest(api.Request{Session: 1, Seq: 5, Epoch: 3, Op: api.Acquire{Handle: "x", Mode: api.Exclusive, Wait: true}}, g, true)
			w.told(1, api.Parked)
			w.b.OnRequest(shut, g, true)
			require.Equal(t, uint64(1), w.b.Shut)
			c.do(w, g)
			if c.breaks {
				w.Breaks("S14")
			} else {
				w.Good()
			}
		})
	}
}
