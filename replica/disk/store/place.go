package store

import (
	"errors"
	"fmt"
	"path"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Place is where backups go: a directory of another disk, in another building if
// possible (C14.03). Each cell has a directory of its own in it, named after its secret.
// So cells that share a place never take each other's files for their own; nor does a
// restored cell take those of the cell before it.
//
// A replica needs no place to serve: one that is full, slow or gone costs backups, and
// nothing else.
type Place struct {
	FS        vfs.FS
	Dir       string
	Keep      int // the newest good backups that stay; below 2: 2
	ChunkSize int // snapshot.Options
}

// Backup is what is to be written.
type Backup struct {
	Handle paxos.Handle
	Rows   db.View
	Cell   uint64     // whose; rows.CellID
	After  paxos.Slot // a backup above this slot is new: it is not written twice
}

// WriteResult is what there is after Write.
type WriteResult struct {
	ID    ID
	Found bool           // it was there: the master that wrote it died before it recorded it
	Bad   []snapshot.Bad // older backups that cannot be used any more
	// Unpruned says why backups that are too old are still there; nil if none are.
	Unpruned error
}

// Directory is the directory of a cell's backups.
func (p Place) Directory(cell uint64) string {
	return path.Join(p.Dir, fmt.Sprintf("cell-%016x", cell))
}

// File is the name of the backup of a slot.
func (p Place) File(cell, slot uint64) string {
	return path.Join(p.Directory(cell), snapshot.FileName(snapshot.Slot(slot)))
}

// Write makes a backup, durable under its name when it returns nil, and removes
// those that are too old. It opens the place, which reads all that is kept there, and
// closes it again: the place is locked only while a backup is written. After an error
// nothing was published, or the next Write finds it.
func (p Place) Write(b Backup) (made WriteResult, err error) {
	snaps, report, err := snapshot.Open(p.FS, p.Directory(b.Cell), snapshot.Options{ChunkSize: p.ChunkSize, Keep: p.Keep})
	if err != nil {
		return WriteResult{}, fmt.Errorf("backup: %w", err)
	}
	made.Bad = report.Bad
	id, ok := snaps.Latest()
	made.Found = ok && id.Handle.Slot > snapshot.Slot(b.After)
	if !made.Found {
		id, err = write(snaps, b.Handle, b.Rows)
	}
	if err == nil {
		made.ID = idIn(id)
		_, made.Unpruned = snaps.Prune()
	}
	if err = errors.Join(err, snaps.Close()); err != nil {
		return WriteResult{}, fmt.Errorf("backup: %w", err)
	}
	return made, nil
}
