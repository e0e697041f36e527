package command

import "github.com/chubbycell/chubby/replica/api"

// Touches returns the paths about which a command may change what clients keep in caches (CHU §2.7):
// whether a node exists, its contents, its metadata except the lock generation, and the names of its
// children. The node's own path comes first, then that of its directory. Commands about sessions or
// locks touch no path. Nor does Found: no client has read anything in a cell that was not founded.
func Touches(c Command) []api.Path {
	switch c := c.(type) {
	case NodeCommand:
		return touchesOf(c.Op)
	case Sweep:
		return withDirectory(c.Node.Path)
	}
	return nil
}

func touchesOf(d NodeOp) []api.Path {
	switch d := d.(type) {
	case OpenNode:
		if d.Create != api.CreateNever {
			return withDirectory(d.Path)
		}
	case SetContents:
		return []api.Path{d.Node.Path}
	case SetACL:
		return []api.Path{d.Node.Path}
	case DeleteNode:
		return withDirectory(d.Node.Path)
	}
	return nil
}

// withDirectory returns the paths of a node that is made or deleted, and of its directory, whose list of
// names changes.
func withDirectory(p api.Path) []api.Path {
	if up, ok := p.Parent(); ok {
		return []api.Path{p, up}
	}
	return []api.Path{p}
}
