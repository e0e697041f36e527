package snapshot

import (
	"io"

	"github.com/chubbycell/chubby/wal/vfs"
)

// LoadFile is Load for a file that no store has: a backup, wherever it was copied
// to. It changes nothing and takes no lock. The file is good, and its ID what is
// returned, if the error is nil, and only then.
func LoadFile(fsys vfs.FS, name string, f func(io.Reader) error) (ID, error) {
	r, err := openReader(fsys, name)
	if err != nil {
		return ID{}, err
	}
	id, err := r.rest()
	if err != nil {
		return ID{}, r.close(err)
	}
	if err = again(r, id, f); r.err != nil {
		err = r.err // what f made of it is no matter then
	}
	if err = r.close(err); err != nil {
		return ID{}, err
	}
	return id, nil
}
