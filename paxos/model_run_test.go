package paxos

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/internal/draw"
)

var modelSeeds = flag.Int("model.seeds", 400, "seeds of TestModelSeeds")

// shrinking makes the choices of a run by rapid.
type shrinking struct{ t *rapid.T }

func (s shrinking) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(s.t, what) }

// seeded makes them by a seed: many times faster.
type seeded struct{ draws draw.Stream }

func (s *seeded) pick(_ string, n int) int { return s.draws.Int(n) }

// Agreement under everything the model does, with rapid's shrinking: a failure
// comes as a short list of choices.
func TestModelShrinking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t, shrinking{t})
		for range rapid.SampledFrom([]int{50, 400, 2000}).Draw(t, "steps") {
			m.step()
		}
		if m.swarm.frail < 2 {
			m.heal()
		}
	})
}

// The same by seeds, longer and more of it. What is worth seeing must have been
// seen: a model that never loses a record proves nothing about lost records.
func TestModelSeeds(t *testing.T) {
	var total Counters
	seen, slots := map[string]int{}, 0
	for seed := range uint64(*modelSeeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := newModel(t, &seeded{draws: draw.New(seed).Stream("model", 0)})
			for range 2000 {
				m.step()
			}
			if m.swarm.frail < 2 {
				m.heal()
			}
			for _, r := range m.nodes {
				if r.node != nil {
					addCounters(&m.total, r.node.Status().Count)
				}
			}
			addCounters(&total, m.total)
			slots += len(m.chosen)
			for what, n := range m.seen {
				seen[what] += n
			}
		})
	}
	require.Greater(t, slots, 5**modelSeeds)
	require.Greater(t, seen["records lost in a crash"], 0)
	require.Greater(t, seen["values lost by a disk"], 0)
	require.Greater(t, seen["coups"], 0)
	require.Greater(t, seen["slots truncated"], 0)
	require.Greater(t, seen["leases held"], 0)
	require.Greater(t, seen["restarts with a shorter Grant"], 0)
	for what, n := range map[string]uint64{
		"campaigns": total.Campaigns, "tenures": total.Tenures, "quorum lost": total.QuorumLost, "no-ops": total.NoopFilled,
		"unreadable votes": total.UnreadableVotes, "window full": total.WindowFull, "retransmitted": total.Retransmitted,
		"fetches": total.Fetches, "source switched": total.SourceSwitched, "stale": total.Stale,
		"snapshots installed": total.Installed, "over a vote": total.InstalledOverVote, "below a vote": total.InstalledBelowVote,
		"lease rejections": total.LeaseRejections, "waited": total.Waited, "stale grants": total.StaleGrants, "boosts": total.Boosts, "boosted": total.Boosted,
	} {
		require.Positive(t, n, what)
	}
	t.Logf("%d slots chosen; %v; %+v", slots, seen, total)
}
