package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/plan"
)

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
