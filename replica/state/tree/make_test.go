package tree_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

func TestMake(t *testing.T) {
	for _, r := range []struct {
		why    string
		change func(f *tree.Founding)
		want   api.Code
	}{
		{"as it is", func(*tree.Founding) {}, api.OK},
		{"names of a file's own", func(f *tree.Founding) { f.Files[0].Names.Read = "all" }, api.OK},
		{"a root that names no file", func(f *tree.Founding) { f.Root.Read = "none" }, api.Invalid},
		{"a root without names", func(f *tree.Founding) { f.Root = api.ACLNames{} }, api.Invalid},
		{"an ACL directory that names no file", func(f *tree.Founding) { f.ACL.Change = "none" }, api.Invalid},
		{"a file that names no file", func(f *tree.Founding) { f.Files[1].Names.Write = "none" }, api.Invalid},
		{"a file whose name is none", func(f *tree.Founding) { f.Files = append(f.Files, tree.FoundingFile{Name: "a/b"}) }, api.Invalid},
		{"a file that comes twice", func(f *tree.Founding) { f.Files = append(f.Files, f.Files[0]) }, api.Invalid},
		{"a file that is too long", func(f *tree.Founding) { f.Files[1].Contents = tooLong }, api.TooLarge},
		{"no room for the files", func(f *tree.Founding) { f.Limits.Directory.Nodes = 1 }, api.Quota},
		{"no room for the ACL directory", func(f *tree.Founding) { f.Limits = tree.Limits{} }, api.Quota},
	} {
		t.Run(r.why, func(t *testing.T) {
			f := founding()
			r.change(&f)
			c := &cell{TestingT: t, d: db.New()}
			out := c.do(func(tx *db.Txn, n api.Number) tree.Outcome { return tree.Make(tx, n, f) })
			require.Equal(t, r.want, out.Code)
			if r.want != api.OK {
				require.Zero(t, c.d.Len())
				require.Equal(t, api.NotFound, c.create(tree.Creation{Path: c.path("/"), Kind: api.Directory, Owner: "ann"}).Code)
				return
			}
			require.Equal(t, c.at("/"), out.Node)
			require.Equal(t, c.stat("/"), out.Stat)
			require.Len(t, out.Effects, 1+2+2*len(f.Files))
			require.Equal(t, f.Root, out.Stat.Names)
			require.Equal(t, f.ACL, c.stat("/acl").Names)
			require.Equal(t, f.Files[0].Names.Or(f.ACL), c.stat("/acl/admin").Names)
			require.Equal(t, f.Limits, tree.GetLimits(c.d))
			owner, _ := tree.Owner(c.d, c.at("/acl/admin"))
			require.Empty(t, owner)
			again := c.do(func(tx *db.Txn, n api.Number) tree.Outcome { return tree.Make(tx, n, f) })
			require.Equal(t, api.Exists, again.Code)
		})
	}
}

// Each operation writes the rows that the package comment lists, and no others.
func TestOperationsWriteTheirRowsAndNoOthers(t *testing.T) {
	c := sample(t)
	f := c.at("/d/f")
	node, contents := "t\x02d/f", "b\x02d/f"
	parent, usage := "t\x01d", "pann"
	for _, r := range []struct {
		why  string
		do   func(tx *db.Txn, n api.Number) tree.Outcome
		want []string
	}{
		{"shorter contents", func(tx *db.Txn, n api.Number) tree.Outcome { return tree.SetContents(tx, n, f, "", 0) }, []string{contents, usage, parent, node}},
		{"as long contents", func(tx *db.Txn, n api.Number) tree.Outcome { return tree.SetContents(tx, n, f, "", 0) }, []string{contents, node}},
		{"ACL names", func(tx *db.Txn, n api.Number) tree.Outcome { return tree.SetACL(tx, n, f, admin, 0) }, []string{node}},
		{"the lock", func(tx *db.Txn, n api.Number) tree.Outcome { return tree.BumpLock(tx, n, f) }, []string{node}},
		{"the end", func(tx *db.Txn, n api.Number) tree.Outcome { return tree.Delete(tx, n, f) }, []string{contents, usage, parent, node}},
		{"a file", func(tx *db.Txn, n api.Number) tree.Outcome {
			return tree.Create(tx, n, tree.Creation{Path: f.Path, Kind: api.File, Owner: "ann"})
		}, []string{contents, usage, parent, node}},
		{"an ephemeral file", func(tx *db.Txn, n api.Number) tree.Outcome {
			return tree.Create(tx, n, tree.Creation{Path: c.path("/d/x"), Kind: api.File, Ephemeral: true, Owner: "ann"})
		}, []string{"b\x02d/x", "i\x02d/x", usage, parent, "t\x02d/x"}},
		{"its end", func(tx *db.Txn, n api.Number) tree.Outcome { return tree.Delete(tx, n, c.at("/d/x")) },
			[]string{"b\x02d/x", "i\x02d/x", usage, parent, "t\x02d/x"}},
	} {
		var got []string
		out := c.do(func(tx *db.Txn, n api.Number) tree.Outcome {
			out := r.do(tx, n)
			got = slices.Sorted(tx.Changed(0))
			return out
		})
		require.Equal(t, api.OK, out.Code, r.why)
		require.Equal(t, r.want, got, r.why)
	}
}
