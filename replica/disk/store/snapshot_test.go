package store_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// rowsAt are the rows after a slot.
func rowsAt(slot paxos.Slot) *db.DB {
	d := db.New()
	tx := d.Begin()
	for i := range slot {
		tx.Put(fmt.Sprintf("k%d", i%7), fmt.Sprintf("%d", i))
	}
	tx.Commit()
	return d
}

func handleAt(slot paxos.Slot) paxos.Handle {
	return paxos.Handle{Slot: slot, Ballot: b11, Members: []paxos.NodeID{1, 2, 3}, Epoch: 7}
}

// snap writes a snapshot and drops what may be dropped then.
func (g *rig) snap(t *testing.T, slot paxos.Slot) {
	t.Helper()
	_, err := g.s.Snapshots().Write(handleAt(slot), rowsAt(slot).View())
	require.NoError(t, err)
	require.NoError(t, g.s.Snapshots().Prune())
	require.NoError(t, g.s.Truncate(g.s.Snapshots().Floor()))
}

// busy is a store that was voting in slots 1 to 40 with a snapshot every 10.
func busy(t *testing.T) *rig {
	g := newRig(t, 300)
	g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11})
	for slot := paxos.Slot(1); slot <= 40; slot++ {
		g.must(t, voted(slot, b11), paxos.Settled{Slots: paxos.Range{From: slot, To: slot + 1}})
		if slot%10 == 0 {
			g.snap(t, slot)
		}
	}
	return g
}

// lowest is the lowest slot that the records of a store concern.
func lowest(rs []paxos.Record) paxos.Slot {
	low := paxos.MaxSlot
	for _, r := range rs {
		low = min(low, paxos.HighestSlot(r))
	}
	return low
}

func snapFile(slot int) string { return fmt.Sprintf("%s/snapshots/%020d.snap", dir, slot) }

func TestARestartBeginsWithTheNewestSnapshot(t *testing.T) {
	g := busy(t)
	g.reopen(t)
	require.Equal(t, handleAt(40), g.rec.Snapshot)
	require.Equal(t, rowsAt(40).Checksum(), g.rec.Rows.Checksum())
	require.Equal(t, paxos.Slot(31), g.rec.Floor, "the log reaches back to the older one")
	require.LessOrEqual(t, lowest(g.rec.Records), paxos.Slot(31))
	require.Greater(t, lowest(g.rec.Records), paxos.Slot(20), "and not much further")
	names, err := g.m.ReadDir(dir + "/snapshots")
	require.NoError(t, err)
	require.Len(t, slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".snap") }), 2)
}

// What the log was told to keep, though snapshots cover it, is for laggards after a
// restart too.
func TestARestartGivesBackWhatIsKeptForLaggards(t *testing.T) {
	g := newRig(t, 300)
	g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11})
	for slot := paxos.Slot(1); slot <= 40; slot++ {
		g.must(t, voted(slot, b11), paxos.Settled{Slots: paxos.Range{From: slot, To: slot + 1}})
	}
	for _, slot := range []paxos.Slot{30, 40} {
		_, err := g.s.Snapshots().Write(handleAt(slot), rowsAt(slot).View())
		require.NoError(t, err)
	}
	require.EqualValues(t, 31, g.s.Snapshots().Floor())
	require.NoError(t, g.s.Truncate(16))
	g.reopen(t)
	require.EqualValues(t, 16, g.rec.Floor)
	require.LessOrEqual(t, lowest(g.rec.Records), paxos.Slot(16))
}

func TestNothingIsDroppedOnTheWordOfOneSnapshot(t *testing.T) {
	g := newRig(t, 1)
	g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11}, voted(1, b11), voted(2, b11))
	require.Zero(t, g.s.Snapshots().Floor())
	g.snap(t, 1)
	require.Zero(t, g.s.Snapshots().Floor())
	g.snap(t, 2)
	require.Equal(t, paxos.Slot(2), g.s.Snapshots().Floor())
	g.reopen(t)
	require.Equal(t, []paxos.Record{voted(2, b11)}, g.rec.Records)
}

func TestTheOlderSnapshotDoesWhereTheNewestIsBad(t *testing.T) {
	for name, harm := range map[string]func(*rig) error{
		"rotten": func(g *rig) error { return g.m.Corrupt(snapFile(40), 60, 1) },
		"gone":   func(g *rig) error { return g.m.Remove(snapFile(40)) },
	} {
		g := busy(t)
		g.m.Crash(vfs.KeepNothing)
		require.NoError(t, harm(g), name)
		g.open(t)
		require.Equal(t, paxos.Slot(30), g.rec.Snapshot.Slot, name)
		require.Equal(t, rowsAt(30).Checksum(), g.rec.Rows.Checksum(), name)
		require.LessOrEqual(t, lowest(g.rec.Records), paxos.Slot(31), name)
		require.Equal(t, name == "rotten", len(g.rep.Bad) == 1, name)
	}
}

// foreign publishes a snapshot that is good by its file and whose body is no rows.
func (g *rig) foreign(t *testing.T, slot uint64) {
	t.Helper()
	snaps, _, err := snapshot.Open(g.m, dir+"/snapshots", snapshot.Options{})
	require.NoError(t, err)
	h := snapshot.Handle{Slot: snapshot.Slot(slot), Members: []snapshot.NodeID{1, 2, 3}}
	_, err = snaps.Write(h, func(w io.Writer) error {
		_, err := io.WriteString(w, "no rows at all")
		return err
	})
	require.NoError(t, err)
	require.NoError(t, snaps.Close())
}

func TestTheOlderSnapshotDoesWhereTheRowsOfTheNewestDoNotLoad(t *testing.T) {
	g := busy(t)
	g.m.Crash(vfs.KeepNothing)
	g.foreign(t, 41)
	for range 2 { // at every start
		g.open(t)
		require.Equal(t, handleAt(40), g.rec.Snapshot)
		require.Equal(t, rowsAt(40).Checksum(), g.rec.Rows.Checksum())
		require.Len(t, g.rep.Bad, 1)
		require.ErrorIs(t, g.rep.Bad[0].Err, snapshot.ErrDamaged)
		latest, _ := g.s.Snapshots().Latest()
		require.Equal(t, handleAt(40), latest.Handle, "no peer is given it")
		g.m.Crash(vfs.KeepNothing)
	}
	g.open(t)
	g.snap(t, 41)
	g.reopen(t)
	require.Equal(t, handleAt(41), g.rec.Snapshot)
	require.Empty(t, g.rep.Bad)
}

func TestALogWithoutItsFrontAndNoSnapshotRefuses(t *testing.T) {
	g := busy(t)
	g.m.Crash(vfs.KeepNothing)
	require.NoError(t, g.m.Corrupt(snapFile(40), 60, 1))
	require.NoError(t, g.m.Corrupt(snapFile(30), 60, 1))
	for range 2 {
		err := g.tryOpen()
		require.ErrorIs(t, err, store.ErrUncovered)
		require.ErrorContains(t, err, "below slot 31")
	}
}

// One of two has rotted, and the other one cannot be read, for once: the error says so,
// and the next start may be well.
func TestARefusalForWantOfASnapshotSaysWhatIsWrongWithThem(t *testing.T) {
	g := busy(t)
	g.m.Crash(vfs.KeepNothing)
	require.NoError(t, g.m.Corrupt(snapFile(40), 60, 1))
	g.m.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpReadAt && c.Name == snapFile(30) {
			return vfs.Fault{Err: vfs.ErrIO}
		}
		return vfs.Fault{}
	})
	err := g.tryOpen()
	require.ErrorIs(t, err, store.ErrUncovered)
	require.ErrorIs(t, err, snapshot.ErrDamaged)
	require.ErrorIs(t, err, vfs.ErrIO)
	g.m.SetFault(nil)
	g.open(t)
	require.Equal(t, paxos.Slot(30), g.rec.Snapshot.Slot)
}

// An old copy of the register does not know that the log lost its front, be it the
// first that was cut off or more of it. No record that is left need say so: the one of
// the promise that the register has forgotten may have been in what was cut.
func TestARegisterFromBeforeTheLogWasCutRefuses(t *testing.T) {
	for _, cuts := range []int{0, 1} {
		g := newRig(t, 1)
		g.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b11})
		slot := paxos.Slot(1)
		cut := func() {
			for range 3 {
				g.must(t, voted(slot, b11))
				g.snap(t, slot)
				slot++
			}
		}
		for range cuts {
			cut()
		}
		old := g.m.Clone()
		cut()
		g.m.Crash(vfs.KeepAll)
		g.put(t, old, dir+"/promise.a", dir+"/promise.b")
		require.ErrorIs(t, g.tryOpen(), store.ErrForgot, "%d cuts before", cuts)
	}
}

func TestSnapshotsWithoutARegisterRefuse(t *testing.T) {
	g := busy(t)
	require.NoError(t, g.s.Close())
	for _, name := range []string{"/promise.a", "/promise.b", "/log/manifest.a", "/log/manifest.b"} {
		require.NoError(t, g.m.Remove(dir+name))
	}
	names, err := g.m.ReadDir(dir + "/log")
	require.NoError(t, err)
	for _, n := range names {
		require.NoError(t, g.m.Remove(dir+"/log/"+n))
	}
	require.ErrorIs(t, g.tryOpen(), store.ErrForgot)
}

// A snapshot goes from one store to another in pieces, and is what it was.
func TestASnapshotIsFetchedInPieces(t *testing.T) {
	from, to := busy(t), newRig(t, 0)
	to.must(t, paxos.Booted{Boot: 1}, paxos.Promised{Ballot: b22}, voted(1, b11), voted(45, b22))
	id, ok := from.s.Snapshots().Latest()
	require.True(t, ok)
	bulk := to.s.Snapshots()
	_, err := bulk.Commit()
	require.ErrorIs(t, err, snapshot.ErrIncomplete)
	for off := int64(0); off < id.Size; {
		piece, err := from.s.Snapshots().Read(id, off, 37)
		require.NoError(t, err)
		_, err = bulk.Put(id, off+1, piece)
		require.ErrorIs(t, err, snapshot.ErrOffset)
		off, err = bulk.Put(id, off, piece)
		require.NoError(t, err)
	}
	got, err := bulk.Commit()
	require.NoError(t, err)
	require.Equal(t, id, got)
	rows, err := bulk.Rows(got.Handle)
	require.NoError(t, err)
	require.Equal(t, rowsAt(40).Checksum(), rows.Checksum())
	to.reopen(t)
	require.Equal(t, handleAt(40), to.rec.Snapshot)
	require.Equal(t, []paxos.Record{voted(1, b11), voted(45, b22)}, to.rec.Records)
}

// A transfer that is begun again leaves nothing of the first.
func TestATransferBeginsAnewWithAnotherSnapshot(t *testing.T) {
	from, to := busy(t), newRig(t, 0)
	to.must(t, paxos.Booted{Boot: 1})
	ids := make([]store.ID, 2)
	ids[0], _ = from.s.Snapshots().Latest()
	piece, err := from.s.Snapshots().Read(ids[0], 0, 200)
	require.NoError(t, err)
	off, err := to.s.Snapshots().Put(ids[0], 0, piece)
	require.NoError(t, err)
	require.EqualValues(t, 200, off)

	from.snap(t, 41)
	ids[1], _ = from.s.Snapshots().Latest()
	_, err = to.s.Snapshots().Put(ids[1], 200, []byte("x"))
	require.ErrorIs(t, err, snapshot.ErrOther)
	piece, err = from.s.Snapshots().Read(ids[1], 0, 1<<20)
	require.NoError(t, err)
	_, err = to.s.Snapshots().Put(ids[1], 0, piece)
	require.NoError(t, err)
	got, err := to.s.Snapshots().Commit()
	require.NoError(t, err)
	require.Equal(t, ids[1], got)
	to.s.Snapshots().Abort()
	to.reopen(t)
	require.Empty(t, to.rep.Leftovers)
}
