package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// C05, C20: the fence is tested at this place of the log, before anything else of the node
// operation.
func TestAnOperationBehindAStaleFenceIsNotExecuted(t *testing.T) {
	w := newWorld(t)
	l, f, d := w.make("/l", api.File), w.make("/f", api.File), w.make("/d", api.Directory)
	gone := api.Ref{Path: path("/none"), Instance: 1}
	held := w.acquired(w.ann, l, 1, api.Exclusive)
	a := w.act(w.ann, command.GetSequencer{Node: l, Handle: handle(1)})
	fence := a.Result.Detail.(api.Sequenced).Sequencer
	require.Equal(t, api.Sequencer{Node: l, Mode: api.Exclusive, Gen: held.Gen}, fence)
	require.Equal(t, api.NotHeld, w.code(w.ann, command.GetSequencer{Node: f, Handle: handle(1)}), "of another node")
	require.Equal(t, api.NotHeld, w.code(w.bob, command.GetSequencer{Node: l, Handle: handle(1)}), "of another session")

	ops := []command.NodeOp{
		command.OpenNode{Dir: d, Path: path("/d/x"), Rights: read, Create: may, Kind: api.File, Fence: fence},
		command.OpenNode{Dir: gone, Path: gone.Path, Rights: read, Fence: fence},
		command.GetContents{Node: f, Fence: fence},
		command.GetContents{Node: gone, Fence: fence},
		command.GetStat{Node: f, Fence: fence},
		command.ReadDir{Node: d, Fence: fence},
		command.SetContents{Node: f, Contents: "v", Fence: fence},
		command.SetContents{Node: f, Contents: "v", When: 1, Fence: fence},
		command.SetACL{Node: f, Names: of("***"), Fence: fence},
		command.Acquire{Node: f, Handle: handle(7), Mode: api.Shared, Wait: true, Fence: fence},
		command.GetSequencer{Node: f, Handle: handle(7), Fence: fence},
		command.CheckSequencer{Node: l, Sequencer: fence, Fence: fence},
		command.DeleteNode{Node: f, Fence: fence},
	}
	valid := []api.Code{api.OK, api.Gone, api.OK, api.Gone, api.OK, api.OK, api.OK, api.Conflict, api.OK, api.OK, api.OK, api.OK, api.OK}
	for i, d := range ops {
		require.Equal(t, valid[i], w.code(w.bob, d), "%#v", d)
	}
	f = w.make("/f", api.File)
	ops = append(ops, command.DeleteNode{Node: f, Fence: fence})
	require.Equal(t, api.OK, w.code(w.ann, command.Release{Node: l, Handle: handle(1), Acquisition: held.Acquisition}))
	stale := func(why string) {
		for _, d := range ops {
			before := w.db.Len()
			a := w.act(w.bob, d)
			require.Equal(t, command.Executed, a.Verdict)
			require.Equal(t, api.Result{Code: api.StaleSequencer}, a.Result, "%s: %#v", why, d)
			require.Equal(t, before+1, w.db.Len(), "an answer and nothing else")
		}
		require.Equal(t, api.StaleSequencer, w.code(w.bob, command.CheckSequencer{Node: l, Sequencer: fence}))
		require.Empty(t, w.contents(f))
	}
	stale("the lock is free")
	w.acquired(w.ann, l, 1, api.Exclusive)
	stale("the same handle holds it again")
	require.Equal(t, api.OK, w.code(w.ann, command.DeleteNode{Node: l}))
	w.acquired(w.ann, w.make("/l", api.File), 1, api.Exclusive)
	stale("the lock of another node of that name is held")
}

// The fence is tested before the operation is executed: a deletion may take away the very lock of its
// fence.
func TestADeletionMayTakeItsOwnFenceAway(t *testing.T) {
	w := newWorld(t)
	l := w.make("/l", api.File)
	held := w.acquired(w.ann, l, 1, api.Exclusive)
	fence := api.Sequencer{Node: l, Mode: api.Exclusive, Gen: held.Gen}
	require.Equal(t, api.OK, w.code(w.ann, command.DeleteNode{Node: l, Fence: fence}))
	require.Equal(t, api.StaleSequencer, w.code(w.ann, command.DeleteNode{Node: l, Fence: fence}))
}
