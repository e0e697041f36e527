package snapshot

import (
	"io"

	"github.com/cespare/xxhash/v2"
)

// Writer writes one snapshot. Write appends to the body, Commit publishes the snapshot, and Abort
// discards it. Several Writers may be open at once; each one that commits must be newer than the
// last.
type Writer struct {
	tempFile
	l      layout
	hash   *xxhash.Digest
	buf    []byte // the current chunk, after room for its head
	number uint64 // of that chunk
	length uint64 // of the data in earlier chunks
}

// Create begins a snapshot. It does not keep h. It fails with ErrHandle for a malformed handle
// and with ErrOld if the slot is not newer than Latest; nothing was written then. Call Commit
// or Abort on the Writer.
func (s *Store) Create(h Handle) (*Writer, error) {
	if err := s.checkNewer(h); err != nil {
		return nil, err
	}
	a, err := s.newTempFile(h.Slot)
	if err != nil {
		return nil, err
	}
	w := &Writer{tempFile: a, hash: xxhash.New(), number: 1}
	head, l := appendHeader(nil, h, s.o.ChunkSize)
	w.l = l
	if err := w.put(head); err != nil {
		return nil, w.discard(err)
	}
	_, _ = w.hash.Write(head)                                    // never fails
	w.buf = make([]byte, frameHead, min(l.stride(), smallStart)) // grows to what the first chunk needs
	return w, nil
}

// smallStart is the initial room for a chunk: most cells are far smaller than a chunk.
const smallStart = 4 << 10

// Write appends to the body. It writes and syncs each chunk that becomes full. An error is
// final, and nothing will be published.
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

// flush writes the current chunk unless it is empty.
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

// Commit publishes the snapshot. If it returns nil, the snapshot is durable and the latest one:
// that is the confirmation that allows a log to be truncated (PML §5.5). After an error a log
// must not be truncated: the snapshot is not published, although a restart may find it
// complete.
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

// Abort discards the snapshot and removes what was written. It has no effect after Commit, an
// error, or another Abort.
func (w *Writer) Abort() { _ = w.discard(ErrAborted) }

// Write writes a snapshot whose body f produces, and publishes it. If f fails, the snapshot is
// discarded and the error of f is returned unchanged.
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
