package tree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// cell.do checks, for each row of these tables, that a refused operation changes nothing.

var tooLong = strings.Repeat("x", api.MaxContents+1)

// small leaves ann and /d room for one more node and two more bytes.
func small(c *cell) tree.Limits {
	u := tree.GetUsage(c.d, "ann")
	d := c.stat("/d")
	return tree.Limits{
		Principal: tree.Usage{Nodes: u.Nodes + 1, Bytes: u.Bytes + 2},
		Directory: tree.Usage{Nodes: d.Children + 1, Bytes: c.stat("/d/f").Length + 2},
	}
}

func TestCreate(t *testing.T) {
	for _, r := range []struct {
		why  string
		x    tree.Creation // Owner ann, Kind File where they are empty
		path string
		want api.Code
	}{
		{"a file", tree.Creation{Contents: "hi"}, "/x", api.OK},
		{"a file in a directory", tree.Creation{}, "/d/x", api.OK},
		{"a file in an ephemeral directory", tree.Creation{}, "/d/e/x", api.OK},
		{"a directory", tree.Creation{Kind: api.Directory}, "/x", api.OK},
		{"an ephemeral file", tree.Creation{Ephemeral: true}, "/x", api.OK},
		{"an ephemeral directory", tree.Creation{Ephemeral: true, Kind: api.Directory}, "/x", api.OK},
		{"an ACL file", tree.Creation{}, "/acl/x", api.OK},
		{"the longest contents", tree.Creation{Contents: tooLong[1:]}, "/x", api.OK},
		{"a file that is there", tree.Creation{}, "/d/f", api.Exists},
		{"a directory that is there", tree.Creation{Kind: api.Directory}, "/d", api.Exists},
		{"the root", tree.Creation{Kind: api.Directory}, "/", api.Exists},
		{"what is there goes before what is wrong", tree.Creation{Kind: 9}, "/d", api.Exists},
		{"no kind", tree.Creation{Kind: 3}, "/x", api.Invalid},
		{"a directory with contents", tree.Creation{Kind: api.Directory, Contents: "x"}, "/x", api.Invalid},
		{"a name that is none", tree.Creation{Names: api.ACLNames{Write: "a/b"}}, "/x", api.Invalid},
		{"an owner who is none", tree.Creation{Owner: "a b"}, "/x", api.Invalid},
		{"too long contents", tree.Creation{Contents: tooLong}, "/x", api.TooLarge},
		{"too long contents nowhere", tree.Creation{Contents: tooLong}, "/no/x", api.TooLarge},
		{"no parent", tree.Creation{}, "/no/x", api.NotFound},
		{"no parent's parent", tree.Creation{}, "/no/no/x", api.NotFound},
		{"a file as parent", tree.Creation{}, "/d/f/x", api.NotDirectory},
		{"a file as parent's parent", tree.Creation{}, "/d/f/x/y", api.NotFound},
		{"more bytes than there is room", tree.Creation{Contents: "333"}, "/d/x", api.Quota},
	} {
		t.Run(r.why, func(t *testing.T) {
			c := sample(t)
			if r.want == api.Quota {
				c.limit(small(c))
			}
			r.x.Path = c.path(r.path)
			if r.x.Owner == "" {
				r.x.Owner = "ann"
			}
			if r.x.Kind == 0 {
				r.x.Kind = api.File
			}
			there, s, _ := tree.Lookup(c.d, r.x.Path)
			out := c.create(r.x)
			require.Equal(t, r.want, out.Code)
			if r.want != api.OK {
				require.Equal(t, there, out.Node)
				require.Equal(t, s, out.Stat)
				return
			}
			want := api.Stat{Kind: r.x.Kind, Ephemeral: r.x.Ephemeral, Instance: api.Instance(c.n), Lock: api.LockGen(c.n), ACL: api.ACLGen(c.n), Names: public}
			if strings.HasPrefix(r.path, "/acl/") {
				want.Names = admin
			}
			if r.x.Kind == api.File {
				want.Content, want.Length, want.Checksum = api.ContentGen(c.n), uint64(len(r.x.Contents)), api.ChecksumOf(r.x.Contents)
			}
			require.Equal(t, api.Ref{Path: r.x.Path, Instance: api.Instance(c.n)}, out.Node)
			require.Equal(t, want, out.Stat)
			require.Equal(t, want, c.stat(r.path))
			up, _ := r.x.Path.Parent()
			require.Equal(t, []tree.Effect{
				tree.Created{Node: out.Node, Kind: r.x.Kind, Ephemeral: r.x.Ephemeral},
				tree.ChildChanged{Directory: c.at(up.String()), Name: r.x.Path.Base(), Change: tree.ChildCreated},
			}, out.Effects)
			owner, code := tree.Owner(c.d, out.Node)
			require.Equal(t, api.OK, code)
			require.EqualValues(t, "ann", owner)
		})
	}
}

func TestNamesAreCopiedAndNotLookedUp(t *testing.T) {
	c := newCell(t)
	c.dir("/d")
	mine := api.ACLNames{Write: "mine"}
	out := c.create(tree.Creation{Path: c.path("/d/f"), Kind: api.File, Names: mine, Owner: "ann"})
	want := api.ACLNames{Read: "all", Write: "mine", Change: "admin"}
	require.Equal(t, want, out.Stat.Names)
	require.Equal(t, api.OK, c.acl(c.at("/d"), admin, 0).Code)
	require.Equal(t, want, c.stat("/d/f").Names, "a later change of the parent does not reach it")
	c.file("/d/g", "")
	require.Equal(t, admin, c.stat("/d/g").Names)
}

func TestSetContents(t *testing.T) {
	for _, r := range []struct {
		why, path, contents string
		off                 int // the generation asked for, from the present one; 99: none
		want                api.Code
	}{
		{"whatever is there", "/d/f", "new", 99, api.OK},
		{"at the present generation", "/d/f", "new", 0, api.OK},
		{"the same bytes", "/d/f", "contents", 99, api.OK},
		{"the same bytes, at the present generation", "/d/f", "contents", 0, api.OK},
		{"nothing", "/d/f", "", 99, api.OK},
		{"the longest", "/d/f", tooLong[1:], 99, api.OK},
		{"too long", "/d/f", tooLong, 99, api.TooLarge},
		{"too long, and gone", "/d/gone", tooLong, 99, api.TooLarge},
		{"gone", "/d/gone", "new", 99, api.Gone},
		{"a directory", "/d", "new", 99, api.IsDirectory},
		{"an earlier generation", "/d/f", "new", -1, api.Conflict},
		{"a later generation", "/d/f", "new", +1, api.Conflict},
		{"the same bytes at an earlier generation", "/d/f", "contents", -1, api.Conflict},
		{"two bytes more than there is room", "/d/f", "contents333", 99, api.Quota},
		{"conflict goes before quota", "/d/f", "contents333", -1, api.Conflict},
	} {
		t.Run(r.why, func(t *testing.T) {
			c := sample(t)
			if r.want == api.Quota {
				c.limit(small(c))
			}
			ref := api.Ref{Path: c.path(r.path), Instance: 5}
			var before api.Stat
			if r.path != "/d/gone" {
				ref, before = c.at(r.path), c.stat(r.path)
			}
			when := api.ContentGen(0)
			if r.off != 99 {
				when = before.Content + api.ContentGen(r.off)
			}
			out := c.set(ref, r.contents, when)
			require.Equal(t, r.want, out.Code)
			if r.want != api.OK {
				if r.want == api.Conflict {
					require.Equal(t, before, out.Stat, "the loser is told what is there")
				}
				return
			}
			want := before
			want.Content, want.Length, want.Checksum = api.ContentGen(c.n), uint64(len(r.contents)), api.ChecksumOf(r.contents)
			require.Equal(t, want, out.Stat)
			require.Greater(t, out.Stat.Content, before.Content)
			got, s, code := tree.Contents(c.d, ref)
			require.Equal(t, api.OK, code)
			require.Equal(t, r.contents, got)
			require.Equal(t, want, s)
			require.Equal(t, []tree.Effect{
				tree.ContentsChanged{Node: ref, Gen: api.ContentGen(c.n)},
				tree.ChildChanged{Directory: c.at("/d"), Name: "f", Change: tree.ChildModified},
			}, out.Effects)
		})
	}
}

func TestSetACL(t *testing.T) {
	none := api.ACLNames{Read: "all", Write: "", Change: "all"}
	for _, r := range []struct {
		why, path string
		names     api.ACLNames
		off       int
		want      api.Code
	}{
		{"of a file", "/d/f", admin, 99, api.OK},
		{"of a directory", "/d", admin, 99, api.OK},
		{"of the root", "/", admin, 99, api.OK},
		{"of the ACL directory", "/acl", public, 99, api.OK},
		{"at the present generation", "/d/f", admin, 0, api.OK},
		{"the same names", "/d/f", public, 0, api.OK},
		{"a name that is none", "/d/f", none, 99, api.Invalid},
		{"a name that is none, and gone", "/d/gone", none, 99, api.Invalid},
		{"gone", "/d/gone", admin, 99, api.Gone},
		{"an earlier generation", "/d/f", admin, -1, api.Conflict},
		{"a later generation", "/d/f", admin, +1, api.Conflict},
	} {
		t.Run(r.why, func(t *testing.T) {
			c := sample(t)
			ref := api.Ref{Path: c.path(r.path), Instance: 5}
			var before api.Stat
			if r.path != "/d/gone" {
				ref, before = c.at(r.path), c.stat(r.path)
			}
			if before.ACL == 1 {
				c.n += 5
			}
			when := api.ACLGen(0)
			if r.off != 99 {
				when = before.ACL + api.ACLGen(r.off)
			}
			out := c.acl(ref, r.names, when)
			require.Equal(t, r.want, out.Code)
			if r.want == api.Conflict {
				require.Equal(t, before, out.Stat)
			}
			if r.want != api.OK {
				return
			}
			want := before
			want.Names, want.ACL = r.names, api.ACLGen(c.n)
			require.Equal(t, want, out.Stat)
			require.Equal(t, want, c.stat(r.path))
			effects := []tree.Effect{tree.ACLChanged{Node: ref, Gen: api.ACLGen(c.n)}}
			if up, ok := ref.Path.Parent(); ok {
				effects = append(effects, tree.ChildChanged{Directory: c.at(up.String()), Name: ref.Path.Base(), Change: tree.ChildModified})
			}
			require.Equal(t, effects, out.Effects)
		})
	}
}

func TestBumpLock(t *testing.T) {
	for _, path := range []string{"/", "/acl", "/d", "/d/f", "/d/e"} {
		c := sample(t)
		ref, want := c.at(path), c.stat(path)
		for range 2 {
			out := c.bump(ref)
			require.Equal(t, api.OK, out.Code, path)
			want.Lock = api.LockGen(c.n)
			require.Equal(t, want, out.Stat)
			require.Equal(t, want, c.stat(path))
			require.Equal(t, []tree.Effect{tree.LockTaken{Node: ref, Gen: want.Lock}}, out.Effects)
		}
	}
	c := sample(t)
	require.Equal(t, api.Gone, c.bump(api.Ref{Path: c.path("/d/f"), Instance: 1}).Code)
}
