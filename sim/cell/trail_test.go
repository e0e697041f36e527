package cell

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// A call on a lock is published with its own number, not with that of the program's last call on a
// node.
func TestCallsAreToldWithTheirNumbers(t *testing.T) {
	seen := map[*client.CallID]string{}
	locks := 0
	o := plan.Options{Seed: 3, Workload: "locks", Faults: []string{}, Duration: 5 * time.Second}
	o.Listen = func(_ time.Duration, e event.Event) {
		c, ok := e.(event.CallEnded)
		if !ok || c.Trail == nil {
			return
		}
		before, twice := seen[c.Trail]
		require.False(t, twice, "%s has the number of %s", c.Call, before)
		if seen[c.Trail] = c.Call; strings.HasPrefix(c.Call, "acquire /") && c.Err == nil {
			locks++
			require.NotZero(t, *c.Trail)
		}
	}
	require.Nil(t, Run(o).Breach)
	require.Positive(t, locks)
}
