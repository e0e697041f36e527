package cell

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// A program opens an ephemeral file and ends, but its client continues. Two checks fail: the file
// stays when all programs have ended, and no program knows of the handle.
func TestS15AnUnknownHandleAndALeftoverFile(t *testing.T) {
	ctx := context.Background()
	for name, look := range map[string]func(g *guests, rt *sim.Runtime, c *client.Client){
		"a handle": func(g *guests, rt *sim.Runtime, c *client.Client) { g.cell.awaitTidy(rt, c, 0) },
		"a node":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuests(t, 1)
			g.cell.plan.Driver.Core.NodeOps.SweepAfter = time.Second
			opened := false
			g.come(func(rt *sim.Runtime, c *client.Client) {
				h, err := c.Open(ctx, "/ls/local/e", client.OpenOptions{Rights: client.Read, Create: client.CreateMay, Ephemeral: true})
				require.NoError(t, err)
				g.cell.awaitTidy(rt, c, 1)
				opened = true
				if look != nil {
					look(g, rt, c)
				}
				require.NoError(t, rt.Sleep(ctx, 10*time.Minute))
				_ = h
			})
			g.run(func() bool { return opened })
			if look == nil {
				g.cell.awaitSweep()
			} else {
				g.cell.world.RunFor(20 * time.Second)
			}
			require.NotNil(t, g.cell.world.Failure())
			require.Equal(t, "S15", g.cell.world.Failure().ID)
		})
	}
}

// A file that is closed disappears, and then no check fails.
func TestS15WhatIsClosedGoes(t *testing.T) {
	g := newGuests(t, 1)
	done := false
	g.come(func(rt *sim.Runtime, c *client.Client) {
		ctx := context.Background()
		h, err := c.Open(ctx, "/ls/local/e", client.OpenOptions{Rights: client.Read, Create: client.CreateMay, Ephemeral: true})
		require.NoError(t, err)
		require.NoError(t, h.Close(ctx))
		g.cell.awaitTidy(rt, c, 0)
		done = true
		require.NoError(t, rt.Sleep(ctx, 10*time.Minute))
	})
	g.run(func() bool { return done })
	g.cell.awaitSweep()
	require.Nil(t, g.cell.world.Failure())
}

// While no master serves, no client can close anything.
func TestS15InAFailoverNothingIsClosed(t *testing.T) {
	g := newGuests(t, 1)
	opened, looked := false, false
	g.come(func(rt *sim.Runtime, c *client.Client) {
		ctx := context.Background()
		_, err := c.Open(ctx, "/ls/local/e", client.OpenOptions{Rights: client.Read, Create: client.CreateMay})
		require.NoError(t, err)
		opened = true
		require.NoError(t, rt.Sleep(ctx, time.Second))
		looked = true
		g.cell.awaitTidy(rt, c, 0)
	})
	g.run(func() bool { return opened })
	for _, m := range g.cell.machines.Replicas {
		m.Kill()
	}
	g.cell.world.RunFor(3 * tidyBound)
	require.True(t, looked)
	require.Nil(t, g.cell.world.Failure())
}

// A Close may wait as long as the cell still answers calls that the client has under way. After the
// last answer it may not.
func TestS15ACloseWaitsForWhatIsUnderWay(t *testing.T) {
	g := newGuests(t, 1)
	looks := false
	g.come(func(rt *sim.Runtime, c *client.Client) {
		ctx := context.Background()
		_, err := c.Open(ctx, "/ls/local/e", client.OpenOptions{Rights: client.Read, Create: client.CreateMay})
		require.NoError(t, err)
		rt.Go("calls", func() {
			for range 15 {
				require.NoError(t, c.Put(ctx, "k", "v"))
				require.NoError(t, rt.Sleep(ctx, time.Second))
			}
		})
		looks = true
		g.cell.awaitTidy(rt, c, 0)
	})
	g.run(func() bool { return looks })
	g.cell.world.RunFor(15 * time.Second)
	require.Nil(t, g.cell.world.Failure())
	g.cell.world.RunFor(tidyBound)
	require.NotNil(t, g.cell.world.Failure())
	require.Equal(t, "S15", g.cell.world.Failure().ID)
}

// If clients keep caches, a Close may wait behind a change that waits for a client: for as long as
// the lease of that client lasts.
func TestS15ACloseMayWaitForACache(t *testing.T) {
	g := newGuests(t, 1)
	lease := g.cell.plan.Driver.Core.Sessions.LeaseMax
	require.Positive(t, lease)
	before := tidyLimit(g.cell.Cell)
	g.cell.plan.Caches.On = true
	require.GreaterOrEqual(t, tidyLimit(g.cell.Cell), before+lease)
}
