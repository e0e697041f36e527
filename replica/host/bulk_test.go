package host

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
)

// bulkRig is a bulk lane driven by hand.
type bulkRig struct {
	*bulk
	f   fetch
	now time.Time
}

func newBulkRig() *bulkRig {
	return &bulkRig{now: time.Unix(100, 0), bulk: &bulk{
		every: 10, retry: time.Second, hold: 5 * time.Second, quiet: 100 * time.Millisecond,
	}}
}

func (r *bulkRig) next() BulkJob {
	return r.job(r.now, &r.f, func() WriteJob { return WriteJob{Handle: paxos.Handle{Slot: r.bulk.applied}} })
}

// end ends the job under way.
func (r *bulkRig) end(err error) {
	if r.bulk.writing > r.last {
		r.wrote(r.now, err)
	}
	r.busy, r.bulk.writing = false, 0
}

func TestASnapshotIsWrittenEverySoManySlots(t *testing.T) {
	r := newBulkRig()
	r.bulk.applied = 9
	require.Nil(t, r.next())
	require.True(t, r.wake(r.now).IsZero())
	r.bulk.applied = 12
	require.EqualValues(t, 12, r.next().(WriteJob).Handle.Slot)
	r.bulk.applied = 40
	require.Nil(t, r.next(), "one job at a time")
	r.end(nil)
	require.EqualValues(t, 40, r.next().(WriteJob).Handle.Slot, "counted from the last one")
	r.end(nil)
	r.bulk.applied = 49
	require.Nil(t, r.next())
}

func TestASnapshotThatFailedIsTriedAgainLater(t *testing.T) {
	r := newBulkRig()
	r.bulk.applied = 10
	require.NotNil(t, r.next())
	r.end(errors.New("no room"))
	require.Nil(t, r.next())
	require.Equal(t, r.now.Add(time.Second), r.wake(r.now))
	r.now = r.now.Add(time.Second)
	require.NotNil(t, r.next())
}

func TestAPeerHasOneQuestion(t *testing.T) {
	r := newBulkRig()
	r.asked(2, Ask{Slot: 3}, 7)
	r.asked(3, Ask{Slot: 4}, 7)
	r.asked(2, Ask{ID: idOf(9, 30), Offset: 5}, 7)
	require.Equal(t, ReadJob{To: 2, Ask: Ask{ID: idOf(9, 30), Offset: 5}, Bytes: 7}, r.next())
	r.end(nil)
	require.Equal(t, ReadJob{To: 3, Ask: Ask{Slot: 4}, Bytes: 7}, r.next())
	r.end(nil)
	require.Nil(t, r.next())
}

func TestReadsAndSnapshotsTakeTurns(t *testing.T) {
	r := newBulkRig()
	r.bulk.applied = 10
	r.asked(2, Ask{Slot: 3}, 7)
	r.asked(3, Ask{Slot: 3}, 7)
	require.IsType(t, ReadJob{}, r.next())
	r.end(nil)
	require.IsType(t, WriteJob{}, r.next())
	r.end(nil)
	require.IsType(t, ReadJob{}, r.next())
}

func TestWhatIsOfNoUseIsDroppedBeforeTheNextPiece(t *testing.T) {
	r := newBulkRig()
	r.f.dropped, r.f.piece = true, &Piece{ID: idOf(9, 30), Data: "x"}
	require.Equal(t, DropJob{}, r.next())
	r.end(nil)
	require.Equal(t, PutJob{Piece: Piece{ID: idOf(9, 30), Data: "x"}}, r.next())
	r.end(nil)
	require.Nil(t, r.next())
}

// A peer that fetches keeps new snapshots back, but not for ever.
func TestASnapshotThatIsFetchedStaysForAWhile(t *testing.T) {
	r := newBulkRig()
	r.bulk.applied = 10
	r.gave(r.now, idOf(7, 30))
	require.Nil(t, r.next())
	require.Equal(t, r.now.Add(100*time.Millisecond), r.wake(r.now))
	held := time.Duration(0)
	for r.next() == nil {
		r.gave(r.now, idOf(7, 30))
		r.now = r.now.Add(50 * time.Millisecond)
		held += 50 * time.Millisecond
	}
	require.Equal(t, 5*time.Second, held)

	r = newBulkRig()
	r.bulk.applied = 10
	r.gave(r.now, idOf(7, 30))
	r.now = r.now.Add(100 * time.Millisecond)
	require.NotNil(t, r.next(), "the peer has stopped asking")
}
