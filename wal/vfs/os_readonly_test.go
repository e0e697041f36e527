package vfs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

func TestAReadOnlyFileSystemReadsAndChangesNothing(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("abc"), 0o444))
	f := vfs.NewReadOnlyOS(dir)
	names, err := f.ReadDir(".")
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, names)
	h, err := f.Open("a")
	require.NoError(t, err)
	b := make([]byte, 3)
	_, err = h.ReadAt(b, 0)
	require.NoError(t, err)
	require.Equal(t, "abc", string(b))
	size, err := h.Size()
	require.NoError(t, err)
	require.EqualValues(t, 3, size)

	_, err = h.WriteAt([]byte("x"), 0)
	_, created := f.Create("b")
	_, locked := f.Lock("LOCK")
	for _, err := range []error{
		err, h.Sync(), h.SyncData(), h.Preallocate(9), h.Truncate(0), created, locked,
		f.Rename("a", "b"), f.Remove("a"), f.SyncDir("."), f.MkdirAll("d"),
	} {
		require.ErrorIs(t, err, fs.ErrPermission)
	}
	require.NoError(t, h.Close())
	_, err = f.Open("b")
	require.ErrorIs(t, err, fs.ErrNotExist)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}
