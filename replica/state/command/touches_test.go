package command_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// kept is what a client may keep in its cache for a path.
type kept struct {
	stat     api.Stat // without the generation of its lock
	contents string
	children string
}

// cacheable returns what may be cached for each path that has a node.
func cacheable(d *db.DB) map[api.Path]kept {
	all := map[api.Path]kept{}
	for n, stat := range tree.Nodes(d) {
		stat.Lock = 0
		k := kept{stat: stat}
		if stat.Kind == api.File {
			k.contents, _, _ = tree.Contents(d, n)
		} else {
			children, _, _ := tree.List(d, n, "", 0)
			for _, c := range children {
				k.children += c.Name + "/"
			}
		}
		all[n.Path] = k
	}
	return all
}

// All changes of what a client may cache are at paths that the command touches: so a barrier that holds
// these paths holds back each change (CHU §2.7).
func TestWhatChangesIsTouched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cl := &cell{t: t, db: db.New()}
		cl.apply(command.Epoch{Master: 1, Ballot: rows.Ballot{Round: 1, Node: 1}})
		require.Equal(t, api.OK, cl.apply(command.Found{Guard: 1, Founding: founding(), Secret: [32]byte{1}}).Result.Code)
		w := newActTwin()
		d := &actDraft{T: t, db: cl.db, w: w, next: map[api.SessionID]api.Seq{}, calls: map[api.SessionID][]api.Seq{}}
		for range rapid.IntRange(1, 120).Draw(t, "commands") {
			c := d.command()
			d.sent = append(d.sent, c)
			before := cacheable(cl.db)
			a := cl.apply(c)
			w.apply(c)
			d.note(a)
			after := cacheable(cl.db)
			for _, p := range command.Touches(c) {
				delete(before, p)
				delete(after, p)
			}
			require.True(t, maps.Equal(before, after), "%#v changes what it does not touch", c)
		}
	})
}

func TestWhatTouchesWhichPaths(t *testing.T) {
	f := api.Ref{Path: path("/d/f"), Instance: 7}
	both, alone := []api.Path{path("/d/f"), path("/d")}, []api.Path{path("/d/f")}
	act := func(d command.NodeOp) command.Command { return command.NodeCommand{Op: d} }
	for _, c := range []struct {
		cmd  command.Command
		want []api.Path
	}{
		{act(command.OpenNode{Path: f.Path, Create: api.CreateMay}), both},
		{act(command.OpenNode{Path: f.Path, Create: api.CreateMust}), both},
		{act(command.OpenNode{Path: path("/"), Create: api.CreateMust}), []api.Path{path("/")}},
		{act(command.OpenNode{Path: f.Path}), nil},
		{act(command.SetContents{Node: f}), alone},
		{act(command.SetACL{Node: f}), alone},
		{act(command.DeleteNode{Node: f}), both},
		{command.Sweep{Node: f}, both},
		{act(command.Acquire{Node: f}), nil},
		{act(command.CloseHandle{Node: f}), nil},
		{act(command.GetContents{Node: f}), nil},
		{command.Expire{Session: 1}, nil},
		{command.Call{Op: api.Put{Key: "k"}}, nil},
	} {
		require.Equal(t, c.want, command.Touches(c.cmd), "%#v", c.cmd)
	}
}
