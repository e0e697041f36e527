package snapshot

import (
	"errors"
	"io"
	"io/fs"

	"github.com/chubbycell/chubby/wal/vfs"
)

// reader reads a file piece by piece, with one ReadAt per piece, and returns nothing that no
// checksum covers.
type reader struct {
	checker
	f    vfs.File
	size int64
	buf  []byte
	err  error // final, even if the caller ignores it
}

// setErr makes an error final, unless one is already; nil is ignored.
func (r *reader) setErr(err error) error {
	if r.err == nil {
		r.err = err
	}
	return r.err
}

// openReader opens a file. A missing file is damage, because its name was known.
func openReader(fsys vfs.FS, name string) (*reader, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, readError(name, 0, err)
	}
	size, err := f.Size()
	if err != nil {
		return nil, errors.Join(readError(name, 0, err), f.Close())
	}
	return &reader{checker: newChecker(name), f: f, size: size}, nil
}

// readError turns an error that concerns only this file, because it is missing or unreadable, into
// a *DamageError. It returns other errors unchanged.
func readError(name string, off int64, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &DamageError{File: name, Offset: off, Why: "missing", Err: err}
	case errors.Is(err, vfs.ErrIO):
		return &DamageError{File: name, Offset: off, Why: "unreadable", Err: err}
	case errors.Is(err, io.EOF):
		return &DamageError{File: name, Offset: off, Why: "the file is truncated"}
	}
	return err
}

// next reads one piece and returns it as stored, and its data. After a good end it returns
// io.EOF. Both slices are valid until the next call.
func (r *reader) next() (piece, data []byte, err error) {
	if r.err != nil {
		return nil, nil, r.err
	}
	if r.done {
		return nil, nil, io.EOF
	}
	piece, data, err = r.read()
	return piece, data, r.setErr(err)
}

func (r *reader) read() (piece, data []byte, err error) {
	at, n := r.off, min(r.maxPiece(), r.size-r.off)
	if n < int64(r.peekSize()) {
		return nil, nil, damageError(r.file, at, "the file is truncated")
	}
	if int64(cap(r.buf)) < n {
		r.buf = make([]byte, n)
	}
	b := r.buf[:n]
	if k, err := r.f.ReadAt(b, at); k < len(b) {
		return nil, nil, readError(r.file, at, err)
	}
	need, err := r.pieceSize(b)
	if err == nil && need > n {
		err = damageError(r.file, at, "a piece of %d bytes, %d are left", need, n)
	}
	if err != nil {
		return nil, nil, err
	}
	data, err = r.accept(b[:need])
	if err == nil && r.done && r.off != r.size {
		r.done = false
		err = damageError(r.file, r.off, "%d bytes after the end", r.size-r.off)
	}
	return b[:need], data, err
}

// readToEnd reads and verifies the rest of the file.
func (r *reader) readToEnd() (ID, error) {
	for {
		if _, _, err := r.next(); err == io.EOF {
			return r.id(), nil
		} else if err != nil {
			return ID{}, err
		}
	}
}

// expect reads and verifies the rest of the file, which must be the snapshot id.
func (r *reader) expect(id ID) error {
	got, err := r.readToEnd()
	if err == nil && !got.Equal(id) {
		err = r.setErr(damageError(r.file, 0, "the snapshot is %v, published was %v", got, id))
	}
	return err
}

// close closes the file and returns err, or the error of closing, which concerns more than this
// file.
func (r *reader) close(err error) error {
	if cerr := r.f.Close(); cerr != nil {
		return cerr
	}
	return err
}

// rewind starts again at the header, and forgets what was verified.
func (r *reader) rewind() { r.checker = newChecker(r.file) }

// seek moves to the piece that contains the byte at off. l and size are those of a file that
// was good once, so that all chunks but the last are full.
func (r *reader) seek(l layout, off int64) {
	r.checker = checker{file: r.file}
	if off < l.head {
		return
	}
	chunks := (r.size - l.head - endSize + l.stride() - 1) / l.stride()
	n := (off - l.head) / l.stride()
	r.l, r.number, r.off = l, uint64(n)+1, l.head+n*l.stride()
	if off >= r.size-endSize {
		r.number, r.off = uint64(chunks)+1, r.size-endSize
	}
}

// verify reads a whole file and returns its layout and ID.
func verify(fsys vfs.FS, name string) (layout, ID, error) {
	r, err := openReader(fsys, name)
	if err != nil {
		return layout{}, ID{}, err
	}
	id, err := r.readToEnd()
	return r.l, id, r.close(err)
}
