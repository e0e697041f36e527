package frail

import (
	"github.com/chubbycell/chubby/wal/vfs"
)

// Fillable returns base with a disk that is full while full says so: a write then puts half
// of its bytes and fails, also where it replaces bytes, as on a disk that copies on write,
// and no file is made or grows. Files can be removed and renamed. It may be used by several
// goroutines if base may be, and full may be called by several.
func Fillable(base vfs.FS, full func() bool) vfs.FS { return fillable{base, full} }

type fillable struct {
	vfs.FS
	full func() bool
}

func (f fillable) Create(name string) (vfs.File, error) {
	if f.full() {
		return nil, failed(vfs.OpCreate, name, vfs.ErrNoSpace)
	}
	return f.opened(name)(f.FS.Create(name))
}

func (f fillable) Open(name string) (vfs.File, error) { return f.opened(name)(f.FS.Open(name)) }

func (f fillable) opened(name string) func(vfs.File, error) (vfs.File, error) {
	return func(h vfs.File, err error) (vfs.File, error) {
		if err != nil {
			return nil, err
		}
		return fillableFile{h, name, f.full}, nil
	}
}

func (f fillable) MkdirAll(dir string) error {
	if _, err := f.ReadDir(dir); err != nil && f.full() {
		return failed(vfs.OpMkdirAll, dir, vfs.ErrNoSpace)
	}
	return f.FS.MkdirAll(dir)
}

type fillableFile struct {
	vfs.File
	name string
	full func() bool
}

func (f fillableFile) WriteAt(b []byte, off int64) (int, error) {
	if len(b) == 0 || !f.full() {
		return f.File.WriteAt(b, off)
	}
	n, err := f.File.WriteAt(b[:len(b)/2], off)
	if err == nil {
		err = failed(vfs.OpWriteAt, f.name, vfs.ErrNoSpace)
	}
	return n, err
}

func (f fillableFile) Preallocate(size int64) error {
	if err := f.grows(vfs.OpPreallocate, size); err != nil {
		return err
	}
	return f.File.Preallocate(size)
}

func (f fillableFile) Truncate(size int64) error {
	if err := f.grows(vfs.OpTruncate, size); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// grows fails if the disk is full, and the file would become larger.
func (f fillableFile) grows(op vfs.Op, size int64) error {
	if !f.full() {
		return nil
	}
	have, err := f.Size()
	if err == nil && size > have {
		err = failed(op, f.name, vfs.ErrNoSpace)
	}
	return err
}
