package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Locks are advisory (C7.02): a holder keeps others from the lock, and from no other operation on the
// node.
func TestALockKeepsNobodyFromItsNode(t *testing.T) {
	w := newWorld(t)
	f := w.make("/f", api.File)
	w.acquired(w.ann, f, 1, api.Exclusive)
	require.Equal(t, api.LockHeld, w.code(w.bob, command.Acquire{Node: f, Handle: handle(2), Mode: api.Shared}))
	for _, d := range []command.NodeOp{
		command.OpenNode{Path: f.Path, Rights: read | write},
		command.SetContents{Node: f, Contents: "bob's"},
		command.GetContents{Node: f},
		command.GetStat{Node: f},
		command.SetACL{Node: f, Names: of("***")},
		command.DeleteNode{Node: f},
	} {
		require.Equal(t, api.OK, w.code(w.bob, d), "%T", d)
	}
}
