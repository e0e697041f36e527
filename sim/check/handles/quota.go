package handles

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Quotas computes what each principal owns and each directory holds, from the commands alone.
// What is created or written must fit into the quotas, and what is refused for them must not
// (S16, C17.02). Only growth counts.
type Quotas struct {
	World  *sim.World
	rights *Rights // whose session it is
	Limits tree.Limits
	nodes  map[string]Charged // all but the root
	owners map[api.Principal]tree.Usage
	Dirs   map[string]tree.Usage

	Refused uint64
}

// Charged is a node, the principal that it is charged to, and its size.
type Charged struct {
	instance api.Instance
	Owner    api.Principal // empty for nodes that the cell began with
	bytes    uint64
}

// NewQuotas returns a Quotas for a cell that is not founded yet.
func NewQuotas(w *sim.World, r *Rights) *Quotas {
	return &Quotas{World: w, rights: r, nodes: map[string]Charged{}, owners: map[api.Principal]tree.Usage{}, Dirs: map[string]tree.Usage{}}
}

// OnCommand reports a command when it is first applied anywhere.
func (b *Quotas) OnCommand(a *command.Applied) {
	if a.Verdict != command.Executed {
		return
	}
	switch c := a.Command.(type) {
	case command.Found:
		if a.Result.Code == api.OK {
			b.onFounded(c.Founding, api.Instance(a.Number))
		}
	case command.Sweep:
		b.dropNode(c.Node)
	case command.SetLimits:
		b.setLimits(c.Nodes)
	case command.NodeCommand:
		b.onNodeCommand(c, a.Result)
	}
}

func (b *Quotas) onFounded(f tree.Founding, n api.Instance) {
	b.Limits = f.Limits
	b.Charge(model.ACLDir, Charged{instance: n}, 1)
	for _, file := range f.Files {
		b.Charge(model.ACLDir+"/"+string(file.Name), Charged{instance: n, bytes: uint64(len(file.Contents))}, 1)
	}
}

// setLimits sets those limits that are not 0.
func (b *Quotas) setLimits(l tree.Limits) {
	for _, x := range []struct {
		to  *uint64
		set uint64
	}{
		{&b.Limits.Principal.Nodes, l.Principal.Nodes}, {&b.Limits.Principal.Bytes, l.Principal.Bytes},
		{&b.Limits.Directory.Nodes, l.Directory.Nodes}, {&b.Limits.Directory.Bytes, l.Directory.Bytes},
	} {
		if x.set != 0 {
			*x.to = x.set
		}
	}
}

func (b *Quotas) onNodeCommand(c command.NodeCommand, r api.Result) {
	switch d := c.Op.(type) {
	case command.OpenNode:
		path, made := d.Path.String(), Charged{Owner: b.rights.Who[c.Session], bytes: uint64(len(d.Contents))}
		o, opened := r.Detail.(api.Opened)
		switch {
		case r.Code == api.Quota:
			b.judge(c, r.Code, path, made, 1, made.bytes)
		case opened && o.Created:
			made.instance = o.Node.Instance
			b.judge(c, r.Code, path, made, 1, made.bytes)
			b.Charge(path, made, 1)
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
			b.Charge(path, was, -1)
			b.Charge(path, now, 1)
		}
	case command.DeleteNode:
		if r.Code == api.OK {
			b.dropNode(d.Node)
		}
	}
}

func (b *Quotas) dropNode(n api.Ref) {
	path := n.Path.String()
	if was, there := b.nodes[path]; there && was.instance == n.Instance {
		b.Charge(path, was, -1)
		delete(b.nodes, path)
	}
}

// Charge adds a node to what is charged if sign is 1, and removes it if sign is -1.
func (b *Quotas) Charge(path string, c Charged, sign int64) {
	b.nodes[path] = c
	change := func(u tree.Usage) tree.Usage {
		return tree.Usage{Nodes: uint64(int64(u.Nodes) + sign), Bytes: uint64(int64(u.Bytes) + sign*int64(c.bytes))}
	}
	b.Dirs[model.Parent(path)] = change(b.Dirs[model.Parent(path)])
	if c.Owner != "" {
		b.owners[c.Owner] = change(b.owners[c.Owner])
	}
}

// fits reports whether a node may be charged with that many more nodes and bytes.
func (b *Quotas) fits(path string, c Charged, nodes, bytes uint64) bool {
	fits := func(u, limit tree.Usage) bool {
		return (nodes == 0 || u.Nodes+nodes <= limit.Nodes) && (bytes == 0 || u.Bytes+bytes <= limit.Bytes)
	}
	return fits(b.Dirs[model.Parent(path)], b.Limits.Directory) && (c.Owner == "" || fits(b.owners[c.Owner], b.Limits.Principal))
}

// judge compares the outcome of a growth by that many nodes and bytes with the room that
// there is.
func (b *Quotas) judge(c command.NodeCommand, code api.Code, path string, n Charged, nodes, bytes uint64) {
	refused := code == api.Quota
	if refused {
		b.Refused++
	}
	if refused == b.fits(path, n, nodes, bytes) {
		b.World.Break("S16", "%s: call %d of session %d is to add %d nodes and %d bytes, and is answered %v; of %+v its directory holds %+v, and %q owns %+v",
			path, c.Seq, c.Session, nodes, bytes, code, b.Limits, b.Dirs[model.Parent(path)], n.Owner, b.owners[n.Owner])
	}
}
