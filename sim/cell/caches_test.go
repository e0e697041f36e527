package cell

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
)

// A client may read from its cache while its lease runs. A client that was cut off for longer than
// a lease may not.
func TestS12ACacheIsReadWhileTheLeaseRuns(t *testing.T) {
	for cut, id := range map[bool]string{false: "", true: "S12"} {
		g := newGuests(t, 1, func(p *plan.Plan) { p.Workload = plan.Cached })
		done := false
		g.come(func(rt *sim.Runtime, c *client.Client) {
			ctx := context.Background()
			h, err := c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Read, Create: client.CreateMay})
			require.NoError(t, err)
			if cut {
				g.cell.world.Net().Isolate(rt.Env().Self())
			}
			require.NoError(t, rt.Sleep(ctx, 30*time.Second))
			in := linearizability.FileInput{Op: linearizability.FileGetStat, Path: "/f", Instance: uint64(h.StatAtOpen().Instance)}
			out := linearizability.FileOutput{Stat: model.FileStat(h.StatAtOpen())}
			reads{g.cell.Cell}.Begins(c).Ends(in, out, client.CallID{}, client.Read, true)
			done = true
		})
		for end := g.cell.world.Now() + time.Minute; !done && g.cell.world.Failure() == nil && g.cell.world.Now() < end; {
			g.cell.world.RunFor(50 * time.Millisecond)
		}
		if !cut {
			require.True(t, done)
			require.Nil(t, g.cell.world.Failure())
			continue
		}
		require.NotNil(t, g.cell.world.Failure())
		require.Equal(t, id, g.cell.world.Failure().ID)
		require.Contains(t, g.cell.world.Failure().Text, "after its lease may have ended")
	}
}
