package paxos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Released that left before the promise of its ballot was durable would outlive
// the life that lost the promise: the next life leads at the same ballot, and the
// late message frees a grant that it counts. (S7; "What a late message may do" in
// doc.go.)
func TestALateReleasedFreesNoGrantOfTheNextLife(t *testing.T) {
	g := newGroup(t, 3, func(c *Config) { c.Lease = Lease{Grant: time.Second, Rho: 200} })
	all := func(from, to NodeID) { // all that is on its way
		for _, w := range g.picked(from, to, "", len(g.bag)) {
			g.deliver(w)
		}
	}
	campaign := func(id NodeID) {
		g.up(id).Campaign(g.now)
		g.take(id)
	}

	// Life 1 of node 1 leads by the promises of 2 and 3; its own is not durable.
	campaign(1)
	for _, id := range []NodeID{2, 3} {
		all(1, id)
		g.sync(id, 1)
		all(id, 1)
	}
	require.Equal(t, Leader, g.up(1).Status().Role)
	first := g.up(1).Status().Ballot

	// It resigns. All that it says is lost or late.
	g.up(1).Resign(g.now)
	g.take(1)
	late := g.picked(1, 2, "released", 1)
	g.bag = nil

	// The crash takes the promise. Life 2 waits out its hold-off, and leads at the same
	// ballot by grants of itself and of 2.
	g.crash(1)
	g.start(1, true)
	g.now = g.now.Add(time.Second)
	campaign(1)
	require.Equal(t, first, g.up(1).Status().Ballot, "the ballot is used again")
	g.sync(1, 1)
	all(1, 2)
	all(2, 1)
	all(1, 2)
	all(2, 1)
	g.bag = nil
	require.True(t, g.up(1).hasLease())

	for _, w := range late {
		g.deliver(w)
	}

	// Node 3 wants to lead, with the help of 2.
	campaign(3)
	g.sync(3, 1)
	for range 3 {
		all(3, 2)
		g.sync(2, 1)
		all(2, 3)
	}
	require.True(t, g.up(1).hasLease(), "the grants run for 998 ms more")
	require.False(t, g.up(3).hasLease(), "two nodes have read authority at one instant")
}
