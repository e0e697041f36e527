package cache

import (
	"strings"

	"github.com/chubbycell/chubby/replica/api"
)

// entry is what is kept of one path.
type entry struct {
	path     api.Path
	instance api.Instance // of the node there; 0: no node is there

	stat        api.Stat // its Kind is 0 if it is not kept
	hasContents bool     // contents are kept, and stat is
	contents    string
	hasNames    bool
	names       []string
	handles     []Handle

	bytes      int // as counted in Table.bytes
	prev, next *entry
}

// dependsOn reports whether a change of what stands at p may make the entry untrue.
func (e *entry) dependsOn(p api.Path) bool {
	switch {
	case p == e.path:
		return true
	case e.instance == 0:
		return isAbove(p, e.path)
	case !isACLFile(p):
		return false
	case e.stat.Kind == 0:
		return true // the names of its ACL files are not known
	}
	n := api.ACLName(p.Base())
	return n == e.stat.Names.Read || n == e.stat.Names.Write || n == e.stat.Names.Change
}

// isACLFile reports whether ACL names can mean the node at p.
func isACLFile(p api.Path) bool {
	up, ok := p.Parent()
	return ok && up == api.ACLDirectory()
}

// isAbove reports whether p is a directory that q stands below, at any depth.
func isAbove(p, q api.Path) bool {
	if p.IsRoot() {
		return !q.IsRoot()
	}
	return strings.HasPrefix(q.String(), p.String()+"/")
}

// add takes over what another entry of the same node has.
func (e *entry) add(o *entry) {
	if o.stat.Kind != 0 {
		e.stat = o.stat
	}
	if o.hasContents {
		e.hasContents, e.contents = true, o.contents
	}
	if o.hasNames {
		e.hasNames, e.names = true, o.names
	}
	e.handles = append(e.handles[:len(e.handles):len(e.handles)], o.handles...)
}
