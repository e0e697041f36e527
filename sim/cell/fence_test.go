package cell

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/beliefs"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/resource"
	"github.com/chubbycell/chubby/sim/workload"
)

// The holders of a lock, one after the other.
const older, younger = 0, 1

// What a resource does with a late write, in a real cell. The holder's machine is paused for longer
// than its session lives, between its reading of the clock and its write. Meanwhile another client
// has taken the lock and read; it writes after the late write has come.
func TestALateWriteInARealCell(t *testing.T) {
	for _, c := range []struct {
		mode plan.FenceMode
		lost int
	}{{plan.FenceNothing, 1}, {plan.FenceWrites, 1}, {plan.FenceReads, 0}, {plan.FenceAsk, 0}, {plan.FenceCompare, 0}} {
		g := newGuests(t, 4)
		g.cell.plan.Fence.FenceOptions = plan.FenceOptions{Mode: c.mode}
		g.cell.plan.Fence.Late = 1 << 40
		x := resource.New(c.mode)
		g.cell.fencing = beliefs.NewFencing(g.cell.world, g.cell.beliefs, x)
		f := g.cell.load.NewFence(x, g.cell.fencing)
		m := f.Stand(sim.FirstClient, sim.ClockConfig{})
		g.cell.machines.Clients = append(g.cell.machines.Clients, m)
		g.cell.load.Fence = f
		m.Start()
		var held [2]*client.Lock
		var answers [2]resource.Tell
		go1, done := false, false
		guest := func(who int, between func(rt *sim.Runtime)) func(rt *sim.Runtime, c *client.Client) {
			return func(rt *sim.Runtime, _ *client.Client) {
				l := workload.NewLine(rt)
				c := client.New(l, client.Config{Replicas: g.cell.machines.IDs(), Draw: rt.Env().Draw("guest").Uint64, Rho: int64(g.cell.plan.Driver.Core.Paxos.Lease.Rho)})
				ctx := context.Background()
				h, err := c.Open(ctx, "/ls/local/d", client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Directory: true})
				require.NoError(t, err)
				h, err = h.Open(ctx, "hot", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
				require.NoError(t, err)
				held[who], err = h.Acquire(ctx, client.Exclusive)
				require.NoError(t, err)
				ask := func(q resource.Ask) resource.Tell {
					q.ID, q.Sequencer = f.Next(), held[who].Sequencer()
					g.cell.fencing.OnRequest(q.ID, workload.Client{Runtime: rt, Client: c}, held[who])
					answer, ok := l.Ask(ctx, sim.FirstClient, q, 0)
					require.True(t, ok)
					return answer
				}
				read := ask(resource.Ask{})
				require.True(t, held[who].Held())
				between(rt)
				answers[who] = ask(resource.Ask{Write: true, Base: read.Version, Version: f.Next(), Value: read.Value + 1})
				done = done || who == younger
			}
		}
		g.come(guest(older, func(rt *sim.Runtime) {
			go1 = true
			require.NoError(t, rt.Sleep(context.Background(), time.Second))
		}))
		g.run(func() bool { return go1 })
		holder := g.cell.machines.Clients[1]
		holder.Pause()
		g.come(guest(younger, func(rt *sim.Runtime) {
			holder.Resume()
			for answers[older].ID == 0 {
				require.NoError(t, rt.Sleep(context.Background(), time.Millisecond))
			}
		}))
		g.run(func() bool { return done })
		require.Equal(t, c.lost, x.Count().Lost, "%v", c.mode)
		require.Equal(t, c.mode != plan.FenceReads && c.mode != plan.FenceAsk, answers[older].Accepted, "%v: the late write", c.mode)
		g.cell.fencing.Judge()
		require.Nil(t, g.cell.world.Failure(), "%v", c.mode)
	}
}

func TestOptionsOfTheResourceAreChecked(t *testing.T) {
	for _, o := range []plan.FenceOptions{{Mode: 77}, {Delay: 2 * time.Minute}, {Drift: -1}, {Drift: 10_001}} {
		require.Error(t, plan.Options{Fence: o}.Check(), "%+v", o)
	}
	for _, m := range plan.FenceModes() {
		require.NoError(t, plan.Options{Fence: plan.FenceOptions{Mode: m}}.Check())
		require.NotContains(t, m.String(), "FenceMode")
	}
	require.Equal(t, "FenceMode(77)", plan.FenceMode(77).String())
}

// Every seed with the workload is checked, and each kind of resource counts the writes that it
// loses.
func TestS10InSeeds(t *testing.T) {
	for _, m := range plan.FenceModes() {
		o := plan.Options{Seed: 3, Duration: 10 * time.Second, Faults: []string{"client-pause"}, Workload: plan.Fenced, Fence: plan.FenceOptions{Mode: m, Delay: -1}}
		r, again := Run(o), Run(o)
		require.Nil(t, r.Breach, "%v", m)
		require.Positive(t, r.Fence.Done, "%v", m)
		require.Equal(t, m, r.Fence.Mode)
		require.Equal(t, r.Hash, again.Hash)
		require.Equal(t, r.Fence, again.Fence)
	}
}
