package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Clients keep caches in about half of the cells whose programs use nodes. Few of these cells have
// no leases, without which nothing is cached.
func TestHalfOfTheCellsWithNodesHaveCaches(t *testing.T) {
	nodes, cached, leaseless, asked, deaf, registries := 0, 0, 0, 0, 0, 0
	for seed := range uint64(4000) {
		p := New(Options{Seed: seed})
		require.False(t, p.Caches.On && !OnNodes(p.Workload))
		require.True(t, p.Caches.On || p.Workload != Cached)
		if !OnNodes(p.Workload) {
			continue
		}
		nodes++
		switch p.Workload {
		case Cached:
			asked++
		case Registry:
			registries++
			require.NotZero(t, p.Watch.Share, "its watchers ask for events")
		}
		if !p.Caches.On {
			continue
		}
		cached++
		if p.Driver.Core.Sessions.LeaseMin == 0 || p.Driver.Core.Paxos.Lease.Grant == 0 {
			leaseless++
		}
		if p.Caches.Deaf > 0 {
			deaf++
		}
	}
	require.Greater(t, 100*cached, 40*nodes)
	require.Less(t, 100*cached, 65*nodes)
	require.Less(t, 4*leaseless, cached)
	require.InDelta(t, 500, asked, 100)
	require.Greater(t, deaf, 200)
	require.InDelta(t, 250, registries, 60)
}

// Handles keep locks in about a third of the cells whose programs use nodes and whose sessions have leases.
func TestAThirdOfTheCellsWithNodesKeepLocks(t *testing.T) {
	might, keep := 0, 0
	for seed := range uint64(4000) {
		p := New(Options{Seed: seed})
		kept := p.Caches.KeepLock > 0
		if !OnNodes(p.Workload) && p.Workload != Fenced || p.Driver.Core.Sessions.LeaseMin == 0 {
			require.False(t, kept)
			continue
		}
		might++
		if kept {
			keep++
		}
	}
	require.InDelta(t, might/3, keep, float64(might)/20)
}

// No plan has programs on nodes without session leases, since nothing could carry their events and drops.
func TestCellsWithNodesHaveSessionLeases(t *testing.T) {
	for seed := range uint64(4000) {
		if p := New(Options{Seed: seed}); OnNodes(p.Workload) {
			require.Positive(t, p.Driver.Core.Sessions.LeaseMin, "seed %d", seed)
		}
	}
}
