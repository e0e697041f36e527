package ondisk_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// The value of a register is that of its newer readable copy.
func TestRegistersAreRead(t *testing.T) {
	const name = "cell/promise"
	h := newFilledStore(t, 1<<12)
	says := func() (ondisk.Promise, bool) {
		value, ok := ondisk.Register(h.mem, name)
		return ondisk.ReadPromise(value), ok
	}
	want := ondisk.Promise{Boot: 5, Ballot: paxos.Ballot{Round: 3, Node: 2}, Floor: 1, First: 1, Grant: time.Minute}
	got, ok := says()
	require.True(t, ok)
	want.Synced = got.Synced
	require.Equal(t, want, got)

	h.append(t, paxos.Promised{Ballot: paxos.Ballot{Round: 9, Node: 1}})
	got, _ = says()
	require.Equal(t, paxos.Ballot{Round: 9, Node: 1}, got.Ballot)
	require.EqualValues(t, h.next-2, got.Synced, "it is written before what asks for it")
	b, err := h.mem.Contents(name + ".a")
	require.NoError(t, err)
	require.Len(t, b, ondisk.PromiseImage)

	require.NoError(t, h.mem.Corrupt(name+".a", 30, 1))
	_, _, ok = ondisk.Copy(h.mem, name+".a")
	require.False(t, ok)
	other, ok := says()
	require.True(t, ok)
	require.Equal(t, got, other)
	require.NoError(t, h.mem.Corrupt(name+".b", 16, 0xff))
	_, ok = says()
	require.False(t, ok, "a size that is wrong is no reason to read on")

	manifest, ok := ondisk.Register(h.mem, "cell/log/manifest")
	require.True(t, ok)
	require.EqualValues(t, 1, ondisk.Begin(manifest))
}

// A missing register reads like an empty one.
func TestNoRegister(t *testing.T) {
	value, ok := ondisk.Register(vfs.NewMem(), "cell/promise")
	require.False(t, ok)
	require.Equal(t, ondisk.Promise{Floor: 1, First: 1}, ondisk.ReadPromise(value))
	require.EqualValues(t, 1, ondisk.Begin(nil))
}
