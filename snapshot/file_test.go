package snapshot_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// A copied file is read like one in a store, and its damage is reported.
func TestAFileThatNoStoreHasIsLoaded(t *testing.T) {
	m, d := vfs.NewMem(), newDoc(9, 1, 250)
	s, _, err := snapshot.Open(m, dir, snapshot.Options{ChunkSize: 100})
	require.NoError(t, err)
	id, err := s.Write(d.h, func(w io.Writer) error { return d.writeTo(w) })
	require.NoError(t, err)
	require.NoError(t, s.Close())
	const name = "copy"
	require.NoError(t, m.Rename(dir+"/00000000000000000009.snap", name))

	var want, got bytes.Buffer
	require.NoError(t, d.writeTo(&want))
	take := func(r io.Reader) error {
		got.Reset()
		_, err := got.ReadFrom(r)
		return err
	}
	read, err := snapshot.LoadFile(m, name, take)
	require.NoError(t, err)
	require.Equal(t, id, read)
	require.Equal(t, want.Bytes(), got.Bytes())

	_, err = snapshot.LoadFile(m, name, func(io.Reader) error { return errBody })
	require.ErrorIs(t, err, errBody)
	_, err = snapshot.LoadFile(m, "nowhere", take)
	require.ErrorIs(t, err, snapshot.ErrDamaged)
	reads := 0
	m.SetFault(func(c vfs.Call) vfs.Fault {
		if c.Op != vfs.OpReadAt {
			return vfs.Fault{}
		}
		if reads++; reads <= 7 { // the first pass finds it good
			return vfs.Fault{}
		}
		return vfs.Fault{Err: vfs.ErrIO}
	})
	_, err = snapshot.LoadFile(m, name, func(r io.Reader) error {
		_ = take(r)
		return errors.New("what it made of that")
	})
	require.ErrorIs(t, err, snapshot.ErrDamaged)
	m.SetFault(nil)
	require.NoError(t, m.Corrupt(name, 150, 1))
	_, err = snapshot.LoadFile(m, name, func(io.Reader) error {
		t.Fatal("of what is damaged nothing is handed out")
		return nil
	})
	require.ErrorIs(t, err, snapshot.ErrDamaged)
}
