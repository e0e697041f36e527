package acl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/acl"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// files are the ACL files of a test, by path.
type files map[string]string

func (f files) Contents(p api.Path) (string, bool) {
	s, ok := f[p.String()]
	return s, ok
}

func TestWhatAFileLists(t *testing.T) {
	long := api.Principal(strings.Repeat("p", api.MaxPrincipal))
	for _, r := range []struct {
		why, file string
		who       api.Principal
		want      bool
	}{
		{"the only line", "bar", "bar", true},
		{"the only line, ended", "bar\n", "bar", true},
		{"the first line", "bar\nfoo\n", "bar", true},
		{"the last line", "foo\nbar", "bar", true},
		{"behind an empty line", "\n\nbar\n", "bar", true},
		{"behind a comment", "# those who write\nbar\n", "bar", true},
		{"behind a line that is none", "foo foo\n\xff\nbar\n", "bar", true},
		{"everyone", "*\n", "bar", true},
		{"everyone behind others", "foo\n*", "bar", true},
		{"a long principal", string(long), long, true},
		{"an empty file", "", "bar", false},
		{"another principal", "foo\n", "bar", false},
		{"a longer name", "bar2\n", "bar", false},
		{"a shorter name", "ba\n", "bar", false},
		{"another case", "Bar\n", "bar", false},
		{"within a line", "foo bar\n", "bar", false},
		{"a space in front", " bar\n", "bar", false},
		{"a space behind", "bar \n", "bar", false},
		{"a return behind", "bar\r\n", "bar", false},
		{"a comment", "#bar\n", "bar", false},
		{"a principal named as a comment", "#bar\n", "#bar", false},
		{"a name behind a NUL", "\x00bar\n", "bar", false},
		{"a pattern is none", "ba*\n", "bar", false},
		{"everyone within a line", "* \n", "bar", false},
		{"the empty principal of an empty file", "", "", false},
		{"the empty principal of an empty line", "\n\n", "", false},
		{"the empty principal of everyone", "*\n", "", false},
		{"a principal named everyone", "*\n", "*", false},
		{"no principal", "a b\n", "a b", false},
		{"two lines", "foo\nbar\n", "foo\nbar", false},
		{"too long", "*\n", long + "p", false},
	} {
		require.Equal(t, r.want, acl.HasPrincipal(r.file, r.who), r.why)
	}
}

// Each right looks at its own name (C3.10, C5.02), and what cannot be read
// denies (N08).
func TestEachRightHasItsName(t *testing.T) {
	f := files{"/acl/readers": "ann\n", "/acl/writers": "bob\n", "/acl/owners": "zoe\n", "/readers": "eve\n", "/acl/a": "*"}
	names := api.ACLNames{Read: "readers", Write: "writers", Change: "owners"}
	may := map[api.Rights]api.Principal{api.RightRead: "ann", api.RightWrite: "bob", api.RightChangeACL: "zoe"}
	rights := []api.Rights{api.RightRead, api.RightWrite, api.RightChangeACL}
	for _, right := range rights {
		for _, who := range []api.Principal{"ann", "bob", "zoe", "eve", ""} {
			want := api.Permission
			if may[right] == who {
				want = api.OK
			}
			require.Equal(t, want, acl.Check(f, names, right, who), "%v of %q", right, who)
		}
	}
	for _, name := range []api.ACLName{"missing", "", ".", "..", "a/b", "../acl/a", "\x00"} {
		odd := api.ACLNames{Read: name, Write: name, Change: name}
		for _, right := range rights {
			require.Equal(t, api.Permission, acl.Check(f, odd, right, "ann"), "%q", name)
		}
	}
	all := api.ACLNames{Read: "a", Write: "a", Change: "a"}
	for want := range api.Rights(8) {
		code := api.OK
		if want == 0 {
			code = api.Permission
		}
		require.Equal(t, code, acl.Check(f, all, want, "ann"), "%v", want)
	}
	for _, want := range []api.Rights{8, 9, 255} {
		require.Equal(t, api.Permission, acl.Check(f, all, want, "ann"), "%v", want)
	}
}

// An open with several rights gets all of them or is refused (C6.02).
func TestAllThatIsWantedMustBeHad(t *testing.T) {
	f := files{"/acl/ann": "ann\n", "/acl/bob": "bob\n"}
	for have := range api.Rights(8) {
		of := func(r api.Rights) api.ACLName {
			if have.Has(r) {
				return "ann"
			}
			return "bob"
		}
		names := api.ACLNames{Read: of(api.RightRead), Write: of(api.RightWrite), Change: of(api.RightChangeACL)}
		for want := api.Rights(1); want < 8; want++ {
			require.Equal(t, have.Has(want), acl.Check(f, names, want, "ann") == api.OK, "has %v, wants %v", have, want)
		}
	}
}

// Who may do what (C5.05-C5.07). A lock needs the right to write in both modes:
// a mere reader cannot shut a writer out (C5.06).
func TestWhatEachCallNeeds(t *testing.T) {
	want := map[acl.Call]api.Rights{
		acl.GetContentsAndStat: api.RightRead,
		acl.GetStat:            api.RightRead,
		acl.ReadDir:            api.RightRead,
		acl.CheckSequencer:     api.RightRead,
		acl.SetContents:        api.RightWrite,
		acl.CreateChild:        api.RightWrite,
		acl.Delete:             api.RightWrite,
		acl.AcquireExclusive:   api.RightWrite,
		acl.AcquireShared:      api.RightWrite,
		acl.GetSequencer:       api.RightWrite,
		acl.SetACL:             api.RightChangeACL,
	}
	require.Len(t, acl.Calls(), len(want))
	for _, c := range acl.Calls() {
		require.Equal(t, want[c], c.RequiredRight(), "call %d", c)
	}
}

// cell is a tree whose ACL files acl reads, as in a replica.
type cell struct {
	testing.TB
	tx *db.Txn
	n  api.Number
}

func newCell(t testing.TB) *cell {
	c := &cell{TB: t, tx: db.New().Begin(), n: 1}
	admin := api.ACLNames{Read: "admin", Write: "admin", Change: "admin"}
	out := tree.Make(c.tx, 1, tree.Founding{Root: admin, ACL: admin, Limits: tree.DefaultLimits(), Files: []tree.FoundingFile{
		{Name: "admin", Contents: "root\n"}, {Name: "all", Contents: "*\n"},
	}})
	require.Equal(t, api.OK, out.Code)
	return c
}

func (c *cell) make(path string, x tree.Creation) api.Ref {
	p, err := api.ParsePath(path)
	require.NoError(c, err)
	c.n++
	x.Path, x.Owner = p, "root"
	out := tree.Create(c.tx, c.n, x)
	require.Equal(c, api.OK, out.Code)
	return out.Node
}

func (c *cell) may(who api.Principal, call acl.Call, ref api.Ref) api.Code {
	s, code := tree.Stat(c.tx, ref)
	require.Equal(c, api.OK, code)
	return acl.Check(tree.Files{Reader: c.tx}, s.Names, call.RequiredRight(), who)
}

func TestTheNodeAloneDecides(t *testing.T) {
	c := newCell(t)
	private := c.make("/private", tree.Creation{Kind: api.Directory})
	public := c.make("/private/f", tree.Creation{Kind: api.File, Names: api.ACLNames{Read: "all"}})
	copied := c.make("/private/g", tree.Creation{Kind: api.File})
	require.Equal(t, api.Permission, c.may("ann", acl.ReadDir, private))
	require.Equal(t, api.OK, c.may("ann", acl.GetStat, public), "a public file in a private directory (N07)")
	require.Equal(t, api.Permission, c.may("ann", acl.SetContents, public))
	require.Equal(t, api.Permission, c.may("ann", acl.AcquireShared, public))
	require.Equal(t, api.OK, c.may("root", acl.SetContents, public))
	require.Equal(t, api.Permission, c.may("ann", acl.GetStat, copied))

	c.n++
	all := api.ACLNames{Read: "all", Write: "all", Change: "all"}
	require.Equal(t, api.OK, tree.SetACL(c.tx, c.n, private, all, 0).Code)
	require.Equal(t, api.OK, c.may("ann", acl.CreateChild, private))
	require.Equal(t, api.Permission, c.may("ann", acl.GetStat, copied), "names were copied, not looked up (N06)")
}

// An ACL file is a file: a write to it changes at once which principals have the right, and
// without the file none has it (N08).
func TestACLFilesAreFiles(t *testing.T) {
	c := newCell(t)
	f := c.make("/f", tree.Creation{Kind: api.File, Names: api.ACLNames{Write: "writers"}})
	require.Equal(t, api.Permission, c.may("ann", acl.SetContents, f), "no such file yet")
	writers := c.make("/acl/writers", tree.Creation{Kind: api.File, Contents: "ann\n"})
	require.Equal(t, api.OK, c.may("ann", acl.SetContents, f))
	require.Equal(t, api.Permission, c.may("ann", acl.SetContents, writers), "who is listed may not list others")
	c.n++
	require.Equal(t, api.OK, tree.SetContents(c.tx, c.n, writers, "bob\n", 0).Code)
	require.Equal(t, api.Permission, c.may("ann", acl.SetContents, f))
	require.Equal(t, api.OK, c.may("bob", acl.SetContents, f))
	c.n++
	require.Equal(t, api.OK, tree.Delete(c.tx, c.n, writers).Code)
	require.Equal(t, api.Permission, c.may("bob", acl.SetContents, f))
	c.make("/acl/writers", tree.Creation{Kind: api.Directory})
	require.Equal(t, api.Permission, c.may("bob", acl.SetContents, f), "a directory lists no principal")
}

// Whatever is in a file, it lists a valid principal if, and only if, a line names it or everyone.
func FuzzLists(f *testing.F) {
	f.Add("ann\nbob\n", "bob")
	f.Add("*", "")
	f.Add("# a\n\na b\n", "a b")
	f.Fuzz(func(t *testing.T, file, name string) {
		who := api.Principal(name)
		got := acl.HasPrincipal(file, who)
		line := strings.Contains("\n"+file+"\n", "\n"+name+"\n") || strings.Contains("\n"+file+"\n", "\n*\n")
		if got != (line && who.Check() == api.OK) {
			t.Fatalf("%q lists %q: %v", file, name, got)
		}
		if who.Check() == api.OK && !acl.HasPrincipal(file+"\n"+name, who) {
			t.Fatalf("%q and then %q does not list it", file, name)
		}
	})
}

// A file that only ann may write and all may read.
func ExampleCheck() {
	f := files{"/acl/all": "*\n", "/acl/writers": "# the team\nann\n"}
	names := api.ACLNames{Read: "all", Write: "writers", Change: "writers"}
	for _, who := range []api.Principal{"ann", "bob"} {
		for _, call := range []acl.Call{acl.GetContentsAndStat, acl.AcquireShared} {
			fmt.Println(who, call.RequiredRight(), acl.Check(f, names, call.RequiredRight(), who))
		}
	}
	// Output:
	// ann read ok
	// ann write ok
	// bob read ok
	// bob write permission
}
