package snapshot

import (
	"errors"
	"io"
	"io/fs"

	"github.com/chubbycell/chubby/wal/vfs"
)

// reader reads a file piece by piece; it hands out nothing that a checksum does
// not cover. One ReadAt a piece.
type reader struct {
	checker
	f    vfs.File
	size int64
	buf  []byte
	err  error // final, whatever the one who was reading made of it
}

// fail makes an error final; nil passes.
func (r *reader) fail(err error) error {
	if r.err == nil {
		r.err = err
	}
	return r.err
}

// openReader opens a file. A file that is missing is damaged: somebody named it.
func openReader(fsys vfs.FS, name string) (*reader, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, unreadable(name, 0, err)
	}
	size, err := f.Size()
	if err != nil {
		return nil, errors.Join(unreadable(name, 0, err), f.Close())
	}
	return &reader{checker: newChecker(name), f: f, size: size}, nil
}

// unreadable makes damage of what condemns the file alone: it is not there, or
// the disk cannot read it. Other errors pass.
func unreadable(name string, off int64, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &DamageError{File: name, Offset: off, Why: "missing", Err: err}
	case errors.Is(err, vfs.ErrIO):
		return &DamageError{File: name, Offset: off, Why: "unreadable", Err: err}
	case errors.Is(err, io.EOF):
		return &DamageError{File: name, Offset: off, Why: "ends too early"}
	}
	return err
}

// next reads one piece and returns it as it stands in the file, and its data.
// Behind a good end it returns io.EOF. Both slices are good until the next call.
func (r *reader) next() (piece, data []byte, err error) {
	if r.err != nil {
		return nil, nil, r.err
	}
	if r.done {
		return nil, nil, io.EOF
	}
	piece, data, err = r.read()
	return piece, data, r.fail(err)
}

func (r *reader) read() (piece, data []byte, err error) {
	at, n := r.off, min(r.most(), r.size-r.off)
	if n < int64(r.peek()) {
		return nil, nil, damaged(r.file, at, "ends too early")
	}
	if int64(cap(r.buf)) < n {
		r.buf = make([]byte, n)
	}
	b := r.buf[:n]
	if k, err := r.f.ReadAt(b, at); k < len(b) {
		return nil, nil, unreadable(r.file, at, err)
	}
	need, err := r.need(b)
	if err == nil && need > n {
		err = damaged(r.file, at, "%d bytes where %d are left", need, n)
	}
	if err != nil {
		return nil, nil, err
	}
	data, err = r.take(b[:need])
	if err == nil && r.done && r.off != r.size {
		r.done = false
		err = damaged(r.file, r.off, "%d bytes behind the end", r.size-r.off)
	}
	return b[:need], data, err
}

// rest reads up to the end.
func (r *reader) rest() (ID, error) {
	for {
		if _, _, err := r.next(); err == io.EOF {
			return r.id(), nil
		} else if err != nil {
			return ID{}, err
		}
	}
}

// expect reads up to the end of what should be the snapshot id.
func (r *reader) expect(id ID) error {
	got, err := r.rest()
	if err == nil && !got.Equal(id) {
		err = r.fail(damaged(r.file, 0, "it is %v; published was %v", got, id))
	}
	return err
}

// close closes the file and passes err on, unless closing fails: that is about
// more than one file.
func (r *reader) close(err error) error {
	if cerr := r.f.Close(); cerr != nil {
		return cerr
	}
	return err
}

// rewind begins anew, with nothing believed.
func (r *reader) rewind() { r.checker = newChecker(r.file) }

// seek goes to the piece in which the byte at off stands: l and size are of a
// file that was good once, so that all chunks but the last are full.
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

// verify reads a whole file and tells what it is.
func verify(fsys vfs.FS, name string) (layout, ID, error) {
	r, err := openReader(fsys, name)
	if err != nil {
		return layout{}, ID{}, err
	}
	id, err := r.rest()
	return r.l, id, r.close(err)
}
