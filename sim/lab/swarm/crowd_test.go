package swarm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/consul"
	"github.com/chubbycell/chubby/sim/lab/etcd"
	"github.com/chubbycell/chubby/sim/lab/setnx"
	"github.com/chubbycell/chubby/sim/lab/swarm"
)

func crowdOf(t *testing.T, s lab.System, waiters int) swarm.Crowd {
	x, err := swarm.RunCrowd(&s, waiters, 1)
	require.NoError(t, err)
	require.NotZero(t, x.Releases)
	again, err := swarm.RunCrowd(&s, waiters, 1)
	require.NoError(t, err)
	require.Equal(t, x, again, "one seed, one history")
	return swarm.CrowdOf(&s, waiters, []swarm.Crowding{x})
}

func TestAReleaseWakesAllThatWaitForTheSameKeyAndOneOfAQueue(t *testing.T) {
	require.Equal(t, 15.0, crowdOf(t, consul.System(), 15).Moved.Value)
	require.Equal(t, 1.0, crowdOf(t, etcd.System(), 15).Moved.Value)
}

func TestPollingMovesFewAndCostsMessagesByTheWaiter(t *testing.T) {
	few, many := crowdOf(t, setnx.System(), 3), crowdOf(t, setnx.System(), 15)
	require.Less(t, many.Moved.Value, 2.0)
	require.Greater(t, many.Messages.Value, 4*few.Messages.Value)
	require.Less(t, many.HandOff.Value, few.HandOff.Value, "the more ask, the sooner one asks in time")
}
