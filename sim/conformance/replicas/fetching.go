package replicas

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// fetching is the snapshot that one life of a replica is fetching. Its source may be slow.
// The replica does not leave it for a source with another snapshot: a replica with more to
// copy than a source gives in one hold would begin anew for ever, though all are alive (L1).
//
// And it takes no piece unless it has asked for a snapshot since it had the last one. A late
// piece would be written where it belongs to nothing (L2).
type fetching struct {
	hasAsked   bool // it has asked for a snapshot
	asksAgain  bool // since the latest piece that it writes
	id         driver.SnapshotID
	sources    []paxos.NodeID // the senders of the piece that it took last; none: it has no source
	lastPiece  time.Time      // when that piece came, by its clock
	latest     driver.Piece   // the latest piece that came, which it may not have taken
	latestFrom []paxos.NodeID // its senders
	latestAt   time.Time      // when it came
}

// minPauses is for how many first waits a replica does not leave a source that has given it a
// piece: two waits for that source and two for others, each twice as long as the one before.
const minPauses = 1 + 2 + 4 + 8

// onTransfer records a transfer of another replica.
func (f *fetching) onTransfer(now time.Time, from paxos.NodeID, m driver.Transfer) {
	switch m := m.(type) {
	case driver.Piece:
		if !m.ID.Equal(f.latest.ID) || m.Offset != f.latest.Offset {
			f.latestFrom = nil
		}
		f.latest, f.latestFrom, f.latestAt = m, append(f.latestFrom, from), now
	case driver.Gone:
		if slices.Contains(f.sources, from) && m.ID.Equal(f.id) {
			f.sources = nil
		}
	}
}

// onBulkJob checks a snapshot job: a piece that is written was taken.
func (f *fetching) onBulkJob(w *sim.World, id paxos.NodeID, j driver.BulkJob) {
	p, puts := j.(driver.PutJob)
	if !puts {
		return
	}
	if !f.hasAsked {
		w.Diverge("L2", "replica %d writes a piece of a snapshot after slot %d without having asked for one", id, p.Piece.ID.Handle.Slot)
	}
	f.asksAgain = false
	if p.Piece.Offset == f.latest.Offset && p.Piece.ID.Equal(f.latest.ID) {
		f.id, f.sources, f.lastPiece = p.Piece.ID, f.latestFrom, f.latestAt
	}
}

// onBulkDone records the result of a snapshot job: a transfer may have failed, or be
// complete.
func (f *fetching) onBulkDone(result driver.BulkResult) {
	if d, puts := result.(driver.PutDone); puts && (d.Err != nil || d.Rows != nil) {
		f.sources = nil
		if d.Rows != nil { // it may have asked for a newer one while this one was written
			f.hasAsked = f.asksAgain
		}
	}
}

// onApplied records how far the log is applied: records may overtake a transfer.
func (f *fetching) onApplied(upto paxos.Slot) {
	if upto >= f.id.Handle.Slot {
		f.sources = nil
	}
}

// hasSource reports whether a peer gives pieces, as far as was recorded.
func (f *fetching) hasSource() bool { return len(f.sources) > 0 }

// onAsk checks a request for a piece that leaves.
func (f *fetching) onAsk(w *sim.World, id, to paxos.NodeID, now time.Time, m driver.Ask, pause time.Duration) {
	f.hasAsked, f.asksAgain = true, true
	if !f.hasSource() || !m.ID.IsZero() {
		return
	}
	if silent := now.Sub(f.lastPiece); silent < minPauses*pause {
		w.Diverge("L1", "replica %d asks replica %d for another snapshot %v after replica %d gave it a piece of one, which is not gone; it waits %v before it asks again",
			id, to, silent, f.sources[0], pause)
	}
	f.sources = nil
}
