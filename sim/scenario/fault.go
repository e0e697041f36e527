package scenario

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// Fault is one kind of fault. A seed switches each kind on or off; a kind that is on
// strikes again and again, at intervals around a mean that the seed draws, except in
// quiet periods.
type Fault interface {
	// Name is what --faults and reports call it: lower case, words joined by hyphens.
	Name() string
	// Help says in one line what it does.
	Help() string
	// Strike does the fault once. It must not block. What it begins it also ends, by
	// Stage.Until, which ends it at the latest when the safety phase is over.
	Strike(s Stage)
}

// Stage is what a Fault works with. It is of one strike: closures may keep it.
type Stage interface {
	// World is the simulated world: its network, clocks, disks and machines.
	World() *sim.World
	// Draw is where the choices of this kind of fault come from.
	Draw() *sim.Draw

	// Replicas and Clients are the machines of the cell, running or not.
	Replicas() []*sim.Machine
	Clients() []*sim.Machine
	// Replica draws one replica. Leader is one whose node believes that it leads, nil if
	// there is none.
	Replica() *sim.Machine
	Leader() *sim.Machine
	// Status is what the node of a replica's machine says of itself; ok is false while it
	// does not run.
	Status(m *sim.Machine) (s paxos.Status, ok bool)

	// Outage draws how long something is broken: mostly short, at times for seconds.
	Outage() time.Duration
	// After does part of a strike later, unless the safety phase is over by then.
	After(d time.Duration, f func())
	// Until calls undo after d, or when the safety phase ends, whichever comes first.
	Until(d time.Duration, undo func())
	// When calls f once, behind the first event that is meant, unless the safety phase is
	// over before. It is how a strike waits for its moment.
	When(meant func(event.Event) bool, f func())

	// CutPower ends the life of a replica; its disk keeps a drawn choice of what was not
	// synced. Kill ends the process alone. Both start the machine again after an outage.
	CutPower(m *sim.Machine)
	Kill(m *sim.Machine)
	// Resign has the replica step down, Campaign has it ask for promises. All four do
	// nothing to a nil machine, so that Leader can be handed on.
	Resign(m *sim.Machine)
	Campaign(m *sim.Machine)
}
