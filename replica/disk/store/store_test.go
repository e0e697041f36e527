package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

const (
	dir   = "cell"
	first = dir + "/log/0000000000000001.wal"
)

// value is a value of about size bytes that tells slot and ballot.
func value(slot paxos.Slot, b paxos.Ballot, size int) paxos.Value {
	return paxos.Batch([]byte(strings.Repeat(fmt.Sprintf("%d@%v.", slot, b), size/6+1)))
}

// rig is one machine with a replica's store.
type rig struct {
	m    *vfs.Mem
	o    store.Options
	s    *store.Store
	rec  store.Recovered
	rep  store.Report
	next paxos.LSN
}

// salts draws salts from a seed.
func salts(seed uint64) func() uint64 {
	return func() uint64 {
		seed++
		return seed * 0x9e3779b97f4a7c15
	}
}

func newRig(t *testing.T, segment int64) *rig {
	t.Helper()
	g := &rig{m: vfs.NewMem(), o: store.Options{SegmentSize: segment, Salt: salts(1)}}
	g.open(t)
	require.True(t, g.rep.Created)
	return g
}

func (g *rig) open(t *testing.T) {
	t.Helper()
	require.NoError(t, g.tryOpen())
}

func (g *rig) tryOpen() (err error) {
	g.s, g.rec, g.rep, err = store.Open(g.m, dir, g.o)
	g.next = g.rec.Next
	return err
}

func (g *rig) append(rs ...paxos.Record) error {
	at := g.next
	g.next += paxos.LSN(len(rs))
	return g.s.Append(at, rs)
}

// must appends and syncs.
func (g *rig) must(t *testing.T, rs ...paxos.Record) {
	t.Helper()
	require.NoError(t, g.append(rs...))
	require.NoError(t, g.s.Sync())
}

func (g *rig) reopen(t *testing.T) {
	t.Helper()
	g.m.Crash(vfs.KeepNothing)
	g.open(t)
}

var (
	b11 = paxos.Ballot{Round: 1, Node: 1}
	b22 = paxos.Ballot{Round: 2, Node: 2}
	b33 = paxos.Ballot{Round: 3, Node: 3}
)

func voted(slot paxos.Slot, b paxos.Ballot) paxos.Voted {
	return paxos.Voted{Slot: slot, Ballot: b, Value: value(slot, b, 50)}
}

func TestARestartGivesBackWhatWasWritten(t *testing.T) {
	for _, segment := range []int64{0, 1, 300} {
		g := newRig(t, segment)
		require.Equal(t, paxos.Recovered{Next: 1}, g.rec.Recovered)
		records := []paxos.Record{
			voted(1, b11),
			voted(2, b11),
			paxos.Settled{Slots: paxos.Range{From: 1, To: 3}},
			paxos.Learned{Slot: 3, Value: value(3, b22, 10)},
			paxos.Learned{Slot: 4, Value: paxos.Noop},
		}
		g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11})
		g.must(t, records...)
		g.must(t, paxos.Promised{Ballot: b22}, voted(2, b22))
		g.reopen(t)
		want := paxos.Recovered{Boot: 1, Promise: b22, Next: 10, Records: append(records, voted(2, b22))}
		require.Equal(t, want, g.rec.Recovered)
		require.Equal(t, store.Report{}, g.rep)
		g.must(t, paxos.Booted{Boot: 2}, voted(5, b22))
		require.NoError(t, g.s.Idle())
		require.NoError(t, g.s.Close())
		g.open(t)
		want.Boot, want.Next, want.Records = 2, 12, append(want.Records, voted(5, b22))
		require.Equal(t, want, g.rec.Recovered)
	}
}

func TestPromiseAndBootAreDurableWhenAppendReturns(t *testing.T) {
	g := newRig(t, 0)
	require.NoError(t, g.append(paxos.Booted{Boot: 1, Grant: time.Minute}, paxos.Promised{Ballot: b22}, voted(1, b22)))
	g.reopen(t)
	require.Equal(t, paxos.Recovered{Boot: 1, Grant: time.Minute, Promise: b22, Next: 1}, g.rec.Recovered)
	require.Panics(t, func() { _ = g.append(paxos.Booted{Boot: 2, Grant: time.Second}) }, "the longest Grant does not fall")
}

// The machine dies between the two copies of the promise, and before the first.
func TestACrashBetweenTheTwoPromiseFiles(t *testing.T) {
	cases := map[string]struct {
		op       vfs.Op
		name     string
		want     paxos.Ballot
		repaired []string
	}{
		"before the first copy":        {vfs.OpWriteAt, "promise.a", b11, nil},
		"before the first copy's sync": {vfs.OpSyncData, "promise.a", b11, nil},
		"before the second copy":       {vfs.OpWriteAt, "promise.b", b22, []string{dir + "/promise.b"}},
		"before the second's sync":     {vfs.OpSyncData, "promise.b", b22, []string{dir + "/promise.b"}},
		"before the log":               {vfs.OpWriteAt, ".wal", b22, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := newRig(t, 0)
			g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11})
			g.m.SetFault(func(call vfs.Call) vfs.Fault {
				if call.Op == c.op && strings.HasSuffix(call.Name, c.name) {
					g.m.Crash(vfs.KeepNothing)
				}
				return vfs.Fault{}
			})
			require.ErrorIs(t, g.append(paxos.Promised{Ballot: b22}, voted(1, b22)), vfs.ErrCrashed)
			g.m.SetFault(nil)
			g.open(t)
			require.Equal(t, c.want, g.rec.Promise)
			require.Equal(t, c.repaired, g.rep.Repaired)
			require.Empty(t, g.rec.Records)
			g.reopen(t)
			require.Equal(t, c.want, g.rec.Promise)
			require.Empty(t, g.rep.Repaired)
		})
	}
}

func TestAnUnsyncedTailIsCutAndTheRestStays(t *testing.T) {
	torn := 0
	for seed := range uint64(100) {
		g := newRig(t, 0)
		g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11}, voted(1, b11))
		var all []paxos.Record
		for slot := paxos.Slot(2); slot < 12; slot++ {
			all = append(all, paxos.Voted{Slot: slot, Ballot: b11, Value: value(slot, b11, 400)})
		}
		require.NoError(t, g.append(all...))
		g.m.Crash(vfs.Seeded(seed))
		g.open(t)
		n := len(g.rec.Records)
		require.Equal(t, append([]paxos.Record{voted(1, b11)}, all[:n-1]...), g.rec.Records)
		require.EqualValues(t, 3+n, g.rec.Next)
		if g.rep.Torn != nil {
			torn++
		}
	}
	require.Greater(t, torn, 30)
}

// place finds the frame of a record by what Dump prints.
func (g *rig) place(t *testing.T, lsn int) (off int64) {
	t.Helper()
	var out strings.Builder
	require.NoError(t, wal.Dump(g.m, first, &out))
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, fmt.Sprintf(" #%d kind", lsn)) {
			_, err := fmt.Sscanf(line, "%d", &off)
			require.NoError(t, err)
			return off
		}
	}
	t.Fatalf("no #%d in\n%s", lsn, out.String())
	return 0
}

const (
	inHeader = 10
	inData   = 28 + 20 + 5 // behind the header and a tag
)

func TestARottenVoteComesBackAsUnreadable(t *testing.T) {
	g := newRig(t, 0)
	g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b22}, voted(1, b11), voted(2, b22), voted(3, b22))
	require.NoError(t, g.s.Idle())
	at := g.place(t, 4)
	require.NoError(t, g.m.Corrupt(first, at+inData, 1))
	g.reopen(t)
	lost := paxos.Unreadable{Slot: 2, Ballot: b22}
	require.Equal(t, []paxos.Record{voted(1, b11), lost, voted(3, b22)}, g.rec.Records)
	require.Equal(t, []paxos.Unreadable{lost}, g.rep.Unreadable)
	require.EqualValues(t, 6, g.rec.Next)
	require.Contains(t, g.rep.String(), "1 votes and 0 learned values unreadable")
	require.NoError(t, g.m.Corrupt(first, at-20, 1)) // in the data of the record before
	g.reopen(t)
	require.Len(t, g.rep.Unreadable, 2)
}

// A learned value is no vote: the slot is open again, and a peer is asked.
func TestARottenLearnedValueIsForgottenAndReported(t *testing.T) {
	g := newRig(t, 0)
	g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b22}, voted(1, b11),
		paxos.Learned{Slot: 2, Value: value(2, b22, 50)}, voted(3, b22))
	require.NoError(t, g.s.Idle())
	at := g.place(t, 4)
	require.NoError(t, g.m.Corrupt(first, at+inData, 1))
	g.reopen(t)
	require.Equal(t, []paxos.Record{voted(1, b11), paxos.Unlearned{Slot: 2}, voted(3, b22)}, g.rec.Records)
	require.Equal(t, []paxos.Unlearned{{Slot: 2}}, g.rep.Unlearned)
	require.Empty(t, g.rep.Unreadable)
	require.Equal(t, first, g.rep.Damaged[0].File)
	require.Equal(t, at, g.rep.Damaged[0].Offset)
	require.Contains(t, g.rep.String(), fmt.Sprintf("first damage in %s at %d", first, at))
}

// Whatever call fails, and however: the store stops, and the next process finds
// all that was acknowledged.
func TestTheFirstErrorIsFinal(t *testing.T) {
	for name, fault := range map[string]vfs.Fault{
		"io, pages dropped": {Err: vfs.ErrIO, Drop: true},
		"full":              {Err: vfs.ErrNoSpace},
		"full, short write": {Err: vfs.ErrNoSpace, Short: 7},
	} {
		t.Run(name, func(t *testing.T) {
			for n := 1; n <= 60; n++ {
				errorAt(t, n, fault)
			}
		})
	}
}

func errorAt(t *testing.T, n int, fault vfs.Fault) {
	g := newRig(t, 300)
	hit := false
	g.m.SetFault(func(c vfs.Call) vfs.Fault {
		if hit {
			require.False(t, c.Op.CanChange(), "%v %s after the error", c.Op, c.Name)
		}
		if n--; n == 0 {
			hit = true
			return fault
		}
		return vfs.Fault{}
	})
	w := &witness{}
	err := w.life(g, 1)
	require.Equal(t, hit, err != nil)
	if hit {
		require.ErrorIs(t, err, fault.Err)
		require.Equal(t, err, g.s.Append(g.next, nil))
		require.Equal(t, err, g.s.Sync())
		require.Equal(t, err, g.s.Idle())
	}
	g.m.SetFault(nil)
	g.reopen(t)
	w.check(t, g.rec.Recovered)
}

func TestOneOwnerAndClosed(t *testing.T) {
	g := newRig(t, 0)
	_, _, _, err := store.Open(g.m, dir, g.o)
	require.ErrorIs(t, err, vfs.ErrLocked)
	g.must(t, paxos.Booted{Boot: 1})
	require.NoError(t, g.s.Close())
	require.ErrorIs(t, g.s.Append(2, nil), store.ErrClosed)
	require.ErrorIs(t, g.s.Sync(), store.ErrClosed)
	require.NoError(t, g.s.Close())
}

func TestNumbersMustGoOn(t *testing.T) {
	g := newRig(t, 0)
	require.ErrorIs(t, g.s.Append(2, []paxos.Record{voted(1, paxos.Ballot{})}), wal.ErrEntry)
}

func TestBrokenPromisesNeverReachTheDisk(t *testing.T) {
	for id, rs := range map[invariant.ID][]paxos.Record{
		"I-A1": {paxos.Promised{Ballot: b22}, paxos.Promised{Ballot: b11}},
		"I-A2": {paxos.Promised{Ballot: b11}, voted(1, b22)},
	} {
		g := newRig(t, 0)
		g.must(t, paxos.Booted{Boot: 1})
		v := invariant.Caught(func() { _ = g.append(rs...) })
		require.NotNil(t, v)
		require.Equal(t, id, v.ID)
		g.reopen(t)
		require.Equal(t, paxos.Recovered{Boot: 1, Next: 2}, g.rec.Recovered)
	}
}
