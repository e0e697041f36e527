package swarm_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/chubby"
	"github.com/chubbycell/chubby/sim/lab/postgres"
	"github.com/chubbycell/chubby/sim/lab/setnx"
	"github.com/chubbycell/chubby/sim/lab/setpx"
	"github.com/chubbycell/chubby/sim/lab/swarm"
	"github.com/chubbycell/chubby/sim/lab/systems"
)

// measured runs seeds of some systems in every place of their grid.
func measured(t *testing.T, seeds uint64, all ...lab.System) *swarm.Table {
	grid, _, err := swarm.Grid(all, swarm.Choice{})
	require.NoError(t, err)
	table := swarm.NewTable(grid)
	for seed := uint64(1); seed <= seeds; seed++ {
		for i := range grid {
			x, err := grid[i].Run(seed)
			require.NoError(t, err)
			table.Add(i, x)
		}
	}
	return table
}

func TestASeedIsOneHistory(t *testing.T) {
	grid, _, err := swarm.Grid([]lab.System{setpx.System()}, swarm.Choice{})
	require.NoError(t, err)
	for i := range grid {
		a, err := grid[i].Run(7)
		require.NoError(t, err)
		b, err := grid[i].Run(7)
		require.NoError(t, err)
		require.Equal(t, a, b, grid[i].Fault.Name)
		require.NotZero(t, a.Updates, grid[i].Fault.Name)
	}
}

func TestOurCellLosesNothingBehindTheFence(t *testing.T) {
	table := measured(t, 5, chubby.System())
	for _, r := range table.Rows() {
		require.Zero(t, r.Read.Hits, "%s: an update is lost behind the read-and-write fence", r.Fault)
	}
	cost := table.Costs()[0]
	require.Zero(t, cost.Never)
	require.Less(t, cost.Longest, 60.0, "seconds without a holder: a lease and a lock-delay")
}

func TestALockWithoutAnExpiryIsNeverFreedByItself(t *testing.T) {
	table := measured(t, 3, setnx.System())
	for _, r := range table.Rows() {
		require.Nil(t, r.Read, "there is no token")
		if r.Fault == "pause" || r.Fault == "clock-step" || r.Fault == "client-crash" {
			require.Zero(t, r.Overlap.Hits, r.Fault)
		}
	}
	cost := table.Costs()[0]
	require.Equal(t, cost.Crashes, cost.Never)
	require.NotZero(t, cost.Crashes)
}

func TestATokenInATableOutlivesAPowerCut(t *testing.T) {
	for _, r := range measured(t, 5, postgres.System()).Rows() {
		if r.Fault == swarm.ServerCrash {
			require.NotZero(t, r.Overlap.Hits, "the lock itself does not")
			require.Zero(t, r.Read.Hits, "an update is lost behind the read-and-write fence")
			require.Zero(t, r.Refused.Hits, "the latest holder is refused")
		}
	}
}

func TestWhatStandsForAClusterDoesNotCrash(t *testing.T) {
	for _, name := range []string{"zookeeper", "etcd", "consul"} {
		s, found := systems.Named(name)
		require.True(t, found, name)
		grid, gaps, err := swarm.Grid([]lab.System{s}, swarm.Choice{})
		require.NoError(t, err)
		require.Len(t, gaps, 1, name)
		require.Equal(t, swarm.ServerCrash, gaps[0].Fault)
		crashes := slices.ContainsFunc(grid, func(p swarm.Place) bool { return p.Fault.Name == swarm.ServerCrash })
		require.False(t, crashes, name)
	}
}

func TestAPartOfTheGrid(t *testing.T) {
	all := []lab.System{setnx.System(), setpx.System()}
	grid, gaps, err := swarm.Grid(all, swarm.Choice{Faults: []string{"pause", "partition"}, Resources: []string{"write-check", "read-and-write check"}})
	require.NoError(t, err)
	require.Empty(t, gaps)
	require.Len(t, grid, 4, "setnx has no token")
	table := swarm.NewTable(grid)
	for i := range grid {
		x, err := grid[i].Run(1)
		require.NoError(t, err)
		table.Add(i, x)
	}
	rows := table.Rows()
	require.Len(t, rows, 2)
	require.Nil(t, rows[0].Lost)
	require.Nil(t, rows[0].Overlap)
	require.Equal(t, 1, rows[1].Read.Of)
	require.Empty(t, table.Costs(), "nothing ran without faults")
}

func TestALeaseIsOutlastedByAPause(t *testing.T) {
	for _, r := range measured(t, 5, setpx.System()).Rows() {
		switch r.Fault {
		case "pause", "late-write":
			require.NotZero(t, r.Lost.Hits, r.Fault)
			require.Zero(t, r.Read.Hits, r.Fault)
		case "client-crash":
			require.Zero(t, r.Lost.Hits, r.Fault)
		}
	}
}
