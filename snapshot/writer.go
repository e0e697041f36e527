package snapshot

import (
	"io"

	"github.com/cespare/xxhash/v2"
)

// Writer writes one snapshot. It is an io.Writer for the body; Commit publishes
// it, Abort gives it up. Several may be open at once, of which at most the newer
// ones come to something.
type Writer struct {
	aside
	l      layout
	hash   *xxhash.Digest
	buf    []byte // the chunk being filled, behind room for its head
	number uint64 // of that chunk
	length uint64 // of all data in chunks before
}

// Create begins a snapshot. The handle is not kept. ErrHandle refuses a malformed
// one, ErrOld one that is not newer than Latest; then nothing was written.
func (s *Store) Create(h Handle) (*Writer, error) {
	if err := s.admit(h); err != nil {
		return nil, err
	}
	a, err := s.setAside(h.Slot)
	if err != nil {
		return nil, err
	}
	w := &Writer{aside: a, hash: xxhash.New(), number: 1}
	head, l := appendHeader(nil, h, s.o.ChunkSize)
	w.l = l
	if err := w.put(head); err != nil {
		return nil, w.discard(err)
	}
	_, _ = w.hash.Write(head)                                    // never fails
	w.buf = make([]byte, frameHead, min(l.stride(), smallStart)) // grows to what the first chunk needs
	return w, nil
}

// smallStart is the room that a chunk begins with: most cells are far smaller than
// a chunk.
const smallStart = 4 << 10

// Write takes in a part of the body; it calls the disk for each chunk that gets
// full: a write, and a sync. An error is final, and nothing will be published.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	taken := 0
	for taken < len(p) {
		room := frameHead + w.l.chunk - len(w.buf)
		n := min(room, len(p)-taken)
		w.buf = append(w.buf, p[taken:taken+n]...)
		taken += n
		if n == room {
			if err := w.flush(); err != nil {
				return taken, w.discard(err)
			}
		}
	}
	return taken, nil
}

// flush writes the chunk, if there is anything in it.
func (w *Writer) flush() error {
	n := len(w.buf) - frameHead
	if n == 0 {
		return nil
	}
	piece := w.l.sealChunk(w.buf, w.number)
	_, _ = w.hash.Write(piece) // never fails
	w.length += uint64(n)
	w.number++
	w.buf = piece[:frameHead]
	return w.putChunk(piece)
}

// Commit publishes the snapshot. When it returns nil the snapshot is the latest
// one and durable, and that is the confirmation on which a log may be truncated
// (PML §5.5). After an error nothing may be: the snapshot is not there, or, if the
// machine stops, it may turn out to be.
func (w *Writer) Commit() (ID, error) {
	if w.err != nil {
		return ID{}, w.err
	}
	err := w.flush()
	if err != nil {
		return ID{}, w.discard(err)
	}
	end, sum := w.l.appendEnd(nil, w.number, w.length, w.hash)
	if err := w.put(end); err != nil {
		return ID{}, w.discard(err)
	}
	id := ID{Handle: w.l.handle, Size: w.off, Sum: sum}
	if err := w.commit(entry{id: id, l: w.l}); err != nil {
		return ID{}, err
	}
	return id.clone(), nil
}

// Abort gives the snapshot up and removes what was written. It does nothing after
// Commit, after an error, and the second time.
func (w *Writer) Abort() { _ = w.discard(ErrAborted) }

// Write writes a snapshot whose body f produces, and publishes it. An error of f
// gives the snapshot up and is returned as it is.
func (s *Store) Write(h Handle, f func(io.Writer) error) (ID, error) {
	w, err := s.Create(h)
	if err != nil {
		return ID{}, err
	}
	if err := f(w); err != nil {
		w.Abort()
		return ID{}, err
	}
	return w.Commit()
}
