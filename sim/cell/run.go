package cell

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/histories"
	"github.com/chubbycell/chubby/sim/plan"
)

// Floors of a counted seed: below them a run proves too little to be counted.
const (
	FloorTime = 60 * time.Second // simulated
	FloorOps  = 500              // with a definite answer
)

// boundsEvery is the interval between two checks of L2.
const boundsEvery = 5 * time.Second

// Run simulates one seed from beginning to end and checks everything.
func Run(o plan.Options) Result {
	return run(plan.New(o), sim.Config{Trace: o.Trace, Watchdog: o.Watchdog, Stuck: o.Stuck})
}

func run(p plan.Plan, cfg sim.Config) Result {
	c := &seedRun{build(p, cfg)}
	defer c.world.Close()
	c.start()
	healedAt := c.safety()
	if s := c.plan.Record; s != nil {
		s.Safety = healedAt
	}
	if c.gaveUp() {
		return c.result(0)
	}
	if c.world.Failure() == nil {
		c.liveness(healedAt)
	}
	recovery := c.world.Now() - healedAt
	// If something was noted, skip the rest: it checks cells that kept every property.
	if c.world.Failure() == nil && len(c.world.Noted()) == 0 {
		c.epilogue()
	}
	if c.world.Failure() == nil && len(c.world.Noted()) == 0 {
		c.restoreBackup()
	}
	return c.result(recovery)
}

// seedRun is the run of one cell from its beginning to its end.
type seedRun struct{ *Cell }

// safety runs with faults for the planned time, and longer if the floor of operations is not
// reached, up to three times as long. It returns the time at which it healed the cell.
func (c *seedRun) safety() time.Duration {
	end, limit := c.length()
	for ; end <= limit; end += c.plan.Duration / 4 {
		for at := c.world.Now() + boundsEvery; at < end; at += boundsEvery {
			if !c.reached(c.world.Run(at)) {
				return c.world.Now()
			}
			c.checkBounds()
		}
		if !c.reached(c.world.Run(end)) {
			return c.world.Now()
		}
		c.checkBounds()
		if c.load.Completed >= FloorOps {
			break
		}
	}
	if c.gaveUp() {
		return c.world.Now()
	}
	c.heal()
	return c.world.Now()
}

// liveness demands progress (L1): every program makes its last calls, all of
// which succeed.
func (c *seedRun) liveness(healedAt time.Duration) {
	c.load.Finale = true
	before := c.answers
	back := c.removeReplicas()
	for c.load.Running > 0 {
		if c.world.Now() > healedAt+plan.RecoveryBound {
			what := "not ended"
			if c.plan.Added() {
				what = "not ended their last turn"
			}
			c.world.Break("L1", "%d client programs have %s %v after healing, in which %d calls were answered: %s; %s", c.load.Running, what, plan.RecoveryBound, c.answers-before, c.unended(), c.roles())
			return
		}
		if !c.reached(c.world.RunFor(100 * time.Millisecond)) {
			return
		}
	}
	c.checkBounds()
	c.awaitLevel("with a quorum")
	back()
}

// reached reports whether the world came to the instant up to which it ran, with nothing broken. A
// world without events, or with too many, is stuck (L1).
func (c *seedRun) reached(end sim.End) bool {
	if end == sim.Quiet || end == sim.Exhausted {
		c.world.Break("L1", "the run ended %v after %d events: %s", end, c.world.Steps(), c.roles())
	}
	return end == sim.Reached && c.world.Failure() == nil
}

// epilogue waits until the replicas have applied the same slots, cuts the power of all, starts them
// again, and waits once more: chosen slots are on the disks, and a laggard catches up although no
// client sends requests.
func (c *seedRun) epilogue() {
	c.awaitStraysStopped()
	c.awaitLevel("after the last call")
	c.awaitSweep()
	c.awaitAuthority()
	c.awaitBackup()
	if c.world.Failure() != nil {
		publishStatus(c.Cell) // as it was at the break, which the power cut would hide
	}
	for _, m := range c.machines.Replicas {
		c.retire(running(m))
		m.Crash()
	}
	for _, m := range c.machines.Replicas {
		m.Start()
	}
	c.awaitLevel("after a power cut of all")
	c.audit()
}

// awaitStraysStopped waits until no replica runs whose rows a fault has changed (S6). A few
// comparisons of checksums are enough, although some of them may be lost.
func (c *seedRun) awaitStraysStopped() {
	limit := plan.RecoveryBound + 3*c.plan.Driver.Core.ChecksumEvery
	for end := c.world.Now() + limit; c.strayed() != nil; {
		if c.world.Now() > end {
			c.world.Break("S6", "replica %d has other rows than all others, and goes on %v after healing; %s", c.strayed().Id, limit, c.roles())
			return
		}
		if !c.reached(c.world.RunFor(50 * time.Millisecond)) {
			return
		}
	}
}

// strayed returns a running replica whose rows a fault has changed, or nil if there is none.
func (c *seedRun) strayed() *replica {
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && c.watch.Disks[m.Addr()].Stray {
			return r
		}
	}
	return nil
}

// awaitLevel waits until every replica has applied every slot that any replica has (L1). when
// completes the report.
func (c *seedRun) awaitLevel(when string) {
	for end := c.world.Now() + plan.RecoveryBound; !c.isLevel(); {
		if c.world.Now() > end {
			c.world.Break("L1", "%v %s some replica has not caught up with slot %d: %s", plan.RecoveryBound, when, c.watch.Top, c.roles())
			return
		}
		if !c.reached(c.world.RunFor(50 * time.Millisecond)) {
			return
		}
	}
}

// awaitAuthority waits until a serving master has read authority, in cells with leases (L1). A cell
// without read authority would answer correctly, but every read would need a round of Paxos.
func (c *seedRun) awaitAuthority() {
	has := func(m *sim.Machine) bool {
		_, ok := c.leases.Authority(paxos.NodeID(m.Addr()))
		return ok && running(m).Host.Core().Serving() != nil
	}
	for end := c.world.Now() + plan.RecoveryBound; c.plan.Driver.Core.Paxos.Lease.Grant > 0 && !slices.ContainsFunc(c.machines.Replicas, has); {
		if c.world.Now() > end {
			c.world.Break("L1", "%v after the last call no master has a lease: %s", plan.RecoveryBound, c.roles())
			return
		}
		if !c.reached(c.world.RunFor(50 * time.Millisecond)) {
			return
		}
	}
}

// isLevel reports whether all replicas are up and have applied all slots, except those that damage
// has stopped and those that are away.
func (c *seedRun) isLevel() bool {
	for _, m := range c.machines.Replicas {
		if c.watch.Budget.IsDead(paxos.NodeID(m.Addr())) || slices.Contains(c.away, m) {
			continue
		}
		r := running(m)
		if r == nil || r.Host.Core() == nil || r.Host.Core().Status().Applied < c.watch.Top {
			return false
		}
	}
	return true
}

// audit checks the rows of every replica: they keep their rules, and a session is gone if a client
// got the answer that it has ended (S3).
func (c *seedRun) audit() {
	for _, m := range c.machines.Replicas {
		r := running(m)
		if r == nil || r.Host.Core() == nil {
			continue
		}
		c.auditRows(r)
		c.checkConfig(r)
		for _, id := range c.load.Closed {
			if _, open := rows.GetSession(r.Host.Core().View(), id); open {
				c.world.Break("S3", "replica %d still has session %d, whose end was confirmed to its client", r.Id, id)
			}
		}
	}
}

// roles returns the status of each replica, for the report of a stall.
func (c *seedRun) roles() string {
	var all []string
	for _, m := range c.machines.Replicas {
		r := running(m)
		if r == nil || r.Host.Core() == nil {
			all = append(all, fmt.Sprintf("%v down", m.Addr()))
			continue
		}
		all = append(all, r.Host.Core().Status().String())
	}
	return strings.Join(all, "; ")
}

// result checks the history and fills in the report.
func (c *seedRun) result(recovery time.Duration) Result {
	r := Result{
		Seed: c.plan.Seed, Replicas: c.plan.Replicas, Clients: c.plan.Clients, Workload: c.plan.Workload,
		Simulated: c.world.Now(), Events: c.world.Steps(), Ops: c.load.Completed, Hot: c.load.Hot,
		Failovers: c.watch.Epochs.Failovers, Recovery: recovery, FirstAnswers: c.load.Waits.List(), Fence: c.load.Fence.Resource.Count(),
	}
	publishStatus(c.Cell)
	c.locks.Judge()
	c.fencing.Judge()
	v := histories.Verdict{Unknown: c.load.Unknown}
	r.nodes = c.nodes.Judge(&v)
	r.locks = c.holdings.Judge(&v)
	r.history = c.history.Judge(c.world, c.watch.Calls, &v)
	r.Unknown, r.Undecided, r.Partition, r.Decided, r.Steps = v.Unknown, v.Undecided, v.Partition, v.Decided, v.Steps
	c.conclude()
	if f := c.world.Failure(); f != nil {
		b := breachOf(f)
		r.Breach = &b
		r.Stack = f.Stack
	}
	for _, f := range c.world.Noted() {
		r.Noted = append(r.Noted, breachOf(f))
	}
	r.Hash = fmt.Sprintf("%016x", c.world.Hash()^c.rebornHash)
	r.Counted = r.Breach == nil && (r.Noted == nil || c.plan.Judge != "") && r.Simulated >= FloorTime && r.Ops >= FloorOps && 5*r.Hot >= r.Ops
	for name, n := range c.faults.Strikes() { // order-free: sorted below
		r.Faults = append(r.Faults, Number{name, uint64(n)})
	}
	slices.SortFunc(r.Faults, func(a, b Number) int { return strings.Compare(a.Name, b.Name) })
	r.Sometimes, r.Counters, r.Measures = c.sometimes(), c.counters(), sim.Measures(c.world)
	return r
}
