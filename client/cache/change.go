package cache

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Read is a call under way whose answer may be kept.
type Read struct {
	changed []api.Path // paths that own changes have begun or ended to change since it began
	many    bool       // too many to remember
}

// maxChanged bounds the paths that are remembered for one Read.
const maxChanged = 64

// BeginRead notes that a call begins whose answer may be kept.
func (t *Table) BeginRead() *Read {
	r := &Read{}
	t.reads = append(t.reads, r)
	return r
}

// EndRead notes that the call has ended, and its answer was kept or not.
func (t *Table) EndRead(r *Read) {
	t.reads = slices.DeleteFunc(t.reads, func(x *Read) bool { return x == r })
}

// BeginChange notes that a call begins that may change what stands at these paths.
func (t *Table) BeginChange(paths ...api.Path) {
	for _, p := range paths {
		t.changes[p]++
		t.noteChanged(p)
	}
}

// EndChange notes that no copy of the call will be executed any more. made is false only if the
// master has read the rows and found nothing to change: then what was kept is still true.
func (t *Table) EndChange(made bool, paths ...api.Path) {
	for _, p := range paths {
		if t.changes[p]--; t.changes[p] <= 0 {
			delete(t.changes, p)
		}
		if made {
			t.noteChanged(p)
			t.Drop(p)
		}
	}
}

func (t *Table) noteChanged(p api.Path) {
	for _, r := range t.reads {
		if r.many = r.many || len(r.changed) == maxChanged; !r.many {
			r.changed = append(r.changed, p)
		}
	}
}

// isChanging reports whether an own change of what an entry depends on is under way.
func (t *Table) isChanging(e *entry) bool {
	for p := range t.changes { // order-free: any counts
		if e.dependsOn(p) {
			return true
		}
	}
	return false
}

// mayKeep reports whether no own change of what an entry depends on has overlapped the read of it.
func (t *Table) mayKeep(r *Read, e *entry) bool {
	return !r.many && !slices.ContainsFunc(r.changed, e.dependsOn) && !t.isChanging(e)
}

// KeepContents keeps the answer to a read of a file.
func (t *Table) KeepContents(r *Read, n api.Ref, contents string, s api.Stat) bool {
	return t.keep(r, &entry{path: n.Path, instance: n.Instance, hasContents: true, contents: contents, stat: s})
}

// KeepStat keeps the metadata of a node.
func (t *Table) KeepStat(r *Read, n api.Ref, s api.Stat) bool {
	return t.keep(r, &entry{path: n.Path, instance: n.Instance, stat: s})
}

// KeepNames keeps the names of all children of a directory.
func (t *Table) KeepNames(r *Read, n api.Ref, names []string) bool {
	return t.keep(r, &entry{path: n.Path, instance: n.Instance, hasNames: true, names: names})
}

// KeepAbsent keeps that nothing stands at a path.
func (t *Table) KeepAbsent(r *Read, p api.Path) bool { return t.keep(r, &entry{path: p}) }

// KeepHandle keeps the answer to an Open: that it succeeds, with this handle, and the metadata.
func (t *Table) KeepHandle(r *Read, n api.Ref, s api.Stat, h Handle) bool {
	return t.keep(r, &entry{path: n.Path, instance: n.Instance, stat: s, handles: []Handle{h}})
}

// keep adds what a read has found, and returns whether it is in the Table then.
func (t *Table) keep(r *Read, e *entry) bool {
	e.stat.Lock = 0
	if !t.mayKeep(r, e) {
		return false
	}
	have := t.entries[e.path]
	if have != nil && have.instance != e.instance {
		t.remove(have)
		have = nil
	}
	if have != nil {
		have.add(e)
		e = have
	} else {
		t.entries[e.path] = e
		if e.instance == 0 {
			t.absent[e.path] = e
		}
	}
	t.touch(e)
	t.weigh(e)
	t.shrink()
	return t.entries[e.path] == e
}
