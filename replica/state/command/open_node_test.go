package command_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

const (
	read, write, change     = api.RightRead, api.RightWrite, api.RightChangeACL
	never, may, mustExecute = api.CreateNever, api.CreateMay, api.CreateMust
)

// of returns ACL names by letters, in the order read, write, change: a names ann's file, b bob's, * that of
// everyone, and - a file that does not exist.
func of(s string) api.ACLNames {
	name := map[byte]api.ACLName{'a': "ann", 'b': "bob", '*': "all", '-': "missing", ' ': ""}
	return api.ACLNames{Read: name[s[0]], Write: name[s[1]], Change: name[s[2]]}
}

// Which principals may open a node, and which may make it (C5.02-C5.07, C6.02). The directory /d is
// ann's alone; the file /d/f exists or not.
func TestWhoMayOpen(t *testing.T) {
	for _, c := range []struct {
		why    string
		file   string // the names of /d/f; "": it does not exist
		names  string // the names that the Open asks for
		rights api.Rights
		create api.Creation
		ann    api.Code
		bob    api.Code
	}{
		{"all may read, in a private directory too (N07)", "*aa", "   ", read, never, api.OK, api.OK},
		{"one may write", "*aa", "   ", write, never, api.OK, api.Permission},
		{"one may change the names", "**a", "   ", change, never, api.OK, api.Permission},
		{"all that is wanted, or nothing", "**b", "   ", read | write | change, never, api.Permission, api.OK},
		{"the node decides, not its directory", "bbb", "   ", write, never, api.Permission, api.OK},
		{"who may write the directory has no right to the node by that", "bbb", "   ", read, may, api.Permission, api.OK},
		{"an ACL file that is missing denies", "---", "   ", read, never, api.Permission, api.Permission},
		{"the names that come with a request are those of a node that is made", "bbb", "aaa", read, may, api.Permission, api.OK},
		{"a node that is there, and must not", "*aa", "   ", write, mustExecute, api.Exists, api.Exists},
		{"a node that is not there", "", "   ", read, never, api.NotFound, api.NotFound},
		{"to make is to write the directory", "", "   ", read, may, api.OK, api.Permission},
		{"that it must be made changes nothing in that", "", "***", read, mustExecute, api.OK, api.Permission},
		{"the directory's names are copied", "", "   ", write, mustExecute, api.OK, api.Permission},
		{"its maker has no more right to it", "", "bbb", read, mustExecute, api.Permission, api.Permission},
		{"but what the names give", "", "abb", read, mustExecute, api.OK, api.Permission},
		{"and nothing else", "", "abb", read | write, mustExecute, api.Permission, api.Permission},
		{"names of files that are missing", "", "---", read, mustExecute, api.Permission, api.Permission},
	} {
		for who, want := range map[string]api.Code{"ann": c.ann, "bob": c.bob} {
			w := newWorld(t)
			w.made(w.ann, command.OpenNode{Path: path("/d"), Rights: read, Create: mustExecute, Kind: api.Directory, Names: of("aaa")})
			if c.file != "" {
				tx := w.db.Begin() // without a command, which would check the rights
				out := tree.Create(tx, rows.NextNumber(tx), tree.Creation{Path: path("/d/f"), Kind: api.File, Owner: "ann", Names: of(c.file)})
				require.Equal(t, api.OK, out.Code)
				tx.Commit()
			}
			d := command.OpenNode{Path: path("/d/f"), Rights: c.rights, Create: c.create, Names: of(c.names)}
			if c.create != never {
				d.Kind, d.Contents = api.File, "v"
			} else {
				d.Names = api.ACLNames{}
			}
			a := w.act(map[string]api.SessionID{"ann": w.ann, "bob": w.bob}[who], d)
			require.Equal(t, command.Executed, a.Verdict)
			require.Equal(t, want, a.Result.Code, "%s: %s", c.why, who)
			if want != api.OK {
				require.Nil(t, a.Result.Detail)
				require.Empty(t, a.Effects)
				continue
			}
			n, stat, _ := tree.Lookup(w.db, d.Path)
			made := c.file == ""
			require.Equal(t, api.Opened{Node: n, Stat: stat, Created: made}, a.Result.Detail, c.why)
			require.Equal(t, made, len(a.Effects) == 2, "created, and a child of its directory: %s", c.why)
			if made {
				owner, _ := tree.Owner(w.db, n)
				require.Equal(t, api.Principal(who), owner)
				require.EqualValues(t, a.Number, n.Instance)
			}
		}
	}
}

// Where a node may be opened or made, apart from rights.
func TestWhereANodeMayBeOpened(t *testing.T) {
	w := newWorld(t)
	f, d := w.make("/f", api.File), w.make("/d", api.Directory)
	old := w.make("/d/old", api.File)
	require.Equal(t, api.OK, w.code(w.ann, command.DeleteNode{Node: old}))
	root, _, _ := tree.Lookup(w.db, api.Path{})
	again := func(n api.Ref) api.Ref { return api.Ref{Path: n.Path, Instance: n.Instance + 1000} }
	open := func(dir api.Ref, where string, c api.Creation) command.OpenNode {
		o := command.OpenNode{Dir: dir, Path: path(where), Rights: read, Create: c}
		if c != never {
			o.Kind = api.File
		}
		return o
	}
	for _, c := range []struct {
		why    string
		nodeOp command.OpenNode
		want   api.Code
	}{
		{"the root", open(api.Ref{}, "/", never), api.OK},
		{"the root may be made and is there", open(api.Ref{}, "/", may), api.OK},
		{"the root must not be there", open(api.Ref{}, "/", mustExecute), api.Exists},
		{"a directory", open(api.Ref{}, "/d", may), api.OK},
		{"no parent", open(api.Ref{}, "/x/y", may), api.NotFound},
		{"no parent, and none is asked for", open(api.Ref{}, "/x/y", never), api.NotFound},
		{"in a file", open(api.Ref{}, "/f/y", may), api.NotDirectory},
		{"in a file, and none is asked for", open(api.Ref{}, "/f/y", never), api.NotFound},
		{"below the root's handle", open(root, "/d", never), api.OK},
		{"the handle's own node", open(d, "/d", never), api.OK},
		{"in the handle's node", open(d, "/d/new", mustExecute), api.OK},
		{"in a handle's file", open(f, "/f/y", may), api.NotDirectory},
		{"the handle's node is another one now", open(again(d), "/d/new", never), api.Gone},
		{"the handle's node is no more", open(old, "/d/old", may), api.Gone},
		{"the handle's node is no more, nor what was in it", open(old, "/d/old/x", may), api.Gone},
	} {
		before := w.db.Len()
		require.Equal(t, c.want, w.code(w.ann, c.nodeOp), c.why)
		if c.want != api.OK {
			require.Equal(t, before+1, w.db.Len(), "an answer and nothing else: %s", c.why)
		}
	}
}

func TestWhatIsMadeIsChargedToTheSessionsPrincipal(t *testing.T) {
	w := newWorld(t)
	tx := w.db.Begin()
	l := tree.DefaultLimits()
	l.Principal.Nodes = 2
	tree.SetLimits(tx, l)
	tx.Commit()
	for i, want := range []api.Code{api.OK, api.OK, api.Quota} {
		d := command.OpenNode{Path: path(fmt.Sprintf("/f%d", i)), Rights: read, Create: may, Kind: api.File}
		require.Equal(t, want, w.code(w.bob, d))
	}
	require.EqualValues(t, 2, tree.GetUsage(w.db, "bob").Nodes)
	require.Equal(t, api.OK, w.code(w.ann, command.OpenNode{Path: path("/f0"), Rights: read, Create: may, Kind: api.File}), "it is there")
	require.Zero(t, tree.GetUsage(w.db, "ann").Nodes)
}

// The empty principal is listed nowhere, not even by the line for everyone.
func TestNobodyMayDoNothing(t *testing.T) {
	w := newWorld(t)
	id := w.open(9)
	for _, c := range []api.Creation{never, may} {
		d := command.OpenNode{Rights: read, Create: c}
		if c != never {
			d.Path, d.Kind = path("/new"), api.File
		}
		require.Equal(t, api.Permission, w.code(id, d))
	}
}

// ACL files are read where the command stands in the log, not when it was proposed (C5.05).
func TestRightsAreThoseOfThisPlaceOfTheLog(t *testing.T) {
	w := newWorld(t)
	n := w.made(w.ann, command.OpenNode{Path: path("/f"), Rights: read, Create: mustExecute, Kind: api.File, Names: of("a  ")})
	open := command.OpenNode{Path: n.Path, Rights: read}
	require.Equal(t, api.Permission, w.code(w.bob, open))
	acl, _, _ := tree.Lookup(w.db, path("/acl/ann"))
	late := w.next(w.bob, open)
	require.Equal(t, api.OK, w.code(w.ann, command.SetContents{Node: acl, Contents: "ann\nbob\n"}))
	require.Equal(t, api.OK, w.apply(late).Result.Code)
	require.Equal(t, api.OK, w.code(w.ann, command.DeleteNode{Node: acl}))
	require.Equal(t, api.Permission, w.code(w.bob, open))
	require.Equal(t, api.Permission, w.code(w.ann, open), "a file that is missing denies")
	require.Equal(t, api.OK, w.apply(late).Result.Code, "a copy gets the answer of then")
}
