package cell

import (
	"fmt"
	"runtime"
	"time"

	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cluster"
	"github.com/chubbycell/chubby/sim/plan"
)

// CrowdOptions shape a crowd: a cell without faults whose sessions have a handle
// open and do nothing but stay alive.
type CrowdOptions struct {
	Seed     uint64
	Replicas int           // 0: 5
	Sessions int           // 1 to MaxCrowd
	Lease    time.Duration // of every session
}

// MaxCrowd is the most sessions of a crowd.
const MaxCrowd = 100_000

// Check says what is wrong with the options, naming the flag.
func (o CrowdOptions) Check() error {
	switch {
	case o.Replicas < 0 || o.Replicas > plan.MaxReplicas:
		return fmt.Errorf("--replicas %d: a cell has 1 to %d", o.Replicas, plan.MaxReplicas)
	case o.Sessions < 1 || o.Sessions > MaxCrowd:
		return fmt.Errorf("--sessions %d: 1 to %d", o.Sessions, MaxCrowd)
	case o.Lease < time.Second || o.Lease > time.Minute:
		return fmt.Errorf("--lease %v: between 1s and 1m", o.Lease)
	}
	return nil
}

// CrowdCounts are what has happened to a crowd since all of it was there.
type CrowdCounts struct {
	Sessions   int           `json:"sessions"`
	Simulated  time.Duration `json:"simulated_ns"`
	KeepAlives uint64        `json:"keepalives"` // that clients sent
	Answers    uint64        `json:"answers"`    // to them, that clients took in
	Jeopardy   uint64        `json:"jeopardy"`   // times that a client was not certain of its session
	Lost       uint64        `json:"lost"`       // sessions that ended
	Failovers  int           `json:"failovers"`
	Events     uint64        `json:"events"` // of the simulator
	// Requests are those of all kinds that clients sent, since the very beginning:
	// what a session needs to begin is among them.
	Requests uint64 `json:"requests_of_all"`
	// Kept are the KeepAlives among Requests.
	Kept uint64 `json:"keepalives_of_all"`
}

// Crowd is a cell with many sessions, under way. One caller at a time.
//
// Of the cell everything is what ships: replicas on simulated disks and links, with
// their masters, tables of sessions and of calls, and codecs; and for each session the
// machine of package client/session with its default configuration. Stood for are
// the blocking facade around that machine, which an idle program does not call, and
// connections: one machine of the world carries all sessions, with one clock, and
// what they send to one replica within crowdGrain leaves in one bundle, as it does
// from clients that share streams.
type Crowd struct {
	cell  *Cell
	crowd *crowd
	at    CrowdCounts // what had happened when the crowd was there
}

// crowdGrain is the grain of timers, as an operating system has one: what falls due
// within it is done together.
const crowdGrain = 2 * time.Millisecond

// NewCrowd builds the cell; nothing runs yet. It panics on options that Check
// refuses.
func NewCrowd(o CrowdOptions) *Crowd {
	if err := o.Check(); err != nil {
		panic(err)
	}
	if o.Replicas == 0 {
		o.Replicas = 5
	}
	p := plan.New(plan.Options{Seed: o.Seed, Replicas: o.Replicas, Clients: 1, Faults: []string{}, Workload: "mixed"})
	seed := p.Driver.Core.Paxos.Seed
	p.Clients, p.Grain, p.Lull, p.Misfit = 0, crowdGrain, 0, plan.Misfit{}
	p.Driver = driver.DefaultConfig()
	p.Driver.Core.Paxos.Seed = seed
	p.Driver.Core.Sessions.LeaseMin, p.Driver.Core.Sessions.LeaseMax = o.Lease, o.Lease
	p.RatePPB = int64(p.Driver.Core.Paxos.Lease.Rho) * 1000
	p.Link.Delay = sim.Table{300 * time.Microsecond, 500 * time.Microsecond, time.Millisecond}
	p.Disk.Sync = sim.Table{200 * time.Microsecond, time.Millisecond}
	p.Store.SegmentSize, p.Store.ChunkSize = 8<<20, 1<<20
	c := build(p, sim.Trace{})
	return &Crowd{cell: c, crowd: c.addCrowd(o.Sessions)}
}

// Close ends the world.
func (x *Crowd) Close() { x.cell.world.Close() }

// Gather begins the cell, and lets all sessions begin and open a handle each.
func (x *Crowd) Gather() error {
	x.cell.start()
	c := x.crowd
	limit := time.Minute + 2*gatherEvery*time.Duration(len(c.members))
	for c.settled < len(c.members) {
		if x.cell.world.Now() > limit {
			return fmt.Errorf("%d of %d sessions are there after %v of simulated time", c.settled, len(c.members), limit)
		}
		if err := x.RunFor(100 * time.Millisecond); err != nil {
			return err
		}
	}
	x.at = x.now()
	return nil
}

// RunFor lets d of simulated time pass.
func (x *Crowd) RunFor(d time.Duration) error {
	end := x.cell.world.RunFor(d)
	if f := x.cell.world.Failure(); f != nil {
		return f
	}
	if end != sim.Reached {
		return fmt.Errorf("the run ended %v", end)
	}
	return nil
}

func (x *Crowd) now() CrowdCounts {
	n := x.crowd.counts
	n.Sessions, n.Simulated = len(x.crowd.members), x.cell.world.Now()
	n.Lost, n.Failovers, n.Events = uint64(x.cell.minds.Ended), x.cell.watch.Epochs.Failovers, x.cell.world.Steps()
	n.Kept = n.KeepAlives
	return n
}

// Counts are what has happened since Gather.
func (x *Crowd) Counts() CrowdCounts {
	n := x.now()
	n.Simulated -= x.at.Simulated
	n.KeepAlives -= x.at.KeepAlives
	n.Answers -= x.at.Answers
	n.Jeopardy -= x.at.Jeopardy
	n.Failovers -= x.at.Failovers
	n.Events -= x.at.Events
	return n
}

// Hash is that of the run so far: the same for the same options and times.
func (x *Crowd) Hash() uint64 { return x.cell.world.Hash() }

// Memory is what processes of this cell hold, in bytes: what is free again when
// they are gone. The rows and the log stand in every replica; what is known of
// sessions and handles beside them, in the master's alone. The crowd is of no more use
// then.
func (x *Crowd) Memory() (replica, master int64) {
	serving := x.cell.serving()
	for _, m := range x.cell.replicas {
		if m != serving && replica == 0 {
			replica = x.freed(m)
		}
	}
	return replica, x.freed(serving)
}

// freed kills a process and forgets it.
func (x *Crowd) freed(m *sim.Machine) int64 {
	if m == nil || running(m) == nil {
		return 0
	}
	before := heap()
	r := running(m)
	x.cell.retire(r)
	m.Kill()
	x.cell.leases.Seen[r.Id].Of = nil
	*r.Replica = cluster.Replica{}
	*r = replica{cell: x.cell, retired: true}
	return before - heap()
}

func heap() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
