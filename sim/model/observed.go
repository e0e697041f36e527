package model

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// Observed collects what a replica tells its observer between two outputs. The zero
// Observed has been told nothing.
type Observed struct {
	Installed *core.Installed // the last one; nil: none
	Applied   []core.Applied
	Tenure    *paxos.Tenure // the last one; nil: none
	Proposed  [][]byte
	Begun     [][]byte
	Reads     []core.Read
}

// OnInstalled notes that the rows were replaced.
func (o *Observed) OnInstalled(i core.Installed) { o.Installed = &i }

// OnApplied notes a slot.
func (o *Observed) OnApplied(a core.Applied) { o.Applied = append(o.Applied, a) }

// OnTenure notes which replica leads.
func (o *Observed) OnTenure(t paxos.Tenure) { o.Tenure = &t }

// OnProposed notes a command that the log took.
func (o *Observed) OnProposed(raw []byte) { o.Proposed = append(o.Proposed, raw) }

// OnBegun notes a command that waits for its turn in the log.
func (o *Observed) OnBegun(raw []byte) { o.Begun = append(o.Begun, raw) }

// OnRead notes an answer that went without the log.
func (o *Observed) OnRead(r core.Read) { o.Reads = append(o.Reads, r) }

// Outcome is what a driver wants done, and what its replica has told its observer since
// the outcome before.
type Outcome struct {
	driver.Output
	Observed
}

// Take takes the output of d and empties o, the observer of its replica. Of a replica
// that stops nothing is observed: what it did last has no effect.
func (o *Observed) Take(d *driver.Driver) Outcome {
	out := Outcome{Output: d.TakeOutput()}
	if out.Stop == nil {
		out.Observed = *o
	}
	*o = Observed{}
	return out
}
