package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/plan"
)

// Without faults, clients get answers at once in every cell. If all kinds of faults strike until
// healing, some clients wait for seconds.
func TestClientsWaitForAnswersAfterFaults(t *testing.T) {
	longest := func(faults []string, seeds uint64, enough time.Duration) (most time.Duration, clients int) {
		for seed := uint64(0); seed < seeds && most <= enough; seed++ {
			r := Run(plan.Options{Seed: seed, Replicas: 3, Faults: faults, Workload: "mixed", Steady: true})
			require.Nil(t, r.Breach)
			require.LessOrEqual(t, len(r.FirstAnswers), r.Clients)
			for _, d := range r.FirstAnswers {
				most, clients = max(most, d), clients+1
			}
		}
		return most, clients
	}
	most, clients := longest([]string{}, 4, time.Minute)
	require.Less(t, most, time.Second)
	require.Greater(t, clients, 10)
	all, err := plan.ParseFaults("all", nil)
	require.NoError(t, err)
	most, _ = longest(all, 32, 2*time.Second)
	require.Greater(t, most, 2*time.Second)
}
