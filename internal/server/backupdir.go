package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chubbycell/chubby/wal/vfs"
)

// backupFS is the directory of backups. It never makes that directory itself: where it is missing, a
// file system is not mounted, and what is written there is on the wrong disk.
type backupFS struct {
	vfs.FS
	dir string
}

// MkdirAll implements vfs.FS for directories right below.
func (b backupFS) MkdirAll(name string) error {
	switch err := os.Mkdir(filepath.Join(b.dir, name), 0o700); {
	case errors.Is(err, fs.ErrNotExist):
		return errNoBackupDir(b.dir)
	case err == nil:
		return b.SyncDir(".")
	}
	return b.FS.MkdirAll(name) // it is there, or the error says what else is wrong
}

// checkBackupDir reports whether backups can be written, as far as that is known without writing.
func checkBackupDir(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return errNoBackupDir(dir)
	}
	return nil
}

func errNoBackupDir(dir string) error {
	return fmt.Errorf("backup_dir: %s is no directory: mount its file system, or make it", dir)
}
