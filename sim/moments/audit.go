package moments

import (
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// Audit is the last audit of a replica, in its present life. An audit is a full check of the replica's memory or rows,
// which runs after some of its inputs only.
type Audit struct {
	What    string         // "memory" or "rows"
	Running bool           // it has begun and not passed
	Passed  map[string]int // by What: the number of moments when the last audit passed, which is the number of the next moment
}

// audit keeps when an audit began or passed.
func (l *Log) audit(e event.Event) {
	switch e := e.(type) {
	case event.AuditBegun:
		if a := l.Audits[sim.Addr(e.Replica)]; a != nil {
			a.What, a.Running = e.What, true
		}
	case event.AuditPassed:
		if a := l.Audits[sim.Addr(e.Replica)]; a != nil {
			a.Running, a.Passed[e.What] = false, len(l.All)
		}
	}
}
