package snapshot

import (
	"io"

	"github.com/chubbycell/chubby/wal/vfs"
)

// LoadFile is Store.Load for a file outside a store, such as a backup. It changes nothing and
// takes no lock. The file is good, and has the returned ID, only if the error is nil.
func LoadFile(fsys vfs.FS, name string, f func(io.Reader) error) (ID, error) {
	r, err := openReader(fsys, name)
	if err != nil {
		return ID{}, err
	}
	id, err := r.readToEnd()
	if err != nil {
		return ID{}, r.close(err)
	}
	if err = loadBody(r, id, f); r.err != nil {
		err = r.err // the error of f is a consequence
	}
	if err = r.close(err); err != nil {
		return ID{}, err
	}
	return id, nil
}
