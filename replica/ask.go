package replica

import (
	"context"
	"errors"
	"time"

	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// ask is a function for the loop to call: a question, or an order of an operator.
type ask struct {
	do   func(h *driver.Driver, now time.Time)
	done chan struct{} // the loop closes it after it has called do and carried out the driver's output
}

// ErrStopped is returned by a method that needs the loop after the replica has ended, also while Wait still waits for its
// files.
var ErrStopped = errors.New("the replica has stopped")

// ask has the loop call do and carry out the driver's output, and then returns nil. It returns
// ErrStopped if the loop has ended, or the cause of ctx if ctx ends before the loop takes the ask;
// do is not called then.
func (r *Replica) ask(ctx context.Context, do func(h *driver.Driver, now time.Time)) error {
	a := ask{do: do, done: make(chan struct{})}
	select {
	case r.asks <- a:
	case <-r.left:
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	<-a.done // the loop does not block
	return nil
}

// Resign makes the replica stop leading or campaigning, see paxos.Node.Resign. The other members
// are freed from their grants to it, and may campaign before it does. Resign returns when the
// messages that free them have been handed to the Transport.
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
	Leader   paxos.NodeID // as far as the replica knows; 0: it knows none
	Serving  bool         // this replica is the master, and serves clients
	Epoch    api.Epoch    // the newest whose Epoch command the replica has applied
	Applied  paxos.Slot   // slots up to this one are in its rows
	Sessions uint64       // that are alive, by its rows
	// MostAlive is the limit of the cell for sessions that are alive at one time.
	MostAlive uint64
	Records   uint64 // written to its log, in all of its lives
	// LogJob is for how long the disk has worked on the present job of the log; 0: there is none. If it does not
	// end, the disk hangs: the replica votes for nothing meanwhile, and says nothing of it by itself.
	LogJob   time.Duration
	Proposed int           // commands that wait for a slot
	Queues   driver.Queues // messages that have come and wait for the loop
	Refused  uint64        // messages of clients for which the inbox had no room, in this life
	// ChosenIn is how long each proposal of this replica as leader took until a quorum had voted for it, and
	// SyncedIn how long each write of its log took that ended with a sync, both in this life.
	ChosenIn, SyncedIn instant.Histogram

	Lease     time.Duration // until the end of its read authority; 0: it has none
	Disagreed uint64        // checksums of members that differed from this replica's own, in this life
	Unacked   int           // sessions that the fail-over waits for, at this master
	// MalformedPeers and MalformedClients count bytes that are no message, and were dropped, in this life.
	MalformedPeers, MalformedClients uint64
	// KeepAlives counts those that were answered in this life.
	KeepAlives uint64
	Caches     Caches // zero unless it is the master
	// State is that of its Master: following, electing, recovering (STEP), serving or deposed.
	State string
	// Version is that of the commands that the cell uses, by the rows of the replica.
	Version byte
	Saves
}

// Saves tells how the snapshots and backups of this replica went. Counts are of this life.
type Saves struct {
	Snapshot           paxos.Slot // of the newest snapshot; 0: there is none
	Snapshots, Backups uint64     // written
	SnapshotsFailed    uint64
	BackupsFailed      uint64
	SnapshotError      string        // of the last snapshot; empty if it did not fail
	BackupError        string        // of the last backup, likewise
	BackupJob          time.Duration // for which the present backup has been under way; 0: there is none
	BackupAge          time.Duration // see driver.Driver.BackupAge
	KnowsBackupAge     bool
}

// Caches tells what a master knows of the caches of its clients.
type Caches struct {
	Paths         int           // that at least one client may have cached
	Registrations int           // pairs of a client and a path that it may have cached
	Barred        int           // changes that wait until clients have dropped their copies
	Longest       time.Duration // that a change has waited so, in this epoch
}

// Status returns the state of the replica. It returns ErrStopped if the replica has ended, or the
// cause of ctx if ctx ends first.
func (r *Replica) Status(ctx context.Context) (Status, error) {
	var s Status
	err := r.ask(ctx, func(h *driver.Driver, _ time.Time) { r.status(h, &s) })
	return s, err
}

// status fills in s, in constant time. The loop calls it.
func (r *Replica) status(h *driver.Driver, s *Status) {
	s.ID = r.cfg.Driver.Core.Paxos.ID
	c := h.Core()
	if c == nil {
		return // the replica did not start
	}
	p, all := c.Status(), c.Rows()
	s.Role, s.Leader, s.Serving, s.Applied = p.Role, p.Leader, c.Serving() != nil, p.Applied
	s.Records, s.Proposed, s.Refused = uint64(p.Durable), p.Pending, r.refused.Load()
	s.LogJob = r.logJob.age(r.cfg.Now())
	s.Queues, s.ChosenIn, s.SyncedIn = r.inbox.queues(), c.ChosenIn(), r.logJob.finished()
	s.Lease, s.Disagreed, s.Unacked = left(r.cfg.Now(), c.Lease()), c.Audit().Disagreed, c.Unacked()
	s.Epoch, s.Sessions = rows.GetEpoch(all).Number, rows.GetTotals(all).Sessions
	s.MostAlive = rows.GetMaxSessions(all)
	s.KeepAlives = c.Master().Counters.KeepAlives
	s.State = c.Master().String()
	s.Version = c.Version()
	count := h.Counters()
	s.MalformedPeers, s.MalformedClients = count.MalformedPeer, count.MalformedClient
	s.Saves = Saves{
		Snapshot: h.SnapshotSlot(), Snapshots: count.SnapshotsWritten, SnapshotsFailed: count.SnapshotsFailed, SnapshotError: r.snapshots.reason(),
		Backups: count.BackupsWritten, BackupsFailed: count.BackupsFailed, BackupError: r.backups.reason(),
		BackupJob: r.backupJob.age(r.cfg.Now()),
	}
	s.BackupAge, s.KnowsBackupAge = h.BackupAge(r.cfg.Now())
	caches := c.Caches()
	s.Caches = Caches{Paths: caches.Paths, Registrations: caches.Registrations, Barred: caches.Barred, Longest: caches.Longest}
}
