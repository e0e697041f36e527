package wal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// files are the names of segments.
func files(t *testing.T, m *vfs.Mem) (all []string) {
	names, err := m.ReadDir(dir)
	require.NoError(t, err)
	for _, n := range names {
		if len(n) == 20 {
			all = append(all, n)
		}
	}
	return all
}

// A segment that is still being made when it is needed is not waited for, and not used.
func TestASegmentThatComesTooLateIsNotUsed(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	l := w.open(t, m, wal.Options{SegmentSize: 150})
	require.NoError(t, w.append(l, 1, 80, 0))
	require.True(t, l.WantsAhead())
	m.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpSync {
			m.SetFault(nil)
			require.NoError(t, w.append(l, 1, 80, 0), "a roll, meanwhile")
		}
		return vfs.Fault{}
	})
	require.NoError(t, l.MakeAhead())
	require.Equal(t, []string{"0000000000000001.wal", "0000000000000003.wal"}, files(t, m))
	require.True(t, l.WantsAhead())
	require.NoError(t, l.MakeAhead())
	require.NoError(t, w.append(l, 1, 80, 0))
	require.NoError(t, w.sync(l))
	require.Equal(t, []string{"0000000000000001.wal", "0000000000000003.wal", "0000000000000004.wal"}, files(t, m))
	m.Crash(vfs.KeepNothing)
	w.open(t, m, wal.Options{SegmentSize: 150})
}

// A disk that refuses a segment ahead fails no log: the segment is made when it is needed. Nothing
// of the attempt stays, and there is no other one before.
func TestASegmentThatCannotBeMadeAheadIsMadeWhenItIsNeeded(t *testing.T) {
	for _, op := range []vfs.Op{vfs.OpCreate, vfs.OpPreallocate, vfs.OpSync, vfs.OpSyncDir} {
		m, w := vfs.NewMem(), &twin{}
		l := w.open(t, m, wal.Options{SegmentSize: 150})
		require.NoError(t, w.append(l, 1, 80, 0))
		m.SetFault(func(c vfs.Call) vfs.Fault {
			if c.Op == op {
				return vfs.Fault{Err: vfs.ErrNoSpace}
			}
			return vfs.Fault{}
		})
		require.ErrorIs(t, l.MakeAhead(), vfs.ErrNoSpace)
		m.SetFault(nil)
		require.Equal(t, []string{"0000000000000001.wal"}, files(t, m))
		require.False(t, l.WantsAhead())
		require.NoError(t, w.append(l, 1, 80, 0))
		require.NoError(t, w.sync(l))
		require.True(t, l.WantsAhead())
		m.Crash(vfs.KeepNothing)
		w.open(t, m, wal.Options{SegmentSize: 150})
	}
}

// What was made ahead and not used is no part of the log.
func TestASegmentAheadIsGoneAfterACrash(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	l := w.open(t, m, wal.Options{SegmentSize: 150})
	require.NoError(t, w.append(l, 1, 80, 0))
	require.NoError(t, w.sync(l))
	require.NoError(t, l.MakeAhead())
	m.Crash(vfs.KeepAll)
	_, err := wal.Verify(m, dir, 0)
	require.NoError(t, err)
	l = w.open(t, m, wal.Options{SegmentSize: 150})
	require.Equal(t, []string{"0000000000000001.wal"}, files(t, m))
	require.NoError(t, w.append(l, 1, 80, 0))
	require.Equal(t, []string{"0000000000000001.wal", "0000000000000003.wal"}, files(t, m), "numbers do not come again")
}
