package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal/vfs"
)

// A directory of backups that goes away is not made again: what is written there is on the wrong disk.
func TestADirectoryOfBackupsThatIsGoneIsNotMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mounted")
	fs := backupFS{vfs.NewOS(dir), dir}
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, checkBackupDir(dir))
	for range 2 {
		require.NoError(t, fs.MkdirAll("cell-1"))
		require.DirExists(t, filepath.Join(dir, "cell-1"))
	}
	require.NoError(t, os.Rename(dir, dir+"-away"))
	want := "backup_dir: " + dir + " is no directory: mount its file system, or make it"
	require.EqualError(t, fs.MkdirAll("cell-1"), want)
	require.EqualError(t, checkBackupDir(dir), want)
	require.NoDirExists(t, dir)
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	require.Error(t, fs.MkdirAll("cell-1"))
	require.EqualError(t, checkBackupDir(dir), want)
}
