package backup

import (
	"errors"
	"fmt"
	"io"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// ErrUnfit says that a file is a good snapshot, and that no cell can be made of
// what is in it.
var ErrUnfit = errors.New("not the rows of a cell")

// ErrNewer says that a file has a version that this program does not know. A program reads the versions of all
// programs before it, so a newer one made the file.
var ErrNewer = errors.New("a newer program made it: use the chubby of the replica that wrote it, or a newer one")

// Backup is a backup that was read to its last row.
type Backup struct {
	ID   snapshot.ID
	Rows *db.DB
	Cell uint64 // rows.CellID
}

// Load reads a backup, or the snapshot of a replica, and checks all of it: every
// byte by its checksums (snapshot.ErrDamaged), every row by command.Audit, and what
// the file says of itself by the rows (ErrUnfit). It changes nothing. A file, a stream of
// rows or commands of a version above those of this program are an ErrNewer that names both.
func Load(fsys vfs.FS, name string) (b Backup, err error) {
	b.ID, err = snapshot.LoadFile(fsys, name, func(r io.Reader) (err error) {
		b.Rows, err = db.Load(r)
		return err
	})
	stream := new(db.FormatError)
	switch {
	case errors.Is(err, snapshot.ErrVersion):
		return Backup{}, fmt.Errorf("%w: %w", err, ErrNewer)
	case errors.As(err, &stream) && stream.Version:
		return Backup{}, fmt.Errorf("backup: %s: %w: %w", name, err, ErrNewer)
	case err != nil:
		return Backup{}, err
	}
	if v := rows.GetVersion(b.Rows); v > command.NewestVersion { // before the rows are judged: there may be new ones
		return Backup{}, fmt.Errorf("backup: %s: the cell used version %d of the commands, and this program knows them up to version %d: %w", name, v, command.NewestVersion, ErrNewer)
	}
	unfit := func(format string, args ...any) (Backup, error) {
		return Backup{}, fmt.Errorf("backup: %s: %w: %s", name, ErrUnfit, fmt.Sprintf(format, args...))
	}
	if err := audit(b.Rows); err != nil {
		return unfit("%v", err)
	}
	e, h := rows.GetEpoch(b.Rows), b.ID.Handle
	if uint64(e.Number) != uint64(h.Epoch) || e.Ballot != (rows.Ballot{Round: h.Ballot.Round, Node: uint32(h.Ballot.Node)}) {
		return unfit("the file says epoch %d of ballot %v, the rows %+v", h.Epoch, h.Ballot, e)
	}
	var founded bool
	if b.Cell, founded = rows.CellID(b.Rows); !founded {
		return unfit("the cell was not founded yet")
	}
	return b, nil
}

// audit is command.Audit for rows of unknown origin: a row that cannot be read is a fault
// of the file, not of this program.
func audit(all *db.DB) (err error) {
	if v := invariant.Caught(func() { err = command.Audit(all) }); v != nil {
		return v
	}
	return err
}

// Summary is what a backup holds, counted.
type Summary struct {
	Cell     string     `json:"cell"` // the name of its directory at a place
	Commands api.Number `json:"commands"`
	Sessions uint64     `json:"sessions"`
	Nodes    int        `json:"nodes"`
	Locks    int        `json:"locks_held"`
	Rows     int        `json:"user_rows"`
}

// Summary counts what the backup holds.
func (b Backup) Summary() Summary {
	t := rows.GetTotals(b.Rows)
	s := Summary{Cell: fmt.Sprintf("cell-%016x", b.Cell), Commands: t.Commands, Sessions: t.Sessions}
	for range tree.Nodes(b.Rows) {
		s.Nodes++
	}
	for range b.Rows.Scan(rows.UserKey("")) {
		s.Rows++
	}
	s.Locks = len(lock.Holdings(b.Rows))
	return s
}
