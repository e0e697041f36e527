package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

var (
	admin  = api.ACLNames{Read: "admin", Write: "admin", Change: "admin"}
	public = api.ACLNames{Read: "all", Write: "all", Change: "admin"}
)

func founding() tree.Founding {
	return tree.Founding{Root: public, ACL: admin, Limits: tree.DefaultLimits(), Files: []tree.FoundingFile{
		{Name: "admin", Contents: "root\n"},
		{Name: "all", Contents: "*\n"},
	}}
}

// cell is a founded cell; each operation is a command and a transaction of its
// own.
type cell struct {
	require.TestingT
	d *db.DB
	n api.Number
}

func newCell(t require.TestingT) *cell { return foundCell(t, founding()) }

func foundCell(t require.TestingT, f tree.Founding) *cell {
	c := &cell{TestingT: t, d: db.New()}
	out := c.do(func(tx *db.Txn, n api.Number) tree.Outcome { return tree.Make(tx, n, f) })
	require.Equal(t, api.OK, out.Code)
	return c
}

// do does one operation. All rows must pass the audit after it, and be the same as before if the
// operation was refused (I-F7).
func (c *cell) do(op func(tx *db.Txn, n api.Number) tree.Outcome) tree.Outcome {
	c.n++
	before := c.d.Checksum()
	tx := c.d.Begin()
	out := op(tx, c.n)
	tx.Commit()
	if out.Code != api.OK {
		require.Equal(c, before, c.d.Checksum(), "refused by %v, and yet rows changed", out.Code)
		require.Empty(c, out.Effects)
	}
	require.NoError(c, tree.Audit(c.d, c.n))
	return out
}

func (c *cell) create(x tree.Creation) tree.Outcome {
	return c.do(func(tx *db.Txn, n api.Number) tree.Outcome { return tree.Create(tx, n, x) })
}

func (c *cell) set(ref api.Ref, contents string, when api.ContentGen) tree.Outcome {
	return c.do(func(tx *db.Txn, n api.Number) tree.Outcome { return tree.SetContents(tx, n, ref, contents, when) })
}

func (c *cell) acl(ref api.Ref, names api.ACLNames, when api.ACLGen) tree.Outcome {
	return c.do(func(tx *db.Txn, n api.Number) tree.Outcome { return tree.SetACL(tx, n, ref, names, when) })
}

func (c *cell) bump(ref api.Ref) tree.Outcome {
	return c.do(func(tx *db.Txn, n api.Number) tree.Outcome { return tree.BumpLock(tx, n, ref) })
}

func (c *cell) remove(ref api.Ref) tree.Outcome {
	return c.do(func(tx *db.Txn, n api.Number) tree.Outcome { return tree.Delete(tx, n, ref) })
}

func (c *cell) path(s string) api.Path {
	p, err := api.ParsePath(s)
	require.NoError(c, err)
	return p
}

// file and dir make a node of ann's; the test fails if that is refused.
func (c *cell) file(path, contents string) api.Ref {
	out := c.create(tree.Creation{Path: c.path(path), Kind: api.File, Contents: contents, Owner: "ann"})
	require.Equal(c, api.OK, out.Code, path)
	return out.Node
}

func (c *cell) dir(path string) api.Ref {
	out := c.create(tree.Creation{Path: c.path(path), Kind: api.Directory, Owner: "ann"})
	require.Equal(c, api.OK, out.Code, path)
	return out.Node
}

func (c *cell) at(path string) api.Ref {
	ref, _, code := tree.Lookup(c.d, c.path(path))
	require.Equal(c, api.OK, code, path)
	return ref
}

func (c *cell) stat(path string) api.Stat {
	_, s, code := tree.Lookup(c.d, c.path(path))
	require.Equal(c, api.OK, code, path)
	return s
}

func (c *cell) limit(l tree.Limits) {
	tx := c.d.Begin()
	tree.SetLimits(tx, l)
	tx.Commit()
}

func (c *cell) names(dir string) (names []string) {
	list, more, code := tree.List(c.d, c.at(dir), "", 0)
	require.Equal(c, api.OK, code)
	require.False(c, more)
	for _, child := range list {
		names = append(names, child.Name)
	}
	return names
}

// breaks requires that f breaks the invariant.
func breaks(t *testing.T, id invariant.ID, f func()) {
	t.Helper()
	v := invariant.Caught(f)
	require.NotNil(t, v, "no invariant was broken")
	require.Equal(t, id, v.ID, v.Text)
}
