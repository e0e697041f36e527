package tree_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// The bytes are a contract: they stand in snapshots, and replicas compare their
// checksums.
func TestTheRowsArePinned(t *testing.T) {
	f := founding()
	f.Limits = tree.Limits{Principal: tree.Usage{Nodes: 1, Bytes: 200}, Directory: tree.Usage{Nodes: 3, Bytes: 4}}
	f.Limits.Directory.Bytes = 100
	f.Files = []tree.FoundingFile{{Name: "w", Contents: "*"}}
	f.Root = api.ACLNames{Read: "w", Write: "w", Change: "w"}
	f.ACL = f.Root
	c := foundCell(t, f)
	c.file("/a", "hi")
	c.bump(c.at("/a"))
	require.Equal(t, api.OK, c.create(tree.Creation{Path: c.path("/acl/e"), Kind: api.Directory, Ephemeral: true, Owner: "bob"}).Code)
	names := "0177" + "0177" + "0177"
	u64 := func(x ...byte) (s string) {
		for _, b := range x {
			s += "00000000000000" + hex.EncodeToString([]byte{b})
		}
		return s
	}
	want := []string{
		"62" + "01" + hex.EncodeToString([]byte("a")), "01" + "6869",
		"62" + "02" + hex.EncodeToString([]byte("acl/w")), "01" + "2a",
		"69" + "02" + hex.EncodeToString([]byte("acl/e")), "01" + u64(4),
		"70" + hex.EncodeToString([]byte("ann")), "01" + u64(1, 2),
		"70" + hex.EncodeToString([]byte("bob")), "01" + u64(1, 0),
		"71", "01" + u64(1, 200, 3, 100),
		"74" + "00", "01" + "01" + "00" + "01" + "00" + "01" + "01" + "00" + "00" + "02" + names + u64(2),
		"74" + "01" + hex.EncodeToString([]byte("a")),
		"01" + "02" + "00" + "02" + "02" + "03" + "02" + "02" + "faf198d19edd90c4ea01" + "00" + names + u64(0) + hex.EncodeToString([]byte("ann")),
		"74" + "01" + hex.EncodeToString([]byte("acl")), "01" + "01" + "00" + "01" + "00" + "01" + "01" + "00" + "00" + "02" + names + u64(1),
		"74" + "02" + hex.EncodeToString([]byte("acl/e")),
		"01" + "01" + "01" + "04" + "00" + "04" + "04" + "00" + "00" + "00" + names + u64(0) + hex.EncodeToString([]byte("bob")),
		"74" + "02" + hex.EncodeToString([]byte("acl/w")),
		"01" + "02" + "00" + "01" + "01" + "01" + "01" + "01" + "e4f5c0f5ebd9b7cf0a" + "00" + names + u64(0),
	}
	var got []string
	for k, v := range c.d.Ascend("", "") {
		got = append(got, hex.EncodeToString([]byte(k)), hex.EncodeToString([]byte(v)))
	}
	require.Equal(t, want, got)
}

// The picture of the package comment.
func TestChildrenAreNeighboursByDepth(t *testing.T) {
	c := newCell(t)
	c.dir("/ab")
	c.dir("/a")
	for _, f := range []string{"/ab/z", "/a/y", "/a/x", "/a!"} {
		c.file(f, "")
	}
	var keys []string
	for key := range c.d.Scan("t") {
		if !strings.Contains(key, "acl") {
			keys = append(keys, strings.NewReplacer("\x00", "0", "\x01", "1", "\x02", "2").Replace(key))
		}
	}
	require.Equal(t, []string{"t0", "t1a", "t1a!", "t1ab", "t2a/x", "t2a/y", "t2ab/z"}, keys)
	require.Equal(t, []string{"x", "y"}, c.names("/a"))
	require.Equal(t, []string{"z"}, c.names("/ab"))
	require.Equal(t, []string{"a", "a!", "ab", "acl"}, c.names("/"))
}

func anyPath() *rapid.Generator[api.Path] {
	return rapid.Custom(func(t *rapid.T) api.Path {
		var p api.Path
		for range rapid.IntRange(0, 4).Draw(t, "depth") {
			p, _ = p.Child(rapid.SampledFrom([]string{"a", "a!", "ab", "b", "ä"}).Draw(t, "name"))
		}
		return p
	})
}

func TestKeysAreOrderedAsPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := anyPath().Draw(t, "p"), anyPath().Draw(t, "q")
		for _, f := range []tree.Family{tree.FamilyNode, tree.FamilyContents, tree.FamilyEphemeral} {
			k, l := tree.Key{Family: f, Path: p}, tree.Key{Family: f, Path: q}
			require.Equal(t, p.Compare(q) < 0, k.Encode() < l.Encode())
		}
	})
}

// ParseKey recognizes the keys of this package and no other strings.
func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"", "t", "t\x00", "t\x01a", "t\x02a", "t\x02a/b", "b\x01a", "b\x01/", "i\x01a", "i", "pann", "p", "p a", "q", "qq", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, ok := tree.ParseKey(s)
		if ok && k.Encode() != s {
			t.Fatalf("%q is the key %+v, which is %q", s, k, k.Encode())
		}
		if again, _ := tree.ParseKey(k.Encode()); ok && again != k {
			t.Fatalf("%+v becomes %+v", k, again)
		}
	})
}

func TestKeysThatAreNone(t *testing.T) {
	for _, s := range []string{"", "x", "t", "b", "i", "t\x01", "i\x01", "t\x00a", "t\x02a", "t\x01a/b", "t\x01/", "t\x02a//b", "t\x01.", "p", "p*", "pa b", "qq"} {
		_, ok := tree.ParseKey(s)
		require.False(t, ok, "%q", s)
	}
}

// Whatever stands in a row, the audit does not panic; if it finds no fault, reading does not panic
// either.
func FuzzAudit(f *testing.F) {
	base := newCell(f)
	base.file("/f", "x")
	base.create(tree.Creation{Path: base.path("/e"), Kind: api.File, Ephemeral: true, Owner: "ann"})
	for key, value := range base.d.Ascend("", "") {
		f.Add(key, value)
		f.Add(key, value+"x")
		f.Add(key, value[:len(value)-1])
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		c := newCell(t)
		c.file("/f", "x")
		c.create(tree.Creation{Path: c.path("/e"), Kind: api.File, Ephemeral: true, Owner: "ann"})
		tx := c.d.Begin()
		defer tx.Rollback()
		tx.Put(key, value)
		if tree.Audit(tx, c.n) != nil {
			return
		}
		for range tree.Ephemerals(tx) {
			continue
		}
		for _, p := range []string{"/", "/acl"} {
			ref, _, _ := tree.Lookup(tx, c.path(p))
			if _, _, code := tree.List(tx, ref, "", 0); code != api.OK {
				t.Fatalf("%s: %v", p, code)
			}
		}
		tree.GetLimits(tx)
		tree.GetUsage(tx, "ann")
	})
}

// forge changes the value of a row directly.
func forge(tx *db.Txn, k tree.Key, change func(value string) string) {
	value, _ := tx.Get(k.Encode())
	tx.Put(k.Encode(), change(value))
}
