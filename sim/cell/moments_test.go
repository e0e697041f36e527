package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim/plan"
)

// A strike comes with the first command of its kind, once, where it waits for it: as it
// is proposed, or as it is applied.
func TestAStrikeWaitsForItsMoment(t *testing.T) {
	for _, applied := range []bool{false, true} {
		c := someCell(t, 11, func(*plan.Plan) {})
		struck := 0
		c.moments = []moment{{kind: order[command.Sweep], applied: applied, strike: func() { struck++ }}}
		other := []command.Command{command.ConfirmLeadership{}, command.NodeCommand{Op: command.Acquire{}}}
		sweep := []command.Command{command.ConfirmLeadership{}, command.Sweep{}}

		c.passes(other, ran(other))
		require.Zero(t, struck)
		if applied {
			c.passes(sweep, nil)
		} else {
			c.passes(nil, ran(sweep))
		}
		require.Zero(t, struck, "not that of it")
		c.passes(sweep, ran(sweep))
		require.Equal(t, 1, struck)
		c.passes(sweep, ran(sweep))
		require.Equal(t, 1, struck)
	}
}

func ran(commands []command.Command, effects ...command.Effect) []core.Applied {
	var all []command.Applied
	for _, c := range commands {
		all = append(all, command.Applied{Command: c, Effects: effects})
	}
	return []core.Applied{{}, {Commands: all}}
}

// Each kind is met by one command, and no command by two kinds but where it is to be
// twice as likely.
func TestMomentsAreOfAllKinds(t *testing.T) {
	for _, c := range []command.Command{
		command.NodeCommand{Op: command.OpenNode{}}, command.NodeCommand{Op: command.CloseHandle{}}, command.NodeCommand{Op: command.Fail{}},
		command.DelayOver{}, command.LongestLease{}, command.Backup{}, command.Call{Op: api.Put{}}, command.Call{Op: api.EndSession{}},
	} {
		met := 0
		for _, is := range kinds {
			if is(c) {
				met++
			}
		}
		require.Equal(t, 1, met, "%T %+v", c, c)
	}
}

// A second delay of a lock is a moment, and the first is none.
func TestASecondDelayIsAMoment(t *testing.T) {
	c := someCell(t, 11, func(*plan.Plan) {})
	struck := 0
	c.moments = []moment{{strike: func() { struck++ }}}
	n := api.Ref{Instance: 3}
	began := command.LockChanged{Effect: lock.DelayBegan{Lock: n, Freed: 7, Delay: 100}}
	c.locks.Owed.Begin(n, 7, time.Second)
	c.passes(nil, ran([]command.Command{command.Expire{}}, began))
	require.Zero(t, struck)
	c.locks.Owed.Begin(n, 9, time.Second)
	c.passes(nil, ran([]command.Command{command.Expire{}}, began))
	require.Equal(t, 1, struck)
}

// What waits in vain makes room.
func TestFewStrikesWait(t *testing.T) {
	c := someCell(t, 11, func(*plan.Plan) {})
	d := c.world.Draw("test", 0)
	for range 3 * mostMoments {
		c.awaits(d, func() {})
	}
	require.Len(t, c.moments, mostMoments)
}
