package cell

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/workload"
)

// CachingOptions shape a cell without faults whose clients read names and configuration again
// and again, and seldom write (CHU §4.1).
type CachingOptions struct {
	Seed     uint64
	Replicas int  // 0: 5
	Clients  int  // 1 to MaxCaching
	Cached   bool // they keep caches
	// OneFile has all clients read one file, which one of them writes; else they open, read and
	// close many, ask for what is not there, and one in a hundred of them writes.
	OneFile bool
}

// MaxCaching is the most clients of such a cell.
const MaxCaching = 2000

// beginEvery is the time between two clients that begin, on average.
const beginEvery = 500 * time.Microsecond

// Check says what is wrong with the options, naming the flag.
func (o CachingOptions) Check() error {
	switch {
	case o.Replicas < 0 || o.Replicas > plan.MaxReplicas:
		return fmt.Errorf("--replicas %d: a cell has 1 to %d", o.Replicas, plan.MaxReplicas)
	case o.Clients < 1 || o.Clients > MaxCaching:
		return fmt.Errorf("--clients %d: 1 to %d", o.Clients, MaxCaching)
	}
	return nil
}

// CachingCounts are what such a cell came to, since all clients were there and had their caches full.
type CachingCounts struct {
	Simulated time.Duration     `json:"simulated_ns"`
	Requests  map[string]uint64 `json:"requests"` // that came to replicas, by kind
	Reads     uint64            `json:"reads"`    // of programs, however they were answered; Opens among them
	Writes    uint64            `json:"writes"`
	Slowest   time.Duration     `json:"slowest_write_ns"`
	Drops     uint64            `json:"drops"`  // messages that told a client to drop something
	Acked     uint64            `json:"acked"`  // messages by which clients said that they had
	Failed    uint64            `json:"failed"` // calls without an answer
}

// Caching is such a cell, under way. One caller at a time. Everything is what ships, and each
// client has a machine of its own.
type Caching struct {
	cell  *Cell
	o     CachingOptions
	ready int
	n     CachingCounts
	on    bool // clients are there, and it is counted
	since time.Duration
	told  map[api.SessionID]api.EventNumber
}

// NewCaching builds the cell; nothing runs yet. It panics on options that Check refuses.
func NewCaching(o CachingOptions) *Caching {
	if err := o.Check(); err != nil {
		panic(err)
	}
	x := &Caching{cell: build(plan.Calm(o.Seed, o.Replicas), sim.Config{}), o: o, n: CachingCounts{Requests: map[string]uint64{}}, told: map[api.SessionID]api.EventNumber{}}
	x.cell.events.Listen(x.sees)
	for i := range o.Clients {
		x.cell.world.Add(sim.MachineConfig{Addr: sim.FirstClient + sim.Addr(i), Process: sim.Program(x.program(i))})
	}
	return x
}

// Close ends the world.
func (x *Caching) Close() { x.cell.world.Close() }

// Gather begins the cell, and lets all clients begin and fill their caches.
func (x *Caching) Gather() error {
	x.cell.start()
	for limit := time.Minute + time.Duration(x.o.Clients)*beginEvery; x.ready < x.o.Clients; {
		if x.cell.world.Now() > limit {
			return fmt.Errorf("%d of %d clients are there after %v of simulated time", x.ready, x.o.Clients, limit)
		}
		if err := x.RunFor(100 * time.Millisecond); err != nil {
			return err
		}
	}
	if err := x.RunFor(warmUp); err != nil {
		return err
	}
	x.on, x.since = true, x.cell.world.Now()
	return nil
}

// warmUp is how long clients read before anything is counted: they live for much longer than a run.
const warmUp = 2 * time.Minute

// RunFor lets d of simulated time pass.
func (x *Caching) RunFor(d time.Duration) error { return x.cell.runFor(d) }

// Counts are what has happened since Gather.
func (x *Caching) Counts() CachingCounts {
	n := x.n
	n.Simulated = x.cell.world.Now() - x.since
	return n
}

// sees counts what comes to replicas and what they send.
func (x *Caching) sees(_ time.Duration, e event.Event) {
	if !x.on {
		return
	}
	switch e := e.(type) {
	case event.RequestReceived:
		x.n.Requests[strings.TrimPrefix(fmt.Sprintf("%T", e.Request.Op), "api.")]++
		if k, ok := e.Request.Op.(api.KeepAlive); ok && x.told[e.Request.Session] > 0 && k.AckedEvents >= x.told[e.Request.Session] {
			x.n.Acked++
			delete(x.told, e.Request.Session)
		}
	case event.ReplySent:
		l, ok := e.Reply.Detail.(api.Leased)
		for _, d := range l.Events {
			if ok && d.Kind.IsDrop() {
				x.n.Drops++
				x.told[e.Reply.Session] = l.LastEvent
				return
			}
		}
	}
}

// program is the program of one client.
func (x *Caching) program(i int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		d := rt.Env().Draw("client.caching")
		cfg := client.Config{Replicas: x.cell.machines.IDs(), Draw: d.Uint64}
		cfg.Cache.Off = !x.o.Cached
		p := &cachingProgram{x: x, rt: rt, c: client.New(workload.NewLine(rt), cfg), d: d, id: i}
		if rt.Sleep(context.Background(), d.Duration(0, time.Duration(x.o.Clients)*beginEvery)) != nil {
			return
		}
		p.begins()
		x.ready++
		for rt.Sleep(context.Background(), d.Duration(0, 2*p.think())) == nil {
			p.turn()
		}
	}
}
