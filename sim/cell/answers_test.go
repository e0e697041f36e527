package cell

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/plan"
)

var whole = flag.Bool("whole", false, "run all seeds of each test, as .ci/run does: half a minute more")

// few is how many seeds a test runs, of all that it runs with -whole.
func few(few, all uint64) uint64 {
	if *whole {
		return all
	}
	return few
}

// Without faults, clients get answers at once in every cell. If all kinds of faults strike until
// healing, some clients wait for seconds.
func TestClientsWaitForAnswersAfterFaults(t *testing.T) {
	longest := func(faults []string, from, seeds uint64, enough time.Duration) (most time.Duration, clients int) {
		for seed := from; seed < from+seeds && most <= enough; seed++ {
			r := Run(plan.Options{Seed: seed, Replicas: 3, Faults: faults, Workload: "mixed", Steady: true})
			require.Nil(t, r.Breach)
			require.LessOrEqual(t, len(r.FirstAnswers), r.Clients)
			for _, d := range r.FirstAnswers {
				most, clients = max(most, d), clients+1
			}
		}
		return most, clients
	}
	most, clients := longest([]string{}, 0, 4, time.Minute)
	require.Less(t, most, time.Second)
	require.Greater(t, clients, 10)
	all, err := plan.ParseFaults("all", nil)
	require.NoError(t, err)
	most, _ = longest(all, few(23, 0), 32, 2*time.Second) // seed 23 is the only one of 0 to 31 that shows it
	require.Greater(t, most, 2*time.Second)
}
