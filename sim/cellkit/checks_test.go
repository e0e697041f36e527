package cellkit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cellkit"
	"github.com/chubbycell/chubby/sim/faults"
	"github.com/chubbycell/chubby/sim/simtest"
)

// busy is programs that make every kind of call on a few nodes of two cells, so that the checkers of
// the cells have something to check.
type busy struct{ cells []*cellkit.Cell }

func (*busy) Name() string { return "busy" }
func (*busy) Clients() int { return 4 }
func (b *busy) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		d := rt.Env().Draw("busy")
		for rt.Env().World().Now() < safety {
			ctx, cancel := rt.WithTimeout(context.Background(), 20*time.Second)
			c := cellkit.NewClient(rt, client.Config{Rho: rho}, b.cells...)
			for rt.Env().World().Now() < safety && d.Int(50) > 0 {
				err := b.step(ctx, c, d)
				if errors.Is(err, client.ErrSessionExpired) || ctx.Err() != nil {
					break
				}
			}
			if d.Chance(1, 2) {
				_ = c.Close(ctx)
			}
			cancel()
		}
	}
}

// step opens a node, makes a call, and closes the handle or forgets it.
func (b *busy) step(ctx context.Context, c *client.Client, d *sim.Draw) error {
	ctx, cancel := c.Runtime().WithTimeout(ctx, 3*time.Second)
	defer cancel()
	at := d.Int(2)
	dir := []string{"/ls/west/d", "/ls/east/d"}[at]
	if d.Chance(1, 20) {
		h, err := c.Open(ctx, dir, client.OpenOptions{Rights: client.Read, Create: client.CreateMay, Directory: true})
		if err == nil {
			_, err = h.ReadDir(ctx)
			err = errors.Join(err, h.Close(ctx))
		}
		return err
	}
	name := fmt.Sprintf("%s/f%d", dir, d.Int(3))
	h, err := c.Open(ctx, name, client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay, Ephemeral: d.Chance(1, 4), LockDelay: time.Duration(d.Int(3)) * time.Second})
	if errors.Is(err, client.ErrNotFound) {
		_, err = c.Open(ctx, dir, client.OpenOptions{Rights: client.Read, Create: client.CreateMay, Directory: true})
	}
	if err != nil || h == nil {
		return err
	}
	if d.Chance(4, 5) {
		defer h.Close(ctx)
	}
	switch d.Int(8) {
	case 0:
		_, err = h.SetContents(ctx, fmt.Sprint(d.Int(1000)), 0)
	case 1:
		var s client.Stat
		if _, s, err = h.Contents(client.Uncached(ctx)); err == nil {
			_, err = h.SetContents(ctx, fmt.Sprint(d.Int(1000)), s.Content)
		}
	case 2:
		_, err = h.Stat(client.Uncached(ctx))
	case 3:
		err = h.Delete(ctx)
	default:
		err = lockOf(ctx, b.cells[at], c, h, d)
	}
	return err
}

// lockOf takes the lock of a node, shows its sequencer, and releases it or not; then the sequencer is stale.
func lockOf(ctx context.Context, cell *cellkit.Cell, c *client.Client, h *client.Handle, d *sim.Draw) error {
	mode := client.Exclusive
	if d.Chance(1, 3) {
		mode = client.Shared
	}
	get := h.TryAcquire
	if d.Chance(1, 2) {
		get = h.Acquire
	}
	l, err := get(ctx, mode)
	if err != nil {
		return err
	}
	cell.Holds(c, h, l, mode)
	c.Runtime().(interface{ Env() *sim.Env }).Env().Count("locked")
	_ = h.CheckSequencer(ctx, l.Sequencer())
	_ = c.Runtime().Sleep(ctx, d.Duration(0, 300*time.Millisecond))
	if d.Chance(1, 3) {
		return nil
	}
	err = l.Release(ctx)
	_ = h.CheckSequencer(ctx, l.Sequencer())
	return err
}

// checked is worlds of busy programs under a swarm of faults.
func checked(seeds uint64) simtest.World {
	tune := func(c *driver.Config) {
		c.Core.Paxos.Lease.Rho, c.Core.Sessions.LeaseMin = rho, 2*time.Second
	}
	return simtest.World{Seeds: seeds, Config: sim.Config{Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond, 5 * time.Millisecond}}}, Scenario: func(seed uint64) sim.Scenario {
		b := &busy{}
		return sim.Scenario{Faults: faults.SwarmWithClients(seed), Workloads: []sim.Workload{b}, Safety: safety, Liveness: 2 * time.Minute, Setup: func(w *sim.World) {
			b.cells = []*cellkit.Cell{cellkit.Add(w, cellkit.Config{Name: "west", Tune: tune}), cellkit.Add(w, cellkit.Config{Name: "east", Tune: tune})}
		}}
	}}
}

// Correct cells break nothing, whatever the swarm does.
func TestCellsUnderASwarmOfFaultsKeepTheirProperties(t *testing.T) {
	totals := checked(10).Run(t)
	require.Greater(t, totals.Counter("locked").Sum, uint64(100))
}
