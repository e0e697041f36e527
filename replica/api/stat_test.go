package api_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

var (
	aFile = api.Stat{Kind: api.File, Ephemeral: true, Instance: 300, Content: 301, Lock: 302, ACL: 303, Length: 2,
		Checksum: 0x1234, Names: api.ACLNames{Read: "r", Write: "w", Change: "c"}}
	aDirectory = api.Stat{Kind: api.Directory, Instance: 1, Lock: 2, ACL: 3, Children: 4,
		Names: api.ACLNames{Read: "r", Write: "w", Change: "c"}}
)

const (
	fileBytes      = "02 01 ac02 ad02 ae02 af02 02 b424 00 0172 0177 0163"
	directoryBytes = "01 00 01 00 02 03 00 00 04 0172 0177 0163"
)

// The bytes stand in rows and messages. A change here is a new version of those.
func TestGoldenBytesOfNodes(t *testing.T) {
	for text, want := range map[string]api.Stat{fileBytes: aFile, directoryBytes: aDirectory} {
		b := unhex(t, text)
		require.Equal(t, b, api.AppendStat(nil, want))
		got, rest, err := api.DecodeStat(string(b) + "\a")
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, "\a", rest)
	}
	p := mustPath(t, "/a/b")
	b := unhex(t, "04 2f612f62")
	require.Equal(t, b, api.AppendPath(nil, p))
	got, rest, err := api.DecodePath(string(b) + "\a")
	require.NoError(t, err)
	require.Equal(t, p, got)
	require.Equal(t, "\a", rest)

	children := []api.Child{{Name: "d", Stat: aDirectory}, {Name: "f", Stat: aFile}}
	b = unhex(t, "02 0164"+directoryBytes+"0166"+fileBytes)
	require.Equal(t, b, api.AppendChildren(nil, children))
	list, rest, err := api.DecodeChildren(string(b) + "\a")
	require.NoError(t, err)
	require.Equal(t, children, list)
	require.Equal(t, "\a", rest)
	list, _, err = api.DecodeChildren("\x00")
	require.NoError(t, err)
	require.Nil(t, list)
}

// The checksum is XXH64, for ever: clients keep it and compare it across cells.
func TestTheChecksumIsPinned(t *testing.T) {
	require.EqualValues(t, uint64(0xef46db3751d8e999), api.ChecksumOf(""))
	require.EqualValues(t, uint64(0x44bc2cf5ad770999), api.ChecksumOf("abc"))
}

func TestWhatIsNoMetadataIsRefusedWithTheReason(t *testing.T) {
	for _, r := range []struct{ hex, want string }{
		{"", "ends early"},
		{"00 00 01 00 02 03 00 00 04 0172 0177 0163", "kind(0)"},
		{"03 00 01 00 02 03 00 00 04 0172 0177 0163", "kind(3)"},
		{"01 02 01 00 02 03 00 00 04 0172 0177 0163", "flag is 2"},
		{"01 00 00 00 02 03 00 00 04 0172 0177 0163", "a generation is 0"},
		{"01 00 01 00 00 03 00 00 04 0172 0177 0163", "a generation is 0"},
		{"01 00 01 00 02 00 00 00 04 0172 0177 0163", "a generation is 0"},
		{"01 00 01 01 02 03 00 00 04 0172 0177 0163", "a directory with contents"},
		{"01 00 01 00 02 03 01 00 04 0172 0177 0163", "a directory with contents"},
		{"01 00 01 00 02 03 00 01 04 0172 0177 0163", "a directory with contents"},
		{"02 00 01 00 02 03 00 00 00 0172 0177 0163", "a file with children, or without contents"},
		{"02 00 01 01 02 03 00 00 01 0172 0177 0163", "a file with children, or without contents"},
		{"02 00 01 01 02 03 818010 00 00 0172 0177 0163", "a file with children, or without contents"},
		{"01 00 01 00 02 03 00 00 04 00 0177 0163", "an ACL name is none"},
		{"01 00 01 00 02 03 00 00 04 0172 012f 0163", "an ACL name is none"},
		{"01 00 01 00 02 03 00 00 04 0172 0177 022e2e", "an ACL name is none"},
	} {
		_, _, err := api.DecodeStat(string(unhex(t, r.hex)))
		require.ErrorIs(t, err, api.ErrMalformed, r.hex)
		require.ErrorContains(t, err, r.want, r.hex)
	}
	for _, r := range []struct{ hex, want string }{
		{"01", "1 items in 0 bytes"},
		{"01 00" + directoryBytes + "00", "child"},
		{"02 0161" + directoryBytes + "0161" + directoryBytes, `child "a" after "a"`},
		{"02 0162" + directoryBytes + "0161" + directoryBytes, `child "a" after "b"`},
		{"01 012f" + directoryBytes, `child "/"`},
	} {
		_, _, err := api.DecodeChildren(string(unhex(t, r.hex)))
		require.ErrorIs(t, err, api.ErrMalformed, r.hex)
		require.ErrorContains(t, err, r.want, r.hex)
	}
	_, _, err := api.DecodeChildren(string(unhex(t, "818001")) + strings.Repeat("\x00", 17*(api.MaxListPairs+1)))
	require.ErrorContains(t, err, "16385 children")
	_, _, err = api.DecodePath(string(unhex(t, "02 2f2f")))
	require.ErrorIs(t, err, api.ErrMalformed)
}

func TestNoPrefixOfMetadataIsMetadata(t *testing.T) {
	b := string(api.AppendChildren(nil, []api.Child{{Name: "d", Stat: aDirectory}, {Name: "f", Stat: aFile}}))
	for n := range b {
		_, _, err := api.DecodeChildren(b[:n])
		require.ErrorIs(t, err, api.ErrMalformed)
	}
}

func anyStat(t *rapid.T) api.Stat {
	gen := rapid.Uint64Min(1)
	acl := rapid.SampledFrom([]api.ACLName{"all", "admin", "ä"})
	s := api.Stat{Kind: api.Directory, Ephemeral: rapid.Bool().Draw(t, "ephemeral"),
		Instance: api.Instance(gen.Draw(t, "instance")), Lock: api.LockGen(gen.Draw(t, "lock")), ACL: api.ACLGen(gen.Draw(t, "acl")),
		Names: api.ACLNames{Read: acl.Draw(t, "read"), Write: acl.Draw(t, "write"), Change: acl.Draw(t, "change")}}
	if rapid.Bool().Draw(t, "directory") {
		s.Children = rapid.Uint64().Draw(t, "children")
		return s
	}
	s.Kind, s.Content = api.File, api.ContentGen(gen.Draw(t, "content"))
	s.Length, s.Checksum = rapid.Uint64Max(api.MaxContents).Draw(t, "length"), api.Checksum(rapid.Uint64().Draw(t, "checksum"))
	return s
}

func TestNodesGoRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var children []api.Child
		for i := range rapid.IntRange(0, 5).Draw(t, "children") {
			children = append(children, api.Child{Name: fmt.Sprintf("n%d", i), Stat: anyStat(t)})
		}
		got, rest, err := api.DecodeChildren(string(api.AppendChildren(nil, children)))
		require.NoError(t, err)
		require.Empty(t, rest)
		require.Equal(t, children, got)
		p := anyPath().Draw(t, "path")
		q, _, err := api.DecodePath(string(api.AppendPath(nil, p)))
		require.NoError(t, err)
		require.Equal(t, p, q)
	})
}

// What decodes encodes to the same bytes: one node, one form.
func FuzzDecodeChildren(f *testing.F) {
	for _, s := range []string{"00", "01 0164" + directoryBytes, "02 0164" + directoryBytes + "0166" + fileBytes} {
		f.Add(unhex(f, s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		children, rest, err := api.DecodeChildren(string(b))
		if err != nil {
			return
		}
		if again := append(api.AppendChildren(nil, children), rest...); !bytes.Equal(b, again) {
			t.Fatalf("%s decodes to %+v, which encodes to %s", hex.EncodeToString(b), children, hex.EncodeToString(again))
		}
	})
}

func TestTheBytesOfAChildAreThoseOfItsEncoding(t *testing.T) {
	one := api.Child{Name: strings.Repeat("n", api.MaxComponent), Stat: aFile}
	for _, n := range []*api.ACLName{&one.Stat.Names.Read, &one.Stat.Names.Write, &one.Stat.Names.Change} {
		*n = api.ACLName(strings.Repeat("a", api.MaxComponent))
	}
	for _, c := range []api.Child{one, {Name: "f", Stat: aFile}, {Name: "d", Stat: aDirectory}} {
		require.Equal(t, len(api.AppendChildren(nil, []api.Child{c}))-1, c.Bytes())
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { one.Bytes() }))
}

func TestPrincipalsAndACLNames(t *testing.T) {
	for _, p := range []api.Principal{"bar", "bar@example.org", "a/b", "ä", api.Principal(strings.Repeat("p", api.MaxPrincipal))} {
		require.Equal(t, api.OK, p.Check(), "%q", p)
	}
	for _, p := range []api.Principal{"", api.Everyone, "#bar", "a b", "a\n", "\r", "a\u00a0b", "\xff", "\x00", api.Principal(strings.Repeat("p", api.MaxPrincipal+1))} {
		require.Equal(t, api.Invalid, p.Check(), "%q", p)
	}
	p, ok := api.ACLName("foo").Path()
	require.True(t, ok)
	require.Equal(t, mustPath(t, "/acl/foo"), p)
	require.Equal(t, mustPath(t, "/acl"), api.ACLDirectory())
	for _, n := range []api.ACLName{"", "..", "a/b"} {
		_, ok := n.Path()
		require.False(t, ok, "%q", n)
		for _, a := range []api.ACLNames{{n, "w", "c"}, {"r", n, "c"}, {"r", "w", n}} {
			require.Equal(t, api.Invalid, a.Check(), "%v", a)
		}
	}
	all := api.ACLNames{Read: "r", Write: "w", Change: "c"}
	require.Equal(t, api.OK, all.Check())
	require.Equal(t, all, api.ACLNames{}.Or(all))
	require.Equal(t, api.ACLNames{Read: "r", Write: "x", Change: "c"}, api.ACLNames{Write: "x"}.Or(all))
	require.Equal(t, all, all.Or(api.ACLNames{Read: "1", Write: "2", Change: "3"}))
	require.Equal(t, "file directory kind(9)", fmt.Sprint(api.File, api.Directory, api.NodeKind(9)))
}

// The limit that kept Chubby's database small (C17.01).
func TestAFileHasAtMostAQuarterOfAMebibyte(t *testing.T) {
	require.EqualValues(t, 256*1024, api.MaxContents)
}
