package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

func TestDelete(t *testing.T) {
	c := sample(t)
	d, f, e := c.at("/d"), c.at("/d/f"), c.at("/d/e")
	for _, r := range []struct {
		why  string
		ref  api.Ref
		want api.Code
	}{
		{"the root", c.at("/"), api.Invalid},
		{"the ACL directory", c.at("/acl"), api.Invalid},
		{"a directory with children", d, api.NotEmpty},
		{"a file", f, api.OK},
		{"a file that is gone", f, api.Gone},
		{"a directory with one child left", d, api.NotEmpty},
		{"an ephemeral directory", e, api.OK},
		{"a directory without children", d, api.OK},
		{"a directory that is gone", d, api.Gone},
		{"a path that never was", api.Ref{Path: c.path("/no/no"), Instance: 1}, api.Gone},
		{"an ACL file", c.at("/acl/all"), api.OK},
	} {
		there := api.Stat{}
		if r.want == api.NotEmpty {
			there = c.stat(r.ref.Path.String())
		}
		out := c.remove(r.ref)
		require.Equal(t, r.want, out.Code, r.why)
		require.Equal(t, there, out.Stat, r.why)
		if r.want != api.OK {
			continue
		}
		up, _ := r.ref.Path.Parent()
		require.Equal(t, []tree.Effect{
			tree.Deleted{Node: r.ref},
			tree.ChildChanged{Directory: c.at(up.String()), Name: r.ref.Path.Base(), Change: tree.ChildDeleted},
		}, out.Effects, r.why)
	}
	for key := range c.d.Ascend("", "") {
		require.NotContains(t, key, "d/", "nothing is left of what was deleted")
	}
	require.Zero(t, tree.GetUsage(c.d, "ann"))
}

// An ephemeral directory with a child stays (C3.03), and its deletion has an effect on its
// parent.
func TestAnEphemeralDirectoryIsDeletedWhenEmpty(t *testing.T) {
	c := sample(t)
	e, x := c.at("/d/e"), c.file("/d/e/x", "")
	require.Equal(t, api.NotEmpty, c.remove(e).Code)
	require.Equal(t, api.OK, c.remove(x).Code)
	out := c.remove(e)
	require.Equal(t, api.OK, out.Code)
	require.Contains(t, out.Effects, tree.ChildChanged{Directory: c.at("/d"), Name: "e", Change: tree.ChildDeleted})
}

// A Ref finds its instance and no other (C4.05), and a node that is made again has no number
// that the node before it had (C3.04).
func TestAnotherInstanceIsAnotherNode(t *testing.T) {
	c := newCell(t)
	old := c.file("/f", "old")
	c.set(old, "older", 0)
	c.acl(old, public, 0)
	c.bump(old)
	last := c.stat("/f")
	require.Equal(t, api.OK, c.remove(old).Code)
	again := c.file("/f", "new")
	s := c.stat("/f")
	for _, g := range []uint64{uint64(s.Instance), uint64(s.Content), uint64(s.Lock), uint64(s.ACL)} {
		require.Greater(t, g, max(uint64(last.Instance), uint64(last.Content), uint64(last.Lock), uint64(last.ACL)))
	}
	require.NotEqual(t, old, again)
	for what, code := range map[string]api.Code{
		"set": c.set(old, "x", 0).Code, "acl": c.acl(old, admin, 0).Code, "bump": c.bump(old).Code, "delete": c.remove(old).Code,
	} {
		require.Equal(t, api.Gone, code, what)
	}
	_, code := tree.Stat(c.d, old)
	require.Equal(t, api.Gone, code)
	_, _, code = tree.Contents(c.d, old)
	require.Equal(t, api.Gone, code)
	_, _, code = tree.List(c.d, old, "", 0)
	require.Equal(t, api.Gone, code)
	_, code = tree.Owner(c.d, old)
	require.Equal(t, api.Gone, code)
	got, _, code := tree.Contents(c.d, again)
	require.Equal(t, api.OK, code)
	require.Equal(t, "new", got)
}
