package cell

import (
	"context"
	"errors"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/beliefs"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/resource"
)

// fence is the resource of a cell's clients and the machine that it stands on,
// beside the cell: faults of the cell and of clients leave that machine alone, but
// for its links.
type fence struct {
	cell     *Cell
	resource *resource.Resource
	addr     sim.Addr
	draws    *sim.Draw
	issued   uint64 // numbers of requests and of versions
}

// addFence puts the resource's machine into the cell, where the workload has one.
func (c *Cell) addFence(clock sim.ClockConfig) {
	c.fence = &fence{cell: c, resource: resource.New(c.plan.Fence.Mode)}
	c.fencing = beliefs.NewFencing(c.world, c.minds, c.fence.resource)
	if c.plan.Workload != plan.Fenced {
		return
	}
	f := c.fence
	f.draws = c.world.Draw("cell.fence", 0)
	f.addr = sim.FirstClient + sim.Addr(len(c.clients))
	c.world.Add(sim.MachineConfig{Addr: f.addr, Process: sim.Program(f.serve), Clock: clock})
	if d := c.plan.Fence.Drift; d > 1000 {
		c.minds.Off = true
		f.drift(int64(d))
	}
}

// drift lets the clocks of some clients err by more than the cell was told.
func (f *fence) drift(permille int64) {
	most := min(f.cell.plan.RatePPB*permille/1000, plan.MaxRatePPB)
	for _, m := range f.cell.clients {
		if f.draws.Chance(1, 2) {
			m.Clock().SetRate(f.draws.Between(-most, most))
		}
	}
}

// serve is the main coroutine of the resource's machine. Each request is a
// coroutine of its own: one that waits holds up no other.
func (f *fence) serve(rt *sim.Runtime) {
	l := &line{Runtime: rt}
	rt.Receive(l.receive)
	var cell *fenceCell
	if f.resource.Mode == plan.FenceAsk {
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
				f.resource.Refused++
				rt.Send(uint32(from), resource.Tell{ID: q.ID}.Encode())
				return
			}
			if rt.Sleep(context.Background(), f.busy()) == nil {
				f.act(rt, from, &q)
			}
		})
	}
}

// act decides a request and answers it.
func (f *fence) act(rt *sim.Runtime, from sim.Addr, q *resource.Ask) {
	t := f.resource.Decide(int64(f.cell.world.Now()), int64(from-sim.FirstClient), q)
	if !t.Accepted {
		f.cell.fencing.OnRefused(q)
	}
	rt.Send(uint32(from), t.Encode())
}

// busy is how long the resource takes between the cell's word and its own deed:
// mostly next to nothing.
func (f *fence) busy() time.Duration {
	if f.draws.Chance(1, f.cell.plan.Fence.Late) {
		return f.draws.Duration(0, f.cell.plan.Fence.Most)
	}
	return f.draws.Duration(0, time.Millisecond)
}

// fenceCell is a resource's way to the cell: an ordinary client, with one handle.
type fenceCell struct {
	fence  *fence
	line   *line
	client *client.Client
	handle *client.Handle
}

// dial begins a session, the first one or the one after.
func (a *fenceCell) dial() {
	c, rt := a.fence.cell, a.line.Runtime
	c.load.sessions++
	a.handle = nil
	a.client = client.New(a.line, client.Config{
		Replicas: c.replicaIDs(), Draw: rt.Env().Draw("fence.client").Uint64, Rho: int64(c.plan.Driver.Core.Paxos.Lease.Rho),
	})
	c.minds.OnClient(runningClient{rt, a.client})
}

// fencePatience is for how long the resource waits for the cell's word.
const fencePatience = 10 * time.Second

// valid asks the cell whether the sequencer of a request is. Without an answer it
// is not.
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
		h, err := a.client.Open(ctx, "/ls/local"+hotNode, client.OpenOptions{})
		if err != nil {
			return err
		}
		a.handle = h
	}
	return a.handle.CheckSequencer(ctx, sequencer)
}
