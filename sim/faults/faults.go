package faults

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
)

// Faults are the faults of one run: what strikes, and the strikes under way.
type Faults struct {
	Outlived     uint64 // writes that arrived after their client had given them up and had an answer to another call
	Echoed       uint64 // messages to one life of a machine that were repeated to the next
	NewsLost     uint64 // answers to KeepAlives with events that a fault lost
	NewsRepeated uint64 // KeepAlives that a fault delivered again after an answer with events
	Overtaken    uint64 // cacheable answers, and answers to Opens, that a fault delayed behind a later one
	Moments      uint64 // strikes at a leader that proposed or applied a command of a drawn kind

	plan     *plan.Plan
	world    *sim.World
	events   *event.Stream
	budget   *damage.Budget
	cluster  Cluster
	facts    Facts
	replicas []*sim.Machine
	clients  []*sim.Machine

	healed      bool                 // the safety phase is over
	undo        []func()             // how to end the faults in force
	armed       []func()             // strikes that wait for a leader to propose
	moments     []moment             // strikes that wait for a command of some kind
	onTenure    []func()             // parts of strikes that wait until a replica begins to lead
	onDrop      []func(*sim.Machine) // strikes that wait for a log to be shortened
	onMark      []func(*sim.Machine) // strikes that wait for a log to be marked
	transfers   transfers
	echoes      []*echoing
	unsynced    []*unsynced               // replicas whose disks make nothing durable
	recalled    []*echoing                // machines whose strike waits for a request of theirs
	heldWrites  []*heldWrite              // writes that the network holds back
	lostNews    *lostNews                 // answers with events are lost; nil: they are not
	lateAnswers *lateAnswers              // answers that may be cached are overtaken; nil: they are not
	rotten      map[paxos.NodeID][]string // snapshots that went bad
	strikes     map[string]int
	diskFaults  int // disk calls that were made to fail
	acting      plan.Fault
	lulls       *sim.Draw
	resting     bool
	triggers    triggers // parts of strikes that wait for events
}

// Env is what faults need. It has no checker.
type Env struct {
	Plan    *plan.Plan
	World   *sim.World
	Events  *event.Stream
	Budget  *damage.Budget
	Cluster Cluster
	Facts   Facts
}

// Cluster gives faults access to the replicas. Each machine is that of a replica.
type Cluster interface {
	// Core returns the replica on a machine, or nil if none runs or it has not recovered.
	Core(m *sim.Machine) *core.Replica
	// Runs reports whether the process of a replica runs, recovered or not.
	Runs(m *sim.Machine) bool
	// Reading returns the clock as the replica last read it.
	Reading(m *sim.Machine) time.Time
	// Campaign and Resign are what an operator may ask of a replica. StepDown is Resign if another
	// replica should lead next.
	Campaign(m *sim.Machine)
	Resign(m *sim.Machine)
	StepDown(m *sim.Machine)
	// Retire is called when a life is about to end.
	Retire(m *sim.Machine)
}

// Facts is what is known of the cell from its log, its links and its disks.
type Facts interface {
	// Covered returns how far the log of a replica is known to be synced: by its watermark, and by
	// messages of the replica that claim it.
	Covered(id paxos.NodeID) (mark, synced paxos.LSN)
	// LastNoted returns the last boot and the highest promise that a log has recorded.
	LastNoted(id paxos.NodeID) (paxos.Boot, paxos.Ballot)
	// OnRowRot and OnRowStray are called when a row of a replica was changed in its memory.
	// OnRowRot: the replica's checksum did not notice.
	OnRowRot(id paxos.NodeID)
	OnRowStray(id paxos.NodeID)
	// OnRateSet is called when a fault has changed the rate of a replica's clock.
	OnRateSet(id paxos.NodeID)
	// IsPassed reports whether a call is final without an answer: its client waits no longer.
	IsPassed(k model.Call) bool
	// SessionOn returns the present session of the client on a machine; 0: none.
	SessionOn(a sim.Addr) api.SessionID
	// HasSessionLeases reports whether sessions have leases.
	HasSessionLeases() bool
	// LeasesLeft returns what masters of the latest epoch know of the lease of a session, one entry
	// for each master.
	LeasesLeft(s api.SessionID) []LeaseLeft
	// DelaysOf returns how many lock-delays of a lock run.
	DelaysOf(n api.Ref) int
}

// LeaseLeft is what a master knows of the lease of a session.
type LeaseLeft struct {
	Left  time.Duration // by the master's clock
	Alive bool          // the session has not ended
}

// New returns the faults of a run that has not begun.
func New(e Env) *Faults {
	c := &Faults{
		plan: e.Plan, world: e.World, events: e.Events, budget: e.Budget, cluster: e.Cluster, facts: e.Facts, strikes: map[string]int{},
	}
	c.triggers.of = c
	return c
}

// Begin starts the faults of the plan, on the machines of replicas and of clients.
func (c *Faults) Begin(replicas, clients []*sim.Machine) {
	c.replicas, c.clients = replicas, clients
	if c.plan.Script != nil {
		play(c)
		return
	}
	c.lulls = c.world.Draw("cell.lull", 0)
	if c.plan.Lull > 0 {
		sim.AfterApart(c.world, c.plan.Lull, func() { turnLull(c) })
	}
	for i, f := range c.plan.Faults {
		n := &nemesis{of: c, kind: f.Name, strike: strikeNamed(f.Name, c.plan.With), mean: f.Mean, stream: uint64(i), draws: drawsOf(c, f.Name, uint64(i))}
		n.next()
	}
}

// Heal ends every fault that is in force, and prevents further strikes.
func (c *Faults) Heal() {
	c.healed = true
	c.armed, c.moments, c.onTenure, c.onDrop, c.onMark, c.triggers.pending = nil, nil, nil, nil, nil, nil
	c.transfers, c.echoes, c.recalled, c.unsynced = transfers{}, nil, nil, nil
	for _, end := range c.undo {
		end()
	}
	c.undo = nil
}

// Healed reports whether the faults are over.
func (c *Faults) Healed() bool { return c.healed }

// Strikes returns how often each kind of fault has struck.
func (c *Faults) Strikes() map[string]int { return c.strikes }

// HeldWrites returns how many writes the network holds back; after Heal there are none.
func (c *Faults) HeldWrites() int { return len(c.heldWrites) }

// AwaitsProposal reports whether a strike waits for a leader to propose something.
func (c *Faults) AwaitsProposal() bool { return len(c.armed) > 0 }

// AwaitsStep reports whether a strike waits for something that a leader proposes or applies.
func (c *Faults) AwaitsStep() bool { return len(c.moments) > 0 }

func (c *Faults) publish(e event.Event) { c.events.Publish(c.world.Now(), e) }

// addrs returns all machines, replicas first.
func addrs(c *Faults) []sim.Addr {
	var all []sim.Addr
	for _, m := range c.replicas {
		all = append(all, m.Addr())
	}
	for _, m := range c.clients {
		all = append(all, m.Addr())
	}
	return all
}

// later does part of a strike after d, unless the safety phase is over by then.
func (c *Faults) later(d time.Duration, f func()) {
	f = c.kept(f)
	c.world.After(d, func() {
		if !c.healed {
			f()
		}
	})
}

// until calls end after d, or when the safety phase ends, whichever comes first.
func (c *Faults) until(d time.Duration, end func()) { c.untilFirst(d, end) }

// untilFirst is until. It returns a function that calls end earlier.
func (c *Faults) untilFirst(d time.Duration, end func()) (now func()) {
	end = c.kept(end)
	done := false
	once := func() {
		if !done {
			done = true
			end()
		}
	}
	if c.healed {
		once()
		return once
	}
	c.world.After(d, once)
	c.undo = append(c.undo, once)
	return once
}

// struck counts a strike.
func (c *Faults) struck(f plan.Fault) {
	c.strikes[f.Kind]++
	c.acting = f
	if c.events.Wanted() {
		c.publish(event.FaultStruck{Kind: f.Kind, N: f.N})
	}
	c.world.Fault(0, f.Kind, uint64(f.N))
}

// lull reports whether faults rest now.
func lull(c *Faults) bool { return c.resting }

func turnLull(c *Faults) {
	c.resting = !c.resting
	sim.AfterApart(c.world, c.lulls.Duration(c.plan.Lull/4, c.plan.Lull), func() { turnLull(c) })
}

// sure panics on an error. It is for damage to a place that was looked up a moment ago.
func sure(err error) {
	if err != nil {
		panic(err)
	}
}

// Strike does one kind of fault once; it panics if there is no such kind.
func (c *Faults) Strike(kind string, d *sim.Draw) { strikeNamed(kind, c.plan.With)(c, d) }

// Replica draws the machine of a replica.
func (c *Faults) Replica(d *sim.Draw) *sim.Machine { return anyReplica(c, d) }
