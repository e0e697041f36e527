package tree_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/tree"
)

func TestReads(t *testing.T) {
	c := sample(t)
	_, _, code := tree.Lookup(c.d, c.path("/no"))
	require.Equal(t, api.NotFound, code)
	_, _, code = tree.Lookup(c.d, c.path("/d/f/x"))
	require.Equal(t, api.NotFound, code)
	_, s, code := tree.Contents(c.d, c.at("/d"))
	require.Equal(t, api.IsDirectory, code)
	require.Equal(t, c.stat("/d"), s)
	_, _, code = tree.List(c.d, c.at("/d/f"), "")
	require.Equal(t, api.NotDirectory, code)
	s, code = tree.Stat(c.d, c.at("/d"))
	require.Equal(t, api.OK, code)
	require.EqualValues(t, 2, s.Children)
	list, more, code := tree.List(c.d, c.at("/d"), "")
	require.Equal(t, api.OK, code)
	require.False(t, more)
	require.Equal(t, []api.Child{{Name: "e", Stat: c.stat("/d/e")}, {Name: "f", Stat: c.stat("/d/f")}}, list)
	require.Equal(t, []api.Ref{c.at("/d/e")}, slices.Collect(tree.Ephemerals(c.d)))
	for range tree.Ephemerals(c.d) {
		break
	}

	files := tree.Files{Reader: c.d}
	contents, ok := files.Contents(c.path("/d/f"))
	require.True(t, ok)
	require.Equal(t, "contents", contents)
	for _, p := range []string{"/d", "/no"} {
		_, ok := files.Contents(c.path(p))
		require.False(t, ok)
	}
}

// A directory that is longer than an answer comes in pieces, without gaps.
func TestALongDirectoryIsListedInPieces(t *testing.T) {
	f := founding()
	f.Limits.Directory.Nodes, f.Limits.Principal.Nodes = 1<<20, 1<<20
	c := foundCell(t, f)
	dir := c.dir("/d")
	long := api.ACLName(strings.Repeat("n", api.MaxComponent))
	tx := c.d.Begin()
	const total = 3000
	for i := range total {
		c.n++
		p, _ := dir.Path.Child(fmt.Sprintf("%08d", i))
		out := tree.Create(tx, c.n, tree.Creation{Path: p, Kind: api.File, Owner: "ann", Names: api.ACLNames{Read: long, Write: long, Change: long}})
		require.Equal(t, api.OK, out.Code)
	}
	tx.Commit()
	require.NoError(t, tree.Audit(c.d, c.n))
	after, seen, pieces, more := "", 0, 0, true
	for more {
		var list []api.Child
		var code api.Code
		list, more, code = tree.List(c.d, dir, after)
		require.Equal(t, api.OK, code)
		require.LessOrEqual(t, len(api.AppendChildren(nil, list)), api.MaxListBytes+3)
		for _, child := range list {
			require.Equal(t, fmt.Sprintf("%08d", seen), child.Name)
			seen++
		}
		after = list[len(list)-1].Name
		pieces++
	}
	require.Equal(t, total, seen)
	require.Equal(t, 3, pieces)
	list, more, _ := tree.List(c.d, dir, "99999999")
	require.Empty(t, list)
	require.False(t, more)
}
