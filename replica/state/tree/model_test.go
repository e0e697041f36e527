package tree_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// twin is the simplest model of a tree: a map from paths, as text, to nodes. It computes counts and
// sums from all nodes whenever it is asked.
type twin struct {
	nodes  map[string]*twinNode
	limits tree.Limits
}

type twinNode struct {
	kind                     api.NodeKind
	ephemeral                bool
	contents                 string
	owner                    api.Principal
	names                    api.ACLNames
	made, written, held, acl uint64
}

func parentOf(path string) string {
	if i := strings.LastIndex(path, "/"); i > 0 {
		return path[:i]
	}
	return "/"
}

func (w *twin) stat(path string) api.Stat {
	n, ok := w.nodes[path]
	if !ok {
		return api.Stat{}
	}
	s := api.Stat{Kind: n.kind, Ephemeral: n.ephemeral, Instance: api.Instance(n.made), Lock: api.LockGen(n.held),
		ACL: api.ACLGen(n.acl), Names: n.names, Children: w.sum(func(p string, _ *twinNode) bool { return p != "/" && parentOf(p) == path }).Nodes}
	if n.kind == api.File {
		s.Content, s.Length, s.Checksum = api.ContentGen(n.written), uint64(len(n.contents)), api.ChecksumOf(n.contents)
	}
	return s
}

func (w *twin) sum(of func(path string, n *twinNode) bool) (u tree.Usage) {
	for path, n := range w.nodes {
		if of(path, n) {
			u.Nodes++
			u.Bytes += uint64(len(n.contents))
		}
	}
	return u
}

// exceeds reports whether a limit of the owner or the directory is exceeded, in nodes or bytes, if these
// have grown.
func (w *twin) exceeds(owner api.Principal, dir string, nodes, bytes bool) bool {
	owned := w.sum(func(_ string, n *twinNode) bool { return n.owner == owner })
	held := w.sum(func(p string, _ *twinNode) bool { return p != "/" && parentOf(p) == dir })
	over := func(u, limit tree.Usage) bool {
		return nodes && u.Nodes > limit.Nodes || bytes && u.Bytes > limit.Bytes
	}
	return owner != "" && over(owned, w.limits.Principal) || over(held, w.limits.Directory)
}

func (w *twin) create(n uint64, path string, x tree.Creation) api.Code {
	parent := w.nodes[parentOf(path)]
	switch {
	case w.nodes[path] != nil:
		return api.Exists
	case x.Kind == api.Directory && x.Contents != "" || x.Owner == "" || strings.Contains(string(x.Names.Read), "/"):
		return api.Invalid
	case parent == nil:
		return api.NotFound
	case parent.kind == api.File:
		return api.NotDirectory
	}
	made := &twinNode{kind: x.Kind, ephemeral: x.Ephemeral, contents: x.Contents, owner: x.Owner, names: parent.names, made: n, held: n, acl: n, written: n}
	if x.Names.Read != "" {
		made.names.Read = x.Names.Read
	}
	w.nodes[path] = made
	if w.exceeds(x.Owner, parentOf(path), true, x.Contents != "") {
		delete(w.nodes, path)
		return api.Quota
	}
	return api.OK
}

func (w *twin) setContents(n uint64, path, contents string, when uint64) api.Code {
	f := w.nodes[path]
	switch {
	case f.kind == api.Directory:
		return api.IsDirectory
	case when != 0 && when != f.written:
		return api.Conflict
	}
	before := f.contents
	f.contents = contents
	if w.exceeds(f.owner, parentOf(path), false, len(contents) > len(before)) {
		f.contents = before
		return api.Quota
	}
	f.written = n
	return api.OK
}

func (w *twin) setACL(n uint64, path string, names api.ACLNames, when uint64) api.Code {
	f := w.nodes[path]
	if when != 0 && when != f.acl {
		return api.Conflict
	}
	f.names, f.acl = names, n
	return api.OK
}

func (w *twin) remove(path string) api.Code {
	switch {
	case path == "/" || path == "/acl":
		return api.Invalid
	case w.stat(path).Children > 0:
		return api.NotEmpty
	}
	delete(w.nodes, path)
	return api.OK
}

// newTwin returns the twin of a founded cell.
func newTwin(f tree.Founding) *twin {
	dir := func(names api.ACLNames) *twinNode {
		return &twinNode{kind: api.Directory, names: names, made: 1, held: 1, acl: 1}
	}
	w := &twin{limits: f.Limits, nodes: map[string]*twinNode{"/": dir(f.Root), "/acl": dir(f.ACL)}}
	for _, file := range f.Files {
		n := dir(file.Names.Or(f.ACL))
		n.kind, n.contents, n.written = api.File, file.Contents, 1
		w.nodes["/acl/"+string(file.Name)] = n
	}
	return w
}

func TestATreeIsAMapOfPaths(t *testing.T) { rapid.Check(t, modelRun) }

func modelRun(t *rapid.T) {
	f := founding()
	f.Limits = tree.Limits{Principal: tree.Usage{Nodes: 6, Bytes: 20}, Directory: tree.Usage{Nodes: 4, Bytes: 15}}
	c, w := foundCell(t, f), newTwin(f)
	refs := []api.Ref{c.at("/"), c.at("/acl"), c.at("/acl/all")} // every node there ever was
	paths := rapid.SampledFrom([]string{"/a", "/ab", "/a/b", "/a/bc", "/a/b/c", "/ab/c", "/acl/new", "/ab/c/d", "/"})
	contents := rapid.SampledFrom([]string{"", "x", "yy", "longer"})
	gone := func(ref api.Ref) bool {
		n := w.nodes[ref.Path.String()]
		return n == nil || n.made != uint64(ref.Instance)
	}
	compare := func(t *rapid.T, want api.Code, out tree.Outcome, path string) {
		require.Equal(t, want, out.Code)
		if out.Stat.Kind != 0 {
			require.Equal(t, w.stat(path), out.Stat)
		}
		w.same(t, c)
	}
	t.Repeat(map[string]func(*rapid.T){
		"create": func(t *rapid.T) {
			x := tree.Creation{Kind: rapid.SampledFrom([]api.NodeKind{api.File, api.Directory}).Draw(t, "kind"),
				Ephemeral: rapid.Bool().Draw(t, "ephemeral"),
				Owner:     rapid.SampledFrom([]api.Principal{"ann", "bob", "ann", "bob", ""}).Draw(t, "owner"),
				Names:     api.ACLNames{Read: rapid.SampledFrom([]api.ACLName{"", "", "mine", "no/name"}).Draw(t, "read")}}
			if x.Kind == api.File || rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
				x.Contents = contents.Draw(t, "contents")
			}
			path := paths.Draw(t, "path")
			x.Path = c.path(path)
			out := c.create(x)
			compare(t, w.create(uint64(c.n), path, x), out, path)
			if out.Code == api.OK {
				refs = append(refs, out.Node)
			}
		},
		"set contents": func(t *rapid.T) {
			ref, text := rapid.SampledFrom(refs).Draw(t, "ref"), contents.Draw(t, "contents")
			path, want, when := ref.Path.String(), api.Gone, uint64(0)
			if !gone(ref) && rapid.Bool().Draw(t, "conditional") {
				when = w.nodes[path].written - uint64(rapid.IntRange(0, 1).Draw(t, "older"))
			}
			out := c.set(ref, text, api.ContentGen(when))
			if !gone(ref) {
				want = w.setContents(uint64(c.n), path, text, when)
			}
			compare(t, want, out, path)
		},
		"set ACL": func(t *rapid.T) {
			ref := rapid.SampledFrom(refs).Draw(t, "ref")
			names := rapid.SampledFrom([]api.ACLNames{admin, public}).Draw(t, "names")
			path, want, when := ref.Path.String(), api.Gone, uint64(0)
			if !gone(ref) && rapid.Bool().Draw(t, "conditional") {
				when = w.nodes[path].acl - uint64(rapid.IntRange(0, 1).Draw(t, "older"))
			}
			out := c.acl(ref, names, api.ACLGen(when))
			if !gone(ref) {
				want = w.setACL(uint64(c.n), path, names, when)
			}
			compare(t, want, out, path)
		},
		"bump lock": func(t *rapid.T) {
			ref := rapid.SampledFrom(refs).Draw(t, "ref")
			out, want := c.bump(ref), api.Gone
			if !gone(ref) {
				want, w.nodes[ref.Path.String()].held = api.OK, uint64(c.n)
			}
			compare(t, want, out, ref.Path.String())
		},
		"delete": func(t *rapid.T) {
			ref := rapid.SampledFrom(refs).Draw(t, "ref")
			out, want := c.remove(ref), api.Gone
			if path := ref.Path.String(); !gone(ref) || path == "/acl" {
				want = w.remove(path)
			}
			compare(t, want, out, ref.Path.String())
		},
		"limits": func(t *rapid.T) {
			n := func(label string) uint64 { return rapid.Uint64Range(2, 20).Draw(t, label) }
			w.limits = tree.Limits{Principal: tree.Usage{Nodes: n("nodes"), Bytes: n("bytes")}, Directory: tree.Usage{Nodes: n("children"), Bytes: n("bytes in them")}}
			c.limit(w.limits)
		},
	})
}

// same compares all that can be read.
func (w *twin) same(t *rapid.T, c *cell) {
	var paths []string
	var ephemeral []api.Path
	for path, n := range w.nodes {
		paths = append(paths, path)
		if n.ephemeral {
			ephemeral = append(ephemeral, c.path(path))
		}
	}
	slices.Sort(paths)
	listed := 1 // the root
	for _, path := range paths {
		ref := c.at(path)
		require.Equal(t, w.stat(path), c.stat(path))
		if w.nodes[path].kind == api.Directory {
			children := c.names(path)
			for _, name := range children {
				require.Contains(t, w.nodes, strings.TrimSuffix(path, "/")+"/"+name)
			}
			listed += len(children)
			continue
		}
		got, _, code := tree.Contents(c.d, ref)
		require.Equal(t, api.OK, code)
		require.Equal(t, w.nodes[path].contents, got)
	}
	require.Len(t, w.nodes, listed)
	slices.SortFunc(ephemeral, api.Path.Compare)
	var indexed []api.Path
	for ref := range tree.Ephemerals(c.d) {
		require.Equal(t, c.at(ref.Path.String()), ref)
		indexed = append(indexed, ref.Path)
	}
	require.Equal(t, ephemeral, indexed)
	for _, p := range []api.Principal{"ann", "bob"} {
		require.Equal(t, w.sum(func(_ string, n *twinNode) bool { return n.owner == p }), tree.GetUsage(c.d, p))
	}
}

// S6: the same operations give the same rows, however they are divided into transactions, and refused
// operations leave no trace.
func TestEqualOperationsGiveEqualChecksums(t *testing.T) {
	a, b := newCell(t), newCell(t)
	a.dir("/d")
	a.file("/d/f", "1")
	a.create(tree.Creation{Path: a.path("/d/f"), Kind: api.File, Owner: "ann"}) // refused
	tx := b.d.Begin()
	for _, x := range []tree.Creation{
		{Path: b.path("/d"), Kind: api.Directory, Owner: "ann"},
		{Path: b.path("/d/f"), Kind: api.File, Contents: "1", Owner: "ann"},
	} {
		b.n++
		require.Equal(t, api.OK, tree.Create(tx, b.n, x).Code)
	}
	tx.Commit()
	require.Equal(t, a.d.Checksum(), b.d.Checksum())
	require.Equal(t, a.d.Checksum(), a.d.View().Recompute())
}
