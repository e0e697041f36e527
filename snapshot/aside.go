package snapshot

import (
	"errors"
	"fmt"
	"path"

	"github.com/chubbycell/chubby/wal/vfs"
)

// aside is a snapshot that is being written, under a name that nobody reads.
type aside struct {
	s    *Store
	file vfs.File
	name string
	off  int64
	// named says that it has its name for good, durable or not.
	named bool
	err   error // final
}

func (s *Store) setAside(slot Slot) (aside, error) {
	s.unique++
	name := path.Join(s.dir, fmt.Sprintf("%0*d.%d%s", slotWidth, uint64(slot), s.unique, tmpSuffix))
	f, err := s.fs.Create(name)
	return aside{s: s, file: f, name: name}, err
}

// put writes a piece behind the others.
func (a *aside) put(piece []byte) error {
	if a.s.closed {
		return fmt.Errorf("snapshot: %s: %w", a.name, ErrClosed)
	}
	n, err := a.file.WriteAt(piece, a.off)
	a.off += int64(n)
	return err
}

// putChunk writes a chunk and waits until the disk has it.
func (a *aside) putChunk(piece []byte) error {
	if err := a.put(piece); err != nil {
		return err
	}
	return a.file.SyncData()
}

// commit makes all that was put durable and publishes it. Whatever goes wrong,
// the file is done with.
func (a *aside) commit(e entry) error {
	err := a.s.admit(e.id.Handle) // another one may have been faster
	if err == nil {
		err = a.file.Sync()
	}
	if err != nil {
		return a.discard(err)
	}
	err = a.file.Close()
	a.file = nil
	if err == nil {
		err = a.s.publish(a, e)
	}
	if err != nil {
		return a.discard(err)
	}
	a.err = ErrCommitted
	return nil
}

// discard ends it with a final error: the file is closed and removed. What of
// that fails is of no concern; Open removes what is left.
func (a *aside) discard(final error) error {
	if a.err != nil {
		return a.err
	}
	a.err = final
	if a.file != nil {
		_ = a.file.Close()
		a.file = nil
	}
	if !a.named && !a.s.closed && !errors.Is(final, vfs.ErrCrashed) {
		_ = a.s.fs.Remove(a.name)
	}
	return final
}
