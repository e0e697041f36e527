package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Restore makes the store of a replica that begins with these rows and has never
// voted, as of h.Slot. The directory must be missing or empty (ErrNotEmpty).
//
//  1. The register: one boot, the promise of h.Ballot, and that the log lacks all
//     up to h.Slot.
//  2. The log, empty.
//  3. The snapshot.
//
// The order matters: Open refuses a directory that has a register and lacks one of the
// others, so a replica never begins with an empty database because a Restore was
// interrupted. Remove what an interrupted Restore has left, and begin anew.
func Restore(fsys vfs.FS, dir string, o Options, h paxos.Handle, rows db.View) (err error) {
	if o.Salt == nil {
		return fmt.Errorf("store: %s: no Options.Salt: values could pass for parts of the log", dir)
	}
	if err := makeEmptyDir(fsys, dir); err != nil {
		return err
	}
	s := &Store{}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.lock, err = fsys.Lock(path.Join(dir, "LOCK")); err != nil {
		return err
	}
	if s.reg, _, err = wal.OpenRegister(fsys, dir, "promise"); err != nil {
		return err
	}
	first := state{boot: 1, promise: h.Ballot, floor: h.Slot + 1}
	if err := s.reg.Write(first.encode()); err != nil {
		return err
	}
	if s.log, _, err = wal.Open(fsys, path.Join(dir, "log"), wal.Options{SegmentSize: o.SegmentSize, Salt: o.Salt}); err != nil {
		return err
	}
	snaps, _, err := snapshot.Open(fsys, path.Join(dir, "snapshots"), snapshot.Options{ChunkSize: o.ChunkSize})
	if err != nil {
		return err
	}
	s.snapshots = &Snapshots{files: snaps}
	_, err = write(snaps, h, rows)
	return err
}

// makeEmptyDir makes the directory, or finds it empty.
func makeEmptyDir(fsys vfs.FS, dir string) error {
	names, err := fsys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "LOCK" })
	if len(names) > 0 {
		return fmt.Errorf("store: %s: %w: it has %s", dir, ErrNotEmpty, names[0])
	}
	return fsys.MkdirAll(dir)
}
