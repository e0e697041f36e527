package snapshot_test

import (
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

func TestMalformedHandlesAreRefused(t *testing.T) {
	m := vfs.NewMem()
	s, _, err := snapshot.Open(m, dir, snapshot.Options{})
	require.NoError(t, err)
	calls := vfstest.CountCalls(m, func() {
		for _, h := range []snapshot.Handle{
			{Slot: 0, Members: []snapshot.NodeID{1}},
			{Slot: 1},
			{Slot: 1, Members: []snapshot.NodeID{1, 1}},
			{Slot: 1, Members: []snapshot.NodeID{2, 1}},
			{Slot: 1, Members: make([]snapshot.NodeID, snapshot.MaxMembers+1)},
		} {
			_, err := s.Create(h)
			require.ErrorIs(t, err, snapshot.ErrHandle)
			_, err = s.Install(snapshot.ID{Handle: h, Size: 1000})
			require.ErrorIs(t, err, snapshot.ErrHandle)
		}
	})
	require.Zero(t, calls)
}

func TestTheLargestHandleComesBack(t *testing.T) {
	m := vfs.NewMem()
	s, _, err := snapshot.Open(m, dir, snapshot.Options{ChunkSize: 1})
	require.NoError(t, err)
	h := snapshot.Handle{Slot: 1<<64 - 1, Ballot: snapshot.Ballot{Round: 1<<64 - 2, Node: 1<<32 - 1}, Epoch: 1<<64 - 3}
	for i := range snapshot.MaxMembers {
		h.Members = append(h.Members, 1<<32-snapshot.MaxMembers+snapshot.NodeID(i))
	}
	id, err := s.Write(h, doc{body: "one byte a chunk"}.writeTo)
	require.NoError(t, err)
	require.True(t, id.Handle.Equal(h))
	slices.Reverse(h.Members)
	require.False(t, id.Handle.Equal(h), "the caller's members are not kept")
	m.Kill()
	s, r, err := snapshot.Open(m, dir, snapshot.Options{})
	require.NoError(t, err)
	require.Equal(t, []snapshot.ID{id}, r.Good)
	got, err := load(s, id.Handle)
	require.NoError(t, err)
	require.Equal(t, "one byte a chunk", got.body)
}

func TestOptionsOutOfBounds(t *testing.T) {
	for _, size := range []int{-1, snapshot.MaxChunk + 1} {
		_, _, err := snapshot.Open(vfs.NewMem(), dir, snapshot.Options{ChunkSize: size})
		require.ErrorContains(t, err, "ChunkSize")
	}
}

func TestPruneKeepsWhatItIsTold(t *testing.T) {
	for keep, left := range map[int]int{-1: 2, 0: 2, 1: 2, 2: 2, 3: 3, 9: 5} {
		m := vfs.NewMem()
		s, _, err := snapshot.Open(m, dir, snapshot.Options{Keep: keep})
		require.NoError(t, err)
		for slot := range uint64(5) {
			d := newDoc(slot+1, 1, 10)
			_, err := s.Write(d.h, d.writeTo)
			require.NoError(t, err)
		}
		_, err = s.Prune()
		require.NoError(t, err)
		require.Len(t, s.List(), left)
		last, _ := s.Latest()
		require.EqualValues(t, 5, last.Handle.Slot)
	}
}

func TestTwoStoresOfOneDirectory(t *testing.T) {
	m := vfs.NewMem()
	s, _, err := snapshot.Open(m, dir, snapshot.Options{})
	require.NoError(t, err)
	_, _, err = snapshot.Open(m, dir, snapshot.Options{})
	require.ErrorIs(t, err, vfs.ErrLocked)
	require.NoError(t, s.Close())
	_, _, err = snapshot.Open(m, dir, snapshot.Options{})
	require.NoError(t, err)
}

// Writers and Installers of a closed store touch no file any more: another store may use the
// names by now.
func TestAClosedStore(t *testing.T) {
	m, d := vfs.NewMem(), newDoc(1, 1, 10)
	s, _, err := snapshot.Open(m, dir, snapshot.Options{ChunkSize: 1})
	require.NoError(t, err)
	w, err := s.Create(d.h)
	require.NoError(t, err)
	id, err := s.Write(d.h, d.writeTo)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err = w.Write([]byte("x"))
	require.ErrorIs(t, err, snapshot.ErrClosed)
	w.Abort()
	_, err = s.Create(newDoc(2, 1, 1).h)
	require.ErrorIs(t, err, snapshot.ErrClosed)
	_, err = s.Prune()
	require.ErrorIs(t, err, snapshot.ErrClosed)
	_, err = s.ReadChunk(id, 0, 1)
	require.ErrorIs(t, err, snapshot.ErrClosed)
	require.ErrorIs(t, s.Load(d.h, nil), snapshot.ErrClosed)
	_, err = m.Contents(dir + "/00000000000000000001.1.tmp")
	require.NoError(t, err, "left for the next Open")
}

// Several snapshots may be written at once. One that is older than the latest is refused.
func TestWritersSideBySide(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	s := w.open(t, m, snapshot.Options{ChunkSize: 10})
	var ws []*snapshot.Writer
	for i, slot := range []uint64{3, 1, 2, 2, 4} {
		d := newDoc(slot, uint64(i), 55)
		w.tried = append(w.tried, d)
		one, err := s.Create(d.h)
		require.NoError(t, err)
		ws = append(ws, one)
	}
	for at := 0; at < 55; at += 5 {
		for i := range ws {
			_, err := io.WriteString(ws[i], w.tried[i].body[at:at+5])
			require.NoError(t, err)
		}
	}
	for _, c := range []struct {
		i   int
		err error
	}{{1, nil}, {3, nil}, {2, snapshot.ErrOld}, {0, nil}, {0, snapshot.ErrCommitted}} {
		_, err := ws[c.i].Commit()
		require.ErrorIs(t, err, c.err)
		if c.err == nil {
			w.publish(w.tried[c.i])
		}
	}
	ws[0].Abort()
	ws[4].Abort()
	_, err := ws[4].Commit()
	require.ErrorIs(t, err, snapshot.ErrAborted)
	require.Len(t, m.Files(), 4, "three snapshots and the lock")
	m.Crash(vfs.KeepNothing)
	w.open(t, m, snapshot.Options{})
}

func TestTheStoreMayBeUsedWhileItLoads(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	s := w.open(t, m, snapshot.Options{ChunkSize: 10})
	first := newDoc(1, 1, 100)
	require.NoError(t, w.write(s, first))
	var got []byte
	require.NoError(t, s.Load(first.h, func(r io.Reader) error {
		for slot := range uint64(2) {
			require.NoError(t, w.write(s, newDoc(slot+2, 1, 30)))
		}
		require.NoError(t, w.prune(s, 2))
		var err error
		got, err = io.ReadAll(iotest.OneByteReader(r))
		return err
	}))
	require.Equal(t, first.body, string(got), "though it was pruned meanwhile")
	require.ErrorIs(t, s.Load(first.h, nil), snapshot.ErrUnknown)
}

func TestLoadKnowsHandlesByAllOfThem(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	s := w.open(t, m, snapshot.Options{})
	d := newDoc(1, 1, 100)
	require.NoError(t, w.write(s, d))
	other := d.h
	other.Epoch++
	require.ErrorIs(t, s.Load(other, nil), snapshot.ErrUnknown)
	var kept io.Reader
	require.ErrorIs(t, s.Load(d.h, func(r io.Reader) error { kept = r; return errBody }), errBody)
	require.Len(t, s.List(), 1, "the body may be bad; the file is good")
	_, err := kept.Read(make([]byte, 1))
	require.ErrorIs(t, err, snapshot.ErrClosed)
}

func TestFilesOfOthersAreLeftAlone(t *testing.T) {
	m := vfs.NewMem()
	require.NoError(t, m.MkdirAll(dir))
	for _, name := range []string{"README", "5.snap"} {
		_, err := m.Create(dir + "/" + name)
		require.NoError(t, err)
	}
	s, r, err := snapshot.Open(m, dir, snapshot.Options{})
	require.NoError(t, err)
	require.Len(t, r.Bad, 1)
	require.ErrorContains(t, r.Bad[0].Err, dir+"/5.snap: damaged at offset 0: not the name of a snapshot")
	for slot := range uint64(9) {
		d := newDoc(slot+1, 1, 10)
		_, err = s.Write(d.h, d.writeTo)
		require.NoError(t, err)
	}
	require.NoError(t, m.Remove(file(3)), "removed by hand")
	removed, err := s.Prune()
	require.NoError(t, err)
	require.Equal(t, []snapshot.Slot{1, 2, 3, 4, 5, 6, 7}, removed)
	names, err := m.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, 2+3)
}

func TestNothingIsLeftOfWhatWasGivenUp(t *testing.T) {
	m := vfs.NewMem()
	s, _, err := snapshot.Open(m, dir, snapshot.Options{ChunkSize: 10})
	require.NoError(t, err)
	require.NoError(t, giveUp(&twin{}, s, newDoc(1, 1, 100)))
	require.Empty(t, s.List())
	require.Len(t, m.Files(), 1, "the lock")
}

// The purpose of the store: the rows of a database, as of one slot, on files of the machine.
func TestRowsGoThroughADirectoryOfTheMachine(t *testing.T) {
	d := db.New()
	txn := d.Begin()
	for i := range 1000 {
		txn.Put(string(rune('a'+i%26))+string(rune('0'+i)), "value")
	}
	txn.Commit()
	disk := vfs.NewOS(t.TempDir())
	s, _, err := snapshot.Open(disk, dir, snapshot.Options{ChunkSize: 1000})
	require.NoError(t, err)
	h := newDoc(4, 1, 0).h
	_, err = s.Write(h, func(w io.Writer) error { _, err := d.View().WriteTo(w); return err })
	require.NoError(t, err)
	require.NoError(t, s.Close())
	s, _, err = snapshot.Open(disk, dir, snapshot.Options{})
	require.NoError(t, err)
	var got *db.DB
	require.NoError(t, s.Load(h, func(r io.Reader) (err error) { got, err = db.Load(r); return err }))
	require.Equal(t, d.Checksum(), got.Checksum())
	require.NoError(t, s.Close())
}
