package snapshot

import (
	"errors"
	"fmt"
	"path"

	"github.com/chubbycell/chubby/wal/vfs"
)

// tempFile is a snapshot that is being written, under a temporary name that is never read.
type tempFile struct {
	s    *Store
	file vfs.File
	name string
	off  int64
	// renamed reports that the file has its final name, durable or not.
	renamed bool
	err     error // final
}

// newTempFile creates the file for a snapshot of slot.
func (s *Store) newTempFile(slot Slot) (tempFile, error) {
	s.unique++
	name := path.Join(s.dir, fmt.Sprintf("%0*d.%d%s", slotWidth, uint64(slot), s.unique, tmpSuffix))
	f, err := s.fs.Create(name)
	return tempFile{s: s, file: f, name: name}, err
}

// put appends a piece.
func (a *tempFile) put(piece []byte) error {
	if a.s.closed {
		return fmt.Errorf("snapshot: %s: %w", a.name, ErrClosed)
	}
	n, err := a.file.WriteAt(piece, a.off)
	a.off += int64(n)
	return err
}

// putChunk appends a chunk and syncs it.
func (a *tempFile) putChunk(piece []byte) error {
	if err := a.put(piece); err != nil {
		return err
	}
	return a.file.SyncData()
}

// commit makes the file durable and publishes it. After an error the file is discarded.
func (a *tempFile) commit(e entry) error {
	err := a.s.checkNewer(e.id.Handle) // a newer snapshot may have been published since Create
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

// discard ends the write with a final error, and closes and removes the file. Errors of closing
// and removing are ignored: Open removes leftover files.
func (a *tempFile) discard(final error) error {
	if a.err != nil {
		return a.err
	}
	a.err = final
	if a.file != nil {
		_ = a.file.Close()
		a.file = nil
	}
	if !a.renamed && !a.s.closed && !errors.Is(final, vfs.ErrCrashed) {
		_ = a.s.fs.Remove(a.name)
	}
	return final
}
