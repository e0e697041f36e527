package handles

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// library is the Rights of a cell that was just founded, with two sessions: 7 of ann, 8 of
// bob.
type library struct {
	worldtest.World
	b *Rights
	n api.Number
}

func newLibrary(t *testing.T) *library {
	f := worldtest.New(t)
	l := &library{World: f, b: NewRights(f.World)}
	l.done(command.Found{Founding: tree.OpenFounding()}, api.Result{Code: api.OK})
	for s, who := range map[api.SessionID]api.Principal{7: "ann", 8: "bob"} { // order-free
		l.done(command.Call{Op: api.OpenSession{}, Principal: who}, api.Result{Code: api.OK, Session: s})
	}
	return l
}

// done reports that a command was executed.
func (l *library) done(c command.Command, r api.Result) {
	l.n++
	l.b.OnCommand(&command.Applied{Number: l.n, Command: c, Verdict: command.Executed, Result: r})
}

// opens reports that a session opened a node and got this answer. If the answer is OK, a node
// that does not exist is created.
func (l *library) opens(s api.SessionID, path string, want api.Rights, code api.Code, names api.ACLNames, text string) api.Ref {
	ref := api.Ref{Path: worldtest.Path(path), Instance: api.Instance(l.n + 1)}
	r := api.Result{Code: code}
	if n := l.b.Nodes[path]; n != nil {
		ref.Instance = n.Instance
		r.Detail = api.Opened{Node: ref}
	} else if code == api.OK {
		r.Detail = api.Opened{Node: ref, Created: true}
	}
	l.done(command.NodeCommand{Session: s, Op: command.OpenNode{
		Path: ref.Path, Rights: want, Create: api.CreateMay, Kind: api.File, Names: names, Contents: text,
	}}, r)
	return ref
}

const rw = api.RightRead | api.RightWrite

func TestS16ACLFilesDecideAboutAnOpen(t *testing.T) {
	names := func(w api.ACLName) api.ACLNames {
		return api.ACLNames{Read: "everybody", Write: w, Change: "everybody"}
	}
	for name, c := range map[string]struct {
		do   func(l *library)
		want bool // bob may
	}{
		"listed":                 {func(l *library) { l.opens(7, "/acl/w", rw, api.OK, api.ACLNames{}, "bob\n") }, true},
		"listed among others":    {func(l *library) { l.opens(7, "/acl/w", rw, api.OK, api.ACLNames{}, "# x\nann\nbob") }, true},
		"everybody is":           {func(l *library) { l.opens(7, "/acl/w", rw, api.OK, api.ACLNames{}, "*\n") }, true},
		"not listed":             {func(l *library) { l.opens(7, "/acl/w", rw, api.OK, api.ACLNames{}, "ann\nbobby\n") }, false},
		"the file is missing":    {func(*library) {}, false},
		"the file is taken away": {func(l *library) { l.gone(l.opens(7, "/acl/w", rw, api.OK, api.ACLNames{}, "bob\n")) }, false},
		"the file lists him now": {func(l *library) { l.text(l.opens(7, "/acl/w", rw, api.OK, api.ACLNames{}, "ann\n"), "bob\n") }, true},
		"the file listed him":    {func(l *library) { l.text(l.opens(7, "/acl/w", rw, api.OK, api.ACLNames{}, "bob\n"), "ann\n") }, false},
		"another file lists him": {func(l *library) { l.opens(7, "/acl/x", rw, api.OK, api.ACLNames{}, "bob\n") }, false},
		"an empty file":          {func(l *library) { l.opens(7, "/acl/w", rw, api.OK, api.ACLNames{}, "") }, false},
	} {
		for _, told := range []api.Code{api.OK, api.Permission} {
			l := newLibrary(t)
			l.b.Nodes["/f"] = &Governed{Instance: 99, Names: model.ACLNames(names("w"))}
			c.do(l)
			l.Good()
			l.opens(8, "/f", api.RightRead, api.OK, api.ACLNames{}, "")
			l.Good()
			l.opens(8, "/f", rw, told, api.ACLNames{}, "")
			if c.want == (told == api.OK) {
				l.Good()
			} else {
				l.Breaks("S16")
			}
			require.Positive(t, l.b.Verdicts[true], name)
		}
	}
}

func (l *library) gone(n api.Ref) {
	l.done(command.NodeCommand{Session: 7, Op: command.DeleteNode{Node: n}}, api.Result{Code: api.OK})
}

func (l *library) text(n api.Ref, text string) {
	l.done(command.NodeCommand{Session: 7, Op: command.SetContents{Node: n, Contents: text}}, api.Result{Code: api.OK})
}

// To create a node, a principal needs the right to write the directory, and all rights that
// it asks for by the names that the node gets (C5.03). The names of the directory do not
// matter for the nodes in it (C2.08).
func TestS16RightsToCreateANode(t *testing.T) {
	closed := api.ACLNames{Read: "nobody", Write: "nobody", Change: "nobody"}
	open := api.ACLNames{Read: "everybody", Write: "everybody", Change: "everybody"}
	for name, c := range map[string]struct {
		dir, names api.ACLNames
		there      bool
		code       api.Code
		breaks     bool
	}{
		"he may":                        {open, api.ACLNames{}, false, api.OK, false},
		"he may, and is refused":        {open, api.ACLNames{}, false, api.Permission, true},
		"not write the directory":       {closed, open, false, api.Permission, false},
		"not write it, and does":        {closed, open, false, api.OK, true},
		"not the node":                  {open, closed, false, api.Permission, false},
		"not the node, and does":        {open, closed, false, api.OK, true},
		"a node in a closed directory":  {closed, open, true, api.OK, false},
		"and is refused":                {closed, open, true, api.Permission, true},
		"refused for some other reason": {open, open, false, api.Quota, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			l.b.Nodes["/d"] = &Governed{Instance: 90, Names: model.ACLNames(c.dir)}
			if c.there {
				l.b.Nodes["/d/f"] = &Governed{Instance: 91, Names: model.ACLNames(c.names)}
			}
			l.opens(8, "/d/f", rw, c.code, c.names, "")
			if c.breaks {
				l.Breaks("S16")
			} else {
				l.Good()
			}
		})
	}
}

func TestS16NamesThatAreSet(t *testing.T) {
	l := newLibrary(t)
	n := l.opens(7, "/f", rw, api.OK, api.ACLNames{}, "")
	l.opens(8, "/f", rw, api.OK, api.ACLNames{}, "")
	l.Good()
	l.done(command.NodeCommand{Session: 7, Op: command.SetACL{Node: n, Names: api.ACLNames{Read: "everybody", Write: "nobody", Change: "everybody"}}}, api.Result{Code: api.OK})
	l.opens(8, "/f", rw, api.Permission, api.ACLNames{}, "")
	l.Good()
	l.opens(8, "/f", rw, api.OK, api.ACLNames{}, "")
	l.Breaks("S16")
}
