package master

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/nodeops"
)

// Unacked counts the sessions that have not acknowledged the epoch. A fail-over waits until each of
// them has done so, or has ended. It returns 0 outside of an epoch of its own.
func (m *Master) Unacked() int {
	if m.sessions == nil {
		return 0
	}
	return m.sessions.Unacked()
}

// CountHandles counts the handles of a session that were opened or presented in this epoch and are
// open; 0 if this replica is not the master.
func (m *Master) CountHandles(s api.SessionID) int {
	if m.ops == nil {
		return 0
	}
	return m.ops.CountHandles(s)
}

// Handles lists what CountHandles counts, by id.
func (m *Master) Handles(s api.SessionID) []handle.Handle {
	if m.ops == nil {
		return nil
	}
	return m.ops.Handles(s)
}

// WaitingFor counts the Acquires that wait for a lock; 0 if this replica is not the master.
func (m *Master) WaitingFor(lock api.Ref) int {
	if m.ops == nil {
		return 0
	}
	return m.ops.WaitingFor(lock)
}

// FirstDelays lists the lock-delays that end first, no more than most; none if this replica is not
// the master.
func (m *Master) FirstDelays(most int) []nodeops.Delay {
	if m.ops == nil {
		return nil
	}
	return m.ops.FirstDelays(most)
}
