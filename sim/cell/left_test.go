package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/event"
)

// A run that breaks at its end goes on to a power cut of all. What replicas take themselves for is told as it broke, and
// once.
func TestWhatReplicasTakeThemselvesForAsItBreaks(t *testing.T) {
	c := someCell(t, 11)
	var up, told int
	c.events.Listen(func(_ time.Duration, e event.Event) {
		if l, ok := e.(event.Left); ok {
			if told++; l.Status != nil {
				up++
			}
		}
	})
	c.world.Break("S1", "what is looked for at the end")
	c.epilogue()
	require.Nil(t, running(c.world.Machine(1)).Host.Core(), "its power was cut")
	leaves(c.Cell)
	require.Equal(t, c.plan.Replicas, told)
	require.Equal(t, c.plan.Replicas, up)
}
