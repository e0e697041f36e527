package driver

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Counters count dropped inputs, and the results of snapshots and backups.
type Counters struct {
	MalformedPeer   uint64 // bytes from peers that are no message
	MalformedClient uint64 // bytes from clients that are no request
	BeforeStart     uint64 // inputs before Start

	SnapshotsWritten   uint64 // its own
	SnapshotsFailed    uint64
	SumsAskedAgain     uint64 // rows for a snapshot waited longer for the sums of a majority
	SumsRelayed        uint64 // a question or sum was passed on between two peers
	SumsOutdated       uint64 // a peer had no sum of the slot any more: the rows of a later one were taken
	SumsInMinority     uint64 // no majority can have these rows: the replica stopped
	TransfersFailed    uint64 // of one from a peer
	TransfersRestarted uint64 // the source had moved on
	SourcesSwitched    uint64 // the source was silent
	StalePieces        uint64 // pieces that were not awaited
	BackupsWritten     uint64
	BackupsFound       uint64 // written by a master that died before it recorded them
	BackupsFailed      uint64
	BackupsRotten      uint64 // found at the place, each time that a backup is written
	BackupsUnpruned    uint64 // times that older ones could not be removed
}

// PeerMessage is bytes for another replica. It may be lost. Several messages may share
// the bytes: do not write to them.
type PeerMessage struct {
	To   paxos.NodeID
	Wire []byte
}

// ClientMessage is bytes for a client. It may be lost.
type ClientMessage struct {
	To   core.Addr
	Wire []byte
}

// Output is all that a driver wants from the machine. Each job must be done, and its end
// reported, before the next one of its kind is given out.
type Output struct {
	Peers   []PeerMessage
	Clients []ClientMessage
	Log     *LogJob    // nil: nothing to do, or one is under way
	Bulk    BulkJob    // nil: nothing to do, or one is under way
	Backup  *BackupJob // nil: nothing to do, or one is under way
	Limits  []api.Code // see core.Output
	// Happened is for observers: see core.Output.
	Happened []command.Effect
	Wake     time.Time // call Advance no later than this; zero: no need
	Stop     error     // this replica must not go on; send Peers first
}

// Driver is one process life of a replica on one machine. It takes one caller at a time.
type Driver struct {
	cfg   Config
	now   time.Time
	core  *core.Replica // nil before Start
	log   logScheduler
	wire  encoder
	stop  error
	count Counters

	bulk      bulkScheduler
	sums      sums
	compare   comparison
	fetch     fetch
	backup    backupScheduler
	below     paxos.Slot // records of slots below are dropped, or will be
	transfers []outgoing // to be sent
}

// New makes a driver that waits for Start. It panics on a Config that Validate refuses.
func New(cfg Config) *Driver {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	pause := cfg.Core.Paxos.Retransmit
	compare := comparison{
		self: cfg.Core.Paxos.ID, members: cfg.Core.Paxos.Members, peers: cfg.peers(), pause: pause,
	}
	return &Driver{
		cfg:     cfg,
		log:     logScheduler{flushAfter: cfg.FlushAfter, idleAfter: cfg.IdleAfter},
		bulk:    bulkScheduler{least: cfg.SnapshotBytes, percent: cfg.SnapshotPercent, every: cfg.SnapshotEvery, retry: cfg.RetryAfter, hold: cfg.HoldFor, quiet: 8 * pause, ahead: aheadOf(cfg.Core.Paxos.ID, cfg.Core.Paxos.Members)},
		compare: compare,
		backup: backupScheduler{
			every: cfg.BackupEvery, retry: cfg.RetryAfter, confirm: compare,
			spread: draw.New(cfg.Core.Paxos.Seed).Sub("backup", uint64(cfg.Core.Paxos.ID)),
		},
		fetch: fetch{peers: cfg.peers(), pause: pause, retry: cfg.RetryAfter},
	}
}

// Start begins the life with what was recovered from the disk: rows are those of
// rec.Snapshot, nil if there is none. The log on the disk is needed from slot floor on, 0: all
// of it (WriteDone.Floor). Before Start every other input is counted and dropped. A snapshot of
// other members than the configured ones stops the driver.
func (d *Driver) Start(now time.Time, rec paxos.Recovered, rows *db.DB, floor paxos.Slot) {
	d.now = now
	if rec.Snapshot.Slot > 0 && !d.hasSameMembers(rec.Snapshot) {
		d.stop = fmt.Errorf("replica %d stops: its snapshot is of the members %v, its configuration says %v",
			d.cfg.Core.Paxos.ID, rec.Snapshot.Members, d.cfg.Core.Paxos.Members)
		return
	}
	d.core = core.New(d.cfg.Core, rec, rows, now)
	d.sums.begin(rec.Snapshot.Slot, d.core.View().Checksum())
	d.bulk.applied, d.bulk.last = rec.Snapshot.Slot, rec.Snapshot.Slot
	d.log.nextLSN = max(rec.Next, 1)
	d.log.written, d.log.durable = d.log.nextLSN-1, d.log.nextLSN-1
	d.log.lastSync = now
	// The log drops whole segments and may still hold far more. What lies between the two
	// snapshots stays: if the newer one rots, laggards need these slots.
	d.truncate(floor)
}

// isReady notes the instant and reports whether inputs are taken.
func (d *Driver) isReady(now time.Time) bool {
	d.now = now
	if d.core == nil && d.stop == nil {
		d.count.BeforeStart++
	}
	return d.core != nil && d.stop == nil
}

// PeerMessage takes bytes another replica sent. The driver keeps wire's memory.
func (d *Driver) PeerMessage(now time.Time, from paxos.NodeID, wire string) {
	if !d.isReady(now) {
		return
	}
	if r, ok := DecodeSumReport(wire); ok {
		d.core.SumReport(now, from, r)
		return
	}
	if IsTransfer(wire) {
		d.onTransfer(from, wire)
		return
	}
	m, err := paxos.DecodeMessage(wire)
	if err != nil {
		d.count.MalformedPeer++
		return
	}
	d.core.Step(now, from, m)
}

// ClientMessage takes bytes that a client sent; who is the principal that the transport
// has authenticated. The driver keeps nothing of wire.
func (d *Driver) ClientMessage(now time.Time, from core.Addr, who api.Principal, wire []byte) {
	if !d.isReady(now) {
		return
	}
	q, err := api.DecodeRequest(wire)
	if err != nil {
		d.count.MalformedClient++
		return
	}
	d.core.Request(now, from, who, q)
}

// LogDone reports that the log job under way has ended. An error is final.
func (d *Driver) LogDone(now time.Time, err error) {
	if !d.isReady(now) {
		return
	}
	if err != nil {
		d.stop = fmt.Errorf("replica %d stops: its log failed: %w", d.cfg.Core.Paxos.ID, err)
		return
	}
	d.core.Durable(now, d.log.onDone(now))
}

// Advance reports that time has passed.
func (d *Driver) Advance(now time.Time) {
	if d.isReady(now) {
		d.core.Advance(now)
		d.recordBackup()
	}
}

// Resign makes the replica give up being the leader, see paxos.Node.Resign.
func (d *Driver) Resign(now time.Time) {
	if d.isReady(now) {
		d.core.Resign(now)
	}
}

// Campaign makes the replica try to lead now, see paxos.Node.Campaign.
func (d *Driver) Campaign(now time.Time) {
	if d.isReady(now) {
		d.core.Campaign(now)
	}
}

// Watch says whether Output.Happened is wanted: see core.Replica.Watch.
func (d *Driver) Watch(is bool) {
	if d.core != nil {
		d.core.Watch(is)
	}
}

// SetLimits has limits of the cell changed, see core.Replica.SetLimits.
func (d *Driver) SetLimits(now time.Time, c command.SetLimits) error {
	if !d.isReady(now) {
		return core.ErrNotServing
	}
	return d.core.SetLimits(now, c)
}

// Dismiss has a session end when its present lease is over, see core.Replica.Dismiss.
func (d *Driver) Dismiss(now time.Time, id api.SessionID) (core.Dismissal, error) {
	if !d.isReady(now) {
		return core.Dismissal{}, core.ErrNotServing
	}
	return d.core.Dismiss(now, id)
}

// MembersKnow tells which version of commands the programs of the other members know, see core.Replica.MembersKnow.
func (d *Driver) MembersKnow(now time.Time, known map[paxos.NodeID]byte) {
	if d.isReady(now) {
		d.core.MembersKnow(now, known)
	}
}

// TakeOutput returns what the driver wants done and forgets it.
func (d *Driver) TakeOutput() Output {
	if d.core == nil || d.stop != nil {
		return Output{Stop: d.stop}
	}
	no := d.core.TakeOutput()
	if no.Stop != nil {
		d.stop = no.Stop
		return Output{Stop: d.stop, Peers: d.sumMessages(no.Sum)}
	}
	d.log.add(d.now, no.First, no.Append, no.SyncTo)
	for i := range no.Applied {
		d.bulk.onApplied(no.Applied[i].Slot, no.Applied[i].Bytes, d.core.RowBytes())
		d.sums.add(no.Applied[i].Sum)
	}
	var out Output
	out.Peers, out.Clients = slices.Grow(out.Peers, len(no.Send)), slices.Grow(out.Clients, len(no.Replies))
	for _, e := range no.Send {
		out.Peers = append(out.Peers, PeerMessage{To: e.To, Wire: d.wire.message(e.Message)})
	}
	out.Peers = append(out.Peers, d.sumMessages(no.Sum)...)
	for _, r := range no.Replies {
		out.Clients = append(out.Clients, ClientMessage{To: r.To, Wire: d.wire.reply(r.Reply)})
	}
	out.Limits, out.Happened = no.Limits, no.Happened
	d.advanceBulk(no.Behind, &out)
	if d.stop != nil {
		return Output{Stop: d.stop}
	}
	out.Log = d.log.nextJob(d.now) // a snapshot may wait for records
	out.Wake = instant.Earliest(out.Wake, no.Wake, d.log.wake())
	return out
}

// sumMessages makes the messages that report a sum to all other replicas, if there is one.
func (d *Driver) sumMessages(r *core.SumReport) (all []PeerMessage) {
	if r == nil {
		return nil
	}
	wire := AppendSumReport(nil, *r)
	for _, id := range d.cfg.Core.Paxos.Members {
		if id != d.cfg.Core.Paxos.ID {
			all = append(all, PeerMessage{To: id, Wire: wire})
		}
	}
	return all
}

// Core is the replica inside, nil before Start. Callers read it and change nothing.
func (d *Driver) Core() *core.Replica { return d.core }

// Sums is the number of slots whose checksum is kept.
func (d *Driver) Sums() int { return len(d.sums.after) }

// Waiting is the number of records that wait for a log job.
func (d *Driver) Waiting() int { return len(d.log.waiting) }

// SnapshotSlot is the slot of the newest snapshot; 0: there is none.
func (d *Driver) SnapshotSlot() paxos.Slot { return d.bulk.last }

// Counters returns the counters of this life.
func (d *Driver) Counters() Counters { return d.count }
