package vfs_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

// on returns a predicate that gives the fault to one kind of call.
func on(op vfs.Op, f vfs.Fault) func(vfs.Call) vfs.Fault {
	return func(c vfs.Call) vfs.Fault {
		if c.Op == op {
			return f
		}
		return vfs.Fault{}
	}
}

func TestAShortWriteLeavesItsBeginning(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", "old")
	m.SetFault(on(vfs.OpWriteAt, vfs.Fault{Err: vfs.ErrNoSpace, Short: 2}))
	n, err := h.WriteAt([]byte("new!"), 0)
	require.Equal(t, 2, n)
	require.ErrorIs(t, err, vfs.ErrNoSpace)
	require.Equal(t, "ned", contents(t, m, "a"))
}

func TestAFailedSyncThatDropsIsNotHealedByTheNext(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", "old")
	_, err := h.WriteAt([]byte("new"), 0)
	require.NoError(t, err)
	m.SetFault(on(vfs.OpSyncData, vfs.Fault{Err: vfs.ErrIO, Drop: true}))
	require.ErrorIs(t, h.SyncData(), vfs.ErrIO)
	m.SetFault(nil)
	require.NoError(t, h.SyncData(), "it says so")
	require.Equal(t, "new", contents(t, m, "a"), "and reads say so")
	m.Crash(vfs.KeepAll)
	require.Equal(t, "old", contents(t, m, "a"))
}

func TestADroppedSectorThatIsWrittenAgainIsSyncedAgain(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", "old")
	_, err := h.WriteAt([]byte("new"), 0)
	require.NoError(t, err)
	m.SetFault(on(vfs.OpSync, vfs.Fault{Err: vfs.ErrIO, Drop: true}))
	require.ErrorIs(t, h.Sync(), vfs.ErrIO)
	m.SetFault(nil)
	_, err = h.WriteAt([]byte("new"), 0)
	require.NoError(t, err)
	require.NoError(t, h.Sync())
	m.Crash(vfs.KeepNothing)
	require.Equal(t, "new", contents(t, m, "a"))
}

func TestAFailedSyncWithoutDropKeepsTheWritesWaiting(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", "old")
	_, err := h.WriteAt([]byte("new"), 0)
	require.NoError(t, err)
	m.SetFault(on(vfs.OpSync, vfs.Fault{Err: vfs.ErrIO}))
	require.ErrorIs(t, h.Sync(), vfs.ErrIO)
	c := m.Clone()
	c.Crash(vfs.KeepNothing)
	require.Equal(t, "old", contents(t, c, "a"))
	m.SetFault(nil)
	require.NoError(t, h.Sync())
	m.Crash(vfs.KeepNothing)
	require.Equal(t, "new", contents(t, m, "a"))
}

func TestALostWriteIsSeenUntilTheCrash(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", "old")
	m.SetFault(on(vfs.OpWriteAt, vfs.Fault{Lose: true}))
	_, err := h.WriteAt([]byte("new"), 0)
	require.NoError(t, err)
	require.NoError(t, h.Sync())
	require.Equal(t, "new", contents(t, m, "a"))
	m.Crash(vfs.KeepAll)
	require.Equal(t, "old", contents(t, m, "a"))
}

func TestPredicatesSeeEachCall(t *testing.T) {
	m := vfs.NewMem()
	var seen []vfs.Call
	m.SetFault(func(c vfs.Call) vfs.Fault { seen = append(seen, c); return vfs.Fault{} })
	require.NoError(t, m.MkdirAll("d"))
	h, err := m.Create("d/a")
	require.NoError(t, err)
	_, err = h.WriteAt([]byte("xyz"), 7)
	require.NoError(t, err)
	require.NoError(t, h.Truncate(2))
	require.NoError(t, m.Rename("d/a", "d/b"))
	require.Equal(t, []vfs.Call{
		{Op: vfs.OpMkdirAll, Name: "d"},
		{Op: vfs.OpCreate, Name: "d/a"},
		{Op: vfs.OpWriteAt, Name: "d/a", Off: 7, N: 3, Data: []byte("xyz")},
		{Op: vfs.OpTruncate, Name: "d/a", Off: 2},
		{Op: vfs.OpRename, Name: "d/a", To: "d/b"},
	}, seen)
}

func TestEveryOperationCanFail(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", "x")
	var op vfs.Op
	m.SetFault(func(c vfs.Call) vfs.Fault { op = c.Op; return vfs.Fault{Err: vfs.ErrIO} })
	buf := make([]byte, 1)
	calls := map[vfs.Op]func() error{
		vfs.OpCreate:      func() error { _, err := m.Create("b"); return err },
		vfs.OpOpen:        func() error { _, err := m.Open("a"); return err },
		vfs.OpReadDir:     func() error { _, err := m.ReadDir("."); return err },
		vfs.OpRename:      func() error { return m.Rename("a", "b") },
		vfs.OpRemove:      func() error { return m.Remove("a") },
		vfs.OpSyncDir:     func() error { return m.SyncDir(".") },
		vfs.OpMkdirAll:    func() error { return m.MkdirAll("d") },
		vfs.OpLock:        func() error { _, err := m.Lock("l"); return err },
		vfs.OpReadAt:      func() error { _, err := h.ReadAt(buf, 0); return err },
		vfs.OpWriteAt:     func() error { _, err := h.WriteAt(buf, 0); return err },
		vfs.OpSync:        h.Sync,
		vfs.OpSyncData:    h.SyncData,
		vfs.OpPreallocate: func() error { return h.Preallocate(10) },
		vfs.OpTruncate:    func() error { return h.Truncate(0) },
		vfs.OpSize:        func() error { _, err := h.Size(); return err },
		vfs.OpClose:       h.Close,
	}
	for want, call := range calls {
		err := call()
		require.ErrorIs(t, err, vfs.ErrIO)
		require.Equal(t, want, op)
		require.ErrorContains(t, err, want.String())
	}
	require.Len(t, calls, int(vfs.OpClose))
	require.Equal(t, "x", contents(t, m, "a"))
	require.Len(t, m.Files(), 1)
}

func TestRotIsOnTheDiskAndInTheCache(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", "abc")
	require.NoError(t, m.Corrupt("a", 1, 1))
	require.Equal(t, "acc", contents(t, m, "a"))
	require.Zero(t, m.Files()[0].Unsynced)
	_, err := h.WriteAt([]byte("xyz"), 0)
	require.NoError(t, err)
	require.NoError(t, m.Corrupt("a", 2, 4))
	require.Equal(t, "xy~", contents(t, m, "a"))
	m.Crash(vfs.KeepNothing)
	require.Equal(t, "acg", contents(t, m, "a"))
	require.ErrorIs(t, m.Corrupt("a", 3, 1), fs.ErrNotExist)
	require.ErrorIs(t, m.Corrupt("b", 0, 1), fs.ErrNotExist)
}

func TestACloneSharesNothing(t *testing.T) {
	m := vfs.NewMem()
	h := durable(t, m, "a", "old")
	_, err := h.WriteAt([]byte("new"), 0)
	require.NoError(t, err)
	c := m.Clone()
	require.Equal(t, m.Files(), c.Files())
	require.NoError(t, h.Sync())
	require.NoError(t, m.Remove("a"))
	require.Equal(t, "new", contents(t, c, "a"))
	c.Crash(vfs.KeepNothing)
	require.Equal(t, "old", contents(t, c, "a"))
}

func BenchmarkMemAppendAndSync(b *testing.B) {
	m := vfs.NewMem()
	h, err := m.Create("a")
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := h.WriteAt(buf, int64(i%10_000)*100); err != nil {
			b.Fatal(err)
		}
		if err := h.SyncData(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
}
