package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/event"
)

// A run that breaks at its end continues to the power cut of all replicas. The status of the
// replicas is published once, as it was at the break.
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
	publishStatus(c.Cell)
	require.Equal(t, c.plan.Replicas, told)
	require.Equal(t, c.plan.Replicas, up)
}
