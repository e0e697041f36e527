package workload

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

// A wait begins at healing or with the first call after it, and ends with the first
// definite answer, whichever call that is of.
func TestAWaitBeginsAtHealingOrWithTheFirstCall(t *testing.T) {
	const a, b, c = sim.FirstClient, sim.FirstClient + 1, sim.FirstClient + 2
	w := &Waits{}
	old := w.begins(a, 1)
	w.answers(a, 2) // not healed yet
	w.begins(c, 3)()
	w.Heals(10)
	w.begins(a, 11)() // without an answer
	later := w.begins(b, 20)
	w.answers(a, 15)
	w.answers(b, 23)
	w.answers(b, 40)
	later()
	old()
	require.Equal(t, []time.Duration{5, 3}, w.List(), "c asked for nothing after healing")
	require.Zero(t, w.of(b).underWay)
}
