package snapshot_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

var errBody = errors.New("the body cannot be had")

// life is a process life with every kind of call: writes, one of them aborted and one that
// fails, an installation, prunes, loads. It stops at the first unexpected error.
func life(w *twin, s *snapshot.Store, salt uint64) error {
	base := uint64(w.latest())
	steps := []func() error{
		func() error { return w.write(s, newDoc(base+1, salt, 250)) },
		func() error { return w.write(s, newDoc(base+2, salt, 0)) },
		func() error { return w.install(s, newDoc(base+4, salt, 260), 77) },
		func() error { return w.prune(s, 2) },
		func() error { return giveUp(w, s, newDoc(base+5, salt, 300)) },
		func() error { return w.write(s, newDoc(base+6, salt, 700)) },
		func() error { return w.prune(s, 2) },
		func() error { return w.install(s, newDoc(base+7, salt, 500), 1000) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func giveUp(w *twin, s *snapshot.Store, d doc) error {
	w.tried = append(w.tried, d)
	open, err := s.Create(d.h)
	if err != nil {
		return err
	}
	if err := d.writeTo(open); err != nil {
		return err
	}
	open.Abort()
	_, err = s.Write(d.h, func(b io.Writer) error {
		return errors.Join(d.writeTo(b), errBody)
	})
	if errors.Is(err, errBody) && !vfstest.IsDeath(err) {
		return nil
	}
	return err
}

var crashes = map[string]func(*vfs.Mem, uint64){
	"power cut": func(m *vfs.Mem, seed uint64) { m.Crash(vfs.Seeded(seed)) },
	"nothing":   func(m *vfs.Mem, _ uint64) { m.Crash(vfs.KeepNothing) },
	"all":       func(m *vfs.Mem, _ uint64) { m.Crash(vfs.KeepAll) },
	"killed":    func(m *vfs.Mem, _ uint64) { m.Kill() },
}

// A life crashes at each of its calls, and the following Open at each of its own; then power
// fails. The store opens with the latest confirmed snapshot, or a newer complete one, and the
// two before it that were not pruned.
func TestDeathAtEveryCallAndAgainWhileOpening(t *testing.T) {
	o := snapshot.Options{ChunkSize: 100}
	m, w := vfs.NewMem(), &twin{}
	total := vfstest.CountCalls(m, func() { require.NoError(t, life(w, w.open(t, m, o), 1)) })
	require.Greater(t, total, 80)
	for name, crash := range crashes {
		t.Run(name, func(t *testing.T) {
			for n := 1; n <= total; n++ {
				m, w := vfs.NewMem(), &twin{}
				vfstest.DieAt(m, n, func() { crash(m, uint64(n)) })
				s, _, err := snapshot.Open(m, dir, o)
				if err == nil {
					err = life(w, s, 1)
				}
				if err == nil { // the error of the last call of all is ignored
					crash(m, uint64(n))
				} else {
					require.True(t, vfstest.IsDeath(err), "call %d: %v", n, err)
				}
				dieWhileOpening(t, m, w, o, uint64(n), crash)
			}
		})
	}
}

func dieWhileOpening(t *testing.T, first *vfs.Mem, was *twin, o snapshot.Options, seed uint64, crash func(*vfs.Mem, uint64)) {
	for n := 1; ; n++ {
		m, w := first.Clone(), *was
		vfstest.DieAt(m, n, func() { crash(m, seed+uint64(n)*1000) })
		s, r, err := snapshot.Open(m, dir, o)
		if err == nil {
			m.SetFault(nil)
			w.recovered(t, s, r)
			m.Crash(vfs.KeepNothing)
			w.open(t, m, o)
			return
		}
		require.True(t, vfstest.IsDeath(err), "%v", err)
		m.SetFault(nil)
		s = w.open(t, m, o)
		if n%5 == 0 {
			require.NoError(t, life(&w, s, seed+2))
			m.Crash(vfs.Seeded(seed))
			w.open(t, m, o)
		}
	}
}

// Any error of the disk at any call: the operation fails, publishes nothing, and what was
// published before is still there, also after a power failure.
func TestAnErrorAtEveryCall(t *testing.T) {
	o := snapshot.Options{ChunkSize: 100}
	m, w := vfs.NewMem(), &twin{}
	total := vfstest.CountCalls(m, func() { require.NoError(t, life(w, w.open(t, m, o), 1)) })
	for i, fault := range []vfs.Fault{
		{Err: vfs.ErrIO}, {Err: vfs.ErrIO, Drop: true}, {Err: vfs.ErrNoSpace, Short: 10},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for n := 1; n <= total; n++ {
				failAt(t, n, fault, o)
			}
		})
	}
}

func failAt(t *testing.T, n int, fault vfs.Fault, o snapshot.Options) {
	m, w, at := vfs.NewMem(), &twin{}, n
	m.SetFault(func(c vfs.Call) vfs.Fault {
		if at--; at == 0 {
			return fault
		}
		return vfs.Fault{}
	})
	s, _, err := snapshot.Open(m, dir, o)
	if err != nil {
		require.ErrorIs(t, err, fault.Err)
		s = w.open(t, m, o)
	}
	for salt := range uint64(4) {
		if err = life(w, s, salt); err == nil {
			break
		}
		require.ErrorIs(t, err, fault.Err, "call %d", n)
		var e interface{ Unwrap() error }
		require.ErrorAs(t, err, &e)
		if last, ok := s.Latest(); ok {
			require.Equal(t, w.latest(), last.Handle.Slot)
		}
	}
	require.NoError(t, err, "it goes on after one error")
	m.Crash(vfs.KeepNothing)
	w.open(t, m, o)
}

// A process crashes between rename and directory sync; the machine stays up. The next process
// finds the snapshot and relies on it, and power fails.
func TestWhatOpenShowsIsDurable(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	s := w.open(t, m, snapshot.Options{})
	require.NoError(t, w.write(s, newDoc(1, 1, 10)))
	m.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpSyncDir {
			m.Kill()
		}
		return vfs.Fault{}
	})
	require.True(t, vfstest.IsDeath(w.write(s, newDoc(2, 1, 10))))
	m.SetFault(nil)
	s = w.open(t, m, snapshot.Options{})
	last, _ := s.Latest()
	require.EqualValues(t, 2, last.Handle.Slot)
	m.Crash(vfs.KeepNothing)
	w.open(t, m, snapshot.Options{})
	require.EqualValues(t, 2, w.latest())
}
