package driver

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
)

// bulkRig is a bulk jobs driven by hand.
type bulkRig struct {
	*bulkScheduler
	f       fetch
	now     time.Time
	durable paxos.LSN // of the log
}

func newBulkRig() *bulkRig {
	return &bulkRig{now: time.Unix(100, 0), bulkScheduler: &bulkScheduler{
		least: 1 << 40, every: 10, retry: time.Second, hold: 5 * time.Second, quiet: 100 * time.Millisecond,
	}}
}

// next is the next job, where rows that are wanted are ready at once.
func (r *bulkRig) next() BulkJob {
	if r.isSnapshotDue(r.now) {
		r.ready = &WriteJob{Handle: paxos.Handle{Slot: r.bulkScheduler.applied}}
	}
	return r.nextJob(r.now, r.durable, &r.f)
}

// end ends the job under way.
func (r *bulkRig) end(err error) {
	if r.bulkScheduler.writing > 0 {
		r.onWritten(r.now, err)
	}
	r.busy = false
}

func TestASnapshotIsWrittenEverySoManySlots(t *testing.T) {
	r := newBulkRig()
	r.bulkScheduler.applied = 9
	require.Nil(t, r.next())
	require.True(t, r.wake(r.now).IsZero())
	r.bulkScheduler.applied = 12
	require.EqualValues(t, 12, r.next().(WriteJob).Handle.Slot)
	r.bulkScheduler.applied = 40
	require.Nil(t, r.next(), "one job at a time")
	r.end(nil)
	require.EqualValues(t, 40, r.next().(WriteJob).Handle.Slot, "counted from the last one")
	r.end(nil)
	r.bulkScheduler.applied = 49
	require.Nil(t, r.next())
}

// Bytes of log decide, by the share of the rows that they are: those of slots behind the rows that
// are being written count for the snapshot after it, and those of before a restart for none.
func TestASnapshotIsWrittenAfterBytesOfLog(t *testing.T) {
	r := newBulkRig()
	r.every, r.least, r.percent = 1<<40, 3000, 50
	slot := paxos.Slot(0)
	apply := func(slots, value int, size int64) {
		for range slots {
			slot++
			r.bulkScheduler.onApplied(slot, value, size)
		}
	}
	write := func() {
		require.True(t, r.isSnapshotDue(r.now))
		r.ready = &WriteJob{Handle: paxos.Handle{Slot: slot}, logged: r.logged}
		require.NotNil(t, r.nextJob(r.now, r.durable, &r.f))
	}
	apply(2, 1000, 100)
	require.False(t, r.isSnapshotDue(r.now), "2,256 bytes")
	apply(1, 1000, 100)
	write()
	apply(2, 1000, 100)
	r.end(nil)
	require.False(t, r.isSnapshotDue(r.now), "two slots came meanwhile")
	apply(1, 1000, 8000)
	require.False(t, r.isSnapshotDue(r.now), "rows of 8,000 bytes wait for 4,000 of log")
	apply(1, 1000, 8000)
	write()
	r.end(errors.New("no room"))
	r.now = r.notBefore
	require.True(t, r.isSnapshotDue(r.now), "it failed")
	write()
	r.end(nil)
	require.Nil(t, r.next())
	apply(4, 1000, 8000)
	require.True(t, r.isSnapshotDue(r.now))
	slot = 100
	r.onInstalled(slot)
	require.False(t, r.isSnapshotDue(r.now), "a snapshot from a peer covers the log")
	apply(4, 1000, 8000)
	require.True(t, r.isSnapshotDue(r.now))
}

// Members of a cell write snapshots in turn: the first ones are spread over the log between two, and the later ones
// are as far apart, so they stay so.
func TestMembersWriteSnapshotsInTurn(t *testing.T) {
	members := []paxos.NodeID{7, 3, 5}
	written := map[paxos.NodeID][]paxos.Slot{}
	for _, id := range members {
		r := newBulkRig()
		r.every, r.least, r.ahead = 1<<40, 300*(slotBytes+1), aheadOf(id, members)
		for slot := range paxos.Slot(1000) {
			r.bulkScheduler.onApplied(slot+1, 1, 0)
			if r.isSnapshotDue(r.now) {
				written[id] = append(written[id], slot+1)
				r.ready = &WriteJob{Handle: paxos.Handle{Slot: slot + 1}, logged: r.logged}
				require.NotNil(t, r.nextJob(r.now, r.durable, &r.f))
				r.end(nil)
			}
		}
	}
	require.Equal(t, map[paxos.NodeID][]paxos.Slot{3: {300, 600, 900}, 5: {201, 501, 801}, 7: {102, 402, 702}}, written)
}

// Slots take memory, whatever they hold.
func TestEmptySlotsAreLogToo(t *testing.T) {
	r := newBulkRig()
	r.every, r.least = 1<<40, 1000
	for slot := range paxos.Slot(7) {
		r.bulkScheduler.onApplied(slot+1, 0, 0)
	}
	require.Nil(t, r.next())
	r.bulkScheduler.onApplied(8, 0, 0)
	require.NotNil(t, r.next())
}

// Rows are wanted once, and written when they are ready and not before.
func TestRowsThatAreNotReadyAreNotWritten(t *testing.T) {
	r := newBulkRig()
	require.False(t, r.isSnapshotDue(r.now))
	r.bulkScheduler.applied = 10
	require.True(t, r.isSnapshotDue(r.now))
	require.Nil(t, r.nextJob(r.now, r.durable, &r.f))
	r.addRead(2, Ask{Slot: 3}, 7)
	require.IsType(t, ReadJob{}, r.nextJob(r.now, r.durable, &r.f))
	r.end(nil)
	r.addRead(2, Ask{Slot: 3}, 7)
	require.IsType(t, ReadJob{}, r.nextJob(r.now, r.durable, &r.f), "peers do not take turns with what is not ready")
	r.end(nil)
	r.ready = &WriteJob{Handle: paxos.Handle{Slot: 10}}
	require.False(t, r.isSnapshotDue(r.now))
	require.IsType(t, WriteJob{}, r.nextJob(r.now, r.durable, &r.f))
	r.bulkScheduler.applied = 40
	require.False(t, r.isSnapshotDue(r.now), "one at a time")
	r.end(nil)
	require.True(t, r.isSnapshotDue(r.now))
}

// A snapshot is not written before the log says durably what was chosen in its slots; a peer that
// asks for pieces meanwhile is served.
func TestASnapshotWaitsForTheRecordsOfItsSlots(t *testing.T) {
	r := newBulkRig()
	r.bulkScheduler.applied = 10
	r.ready, r.durable = &WriteJob{Handle: paxos.Handle{Slot: 10}, records: 21}, 20
	require.Nil(t, r.next())
	for range 2 {
		r.addRead(2, Ask{Slot: 3}, 7)
		require.IsType(t, ReadJob{}, r.next())
		r.end(nil)
	}
	r.durable = 21
	require.IsType(t, WriteJob{}, r.next())
}

func TestRowsOlderThanWhatWasInstalledAreOfNoUse(t *testing.T) {
	r := newBulkRig()
	r.bulkScheduler.applied = 12
	r.ready = &WriteJob{Handle: paxos.Handle{Slot: 12}}
	r.onInstalled(11)
	require.NotNil(t, r.ready)
	r.onInstalled(12)
	require.Nil(t, r.ready)
	require.EqualValues(t, 12, r.last)
}

func TestASnapshotThatFailedIsTriedAgainLater(t *testing.T) {
	r := newBulkRig()
	r.bulkScheduler.applied = 10
	require.NotNil(t, r.next())
	r.end(errors.New("no room"))
	require.Nil(t, r.next())
	require.Equal(t, r.now.Add(time.Second), r.wake(r.now))
	r.now = r.now.Add(time.Second)
	require.NotNil(t, r.next())
}

// Others are asked about the rows of a snapshot beside a job for a peer.
func TestWhatWillBeWantedDuringAJobIsAskedAWakeFor(t *testing.T) {
	r := newBulkRig()
	r.bulkScheduler.applied = 10
	require.NotNil(t, r.next())
	r.end(errors.New("no room"))
	r.addRead(2, Ask{Slot: 3}, 7)
	require.IsType(t, ReadJob{}, r.next())
	require.False(t, r.isSnapshotDue(r.now))
	require.Equal(t, r.now.Add(time.Second), r.wake(r.now))
	r.now = r.now.Add(time.Second)
	require.True(t, r.isSnapshotDue(r.now))
	require.True(t, r.wake(r.now).IsZero(), "the end of the job is next")
}

func TestAPeerHasOneQuestion(t *testing.T) {
	r := newBulkRig()
	r.addRead(2, Ask{Slot: 3}, 7)
	r.addRead(3, Ask{Slot: 4}, 7)
	r.addRead(2, Ask{ID: idOf(9, 30), Offset: 5}, 7)
	require.Equal(t, ReadJob{To: 2, Ask: Ask{ID: idOf(9, 30), Offset: 5}, Bytes: 7}, r.next())
	r.end(nil)
	require.Equal(t, ReadJob{To: 3, Ask: Ask{Slot: 4}, Bytes: 7}, r.next())
	r.end(nil)
	require.Nil(t, r.next())
}

func TestReadsAndSnapshotsTakeTurns(t *testing.T) {
	r := newBulkRig()
	r.bulkScheduler.applied = 10
	r.addRead(2, Ask{Slot: 3}, 7)
	r.addRead(3, Ask{Slot: 3}, 7)
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

// pieceOf is a byte of a snapshot of thirty.
func pieceOf(slot paxos.Slot, off int64) Piece {
	return Piece{ID: idOf(slot, 30), Offset: off, Data: "x"}
}

// A peer that needs longer than the hold is given twice as long the next time,
// up to a bound, until one got all it asked for.
func TestAPeerThatWasCutShortIsGivenLonger(t *testing.T) {
	r := newBulkRig()
	heldFor := func(slot paxos.Slot) (held time.Duration) {
		r.bulkScheduler.applied = r.last + 10
		for r.onPieceSent(r.now, pieceOf(slot, 0)); r.next() == nil; r.onPieceSent(r.now, pieceOf(slot, 0)) {
			r.now = r.now.Add(50 * time.Millisecond)
			held += 50 * time.Millisecond
		}
		r.end(nil)
		return held
	}
	for i, want := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 320} {
		require.Equal(t, want*time.Second, heldFor(paxos.Slot(i+1)))
	}
	r.onPieceSent(r.now, pieceOf(8, 29))
	require.Equal(t, 5*time.Second, heldFor(9), "it has it all")

	r = newBulkRig()
	r.bulkScheduler.applied = 10
	for r.onPieceSent(r.now, pieceOf(7, 0)); r.next() == nil; r.onPieceSent(r.now, pieceOf(7, 29)) {
		r.now = r.now.Add(50 * time.Millisecond)
	}
	r.end(nil)
	require.Zero(t, r.holdDoublings, "it had it all when its time was up")

	r = newBulkRig()
	r.bulkScheduler.applied = 10
	r.onPieceSent(r.now, pieceOf(7, 0))
	r.now = r.now.Add(time.Second)
	require.NotNil(t, r.next())
	r.end(nil)
	require.Zero(t, r.holdDoublings, "no peer was fetching any more")

	cut := func(err error) {
		r.bulkScheduler.applied = r.last + 10
		for r.onPieceSent(r.now, pieceOf(9, 0)); r.next() == nil; r.onPieceSent(r.now, pieceOf(9, 0)) {
			r.now = r.now.Add(50 * time.Millisecond)
		}
		r.now = r.now.Add(time.Minute)
		r.end(err)
	}
	cut(errors.New("no room"))
	require.Zero(t, r.holdDoublings, "what the peer fetches is still there")
	r.now = r.now.Add(time.Second)
	r.served = SnapshotID{}
	cut(nil)
	require.EqualValues(t, 1, r.holdDoublings, "writing took so long that the peer looks silent")
}

// A peer that fetches keeps new snapshots back, but not for ever.
func TestASnapshotThatIsFetchedStaysForAWhile(t *testing.T) {
	r := newBulkRig()
	r.bulkScheduler.applied = 10
	r.onPieceSent(r.now, pieceOf(7, 0))
	require.Nil(t, r.next())
	require.Equal(t, r.now.Add(100*time.Millisecond), r.wake(r.now))
	held := time.Duration(0)
	for r.next() == nil {
		r.onPieceSent(r.now, pieceOf(7, 0))
		r.now = r.now.Add(50 * time.Millisecond)
		held += 50 * time.Millisecond
	}
	require.Equal(t, 5*time.Second, held)

	r = newBulkRig()
	r.bulkScheduler.applied = 10
	r.onPieceSent(r.now, pieceOf(7, 0))
	r.now = r.now.Add(100 * time.Millisecond)
	require.NotNil(t, r.next(), "the peer has stopped asking")
}
