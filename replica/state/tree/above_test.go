package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Only limits that are lowered count, and 0 lowers nothing. ann owns /d and /d/f, bob /d/g.
func TestFindAbove(t *testing.T) {
	c := newCell(t)
	c.limit(tree.Limits{Principal: tree.Usage{Nodes: 10, Bytes: 100}, Directory: tree.Usage{Nodes: 20, Bytes: 200}})
	c.dir("/d")
	c.file("/d/f", "1234567")
	c.create(tree.Creation{Path: c.path("/d/g"), Kind: api.File, Contents: "12", Owner: "bob"})
	for _, x := range []struct {
		l    tree.Limits
		want tree.Above
	}{
		{tree.Limits{}, tree.Above{}},
		{tree.Limits{Principal: tree.Usage{Nodes: 2, Bytes: 7}, Directory: tree.Usage{Bytes: 11}}, tree.Above{}},
		{tree.Limits{Principal: tree.Usage{Nodes: 1}}, tree.Above{Principal: "ann", Unit: "nodes", Used: 2, Limit: 1}},
		{tree.Limits{Principal: tree.Usage{Nodes: 9, Bytes: 6}}, tree.Above{Principal: "ann", Unit: "bytes", Used: 7, Limit: 6}},
		{tree.Limits{Directory: tree.Usage{Nodes: 1}}, tree.Above{Directory: c.path("/"), Unit: "nodes", Used: 2, Limit: 1}},
		{tree.Limits{Directory: tree.Usage{Nodes: 5, Bytes: 8}}, tree.Above{Directory: c.path("/d"), Unit: "bytes", Used: 9, Limit: 8}},
	} {
		got, ok := tree.FindAbove(c.d, x.l)
		require.Equal(t, x.want, got, "%+v", x.l)
		require.Equal(t, x.want != tree.Above{}, ok)
	}
	c.limit(tree.Limits{Principal: tree.Usage{Nodes: 1, Bytes: 1}, Directory: tree.Usage{Nodes: 1, Bytes: 1}})
	_, ok := tree.FindAbove(c.d, tree.Limits{Principal: tree.Usage{Nodes: 1, Bytes: 5}, Directory: tree.Usage{Nodes: 2}})
	require.False(t, ok, "what is above already may be given a little more")
}
