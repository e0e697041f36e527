package driver

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// bulkScheduler decides which bulk job comes next: one at a time, reads and writes of
// pieces in turn with own snapshots.
type bulkScheduler struct {
	least   int64         // bytes of log between two snapshots, if rows are few
	percent int           // of the bytes of the rows, if that is more
	every   paxos.Slot    // slots between two snapshots, at most
	retry   time.Duration // before a snapshot that failed is attempted again
	hold    time.Duration // for so long a peer that fetches holds new snapshots back, at first
	quiet   time.Duration // a peer that has not asked for so long is taken to have stopped

	// ahead is by which part, in percent, of the log between two snapshots the first one of a life comes
	// earlier. Members of a cell have different parts, so that they write snapshots in turn: written
	// by all at once, a large one takes the processors and disks of a majority.
	ahead int

	busy          bool
	applied       paxos.Slot
	last          paxos.Slot // slot of the newest snapshot
	logged        int64      // bytes of log up to applied, in this life
	covered       int64      // as many of them, the newest snapshot makes needless
	size          int64      // bytes of the rows
	written       int64      // what covered will be when the snapshot under way is there
	ready         *WriteJob  // rows that may be written: a majority has them
	writing       paxos.Slot // of the snapshot under way; 0: none is
	cut           bool       // a peer was still fetching when it began
	notBefore     time.Time  // no snapshot is attempted before
	read          bool       // the last job was a read
	reads         []ReadJob  // one a peer
	reading       ReadJob    // while it is busy with one
	served        SnapshotID // that peers fetch
	since         time.Time  // from when on
	until         time.Time  // until when peers are taken to go on fetching
	given         time.Time  // when a peer was last given a piece that was not the last
	holdDoublings uint       // how often the hold was doubled: it was too short for a peer
}

// maxHoldDoublings bounds the doubling, and so the log that a slow peer makes this replica
// keep.
const maxHoldDoublings = 6

// addRead notes that a peer asks for a piece; only its latest question counts. A question
// whose answer is being read already is dropped.
func (b *bulkScheduler) addRead(from paxos.NodeID, m Ask, bytes int) {
	job := ReadJob{To: from, Ask: m, Bytes: bytes}
	if b.busy && b.read && b.reading.To == from && b.reading.Ask.equal(m) {
		return
	}
	for i := range b.reads {
		if b.reads[i].To == from {
			b.reads[i] = job
			return
		}
	}
	b.reads = append(b.reads, job)
}

// onPieceSent notes that a peer was sent a piece of a snapshot. No new snapshot replaces
// it while the peer goes on asking, within the hold.
func (b *bulkScheduler) onPieceSent(now time.Time, p Piece) {
	if !b.served.Equal(p.ID) {
		b.served, b.since = p.ID, now
	}
	b.given, b.until = now, now.Add(b.quiet)
	if p.Offset+int64(len(p.Data)) >= p.ID.Size {
		b.holdDoublings, b.given = 0, time.Time{} // the peer has all of it
	}
	if end := b.since.Add(b.hold << b.holdDoublings); b.until.After(end) {
		b.until = end
	}
}

// isCutShort reports that a peer is still fetching when the hold ends. If the next hold
// were not longer, a peer that needs more than the hold would begin anew for ever. It is
// called when a snapshot begins: when the snapshot has been written, the peer has had no
// answer for so long that it would look like one that has stopped.
func (b *bulkScheduler) isCutShort(now time.Time) bool {
	return !b.given.IsZero() && now.Before(b.given.Add(b.quiet))
}

// due reports whether a snapshot is to be written, and when to ask again.
func (b *bulkScheduler) due(now time.Time) (bool, time.Time) {
	if b.applied < b.last+b.every && b.logged-b.covered < b.between() || b.applied <= b.last {
		return false, time.Time{}
	}
	at := b.notBefore
	if b.until.After(at) {
		at = b.until
	}
	return !now.Before(at), at
}

// slotBytes is about what a slot takes in the log beside its value: a frame for the vote, and its
// share of those that say what was chosen. In memory it takes about as much.
const slotBytes = 128

// onApplied notes a slot that the rows took in, and how many bytes the rows have then.
func (b *bulkScheduler) onApplied(slot paxos.Slot, value int, size int64) {
	b.applied, b.size = slot, size
	b.logged += int64(value) + slotBytes
}

// between is how many bytes of log lie between two snapshots. What a snapshot costs, and what a
// restart takes for it, grows with the rows; what a restart takes for the log grows with the log.
func (b *bulkScheduler) between() int64 {
	bytes := max(b.least, b.size/100*int64(b.percent))
	return bytes - bytes/100*int64(b.ahead)
}

// aheadOf is the part of one member of a cell: they are spread over the time between two snapshots.
func aheadOf(self paxos.NodeID, members []paxos.NodeID) int {
	before := 0
	for _, id := range members {
		if id < self {
			before++
		}
	}
	return 100 * before / len(members)
}

// isSnapshotDue reports whether the driver must take rows for a snapshot and have them
// compared.
func (b *bulkScheduler) isSnapshotDue(now time.Time) bool {
	due, _ := b.due(now)
	return due && b.ready == nil && b.writing == 0
}

// nextJob returns the next job, or nil. The log is durable up to a record.
func (b *bulkScheduler) nextJob(now time.Time, durable paxos.LSN, f *fetch) BulkJob {
	if b.busy {
		return nil
	}
	due, _ := b.due(now)
	due = due && b.ready != nil && b.ready.records <= durable
	var job BulkJob
	switch {
	case f.dropped:
		f.dropped = false
		job = DropJob{}
	case f.piece != nil:
		job = PutJob{Piece: *f.piece}
		f.piece = nil
	case len(b.reads) > 0 && (!b.read || !due):
		job = b.reads[0]
		b.reads = append(b.reads[:0], b.reads[1:]...)
	case due:
		b.writing, b.written, b.cut = b.ready.Handle.Slot, b.ready.logged, b.isCutShort(now)
		job, b.ready = *b.ready, nil
	default:
		return nil
	}
	b.reading, b.read = job.(ReadJob)
	b.busy = true
	return job
}

// onWritten notes the end of an own snapshot.
func (b *bulkScheduler) onWritten(now time.Time, err error) {
	slot := b.writing
	b.writing = 0
	if err != nil {
		b.notBefore = now.Add(b.retry)
		return
	}
	b.last, b.covered, b.ahead = max(b.last, slot), max(b.covered, b.written), 0
	if b.cut {
		b.holdDoublings = min(b.holdDoublings+1, maxHoldDoublings)
	}
}

// onInstalled notes a snapshot from a peer: older rows need not be written any more.
func (b *bulkScheduler) onInstalled(slot paxos.Slot) {
	b.last = max(b.last, slot)
	if slot >= b.applied {
		b.covered = b.logged
	}
	if b.ready != nil && b.ready.Handle.Slot <= slot {
		b.ready = nil
	}
}

// wake is when isSnapshotDue or nextJob may change without a further input. It counts
// also while a job runs: other replicas are asked about the rows of a snapshot meanwhile.
func (b *bulkScheduler) wake(now time.Time) time.Time {
	due, at := b.due(now)
	if due {
		return time.Time{} // nextJob has taken it or will at the end of this job, or others are asked
	}
	return at
}
