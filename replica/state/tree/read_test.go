package tree_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
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
	_, _, code = tree.List(c.d, c.at("/d/f"), "", 0)
	require.Equal(t, api.NotDirectory, code)
	s, code = tree.Stat(c.d, c.at("/d"))
	require.Equal(t, api.OK, code)
	require.EqualValues(t, 2, s.Children)
	list, more, code := tree.List(c.d, c.at("/d"), "", 0)
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

// A directory that does not fit into one answer comes in pieces, without gaps, whichever of the three
// bounds is met first; each piece is a message that clients accept.
func TestALongDirectoryIsListedInPieces(t *testing.T) {
	long, mid := api.ACLName(strings.Repeat("n", api.MaxComponent)), api.ACLName("readers of all")
	for _, r := range []struct {
		why           string
		names         api.ACLNames
		total, pieces int
		most          uint64
	}{
		{"by bytes", api.ACLNames{Read: long, Write: long, Change: long}, 3000, 3, 0},
		{"by bytes, most of them no names", api.ACLNames{Read: mid, Write: mid, Change: mid}, 20000, 2, 0},
		{"by number", api.ACLNames{Read: "r", Write: "w", Change: "c"}, api.MaxListPairs + 1, 2, 0},
		{"just in one piece", api.ACLNames{Read: "r", Write: "w", Change: "c"}, api.MaxListPairs, 1, 0},
		{"by what is asked", api.ACLNames{Read: "r", Write: "w", Change: "c"}, 9, 3, 4},
		{"just what is asked", api.ACLNames{Read: "r", Write: "w", Change: "c"}, 8, 2, 4},
		{"one by one", api.ACLNames{Read: "r", Write: "w", Change: "c"}, 3, 3, 1},
		{"more asked than an answer holds", api.ACLNames{Read: "r", Write: "w", Change: "c"}, api.MaxListPairs + 1, 2, 1 << 63},
	} {
		t.Run(r.why, func(t *testing.T) {
			c := newCell(t)
			c.limit(tree.Limits{Principal: tree.Usage{Nodes: 1 << 20}, Directory: tree.Usage{Nodes: 1 << 20}})
			dir := c.dir("/d")
			tx := c.d.Begin()
			for i := range r.total {
				c.n++
				p, _ := dir.Path.Child(fmt.Sprintf("%08d", i))
				if out := tree.Create(tx, c.n, tree.Creation{Path: p, Kind: api.File, Owner: "ann", Names: r.names}); out.Code != api.OK {
					t.Fatal(out.Code)
				}
			}
			tx.Commit()
			seen, pieces := 0, 0
			for after, more := "", true; more; pieces++ {
				var list []api.Child
				list, more, _ = tree.List(c.d, dir, after, r.most)
				for _, child := range list {
					if want := fmt.Sprintf("%08d", seen); child.Name != want {
						t.Fatalf("%s where %s should be", child.Name, want)
					}
					seen++
				}
				after = list[len(list)-1].Name
				answer := api.Reply{Result: api.Result{Code: api.OK, Detail: api.Listing{Children: list, More: more}}}
				_, err := api.DecodeReply(api.AppendReply(nil, answer))
				require.NoError(t, err)
			}
			require.Equal(t, r.total, seen)
			require.Equal(t, r.pieces, pieces)
			list, more, code := tree.List(c.d, dir, "99999999", 0)
			require.Equal(t, api.OK, code)
			require.Empty(t, list)
			require.False(t, more)
		})
	}
}
