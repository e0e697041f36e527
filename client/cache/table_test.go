package cache_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/cache"
	"github.com/chubbycell/chubby/replica/api"
)

func path(t testing.TB, s string) api.Path {
	p, err := api.ParsePath(s)
	require.NoError(t, err)
	return p
}

func ref(t testing.TB, s string, n api.Instance) api.Ref {
	return api.Ref{Path: path(t, s), Instance: n}
}

var aStat = api.Stat{Kind: api.File, Instance: 1, Lock: 7, Names: api.ACLNames{Read: "r", Write: "w", Change: "c"}}

func newTable() *cache.Table { return cache.New(cache.Limits{Entries: 100, Bytes: 1 << 20}) }

// keep keeps something with a read that nothing has overlapped.
func keep(t testing.TB, c *cache.Table, f func(r *cache.Read) bool) {
	r := c.BeginRead()
	require.True(t, f(r))
	c.EndRead(r)
}

func TestWhatIsKeptIsReadUntilItIsDropped(t *testing.T) {
	c, n := newTable(), ref(t, "/d/f", 1)
	keep(t, c, func(r *cache.Read) bool { return c.KeepContents(r, n, "text", aStat) })
	keep(t, c, func(r *cache.Read) bool { return c.KeepHandle(r, n, aStat, 5) })
	keep(t, c, func(r *cache.Read) bool { return c.KeepNames(r, ref(t, "/d", 2), []string{"f"}) })
	text, s, ok := c.Contents(n)
	require.True(t, ok)
	require.Equal(t, "text", text)
	require.Zero(t, s.Lock, "a lock changes hands without notice")
	_, ok = c.Stat(n)
	require.True(t, ok)
	require.Equal(t, []cache.Handle{5}, c.Handles(n.Path))
	require.True(t, c.IsThere(n))

	c.Drop(path(t, "/d"))
	_, ok = c.Names(ref(t, "/d", 2))
	require.False(t, ok)
	_, _, ok = c.Contents(n)
	require.True(t, ok, "a file does not depend on its directory")
	c.Drop(n.Path)
	_, _, ok = c.Contents(n)
	require.False(t, ok)
	require.Equal(t, []cache.Handle{5}, c.TakeDropped())
	require.Empty(t, c.TakeDropped(), "once")
	require.Zero(t, c.Len())
	require.Zero(t, c.Bytes())
}

// A handle on a node that was deleted reads nothing of a later node with its name.
func TestAnotherInstanceIsAnotherNode(t *testing.T) {
	c := newTable()
	keep(t, c, func(r *cache.Read) bool { return c.KeepContents(r, ref(t, "/f", 1), "old", aStat) })
	_, _, ok := c.Contents(ref(t, "/f", 2))
	require.False(t, ok)
	keep(t, c, func(r *cache.Read) bool { return c.KeepStat(r, ref(t, "/f", 2), aStat) })
	_, _, ok = c.Contents(ref(t, "/f", 2))
	require.False(t, ok, "the contents are those of the former node")
	_, ok = c.Stat(ref(t, "/f", 1))
	require.False(t, ok)
}

// The ACL files that metadata name decide what an Open is answered.
func TestAnACLFileDropsWhatDependsOnIt(t *testing.T) {
	for _, name := range []string{"r", "w", "c"} {
		c := newTable()
		keep(t, c, func(r *cache.Read) bool { return c.KeepHandle(r, ref(t, "/f", 1), aStat, 1) })
		c.Drop(path(t, "/acl/other"))
		c.Drop(path(t, "/x/"+name))
		require.Len(t, c.Handles(path(t, "/f")), 1)
		c.Drop(path(t, "/acl/"+name))
		require.Empty(t, c.Handles(path(t, "/f")))
	}
}

// What is absent may come with any directory above it.
func TestAbsenceDependsOnTheDirectoriesAbove(t *testing.T) {
	for dropped, gone := range map[string]bool{"/": true, "/a": true, "/a/b": true, "/a/b/c": true, "/a/b/c/d": false, "/a/bc": false, "/b": false} {
		c := newTable()
		keep(t, c, func(r *cache.Read) bool { return c.KeepAbsent(r, path(t, "/a/b/c")) })
		require.True(t, c.IsAbsent(path(t, "/a/b/c")))
		require.False(t, c.IsAbsent(path(t, "/a/b")))
		c.Drop(path(t, dropped))
		require.Equal(t, gone, !c.IsAbsent(path(t, "/a/b/c")), dropped)
	}
}

// A read that a change of this client overlaps is not kept, at whichever end it does.
func TestAReadThatAnOwnChangeOverlapsIsNotKept(t *testing.T) {
	n := ref(t, "/f", 1)
	rows := []struct {
		what string
		kept bool
		do   func(c *cache.Table, read, keep func())
	}{
		{"before", true, func(c *cache.Table, read, keep func()) { read(); keep() }},
		{"the change begins meanwhile", false, func(c *cache.Table, read, keep func()) { read(); c.BeginChange(n.Path); keep() }},
		{"the change ends meanwhile", false, func(c *cache.Table, read, keep func()) {
			c.BeginChange(n.Path)
			read()
			c.EndChange(true, n.Path)
			keep()
		}},
		{"it is under way all the time", false, func(c *cache.Table, read, keep func()) { c.BeginChange(n.Path); read(); keep() }},
		{"it begins and ends meanwhile", false, func(c *cache.Table, read, keep func()) {
			read()
			c.BeginChange(n.Path)
			c.EndChange(true, n.Path)
			keep()
		}},
		{"of an ACL file", false, func(c *cache.Table, read, keep func()) { read(); c.BeginChange(path(t, "/acl/r")); keep() }},
		{"of another file", true, func(c *cache.Table, read, keep func()) { read(); c.BeginChange(path(t, "/g")); keep() }},
		{"it turns out that nothing is changed", true, func(c *cache.Table, read, keep func()) {
			c.BeginChange(n.Path)
			read()
			c.EndChange(false, n.Path)
			keep()
		}},
		{"after", true, func(c *cache.Table, read, keep func()) {
			c.BeginChange(n.Path)
			c.EndChange(true, n.Path)
			read()
			keep()
		}},
	}
	for _, row := range rows {
		c := newTable()
		var r *cache.Read
		row.do(c, func() { r = c.BeginRead() }, func() { require.Equal(t, row.kept, c.KeepContents(r, n, "x", aStat), row.what) })
	}
}

// What is kept is hidden while an own change of it is under way, and gone when it was made.
func TestAnOwnChangeHidesWhatItMayChange(t *testing.T) {
	for _, made := range []bool{false, true} {
		c, n := newTable(), ref(t, "/f", 1)
		keep(t, c, func(r *cache.Read) bool { return c.KeepContents(r, n, "x", aStat) })
		keep(t, c, func(r *cache.Read) bool { return c.KeepAbsent(r, path(t, "/g/h")) })
		c.BeginChange(n.Path, path(t, "/g"))
		c.BeginChange(n.Path)
		require.False(t, c.IsThere(n))
		require.False(t, c.IsAbsent(path(t, "/g/h")))
		c.EndChange(false, n.Path)
		require.False(t, c.IsThere(n), "another one is under way")
		c.EndChange(made, n.Path, path(t, "/g"))
		require.Equal(t, made, !c.IsThere(n))
		require.Equal(t, made, !c.IsAbsent(path(t, "/g/h")))
	}
}

func TestWhatWasNotUsedForLongestGivesWay(t *testing.T) {
	c := cache.New(cache.Limits{Entries: 3, Bytes: 1 << 20})
	name := func(i int) api.Ref { return ref(t, fmt.Sprintf("/f%d", i), 1) }
	for i := range 3 {
		keep(t, c, func(r *cache.Read) bool { return c.KeepHandle(r, name(i), aStat, cache.Handle(i)) })
	}
	require.True(t, c.IsThere(name(0)), "this is a use")
	keep(t, c, func(r *cache.Read) bool { return c.KeepStat(r, name(3), aStat) })
	require.Equal(t, 3, c.Len())
	require.False(t, c.IsThere(name(1)))
	require.Equal(t, []cache.Handle{1}, c.TakeDropped())

	c = cache.New(cache.Limits{Entries: 3, Bytes: 2000})
	keep(t, c, func(r *cache.Read) bool { return c.KeepContents(r, name(0), "", aStat) })
	r := c.BeginRead()
	require.False(t, c.KeepContents(r, name(1), string(make([]byte, 3000)), aStat), "longer than all may be")
	require.Zero(t, c.Len())
	require.Zero(t, c.Bytes())
}

// The handles of all that is dropped come in one order, whatever the order of the paths.
func TestDroppedHandlesComeInOrder(t *testing.T) {
	c := newTable()
	for i := range 20 {
		keep(t, c, func(r *cache.Read) bool {
			return c.KeepHandle(r, ref(t, fmt.Sprintf("/f%d", i), 1), aStat, cache.Handle(20-i))
		})
	}
	c.Forget(path(t, "/f0"), 20)
	c.DropAll()
	got := c.TakeDropped()
	require.Len(t, got, 19)
	require.IsIncreasing(t, got)
}

// The listing does not say by which ACL files the cell judges who may read it (C5.04): any may be one.
func TestNamesDependOnTheACLFilesOfTheirDirectory(t *testing.T) {
	c, d := newTable(), ref(t, "/d", 2)
	keep(t, c, func(r *cache.Read) bool { return c.KeepNames(r, d, []string{"f"}) })
	c.Drop(path(t, "/acl/staff"))
	_, ok := c.Names(d)
	require.False(t, ok)
}
