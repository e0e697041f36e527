package snapshot

import (
	"fmt"
	"io"
)

// Load passes the body of a snapshot to f. It reads the file twice: it calls f only after it
// has verified the whole file, and verifies every chunk again while f reads. f gets io.EOF only
// after the whole body. f may stop earlier; the rest is verified all the same.
//
// The result of f is valid only if Load returns nil. Load returns an error of f unchanged. If the
// snapshot is unusable (ErrDamaged), because the file is or because f says so of the body, Load
// removes it from the good ones: call Latest for the next one, and report the loss. ErrUnknown
// means that the store does not have this snapshot.
func (s *Store) Load(h Handle, f func(io.Reader) error) error {
	if s.closed {
		return fmt.Errorf("snapshot: %s: %w", s.dir, ErrClosed)
	}
	e := s.find(h.Slot)
	if e == nil || !e.id.Handle.Equal(h) {
		return fmt.Errorf("snapshot: %s: %w: %v", s.dir, ErrUnknown, h)
	}
	return s.withReader(*e, func(r *reader) error { return load(r, e.id, f) })
}

// withReader calls f with a reader of the snapshot, and removes the snapshot from the good ones
// if it turns out to be unusable.
func (s *Store) withReader(e entry, f func(*reader) error) error {
	r, err := openReader(s.fs, s.path(e.id.Handle.Slot))
	if err != nil {
		return s.dropUnusable(e.id, err)
	}
	err = f(r)
	if r.err != nil {
		err = r.err
	}
	return r.close(s.dropUnusable(e.id, err))
}

func load(r *reader, id ID, f func(io.Reader) error) error {
	if err := r.expect(id); err != nil {
		return err
	}
	return loadBody(r, id, f)
}

// loadBody reads the file again, for f.
func loadBody(r *reader, id ID, f func(io.Reader) error) error {
	r.rewind()
	b := &body{r: r}
	err := f(b)
	b.closed = true
	if err != nil {
		return err // withReader prefers the reader's own error, if that is the cause
	}
	return r.expect(id)
}

// body is the body of a snapshot as Load passes it to f.
type body struct {
	r      *reader
	data   []byte // of the current chunk, not read yet
	closed bool   // f has returned
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.closed {
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

// MaxRead is the most bytes that one ReadChunk returns.
const MaxRead = 1 << 20

// ReadChunk returns up to n bytes at off of a snapshot file, for a replica that installs it:
// fewer at the end and beyond MaxRead, none at off = Size. It verifies the chunks that contain
// them first, so rot is never passed on. The caller owns the bytes.
//
// ErrUnknown means that the store does not have exactly this snapshot, or no longer has it. Damage
// removes it from the good ones, as in Load.
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
	err := s.withReader(*e, func(r *reader) (err error) {
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
		return nil, r.setErr(damageError(r.file, min(r.size, e.id.Size), "the file has %d bytes, %d were published", r.size, e.id.Size))
	}
	out := make([]byte, 0, end-off)
	for r.seek(e.l, off); r.off < end; {
		at := r.off
		piece, _, err := r.next()
		if err == nil && (r.l.crc != e.l.crc || r.done && r.sum != e.id.Sum) {
			err = r.setErr(damageError(r.file, at, "not a piece of the snapshot that was published"))
		}
		if err != nil {
			return nil, err
		}
		from, to := max(off-at, 0), min(end-at, int64(len(piece)))
		out = append(out, piece[from:to]...)
	}
	return out, nil
}
