package tree_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

func TestQuotas(t *testing.T) {
	create := func(path, contents string, owner api.Principal) func(c *cell) api.Code {
		return func(c *cell) api.Code {
			return c.create(tree.Creation{Path: c.path(path), Kind: api.File, Contents: contents, Owner: owner}).Code
		}
	}
	set := func(path, contents string) func(c *cell) api.Code {
		return func(c *cell) api.Code { return c.set(c.at(path), contents, 0).Code }
	}
	remove := func(path string) func(c *cell) api.Code {
		return func(c *cell) api.Code { return c.remove(c.at(path)).Code }
	}
	// ann owns /d and /d/f with 8 bytes, bob /d/e; /d has two children
	own := func(nodes, bytes uint64) func(l *tree.Limits) {
		return func(l *tree.Limits) { l.Principal = tree.Usage{Nodes: nodes, Bytes: bytes} }
	}
	hold := func(nodes, bytes uint64) func(l *tree.Limits) {
		return func(l *tree.Limits) { l.Directory = tree.Usage{Nodes: nodes, Bytes: bytes} }
	}
	for _, r := range []struct {
		why   string
		limit func(l *tree.Limits)
		do    func(c *cell) api.Code
		want  api.Code
	}{
		{"the last node of an owner", own(3, 8), create("/x", "", "ann"), api.OK},
		{"one node too many", own(2, 99), create("/x", "", "ann"), api.Quota},
		{"another principal has room", own(2, 99), create("/x", "", "bob"), api.OK},
		{"the last byte of an owner", own(9, 9), create("/x", "1", "ann"), api.OK},
		{"one byte too many", own(9, 8), create("/x", "1", "ann"), api.Quota},
		{"no byte more", own(9, 0), create("/x", "", "ann"), api.OK},
		{"the last child", hold(3, 8), create("/d/x", "", "bob"), api.OK},
		{"one child too many", hold(2, 99), create("/d/x", "", "bob"), api.Quota},
		{"another directory has room", hold(2, 99), create("/d/e/x", "", "bob"), api.OK},
		{"the last byte of a directory", hold(9, 9), create("/d/x", "1", "bob"), api.OK},
		{"one byte too many in a directory", hold(9, 8), create("/d/x", "1", "bob"), api.Quota},
		{"as far as a file may grow", own(9, 9), set("/d/f", "contents!"), api.OK},
		{"a file grows beyond its owner", own(9, 9), set("/d/f", "contents!!"), api.Quota},
		{"a file grows beyond its directory", hold(9, 9), set("/d/f", "contents!!"), api.Quota},
		{"as many bytes, above the limit", own(0, 0), set("/d/f", "CONTENTS"), api.OK},
		{"fewer bytes, above the limit", own(0, 0), set("/d/f", "c"), api.OK},
		{"fewer bytes, above that of the directory", hold(0, 0), set("/d/f", "c"), api.OK},
		{"a deletion above the limit", own(0, 0), remove("/d/f"), api.OK},
		{"a deletion above that of the directory", hold(0, 0), remove("/d/f"), api.OK},
		{"no limit is larger than all", own(math.MaxUint64, math.MaxUint64), set("/d/f", tooLong[1:]), api.OK},
		{"what the cell owns is charged to no principal", own(0, 0), set("/acl/all", "*\n#\n"), api.OK},
		{"but to its directory", hold(9, 7), set("/acl/all", "*\n#\n"), api.Quota},
	} {
		t.Run(r.why, func(t *testing.T) {
			c := sample(t)
			l := tree.DefaultLimits()
			r.limit(&l)
			c.limit(l)
			require.Equal(t, r.want, r.do(c))
			require.Equal(t, l, tree.GetLimits(c.d))
		})
	}
}

// The owner is the principal that made the node, even if another one writes it, and is charged
// until the node is deleted.
func TestUsageFollowsTheOwner(t *testing.T) {
	c := sample(t)
	require.Equal(t, tree.Usage{Nodes: 2, Bytes: 8}, tree.GetUsage(c.d, "ann"))
	require.Equal(t, tree.Usage{Nodes: 1}, tree.GetUsage(c.d, "bob"))
	require.Zero(t, tree.GetUsage(c.d, "zoe"))
	c.set(c.at("/d/f"), "123", 0)
	require.Equal(t, tree.Usage{Nodes: 2, Bytes: 3}, tree.GetUsage(c.d, "ann"))
	c.remove(c.at("/d/f"))
	require.Equal(t, tree.Usage{Nodes: 1}, tree.GetUsage(c.d, "ann"))
	c.remove(c.at("/d/e"))
	_, ok := c.d.Get("pbob")
	require.False(t, ok, "a principal that owns nothing leaves no row")
}
