package cell

import (
	"fmt"
	"runtime"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cluster"
	"github.com/chubbycell/chubby/sim/crowd"
)

// Crowd is a cell with many sessions. It is not safe for concurrent use.
//
// The cell runs the code that ships: replicas on simulated disks and links, with their masters,
// tables of sessions and of calls, and codecs; and for each session the state machine of package
// client/session with its default configuration. Two parts are replaced. There is no blocking
// facade around that state machine, because an idle program does not call it. There are no
// connections: one machine of the world carries all sessions, with one clock, and everything that
// they send to one replica within 2 ms leaves in one bundle, as from clients that share streams.
type Crowd struct {
	cell  *Cell
	crowd *crowd.Clients
	at    crowd.Counts // when Gather returned
}

// NewCrowd builds the cell; nothing runs yet. It panics on options that Check
// refuses.
func NewCrowd(o crowd.Options) *Crowd {
	c := build(o.Plan(), sim.Config{})
	c.crowd = crowd.Join(crowd.Env{World: c.world, Plan: &c.plan, Replicas: c.machines.IDs(), Cell: gathering{c}}, o.Sessions)
	c.machines.Clients = append(c.machines.Clients, c.world.Machine(c.crowd.Addr))
	c.load.Sessions = o.Sessions
	c.sessions.Off = true
	return &Crowd{cell: c, crowd: c.crowd}
}

// Close ends the world.
func (x *Crowd) Close() { x.cell.world.Close() }

// Gather starts the cell, and runs it until each session has begun and opened a handle. It returns
// an error if they do not in time, or if something breaks.
func (x *Crowd) Gather() error {
	x.cell.start()
	c := x.crowd
	for c.Settled() < c.Size() {
		if limit := c.Patience(); x.cell.world.Now() > limit {
			return fmt.Errorf("%d of %d sessions are there after %v of simulated time", c.Settled(), c.Size(), limit)
		}
		if err := x.RunFor(100 * time.Millisecond); err != nil {
			return err
		}
	}
	x.at = x.now()
	return nil
}

// RunFor lets d of simulated time pass. It returns an error if something breaks.
func (x *Crowd) RunFor(d time.Duration) error { return x.cell.runFor(d) }

func (x *Crowd) now() crowd.Counts {
	n := x.crowd.Counts
	n.Sessions, n.Simulated = x.crowd.Size(), x.cell.world.Now()
	n.Lost, n.Failovers, n.Events = uint64(x.cell.beliefs.Ended), x.cell.watch.Epochs.Failovers, x.cell.world.Steps()
	n.Kept = n.KeepAlives
	return n
}

// Counts returns what has happened since Gather.
func (x *Crowd) Counts() crowd.Counts { return x.now().Since(x.at) }

// Hash returns the trace hash of the run so far: the same for the same options and times.
func (x *Crowd) Hash() uint64 { return x.cell.world.Hash() }

// Memory returns how many bytes of memory a replica and the master hold: it kills them and measures
// what becomes free. Every replica has the rows and the log; only the master has tables of sessions
// and handles beside them. The crowd cannot be used afterwards.
func (x *Crowd) Memory() (replica, master int64) {
	serving := x.cell.serving()
	for _, m := range x.cell.machines.Replicas {
		if m != serving && replica == 0 {
			replica = x.freed(m)
		}
	}
	return replica, x.freed(serving)
}

// freed kills a process, drops every reference to it, and returns the bytes that became free.
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
	runtime.GC() // the second collection frees what lay in pools
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// runFor lets d of simulated time pass in the cell of an experiment. It returns an error if
// something breaks, or if the run ends early.
func (c *Cell) runFor(d time.Duration) error {
	end := c.world.RunFor(d)
	if f := c.world.Failure(); f != nil {
		return f
	}
	if end != sim.Reached {
		return fmt.Errorf("the run ended %v", end)
	}
	return nil
}

// gathering is the cell as a crowd sees it.
type gathering struct{ c *Cell }

func (g gathering) HasMaster() bool { return g.c.serving() != nil }

// serving returns the machine of the master, or nil if there is none.
func (c *Cell) serving() *sim.Machine {
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && r.Host.Core() != nil && r.Host.Core().Serving() != nil {
			return m
		}
	}
	return nil
}
