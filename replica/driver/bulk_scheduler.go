package driver

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// bulk decides what the bulk lane does next: one job at a time, pieces for and
// from peers in turn with snapshots of its own.
type bulkScheduler struct {
	every paxos.Slot    // slots between two snapshots
	retry time.Duration // before a snapshot is tried again that failed
	hold  time.Duration // for so long a peer that fetches keeps new ones back, at first
	quiet time.Duration // a peer that has not asked for so long has stopped

	busy          bool
	applied       paxos.Slot
	last          paxos.Slot // slot of the newest snapshot
	ready         *WriteJob  // rows that may be written, as others have them, too
	writing       paxos.Slot // of the snapshot under way; 0: none is
	cut           bool       // a peer was still fetching when it began
	notBefore     time.Time  // no snapshot is tried before
	read          bool       // the last job was a read
	reads         []ReadJob  // one a peer
	reading       ReadJob    // while it is busy with one
	served        SnapshotID // what peers fetch
	since         time.Time  // from when on
	until         time.Time  // they are taken to go on fetching
	given         time.Time  // when a peer was last given a piece that was not the last
	holdDoublings uint       // the hold is doubled so often: it was too short for a peer
}

// mostLonger bounds the doubling, and so the log that a slow peer can keep alive.
const maxHoldDoublings = 6

// asked notes that a peer wants a piece; only its latest question counts. The answer to
// one that it asks again may be under way.
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

// gave notes that a peer was given a piece of a snapshot, which had better stay:
// for as long as the peer goes on asking, within the hold.
func (b *bulkScheduler) onPieceSent(now time.Time, p Piece) {
	if !b.served.Equal(p.ID) {
		b.served, b.since = p.ID, now
	}
	b.given, b.until = now, now.Add(b.quiet)
	if p.Offset+int64(len(p.Data)) >= p.ID.Size {
		b.holdDoublings, b.given = 0, time.Time{} // it has it all
	}
	if end := b.since.Add(b.hold << b.holdDoublings); b.until.After(end) {
		b.until = end
	}
}

// cutShort says that a peer is still fetching though its time is up. Without more
// time for the next try, one that needs longer than the hold would begin anew for
// ever, as each source moves on. It is asked when a snapshot begins: by the time it
// is written the peer, which had no answer all the while, looks like one that has
// stopped.
func (b *bulkScheduler) isCutShort(now time.Time) bool {
	return !b.given.IsZero() && now.Before(b.given.Add(b.quiet))
}

// due says whether a snapshot is to be written, and when to ask again.
func (b *bulkScheduler) due(now time.Time) (bool, time.Time) {
	if b.applied < b.last+b.every {
		return false, time.Time{}
	}
	at := b.notBefore
	if b.until.After(at) {
		at = b.until
	}
	return !now.Before(at), at
}

// wants says whether rows for a snapshot are wanted, to be compared and made ready.
func (b *bulkScheduler) isSnapshotDue(now time.Time) bool {
	due, _ := b.due(now)
	return due && b.ready == nil && b.writing == 0
}

// job returns the next piece of work, or nil.
func (b *bulkScheduler) nextJob(now time.Time, f *fetch) BulkJob {
	if b.busy {
		return nil
	}
	due, _ := b.due(now)
	due = due && b.ready != nil
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
		b.writing, b.cut = b.ready.Handle.Slot, b.isCutShort(now)
		job, b.ready = *b.ready, nil
	default:
		return nil
	}
	b.reading, b.read = job.(ReadJob)
	b.busy = true
	return job
}

// wrote ends a snapshot of its own.
func (b *bulkScheduler) onWritten(now time.Time, err error) {
	slot := b.writing
	b.writing = 0
	if err != nil {
		b.notBefore = now.Add(b.retry)
		return
	}
	b.last = max(b.last, slot)
	if b.cut {
		b.holdDoublings = min(b.holdDoublings+1, maxHoldDoublings)
	}
}

// installed notes a snapshot from elsewhere: older rows are of no use any more.
func (b *bulkScheduler) onInstalled(slot paxos.Slot) {
	b.last = max(b.last, slot)
	if b.ready != nil && b.ready.Handle.Slot <= slot {
		b.ready = nil
	}
}

// wake is when wants or job may have something to say without a further input: also
// beside a job, since others are asked about the rows of a snapshot meanwhile.
func (b *bulkScheduler) wake(now time.Time) time.Time {
	due, at := b.due(now)
	if due {
		return time.Time{} // job has taken it or will at the end of this one, or others are asked
	}
	return at
}
