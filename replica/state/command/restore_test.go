package command_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// The rows of a backup become those of a new cell: the files are the same, no old session is alive, and
// no number that the old cell may have given out since comes again.
func TestRowsAreRestored(t *testing.T) {
	w := newWorld(t)
	f, g := w.make("/f", api.File), w.make("/g", api.File)
	require.Equal(t, api.OK, w.code(w.ann, command.SetContents{Node: f, Contents: "kept"}))
	require.Equal(t, api.OK, w.code(w.ann, command.Acquire{Node: f, Handle: handle(1), Mode: api.Exclusive, Delay: 7}))
	require.Equal(t, api.OK, w.code(w.bob, command.Acquire{Node: g, Handle: handle(2), Mode: api.Shared}))
	w.apply(command.Constant{Guard: 1, Name: "rho", Value: "500"})
	w.apply(command.LongestLease{Guard: 1, Lease: 12 * time.Second})
	before, stat := rows.GetTotals(w.db), statOf(w, f)
	fenced := api.Sequencer{Node: g, Mode: api.Shared, Gen: statOf(w, g).Lock}

	r := command.Restoration{Master: 4, Ballot: rows.Ballot{Round: 1000, Node: 4}, Secret: [32]byte{8}, Nonce: api.Nonce{8, 8}, Lease: time.Minute}
	e := command.Restore(w.db, r)
	require.Equal(t, rows.Epoch{Number: 1 + rows.Gap, Master: 4, Ballot: r.Ballot}, e)
	require.NoError(t, command.Audit(w.db))

	contents, now, code := tree.Contents(w.db, f)
	require.Equal(t, api.OK, code)
	require.Equal(t, "kept", contents)
	require.Equal(t, stat, now, "the file is the one that it was")
	constant, _ := rows.GetConstant(w.db, "rho")
	require.Equal(t, "500", constant)
	require.Equal(t, time.Minute, rows.GetLongestLease(w.db))

	alive := rows.SessionIDs(w.db)
	require.Len(t, alive, 1, "one that no client has")
	require.Greater(t, uint64(alive[0]), uint64(before.Commands)+rows.Gap)
	require.Empty(t, lock.Holdings(w.db))
	require.False(t, lock.Get(w.db, f).IsClaimable(api.Exclusive), "its lock-delay has not passed")
	require.True(t, lock.Get(w.db, g).IsClaimable(api.Exclusive))

	for _, old := range []api.SessionID{w.ann, w.bob, api.SessionID(before.Commands) + 9} {
		require.Equal(t, api.NoSession, w.apply(command.NodeCommand{Guard: w.guard(), Session: old, Seq: 900, AckedThrough: 899, Op: command.GetStat{Node: f}}).Result.Code)
	}
	cy := w.openAs(77, "cy")
	require.Greater(t, uint64(cy), uint64(before.Commands)+rows.Gap)
	require.Equal(t, api.StaleSequencer, w.code(cy, command.CheckSequencer{Node: g, Sequencer: fenced}))
	held := w.act(cy, command.Acquire{Node: g, Handle: handle(9), Mode: api.Shared}).Result.Detail.(api.Held)
	require.Greater(t, uint64(held.Gen), uint64(fenced.Gen)+rows.Gap)
	require.Equal(t, api.StaleSequencer, w.code(cy, command.CheckSequencer{Node: g, Sequencer: fenced}))
}

// If the rows have a longer longest lease than the Restoration, it is not lowered.
func TestTheLongestLeaseIsNotLoweredByARestoration(t *testing.T) {
	w := newWorld(t)
	w.apply(command.LongestLease{Guard: 1, Lease: 5 * time.Minute})
	command.Restore(w.db, command.Restoration{Master: 1, Ballot: rows.Ballot{Round: 1000, Node: 1}, Secret: [32]byte{8}, Nonce: api.Nonce{8}, Lease: time.Minute})
	require.Equal(t, 5*time.Minute, rows.GetLongestLease(w.db))
}

func statOf(w *world, n api.Ref) api.Stat {
	stat, code := tree.Stat(w.db, n)
	require.Equal(w.t, api.OK, code)
	return stat
}
