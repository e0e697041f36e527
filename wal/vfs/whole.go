package vfs

import (
	"errors"
	"io/fs"
	"path"
)

// ReadFile returns the whole contents of a file. It fails with fs.ErrNotExist if there is none.
func ReadFile(fsys FS, name string) (data []byte, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Size()
	if err != nil || size == 0 {
		return nil, err
	}
	data = make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	return data, nil
}

// Replace makes data the whole contents of a file, which may exist or not. When it has returned nil, the
// contents are durable; after an error or a crash the file has its former contents, or all of data.
// It writes name + ".tmp" first, so no other file may have that name, and calls of one name must
// not overlap.
func Replace(fsys FS, name string, data []byte) (err error) {
	tmp := name + ".tmp"
	if err := fsys.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a crash
		return err
	}
	f, err := fsys.Create(tmp)
	if err != nil {
		return err
	}
	if len(data) > 0 {
		_, err = f.WriteAt(data, 0)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := fsys.Rename(tmp, name); err != nil {
		return err
	}
	return fsys.SyncDir(path.Dir(name))
}
