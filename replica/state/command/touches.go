package command

import "github.com/chubbycell/chubby/replica/api"

// Touches names the paths of which a command may change what clients keep in caches (CHU §2.7):
// whether a node is there, its contents, its metadata but for the generation of its lock, the names
// of its children. The node's own path comes first, that of its directory behind it. A command that
// opens and closes sessions, or moves locks, touches none. Nor does Found: no client has read
// anything of a cell that was not founded.
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

// withDirectory is for what comes or goes: its directory has another name, or one less.
func withDirectory(p api.Path) []api.Path {
	if up, ok := p.Parent(); ok {
		return []api.Path{p, up}
	}
	return []api.Path{p}
}
