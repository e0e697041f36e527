package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// source is the snapshot that one life of a replica gives to a peer, by the replica's clock.
// While the peer goes on asking, the source begins no newer snapshot, which would end the
// transfer, for Config.HoldFor. If that was too short, the hold doubles (L1): otherwise a
// peer that needs longer would begin anew with each snapshot of each source, as long as there
// is load.
type source struct {
	id             driver.SnapshotID // the snapshot that is given
	since          time.Time
	lastUnfinished time.Time // when a piece that was not the last one was given; zero: all was given
	lastPiece      time.Time // when any piece was given
	holdUntil      time.Time // as long as the peer asks
	doublings      uint
	isOvertaking   bool // a peer was fetching when the latest snapshot was begun
}

// MaxDoublings is how often a hold doubles at most: maxHoldDoublings of package
// replica/driver.
const MaxDoublings = 6

// onPiece records a piece that is given to a peer.
func (s *source) onPiece(now time.Time, p driver.Piece, first time.Duration) {
	if !s.id.Equal(p.ID) {
		s.id, s.since = p.ID, now
	}
	s.lastUnfinished, s.lastPiece, s.holdUntil = now, now, s.since.Add(first<<s.doublings)
	if p.Offset+int64(len(p.Data)) >= p.ID.Size {
		s.lastUnfinished, s.doublings = time.Time{}, 0
	}
}

// isBusy reports whether a peer may still be fetching, or has fetched a moment ago.
func (s *source) isBusy(now time.Time, quiet time.Duration) bool {
	return !s.lastPiece.IsZero() && now.Before(s.lastPiece.Add(quiet))
}

// onSnapshot checks that a snapshot may begin. A peer that was given nothing for quiet has
// stopped.
func (s *source) onSnapshot(w *sim.World, id paxos.NodeID, now time.Time, quiet time.Duration) {
	s.isOvertaking = !s.lastUnfinished.IsZero() && now.Before(s.lastUnfinished.Add(quiet))
	if s.isOvertaking && now.Before(s.holdUntil) {
		w.Diverge("L1", "replica %d begins another snapshot %v after it began to give one that a peer is still fetching; it has to wait for %v",
			id, now.Sub(s.since), s.holdUntil.Sub(s.since))
	}
}

// onBulkDone records the result of a snapshot job.
func (s *source) onBulkDone(now time.Time, result driver.BulkResult, first time.Duration) {
	switch j := result.(type) {
	case driver.ReadDone:
		if j.Piece.Data != "" {
			s.onPiece(now, j.Piece, first)
		}
	case driver.WriteDone:
		if s.isOvertaking && j.Err == nil {
			s.doublings = min(s.doublings+1, MaxDoublings)
		}
	}
}
