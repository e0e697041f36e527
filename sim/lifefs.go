package sim

import (
	"io"
	"io/fs"

	"github.com/chubbycell/chubby/wal/vfs"
)

// lifeFS is a disk as one life of a process sees it: a vfs.FS whose calls wait for the disk on the
// calling coroutine.
type lifeFS struct {
	e *Env
	d *Disk
}

// begin starts every call, and returns the coroutine on which it waits. It fails if the life is
// over but its code still runs.
func (f *lifeFS) begin(op vfs.Op, name string) (*coroutine, error) {
	c := f.e.m.w.coroutines.running
	if c != nil {
		c.check()
	}
	if f.e.dead {
		return nil, &fs.PathError{Op: op.String(), Path: name, Err: vfs.ErrCrashed}
	}
	c = f.e.m.w.coroutines.self("a disk call")
	if c.env != f.e {
		panic("sim: a disk call on a coroutine of another life")
	}
	c.op = diskOp{op: op, disk: f.d, name: name}
	return c, nil
}

// onName makes a call that needs only a name.
func (f *lifeFS) onName(op vfs.Op, name string) (*diskOp, error) {
	c, err := f.begin(op, name)
	if err != nil {
		return nil, err
	}
	f.e.call(c)
	return &c.op, c.op.err
}

func (f *lifeFS) open(op vfs.Op, name string) (vfs.File, error) {
	o, err := f.onName(op, name)
	if err != nil {
		return nil, err
	}
	return &lifeFile{fs: f, inner: o.out, name: name}, nil
}

func (f *lifeFS) Create(name string) (vfs.File, error) { return f.open(vfs.OpCreate, name) }
func (f *lifeFS) Open(name string) (vfs.File, error)   { return f.open(vfs.OpOpen, name) }

func (f *lifeFS) ReadDir(dir string) ([]string, error) {
	o, err := f.onName(vfs.OpReadDir, dir)
	if err != nil {
		return nil, err
	}
	return o.names, nil
}

func (f *lifeFS) Rename(from, to string) error {
	c, err := f.begin(vfs.OpRename, from)
	if err != nil {
		return err
	}
	c.op.to = to
	f.e.call(c)
	return c.op.err
}

func (f *lifeFS) Remove(name string) error {
	_, err := f.onName(vfs.OpRemove, name)
	return err
}

func (f *lifeFS) SyncDir(dir string) error {
	_, err := f.onName(vfs.OpSyncDir, dir)
	return err
}

func (f *lifeFS) MkdirAll(dir string) error {
	_, err := f.onName(vfs.OpMkdirAll, dir)
	return err
}

func (f *lifeFS) Lock(name string) (io.Closer, error) {
	o, err := f.onName(vfs.OpLock, name)
	if err != nil {
		return nil, err
	}
	return o.lock, nil
}

// lifeFile is an open file of a life.
type lifeFile struct {
	fs       *lifeFS
	inner    vfs.File
	name     string
	unsynced int64 // bytes written since the last sync
}

func (f *lifeFile) do(op vfs.Op, p []byte, off int64) (*diskOp, error) {
	c, err := f.fs.begin(op, f.name)
	if err != nil {
		return &diskOp{}, err
	}
	c.op.file, c.op.p, c.op.off = f, p, off
	f.fs.e.call(c)
	return &c.op, c.op.err
}

func (f *lifeFile) ReadAt(p []byte, off int64) (int, error) {
	o, err := f.do(vfs.OpReadAt, p, off)
	return o.n, err
}

func (f *lifeFile) WriteAt(p []byte, off int64) (int, error) {
	o, err := f.do(vfs.OpWriteAt, p, off)
	return o.n, err
}

func (f *lifeFile) Size() (int64, error) {
	o, err := f.do(vfs.OpSize, nil, 0)
	return o.off, err
}

func (f *lifeFile) Sync() error                  { return f.plain(vfs.OpSync, 0) }
func (f *lifeFile) SyncData() error              { return f.plain(vfs.OpSyncData, 0) }
func (f *lifeFile) Preallocate(size int64) error { return f.plain(vfs.OpPreallocate, size) }
func (f *lifeFile) Truncate(size int64) error    { return f.plain(vfs.OpTruncate, size) }
func (f *lifeFile) Close() error                 { return f.plain(vfs.OpClose, 0) }

func (f *lifeFile) plain(op vfs.Op, off int64) error {
	_, err := f.do(op, nil, off)
	return err
}
