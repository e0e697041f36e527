package driver_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/driver"
)

// alone is a cell of one replica, driven by hand.
type alone struct {
	t    *testing.T
	h    *driver.Driver
	now  time.Time
	next paxos.LSN // what the next job must begin with
	out  driver.Output
	bulk []driver.BulkJob // all that was asked for
}

func newAlone(t *testing.T) *alone { return newAloneWith(t, func(*driver.Config) {}) }

func newAloneWith(t *testing.T, tune func(*driver.Config)) *alone {
	cfg := driver.DefaultConfig()
	cfg.Core.Paxos.ID, cfg.Core.Paxos.Members = 1, []paxos.NodeID{1}
	tune(&cfg)
	return &alone{t: t, h: driver.New(cfg), now: time.Unix(100, 0), next: 1}
}

func (a *alone) start() *alone {
	a.h.Start(a.now, paxos.Recovered{}, nil, 0)
	a.take()
	return a
}

func (a *alone) take() driver.Output {
	a.out = a.h.TakeOutput()
	if a.out.Bulk != nil {
		a.bulk = append(a.bulk, a.out.Bulk)
	}
	if j := a.out.Log; j != nil && len(j.Records) > 0 {
		require.Equal(a.t, a.next, j.First, "jobs follow each other without a gap")
		a.next += paxos.LSN(len(j.Records))
	}
	return a.out
}

// done ends the job under way.
func (a *alone) done() driver.Output {
	a.h.LogDone(a.now, nil)
	return a.take()
}

// settle lets time pass and jobs end until nothing is due within the second.
func (a *alone) settle() {
	for range 1000 {
		switch {
		case a.out.Log != nil:
			a.done()
		case !a.out.Wake.IsZero() && a.out.Wake.Before(a.now.Add(time.Second)):
			a.now = a.out.Wake
			a.h.Advance(a.now)
			a.take()
			if a.h.Core().Serving() != nil && a.out.Log == nil {
				return
			}
		default:
			return
		}
	}
	a.t.Fatal("never settles")
}

func (a *alone) request(q api.Request) driver.Output {
	a.h.ClientMessage(a.now, 7, "ann", api.AppendRequest(nil, q))
	return a.take()
}

// answer drives until a reply comes.
func (a *alone) answer(q api.Request) api.Reply {
	out := a.request(q)
	for i := 0; len(out.Clients) == 0; i++ {
		require.Less(a.t, i, 10)
		require.NotNil(a.t, out.Log, "nothing to do and no answer")
		out = a.done()
	}
	require.EqualValues(a.t, 7, out.Clients[0].To)
	p, err := api.DecodeReply(out.Clients[0].Wire)
	require.NoError(a.t, err)
	return p
}

func TestALifeBeginsWithItsBootRecordAndNothingElse(t *testing.T) {
	a := newAlone(t).start()
	require.NotNil(t, a.out.Log)
	require.Equal(t, []paxos.Record{paxos.Booted{Boot: 1, Grant: driver.DefaultConfig().Core.Paxos.Lease.Grant}}, a.out.Log.Records)
	require.True(t, a.out.Log.Sync)
	require.Empty(t, a.out.Peers)
}

func TestARequestIsAnsweredAfterTheDiskHasIt(t *testing.T) {
	a := newAlone(t).start()
	a.settle()
	opened := a.answer(api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}})
	require.Equal(t, api.OK, opened.Code)

	out := a.request(api.Request{ID: 2, Session: opened.Result.Session, Seq: 1, Epoch: opened.Epoch, Op: api.Put{Key: "a", Value: "1"}})
	require.Empty(t, out.Clients, "the vote is not on disk")
	require.True(t, out.Log.Sync)
	before := a.h.Core().Status().Applied
	out = a.done()
	require.Len(t, out.Clients, 1)
	require.Equal(t, before+1, a.h.Core().Status().Applied)
}

func TestOneJobAtATimeAndOneSyncForAllThatCameMeanwhile(t *testing.T) {
	a := newAlone(t).start()
	a.settle()
	s := a.answer(api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}}).Result.Session
	first := a.request(api.Request{ID: 2, Session: s, Epoch: 1, Seq: 1, Op: api.Put{Key: "a", Value: "1"}})
	require.NotNil(t, first.Log)
	for seq := api.Seq(2); seq <= 5; seq++ {
		out := a.request(api.Request{ID: uint64(seq) + 1, Session: s, Seq: seq, Epoch: 1, Op: api.Put{Key: "a", Value: "1"}})
		require.Nil(t, out.Log, "a job is under way")
	}
	second := a.done()
	require.Len(t, second.Clients, 1, "the first answer")
	require.True(t, second.Log.Sync)
	voted := 0
	for _, r := range second.Log.Records {
		if _, ok := r.(paxos.Voted); ok {
			voted++
		}
	}
	require.Equal(t, 4, voted, "all that came meanwhile is in one job")
	require.Len(t, a.done().Clients, 4)
}

func TestAFailedDiskIsTheEnd(t *testing.T) {
	a := newAlone(t).start()
	bad := errors.New("the disk is gone")
	a.h.LogDone(a.now, bad)
	out := a.h.TakeOutput()
	require.ErrorIs(t, out.Stop, bad)
	require.ErrorContains(t, out.Stop, "replica 1 stops")

	a.h.Advance(a.now.Add(time.Hour))
	a.h.LogDone(a.now, nil)
	a.h.ClientMessage(a.now, 7, "ann", api.AppendRequest(nil, api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}}))
	again := a.h.TakeOutput()
	require.ErrorIs(t, again.Stop, bad, "it says so again")
	require.Empty(t, again.Clients)
	require.Empty(t, again.Peers)
	require.Nil(t, again.Log)
}

func TestMalformedAndEarlyInputIsCountedAndDropped(t *testing.T) {
	a := newAlone(t)
	a.h.PeerMessage(a.now, 1, "early")
	require.Equal(t, driver.Counters{BeforeStart: 1}, a.h.Counters())
	require.Equal(t, driver.Output{}, a.h.TakeOutput())

	a.start()
	a.h.PeerMessage(a.now, 2, "\x01\x63 no message")
	a.h.ClientMessage(a.now, 7, "ann", []byte("no request"))
	require.Equal(t, driver.Counters{BeforeStart: 1, MalformedPeer: 1, MalformedClient: 1}, a.h.Counters())
}

func TestRecordsNobodyWaitsForAreWrittenInTheEnd(t *testing.T) {
	a := newAlone(t).start()
	a.settle()
	a.answer(api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}})
	var lazy []paxos.Record
	for range 100 {
		if j := a.out.Log; j != nil {
			if !j.Sync && !j.Idle {
				lazy = append(lazy, j.Records...)
			}
			a.done()
			continue
		}
		a.now = a.out.Wake
		a.h.Advance(a.now)
		a.take()
	}
	require.NotEmpty(t, lazy)
	require.IsType(t, paxos.Settled{}, lazy[0])
}

func TestAnIdleLogWritesItsWatermarkOnce(t *testing.T) {
	a := newAlone(t).start()
	a.settle()
	marks := 0
	for range 100 {
		if j := a.out.Log; j != nil {
			if j.Idle {
				marks++
				require.Empty(t, j.Records)
				require.False(t, j.Sync)
			}
			a.done()
			continue
		}
		a.now = a.out.Wake
		a.h.Advance(a.now)
		a.take()
	}
	require.Equal(t, 1, marks, "nothing was synced since")
}

// The log is cut only after a bulk job has written a snapshot, by a job of its own.
func TestTheLogIsCutWhenASnapshotIsConfirmed(t *testing.T) {
	a := newAloneWith(t, func(c *driver.Config) { c.SnapshotEvery, c.KeepSlots = 3, 1 }).start()
	var cuts []paxos.Slot
	look := func(out driver.Output) {
		if out.Log != nil && out.Log.Below > 0 {
			require.Empty(t, out.Log.Records)
			cuts = append(cuts, out.Log.Below)
		}
	}
	a.settle()
	s := a.answer(api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}}).Result.Session
	for a.out.Log != nil { // the snapshot is due, and waits for the log
		look(a.done())
	}
	for seq := api.Seq(1); seq <= 4; seq++ {
		a.h.ClientMessage(a.now, 7, "ann", api.AppendRequest(nil, api.Request{ID: 9, Session: s, Seq: seq, Epoch: 1, Op: api.Put{Key: "a", Value: "1"}}))
		for look(a.take()); a.out.Log != nil; look(a.done()) {
		}
	}
	require.Len(t, a.bulk, 1, "one job at a time")
	require.EqualValues(t, 3, a.bulk[0].(driver.WriteJob).Handle.Slot)
	require.Empty(t, cuts)
	a.h.BulkDone(a.now, driver.WriteDone{})
	for look(a.take()); a.out.Log != nil; look(a.done()) {
	}
	require.Len(t, a.bulk, 2, "the next one is due")
	require.Empty(t, cuts, "one snapshot is not enough")
	a.h.BulkDone(a.now, driver.WriteDone{Floor: 4})
	look(a.take())
	require.Equal(t, []paxos.Slot{3}, cuts, "one slot is kept")
	require.EqualValues(t, 3, a.h.Core().Status().Floor)
	a.h.LogDone(a.now, nil)
	require.Nil(t, a.take().Stop)
	require.Equal(t, driver.Counters{SnapshotsWritten: 2}, a.h.Counters())
}

func TestASnapshotThatFailedIsNoReasonToStop(t *testing.T) {
	a := newAloneWith(t, func(c *driver.Config) { c.SnapshotEvery = 1 }).start()
	a.settle()
	require.IsType(t, driver.WriteJob{}, a.bulk[0])
	a.h.BulkDone(a.now, driver.WriteDone{Err: errors.New("no room")})
	out := a.take()
	require.NoError(t, out.Stop)
	require.Nil(t, out.Bulk)
	require.EqualValues(t, 1, a.h.Counters().SnapshotsFailed)
	require.False(t, out.Wake.After(a.now.Add(time.Second)))
}

func TestASnapshotOfOtherMembersStops(t *testing.T) {
	a := newAlone(t)
	a.h.Start(a.now, paxos.Recovered{Snapshot: paxos.Handle{Slot: 3, Members: []paxos.NodeID{1, 2}}}, db.New(), 0)
	require.ErrorContains(t, a.h.TakeOutput().Stop, "of the members [1 2]")
}

// A log is cut by whole segments, so a start may be given far more than is to be
// kept for laggards.
func TestAStartKeepsNoMoreThanItIsToldTo(t *testing.T) {
	a := newAloneWith(t, func(c *driver.Config) { c.KeepSlots = 5 })
	b := paxos.Ballot{Round: 1, Node: 1}
	rec := paxos.Recovered{Boot: 1, Promise: b, Snapshot: paxos.Handle{Slot: 40, Members: []paxos.NodeID{1}}, Next: 81}
	for s := paxos.Slot(1); s <= 42; s++ {
		rec.Records = append(rec.Records, paxos.Voted{Slot: s, Ballot: b, Value: paxos.Noop})
	}
	rec.Records = append(rec.Records, paxos.Settled{Slots: paxos.Range{From: 1, To: 43}})
	a.h.Start(a.now, rec, db.New(), 36)
	require.EqualValues(t, 31, a.h.Core().Status().Floor, "the older snapshot is of slot 35")
	require.EqualValues(t, 43, a.h.Core().Status().FirstOpen, "what is above the snapshot is all there")
}

// A snapshot is written when the log says durably which values were chosen in its slots, and the
// log is synced for it: nothing else waits for these records.
func TestTheLogIsSyncedBeforeASnapshotIsWritten(t *testing.T) {
	a := newAloneWith(t, func(c *driver.Config) { c.SnapshotEvery = 1 }).start()
	var settled, durable paxos.Slot // up to which slot records say so: in jobs, and after a sync
	var written []paxos.Slot
	for range 30 {
		w, isDue := a.out.Bulk.(driver.WriteJob)
		if isDue {
			require.LessOrEqual(t, w.Handle.Slot, durable)
			written = append(written, w.Handle.Slot)
			a.h.BulkDone(a.now, driver.WriteDone{})
		}
		if j := a.out.Log; j != nil {
			for _, r := range j.Records {
				if s, ok := r.(paxos.Settled); ok {
					settled = s.Slots.To - 1
				}
			}
			if j.Sync {
				durable = settled
			}
			a.h.LogDone(a.now, nil)
		} else if !isDue {
			a.now = a.out.Wake
			a.h.Advance(a.now)
		}
		a.take()
	}
	require.Equal(t, []paxos.Slot{1, 2}, written)
}

// Only peers may ask for pieces.
func TestAStrangerIsGivenNothing(t *testing.T) {
	a := newAlone(t).start()
	a.settle()
	ask := string(driver.AppendTransfer(nil, driver.Ask{Slot: 1}))
	a.h.PeerMessage(a.now, 9, ask)
	a.h.PeerMessage(a.now, 9, ask[:3])
	require.Nil(t, a.take().Bulk)
	require.EqualValues(t, 2, a.h.Counters().MalformedPeer)
}

func TestAConfigSaysAllThatIsWrongWithIt(t *testing.T) {
	var cfg driver.Config
	err := cfg.Validate()
	for _, want := range []string{"FlushAfter", "IdleAfter", "SnapshotBytes", "SnapshotEvery", "PieceBytes", "RetryAfter", "HoldFor", "no members", "replica id 0"} {
		require.ErrorContains(t, err, want)
	}
	require.Panics(t, func() { driver.New(cfg) })
}
