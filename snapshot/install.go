package snapshot

import (
	"errors"
	"fmt"
)

// Installer takes in one snapshot from a peer, in pieces of any size but in
// order. Each header, chunk and end is checked before a byte of it is written,
// so what was put is what will be published. It lives as long as the process:
// after a restart a transfer begins anew.
type Installer struct {
	aside
	id    ID
	check checker
	buf   []byte // received, and not yet a whole piece
}

// Install begins to take in the snapshot id. ErrHandle refuses a malformed handle,
// ErrOld a snapshot that is not newer than Latest; then nothing was written.
func (s *Store) Install(id ID) (*Installer, error) {
	if err := s.admit(id.Handle); err != nil {
		return nil, err
	}
	a, err := s.setAside(id.Handle.Slot)
	if err != nil {
		return nil, err
	}
	return &Installer{aside: a, id: id.clone(), check: newChecker(a.name)}, nil
}

// ID is what is being taken in.
func (in *Installer) ID() ID { return in.id.clone() }

// Offset is where the next piece must begin. It falls back to the beginning of a
// chunk that turned out bad, and never else.
func (in *Installer) Offset() int64 { return in.check.off + int64(len(in.buf)) }

// Put takes in the bytes at off of the snapshot id. It keeps nothing of data.
//
//   - A piece of another snapshot is ErrOther, one that does not begin at Offset
//     or runs past the size is ErrOffset: a duplicate, or one overtook another.
//     Neither changes anything; go on at Offset, from this peer or from another one.
//   - Bytes that are not what the snapshot has there are a *DamageError. What
//     was not written yet of them is forgotten; go on at Offset, and Abort when it
//     keeps happening.
//   - ErrVersion, the total of all not being that of the ID, and an error of the
//     disk are final.
func (in *Installer) Put(id ID, off int64, data []byte) error {
	switch {
	case in.err != nil:
		return in.err
	case !id.Equal(in.id):
		return fmt.Errorf("snapshot: %s: %w: %v, not %v", in.name, ErrOther, id, in.id)
	case off != in.Offset():
		return fmt.Errorf("snapshot: %s: %w %d, %d comes next", in.name, ErrOffset, off, in.Offset())
	case int64(len(data)) > in.id.Size-off:
		return fmt.Errorf("snapshot: %s: %w: %d bytes at %d of %d", in.name, ErrOffset, len(data), off, in.id.Size)
	}
	for len(data) > 0 {
		n, err := in.fill(data)
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// fill takes as much of data as the next piece lacks, and the piece if it is
// whole then.
func (in *Installer) fill(data []byte) (int, error) {
	lack, err := in.lack()
	if err != nil {
		return 0, err
	}
	n := min(lack, len(data))
	in.buf = append(in.buf, data[:n]...)
	if n < lack {
		return n, nil
	}
	if lack, err = in.lack(); err != nil || lack > 0 {
		return n, err
	}
	return n, in.takePiece()
}

// lack is how many bytes are missing of the piece, or of as much of it as tells
// its length.
func (in *Installer) lack() (int, error) {
	room := in.id.Size - in.check.off
	peek := in.check.peek()
	if int64(peek) > room {
		return 0, in.discard(damaged(in.name, in.check.off, "no end within %d bytes", in.id.Size))
	}
	if len(in.buf) < peek {
		return peek - len(in.buf), nil
	}
	need, err := in.check.need(in.buf)
	if err == nil && need > room {
		err = damaged(in.name, in.check.off, "%d bytes where %d are left", need, room)
	}
	if err != nil {
		return 0, in.refuse(err)
	}
	return int(need) - len(in.buf), nil
}

// takePiece checks the piece in the buffer and writes it.
func (in *Installer) takePiece() error {
	was := in.check.off
	data, err := in.check.take(in.buf)
	if err != nil {
		return in.refuse(err)
	}
	if was == 0 && !in.check.l.handle.Equal(in.id.Handle) {
		return in.discard(damaged(in.name, 0, "the handle is %v, not %v", in.check.l.handle, in.id.Handle))
	}
	if in.check.done && !in.check.id().Equal(in.id) {
		return in.discard(damaged(in.name, was, "it is %v, not %v", in.check.id(), in.id))
	}
	if data != nil {
		err = in.putChunk(in.buf)
	} else {
		err = in.put(in.buf)
	}
	in.buf = in.buf[:0]
	if err != nil {
		return in.discard(err)
	}
	return nil
}

// refuse forgets a piece that is not good, so that it can be asked for again. A
// format that is not known stays so, and a total that does not fit condemns all
// that was taken before.
func (in *Installer) refuse(err error) error {
	if in.check.spent || errors.Is(err, ErrVersion) {
		return in.discard(err)
	}
	in.buf = in.buf[:0]
	return err
}

// Commit publishes what was taken in, with the same promise as Writer.Commit. It
// fails with ErrIncomplete, and has done nothing, while pieces are missing.
func (in *Installer) Commit() (ID, error) {
	switch {
	case in.err != nil:
		return ID{}, in.err
	case !in.check.done:
		return ID{}, fmt.Errorf("snapshot: %s: %w: %d bytes of %d", in.name, ErrIncomplete, in.Offset(), in.id.Size)
	}
	if err := in.commit(entry{id: in.id, l: in.check.l}); err != nil {
		return ID{}, err
	}
	return in.ID(), nil
}

// Abort gives it up and removes what was written. It does nothing after Commit,
// after a final error, and the second time.
func (in *Installer) Abort() { _ = in.discard(ErrAborted) }
