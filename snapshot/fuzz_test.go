package snapshot

import (
	"bytes"
	"io"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

func seeds(f *testing.F, add func([]byte)) {
	whole := golden(f)
	add(whole)
	add(image(f, goldenHandle, 4, ""))
	add(image(f, Handle{Slot: 5, Members: []NodeID{0}}, 1, "ab"))
	add([]byte{})
	for i := 0; i < len(whole); i += 11 {
		b := bytes.Clone(whole)
		b[i] ^= 0x40
		add(b)
		add(whole[:i])
	}
}

// No bytes of a file make Open or Dump panic, and bytes that pass are those that a Writer
// writes.
func FuzzFile(f *testing.F) {
	seeds(f, func(b []byte) { f.Add(b) })
	f.Fuzz(func(t *testing.T, b []byte) {
		s, r := open(t, fileName(5), b)
		dumped := Dump(s.fs, path.Join("d", fileName(5)), io.Discard)
		require.Equal(t, len(r.Good)+len(r.Bad), 1)
		if len(r.Good) == 0 {
			if _, id, err := verify(s.fs, s.path(5)); err == nil {
				require.NotEqualValues(t, 5, id.Handle.Slot)
			}
			return
		}
		require.NoError(t, dumped)
		var body []byte
		require.NoError(t, s.Load(r.Good[0].Handle, func(r io.Reader) (err error) {
			body, err = io.ReadAll(r)
			return err
		}))
		require.Equal(t, b, image(t, r.Good[0].Handle, s.good[0].l.chunk, string(body)))
	})
}

// For any bytes in any pieces: what is published is the announced snapshot, in a good file.
func FuzzInstall(f *testing.F) {
	seeds(f, func(b []byte) { f.Add(b, 1); f.Add(b, 50) })
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		_, r := open(t, fileName(5), golden(t))
		id := r.Good[0]
		m := vfs.NewMem()
		s, _, err := Open(m, "d", Options{})
		require.NoError(t, err)
		in, err := s.Install(id)
		require.NoError(t, err)
		for len(b) > 0 {
			k := min(max(n, 1), len(b))
			_ = in.Put(id, in.Offset(), b[:k])
			require.LessOrEqual(t, in.Offset(), id.Size)
			require.LessOrEqual(t, len(in.buf), int(max(in.check.maxPiece(), maxHeader)))
			b = b[k:]
		}
		if _, err := in.Commit(); err != nil {
			require.Empty(t, s.List())
			return
		}
		got, err := m.Contents(s.path(5))
		require.NoError(t, err)
		require.Equal(t, golden(t), got)
	})
}
