package snapshot

import (
	"fmt"
	"io"
)

// Load hands the body of a snapshot to f. It reads the file twice: f is called
// only after the whole of it was found to be what was published, and every chunk
// that f gets was checked once more on its way. f sees io.EOF behind the whole
// body only. It may stop earlier; the rest is checked all the same.
//
// What f made of the body is good if Load returns nil, and only then. An error
// of f is returned as it is. Where the snapshot is unusable (ErrDamaged), because
// the file is or because f says so of the body, it is taken from the good ones: ask
// Latest for the next one, and tell somebody. ErrUnknown says that the store does
// not have it.
func (s *Store) Load(h Handle, f func(io.Reader) error) error {
	if s.closed {
		return fmt.Errorf("snapshot: %s: %w", s.dir, ErrClosed)
	}
	e := s.find(h.Slot)
	if e == nil || !e.id.Handle.Equal(h) {
		return fmt.Errorf("snapshot: %s: %w: %v", s.dir, ErrUnknown, h)
	}
	return s.reading(*e, func(r *reader) error { return load(r, e.id, f) })
}

// reading opens the file of a snapshot, and drops it from the good ones if it
// turns out unusable.
func (s *Store) reading(e entry, f func(*reader) error) error {
	r, err := openReader(s.fs, s.path(e.id.Handle.Slot))
	if err != nil {
		return s.spoil(e.id, err)
	}
	err = f(r)
	if r.err != nil {
		err = r.err
	}
	return r.close(s.spoil(e.id, err))
}

func load(r *reader, id ID, f func(io.Reader) error) error {
	if err := r.expect(id); err != nil {
		return err
	}
	return again(r, id, f)
}

// again reads the file once more, for f.
func again(r *reader, id ID, f func(io.Reader) error) error {
	r.rewind()
	b := &body{r: r}
	err := f(b)
	b.over = true
	if err != nil {
		return err // reading prefers the reader's own, if that is the cause
	}
	return r.expect(id)
}

// body is a snapshot's body as Load hands it out.
type body struct {
	r    *reader
	data []byte // of the present chunk, what was not handed out
	over bool   // Load takes it back
}

// Read is io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.over {
		return 0, fmt.Errorf("snapshot: %s: read after Load: %w", b.r.file, ErrClosed)
	}
	for len(b.data) == 0 {
		var err error
		if _, b.data, err = b.r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

// MaxRead bounds what one ReadChunk returns.
const MaxRead = 1 << 20

// ReadChunk returns up to n bytes at off of the file of a snapshot, for a peer
// that installs it: fewer at the end and beyond MaxRead, none at off = Size. The
// chunks in which they stand are checked first, so rot is never passed on. The
// bytes are the caller's.
//
// ErrUnknown says that the store has not, or no longer, this very snapshot.
// Damage drops it from the good ones, as in Load.
func (s *Store) ReadChunk(id ID, off int64, n int) ([]byte, error) {
	if s.closed {
		return nil, fmt.Errorf("snapshot: %s: %w", s.dir, ErrClosed)
	}
	e := s.find(id.Handle.Slot)
	switch {
	case e == nil || !e.id.Equal(id):
		return nil, fmt.Errorf("snapshot: %s: %w: %v", s.dir, ErrUnknown, id)
	case off < 0 || off > id.Size || n < 0:
		return nil, fmt.Errorf("snapshot: %s: %w: %d bytes at %d of %d", s.path(id.Handle.Slot), ErrOffset, n, off, id.Size)
	}
	end := off + min(int64(min(n, MaxRead)), id.Size-off)
	if off == end {
		return nil, nil
	}
	var out []byte
	err := s.reading(*e, func(r *reader) (err error) {
		out, err = readRange(r, *e, off, end)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func readRange(r *reader, e entry, off, end int64) ([]byte, error) {
	if r.size != e.id.Size {
		return nil, r.fail(damaged(r.file, min(r.size, e.id.Size), "%d bytes long, published were %d", r.size, e.id.Size))
	}
	out := make([]byte, 0, end-off)
	for r.seek(e.l, off); r.off < end; {
		at := r.off
		piece, _, err := r.next()
		if err == nil && (r.l.crc != e.l.crc || r.done && r.sum != e.id.Sum) {
			err = r.fail(damaged(r.file, at, "not of the snapshot that was published"))
		}
		if err != nil {
			return nil, err
		}
		from, to := max(off-at, 0), min(end-at, int64(len(piece)))
		out = append(out, piece[from:to]...)
	}
	return out, nil
}
