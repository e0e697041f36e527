package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

// mustPath is ParsePath of what a test knows to be a path.
func mustPath(t testing.TB, s string) api.Path {
	t.Helper()
	p, err := api.ParsePath(s)
	require.NoError(t, err)
	return p
}

func TestPathsAreTakenApart(t *testing.T) {
	rows := []struct {
		path, parent, base string
		components         []string
	}{
		{"/a", "/", "a", []string{"a"}},
		{"/a/b", "/a", "b", []string{"a", "b"}},
		{"/a/b/...", "/a/b", "...", []string{"a", "b", "..."}},
		{"/ä b/.hidden/*", "/ä b/.hidden", "*", []string{"ä b", ".hidden", "*"}},
	}
	for _, r := range rows {
		p := mustPath(t, r.path)
		require.Equal(t, r.path, p.String())
		require.Equal(t, r.base, p.Base())
		require.Equal(t, r.components, slices.Collect(p.Components()))
		require.Equal(t, len(r.components), p.Depth())
		require.False(t, p.IsRoot())
		parent, ok := p.Parent()
		require.True(t, ok)
		require.Equal(t, mustPath(t, r.parent), parent)
		again, err := parent.Child(r.base)
		require.NoError(t, err)
		require.Equal(t, p, again)
	}
	root := mustPath(t, "/")
	require.Equal(t, api.Path{}, root)
	require.True(t, root.IsRoot())
	require.Equal(t, "/", root.String())
	require.Zero(t, root.Depth())
	require.Empty(t, root.Base())
	require.Empty(t, slices.Collect(root.Components()))
	_, ok := root.Parent()
	require.False(t, ok)
}

func TestWhatIsNoPathIsRefusedWithTheReason(t *testing.T) {
	component := strings.Repeat("c", api.MaxComponent)
	deep := strings.Repeat("/d", api.MaxDepth)
	long := strings.Repeat("/"+component, 4) // api.MaxPath bytes
	require.Len(t, long, api.MaxPath)
	for _, good := range []string{"/" + component, deep, long} {
		require.Equal(t, good, mustPath(t, good).String())
	}
	for _, r := range []struct{ path, want string }{
		{"", "does not begin with a slash"},
		{"a", "does not begin with a slash"},
		{"//", "empty component"},
		{"/a/", "empty component"},
		{"/a//b", "empty component"},
		{"//a", "empty component"},
		{"/.", "the component ."},
		{"/a/../b", "the component .."},
		{"/a\x00", "control character"},
		{"/a\nb", "control character"},
		{"/\u0085", "control character"},
		{"/\xff", "not UTF-8"},
		{"/" + component + "c", "a component of more than 255 bytes"},
		{deep + "/d", "more than 32 components"},
		{long[:len(long)-1] + "/d", "longer than a path may be, which is 1024 bytes"},
		{strings.Repeat("/x", api.MaxPath), "longer than a path may be"},
	} {
		_, err := api.ParsePath(r.path)
		require.ErrorIs(t, err, api.ErrName, "%.40q", r.path)
		require.ErrorContains(t, err, r.want)
		require.Less(t, len(err.Error()), 400, "a hostile name is not repeated whole")
	}
}

// Join and Child keep the limits from any directory on, and one name is one
// component.
func TestRelativeNames(t *testing.T) {
	a := mustPath(t, "/a")
	for rel, want := range map[string]string{"b": "/a/b", "b/c": "/a/b/c"} {
		p, err := a.Join(rel)
		require.NoError(t, err)
		require.Equal(t, want, p.String())
	}
	for _, rel := range []string{"", "/", "/b", "b/", ".", "../a"} {
		_, err := a.Join(rel)
		require.ErrorIs(t, err, api.ErrName, "%q", rel)
	}
	_, err := a.Child("b/c")
	require.ErrorContains(t, err, "slash within")
	_, err = mustPath(t, strings.Repeat("/d", api.MaxDepth)).Child("d")
	require.ErrorContains(t, err, "more than 32 components")
	_, err = mustPath(t, strings.Repeat("/"+strings.Repeat("c", 254), 4)).Join("abcd")
	require.ErrorContains(t, err, "longer than a path may be")
	require.Equal(t, api.OK, api.CheckComponent("a"))
	require.Equal(t, api.Invalid, api.CheckComponent("a/b"))
	require.Equal(t, api.Invalid, api.CheckComponent(""))
}

func TestPathsAreOrderedByDepthFirst(t *testing.T) {
	want := []string{"/", "/a", "/a!", "/b", "/a!/x", "/a/x", "/a/y", "/b/a", "/a/a/a"}
	var paths []api.Path
	for _, s := range want {
		paths = append(paths, mustPath(t, s))
	}
	slices.Reverse(paths)
	slices.SortFunc(paths, api.Path.Compare)
	for i, p := range paths {
		require.Equal(t, want[i], p.String())
	}
}

func TestNames(t *testing.T) {
	for s, want := range map[string]api.Name{
		"/ls/oslo":       {Cell: "oslo"},
		"/ls/local":      {Cell: api.LocalCell},
		"/ls/oslo-2/a/b": {Cell: "oslo-2", Path: mustPath(t, "/a/b")},
		"/ls/a/ls/a":     {Cell: "a", Path: mustPath(t, "/ls/a")},
	} {
		n, err := api.ParseName(s)
		require.NoError(t, err, s)
		require.Equal(t, want, n)
		require.Equal(t, s, n.String())
		require.Equal(t, s == "/ls/local", n.IsLocal())
	}
	for s, want := range map[string]string{
		"":                               "does not begin with /ls/",
		"/ls":                            "does not begin with /ls/",
		"ls/oslo":                        "does not begin with /ls/",
		"/LS/oslo":                       "does not begin with /ls/",
		"/ls/":                           "names no cell",
		"/ls//a":                         "names no cell",
		"/ls/Oslo/a":                     "names no cell",
		"/ls/-a":                         "names no cell",
		"/ls/a-":                         "names no cell",
		"/ls/a.b":                        "names no cell",
		"/ls/" + strings.Repeat("c", 64): "names no cell",
		"/ls/oslo/":                      "empty component",
		"/ls/oslo/../x":                  "the component ..",
	} {
		_, err := api.ParseName(s)
		require.ErrorIs(t, err, api.ErrName, s)
		require.ErrorContains(t, err, want, s)
	}
	require.Equal(t, api.OK, api.Cell(strings.Repeat("c", 63)).Check())
}

// anyPath makes shallow paths of few names, and sometimes odd ones.
func anyPath() *rapid.Generator[api.Path] {
	return rapid.Custom(func(t *rapid.T) api.Path {
		var p api.Path
		for range rapid.IntRange(0, 5).Draw(t, "depth") {
			name := rapid.SampledFrom([]string{"a", "b", "a!", "ab", "ä", "...", "a b"}).Draw(t, "name")
			p, _ = p.Child(name)
		}
		return p
	})
}

func TestCompareIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := anyPath().Draw(t, "p"), anyPath().Draw(t, "q")
		require.Equal(t, p == q, p.Compare(q) == 0)
		require.Equal(t, p.Compare(q) < 0, q.Compare(p) > 0)
		if parent, ok := p.Parent(); ok {
			require.Negative(t, parent.Compare(p))
		}
	})
}

// A string is the spelling of exactly one path, or of none.
func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"/", "/a", "/a/b", "//", "/./..", "a", "/\x00", "/\xff", "/ls/local/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := api.ParsePath(s)
		if err == nil {
			if p.String() != s || p.Depth() > api.MaxDepth || len(s) > api.MaxPath || strings.ContainsRune(s, 0) {
				t.Fatalf("%q is the path %q", s, p)
			}
			var again api.Path
			for name := range p.Components() {
				if again, err = again.Child(name); err != nil {
					t.Fatalf("%q: %v", s, err)
				}
			}
			if again != p {
				t.Fatalf("%q is %v by components", s, again)
			}
		}
		n, err := api.ParseName(s)
		if err == nil && n.String() != s {
			t.Fatalf("%q is the name %q", s, n)
		}
	})
}
