package cell

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// tidyBound is how long after healing a client may take to close what its program
// gave up, while a master serves and nothing of what the client waits for is answered;
// tidyStep is how often it is looked at.
const (
	tidyBound = 10 * time.Second
	tidyStep  = 50 * time.Millisecond
)

// tidies waits until a client has no handle open that none of its programs knows
// of: what was given up is closed behind their backs (S15). It is for the time
// after healing, when nothing keeps a client from that but a fail-over, in which a
// master may wait for whole leases before it takes a Close.
func (c *Cell) tidies(rt *sim.Runtime, cl *client.Client, known int) {
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
			ended, served = n, 0 // a Close waits for the client's window, and that for the log
		}
		if served > tidyLimit(c) {
			c.world.Break("S15", "the client on %v has %d handles open, and its programs know of %d", w.Self(), open(), known)
			return
		}
		if rt.Sleep(context.Background(), tidyStep) != nil {
			return
		}
	}
}

// tidyLimit is longer where a Close may be refused many times before there is room. Where clients keep
// caches, the call that a Close waits behind may wait for one of them: for a lease at most, where that
// client acknowledges nothing (C10.06).
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

// isServed says that some replica takes all calls.
func isServed(c *Cell) bool {
	for _, m := range c.machines.Replicas {
		r := running(m)
		if r != nil && r.Host.Core() != nil && r.Host.Core().Master().State == master.Serving {
			return true
		}
	}
	return false
}

// vanishes waits until there is no ephemeral node that no session can have open (S15,
// C3.03): all programs have ended, so there is none when the last session has
// ended that was left to expire, and when a new master has waited for those who
// might come back (C12.13). A hostile client goes on, and keeps what it has; and
// sessions without leases that were not ended live for ever.
func (c *seedRun) vanishes() {
	if c.plan.Hostile.Gap > 0 || !c.sessions.HasLeases() {
		return
	}
	for end := c.world.Now() + c.lingers(); ; {
		left, ok := c.lonely()
		switch {
		case !ok:
			return
		case c.world.Now() > end:
			c.world.Break("S15", "%v after all programs have ended ephemeral %v is still there", c.lingers(), left)
			return
		case !c.reached(c.world.RunFor(50 * time.Millisecond)):
			return
		}
	}
}

// lingers is how long an ephemeral node may be there that no session has open: for one
// longest lease and then SweepAfter of one new master, by slow clocks; and what
// recovery takes.
func (c *seedRun) lingers() time.Duration {
	cfg := &c.plan.Driver.Core
	wait := cfg.Sessions.LeaseMax + cfg.NodeOps.SweepAfter
	return plan.RecoveryBound + wait*1_000_000/time.Duration(1_000_000-cfg.Paxos.Lease.Rho)
}

// lonely is an ephemeral node without children, by the rows of the replica that has
// applied most.
func (c *seedRun) lonely() (n api.Ref, ok bool) {
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && r.Host.Core() != nil && c.current(r.Id) {
			return lonelyIn(r.Host.Core().View())
		}
	}
	return n, false
}

// lonelyIn goes by the nodes themselves: the product looks for those that are to go in
// its list of ephemeral ones.
func lonelyIn(v db.View) (n api.Ref, ok bool) {
	for n, s := range tree.Nodes(v) {
		if s.Ephemeral && s.Children == 0 {
			return n, true
		}
	}
	return n, false
}
