package vfs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Logs, snapshots and backups hold the contents of all nodes, past every access control list.
func TestFilesAreOfTheirOwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file modes are those of unix, which the machines of .ci/run have")
	}
	dir := t.TempDir()
	o := vfs.NewOS(dir)
	require.NoError(t, o.MkdirAll("a/b"))
	f, err := o.Create("a/f")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	l, err := o.Lock("a/LOCK")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	for name, want := range map[string]fs.FileMode{"a": 0o700, "a/b": 0o700, "a/f": 0o600, "a/LOCK": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), name)
	}
}
