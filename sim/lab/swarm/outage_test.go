package swarm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/chubby"
	"github.com/chubbycell/chubby/sim/lab/redlock"
	"github.com/chubbycell/chubby/sim/lab/setnx"
	"github.com/chubbycell/chubby/sim/lab/swarm"
)

func TestAMajorityGoesOn(t *testing.T) {
	for _, x := range []struct {
		system   lab.System
		servers  int
		tolerate int
	}{
		{setnx.System(), 1, 0}, {chubby.System(), 3, 1}, {redlock.System(), 5, 2},
	} {
		servers, err := swarm.Servers(&x.system)
		require.NoError(t, err)
		require.Equal(t, x.servers, servers, x.system.Name)
		for failed := range servers + 1 {
			for seed := uint64(1); seed <= 3; seed++ {
				seen, err := swarm.RunOutage(&x.system, failed, seed)
				require.NoError(t, err)
				require.Equal(t, failed <= x.tolerate, seen.On, "%s, %d of %d failed, seed %d", x.system.Name, failed, servers, seed)
				require.Zero(t, seen.Lost)
			}
		}
	}
}

func TestAnOutageInWords(t *testing.T) {
	s := setnx.System()
	o := swarm.OutageOf(&s, 1, 0, []swarm.Surviving{{On: true, Gap: 2e9}, {}, {On: true, Gap: 4e9, Lost: 1}})
	require.Equal(t, 2, o.On.Hits)
	require.Equal(t, 1, o.Lost.Hits)
	require.InDelta(t, 4.0, o.Longest, 0.001)
	require.Nil(t, swarm.NoOutage(&s).On)
	require.Nil(t, swarm.OutageOf(&s, 1, 1, []swarm.Surviving{{}}).Gap, "there was no grant")
}
