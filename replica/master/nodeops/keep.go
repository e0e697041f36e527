package nodeops

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// letKeep makes the answer that was just given to a call cacheable, and registers the session for the paths
// on which the answer depends. It does so only if the request that is answered allows caching and the answer
// has this code. If the session has no room for the registration, it is told to drop all.
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

// letKeepRead calls letKeep for a read by a handle that has no sequencer attached.
func (o *Ops) letKeepRead(at At, c *calls.Call, deed command.NodeOp, r api.Result) {
	var n api.Ref
	switch d := deed.(type) {
	case command.GetContents:
		n = d.Node
	case command.GetStat:
		n = d.Node
	case command.ReadDir: // only a complete listing can be kept
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

// letKeepOpen calls letKeep for an Open that has made nothing. NotFound depends on the path alone, since only
// a node made there changes it. It is not kept if the client asks by the handle of a directory: if that is
// deleted, the answer becomes Gone.
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

// dependencies returns the paths on which an answer about a node depends: its own, and those of the ACL
// files that decide which principals may read it (C5.04).
func dependencies(p api.Path, names api.ACLNames) []api.Path {
	all := []api.Path{p}
	for _, name := range []api.ACLName{names.Read, names.Write, names.Change} {
		if q, ok := name.Path(); ok && !slices.Contains(all, q) {
			all = append(all, q)
		}
	}
	return all
}
