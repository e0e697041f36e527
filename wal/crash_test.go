package wal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

// life is a process life that comes by every kind of call: groups, syncs, rolls,
// idle marks, a drop. It stops at the first error.
func life(w *twin, l *wal.Log, salt uint64) error {
	return lives(w, l, salt, func() error { return nil })
}

// lifeAhead is life, and segments are made ahead.
func lifeAhead(w *twin, l *wal.Log, salt uint64) error {
	return lives(w, l, salt, func() error {
		if l.WantsAhead() {
			return l.MakeAhead()
		}
		return nil
	})
}

func lives(w *twin, l *wal.Log, salt uint64, ahead func() error) error {
	steps := []func() error{
		func() error { return w.append(l, 1, 20, salt) },
		func() error { return w.sync(l) },
		func() error { return w.append(l, 3, 300, salt) },
		func() error { return w.sync(l) },
		ahead,
		func() error { return l.Idle() },
		func() error { return w.append(l, 4, 150, salt) },
		func() error { return w.append(l, 1, 0, salt) },
		func() error { return w.sync(l) },
		func() error { return w.drop(l, w.next()-3) },
		ahead,
		func() error { return w.append(l, 2, 600, salt) },
		func() error { return w.sync(l) },
		ahead,
		func() error { return w.append(l, 2, 40, salt) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

var crashes = map[string]func(*vfs.Mem, uint64){
	"power cut": func(m *vfs.Mem, seed uint64) { m.Crash(vfs.Seeded(seed)) },
	"nothing":   func(m *vfs.Mem, _ uint64) { m.Crash(vfs.KeepNothing) },
	"all":       func(m *vfs.Mem, _ uint64) { m.Crash(vfs.KeepAll) },
	"killed":    func(m *vfs.Mem, _ uint64) { m.Kill() },
}

// A life is cut short at each of its calls, the recovery is cut short at one of
// its own, then at another one; the fourth process finds a log that is a prefix
// with all that was acknowledged, and lives on.
func TestDeathAtEveryCallAndAgainDuringRecovery(t *testing.T) {
	for _, size := range []int64{1, 400, 1500, 1 << 16} {
		o := wal.Options{SegmentSize: size}
		total := countLife(t, o, lifeAhead)
		for name, crash := range crashes {
			for next, then := range crashes {
				t.Run(fmt.Sprintf("%s, then %s/segment %d", name, next, size), func(t *testing.T) {
					for n := 1; n <= total; n++ {
						dieTwiceMore(t, o, n, crash, then)
					}
				})
			}
		}
	}
}

func countLife(t *testing.T, o wal.Options, life func(*twin, *wal.Log, uint64) error) int {
	m, w := vfs.NewMem(), &twin{}
	return vfstest.CountCalls(m, func() { require.NoError(t, life(w, w.open(t, m, o), 0)) })
}

func dieTwiceMore(t *testing.T, o wal.Options, n int, crash, then func(*vfs.Mem, uint64)) {
	m, w, seed := vfs.NewMem(), &twin{}, uint64(n)*100
	vfstest.DieAt(m, n, func() { crash(m, seed) })
	if l, _, err := wal.Open(m, dir, o); err != nil {
		require.True(t, vfstest.IsDeath(err), "%v", err)
	} else if err := lifeAhead(w, l, seed); err != nil {
		require.True(t, vfstest.IsDeath(err), "%v", err)
	}
	for again := range uint64(2) {
		at := 1 + int(seed/100+again*7)%25
		vfstest.DieAt(m, at, func() { then(m, seed+1+again) })
		if _, r, err := wal.Open(m, dir, o); err != nil {
			require.True(t, vfstest.IsDeath(err), "%v", err)
		} else {
			w.recovered(t, r)
			then(m, seed+9)
		}
	}
	m.SetFault(nil)
	l := w.open(t, m, o)
	require.NoError(t, lifeAhead(w, l, seed+3))
	m.Crash(vfs.Seeded(seed + 4))
	w.open(t, m, o)
}

// An unsynced group may be torn anywhere, also with good frames behind the torn
// one: none of them may come back, neither now nor behind later entries.
func TestATornGroupIsCutWithAllThatFollows(t *testing.T) {
	holes, whole := 0, 0
	for seed := range uint64(1500) {
		m, w := vfs.NewMem(), &twin{}
		l := w.open(t, m, wal.Options{SegmentSize: 1 << 16})
		require.NoError(t, w.append(l, 3, 100, seed))
		require.NoError(t, w.sync(l))
		require.NoError(t, w.append(l, 12, 200, seed))
		m.Crash(vfs.Seeded(seed))
		l, r, err := wal.Open(m, dir, wal.Options{SegmentSize: 1 << 16})
		require.NoError(t, err)
		if r.Torn != nil && r.Torn.Bytes > 2*vfs.SectorSize {
			holes++
		}
		if r.Torn != nil && r.Torn.Whole {
			whole++
			require.Greater(t, r.Torn.Bytes, int64(200), "a frame takes room, behind what is torn")
		}
		w.recovered(t, r)
		b, err := m.Contents(dir + "/0000000000000001.wal")
		require.NoError(t, err)
		if r.Torn != nil {
			require.Equal(t, make([]byte, len(b)-int(r.Torn.Offset)), b[r.Torn.Offset:], "cut physically")
		}
		require.NoError(t, w.append(l, 1, 200, seed+1))
		m.Crash(vfs.Seeded(seed + 1))
		w.open(t, m, wal.Options{})
	}
	require.Greater(t, holes, 100, "tails with something behind the tear")
	require.Greater(t, whole, 50, "and a whole frame there")
	require.Greater(t, holes, whole, "at times only parts")
}

// A failed sync that took the dirty pages leaves a machine that reads what the
// disk does not have. A new process on it must not stand on what it reads.
func TestAfterAFailedSyncTheNextProcessWritesTheTailAgain(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	l := w.open(t, m, wal.Options{})
	require.NoError(t, w.append(l, 2, 50, 0))
	require.NoError(t, w.sync(l))
	require.NoError(t, w.append(l, 5, 300, 0))
	m.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpSyncData {
			return vfs.Fault{Err: vfs.ErrIO, Drop: true}
		}
		return vfs.Fault{}
	})
	require.ErrorIs(t, l.Sync(), vfs.ErrIO)
	m.SetFault(nil)
	require.ErrorIs(t, l.Sync(), vfs.ErrIO, "final")
	m.Kill()
	l = w.open(t, m, wal.Options{})
	require.Equal(t, 7, w.acked, "they were readable, so they are kept")
	require.NoError(t, w.append(l, 1, 50, 0))
	require.NoError(t, w.sync(l))
	m.Crash(vfs.KeepNothing)
	w.open(t, m, wal.Options{})
	require.Len(t, w.entries, 8)
}
