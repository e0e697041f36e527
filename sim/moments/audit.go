package moments

import (
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// Audit is a walk through what a replica holds, which is done at some of its inputs only.
type Audit struct {
	What    string         // "memory" or "rows"
	Running bool           // it has not found all right
	Passed  map[string]int // how many moments there were when one of each was passed last
}

// audit keeps when a walk began, or was passed.
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
