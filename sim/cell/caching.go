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
	Cached   bool // clients keep caches
	// OneFile makes all clients read one file, which one of them writes. Otherwise they open, read
	// and close many files, some of which do not exist, and one client in a hundred writes.
	OneFile bool
}

// MaxCaching is the most clients of such a cell.
const MaxCaching = 2000

// beginEvery is the time between two clients that begin, on average.
const beginEvery = 500 * time.Microsecond

// Check returns an error that names the flag whose value is invalid, or nil.
func (o CachingOptions) Check() error {
	switch {
	case o.Replicas < 0 || o.Replicas > plan.MaxReplicas:
		return fmt.Errorf("--replicas %d: a cell has 1 to %d", o.Replicas, plan.MaxReplicas)
	case o.Clients < 1 || o.Clients > MaxCaching:
		return fmt.Errorf("--clients %d: 1 to %d", o.Clients, MaxCaching)
	}
	return nil
}

// CachingCounts are the counts of such a cell since all clients had begun and filled their caches.
type CachingCounts struct {
	Simulated time.Duration     `json:"simulated_ns"`
	Requests  map[string]uint64 `json:"requests"` // that came to replicas, by kind
	Reads     uint64            `json:"reads"`    // of programs, however they were answered; Opens among them
	Writes    uint64            `json:"writes"`
	Slowest   time.Duration     `json:"slowest_write_ns"`
	Drops     uint64            `json:"drops"`  // messages that told a client to drop something from its cache
	Acked     uint64            `json:"acked"`  // KeepAlives in which clients acknowledged that
	Failed    uint64            `json:"failed"` // calls without an answer
}

// Caching is such a cell. It runs the code that ships, and each client has a machine of its own. It
// is not safe for concurrent use.
type Caching struct {
	cell  *Cell
	o     CachingOptions
	ready int
	n     CachingCounts
	on    bool // all clients are ready: from now on events are counted
	since time.Duration
	told  map[api.SessionID]api.EventNumber
}

// NewCaching builds the cell; nothing runs yet. It panics on options that Check refuses.
func NewCaching(o CachingOptions) *Caching {
	if err := o.Check(); err != nil {
		panic(err)
	}
	x := &Caching{cell: build(plan.Calm(o.Seed, o.Replicas), sim.Config{}), o: o, n: CachingCounts{Requests: map[string]uint64{}}, told: map[api.SessionID]api.EventNumber{}}
	x.cell.events.Listen(x.onEvent)
	for i := range o.Clients {
		x.cell.world.Add(sim.MachineConfig{Addr: sim.FirstClient + sim.Addr(i), Process: sim.Program(x.program(i))})
	}
	return x
}

// Close ends the world.
func (x *Caching) Close() { x.cell.world.Close() }

// Gather starts the cell, and runs it until all clients have begun and filled their caches. It
// returns an error if they do not in time, or if something breaks.
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

// warmUp is how long clients read before counting begins, because real clients live for much longer
// than a run.
const warmUp = 2 * time.Minute

// RunFor lets d of simulated time pass. It returns an error if something breaks.
func (x *Caching) RunFor(d time.Duration) error { return x.cell.runFor(d) }

// Counts returns what has happened since Gather.
func (x *Caching) Counts() CachingCounts {
	n := x.n
	n.Simulated = x.cell.world.Now() - x.since
	return n
}

// onEvent counts the requests that replicas receive, and the replies that they send.
func (x *Caching) onEvent(_ time.Duration, e event.Event) {
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
		p.begin()
		x.ready++
		for rt.Sleep(context.Background(), d.Duration(0, 2*p.think())) == nil {
			p.turn()
		}
	}
}
