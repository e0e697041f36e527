package cell

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/beliefs"
)

// keptGuest returns a client that has kept its session for a while after healing.
func keptGuest(t *testing.T) (*guests, *beliefs.Wire) {
	g := newGuests(t, 1)
	g.cell.promises.Healed = true
	g.come(func(rt *sim.Runtime, c *client.Client) {
		require.NoError(t, c.Ready(context.Background()))
		require.NoError(t, rt.Sleep(context.Background(), time.Hour))
	})
	g.run(func() bool { return len(g.cell.promises.Wires) > 0 && g.cell.promises.Wires[0].Kept > 0 })
	return g, g.cell.promises.Wires[0]
}

func (g *guests) breaks(breaks bool, what string) {
	f := g.cell.world.Failure()
	require.Equal(g.t, breaks, f != nil, what)
	if f != nil {
		require.Equal(g.t, "S11", f.ID)
	}
}

// A lease that ends at the master a millisecond before the client's bound is too short.
func TestS11AClientNeverCountsOnMoreThanItsLease(t *testing.T) {
	for short, breaks := range map[time.Duration]bool{-time.Millisecond: false, time.Millisecond: true} {
		g, w := keptGuest(t)
		r := g.master()
		until, ok := w.Counts()
		require.True(t, ok)
		clock, id := r.Clock(), paxos.NodeID(r.Addr())
		lease := clock.Mono()
		for step := time.Minute; step > 0; step /= 2 { // the reading at that instant
			if clock.TrueTime(lease.Add(step)) <= until-short {
				lease = lease.Add(step)
			}
		}
		g.cell.promises.OnLease(id, w.Life.Session()+1, clock.Mono())
		g.breaks(false, "another session")
		g.cell.promises.OnLease(id, w.Life.Session(), lease)
		g.breaks(breaks, short.String())
	}
}

func TestS11ASessionThatIsKeptDoesNotEnd(t *testing.T) {
	g, w := keptGuest(t)
	ends := func(guard api.Epoch, s api.SessionID, v command.Verdict) {
		g.cell.promises.OnCommand(&command.Applied{Command: command.Expire{Guard: guard, Session: s}, Verdict: v, Result: api.Result{Code: api.OK}})
	}
	kept := w.KeptIn
	ends(kept, w.Life.Session(), command.Refused)
	ends(kept-1, w.Life.Session(), command.Executed)
	ends(kept, w.Life.Session()+1, command.Executed)
	g.cell.promises.Healed = false
	ends(kept, w.Life.Session(), command.Executed)
	g.cell.promises.Healed = true
	ends(kept+1, w.Life.Session(), command.Executed) // the next master has only reported the fail-over to it
	g.breaks(false, "none of these")
	ends(kept, w.Life.Session(), command.Executed)
	g.breaks(true, "it was kept")
}
