package snapshot_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// two is a store with snapshots of slots 9 and 10: in names of another width, 10
// would come first.
func two(t *testing.T) (*vfs.Mem, *snapshot.Store, *twin) {
	m, w := vfs.NewMem(), &twin{}
	s := w.open(t, m, snapshot.Options{ChunkSize: 40})
	require.NoError(t, w.write(s, newDoc(9, 1, 100)))
	require.NoError(t, w.write(s, newDoc(10, 1, 100)))
	return m, s, w
}

// fallen checks that slot 10 was found bad, at or before a byte, and 9 is used.
func fallen(t *testing.T, s *snapshot.Store, bad []snapshot.Bad, at int64) {
	t.Helper()
	require.Len(t, bad, 1)
	require.EqualValues(t, 10, bad[0].Slot)
	require.Equal(t, file(10), bad[0].File)
	require.ErrorContains(t, bad[0].Err, file(10))
	var d *snapshot.DamageError
	if errors.As(bad[0].Err, &d) {
		require.LessOrEqual(t, d.Offset, at)
		require.Equal(t, file(10), d.File)
	} else {
		require.ErrorIs(t, bad[0].Err, snapshot.ErrVersion)
		require.True(t, at == 4 || at == 5)
	}
	last, ok := s.Latest()
	require.True(t, ok)
	require.EqualValues(t, 9, last.Handle.Slot)
	got, err := load(s, last.Handle)
	require.NoError(t, err)
	require.True(t, got.equal(newDoc(9, 1, 100)))
}

// Every byte of a file is covered: if it changes before the store opens, it is reported and the
// older snapshot is used; if it changes afterwards, Load detects it.
func TestEveryRottenByteIsNoticed(t *testing.T) {
	clean, s, _ := two(t)
	last, _ := s.Latest()
	for at := range last.Size {
		mask := byte(1) << (at % 8)
		m := clean.Clone()
		s, _, err := snapshot.Open(m, dir, snapshot.Options{})
		require.NoError(t, err)
		require.NoError(t, m.Corrupt(file(10), at, mask))
		called := false
		err = s.Load(last.Handle, func(io.Reader) error { called = true; return nil })
		require.True(t, errors.Is(err, snapshot.ErrDamaged) || errors.Is(err, snapshot.ErrVersion), "byte %d: %v", at, err)
		require.False(t, called, "nothing is handed out of a rotten file")
		fallen(t, s, s.Bad(), at)
		require.Error(t, snapshot.Dump(m, file(10), io.Discard))

		m.Crash(vfs.KeepNothing)
		s, r, err := snapshot.Open(m, dir, snapshot.Options{})
		require.NoError(t, err)
		fallen(t, s, r.Bad, at)
	}
}

// ReadChunk returns no rotten byte; it returns good pieces of the same file.
func TestRotIsNotServed(t *testing.T) {
	clean, s, _ := two(t)
	last, _ := s.Latest()
	for at := range last.Size {
		m := clean.Clone()
		s, _, err := snapshot.Open(m, dir, snapshot.Options{})
		require.NoError(t, err)
		good, err := s.ReadChunk(last, at, 1)
		require.NoError(t, err)
		require.Len(t, good, 1)
		require.NoError(t, m.Corrupt(file(10), at, 0x10))
		_, err = s.ReadChunk(last, at, 1)
		require.Error(t, err, "byte %d", at)
		fallen(t, s, s.Bad(), at)
		_, err = s.ReadChunk(last, at, 1)
		require.ErrorIs(t, err, snapshot.ErrUnknown)
	}
}

func TestEveryLengthButTheRightOneIsNoticed(t *testing.T) {
	clean, s, _ := two(t)
	last, _ := s.Latest()
	for size := range last.Size + 50 {
		if size == last.Size {
			continue
		}
		m := clean.Clone()
		s, _, err := snapshot.Open(m, dir, snapshot.Options{})
		require.NoError(t, err)
		f, err := m.Open(file(10))
		require.NoError(t, err)
		require.NoError(t, f.Truncate(size))
		_, err = s.ReadChunk(last, 0, 1)
		require.ErrorIs(t, err, snapshot.ErrDamaged, "though the piece asked for may be good")
		fallen(t, s, s.Bad(), max(size, last.Size))
		m.Kill()
		s, r, err := snapshot.Open(m, dir, snapshot.Options{})
		require.NoError(t, err)
		fallen(t, s, r.Bad, max(size, last.Size))
	}
}

// An error of the disk while reading is that of one file only.
func TestAnUnreadablePlaceIsLikeARottenOne(t *testing.T) {
	m, s, _ := two(t)
	last, _ := s.Latest()
	m.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpReadAt && c.Name == file(10) && c.Off > 100 {
			return vfs.Fault{Err: vfs.ErrIO}
		}
		return vfs.Fault{}
	})
	err := s.Load(last.Handle, func(io.Reader) error { return nil })
	require.ErrorIs(t, err, vfs.ErrIO)
	require.ErrorIs(t, err, snapshot.ErrDamaged)
	require.ErrorContains(t, err, "offset 120: unreadable")
	fallen(t, s, s.Bad(), 120)
	m.Kill()
	s, r, err := snapshot.Open(m, dir, snapshot.Options{})
	require.NoError(t, err)
	fallen(t, s, r.Bad, 120)
}

// Rot between the two passes of Load, when f has begun: f gets an error from its reader, and
// whatever f returns, Load reports the damage.
func TestRotUnderTheReader(t *testing.T) {
	for _, swallow := range []bool{true, false} {
		m, s, _ := two(t)
		last, _ := s.Latest()
		err := s.Load(last.Handle, func(r io.Reader) error {
			one := make([]byte, 1)
			_, err := r.Read(one)
			require.NoError(t, err)
			require.NoError(t, m.Corrupt(file(10), last.Size-40, 1))
			if _, err = io.Copy(io.Discard, r); swallow {
				return nil
			}
			return errors.New("mine: " + err.Error())
		})
		require.ErrorIs(t, err, snapshot.ErrDamaged)
		fallen(t, s, s.Bad(), last.Size)
	}
}

// Rot after the point where f stops reading is detected as well.
func TestWhatIsNotReadIsCheckedAllTheSame(t *testing.T) {
	m, s, _ := two(t)
	last, _ := s.Latest()
	err := s.Load(last.Handle, func(io.Reader) error { return m.Corrupt(file(10), last.Size-1, 1) })
	require.ErrorIs(t, err, snapshot.ErrDamaged)
	fallen(t, s, s.Bad(), last.Size)
}

// The body is what was written, and f cannot use it.
func TestABodyThatIsOfNoUse(t *testing.T) {
	_, s, _ := two(t)
	last, _ := s.Latest()
	err := s.Load(last.Handle, func(io.Reader) error { return fmt.Errorf("no rows: %w", snapshot.ErrDamaged) })
	require.ErrorContains(t, err, "no rows")
	before, _ := s.Latest()
	require.Less(t, before.Handle.Slot, last.Handle.Slot)
	require.Len(t, s.Bad(), 1)
	require.ErrorIs(t, s.Bad()[0].Err, snapshot.ErrDamaged)
}

// Another good snapshot in the place of the one that was published: of another
// handle, or of the same one with another body.
func TestAFileThatWasExchanged(t *testing.T) {
	for _, c := range []struct {
		off    int64
		change func(*doc)
	}{
		{0, func(d *doc) { d.h.Epoch++ }},
		{70, func(d *doc) { d.h.Epoch++ }},
		{200, func(d *doc) { d.body = d.body[:99] + "?" }},
	} {
		m, s, _ := two(t)
		last, _ := s.Latest()
		imposter := newDoc(10, 1, 100)
		c.change(&imposter)
		other := vfs.NewMem()
		o, _, err := snapshot.Open(other, dir, snapshot.Options{ChunkSize: 40})
		require.NoError(t, err)
		id, err := o.Write(imposter.h, imposter.writeTo)
		require.NoError(t, err)
		require.Equal(t, last.Size, id.Size)
		b, err := other.Contents(file(10))
		require.NoError(t, err)
		f, err := m.Open(file(10))
		require.NoError(t, err)
		_, err = f.WriteAt(b, 0)
		require.NoError(t, err)
		after := m.Clone()

		_, err = s.ReadChunk(last, c.off, 40)
		require.ErrorIs(t, err, snapshot.ErrDamaged)
		fallen(t, s, s.Bad(), last.Size)
		s, r, err := snapshot.Open(after, dir, snapshot.Options{})
		require.NoError(t, err)
		require.Empty(t, r.Bad, "undetectable after a restart")
		_, err = s.ReadChunk(last, 0, 10)
		require.ErrorIs(t, err, snapshot.ErrUnknown, "but pieces of the two are never mixed")
	}
}

// The name says 11, the handle 9: a misdirected rename, or a copy by hand.
func TestTheHandleMustMatchTheName(t *testing.T) {
	m, _, _ := two(t)
	require.NoError(t, m.Rename(file(9), file(11)))
	m.Kill()
	s, r, err := snapshot.Open(m, dir, snapshot.Options{})
	require.NoError(t, err)
	require.Len(t, r.Bad, 1)
	require.ErrorContains(t, r.Bad[0].Err, "a snapshot of slot 9 under the name of slot 11")
	last, _ := s.Latest()
	require.EqualValues(t, 10, last.Handle.Slot)
}

// The store cannot detect that its newest file is gone, unless Options.Confirmed names it.
func TestAMissingConfirmedSnapshotIsReported(t *testing.T) {
	m, _, _ := two(t)
	for confirmed, missing := range map[snapshot.Slot]bool{0: false, 8: false, 9: false, 10: true, 11: true} {
		c := m.Clone()
		require.NoError(t, c.Remove(file(10)))
		s, r, err := snapshot.Open(c, dir, snapshot.Options{Confirmed: confirmed})
		require.NoError(t, err)
		last, _ := s.Latest()
		require.EqualValues(t, 9, last.Handle.Slot)
		if !missing {
			require.Empty(t, r.Bad)
			continue
		}
		require.Len(t, r.Bad, 1)
		require.Equal(t, confirmed, r.Bad[0].Slot)
		require.ErrorIs(t, r.Bad[0].Err, snapshot.ErrMissing)
		d := newDoc(uint64(confirmed), 2, 10)
		_, err = s.Write(d.h, d.writeTo)
		require.NoError(t, err)
		require.Empty(t, s.Bad())
	}
}

// Bad ones are neither counted among those to keep nor removed while they are the
// newest; when good ones are newer they go with the rest.
func TestPruneCountsGoodOnes(t *testing.T) {
	m, s, w := two(t)
	require.NoError(t, w.write(s, newDoc(12, 1, 100)))
	require.NoError(t, m.Corrupt(file(12), 100, 1))
	m.Kill()
	s, r, err := snapshot.Open(m, dir, snapshot.Options{})
	require.NoError(t, err)
	require.Len(t, r.Bad, 1)
	removed, err := s.Prune()
	require.NoError(t, err)
	require.Empty(t, removed)
	for slot := range uint64(2) {
		d := newDoc(13+slot, 1, 10)
		_, err = s.Write(d.h, d.writeTo)
		require.NoError(t, err)
	}
	removed, err = s.Prune()
	require.NoError(t, err)
	require.Equal(t, []snapshot.Slot{9, 10, 12}, removed)
	require.Empty(t, s.Bad())
	names, err := m.ReadDir(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"00000000000000000013.snap", "00000000000000000014.snap", "LOCK"}, names)
}

func TestAFreshSnapshotReplacesABadOneOfItsSlot(t *testing.T) {
	m, _, w := two(t)
	require.NoError(t, m.Corrupt(file(10), 100, 1))
	m.Kill()
	s, _, err := snapshot.Open(m, dir, snapshot.Options{})
	require.NoError(t, err)
	w.good = w.good[:1]
	require.NoError(t, w.write(s, newDoc(10, 2, 60)))
	require.Empty(t, s.Bad())
	m.Crash(vfs.KeepNothing)
	w.open(t, m, snapshot.Options{})
	require.EqualValues(t, 10, w.latest())
}

// Nothing of an unfinished write is ever read, whatever stands in it.
func TestLeftoversAreRemovedUnread(t *testing.T) {
	m, _, w := two(t)
	require.NoError(t, m.Rename(file(9), dir+"/00000000000000000099.1.tmp"))
	require.NoError(t, m.SyncDir(dir))
	m.Kill()
	m.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op == vfs.OpOpen && c.Name != file(10) {
			return vfs.Fault{Err: errors.New("opened " + c.Name)}
		}
		return vfs.Fault{}
	})
	s, r, err := snapshot.Open(m, dir, snapshot.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{dir + "/00000000000000000099.1.tmp"}, r.Removed)
	require.Len(t, r.Good, 1)
	m.SetFault(nil)
	require.NoError(t, s.Close())
	w.good = w.good[1:]
	w.open(t, m, snapshot.Options{})
	names, err := m.ReadDir(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"00000000000000000010.snap", "LOCK"}, names)
}
