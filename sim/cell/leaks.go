package cell

import (
	"context"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// tidyBound is how long after healing a client may take to close what its program gave up. Only
// time counts in which a master serves and no call of the client is answered. tidyStep is the
// interval between two looks.
const (
	tidyBound = 10 * time.Second
	tidyStep  = 50 * time.Millisecond
)

// awaitTidy waits until every handle that a client has open is known to one of its programs: the
// client must close handles that a program gave up (S15). It is called after healing, when only a
// fail-over can keep a client from closing: a new master may wait for whole leases before it takes
// a Close.
func (c *Cell) awaitTidy(rt *sim.Runtime, cl *client.Client, known int) {
	w := c.promises.Of(cl)
	ended := 0
	open := func() int {
		if c.plan.Caches.On {
			return w.Life.LiveHandles()
		}
		return w.Life.OpenHandles()
	}
	for served := time.Duration(0); w != nil && !w.Life.IsOver() && open() > known; {
		if isServed(c) {
			served += tidyStep
		}
		if n := w.Life.AnsweredCalls(); n > ended {
			ended, served = n, 0 // a Close waits for room in the client's window, which waits for the log
		}
		if served > tidyLimit(c) {
			c.world.Break("S15", "the client on %v has %d handles open, and its programs know of %d%s", w.Self(), open(), known, strays(w.Life.Strays()))
			return
		}
		if rt.Sleep(context.Background(), tidyStep) != nil {
			return
		}
	}
}

// strays names handles for a report, a few of them.
func strays(all []api.HandleID) string {
	if len(all) == 0 {
		return ""
	}
	text := "; none of them has"
	for _, id := range all[:min(len(all), 3)] {
		text += fmt.Sprintf(" handle %v", id)
	}
	return text
}

// tidyLimit is tidyBound, and more if a Close may be refused many times before there is room, or if
// clients keep caches. A Close may wait behind a call that waits for a client to drop something
// from its cache: for a lease at most, if that client acknowledges nothing (C10.06).
func tidyLimit(c *Cell) time.Duration {
	limit := tidyBound + 2*c.plan.Caches.Idle // handles that clients keep for the next Open
	if c.plan.Caches.On {
		cfg := &c.plan.Driver.Core
		limit += cfg.Sessions.LeaseMax * 1_000_000 / time.Duration(1_000_000-cfg.Paxos.Lease.Rho)
	}
	if c.plan.Calls.Narrow {
		limit += 2 * tidyBound
	}
	return limit
}

// isServed reports whether some replica takes all calls.
func isServed(c *Cell) bool {
	for _, m := range c.machines.Replicas {
		r := running(m)
		if r != nil && r.Host.Core() != nil && r.Host.Core().Master().State == master.Serving {
			return true
		}
	}
	return false
}

// awaitSweep waits until no ephemeral node is left (S15, C3.03). All programs have ended, so no
// session has such a node open once the sessions that were left to expire have ended, and once a
// new master has waited for clients that might return (C12.13). It does nothing if there is a
// hostile client, which continues and keeps its nodes, or if sessions have no leases and live for
// ever.
func (c *seedRun) awaitSweep() {
	if c.plan.Hostile.Gap > 0 || !c.sessions.HasLeases() {
		return
	}
	begun, limit := c.world.Now(), c.sweepLimit(0)
	last := begun + c.sweepLimit(api.MaxLockDelay.Duration())
	for end := begun + limit; ; {
		left, ok := c.leftover()
		if left.delayed { // the node may go when the delay is over
			end = min(c.world.Now()+limit, last)
		}
		switch {
		case !ok:
			return
		case c.world.Now() > end:
			c.world.Break("S15", "%v after all programs have ended ephemeral %v is still there", c.world.Now()-begun, left.node)
			return
		case !c.reached(c.world.RunFor(50 * time.Millisecond)):
			return
		}
	}
}

// sweepLimit returns how long an ephemeral node may stay that no session has open: one longest lease, a
// lock-delay, and SweepAfter of one new master, by slow clocks, and the recovery bound.
func (c *seedRun) sweepLimit(delay time.Duration) time.Duration {
	cfg := &c.plan.Driver.Core
	wait := cfg.Sessions.LeaseMax + delay + cfg.NodeOps.SweepAfter
	return plan.RecoveryBound + wait*1_000_000/time.Duration(1_000_000-cfg.Paxos.Lease.Rho)
}

// leftover is an ephemeral node without children. It is delayed if a lock-delay of such a node runs.
type leftover struct {
	node    api.Ref
	delayed bool
}

// leftover returns what is left, by the rows of a replica that has applied every slot that any
// replica has.
func (c *seedRun) leftover() (l leftover, ok bool) {
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && r.Host.Core() != nil && c.hasAppliedAll(r.Id) {
			return leftoverIn(r.Host.Core().View())
		}
	}
	return l, false
}

// leftoverIn scans all nodes. The product itself uses its list of ephemeral nodes, which may be
// wrong.
func leftoverIn(v db.View) (l leftover, ok bool) {
	for n, s := range tree.Nodes(v) {
		if s.Ephemeral && s.Children == 0 {
			l.node, ok = n, true
			l.delayed = l.delayed || lock.Get(v, n).Delays > 0
		}
	}
	return l, ok
}
