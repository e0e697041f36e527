package cell

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// quotaBook knows what each principal owns and each directory holds, from the
// commands alone. What is made or written fits into the quotas, and what is refused
// for them does not (S16, C17.02). Only growth is held to them.
type quotaBook struct {
	world  *sim.World
	rights *rightsBook // whose a session is
	limits tree.Limits
	nodes  map[string]charged // but the root
	owners map[api.Principal]tree.Usage
	dirs   map[string]tree.Usage

	refused uint64
}

// charged is a node, whom it is charged to, and for how much.
type charged struct {
	instance api.Instance
	owner    api.Principal // nobody's are those that the cell began with
	bytes    uint64
}

func newQuotaBook(w *sim.World, r *rightsBook) *quotaBook {
	return &quotaBook{world: w, rights: r, nodes: map[string]charged{}, owners: map[api.Principal]tree.Usage{}, dirs: map[string]tree.Usage{}}
}

// command is told of each command as it is first applied anywhere.
func (b *quotaBook) command(a *command.Applied) {
	if a.Verdict != command.Executed {
		return
	}
	switch c := a.Command.(type) {
	case command.Found:
		if a.Result.Code == api.OK {
			b.founded(c.Founding, api.Instance(a.Number))
		}
	case command.Sweep:
		b.gone(c.Node)
	case command.Act:
		b.act(c, a.Result)
	}
}

func (b *quotaBook) founded(f tree.Founding, n api.Instance) {
	b.limits = f.Limits
	b.charge(model.ACLDir, charged{instance: n}, 1)
	for _, file := range f.Files {
		b.charge(model.ACLDir+"/"+string(file.Name), charged{instance: n, bytes: uint64(len(file.Contents))}, 1)
	}
}

func (b *quotaBook) act(c command.Act, r api.Result) {
	switch d := c.Deed.(type) {
	case command.OpenNode:
		path, made := d.Path.String(), charged{owner: b.rights.who[c.Session], bytes: uint64(len(d.Contents))}
		o, opened := r.Detail.(api.Opened)
		switch {
		case r.Code == api.Quota:
			b.judge(c, r.Code, path, made, 1, made.bytes)
		case opened && o.Created:
			made.instance = o.Node.Instance
			b.judge(c, r.Code, path, made, 1, made.bytes)
			b.charge(path, made, 1)
		}
	case command.SetContents:
		path := d.Node.Path.String()
		was, there := b.nodes[path]
		now := was
		now.bytes = uint64(len(d.Contents))
		more := now.bytes - min(was.bytes, now.bytes)
		switch {
		case !there || was.instance != d.Node.Instance:
		case r.Code == api.Quota:
			b.judge(c, r.Code, path, was, 0, more)
		case r.Code == api.OK:
			b.judge(c, r.Code, path, was, 0, more)
			b.charge(path, was, -1)
			b.charge(path, now, 1)
		}
	case command.DeleteNode:
		if r.Code == api.OK {
			b.gone(d.Node)
		}
	}
}

func (b *quotaBook) gone(n api.Ref) {
	path := n.Path.String()
	if was, there := b.nodes[path]; there && was.instance == n.Instance {
		b.charge(path, was, -1)
		delete(b.nodes, path)
	}
}

// charge adds a node to what is charged, or takes it away.
func (b *quotaBook) charge(path string, c charged, sign int64) {
	b.nodes[path] = c
	change := func(u tree.Usage) tree.Usage {
		return tree.Usage{Nodes: uint64(int64(u.Nodes) + sign), Bytes: uint64(int64(u.Bytes) + sign*int64(c.bytes))}
	}
	b.dirs[model.Parent(path)] = change(b.dirs[model.Parent(path)])
	if c.owner != "" {
		b.owners[c.owner] = change(b.owners[c.owner])
	}
}

// fits says whether a node may be charged with so much more.
func (b *quotaBook) fits(path string, c charged, nodes, bytes uint64) bool {
	fits := func(u, limit tree.Usage) bool {
		return (nodes == 0 || u.Nodes+nodes <= limit.Nodes) && (bytes == 0 || u.Bytes+bytes <= limit.Bytes)
	}
	return fits(b.dirs[model.Parent(path)], b.limits.Directory) && (c.owner == "" || fits(b.owners[c.owner], b.limits.Principal))
}

// judge compares what became of so much more with what there is room for.
func (b *quotaBook) judge(c command.Act, code api.Code, path string, n charged, nodes, bytes uint64) {
	refused := code == api.Quota
	if refused {
		b.refused++
	}
	if refused == b.fits(path, n, nodes, bytes) {
		b.world.Break("S16", "%s: call %d of session %d is to add %d nodes and %d bytes, and is answered %v; of %+v its directory holds %+v, and %q owns %+v",
			path, c.Seq, c.Session, nodes, bytes, code, b.limits, b.dirs[model.Parent(path)], n.owner, b.owners[n.owner])
	}
}
