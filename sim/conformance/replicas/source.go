package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// source is what one life of a replica owes to a peer that fetches a snapshot from it, by
// its own clock. While the peer goes on asking, the source begins no newer one, which
// would be its end, for as long as Config.HoldFor says. If that was too short it doubles
// (L1): a peer that needs longer would begin anew with each snapshot of each source, as
// long as there is load.
type source struct {
	id      driver.SnapshotID // that is given
	since   time.Time
	given   time.Time // a piece that was not the last one; zero: none since all was given
	last    time.Time // any piece
	until   time.Time // as long as the peer asks
	doubled uint
	cut     bool // the one that is being written began while a peer was fetching
}

// MostDoubled is how often a hold doubles at most (replica/driver).
const MostDoubled = 6

// gives is told of a piece that a peer is given.
func (s *source) gives(now time.Time, p driver.Piece, first time.Duration) {
	if !s.id.Equal(p.ID) {
		s.id, s.since = p.ID, now
	}
	s.given, s.last, s.until = now, now, s.since.Add(first<<s.doubled)
	if p.Offset+int64(len(p.Data)) >= p.ID.Size {
		s.given, s.doubled = time.Time{}, 0
	}
}

// busy says that a peer may be fetching yet, or have fetched a moment ago.
func (s *source) busy(now time.Time, quiet time.Duration) bool {
	return !s.last.IsZero() && now.Before(s.last.Add(quiet))
}

// begins is told that a snapshot begins; a peer that was given nothing for quiet has
// stopped.
func (s *source) begins(w *sim.World, id paxos.NodeID, now time.Time, quiet time.Duration) {
	s.cut = !s.given.IsZero() && now.Before(s.given.Add(quiet))
	if s.cut && now.Before(s.until) {
		w.Break("L1", "replica %d begins another snapshot %v after it began to give one, which a peer is still fetching; it was to wait for %v",
			id, now.Sub(s.since), s.until.Sub(s.since))
	}
}

// ends is told what became of a job of the bulk lane.
func (s *source) ends(now time.Time, result driver.BulkResult, first time.Duration) {
	switch j := result.(type) {
	case driver.ReadDone:
		if j.Piece.Data != "" {
			s.gives(now, j.Piece, first)
		}
	case driver.WriteDone:
		if s.cut && j.Err == nil {
			s.doubled = min(s.doubled+1, MostDoubled)
		}
	}
}
