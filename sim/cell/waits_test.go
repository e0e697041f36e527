package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// A wait begins at healing or with the first call after it, and ends with the first
// definite answer, whichever call that is of.
func TestAWaitBeginsAtHealingOrWithTheFirstCall(t *testing.T) {
	const a, b, c = sim.FirstClient, sim.FirstClient + 1, sim.FirstClient + 2
	w := &waits{}
	old := w.begins(a, 1)
	w.answers(a, 2) // not healed yet
	w.begins(c, 3)()
	w.heals(10)
	w.begins(a, 11)() // without an answer
	later := w.begins(b, 20)
	w.answers(a, 15)
	w.answers(b, 23)
	w.answers(b, 40)
	later()
	old()
	require.Equal(t, []time.Duration{5, 3}, w.list(), "c asked for nothing after healing")
	require.Zero(t, w.of(b).underWay)
}

// Without a fault clients are answered at once, in every cell; where all families
// strike until healing, some wait for seconds.
func TestClientsWaitForAnswersAfterFaults(t *testing.T) {
	longest := func(faults []string, seeds uint64) (most time.Duration, clients int) {
		for seed := range seeds {
			r := Run(plan.Options{Seed: seed, Replicas: 3, Faults: faults, Workload: "mixed", Steady: true})
			require.Nil(t, r.Breach)
			require.LessOrEqual(t, len(r.FirstAnswers), r.Clients)
			for _, d := range r.FirstAnswers {
				most, clients = max(most, d), clients+1
			}
		}
		return most, clients
	}
	most, clients := longest([]string{}, 8)
	require.Less(t, most, time.Second)
	require.Greater(t, clients, 20)
	all, err := plan.ParseFaults("all", nil)
	require.NoError(t, err)
	most, _ = longest(all, 32)
	require.Greater(t, most, 2*time.Second)
}
