package cache

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Handle names a handle that is open at the cell, among those of one Table.
type Handle uint64

// Table is what one session has cached. It is not safe for concurrent use. Strings and slices that it
// returns are shared: they must not be changed.
type Table struct {
	limits  Limits
	entries map[api.Path]*entry
	absent  map[api.Path]*entry // those of entries that say that nothing is there
	use     entry               // the ring of all entries, in the order of their last use: use.next is the newest
	bytes   int
	changes map[api.Path]int // own changes under way of each path
	reads   []*Read          // under way, the oldest first
	dropped []Handle
}

// New returns an empty Table.
func New(l Limits) *Table {
	t := &Table{limits: l, entries: map[api.Path]*entry{}, absent: map[api.Path]*entry{}, changes: map[api.Path]int{}}
	t.use.next, t.use.prev = &t.use, &t.use
	return t
}

// Len is the number of entries.
func (t *Table) Len() int { return len(t.entries) }

// Bytes is what the entries count against Limits.Bytes.
func (t *Table) Bytes() int { return t.bytes }

// Contents returns the contents and the metadata of a file, if both are kept.
func (t *Table) Contents(n api.Ref) (contents string, s api.Stat, ok bool) {
	if e := t.find(n); e != nil && e.hasContents {
		return e.contents, e.stat, true
	}
	return "", api.Stat{}, false
}

// Stat returns the metadata of a node, if they are kept. Their Lock is 0: a lock may be acquired
// without notice.
func (t *Table) Stat(n api.Ref) (api.Stat, bool) {
	if e := t.find(n); e != nil && e.stat.Kind != 0 {
		return e.stat, true
	}
	return api.Stat{}, false
}

// Names returns the names of a directory's children in ascending order, if they are kept.
func (t *Table) Names(n api.Ref) ([]string, bool) {
	if e := t.find(n); e != nil && e.hasNames {
		return e.names, true
	}
	return nil, false
}

// IsAbsent reports whether it is known that no node stands at a path.
func (t *Table) IsAbsent(p api.Path) bool {
	e := t.visible(p)
	if e == nil || e.instance != 0 {
		return false
	}
	t.touch(e)
	return true
}

// Handles returns the handles that are kept of the node at a path, the oldest first: an Open with the
// rights of one of them would succeed.
func (t *Table) Handles(p api.Path) []Handle {
	e := t.visible(p)
	if e == nil || len(e.handles) == 0 {
		return nil
	}
	t.touch(e)
	return e.handles
}

// IsThere reports whether it is known that the node stands at its path.
func (t *Table) IsThere(n api.Ref) bool { return t.find(n) != nil }

// find returns the visible entry of a node, and counts this as a use of it; nil: there is none.
func (t *Table) find(n api.Ref) *entry {
	e := t.visible(n.Path)
	if e == nil || e.instance != n.Instance || n.Instance == 0 {
		return nil
	}
	t.touch(e)
	return e
}

// visible returns the entry of a path, unless an own change of what it depends on is under way.
func (t *Table) visible(p api.Path) *entry {
	e := t.entries[p]
	if e == nil || t.isChanging(e) {
		return nil
	}
	return e
}

// Drop removes all that depends on a path.
func (t *Table) Drop(p api.Path) {
	if e := t.entries[p]; e != nil {
		t.remove(e)
	}
	of := t.absent // what else depends on a path is absent below it
	if isACLFile(p) {
		of = t.entries
	}
	for _, e := range of { // order-free: each by itself, and dropped handles are sorted
		if e.dependsOn(p) {
			t.remove(e)
		}
	}
}

// DropAll removes everything.
func (t *Table) DropAll() {
	for _, e := range t.entries { // order-free: all of them, and dropped handles are sorted
		t.remove(e)
	}
}

// Forget removes a handle. It is not among those of TakeDropped.
func (t *Table) Forget(p api.Path, h Handle) {
	if e := t.entries[p]; e != nil {
		e.handles = slices.DeleteFunc(slices.Clone(e.handles), func(x Handle) bool { return x == h })
		t.weigh(e)
	}
}

// TakeDropped returns the handles that were removed since the last call, in the order of their
// numbers: no Open can be answered with them any more.
func (t *Table) TakeDropped() []Handle {
	d := t.dropped
	t.dropped = nil
	slices.Sort(d)
	return d
}
