package vfs

import (
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// Mem is a file system in memory that can lose power. It keeps what the running
// machine sees and what the disk would hold apart: bytes at the grain of
// SectorSize, names per directory. Crash makes the second the first.
//
// A Mem is deterministic: the same calls and the same choices give the same
// bytes. It is used by one goroutine at a time.
type Mem struct {
	names   map[string]*memNode // as the running machine sees them
	durable map[string]*memNode // as the disk has them
	pending []nameOp            // what makes names of durable, in order
	locks   map[string]*memLock
	fault   func(Call) Fault
	life    int          // counts crashes: what was opened in another life is dead
	free    []*[512]byte // pre-images to use again
}

// memNode is a file, or a directory (no file).
type memNode struct{ file *memFile }

// nameOp is one unsynced change of names: add gives to a node, del takes from
// away. A rename does both and is kept or lost as a whole.
type nameOp struct {
	del, add string
	node     *memNode
}

func (o nameOp) apply(names map[string]*memNode) {
	if o.del != "" {
		delete(names, o.del)
	}
	if o.add != "" {
		names[o.add] = o.node
	}
}

func (o nameOp) isIn(dir string) bool {
	return o.del != "" && path.Dir(o.del) == dir || o.add != "" && path.Dir(o.add) == dir
}

// NewMem returns an empty file system: a fresh disk.
func NewMem() *Mem {
	root := &memNode{}
	return &Mem{
		names:   map[string]*memNode{".": root},
		durable: map[string]*memNode{".": root},
		locks:   map[string]*memLock{},
	}
}

// SetFault sets the predicate that is asked before each call, in place of the
// last one; nil means no faults. The predicate may count, record, or suspend the
// caller (a simulator's event); it may call Crash and Kill, after which the call
// fails with ErrCrashed, and the looking methods of Mem.
func (m *Mem) SetFault(f func(Call) Fault) { m.fault = f }

// enter asks the fault predicate and then checks that the caller still lives.
func (m *Mem) enter(life int, c Call) (Fault, error) {
	if life != m.life {
		return Fault{}, wrap(c.Op, c.Name, ErrCrashed)
	}
	if m.fault == nil {
		return Fault{}, nil
	}
	f := m.fault(c)
	if life != m.life {
		return Fault{}, wrap(c.Op, c.Name, ErrCrashed)
	}
	return f, wrap(c.Op, c.Name, f.Err)
}

func (m *Mem) enterName(op Op, name string) error {
	if err := checkName(op, name); err != nil {
		return err
	}
	_, err := m.enter(m.life, Call{Op: op, Name: name})
	return err
}

func (m *Mem) change(o nameOp) {
	o.apply(m.names)
	m.pending = append(m.pending, o)
}

// harden brings a change of names to the disk. A node has one name: where an
// earlier rename of it was lost, it gives up the name it had before that.
func (m *Mem) harden(o nameOp) {
	if o.del != "" && o.add != "" {
		maps.DeleteFunc(m.durable, func(_ string, n *memNode) bool { return n == o.node })
	}
	o.apply(m.durable)
}

// Create is FS.Create.
func (m *Mem) Create(name string) (File, error) {
	if err := m.enterName(OpCreate, name); err != nil {
		return nil, err
	}
	if m.names[name] != nil {
		return nil, wrap(OpCreate, name, fs.ErrExist)
	}
	if err := m.wantDir(OpCreate, path.Dir(name)); err != nil {
		return nil, err
	}
	f := &memFile{}
	m.change(nameOp{add: name, node: &memNode{file: f}})
	return &memHandle{m: m, f: f, name: name, life: m.life}, nil
}

// Open is FS.Open.
func (m *Mem) Open(name string) (File, error) {
	if err := m.enterName(OpOpen, name); err != nil {
		return nil, err
	}
	n := m.names[name]
	switch {
	case n == nil:
		return nil, wrap(OpOpen, name, fs.ErrNotExist)
	case n.file == nil:
		return nil, wrap(OpOpen, name, fs.ErrInvalid)
	}
	return &memHandle{m: m, f: n.file, name: name, life: m.life}, nil
}

// wantDir fails unless dir is a directory.
func (m *Mem) wantDir(op Op, dir string) error {
	n := m.names[dir]
	switch {
	case n == nil:
		return wrap(op, dir, fs.ErrNotExist)
	case n.file != nil:
		return wrap(op, dir, fs.ErrInvalid)
	}
	return nil
}

// ReadDir is FS.ReadDir.
func (m *Mem) ReadDir(dir string) ([]string, error) {
	if err := m.enterName(OpReadDir, dir); err != nil {
		return nil, err
	}
	if err := m.wantDir(OpReadDir, dir); err != nil {
		return nil, err
	}
	return m.list(dir), nil
}

func (m *Mem) list(dir string) []string {
	var names []string
	for name := range m.names { // order-free: sorted below
		if name != "." && path.Dir(name) == dir {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names
}

// Rename is FS.Rename.
func (m *Mem) Rename(from, to string) error {
	for _, name := range []string{from, to} {
		if err := checkName(OpRename, name); err != nil {
			return err
		}
	}
	if _, err := m.enter(m.life, Call{Op: OpRename, Name: from, To: to}); err != nil {
		return err
	}
	n := m.names[from]
	if n == nil {
		return wrap(OpRename, from, fs.ErrNotExist)
	}
	if old := m.names[to]; n.file == nil || old != nil && old.file == nil {
		return wrap(OpRename, from, fs.ErrInvalid) // files only
	}
	if err := m.wantDir(OpRename, path.Dir(to)); err != nil {
		return err
	}
	if from != to {
		m.change(nameOp{del: from, add: to, node: n})
	}
	return nil
}

// Remove is FS.Remove.
func (m *Mem) Remove(name string) error {
	if err := m.enterName(OpRemove, name); err != nil {
		return err
	}
	n := m.names[name]
	switch {
	case n == nil:
		return wrap(OpRemove, name, fs.ErrNotExist)
	case name == ".", n.file == nil && len(m.list(name)) > 0:
		return wrap(OpRemove, name, fs.ErrInvalid)
	}
	m.change(nameOp{del: name})
	return nil
}

// SyncDir is FS.SyncDir.
func (m *Mem) SyncDir(dir string) error {
	if err := m.enterName(OpSyncDir, dir); err != nil {
		return err
	}
	if err := m.wantDir(OpSyncDir, dir); err != nil {
		return err
	}
	rest := m.pending[:0]
	for _, o := range m.pending {
		if o.isIn(dir) {
			m.harden(o)
		} else {
			rest = append(rest, o)
		}
	}
	clear(m.pending[len(rest):])
	m.pending = rest
	return nil
}

// MkdirAll is FS.MkdirAll.
func (m *Mem) MkdirAll(dir string) error {
	if err := m.enterName(OpMkdirAll, dir); err != nil {
		return err
	}
	for i := range len(dir) + 1 {
		if i < len(dir) && dir[i] != '/' {
			continue
		}
		switch n := m.names[dir[:i]]; {
		case n == nil:
			n = &memNode{}
			m.names[dir[:i]], m.durable[dir[:i]] = n, n
		case n.file != nil:
			return wrap(OpMkdirAll, dir[:i], fs.ErrExist)
		}
	}
	return nil
}

// memLock is a held lock.
type memLock struct {
	m    *Mem
	name string
}

// Lock is FS.Lock. Crash and Kill free all locks.
func (m *Mem) Lock(name string) (io.Closer, error) {
	if err := m.enterName(OpLock, name); err != nil {
		return nil, err
	}
	if m.locks[name] != nil {
		return nil, wrap(OpLock, name, ErrLocked)
	}
	if err := m.wantDir(OpLock, path.Dir(name)); err != nil {
		return nil, err
	}
	if m.names[name] == nil {
		m.change(nameOp{add: name, node: &memNode{file: &memFile{}}})
	}
	l := &memLock{m: m, name: name}
	m.locks[name] = l
	return l, nil
}

// Close frees the lock, if it is still held.
func (l *memLock) Close() error {
	if l.m.locks[l.name] == l {
		delete(l.m.locks, l.name)
	}
	return nil
}
