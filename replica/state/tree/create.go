package tree

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Creation is a node to be made.
type Creation struct {
	Path      api.Path
	Kind      api.NodeKind
	Ephemeral bool
	Contents  string        // of a file
	Names     api.ACLNames  // what is empty is copied from the parent (C5.03)
	Owner     api.Principal // is charged for it
}

// check returns OK, or the code with which any cell in any state refuses c.
func (c Creation) check() api.Code {
	named := c.Names.Or(api.ACLNames{Read: "-", Write: "-", Change: "-"})
	switch {
	case c.Kind != api.Directory && c.Kind != api.File,
		c.Kind == api.Directory && c.Contents != "",
		named.Check() != api.OK,
		c.Owner.Check() != api.OK:
		return api.Invalid
	case len(c.Contents) > api.MaxContents:
		return api.TooLarge
	}
	return api.OK
}

// Create makes a node at a free path. At another path the Outcome is Exists and names the
// node there.
func Create(tx *db.Txn, n api.Number, c Creation) Outcome {
	o := begin(tx, n)
	if there, ok := getNode(tx, c.Path); ok {
		return o.refuse(api.Exists, there)
	}
	if code := c.check(); code != api.OK {
		return o.refuse(code, node{})
	}
	return o.create(c)
}

// create is Create for a valid Creation with a free path. The owner may be the cell.
func (o *op) create(c Creation) Outcome {
	up, ok := c.Path.Parent()
	if !ok {
		return o.refuse(api.NotFound, node{}) // the root of a cell that was not made yet
	}
	parent, ok := getNode(o.tx, up)
	switch {
	case !ok:
		return o.refuse(api.NotFound, node{})
	case parent.stat.Kind != api.Directory:
		return o.refuse(api.NotDirectory, node{})
	}
	g := growth{nodes: +1, bytes: int64(len(c.Contents))}
	if code := o.checkQuota(c.Owner, parent, g); code != api.OK {
		return o.refuse(code, node{})
	}
	o.verifyNewer(c, parent)
	c.Names = c.Names.Or(parent.stat.Names)
	made := o.add(c)
	o.charge(c.Owner, parent, g)
	o.addEffects(ChildChanged{Directory: parent.ref(), Name: c.Path.Base(), Change: ChildCreated})
	return o.done(made)
}

// verifyNewer asserts that a node is made after its parent. Make makes both by one
// command.
func (o *op) verifyNewer(c Creation, parent node) {
	by := api.Instance(o.n)
	if by < parent.stat.Instance || by == parent.stat.Instance && c.Owner != "" {
		invariant.Failf("I-F2", "command %d makes %v in %v, which is no older", o.n, c.Path, parent.ref())
	}
}

// add writes the rows of a new node.
func (o *op) add(c Creation) node {
	made := node{path: c.Path, owner: c.Owner, stat: api.Stat{
		Kind: c.Kind, Ephemeral: c.Ephemeral, Names: c.Names,
		Instance: api.Instance(o.n), Lock: api.LockGen(o.n), ACL: api.ACLGen(o.n),
	}}
	if c.Kind == api.File {
		o.fill(&made, c.Contents)
	}
	putNode(o.tx, made)
	if c.Ephemeral {
		o.tx.Put(ephemeralKey(made.path), encodeNumbers(uint64(made.stat.Instance)))
	}
	o.addEffects(Created{Node: made.ref(), Kind: c.Kind, Ephemeral: c.Ephemeral})
	return made
}

// fill writes the contents of a file, and sets their metadata in n.
func (o *op) fill(n *node, contents string) {
	n.stat.Content = api.ContentGen(o.next("content", *n, uint64(n.stat.Content)))
	n.stat.Length, n.stat.Checksum = uint64(len(contents)), api.ChecksumOf(contents)
	putContents(o.tx, n.path, contents)
}
