package snapshot_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// transfer is a source with one snapshot, and a store without it.
type transfer struct {
	m        *vfs.Mem
	w        twin
	from, to *snapshot.Store
	d        doc
	id       snapshot.ID
	bytes    []byte
	in       *snapshot.Installer
}

func newTransfer(t *testing.T) *transfer {
	x := &transfer{m: vfs.NewMem(), d: newDoc(7, 1, 230)}
	x.w.tried = []doc{x.d}
	x.to = x.w.open(t, x.m, snapshot.Options{})
	peer := vfs.NewMem()
	var err error
	x.from, _, err = snapshot.Open(peer, dir, snapshot.Options{ChunkSize: 50})
	require.NoError(t, err)
	x.id, err = x.from.Write(x.d.h, x.d.writeTo)
	require.NoError(t, err)
	x.bytes, err = peer.Contents(file(7))
	require.NoError(t, err)
	x.in, err = x.to.Install(x.id)
	require.NoError(t, err)
	return x
}

func (x *transfer) put(from, to int64) error { return x.in.Put(x.id, from, x.bytes[from:to]) }

// finish puts the rest, publishes, and looks at what the disk has.
func (x *transfer) finish(t *testing.T) {
	t.Helper()
	require.NoError(t, x.put(x.in.Offset(), x.id.Size))
	id, err := x.in.Commit()
	require.NoError(t, err)
	require.True(t, id.Equal(x.id))
	b, err := x.m.Contents(file(7))
	require.NoError(t, err)
	require.Equal(t, x.bytes, b)
	x.w.publish(x.d)
	x.m.Crash(vfs.KeepNothing)
	x.w.open(t, x.m, snapshot.Options{})
}

func TestPiecesOfAnySize(t *testing.T) {
	for _, n := range []int{1, 2, 13, 50, 66, 100, 10_000} {
		x := newTransfer(t)
		for x.in.Offset() < x.id.Size {
			b, err := x.from.ReadChunk(x.id, x.in.Offset(), n)
			require.NoError(t, err)
			require.Equal(t, x.bytes[x.in.Offset():][:len(b)], b)
			require.NoError(t, x.in.Put(x.id, x.in.Offset(), b))
		}
		x.finish(t)
	}
}

func TestPiecesOfAnotherSnapshotAreRefused(t *testing.T) {
	x := newTransfer(t)
	require.NoError(t, x.put(0, 150))
	d := x.d
	d.h.Epoch++
	other, _, err := snapshot.Open(vfs.NewMem(), dir, snapshot.Options{ChunkSize: 50})
	require.NoError(t, err)
	id, err := other.Write(d.h, d.writeTo)
	require.NoError(t, err)
	require.Equal(t, x.id.Size, id.Size)
	b, err := other.ReadChunk(id, 150, 20)
	require.NoError(t, err)
	require.ErrorIs(t, x.in.Put(id, 150, b), snapshot.ErrOther)
	require.EqualValues(t, 150, x.in.Offset())

	changed := x.id
	changed.Sum++
	require.ErrorIs(t, x.in.Put(changed, 150, b), snapshot.ErrOther)
	changed = x.id
	changed.Size++
	require.ErrorIs(t, x.in.Put(changed, 150, b), snapshot.ErrOther)

	// The same bytes under the name of the right one.
	for b, err = other.ReadChunk(id, 150, 1000); err == nil && x.in.Offset() == 150; {
		err = x.in.Put(x.id, 150, b)
	}
	require.ErrorIs(t, err, snapshot.ErrDamaged)
	require.EqualValues(t, 130, x.in.Offset(), "back to the beginning of the chunk")
	x.finish(t)
}

func TestPiecesThatDoNotFollowAreRefused(t *testing.T) {
	x := newTransfer(t)
	require.NoError(t, x.put(0, 100))
	for _, off := range []int64{0, 99, 101, x.id.Size} {
		require.ErrorIs(t, x.put(off, x.id.Size), snapshot.ErrOffset)
	}
	require.ErrorIs(t, x.in.Put(x.id, 100, append(x.bytes[100:], 0)), snapshot.ErrOffset)
	require.ErrorIs(t, x.in.Put(x.id, -1, nil), snapshot.ErrOffset)
	require.EqualValues(t, 100, x.in.Offset())
	_, err := x.in.Commit()
	require.ErrorIs(t, err, snapshot.ErrIncomplete)
	require.ErrorContains(t, err, "100 bytes of")
	x.finish(t)
}

// The network flips one byte: nothing from that chunk on was written, and the same bytes can
// be fetched again.
func TestATurnedByteOnTheWayIsAskedForAgain(t *testing.T) {
	for at := range newTransfer(t).id.Size {
		x := newTransfer(t)
		b := bytes.Clone(x.bytes)
		b[at] ^= 0x20
		err := x.in.Put(x.id, 0, b)
		if at == 4 || at == 5 {
			require.ErrorIs(t, err, snapshot.ErrVersion)
			require.ErrorIs(t, x.put(0, 1), snapshot.ErrVersion, "final")
			continue
		}
		require.ErrorIs(t, err, snapshot.ErrDamaged, "byte %d", at)
		require.LessOrEqual(t, x.in.Offset(), at)
		require.Empty(t, x.to.List())
		x.finish(t)
	}
}

// The announcement itself was wrong.
func TestAnIDThatDoesNotFitIsFinal(t *testing.T) {
	for name, change := range map[string]func(*snapshot.ID){
		"handle":     func(id *snapshot.ID) { id.Handle.Epoch++ },
		"slot":       func(id *snapshot.ID) { id.Handle.Slot++ },
		"members":    func(id *snapshot.ID) { id.Handle.Members = id.Handle.Members[1:] },
		"sum":        func(id *snapshot.ID) { id.Sum++ },
		"too large":  func(id *snapshot.ID) { id.Size += 100 },
		"too small":  func(id *snapshot.ID) { id.Size-- },
		"very small": func(id *snapshot.ID) { id.Size = 10 },
	} {
		t.Run(name, func(t *testing.T) {
			x := newTransfer(t)
			id := x.id
			change(&id)
			in, err := x.to.Install(id)
			require.NoError(t, err)
			err = in.Put(id, 0, x.bytes[:min(id.Size, x.id.Size)])
			if name != "too small" {
				require.ErrorIs(t, err, snapshot.ErrDamaged)
				require.ErrorIs(t, in.Put(id, in.Offset(), nil), snapshot.ErrDamaged, "final")
			}
			_, err = in.Commit()
			require.Error(t, err)
			in.Abort()
			require.Empty(t, x.to.List())
			x.finish(t)
			require.Equal(t, file(7), x.m.Files()[0].Name, "nothing is left of it")
		})
	}
}

// The source may prune, or write a newer snapshot, during a transfer.
func TestASourceThatMovesOn(t *testing.T) {
	x := newTransfer(t)
	b, err := x.from.ReadChunk(x.id, 0, 70)
	require.NoError(t, err)
	require.NoError(t, x.in.Put(x.id, 0, b))
	for slot := range uint64(2) {
		d := newDoc(8+slot, 1, 50)
		_, err = x.from.Write(d.h, d.writeTo)
		require.NoError(t, err)
	}
	_, err = x.from.ReadChunk(x.id, 70, 70)
	require.NoError(t, err)
	_, err = x.from.Prune()
	require.NoError(t, err)
	_, err = x.from.ReadChunk(x.id, 140, 70)
	require.ErrorIs(t, err, snapshot.ErrUnknown)
	next, _ := x.from.Latest()
	_, err = x.from.ReadChunk(next, 0, 70)
	require.NoError(t, err)
	x.finish(t) // another peer has it
}

func TestAReadOutsideTheSnapshot(t *testing.T) {
	x := newTransfer(t)
	for _, off := range []int64{-1, x.id.Size + 1, 1 << 62} {
		_, err := x.from.ReadChunk(x.id, off, 1)
		require.ErrorIs(t, err, snapshot.ErrOffset)
	}
	_, err := x.from.ReadChunk(x.id, 0, -1)
	require.ErrorIs(t, err, snapshot.ErrOffset)
	b, err := x.from.ReadChunk(x.id, x.id.Size, 10)
	require.NoError(t, err)
	require.Empty(t, b)
	b, err = x.from.ReadChunk(x.id, x.id.Size-3, 10)
	require.NoError(t, err)
	require.Equal(t, x.bytes[x.id.Size-3:], b)
}

func TestOneReadIsBounded(t *testing.T) {
	s, _, err := snapshot.Open(vfs.NewMem(), dir, snapshot.Options{})
	require.NoError(t, err)
	d := newDoc(1, 1, 3*snapshot.MaxRead/2)
	id, err := s.Write(d.h, d.writeTo)
	require.NoError(t, err)
	b, err := s.ReadChunk(id, 0, 1<<30)
	require.NoError(t, err)
	require.Len(t, b, snapshot.MaxRead)
}

// While a snapshot is fetched the store may publish a newer one.
func TestAnInstallationThatIsOvertaken(t *testing.T) {
	x := newTransfer(t)
	require.NoError(t, x.put(0, x.id.Size))
	require.NoError(t, x.w.write(x.to, newDoc(8, 1, 10)))
	_, err := x.in.Commit()
	require.ErrorIs(t, err, snapshot.ErrOld)
	_, err = x.to.Install(x.id)
	require.ErrorIs(t, err, snapshot.ErrOld)
	x.m.Crash(vfs.KeepAll)
	x.w.open(t, x.m, snapshot.Options{})
	require.EqualValues(t, 8, x.w.latest())
}
