package workload

import (
	"context"
	"errors"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/resource"
)

// Fence is the resource of a cell's clients, and its machine, which is outside of the cell: faults
// of the cell and of clients affect only its links.
type Fence struct {
	Resource *resource.Resource

	all    *Programs
	check  Fencing
	addr   sim.Addr
	draws  *sim.Draw
	issued uint64 // numbers of requests and of versions
}

// AddFence sets c.Fence. If the workload uses a resource, it also adds a machine that runs r, with
// the given clock, at the address that follows the clients.
func (c *Programs) AddFence(r *resource.Resource, check Fencing, clients []*sim.Machine, clock sim.ClockConfig) {
	c.Fence = c.NewFence(r, check)
	if c.plan.Workload != plan.Fenced {
		return
	}
	c.Fence.Stand(sim.FirstClient+sim.Addr(len(clients)), clock)
	if d := c.plan.Fence.Drift; d > 1000 {
		c.Fence.drift(clients, int64(d))
	}
}

// NewFence returns a resource without a machine. check is told of the requests to it.
func (c *Programs) NewFence(r *resource.Resource, check Fencing) *Fence {
	return &Fence{Resource: r, all: c, check: check}
}

// Stand adds the machine of the resource to the world, at an address and with a clock. It is down
// until Start.
func (f *Fence) Stand(at sim.Addr, clock sim.ClockConfig) *sim.Machine {
	f.draws = f.all.world.Draw("cell.fence", 0)
	f.addr = at
	return f.all.world.Add(sim.MachineConfig{Addr: f.addr, Process: sim.Program(f.serve), Clock: clock})
}

// Next returns a number that no request and no version of the value has yet.
func (f *Fence) Next() uint64 {
	f.issued++
	return f.issued
}

// drift makes the clocks of some clients err by more than the configured rho.
func (f *Fence) drift(clients []*sim.Machine, permille int64) {
	most := min(f.all.plan.RatePPB*permille/1000, plan.MaxRatePPB)
	for _, m := range clients {
		if f.draws.Chance(1, 2) {
			m.Clock().SetRate(f.draws.Between(-most, most))
		}
	}
}

// serve is the main coroutine of the resource's machine. Each request runs on a coroutine of its
// own, so that a request that waits delays no other.
func (f *Fence) serve(rt *sim.Runtime) {
	l := &Line{Runtime: rt}
	rt.Receive(l.receive)
	var cell *fenceCell
	if f.Resource.Mode == plan.FenceAsk {
		cell = &fenceCell{fence: f, line: l}
		cell.dial()
	}
	l.outside = func(from sim.Addr, msg []byte) {
		q := resource.DecodeAsk(msg)
		if cell == nil {
			f.act(rt, from, &q)
			return
		}
		rt.Go("request", func() {
			if !cell.valid(&q) {
				f.Resource.Refused++
				rt.Env().Send(from, resource.Tell{ID: q.ID}.Encode())
				return
			}
			if rt.Sleep(context.Background(), f.busy()) == nil {
				f.act(rt, from, &q)
			}
		})
	}
}

// act decides a request and answers it.
func (f *Fence) act(rt *sim.Runtime, from sim.Addr, q *resource.Ask) {
	t := f.Resource.Decide(int64(f.all.world.Now()), int64(from-sim.FirstClient), q)
	if !t.Accepted {
		f.check.OnRefused(q)
	}
	rt.Env().Send(from, t.Encode())
}

// busy draws how long the resource takes between the cell's answer and its own decision: usually
// almost nothing.
func (f *Fence) busy() time.Duration {
	if f.draws.Chance(1, f.all.plan.Fence.Late) {
		return f.draws.Duration(0, f.all.plan.Fence.Most)
	}
	return f.draws.Duration(0, time.Millisecond)
}

// fenceCell is the resource's client of the cell: an ordinary client, with one handle.
type fenceCell struct {
	fence  *Fence
	line   *Line
	client *client.Client
	handle *client.Handle
}

// dial begins a session: the first one, or the next one after a session has ended.
func (a *fenceCell) dial() {
	c, rt := a.fence.all, a.line.Runtime
	c.Sessions++
	a.handle = nil
	a.client = client.New(a.line, client.Config{
		Replicas: c.ids, Draw: rt.Env().Draw("fence.client").Uint64, Rho: int64(c.plan.Driver.Core.Paxos.Lease.Rho),
		Cache: client.Cache{Off: true},
	})
	c.beliefs.OnClient(Client{Runtime: rt, Client: a.client})
}

// fencePatience is for how long the resource waits for the cell's answer.
const fencePatience = 10 * time.Second

// valid asks the cell whether the sequencer of a request is valid. Without an answer it returns
// false.
func (a *fenceCell) valid(q *resource.Ask) bool {
	ctx, cancel := a.line.WithTimeout(context.Background(), fencePatience)
	defer cancel()
	by := a.client
	err := a.check(ctx, q.Sequencer)
	if errors.Is(err, client.ErrSessionExpired) && a.client == by {
		a.dial()
	}
	return err == nil
}

func (a *fenceCell) check(ctx context.Context, sequencer string) error {
	if a.handle == nil {
		h, err := a.client.Open(ctx, "/ls/local"+HotNode, client.OpenOptions{})
		if err != nil {
			return err
		}
		a.handle = h
	}
	return a.handle.CheckSequencer(ctx, sequencer)
}
