package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// NewOS returns the part of the machine's file system below the directory root.
// It may be used by several goroutines, each with files of its own. Lock needs a
// unix; elsewhere it fails with errors.ErrUnsupported. What it makes, its owner alone may use: files have the
// mode 0600 and directories 0700.
func NewOS(root string) FS { return osFS{root: root} }

type osFS struct{ root string }

func (o osFS) path(name string) string { return filepath.Join(o.root, filepath.FromSlash(name)) }

// explain gives an error of the operating system our names: the path within the
// root, and our sentinels beside the system's number.
func explain(op Op, name string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		err = le.Err
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		err = errors.Join(ErrNoSpace, err)
	case errors.Is(err, syscall.EIO):
		err = errors.Join(ErrIO, err)
	case errors.Is(err, syscall.EISDIR):
		err = ErrIsDirectory // in the same words
	}
	return wrap(op, name, err)
}

func (o osFS) open(op Op, name string, flags int) (File, error) {
	if err := checkName(op, name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(o.path(name), flags, 0o600)
	if err != nil {
		return nil, explain(op, name, err)
	}
	return &osFile{f: f, name: name}, nil
}

func (o osFS) Create(name string) (File, error) {
	return o.open(OpCreate, name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

func (o osFS) Open(name string) (File, error) { return o.open(OpOpen, name, os.O_RDWR) }

func (o osFS) ReadDir(dir string) ([]string, error) {
	if err := checkName(OpReadDir, dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(o.path(dir)) // sorted by name
	if err != nil {
		return nil, explain(OpReadDir, dir, err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

func (o osFS) Rename(from, to string) error {
	if err := errors.Join(checkName(OpRename, from), checkName(OpRename, to)); err != nil {
		return err
	}
	return explain(OpRename, from, os.Rename(o.path(from), o.path(to)))
}

func (o osFS) Remove(name string) error {
	if err := checkName(OpRemove, name); err != nil {
		return err
	}
	return explain(OpRemove, name, os.Remove(o.path(name)))
}

func (o osFS) SyncDir(dir string) error {
	if err := checkName(OpSyncDir, dir); err != nil {
		return err
	}
	d, err := os.Open(o.path(dir))
	if err != nil {
		return explain(OpSyncDir, dir, err)
	}
	err = d.Sync()
	return explain(OpSyncDir, dir, errors.Join(err, d.Close()))
}

func (o osFS) MkdirAll(dir string) error {
	if err := checkName(OpMkdirAll, dir); err != nil {
		return err
	}
	err := os.Mkdir(o.path(dir), 0o700)
	if errors.Is(err, fs.ErrNotExist) && dir != "." {
		if err := o.MkdirAll(path.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(o.path(dir), 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		return o.wantDir(dir)
	}
	if err != nil {
		return explain(OpMkdirAll, dir, err)
	}
	return o.SyncDir(path.Dir(dir))
}

func (o osFS) wantDir(dir string) error {
	info, err := os.Stat(o.path(dir))
	if err == nil && !info.IsDir() {
		err = fs.ErrExist
	}
	return explain(OpMkdirAll, dir, err)
}

func (o osFS) Lock(name string) (io.Closer, error) {
	if err := checkName(OpLock, name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(o.path(name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, explain(OpLock, name, err)
	}
	if err := flock(f); err != nil {
		return nil, explain(OpLock, name, errors.Join(err, f.Close()))
	}
	return f, nil // closing the file frees the lock
}

type osFile struct {
	f    *os.File
	name string
}

func (f *osFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := f.f.ReadAt(b, off)
	return n, explain(OpReadAt, f.name, err)
}

func (f *osFile) WriteAt(b []byte, off int64) (int, error) {
	n, err := f.f.WriteAt(b, off)
	return n, explain(OpWriteAt, f.name, err)
}

func (f *osFile) Sync() error     { return explain(OpSync, f.name, f.f.Sync()) }
func (f *osFile) SyncData() error { return explain(OpSyncData, f.name, syncData(f.f)) }

// Preallocate writes zeros: blocks that were reserved but never written cost a
// change of metadata at the first sync of each, which is what it is there to
// avoid.
func (f *osFile) Preallocate(size int64) error {
	at, err := f.Size()
	if err != nil || at >= size {
		return err
	}
	zeros := make([]byte, min(size-at, 1<<20))
	for at < size {
		n, err := f.f.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at)
		if err != nil {
			return explain(OpPreallocate, f.name, err)
		}
		at += int64(n)
	}
	return nil
}

func (f *osFile) Truncate(size int64) error {
	return explain(OpTruncate, f.name, f.f.Truncate(size))
}

func (f *osFile) Size() (int64, error) {
	info, err := f.f.Stat()
	if err != nil {
		return 0, explain(OpSize, f.name, err)
	}
	return info.Size(), nil
}

func (f *osFile) Close() error { return explain(OpClose, f.name, f.f.Close()) }
