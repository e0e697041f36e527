package snapshot

import (
	"errors"
	"fmt"
)

// Installer receives one snapshot from another replica, in pieces of any size but in order. It
// verifies each header, chunk and end before it writes a byte of it. Its progress is in memory
// only: after a restart a transfer begins again.
type Installer struct {
	tempFile
	id    ID
	check checker
	buf   []byte // received, but not a whole piece yet
}

// Install begins to receive the snapshot id. It fails with ErrHandle for a malformed handle and
// with ErrOld if the snapshot is not newer than Latest; nothing was written then. Call Commit
// or Abort on the Installer.
func (s *Store) Install(id ID) (*Installer, error) {
	if err := s.checkNewer(id.Handle); err != nil {
		return nil, err
	}
	a, err := s.newTempFile(id.Handle.Slot)
	if err != nil {
		return nil, err
	}
	return &Installer{tempFile: a, id: id.clone(), check: newChecker(a.name)}, nil
}

// ID returns the snapshot that is being received.
func (in *Installer) ID() ID { return in.id.clone() }

// Offset returns where the next Put must begin. It goes back only to the start of a chunk that
// turned out to be bad.
func (in *Installer) Offset() int64 { return in.check.off + int64(len(in.buf)) }

// Put receives the bytes at off of the snapshot id. It does not keep data, and syncs each chunk
// that it completes.
//
//   - A piece of another snapshot gives ErrOther. One that does not begin at Offset or extends
//     past the size gives ErrOffset: it is a duplicate, or pieces were reordered. Nothing was
//     changed; continue at Offset, with this replica or another one.
//   - Bytes that fail verification give a *DamageError. What was not written yet is dropped;
//     continue at Offset, and Abort if it happens repeatedly.
//   - ErrVersion, a total that does not match the ID, and errors of the disk are final.
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

// fill takes the bytes of data that the next piece lacks, and processes the piece once it is
// complete.
func (in *Installer) fill(data []byte) (int, error) {
	missing, err := in.missing()
	if err != nil {
		return 0, err
	}
	n := min(missing, len(data))
	in.buf = append(in.buf, data[:n]...)
	if n < missing {
		return n, nil
	}
	if missing, err = in.missing(); err != nil || missing > 0 {
		return n, err
	}
	return n, in.acceptPiece()
}

// missing returns how many bytes are missing from the piece, or from the part of it that tells its
// length.
func (in *Installer) missing() (int, error) {
	room := in.id.Size - in.check.off
	peek := in.check.peekSize()
	if int64(peek) > room {
		return 0, in.discard(damageError(in.name, in.check.off, "no end within %d bytes", in.id.Size))
	}
	if len(in.buf) < peek {
		return peek - len(in.buf), nil
	}
	need, err := in.check.pieceSize(in.buf)
	if err == nil && need > room {
		err = damageError(in.name, in.check.off, "a piece of %d bytes, %d are left", need, room)
	}
	if err != nil {
		return 0, in.reject(err)
	}
	return int(need) - len(in.buf), nil
}

// acceptPiece verifies the piece in the buffer and writes it.
func (in *Installer) acceptPiece() error {
	was := in.check.off
	data, err := in.check.accept(in.buf)
	if err != nil {
		return in.reject(err)
	}
	if was == 0 && !in.check.l.handle.Equal(in.id.Handle) {
		return in.discard(damageError(in.name, 0, "the handle is %v, expected %v", in.check.l.handle, in.id.Handle))
	}
	if in.check.done && !in.check.id().Equal(in.id) {
		return in.discard(damageError(in.name, was, "the snapshot is %v, expected %v", in.check.id(), in.id))
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

// reject drops a bad piece, so that it can be received again. An unknown format version and a
// total that does not match are final.
func (in *Installer) reject(err error) error {
	if in.check.badTotal || errors.Is(err, ErrVersion) {
		return in.discard(err)
	}
	in.buf = in.buf[:0]
	return err
}

// Commit publishes the received snapshot, with the guarantee of Writer.Commit. While pieces are
// missing it fails with ErrIncomplete and has no effect.
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

// Abort ends the Installer and removes what was written. It has no effect after Commit, a final
// error, or another Abort.
func (in *Installer) Abort() { _ = in.discard(ErrAborted) }
