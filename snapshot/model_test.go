package snapshot_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

// model drives a store and its twin with the same random calls.
type model struct {
	m    *vfs.Mem
	w    twin
	s    *snapshot.Store
	o    snapshot.Options
	salt uint64
}

// reopen opens the store after a crash; opening may crash too.
func (x *model) reopen(t *rapid.T) {
	x.o.ChunkSize = rapid.SampledFrom([]int{1, 7, 100, 4096}).Draw(t, "chunk")
	x.o.Keep = rapid.IntRange(2, 4).Draw(t, "keep")
	for rapid.IntRange(0, 3).Draw(t, "again") == 0 {
		seed := rapid.Uint64().Draw(t, "seed")
		vfstest.DieAt(x.m, rapid.IntRange(1, 30).Draw(t, "call"), func() { x.m.Crash(vfs.Seeded(seed)) })
		_, _, err := snapshot.Open(x.m, dir, x.o)
		require.True(t, err == nil || vfstest.IsDeath(err), "%v", err)
		x.m.Kill()
	}
	x.m.SetFault(nil)
	x.s = x.w.open(t, x.m, x.o)
}

// survive accepts an error that the test injected: the call has no effect, and the process
// continues or crashes.
func (x *model) survive(t *rapid.T, arranged bool, err error) {
	x.m.SetFault(nil)
	if err == nil {
		return
	}
	require.True(t, arranged, "%v", err)
	last, _ := x.s.Latest()
	require.Equal(t, x.w.latest(), last.Handle.Slot)
	switch rapid.IntRange(0, 2).Draw(t, "then") {
	case 0:
		x.m.Crash(vfs.Seeded(rapid.Uint64().Draw(t, "seed")))
		x.reopen(t)
	case 1:
		x.m.Kill()
		x.reopen(t)
	}
}

// arrange may inject a fault, or a crash of the machine, before a later call.
func (x *model) arrange(t *rapid.T) bool {
	if rapid.IntRange(0, 2).Draw(t, "arrange") > 0 {
		return false
	}
	n, kind := rapid.IntRange(1, 25).Draw(t, "at"), rapid.IntRange(0, 4).Draw(t, "fault")
	seed := rapid.Uint64().Draw(t, "seed")
	faults := []vfs.Fault{{Err: vfs.ErrIO}, {Err: vfs.ErrIO, Drop: true}, {Err: vfs.ErrNoSpace, Short: 5}, {Err: vfs.ErrNoSpace}}
	x.m.SetFault(func(c vfs.Call) vfs.Fault {
		if n--; n != 0 {
			return vfs.Fault{}
		}
		if kind == len(faults) {
			x.m.Crash(vfs.Seeded(seed))
			return vfs.Fault{}
		}
		return faults[kind]
	})
	return true
}

func (x *model) next(t *rapid.T) doc {
	x.salt++
	slot := uint64(x.w.latest()) + rapid.Uint64Range(1, 3).Draw(t, "ahead")
	return newDoc(slot, x.salt, rapid.IntRange(0, 300).Draw(t, "size"))
}

// rot changes a byte of a good snapshot. Reading it must fail, and then it is a bad one.
func (x *model) rot(t *rapid.T) {
	if len(x.w.good) == 0 {
		return
	}
	i := rapid.IntRange(0, len(x.w.good)-1).Draw(t, "which")
	id := x.s.List()[i]
	at := rapid.Int64Range(0, id.Size-1).Draw(t, "at")
	if at == 4 || at == 5 {
		return // another format is another error
	}
	require.NoError(t, x.m.Corrupt(file(uint64(id.Handle.Slot)), at, 1<<rapid.IntRange(0, 7).Draw(t, "bit")))
	if rapid.Bool().Draw(t, "load") {
		_, err := load(x.s, id.Handle)
		require.ErrorIs(t, err, snapshot.ErrDamaged)
	} else {
		_, err := x.s.ReadChunk(id, at, 1)
		require.ErrorIs(t, err, snapshot.ErrDamaged)
	}
	x.w.forget([]snapshot.Slot{id.Handle.Slot})
	x.w.rotten = append(x.w.rotten, id.Handle.Slot)
	x.w.rotted = append(x.w.rotted, id.Handle.Slot)
}

func TestTheStoreIsAListThatSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := &model{m: vfs.NewMem()}
		x.reopen(t)
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				d, arranged := x.next(t), x.arrange(t)
				x.survive(t, arranged, x.w.write(x.s, d))
			},
			"install": func(t *rapid.T) {
				d, n, arranged := x.next(t), rapid.IntRange(1, 200).Draw(t, "n"), x.arrange(t)
				x.survive(t, arranged, x.w.install(x.s, d, n))
			},
			"give up": func(t *rapid.T) {
				d, arranged := x.next(t), x.arrange(t)
				x.survive(t, arranged, giveUp(&x.w, x.s, d))
			},
			"prune": func(t *rapid.T) {
				arranged := x.arrange(t)
				x.survive(t, arranged, x.w.prune(x.s, x.o.Keep))
			},
			"look": func(t *rapid.T) {
				found := x.w.found(t, x.s)
				require.Len(t, found, len(x.w.good))
				for i := range found {
					require.True(t, found[i].equal(x.w.good[i]))
				}
				require.Len(t, x.s.Bad(), len(x.w.rotten))
			},
			"rot": x.rot,
			"power cut": func(t *rapid.T) {
				x.m.Crash(vfs.Seeded(rapid.Uint64().Draw(t, "seed")))
				x.reopen(t)
			},
			"kill": func(t *rapid.T) {
				x.m.Kill()
				x.reopen(t)
			},
			"close": func(t *rapid.T) {
				require.NoError(t, x.s.Close())
				x.reopen(t)
			},
		})
	})
}
