package wal_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

func TestAppendRefusesAndGoesOn(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	l := w.open(t, m, wal.Options{})
	good := wal.Entry{LSN: 1, Kind: 1}
	for name, es := range map[string][]wal.Entry{
		"no number":   {{Kind: 1}},
		"gap":         {{LSN: 2, Kind: 1}},
		"repetition":  {good, good},
		"gap within":  {good, {LSN: 3, Kind: 1}},
		"no kind":     {{LSN: 1}},
		"tag too big": {{LSN: 1, Kind: 1, Tag: make([]byte, wal.MaxTag+1)}},
		"too much":    {{LSN: 1, Kind: 1, Data: strings.Repeat("x", wal.MaxData+1)}},
	} {
		require.ErrorIs(t, l.Append(es...), wal.ErrEntry, name)
	}
	require.EqualValues(t, 1, l.Next())
	require.NoError(t, w.append(l, 1, 10, 0))
	require.NoError(t, w.sync(l))
	m.Crash(vfs.KeepNothing)
	w.open(t, m, wal.Options{})
}

func TestOneOwnerAtATime(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	l := w.open(t, m, wal.Options{})
	_, _, err := wal.Open(m, dir, wal.Options{})
	require.ErrorIs(t, err, vfs.ErrLocked)
	require.NoError(t, w.append(l, 1, 10, 0))
	require.NoError(t, l.Close())
	require.ErrorIs(t, l.Append(), wal.ErrClosed)
	require.ErrorIs(t, l.Sync(), wal.ErrClosed)
	require.ErrorIs(t, l.Idle(), wal.ErrClosed)
	require.ErrorIs(t, l.DropBefore(1), wal.ErrClosed)
	require.NoError(t, l.Close())
	w.open(t, m, wal.Options{})
}

// Whatever call fails, the error is final, nothing is written after it, and the
// next process finds all that was acknowledged.
func TestTheFirstErrorIsFinal(t *testing.T) {
	faults := map[string]vfs.Fault{
		"io":          {Err: vfs.ErrIO},
		"io, dropped": {Err: vfs.ErrIO, Drop: true},
		"full":        {Err: vfs.ErrNoSpace},
		"full, short": {Err: vfs.ErrNoSpace, Short: 13},
	}
	o := wal.Options{SegmentSize: 400}
	total := countLife(t, o, life)
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			for n := 1; n <= total; n++ {
				failAt(t, o, n, fault)
			}
		})
	}
}

func failAt(t *testing.T, o wal.Options, n int, fault vfs.Fault) {
	m, w := vfs.NewMem(), &twin{}
	writes := -1 // after the fault
	m.SetFault(func(c vfs.Call) vfs.Fault {
		if n--; n == 0 {
			writes = 0
			return fault
		}
		if n < 0 && c.Op.CanChange() {
			writes++
		}
		return vfs.Fault{}
	})
	l, _, err := wal.Open(m, dir, o)
	if err == nil {
		err = life(w, l, 0)
		require.Error(t, err)
		require.Equal(t, err, l.Append())
		require.Equal(t, err, l.Sync())
		require.Equal(t, err, l.Idle())
		require.Equal(t, err, l.DropBefore(1))
	}
	require.ErrorIs(t, err, fault.Err)
	require.Zero(t, writes, "something was tried after the error")
	m.SetFault(nil)
	m.Crash(vfs.Seeded(uint64(n)))
	w.open(t, m, o)
}

// The name of a removed file may come back after a crash, so what was created
// and never listed does not lend its number to the next segment.
func TestSegmentNumbersAreNeverUsedTwice(t *testing.T) {
	m, w, o := vfs.NewMem(), &twin{}, wal.Options{SegmentSize: 1}
	l := w.open(t, m, o)
	require.NoError(t, w.append(l, 1, 10, 0))
	require.NoError(t, w.sync(l))
	m.SetFault(func(c vfs.Call) vfs.Fault { // dies between the new segment and the manifest
		if c.Op == vfs.OpWriteAt && c.Name == dir+"/manifest.a" {
			m.Crash(vfs.KeepAll)
		}
		return vfs.Fault{}
	})
	require.True(t, vfstest.IsDeath(w.append(l, 1, 10, 0)))
	m.SetFault(nil)
	l = w.open(t, m, o)
	_, err := m.Contents(dir + "/0000000000000002.wal")
	require.ErrorIs(t, err, fs.ErrNotExist, "the stray is gone")
	require.NoError(t, w.append(l, 1, 10, 1))
	_, err = m.Contents(dir + "/0000000000000002.wal")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = m.Contents(dir + "/0000000000000003.wal")
	require.NoError(t, err)
}

// Drops tells beforehand whether DropBefore would call the disk.
func TestDropsSaysWhetherAnythingCanGo(t *testing.T) {
	m := vfs.NewMem()
	l, _, err := wal.Open(m, dir, wal.Options{SegmentSize: 1})
	require.NoError(t, err)
	for i := range wal.LSN(3) {
		require.NoError(t, l.Append(wal.Entry{LSN: i + 1, Kind: 1, Data: "x"}))
	}
	calls := 0
	m.SetFault(func(vfs.Call) vfs.Fault { calls++; return vfs.Fault{} })
	for _, c := range []struct {
		lsn   wal.LSN
		drops bool
	}{{0, false}, {1, false}, {2, true}, {2, false}, {9, true}, {9, false}} {
		require.Equal(t, c.drops, l.CanDrop(c.lsn), "below %d", c.lsn)
		calls = 0
		require.NoError(t, l.DropBefore(c.lsn))
		require.Equal(t, c.drops, calls > 0, "below %d", c.lsn)
	}
}
