package cell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// HoldersIn returns nothing for an epoch older than that of the log.
func TestHoldersInThePresentEpochOnly(t *testing.T) {
	w := worldtest.New(t)
	owner := model.Owner{Session: 1, Handle: api.HandleID{Epoch: 1, Counter: 1}}
	c := &Cell{locks: locks.New(w.World, 0), watch: &agreement.Checker{Epochs: &agreement.Epochs{Highest: 4}}}
	c.locks.OnCommand(&command.Applied{
		Command: command.NodeCommand{Session: 1, Seq: 1, Op: command.Acquire{Handle: owner.Handle, Mode: api.Exclusive}}, Verdict: command.Executed,
		Result: api.Result{Code: api.OK, Detail: api.Held{Gen: 5, Acquisition: 5}},
	}, 1)
	require.Equal(t, []model.Owner{owner}, known{c}.HoldersIn(4))
	require.Empty(t, known{c}.HoldersIn(3))
}
