package replica

import (
	"context"
	"errors"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// ask is a question to the loop, or an order of an operator.
type ask struct {
	do   func(h *driver.Driver, now time.Time)
	done chan struct{} // closed when it was done and what followed was sent
}

// ErrStopped is what the methods that ask the loop return when it has ended.
var ErrStopped = errors.New("the replica has stopped")

// ask has the loop call do.
func (r *Replica) ask(ctx context.Context, do func(h *driver.Driver, now time.Time)) error {
	a := ask{do: do, done: make(chan struct{})}
	select {
	case r.asks <- a:
	case <-r.ended:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	<-a.done // the loop does not block
	return nil
}

// Resign makes the replica give up being the leader. That frees the others from their grants to
// it; they campaign at their next election timeout. It returns when the messages that say so were handed to the Transport. A
// replica that does not lead is postponed as a candidate.
func (r *Replica) Resign(ctx context.Context) error {
	return r.ask(ctx, func(h *driver.Driver, now time.Time) {
		r.events.resigned = true
		h.Resign(now)
	})
}

// Status describes a replica.
type Status struct {
	ID       paxos.NodeID
	Role     paxos.Role
	Leader   paxos.NodeID // as far as the replica knows; 0: none
	Serving  bool         // it is the master, and serves clients
	Epoch    api.Epoch    // the newest that it has applied
	Applied  paxos.Slot   // slots up to this one are in its rows
	Sessions uint64       // alive, as far as its rows say
	// MostAlive is how many sessions may be alive at one time.
	MostAlive uint64
	Records   uint64 // written to its log, in all of its lives
	Syncs     uint64 // how often records were synced to disk, in this life
	Proposed  int    // commands that wait for a slot
	Refused   uint64 // messages of clients that found no room, in this life
	// KeepAlives is how many were answered, in this life.
	KeepAlives uint64
	Caches     Caches // zero where it is not master
	// State is what it is as a master: following, electing, recovering (STEP), serving, deposed.
	State string
	Saves
}

// Saves is what became of snapshots and backups. Counts are of this life.
type Saves struct {
	Snapshot           paxos.Slot // of the newest; 0: there is none
	Snapshots, Backups uint64     // written
	SnapshotsFailed    uint64
	BackupsFailed      uint64
	SnapshotError      string // why the last one failed; empty: it did not
	BackupError        string
	BackupAge          time.Duration // see driver.Driver.BackupAge
	KnowsBackupAge     bool
}

// Caches is what a master knows of the caches of its clients.
type Caches struct {
	Paths         int           // that some client may have
	Registrations int           // the clients that may have one, for all paths
	Barred        int           // calls that wait until clients have dropped what they change
	Longest       time.Duration // that one has waited, in this epoch
}

// Status asks the replica for its state. It fails when the replica has stopped, or ctx ends
// first.
func (r *Replica) Status(ctx context.Context) (Status, error) {
	var s Status
	err := r.ask(ctx, func(h *driver.Driver, _ time.Time) { r.status(h, &s) })
	return s, err
}

// status reads the state, in constant time.
func (r *Replica) status(h *driver.Driver, s *Status) {
	s.ID = r.cfg.Driver.Core.Paxos.ID
	c := h.Core()
	if c == nil {
		return // it will not start
	}
	p, all := c.Status(), c.Rows()
	s.Role, s.Leader, s.Serving, s.Applied = p.Role, p.Leader, c.Serving() != nil, p.Applied
	s.Records, s.Syncs, s.Proposed, s.Refused = uint64(p.Durable), r.syncs.Load(), p.Pending, r.refused.Load()
	s.Epoch, s.Sessions = rows.GetEpoch(all).Number, rows.GetTotals(all).Sessions
	s.MostAlive = rows.GetMaxSessions(all)
	s.KeepAlives = c.Master().Counters.KeepAlives
	s.State = c.Master().String()
	count := h.Counters()
	s.Saves = Saves{
		Snapshot: h.SnapshotSlot(), Snapshots: count.SnapshotsWritten, SnapshotsFailed: count.SnapshotsFailed, SnapshotError: r.snapshots.reason(),
		Backups: count.BackupsWritten, BackupsFailed: count.BackupsFailed, BackupError: r.backups.reason(),
	}
	s.BackupAge, s.KnowsBackupAge = h.BackupAge(r.cfg.Now())
	caches := c.Caches()
	s.Caches = Caches{Paths: caches.Paths, Registrations: caches.Registrations, Barred: caches.Barred, Longest: caches.Longest}
}
