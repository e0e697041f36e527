package scenario

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// Fault is one kind of fault. A seed switches each kind on or off. A kind that is on strikes
// repeatedly, at intervals around a mean that the seed draws, except in quiet periods.
type Fault interface {
	// Name is the name for --faults and reports: lower case, words joined by hyphens.
	Name() string
	// Help describes the fault in one line.
	Help() string
	// Strike does the fault once. It must not block. It must also end what it begins, with
	// Stage.Until, which ends it at the latest when the safety phase is over.
	Strike(s Stage)
}

// Stage is the environment of a Fault during one strike. Closures may keep it.
type Stage interface {
	// World is the simulated world: its network, clocks, disks and machines.
	World() *sim.World
	// Draw makes the choices of this kind of fault.
	Draw() *sim.Draw

	// Replicas and Clients are the machines of the cell, running or not.
	Replicas() []*sim.Machine
	Clients() []*sim.Machine
	// Replica draws one replica. Leader returns a replica whose node believes that it leads, or nil
	// if there is none.
	Replica() *sim.Machine
	Leader() *sim.Machine
	// Status returns the status that the node of a replica's machine reports; ok is false while no
	// node runs.
	Status(m *sim.Machine) (s paxos.Status, ok bool)

	// Outage draws for how long something is broken: mostly short, at times for seconds.
	Outage() time.Duration
	// After does part of a strike after d, unless the safety phase is over by then.
	After(d time.Duration, f func())
	// Until calls undo after d, or when the safety phase ends, whichever comes first.
	Until(d time.Duration, undo func())
	// When calls f once, after the first event for which meant is true, unless the safety phase is
	// over before. A strike uses it to wait for its moment. f runs at the instant of that event, when
	// the machine that caused it has ended its step; meant is not called again, so it may keep the
	// event in a variable of the strike, for f. Several strikes may wait for one event: each goes on,
	// in the order in which they began to wait. A replica that an event names is
	// World().Machine(sim.Addr(id)); a client is an address already.
	When(meant func(event.Event) bool, f func())

	// CutPower ends the life of a replica; its disk keeps a drawn part of what was not synced. Kill
	// ends only the process. Both start the machine again after an outage.
	CutPower(m *sim.Machine)
	Kill(m *sim.Machine)
	// Resign makes the replica step down. Campaign makes it ask for promises. All four do nothing
	// for a nil machine, so that the result of Leader can be passed on.
	Resign(m *sim.Machine)
	Campaign(m *sim.Machine)
}
