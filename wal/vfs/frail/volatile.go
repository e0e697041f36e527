package frail

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Volatile returns a file system that keeps its files in base, and writes to base only what
// was synced: contents of a file at a Sync or SyncData of it, and names at a SyncDir of their
// directory. All else is in memory, and lost with the process. base has no other user.
//
// A file that was created is in base under a hidden name until its directory is synced. What
// an earlier process has left there is removed when the directory is read. Volatile may be
// used by several goroutines.
func Volatile(base vfs.FS) vfs.FS {
	return &volatile{base: base, seen: map[string]*node{}, stored: map[string]*node{}}
}

// hidden begins the names of files that have no durable name yet.
const hidden = ".unsynced-"

type volatile struct {
	mu      sync.Mutex
	base    vfs.FS
	pending []change         // of names, in order
	seen    map[string]*node // names as pending leaves them; nil: there is no such file
	stored  map[string]*node // the files in use, by their names in base
	last    int              // number of the newest hidden name
}

// change is one change of names that is not durable.
type change struct {
	from, to string // either may be empty
	node     *node
}

func (c change) touches(dir string) bool {
	return c.from != "" && path.Dir(c.from) == dir || c.to != "" && path.Dir(c.to) == dir
}

func failed(op vfs.Op, name string, err error) error {
	return &fs.PathError{Op: op.String(), Path: name, Err: err}
}

// find is the file with a name; it fails with fs.ErrNotExist where there is none. The caller
// has the lock.
func (v *volatile) find(op vfs.Op, name string) (*node, error) {
	if n, ok := v.seen[name]; ok {
		if n == nil {
			return nil, failed(op, name, fs.ErrNotExist)
		}
		return n, nil
	}
	if n := v.stored[name]; n != nil {
		return n, nil
	}
	f, err := v.base.Open(name)
	if err != nil {
		return nil, err
	}
	n, err := newNode(v, name, f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	v.stored[name] = n
	return n, nil
}

// Create is FS.Create.
func (v *volatile) Create(name string) (vfs.File, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !fs.ValidPath(name) {
		return nil, failed(vfs.OpCreate, name, fs.ErrInvalid)
	}
	if v.isTaken(name) {
		return nil, failed(vfs.OpCreate, name, fs.ErrExist)
	}
	for {
		v.last++
		place := path.Join(path.Dir(name), fmt.Sprint(hidden, v.last))
		f, err := v.base.Create(place)
		if errors.Is(err, fs.ErrExist) {
			continue // an earlier process left it
		}
		if err != nil {
			return nil, renamed(err, name)
		}
		n, err := newNode(v, place, f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		v.stored[place] = n
		v.change(change{to: name, node: n})
		return n.open(name), nil
	}
}

// renamed is an error about a hidden name, with the name that the caller knows.
func renamed(err error, name string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: name, Err: pe.Err}
	}
	return err
}

func (v *volatile) isTaken(name string) bool {
	if n, ok := v.seen[name]; ok {
		return n != nil
	}
	names, err := v.base.ReadDir(path.Dir(name))
	return err == nil && slices.Contains(names, path.Base(name))
}

func (v *volatile) change(c change) {
	v.pending = append(v.pending, c)
	v.see(c)
}

func (v *volatile) see(c change) {
	if c.from != "" {
		v.seen[c.from] = nil
	}
	if c.to != "" {
		v.seen[c.to] = c.node
	}
}

// Open is FS.Open.
func (v *volatile) Open(name string) (vfs.File, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	n, err := v.find(vfs.OpOpen, name)
	if err != nil {
		return nil, err
	}
	return n.open(name), nil
}

// ReadDir is FS.ReadDir.
func (v *volatile) ReadDir(dir string) ([]string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	have, err := v.base.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, name := range have {
		full := path.Join(dir, name)
		switch {
		case !strings.HasPrefix(name, hidden):
			names[name] = true
		case v.stored[full] == nil:
			if err := v.base.Remove(full); err != nil {
				return nil, err
			}
		}
	}
	for name, n := range v.seen { // order-free: sorted below
		if path.Dir(name) == dir {
			names[path.Base(name)] = n != nil
		}
	}
	maps.DeleteFunc(names, func(_ string, there bool) bool { return !there })
	return slices.Sorted(maps.Keys(names)), nil
}

// Rename is FS.Rename.
func (v *volatile) Rename(from, to string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !fs.ValidPath(to) {
		return failed(vfs.OpRename, to, fs.ErrInvalid)
	}
	n, err := v.find(vfs.OpRename, from)
	if err != nil {
		return err
	}
	if _, err := v.base.ReadDir(path.Dir(to)); err != nil {
		return err
	}
	if from != to {
		v.change(change{from: from, to: to, node: n})
	}
	return nil
}

// Remove is FS.Remove. An empty directory goes at once.
func (v *volatile) Remove(name string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	n, err := v.find(vfs.OpRemove, name)
	if err == nil {
		v.change(change{from: name, node: n})
		return nil
	}
	if _, no := v.base.ReadDir(name); no != nil {
		return err
	}
	for there, n := range v.seen { // order-free: any file will do
		if n != nil && path.Dir(there) == name {
			return v.base.Remove(name) // which fails: the file is there under a hidden name
		}
	}
	if err := v.hardenAll(name); err != nil {
		return err
	}
	return v.base.Remove(name)
}

// SyncDir is FS.SyncDir.
func (v *volatile) SyncDir(dir string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.hardenAll(dir); err != nil {
		return err
	}
	return v.base.SyncDir(dir)
}

// hardenAll makes the changes of names of a directory in base.
func (v *volatile) hardenAll(dir string) error {
	var later []change
	for i, c := range v.pending {
		if !c.touches(dir) {
			later = append(later, c)
			continue
		}
		if err := v.harden(c); err != nil {
			v.pending = append(later, v.pending[i:]...)
			return err
		}
	}
	v.pending = later
	clear(v.seen)
	for _, c := range later {
		v.see(c)
	}
	return nil
}

// harden makes a change of names in base.
func (v *volatile) harden(c change) error {
	n := c.node
	if c.to == "" {
		if err := v.base.Remove(n.place); err != nil {
			return err
		}
		delete(v.stored, n.place)
		n.removed = true
		return n.letGo()
	}
	if old := v.stored[c.to]; old != nil && old != n {
		old.removed = true
		if err := old.letGo(); err != nil {
			return err
		}
	}
	if err := v.base.Rename(n.place, c.to); err != nil {
		return err
	}
	delete(v.stored, n.place)
	n.place = c.to
	v.stored[c.to] = n
	return n.letGo()
}

// MkdirAll is FS.MkdirAll.
func (v *volatile) MkdirAll(dir string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for at := dir; at != "."; at = path.Dir(at) {
		if v.seen[at] != nil {
			return failed(vfs.OpMkdirAll, at, fs.ErrExist)
		}
		if !fs.ValidPath(at) {
			break // base says so
		}
	}
	return v.base.MkdirAll(dir)
}

// Lock is FS.Lock.
func (v *volatile) Lock(name string) (io.Closer, error) { return v.base.Lock(name) }
