package model

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// Observed collects what a replica reports to its observer between two outputs. The zero
// Observed is empty.
type Observed struct {
	Installed *core.Installed // the last one; nil: none
	Applied   []core.Applied
	Tenure    *paxos.Tenure // the last one; nil: none
	Proposed  [][]byte
	Refused   [][]byte
	Begun     [][]byte
	Reads     []core.Read
}

// OnInstalled records that the rows were replaced.
func (o *Observed) OnInstalled(i core.Installed) { o.Installed = &i }

// OnApplied records an applied slot.
func (o *Observed) OnApplied(a core.Applied) { o.Applied = append(o.Applied, a) }

// OnTenure records which replica leads.
func (o *Observed) OnTenure(t paxos.Tenure) { o.Tenure = &t }

// OnProposed records a command that the log accepted.
func (o *Observed) OnProposed(raw []byte) { o.Proposed = append(o.Proposed, raw) }

// OnRefused records a command that the log did not take.
func (o *Observed) OnRefused(raw []byte) { o.Refused = append(o.Refused, raw) }

// OnBegun records a command that waits for its turn in the log.
func (o *Observed) OnBegun(raw []byte) { o.Begun = append(o.Begun, raw) }

// OnRead records an answer that did not go through the log.
func (o *Observed) OnRead(r core.Read) { o.Reads = append(o.Reads, r) }

// Outcome is a driver's output, and what its replica reported to the observer since the
// previous Outcome.
type Outcome struct {
	driver.Output
	Observed
}

// Take takes the output of d and empties o, the observer of d's replica. If the replica
// stops, the Outcome has no observations: the replica's last step has no effect.
func (o *Observed) Take(d *driver.Driver) Outcome {
	out := Outcome{Output: d.TakeOutput()}
	if out.Stop == nil {
		out.Observed = *o
	}
	*o = Observed{}
	return out
}
