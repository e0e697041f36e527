package replica

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
)

// Version returns the version of the commands of the log that the cell uses, by the rows of this replica: a program that
// does not know it cannot be a member any more. It never falls. It does not block.
func (r *Replica) Version() byte { return byte(r.version.Load()) }

// noteVersion keeps what Version returns.
func (r *Replica) noteVersion(h *driver.Driver) {
	if c := h.Core(); c != nil {
		r.version.Store(uint32(c.Version()))
	}
}

// MembersKnow tells the replica which version of commands is the newest that the program of each other member knows, as
// their connections say; a member that is not connected is left out. The cell begins to use a version when all members
// know it. MembersKnow replaces what was said before. It returns when the replica has been told, ErrStopped if it has
// ended, or the cause of ctx if ctx ends first.
func (r *Replica) MembersKnow(ctx context.Context, known map[paxos.NodeID]byte) error {
	return r.ask(ctx, func(h *driver.Driver, now time.Time) { h.MembersKnow(now, known) })
}
