package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/wal/vfs"
)

// memberFile says, in the directory of a replica, whose directory it is. It is written after
// the replica's log was made, and before the replica takes part in its cell for the first time.
const memberFile = "member.json"

// member is what the file holds.
type member struct {
	Format  string         `json:"format"`
	Version int            `json:"version"`
	Cell    string         `json:"cell"`
	ID      paxos.NodeID   `json:"id"`
	Members []paxos.NodeID `json:"members"`
}

const memberFormat = "chubby-member"

func (c *Config) member() member {
	return member{memberFormat, 1, c.Cell, paxos.NodeID(c.ID), c.driver().Core.Paxos.Members}
}

// errEmpty and its like tell an operator what to do about a directory.
var (
	// ErrEmpty: the directory has no files of a replica.
	ErrEmpty = errors.New("the directory has no files of a replica")
	// ErrFounded: the replica was founded before.
	ErrFounded = errors.New("the replica was founded before")
	// ErrLost: the directory is that of a replica, and lacks its log.
	ErrLost = errors.New("the replica has lost its log")
	// ErrNotEmpty: a cell is founded in a directory that has files of others.
	ErrNotEmpty = errors.New("the directory of a new replica must be empty")
	// ErrOther: the directory is that of another replica or cell.
	ErrOther = errors.New("the directory is of another replica")
)

// claim checks that the directory is that of this replica, or makes it so if the cell is
// being founded.
func (c *Config) claim(bootstrap bool) error {
	if isNew, err := c.look(bootstrap); err != nil || !isNew {
		return err
	}
	return c.forUser(c.found())
}

// forUser says what helps against an error of rights, such as after a restore by root.
func (c *Config) forUser(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: dir %s and all in it must belong to the user that runs the replica", err, c.Dir)
	}
	return err
}

// CheckDir says why Start would refuse the directory as it is now. It changes nothing.
func (c *Config) CheckDir(bootstrap bool) error {
	_, err := c.look(bootstrap)
	return err
}

// look checks that the directory is that of this replica, or, if the cell is being founded, can become so.
func (c *Config) look(bootstrap bool) (isNew bool, err error) {
	have, err := c.readMember()
	if err != nil {
		return false, err
	}
	files, err := c.hasStore()
	if err != nil {
		return false, err
	}
	hasLog, err := c.hasLog()
	switch {
	case err != nil:
		return false, err
	case have != nil && !hasLog:
		return false, fmt.Errorf("dir %s: %w: it must not vote again, as it has forgotten what it promised. Bring back its disk, or make a new cell from a backup (chubby backup restore)", c.Dir, ErrLost)
	case have != nil && bootstrap:
		return false, fmt.Errorf("dir %s: %w: start it without --bootstrap", c.Dir, ErrFounded)
	case have != nil:
		return false, c.checkMember(*have)
	case !bootstrap && files:
		return false, fmt.Errorf("dir %s: %w, but no %s: if it comes from a backup (chubby backup restore), or its founding was interrupted, start it once with --bootstrap", c.Dir, errors.New("the directory has a log"), memberFile)
	case !bootstrap:
		return false, fmt.Errorf("dir %s: %w: if the cell is new, start each of its replicas once with --bootstrap. If this replica was a member before, its disk is lost: it must not start empty", c.Dir, ErrEmpty)
	}
	if !files {
		return true, c.checkEmpty()
	}
	return true, nil
}

// checkEmpty refuses a directory with files that are not of a replica: it may be the wrong one. What a
// founding leaves that was interrupted before it made a log is none of them.
func (c *Config) checkEmpty() error {
	entries, err := os.ReadDir(c.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if name := e.Name(); name != "lost+found" && name != "LOCK" && !strings.HasPrefix(name, newPrefix) {
			return fmt.Errorf("dir %s: %w: it has %q: give a directory that is empty, or does not exist", c.Dir, ErrNotEmpty, name)
		}
	}
	return err
}

// found makes the log, unless there is one, and then the member file.
func (c *Config) found() error {
	fsys, dir, err := c.place()
	if err != nil {
		return err
	}
	if err := makeDir(c.Dir); err != nil {
		return err
	}
	st, rec, _, err := store.Open(fsys, dir, store.Options{Salt: replica.Entropy})
	if errors.Is(err, vfs.ErrLocked) {
		return fmt.Errorf("dir %s: a replica runs on it already: %w", c.Dir, err)
	}
	if err != nil {
		return err
	}
	if err := st.Close(); err != nil {
		return err
	}
	m := c.member()
	if restored := rec.Snapshot; restored.Slot > 0 && !slices.Equal(restored.Members, m.Members) {
		return fmt.Errorf("dir %s: it was restored from a backup for the members %v, and the configuration has %v: give chubby backup restore the members of the configuration",
			c.Dir, restored.Members, m.Members)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return ReplaceFile(filepath.Join(c.Dir, memberFile), append(text, '\n'), 0o600)
}

// place is the directory as the store takes it.
func (c *Config) place() (fsys vfs.FS, dir string, err error) {
	path, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, "", err
	}
	return vfs.NewOS(filepath.Dir(path)), filepath.Base(path), nil
}

// readMember reads the member file; nil: there is none.
func (c *Config) readMember() (*member, error) {
	name := filepath.Join(c.Dir, memberFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, c.forUser(err)
	}
	var m member
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.Format != memberFormat || m.Version != 1 {
		return nil, fmt.Errorf("%s: format %q version %d; this program knows %q version 1", name, m.Format, m.Version, memberFormat)
	}
	return &m, nil
}

func (c *Config) checkMember(have member) error {
	want := c.member()
	switch {
	case have.Cell != want.Cell || have.ID != want.ID:
		return fmt.Errorf("dir %s: %w: of replica %d of cell %q, and the configuration is of replica %d of cell %q", c.Dir, ErrOther, have.ID, have.Cell, want.ID, want.Cell)
	case !slices.Equal(have.Members, want.Members):
		return fmt.Errorf("dir %s: the cell was founded with the members %v, and the configuration has %v: members cannot change", c.Dir, have.Members, want.Members)
	}
	return nil
}

// hasStore reports whether the directory has files of a store.
func (c *Config) hasStore() (bool, error) {
	entries, err := os.ReadDir(c.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for _, e := range entries {
		switch e.Name() {
		case "promise.a", "promise.b", "log", "snapshots":
			return true, c.forUser(err)
		}
	}
	return false, c.forUser(err)
}

// hasLog reports whether the directory has a log. Founding makes it before the member file, and nothing removes
// it, so it was lost if there is a member file and no log: also if other files of the store remain. A log that
// cannot be looked at is an error: it is not lost.
func (c *Config) hasLog() (bool, error) {
	for _, name := range []string{"manifest.a", "manifest.b"} {
		_, err := os.Stat(filepath.Join(c.Dir, "log", name))
		if !errors.Is(err, fs.ErrNotExist) {
			return err == nil, c.forUser(err)
		}
	}
	return false, nil
}

// newPrefix begins the names of files that are not whole yet.
const newPrefix = ".new-"

// ReplaceFile writes a file durably, so that after a power cut it is there whole, or as it was before.
func ReplaceFile(name string, text []byte, mode fs.FileMode) error {
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, newPrefix+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeDir makes a directory and those above it that are missing, with durable names.
func makeDir(name string) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	var above []string // of those that are made
	for dir := name; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		above = append(above, filepath.Dir(dir))
	}
	if err := os.MkdirAll(name, 0o700); err != nil {
		return fmt.Errorf("dir: %w", err)
	}
	for _, dir := range above {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// Found makes the directory of a replica of a new cell, without starting it. It does nothing
// if that was done before. No replica of the cell may have run yet.
func Found(cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if err := cfg.claim(true); err != nil && !errors.Is(err, ErrFounded) {
		return err
	}
	return cfg.claim(false)
}
