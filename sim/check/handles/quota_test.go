package handles

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim/model"
)

// The nodes that a cell is founded with have the founding command's number as instance:
// writing to them counts, and deleting them makes room.
func TestS16NodesOfTheFoundingCount(t *testing.T) {
	ref := func(n api.Instance) api.Ref {
		p, err := api.ParsePath("/acl/all")
		require.NoError(t, err)
		return api.Ref{Path: p, Instance: n}
	}
	for nodeOp, left := range map[command.NodeOp]tree.Usage{
		command.SetContents{Node: ref(2), Contents: "12345"}: {Nodes: 1, Bytes: 5},
		command.SetContents{Node: ref(3), Contents: "12345"}: {Nodes: 1, Bytes: 2},
		command.DeleteNode{Node: ref(2)}:                     {},
		command.DeleteNode{Node: ref(3)}:                     {Nodes: 1, Bytes: 2},
	} {
		l := newLibrary(t)
		b := NewQuotas(l.World.World, l.b)
		f := tree.Founding{Files: []tree.FoundingFile{{Name: "all", Contents: "*\n"}}, Limits: tree.DefaultLimits()}
		b.OnCommand(&command.Applied{Number: 2, Verdict: command.Executed, Command: command.Found{Founding: f}, Result: api.Result{Code: api.OK}})
		b.OnCommand(&command.Applied{Number: 4, Verdict: command.Executed, Command: command.NodeCommand{Session: 1, Op: nodeOp}, Result: api.Result{Code: api.OK}})
		require.Equal(t, left, b.Dirs[model.ACLDir], "%+v", nodeOp)
		l.Good()
	}
}

// Session 1 is ann's. A principal may own three nodes and ten bytes, a directory hold
// two nodes and eight.
func TestS16QuotasAreKeptAndRefuseNothingElse(t *testing.T) {
	ref := func(path string, n api.Instance) api.Ref {
		p, err := api.ParsePath(path)
		require.NoError(t, err)
		return api.Ref{Path: p, Instance: n}
	}
	type step struct {
		path     string
		instance api.Instance // instance of what is written or created
		write    bool
		contents string
		code     api.Code
	}
	make2 := []step{{path: "/d/a", instance: 11, contents: "1234"}, {path: "/d/b", instance: 12, contents: "123"}}
	for name, c := range map[string]struct {
		steps  []step
		gone   string // deleted before the last step
		breaks bool
	}{
		"all fits":                         {make2, "", false},
		"a third in one directory":         {append(make2, step{path: "/d/c", instance: 13}), "", true},
		"and is refused":                   {append(make2, step{path: "/d/c", code: api.Quota}), "", false},
		"the second is refused":            {[]step{make2[0], {path: "/d/b", contents: "123", code: api.Quota}}, "", true},
		"one byte more":                    {append(make2, step{path: "/d/b", instance: 12, write: true, contents: "12345"}), "", true},
		"and is refused, too":              {append(make2, step{path: "/d/b", instance: 12, write: true, contents: "12345", code: api.Quota}), "", false},
		"a byte that has room is refused":  {append(make2, step{path: "/d/b", instance: 12, write: true, contents: "1234", code: api.Quota}), "", true},
		"less than before":                 {append(make2, step{path: "/d/a", instance: 11, write: true}), "", false},
		"less than before is refused":      {append(make2, step{path: "/d/a", instance: 11, write: true, code: api.Quota}), "", true},
		"in the place of what is gone":     {append(make2, step{path: "/d/c", instance: 13, contents: "1234"}), "/d/a", false},
		"in another directory":             {append(make2, step{path: "/e/c", instance: 13}), "", true}, // the fourth of its owner, with /e
		"another instance is written":      {append(make2, step{path: "/d/a", instance: 9, write: true, contents: "1234567890", code: api.Gone}), "", false},
		"a refusal for some other reason":  {append(make2, step{path: "/d/c", code: api.Exists}), "", false},
		"a write that found something new": {append(make2, step{path: "/d/b", instance: 12, write: true, contents: "12345", code: api.Conflict}), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			l.b.Who[1] = "ann"
			b := NewQuotas(l.World.World, l.b)
			b.Limits = tree.Limits{Principal: tree.Usage{Nodes: 3, Bytes: 10}, Directory: tree.Usage{Nodes: 2, Bytes: 8}}
			b.Charge("/d", Charged{}, 1)
			b.Charge("/e", Charged{Owner: "ann"}, 1)
			for i, s := range c.steps {
				if i == len(c.steps)-1 && c.gone != "" {
					b.OnCommand(&command.Applied{Verdict: command.Executed, Command: command.NodeCommand{Session: 1, Op: command.DeleteNode{Node: ref(c.gone, 11)}}, Result: api.Result{Code: api.OK}})
				}
				code := s.code
				if code == 0 {
					code = api.OK
				}
				a := command.Applied{Verdict: command.Executed, Result: api.Result{Code: code}}
				if s.write {
					a.Command = command.NodeCommand{Session: 1, Op: command.SetContents{Node: ref(s.path, s.instance), Contents: s.contents}}
				} else {
					a.Command = command.NodeCommand{Session: 1, Op: command.OpenNode{Path: ref(s.path, 0).Path, Contents: s.contents}}
					if code == api.OK {
						a.Result.Detail = api.Opened{Created: true, Node: ref(s.path, s.instance)}
					}
				}
				b.OnCommand(&a)
			}
			if c.breaks {
				l.Breaks("S16")
			} else {
				l.Good()
			}
		})
	}
}

// Limits that an operator sets, and that are not 0, count from the next command on.
func TestLimitsThatAreSetCountFromThenOn(t *testing.T) {
	l := newLibrary(t)
	b := NewQuotas(l.World.World, l.b)
	b.Limits = tree.Limits{Principal: tree.Usage{Nodes: 3, Bytes: 10}, Directory: tree.Usage{Nodes: 2, Bytes: 8}}
	set := command.SetLimits{Nodes: tree.Limits{Principal: tree.Usage{Bytes: 20}, Directory: tree.Usage{Nodes: 9}}}
	b.OnCommand(&command.Applied{Command: set, Verdict: command.Refused})
	b.OnCommand(&command.Applied{Command: set, Verdict: command.Executed})
	if want := (tree.Limits{Principal: tree.Usage{Nodes: 3, Bytes: 20}, Directory: tree.Usage{Nodes: 9, Bytes: 8}}); b.Limits != want {
		t.Fatalf("%+v", b.Limits)
	}
}
