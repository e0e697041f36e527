package cell

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/workload"
)

// guests are the only programs in a real cell without faults; a test adds them.
type guests struct {
	t    *testing.T
	cell *seedRun
}

// roomy sets the limits of the cell to those of the shipped product, whatever the seed draws.
func roomy(p *plan.Plan) {
	shipped := core.DefaultConfig()
	shipped.NodeOps.SweepAfter = p.Driver.Core.NodeOps.SweepAfter
	n := &p.Driver.Core
	n.NodeOps, n.MaxPending, n.Paxos.MaxPending = shipped.NodeOps, shipped.MaxPending, shipped.Paxos.MaxPending
	p.Calls.Narrow, p.Busy = false, 0
}

func newGuests(t *testing.T, seed uint64, tune ...func(*plan.Plan)) *guests {
	p := plan.New(plan.Options{Seed: seed, Replicas: 3, Clients: 1, Faults: []string{}, Workload: "mixed"})
	p.Clients, p.Hostile = 0, plan.HostilePlan{}
	roomy(&p)
	p.Driver.Core.Sessions = session.Config{LeaseMin: 4 * time.Second, LeaseMax: 12 * time.Second, KeepAliveRate: 100}
	for _, f := range tune {
		f(&p)
	}
	c := &seedRun{build(p, sim.Config{})}
	t.Cleanup(c.world.Close)
	c.start()
	return &guests{t: t, cell: c}
}

// come starts a program on a machine of its own.
func (g *guests) come(f func(rt *sim.Runtime, c *client.Client)) {
	main := func(rt *sim.Runtime) {
		c, _ := g.cell.promises.Dial(workload.NewLine(rt), client.Config{
			Replicas: g.cell.machines.IDs(), Draw: rt.Env().Draw("client.main").Uint64,
			Rho: int64(g.cell.plan.Driver.Core.Paxos.Lease.Rho),
		})
		g.cell.beliefs.OnClient(workload.Client{Runtime: rt, Client: c})
		f(rt, c)
	}
	m := g.cell.world.Add(sim.MachineConfig{Addr: sim.FirstClient + sim.Addr(len(g.cell.machines.Clients)), Process: sim.Program(main)})
	g.cell.machines.Clients = append(g.cell.machines.Clients, m)
	m.Start()
}

// run runs the cell until done, which must come within a minute.
func (g *guests) run(done func() bool) {
	g.t.Helper()
	for end := g.cell.world.Now() + time.Minute; !done(); {
		require.Less(g.t, g.cell.world.Now(), end, "it takes too long")
		end := g.cell.world.RunFor(50 * time.Millisecond)
		require.Nil(g.t, g.cell.world.Failure())
		require.Equal(g.t, sim.Reached, end)
	}
}

func lockOf(t *testing.T, c *client.Client) *client.Handle {
	f, err := c.Open(context.Background(), "/ls/local/leader", client.OpenOptions{
		Rights: client.Read | client.Write, Create: client.CreateMay, LockDelay: 10 * time.Second,
	})
	require.NoError(t, err)
	return f
}

// Programs as a user would write them use a file, a lock, and its sequencers, through the whole
// cell.
func TestALockOfARealCell(t *testing.T) {
	g := newGuests(t, 1)
	ctx := context.Background()
	var first, second *client.Lock
	release, done := false, false
	g.come(func(rt *sim.Runtime, c *client.Client) {
		f := lockOf(t, c)
		var err error
		first, err = f.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		_, err = f.SetContents(ctx, "first", 0)
		require.NoError(t, err)
		require.NoError(t, f.CheckSequencer(ctx, first.Sequencer()))
		for !release {
			require.True(t, first.Held())
			require.NoError(t, rt.Sleep(ctx, 10*time.Millisecond))
		}
		require.NoError(t, first.Release(ctx))
		require.False(t, first.Held())
	})
	g.run(func() bool { return first != nil })
	g.come(func(rt *sim.Runtime, c *client.Client) {
		f := lockOf(t, c)
		_, err := f.TryAcquire(ctx, client.Shared)
		require.ErrorIs(t, err, client.ErrLockHeld)
		limited, cancel := rt.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err = f.Acquire(limited, client.Exclusive)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		second, err = f.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.True(t, second.Held())
		require.ErrorIs(t, f.CheckSequencer(ctx, first.Sequencer()), client.ErrStaleSequencer)
		text, _, err := f.Contents(ctx)
		require.NoError(t, err)
		require.Equal(t, "first", text)
		require.NoError(t, c.Close(ctx))
		require.ErrorIs(t, second.Err(), client.ErrClosed)
		done = true
	})
	g.cell.world.RunFor(20 * time.Second)
	require.Nil(t, second, "it waits, over several leases")
	release = true
	g.run(func() bool { return done })
}

// The master dies while a program holds a lock and another waits for it. Neither session ends, and
// the waiting program gets the lock when the holder releases it.
func TestALockSurvivesTheMaster(t *testing.T) {
	for seed := range uint64(5) {
		g := newGuests(t, seed)
		ctx := context.Background()
		var first, second *client.Lock
		var told []client.EventKind
		release, waits, done := false, false, false
		g.come(func(rt *sim.Runtime, c *client.Client) {
			c.Events().Each(ctx, func(e client.Event) { told = append(told, e.Kind) })
			f := lockOf(t, c)
			first, _ = f.Acquire(ctx, client.Exclusive)
			for !release {
				require.NoError(t, rt.Sleep(ctx, 10*time.Millisecond))
			}
			require.True(t, first.Held())
			require.NoError(t, f.CheckSequencer(ctx, first.Sequencer()))
			require.NoError(t, first.Release(ctx))
		})
		g.come(func(rt *sim.Runtime, c *client.Client) {
			f := lockOf(t, c)
			for first == nil {
				require.NoError(t, rt.Sleep(ctx, 10*time.Millisecond))
			}
			waits = true
			var err error
			second, err = f.Acquire(ctx, client.Exclusive)
			require.NoError(t, err)
			require.ErrorIs(t, f.CheckSequencer(ctx, first.Sequencer()), client.ErrStaleSequencer)
			done = true
		})
		g.run(func() bool { return waits })
		g.cell.world.RunFor(3 * time.Second)
		master := g.master()
		require.NotNil(t, master)
		master.Kill()
		g.run(func() bool { return g.master() != nil && len(told) > 0 })
		g.cell.world.RunFor(15 * time.Second)
		require.Nil(t, second, "seed %d", seed)
		require.NotContains(t, told, client.EventExpired)
		require.Contains(t, told, client.EventFailover)
		release = true
		g.run(func() bool { return done })
		master.Start()
		g.cell.world.RunFor(time.Second)
		require.Nil(t, g.cell.world.Failure())
	}
}

func (g *guests) master() *sim.Machine { return g.cell.serving() }

// A holder that is cut off stops believing that it holds the lock before another client can have
// it, and its lock-delay keeps all clients from it for longer. What it sends when it is back frees
// nothing.
func TestALostHolderHasLostItsLock(t *testing.T) {
	g := newGuests(t, 3)
	ctx := context.Background()
	var first, second *client.Lock
	var lost error
	g.come(func(rt *sim.Runtime, c *client.Client) {
		f := lockOf(t, c)
		first, _ = f.Acquire(ctx, client.Exclusive)
		for {
			require.NoError(t, rt.Sleep(ctx, time.Millisecond))
			require.False(t, second != nil && first.Held())
			if lost == nil && first.Context().Err() != nil {
				lost = first.Err()
				require.ErrorIs(t, first.Release(ctx), client.ErrSessionExpired)
			}
		}
	})
	g.run(func() bool { return first != nil })
	var delayed bool
	g.come(func(rt *sim.Runtime, c *client.Client) {
		f := lockOf(t, c)
		for second == nil {
			l, err := f.TryAcquire(ctx, client.Exclusive)
			switch {
			case err == nil:
				second = l
			case !errors.Is(err, client.ErrLockHeld):
				require.ErrorIs(t, err, client.ErrLockDelayed)
				delayed = true
			}
			require.NoError(t, rt.Sleep(ctx, 100*time.Millisecond))
		}
	})
	holder := g.cell.machines.Clients[0].Addr()
	cut := g.cell.world.Now()
	g.cell.world.Net().Isolate(holder)
	g.run(func() bool { return second != nil })
	require.True(t, delayed)
	require.Greater(t, g.cell.world.Now()-cut, 10*time.Second, "the lock-delay")
	g.cell.world.Net().Heal()
	g.run(func() bool { return lost != nil })
	require.ErrorIs(t, lost, client.ErrSessionExpired)
	g.cell.world.RunFor(10 * time.Second)
	require.True(t, second.Held())
}
