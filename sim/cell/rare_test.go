package cell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/wal"
)

func TestAFailOverWithinAFailOverIsCounted(t *testing.T) {
	one, two := paxos.Ballot{Round: 1, Node: 1}, paxos.Ballot{Round: 2, Node: 2}
	var r rare
	r.onTenure(one, 1)
	r.onServing(one)
	r.onTenure(two, 1)
	r.onServing(two)
	require.Zero(t, r.nested)
	r.onTenure(one, 1)
	r.onTenure(two, 1)
	require.EqualValues(t, 1, r.nested)
}

func TestAHandOverIsCountedWhenAReplicaServesAgain(t *testing.T) {
	b := paxos.Ballot{Round: 1, Node: 1}
	var r rare
	r.onStepDown(1, false)
	r.onServing(b)
	require.Zero(t, r.handovers, "it did not serve")
	r.onStepDown(1, true)
	require.Zero(t, r.handovers, "no master serves yet")
	r.onServing(b)
	r.onServing(b)
	require.EqualValues(t, 1, r.handovers)
}

func TestWhatAStartMetIsCounted(t *testing.T) {
	var r rare
	r.onRecovered(store.Report{Repaired: []string{"cell/promise.a", "cell/log/manifest.b"}, Torn: &wal.Torn{}}, false)
	r.onRecovered(store.Report{Repaired: []string{"cell/promise.b"}, Created: true}, false)
	r.onRecovered(store.Report{Repaired: []string{"cell/promise.b"}}, true)
	require.Zero(t, r.halves+r.wholeBehind)
	r.onRecovered(store.Report{Repaired: []string{"cell/promise.b"}, Torn: &wal.Torn{Whole: true}}, false)
	require.EqualValues(t, 1, r.halves)
	require.EqualValues(t, 1, r.wholeBehind)
}

// Situations that need the whole cell are reached within few seeds. The cells have no leases,
// because a replica that has granted a lease does not campaign, which makes duels rare. Seeds 900
// and 901 reach all of them.
func TestSeedsReachWhatTheyShould(t *testing.T) {
	names := []string{"boot-refused-page", "duel-of-three", "roll-in-recovery", "sync-failed-under-load", "failover-in-failover", "hand-over"}
	reached := map[string]uint64{}
	for seed := uint64(0); seed < 12 && !reachedAll(reached, names); seed++ {
		o := plan.Options{Seed: 900 + seed, Faults: []string{"rebirth", "duel", "crash", "depose", "disk-sync-error"}, Lease: plan.LeaseOptions{Grant: -1}}
		for _, n := range Run(o).Sometimes {
			reached[n.Name] += n.Value
		}
	}
	for _, name := range names {
		require.Positive(t, reached[name], name)
	}
}

// reachedAll reports whether every situation in names was reached.
func reachedAll(reached map[string]uint64, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return reached[name] == 0 })
}

func TestALeadAtAForgottenBallotIsCounted(t *testing.T) {
	one, two := paxos.Ballot{Round: 1, Node: 1}, paxos.Ballot{Round: 2, Node: 2}
	var r rare
	r.onTenure(one, 1)
	r.onTenure(two, 1)
	r.onTenure(one, 1)
	require.Zero(t, r.again, "the same life")
	r.onTenure(one, 2)
	require.EqualValues(t, 1, r.again)
}

// A replica sends messages, loses what it wrote meanwhile, and leads at the same ballot
// when they come again. Nothing breaks.
func TestLateMessagesMeetTheNextLifeAtTheSameBallot(t *testing.T) {
	again := uint64(0)
	for seed := few(402, 400); seed < 412 && (again == 0 || *whole && seed < 404); seed++ { // of 400 to 403, seed 402 shows it
		r := Run(plan.Options{Seed: seed, Faults: []string{"late"}})
		require.Nil(t, r.Breach)
		for _, n := range r.Sometimes {
			if n.Name == "ballot-again" {
				again += n.Value
			}
		}
	}
	require.Positive(t, again)
}
