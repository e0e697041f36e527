package workload

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
)

// A wait begins at healing or with the first call after it, and ends with the first definite answer
// to any call.
func TestAWaitBeginsAtHealingOrWithTheFirstCall(t *testing.T) {
	const a, b, c = sim.FirstClient, sim.FirstClient + 1, sim.FirstClient + 2
	w := &Waits{}
	old := w.onCall(a, 1)
	w.onAnswer(a, 2) // not healed yet
	w.onCall(c, 3)()
	w.Heals(10)
	w.onCall(a, 11)() // without an answer
	later := w.onCall(b, 20)
	w.onAnswer(a, 15)
	w.onAnswer(b, 23)
	w.onAnswer(b, 40)
	later()
	old()
	require.Equal(t, []time.Duration{5, 3}, w.List(), "c asked for nothing after healing")
	require.Zero(t, w.of(b).underWay)
}
