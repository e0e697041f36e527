package nodeops

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
)

// Handles lists by id the handles of a session that were opened or presented in this epoch and are
// open. It is for reports.
func (o *Ops) Handles(s api.SessionID) []handle.Handle { return o.handles.Handles(s) }

// CountHandles counts what Handles lists, in constant time.
func (o *Ops) CountHandles(s api.SessionID) int { return o.handles.CountOf(s) }

// WaitingFor counts the Acquires that wait for a lock. It is for reports.
func (o *Ops) WaitingFor(lock api.Ref) int { return o.queues.Waiting(lock) }

// Delay is a lock-delay that runs.
type Delay struct {
	Lock api.Ref
	End  time.Time // by the master's clock
}

// FirstDelays lists the lock-delays that end first, no more than most. It is for reports.
func (o *Ops) FirstDelays(most int) (all []Delay) {
	for _, t := range o.delays.all[:min(most, len(o.delays.all))] {
		all = append(all, Delay{Lock: t.lock, End: t.end})
	}
	return all
}
