package core

import (
	"time"

	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/nodeops"
)

// These methods are for reports to an operator. Each takes constant time, or time in proportion to
// what it returns.

// HeardAt returns when a member last answered this leader, see paxos.Node.HeardAt.
func (r *Replica) HeardAt(member paxos.NodeID) time.Time { return r.paxos.HeardAt(member) }

// ChosenIn returns how long the proposals of this leader took, see paxos.Node.ChosenIn.
func (r *Replica) ChosenIn() instant.Histogram { return r.paxos.ChosenIn() }

// HasOtherRows reports whether a member reported, for the slot that this replica summed last, another
// checksum than this replica's. One of the two is wrong.
func (r *Replica) HasOtherRows(member paxos.NodeID) bool {
	told, ok := r.audit.others[member]
	return ok && r.audit.own.Slot != 0 && told.Slot == r.audit.own.Slot && told.Sum != r.audit.own.Sum
}

// Unacked counts the sessions that a fail-over waits for, see master.Master.Unacked.
func (r *Replica) Unacked() int { return r.master.Unacked() }

// CountHandles counts the open handles of a session, as far as this master knows.
func (r *Replica) CountHandles(s api.SessionID) int { return r.master.CountHandles(s) }

// Handles lists the open handles of a session, as far as this master knows.
func (r *Replica) Handles(s api.SessionID) []handle.Handle { return r.master.Handles(s) }

// WaitingFor counts the Acquires that wait at this master for a lock.
func (r *Replica) WaitingFor(lock api.Ref) int { return r.master.WaitingFor(lock) }

// FirstDelays lists the lock-delays that end first at this master, no more than most.
func (r *Replica) FirstDelays(most int) []nodeops.Delay { return r.master.FirstDelays(most) }
