package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// A limit that a command does not name stays, and so does one that an earlier command set.
func TestLimitsAreSetOneByOne(t *testing.T) {
	w := newWorld(t)
	first := tree.GetLimits(w.db)
	set := func(c command.SetLimits) command.Applied {
		c.Guard = 1
		return w.apply(c)
	}
	a := set(command.SetLimits{Nodes: tree.Limits{Principal: tree.Usage{Nodes: 1 << 21}}})
	require.Equal(t, command.Executed, a.Verdict)
	require.Empty(t, a.Effects)
	set(command.SetLimits{Nodes: tree.Limits{Directory: tree.Usage{Nodes: 1 << 20, Bytes: 1 << 30}}, Sessions: 3})
	want := first
	want.Principal.Nodes, want.Directory = 1<<21, tree.Usage{Nodes: 1 << 20, Bytes: 1 << 30}
	require.Equal(t, want, tree.GetLimits(w.db))
	require.EqualValues(t, 3, rows.GetMaxSessions(w.db))
	require.NoError(t, command.Audit(w.db))

	require.Equal(t, api.Aborted, w.apply(command.SetLimits{Guard: 2, Sessions: 9}).Result.Code)
	require.EqualValues(t, 3, rows.GetMaxSessions(w.db))
}

func TestACellThatWasNotFoundedHasNoLimitsToSet(t *testing.T) {
	c := newCell(t)
	c.epoch()
	require.Equal(t, api.NotFound, c.apply(command.SetLimits{Guard: 1, Sessions: 9}).Result.Code)
	require.EqualValues(t, rows.MaxSessions, rows.GetMaxSessions(c.db))
}

// A principal or directory above a new limit keeps what it has; it may shrink, but not grow.
func TestWhatIsAboveANewLimitMayNotGrow(t *testing.T) {
	w := newWorld(t)
	f := w.make("/f", api.File)
	w.made(w.bob, command.OpenNode{Path: path("/g"), Rights: api.RightRead, Create: api.CreateMust, Kind: api.File, Contents: "four"})
	write := func(s string) api.Code { return w.code(w.ann, command.SetContents{Node: f, Contents: s}) }
	require.Equal(t, api.OK, write("eight by"))
	w.apply(command.SetLimits{Guard: 1, Nodes: tree.Limits{Principal: tree.Usage{Nodes: 1, Bytes: 5}}, Sessions: 1})
	require.Equal(t, api.Quota, write("nine byte"))
	require.Equal(t, api.OK, write("seven b"))
	require.Equal(t, api.Quota, w.code(w.ann, command.OpenNode{Path: path("/h"), Rights: api.RightRead, Create: api.CreateMust, Kind: api.File}))
	require.Equal(t, api.OK, w.code(w.ann, command.DeleteNode{Node: f}))

	open := command.Call{Guard: 1, Op: api.OpenSession{Nonce: api.Nonce{9}}, Principal: "ann"}
	require.Equal(t, api.Busy, w.apply(open).Result.Code, "two are alive")
	w.apply(command.Expire{Guard: 1, Session: w.ann})
	require.Equal(t, api.Busy, w.apply(open).Result.Code, "one is")
	w.apply(command.Expire{Guard: 1, Session: w.bob})
	require.Equal(t, api.OK, w.apply(open).Result.Code)
}

// Limits are rows like others: a restored cell has those of its backup.
func TestARestoredCellHasTheLimitsOfItsBackup(t *testing.T) {
	w := newWorld(t)
	w.apply(command.SetLimits{Guard: 1, Nodes: tree.Limits{Principal: tree.Usage{Nodes: 77}}, Sessions: 5})
	want := tree.GetLimits(w.db)
	command.Restore(w.db, command.Restoration{Master: 1, Ballot: rows.Ballot{Round: 99, Node: 1}, Secret: [32]byte{7}, Nonce: api.Nonce{99}})
	require.Equal(t, want, tree.GetLimits(w.db))
	require.EqualValues(t, 77, want.Principal.Nodes)
	require.EqualValues(t, 5, rows.GetMaxSessions(w.db))
	require.NoError(t, command.Audit(w.db))
}
