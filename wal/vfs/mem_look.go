package vfs

import (
	"io/fs"
	"maps"
	"slices"
)

// FileInfo describes one file of a Mem.
type FileInfo struct {
	Name     string
	Size     int64
	Unsynced int  // sectors in which the disk differs, or may
	Named    bool // the name is durable and means this file
	Spoilt   int  // sectors that cannot be read
}

// Files describes all files, in the order of their names. It asks no fault
// predicate: it is for checkers.
func (m *Mem) Files() []FileInfo {
	var infos []FileInfo
	for _, name := range slices.Sorted(maps.Keys(m.names)) {
		if n := m.names[name]; n.file != nil {
			infos = append(infos, FileInfo{
				Name: name, Size: n.file.size, Unsynced: len(n.file.dirty), Named: m.durable[name] == n,
				Spoilt: len(n.file.spoilt),
			})
		}
	}
	return infos
}

// Contents returns a copy of what the running machine sees in a file. It asks no
// fault predicate.
func (m *Mem) Contents(name string) ([]byte, error) {
	n := m.names[name]
	if n == nil || n.file == nil {
		return nil, &fs.PathError{Op: "contents", Path: name, Err: fs.ErrNotExist}
	}
	b := make([]byte, n.file.size)
	n.file.read(b, 0)
	return b, nil
}

// Peek fills b with what the running machine sees in a file from off on, and returns
// how much of b that is: none where there is no such file. It asks no fault predicate.
func (m *Mem) Peek(name string, b []byte, off int64) int {
	n := m.names[name]
	if n == nil || n.file == nil {
		return 0
	}
	return n.file.read(b, off)
}

// Clone returns a copy that shares nothing with m: the same disk, with the same
// unsynced changes, on which nothing is open or locked and no fault is set.
func (m *Mem) Clone() *Mem {
	c := NewMem()
	nodes := map[*memNode]*memNode{}
	node := func(n *memNode) *memNode {
		if n == nil {
			return nil
		}
		if nodes[n] == nil {
			nodes[n] = &memNode{file: n.file.clone()}
		}
		return nodes[n]
	}
	for name, n := range m.names { // order-free: fills maps
		c.names[name] = node(n)
	}
	for name, n := range m.durable { // order-free: fills maps
		c.durable[name] = node(n)
	}
	for _, o := range m.pending {
		o.node = node(o.node)
		c.pending = append(c.pending, o)
	}
	return c
}

func (f *memFile) clone() *memFile {
	if f == nil {
		return nil
	}
	c := &memFile{dirty: slices.Clone(f.dirty), size: f.size, durable: f.durable, spoilt: slices.Clone(f.spoilt)}
	for _, p := range f.pages {
		if p != nil {
			q := *p
			for i, old := range q.old {
				if old != nil {
					image := *old
					q.old[i] = &image
				}
			}
			p = &q
		}
		c.pages = append(c.pages, p)
	}
	return c
}
