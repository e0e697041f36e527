package nodeops

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// letKeep allows the client to keep the answer that it was just given in its cache, where it asked for
// that with the very request that is answered, and registers it for what the answer depends on. Other
// answers than these codes are not kept.
func (o *Ops) letKeep(at At, c *calls.Call, code api.Code, dependsOn []api.Path) {
	if o.fresh != c || len(o.out.Replies) == 0 {
		return
	}
	r := &o.out.Replies[len(o.out.Replies)-1]
	if r.Session != c.Session || r.Seq != c.Seq || r.Result.Code != code {
		return
	}
	caches := o.barrier.caches
	if r.Drops, r.Cacheable = caches.Register(c.Session, c.Seq, dependsOn); !r.Cacheable && caches.IsFull(c.Session, dependsOn) {
		n := caches.DropAll(at.Now, c.Session)
		o.tellSession(c.Session, api.Event{Kind: api.EventDropAll, Drop: n})
	}
}

// letKeepRead is for a read of the node of a handle that has no sequencer attached.
func (o *Ops) letKeepRead(at At, c *calls.Call, deed command.NodeOp, r api.Result) {
	var n api.Ref
	switch d := deed.(type) {
	case command.GetContents:
		n = d.Node
	case command.GetStat:
		n = d.Node
	case command.ReadDir: // the whole listing, or the client could not keep it
		if l, ok := r.Detail.(api.Listing); !ok || d.After != "" || l.More {
			return
		}
		n = d.Node
	default:
		return
	}
	if stat, code := tree.Stat(at.Rows, n); code == api.OK {
		o.letKeep(at, c, api.OK, dependencies(n.Path, stat.Names))
	}
}

// letKeepOpen is for an Open that has made nothing. That nothing is at a path ends where something is
// made there, and by nothing else; but to a client that asks by the handle of a directory the cell
// says Gone where that has gone.
func (o *Ops) letKeepOpen(at At, c *calls.Call, deed command.OpenNode, r api.Result) {
	opened, ok := r.Detail.(api.Opened)
	switch {
	case deed.Fence != (api.Sequencer{}):
	case ok:
		o.letKeep(at, c, api.OK, dependencies(opened.Node.Path, opened.Stat.Names))
	case deed.Dir.Instance == 0:
		o.letKeep(at, c, api.NotFound, []api.Path{deed.Path})
	}
}

// dependencies are the paths that the answer about a node depends on: its own, and those of the ACL
// files by which the cell has judged, and would judge again, who may ask (C5.04).
func dependencies(p api.Path, names api.ACLNames) []api.Path {
	all := []api.Path{p}
	for _, name := range []api.ACLName{names.Read, names.Write, names.Change} {
		if q, ok := name.Path(); ok && !slices.Contains(all, q) {
			all = append(all, q)
		}
	}
	return all
}
