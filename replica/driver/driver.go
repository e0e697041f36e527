package driver

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
)

// Config is what a replica is told at start.
type Config struct {
	Core       core.Config
	FlushAfter time.Duration // records nobody waits for are written after this
	IdleAfter  time.Duration // an idle log writes its watermark after this

	SnapshotEvery paxos.Slot    // a snapshot is written after so many slots
	KeepSlots     paxos.Slot    // so many that could be forgotten are kept for laggards
	PieceBytes    int           // of a snapshot, in one message; at most
	RetryAfter    time.Duration // a snapshot that failed is tried again after this
	BackupEvery   time.Duration // the master writes a backup that often; 0: never
	HoldFor       time.Duration // while peers fetch one snapshot, no other is begun, for so long at most; doubled where that was too short for one
}

// DefaultConfig is a configuration for machines in one building. The caller sets
// the node's ID, Members and Seed.
func DefaultConfig() Config {
	return Config{
		Core:          core.DefaultConfig(),
		FlushAfter:    100 * time.Millisecond,
		IdleAfter:     200 * time.Millisecond,
		SnapshotEvery: 10_000,
		KeepSlots:     1_000,
		PieceBytes:    256 << 10,
		RetryAfter:    time.Second,
		HoldFor:       30 * time.Second,
	}
}

// Validate returns all faults at once, joined, or nil.
func (c *Config) Validate() error {
	var faults []error
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"FlushAfter", c.FlushAfter}, {"IdleAfter", c.IdleAfter}, {"RetryAfter", c.RetryAfter}, {"HoldFor", c.HoldFor}} {
		if d.value <= 0 {
			faults = append(faults, fmt.Errorf("host config: %s is %v; above 0", d.name, d.value))
		}
	}
	if c.SnapshotEvery == 0 {
		faults = append(faults, errors.New("host config: SnapshotEvery is 0; at least 1"))
	}
	if c.BackupEvery != 0 && c.BackupEvery < time.Second {
		faults = append(faults, fmt.Errorf("host config: BackupEvery is %v; 0, or at least a second", c.BackupEvery))
	}
	if c.PieceBytes < 1 {
		faults = append(faults, fmt.Errorf("host config: PieceBytes is %d; at least 1", c.PieceBytes))
	}
	return errors.Join(append(faults, c.Core.Validate())...)
}

// Counters count what a host dropped, and what became of snapshots.
type Counters struct {
	MalformedPeer   uint64 // bytes from peers that are no message
	MalformedClient uint64 // bytes from clients that are no request
	BeforeStart     uint64 // inputs before Start

	SnapshotsWritten   uint64 // its own
	SnapshotsFailed    uint64
	SumsAskedAgain     uint64 // rows for a snapshot waited longer for a majority's word
	SumsRelayed        uint64 // words about rows were passed on between two peers
	SumsOutdated       uint64 // a peer did not know the slot any more: those of a later one were taken
	SumsInMinority     uint64 // no majority could have these rows: the replica stopped
	TransfersFailed    uint64 // of one from a peer
	TransfersRestarted uint64 // the source had moved on
	SourcesSwitched    uint64 // the source was silent
	StalePieces        uint64 // pieces nobody waited for
	BackupsWritten     uint64
	BackupsFound       uint64 // written by a master that did not live to have it recorded
	BackupsFailed      uint64
	BackupsRotten      uint64 // met at the place, each time that one is written
	BackupsUnpruned    uint64 // times that older ones could not be removed
}

// PeerMessage is bytes for another replica. It may be lost. Others may have the
// same bytes: nobody writes to them.
type PeerMessage struct {
	To   paxos.NodeID
	Wire []byte
}

// ClientMessage is bytes for a client. It may be lost.
type ClientMessage struct {
	To   core.Addr
	Wire []byte
}

// Output is all that a host wants from the machine.
type Output struct {
	Peers   []PeerMessage
	Clients []ClientMessage
	Log     *LogJob    // hand to the log lane; nil: nothing to do, or busy
	Bulk    BulkJob    // hand to the bulk lane; nil: nothing to do, or busy
	Backup  *BackupJob // hand to the backup lane; nil: nothing to do, or busy
	Wake    time.Time  // call Advance no later than this; zero: no need
	Stop    error      // this replica must not go on; Peers are its last words
}

// Host is one process life of a replica on one machine. One caller at a time.
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
	below     paxos.Slot // slots below are forgotten, or will be
	transfers []outgoing // to be sent
}

// New makes a host that waits for Start. It panics on a Config that Validate
// refuses.
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
		bulk:    bulkScheduler{every: cfg.SnapshotEvery, retry: cfg.RetryAfter, hold: cfg.HoldFor, quiet: 8 * pause},
		compare: compare,
		backup: backupScheduler{
			every: cfg.BackupEvery, retry: cfg.RetryAfter, confirm: compare,
			spread: draw.New(cfg.Core.Paxos.Seed).Sub("backup", uint64(cfg.Core.Paxos.ID)),
		},
		fetch: fetch{peers: cfg.peers(), pause: pause},
	}
}

// Start begins the life on what the disk gave back: rows are those of
// rec.Snapshot, nil where there is none. Until then every other input is counted
// and dropped. A snapshot of other members than the configured ones stops the
// host.
func (d *Driver) Start(now time.Time, rec paxos.Recovered, rows *db.DB) {
	d.now = now
	if rec.Snapshot.Slot > 0 && !d.hasSameMembers(rec.Snapshot) {
		d.stop = fmt.Errorf("replica %d stops: its snapshot is of the members %v, its configuration says %v",
			d.cfg.Core.Paxos.ID, rec.Snapshot.Members, d.cfg.Core.Paxos.Members)
		return
	}
	d.core = core.New(d.cfg.Core, rec, rows, now)
	d.sums.begin(rec.Snapshot.Slot, d.core.View().Checksum())
	if s := rec.Snapshot.Slot; s > d.cfg.KeepSlots {
		// The log goes in whole segments and may still hold far more.
		d.core.Truncate(now, s-d.cfg.KeepSlots)
	}
	d.bulk.applied, d.bulk.last = rec.Snapshot.Slot, rec.Snapshot.Slot
	d.log.nextLSN = max(rec.Next, 1)
	d.log.written, d.log.durable = d.log.nextLSN-1, d.log.nextLSN-1
	d.log.lastSync = now
}

// ready notes the instant and says whether inputs count.
func (d *Driver) isReady(now time.Time) bool {
	d.now = now
	if d.core == nil && d.stop == nil {
		d.count.BeforeStart++
	}
	return d.core != nil && d.stop == nil
}

// PeerMessage takes bytes another replica sent. The host keeps wire's memory.
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

// ClientMessage takes bytes a client sent, whose principal the driver has
// authenticated. The host keeps nothing of wire.
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

// LogDone tells that the job under way has ended; err is the machine's failure,
// which is final.
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

// Advance tells that time has passed.
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

// TakeOutput returns what the host wants done and forgets it.
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
		d.bulk.applied = no.Applied[i].Slot
		d.sums.add(no.Applied[i].Sum)
	}
	out := Output{Log: d.log.nextJob(d.now)}
	out.Peers, out.Clients = slices.Grow(out.Peers, len(no.Send)), slices.Grow(out.Clients, len(no.Replies))
	for _, e := range no.Send {
		out.Peers = append(out.Peers, PeerMessage{To: e.To, Wire: d.wire.message(e.Message)})
	}
	out.Peers = append(out.Peers, d.sumMessages(no.Sum)...)
	for _, r := range no.Replies {
		out.Clients = append(out.Clients, ClientMessage{To: r.To, Wire: d.wire.reply(r.Reply)})
	}
	out.Wake = instant.Earliest(no.Wake, d.log.wake())
	d.advanceBulk(no.Behind, &out)
	if d.stop != nil {
		return Output{Stop: d.stop}
	}
	d.verifyPauses()
	return out
}

// tells makes the messages that tell all other replicas of a sum, if there is one.
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

// Node is the node inside, for observers: they look, and change nothing. It is
// nil before Start.
func (d *Driver) Core() *core.Replica { return d.core }

// Sums is the number of slots whose checksum is kept.
func (d *Driver) Sums() int { return len(d.sums.after) }

// Waiting is the number of records that wait for a log job.
func (d *Driver) Waiting() int { return len(d.log.waiting) }

// Counters returns what was dropped so far.
func (d *Driver) Counters() Counters { return d.count }
