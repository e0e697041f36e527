package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// sample has a node of each sort: /d of ann's with a file and an ephemeral
// directory in it.
func sample(t require.TestingT) *cell {
	c := newCell(t)
	c.dir("/d")
	c.file("/d/f", "contents")
	out := c.create(tree.Creation{Path: c.path("/d/e"), Kind: api.Directory, Ephemeral: true, Owner: "bob"})
	require.Equal(t, api.OK, out.Code)
	return c
}

func TestTheAuditFindsWhatIsWrong(t *testing.T) {
	c := sample(t)
	node := func(p string) tree.Key { return tree.Key{Family: tree.FamilyNode, Path: c.path(p)} }
	contents := func(p string) tree.Key { return tree.Key{Family: tree.FamilyContents, Path: c.path(p)} }
	index := func(p string) tree.Key { return tree.Key{Family: tree.FamilyEphemeral, Path: c.path(p)} }
	usage := func(p api.Principal) tree.Key { return tree.Key{Family: tree.FamilyUsage, Principal: p} }
	drop := func(k tree.Key) func(*db.Txn) { return func(tx *db.Txn) { tx.Delete(k.Encode()) } }
	put := func(k tree.Key, value string) func(*db.Txn) { return func(tx *db.Txn) { tx.Put(k.Encode(), value) } }
	// stat changes one byte of a node's metadata; see the golden rows for the places
	stat := func(p string, at int, to byte) func(*db.Txn) {
		return func(tx *db.Txn) {
			forge(tx, node(p), func(v string) string { return v[:at] + string(rune(to)) + v[at+1:] })
		}
	}
	const instance, content, lock, acl, length = 3, 4, 5, 6, 7
	for name, row := range map[string]struct {
		want string
		do   func(tx *db.Txn)
	}{
		"a key of no family":               {"I-F1: no family", func(tx *db.Txn) { tx.Put("t\x01a/b", "") }},
		"a contents key that is none":      {"I-F1: no family", func(tx *db.Txn) { tx.Put("b", "") }},
		"a usage of no principal":          {"I-F1: no family", func(tx *db.Txn) { tx.Put("p", "") }},
		"two rows of limits":               {"I-F1: no family", func(tx *db.Txn) { tx.Put("qq", "") }},
		"an empty node":                    {"I-F1: node /d/f", put(node("/d/f"), "")},
		"a node of another version":        {"I-F1: node /d/f", stat("/d/f", 0, 2)},
		"a node of no kind":                {"I-F1: node /d/f", stat("/d/f", 1, 3)},
		"a node without the end":           {"I-F1: node /d/f", func(tx *db.Txn) { forge(tx, node("/d/f"), func(v string) string { return v[:len(v)-5] }) }},
		"an owner who is none":             {"I-F1: node /d/f", func(tx *db.Txn) { forge(tx, node("/d/f"), func(v string) string { return v + " " }) }},
		"contents of another version":      {"I-F1: the contents", put(contents("/d/f"), "\x02contents")},
		"contents without a version":       {"I-F1: the contents", put(contents("/d/f"), "")},
		"usage that is cut":                {"I-F1: row", put(usage("ann"), "\x01")},
		"limits of another version":        {"I-F1: row", put(tree.Key{Family: tree.FamilyLimits}, "\x02")},
		"a directory goes, children stay":  {"I-F2: /d/", drop(node("/d"))},
		"the root goes":                    {"I-F2: /", drop(node("/"))},
		"a parent that is a file":          {"I-F2: /d/f/x", func(tx *db.Txn) { v, _ := tx.Get(node("/d/f").Encode()); tx.Put(node("/d/f/x").Encode(), v) }},
		"a child older than its parent":    {"I-F2: /d/f", stat("/d/f", instance, 2)},
		"a child as old as the root":       {"I-F2: /d/f", stat("/d/f", instance, 1)},
		"a child as old as its parent":     {"I-F2: /d/f", func(tx *db.Txn) { stat("/d", instance, 3)(tx); stat("/d", lock, 3)(tx); stat("/d", acl, 3)(tx) }},
		"a child that is not counted":      {"I-F3: /d#", func(tx *db.Txn) { v, _ := tx.Get(node("/d/e").Encode()); tx.Put(node("/d/g").Encode(), v) }},
		"a child that is missing":          {"I-F3: /d#", drop(node("/d/e"))},
		"bytes that are not there":         {"I-F3: /d#", func(tx *db.Txn) { forge(tx, node("/d"), func(v string) string { return v[:len(v)-4] + "\x09ann" }) }},
		"a file without contents":          {"I-F4: 3 files and 2 contents", drop(contents("/d/f"))},
		"contents that rotted":             {"I-F4: the file /d/f", put(contents("/d/f"), "\x01contentz")},
		"contents that are longer":         {"I-F4: the file /d/f", put(contents("/d/f"), "\x01contents!")},
		"contents without a node":          {"I-F4: contents at /x", put(contents("/x"), "\x01")},
		"contents of a directory":          {"I-F4: contents at /d", put(contents("/d"), "\x01")},
		"a content generation from before": {"I-F5: /d/f", stat("/d/f", content, 2)},
		"a lock generation from before":    {"I-F5: /d/f", stat("/d/f", lock, 2)},
		"an ACL generation from before":    {"I-F5: /d/f", stat("/d/f", acl, 2)},
		"a content generation to come":     {"I-F5: /d/f", stat("/d/f", content, 77)},
		"a lock generation to come":        {"I-F5: /d", stat("/d", lock, 77)},
		"an ACL generation to come":        {"I-F5: /d", stat("/d", acl, 77)},
		"a usage that is wrong":            {"I-F6: \"ann\"", func(tx *db.Txn) { forge(tx, usage("ann"), func(v string) string { return v[:16] + "\x09" }) }},
		"a usage of no node":               {"I-F6: \"zoe\"", put(usage("zoe"), "\x01"+string(make([]byte, 16)))},
		"no usage of an owner":             {"I-F6: 2 principals", drop(usage("ann"))},
		"no ACL directory": {"I-F8: /acl", func(tx *db.Txn) {
			for _, p := range []string{"/acl", "/acl/admin", "/acl/all"} {
				drop(node(p))(tx)
				drop(contents(p))(tx)
			}
			forge(tx, node("/"), func(v string) string { return v[:9] + "\x01" + v[10:] })
		}},
		"an ephemeral ACL directory": {"I-F8: /acl", stat("/acl", 2, 1)},
		"an ephemeral root":          {"I-F8: /", stat("/", 2, 1)},
		"an ephemeral in no index":   {"I-F9: 1 ephemeral nodes, 0 in the index", drop(index("/d/e"))},
		"an index of no node":        {"I-F9: the index says that /d/x", put(index("/d/x"), "\x01\x00\x00\x00\x00\x00\x00\x00\x05")},
		"an index of a permanent":    {"I-F9: the index says that /d/f", put(index("/d/f"), "\x01\x00\x00\x00\x00\x00\x00\x00\x03")},
		"an index of an older node":  {"I-F9: the index says that /d/e", put(index("/d/e"), "\x01\x00\x00\x00\x00\x00\x00\x00\x01")},
		"an index row that is cut":   {"I-F1: row", put(index("/d/e"), "\x01")},
		"an index key that is none":  {"I-F1: no family", func(tx *db.Txn) { tx.Put("i", "") }},
		"no limits":                  {"I-F8: a cell without limits", drop(tree.Key{Family: tree.FamilyLimits})},
	} {
		t.Run(name, func(t *testing.T) {
			tx := c.d.Begin()
			defer tx.Rollback()
			require.NoError(t, tree.Audit(tx, c.n))
			row.do(tx)
			require.ErrorContains(t, tree.Audit(tx, c.n), row.want)
		})
	}
	require.Equal(t, byte(8), func() byte { v, _ := c.d.Get(node("/d/f").Encode()); return v[length] }(), "the places are those of the rows")
	require.NoError(t, tree.Audit(db.New(), 0), "a cell that was not made yet")
	require.ErrorContains(t, tree.Audit(c.d, c.n-1), "I-F5", "a node of a command to come")
}

func TestBrokenPromises(t *testing.T) {
	c := sample(t)
	d, f := c.at("/d"), c.at("/d/f")
	key := func(family tree.Family, p string) string { return tree.Key{Family: family, Path: c.path(p)}.Encode() }
	next := c.n + 1
	create := func(path string, n api.Number) func(tx *db.Txn) {
		return func(tx *db.Txn) {
			tree.Create(tx, n, tree.Creation{Path: c.path(path), Kind: api.File, Owner: "ann"})
		}
	}
	remove := func(tx *db.Txn) { tree.Delete(tx, next, f) }
	ephemerals := func(tx *db.Txn) {
		for range tree.Ephemerals(tx) {
			continue
		}
	}
	for name, row := range map[string]struct {
		id     invariant.ID
		before func(tx *db.Txn)
		do     func(tx *db.Txn)
	}{
		"a command without a number":              {"I-F5", nil, create("/x", 0)},
		"a command from before its parent":        {"I-F2", nil, create("/d/x", 1)},
		"a command as old as its parent":          {"I-F2", nil, create("/d/x", api.Number(d.Instance))},
		"contents written twice by one":           {"I-F5", nil, func(tx *db.Txn) { tree.SetContents(tx, api.Number(f.Instance), f, "", 0) }},
		"an ACL written twice by one":             {"I-F5", nil, func(tx *db.Txn) { tree.SetACL(tx, api.Number(f.Instance), f, admin, 0) }},
		"a lock taken twice by one":               {"I-F5", nil, func(tx *db.Txn) { tree.BumpLock(tx, next, f); tree.BumpLock(tx, next, f) }},
		"a deletion of a file in nothing":         {"I-F2", func(tx *db.Txn) { tx.Delete(key('t', "/d")) }, remove},
		"a deletion where nothing is":             {"I-F3", func(tx *db.Txn) { v, _ := tx.Get(key('t', "/acl")); tx.Put(key('t', "/d"), v[:9]+"\x00"+v[10:]) }, remove},
		"a deletion of bytes that are not there":  {"I-F3", func(tx *db.Txn) { v, _ := tx.Get(key('t', "/d")); tx.Put(key('t', "/d"), v[:len(v)-4]+"\x07ann") }, remove},
		"a deletion of a child that is not there": {"I-F3", func(tx *db.Txn) { v, _ := tx.Get(key('t', "/d")); tx.Put(key('t', "/d"), v[:9]+"\x00"+v[10:]) }, remove},
		"a deletion of what was not charged":      {"I-F6", func(tx *db.Txn) { tx.Delete("pann") }, remove},
		"no node and yet bytes": {"I-F6", func(tx *db.Txn) {
			tx.Put("pann", "\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x09")
		}, remove},
		"a deletion without contents": {"I-F4", func(tx *db.Txn) { tx.Delete(key('b', "/d/f")) }, remove},
		"a reading without contents":  {"I-F4", func(tx *db.Txn) { tx.Delete(key('b', "/d/f")) }, func(tx *db.Txn) { tree.Contents(tx, f) }},
		"contents of another version": {"I-F1", func(tx *db.Txn) { tx.Put(key('b', "/d/f"), "\x02") }, func(tx *db.Txn) { tree.Contents(tx, f) }},
		"a node that is cut":          {"I-F1", func(tx *db.Txn) { tx.Put(key('t', "/d"), "\x01") }, func(tx *db.Txn) { tree.Stat(tx, d) }},
		"a child whose name is none":  {"I-F1", func(tx *db.Txn) { v, _ := tx.Get(key('t', "/d/f")); tx.Put("t\x02d/\x00", v) }, func(tx *db.Txn) { tree.List(tx, d, "", 0) }},
		"a node at no path": {"I-F1", func(tx *db.Txn) { tx.Put("t\x07", "") }, func(tx *db.Txn) {
			for range tree.Nodes(tx) {
				continue
			}
		}},
		"an index row of no path":  {"I-F1", func(tx *db.Txn) { tx.Put("i\x07", "") }, ephemerals},
		"an index row that is cut": {"I-F1", func(tx *db.Txn) { tx.Put(key('i', "/d/e"), "\x01") }, ephemerals},
		"an ephemeral in no index": {"I-F9", func(tx *db.Txn) { tx.Delete(key('i', "/d/e")) }, func(tx *db.Txn) { tree.Delete(tx, next, c.at("/d/e")) }},
		"a usage that is cut":      {"I-F1", func(tx *db.Txn) { tx.Put("pann", "\x01") }, func(tx *db.Txn) { tree.GetUsage(tx, "ann") }},
		"limits that are cut":      {"I-F1", func(tx *db.Txn) { tx.Put("q", "\x01") }, func(tx *db.Txn) { tree.GetLimits(tx) }},
	} {
		t.Run(name, func(t *testing.T) {
			tx := c.d.Begin()
			defer tx.Rollback()
			if row.before != nil {
				row.before(tx)
			}
			breaks(t, row.id, func() { row.do(tx) })
		})
	}
}
