package vfs

import (
	"io"
	"io/fs"
	"os"
)

// NewReadOnlyOS is NewOS for callers that only read: files are opened for reading,
// so files of other users will do, and a call that would change something fails
// with fs.ErrPermission.
func NewReadOnlyOS(root string) FS { return readOnlyFS{osFS{root: root}} }

type readOnlyFS struct{ osFS }

func refuse(op Op, name string) error { return wrap(op, name, fs.ErrPermission) }

func (o readOnlyFS) Open(name string) (File, error) {
	f, err := o.open(OpOpen, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return readOnlyFile{f}, nil
}

func (readOnlyFS) Create(name string) (File, error)    { return nil, refuse(OpCreate, name) }
func (readOnlyFS) Rename(from, _ string) error         { return refuse(OpRename, from) }
func (readOnlyFS) Remove(name string) error            { return refuse(OpRemove, name) }
func (readOnlyFS) SyncDir(dir string) error            { return refuse(OpSyncDir, dir) }
func (readOnlyFS) MkdirAll(dir string) error           { return refuse(OpMkdirAll, dir) }
func (readOnlyFS) Lock(name string) (io.Closer, error) { return nil, refuse(OpLock, name) }

// readOnlyFile keeps the methods that change something from its callers. The
// operating system would refuse most of them, but not a sync.
type readOnlyFile struct{ File }

func (f readOnlyFile) name() string { return f.File.(*osFile).name }

func (f readOnlyFile) WriteAt([]byte, int64) (int, error) { return 0, refuse(OpWriteAt, f.name()) }
func (f readOnlyFile) Sync() error                        { return refuse(OpSync, f.name()) }
func (f readOnlyFile) SyncData() error                    { return refuse(OpSyncData, f.name()) }
func (f readOnlyFile) Preallocate(int64) error            { return refuse(OpPreallocate, f.name()) }
func (f readOnlyFile) Truncate(int64) error               { return refuse(OpTruncate, f.name()) }
