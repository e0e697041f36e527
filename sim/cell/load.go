package cell

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// turns makes one step of a program of each workload that is built in: one call, or a few
// that belong together. Names and descriptions are the plan's (plan.Workloads).
var turns = map[string]func(p *program, ctx context.Context){
	"mixed":      (*program).mixed,
	"increments": (*program).increments,
	"files":      (*program).files,
	"locks":      (*program).locks,
	plan.Storm:   (*program).stormTurn,
	plan.Churn:   (*program).churnTurn,
	plan.Big:     (*program).bigTurn,
	"rights":     (*program).rightsTurn,
	plan.Fenced:  (*program).fenced,
	"lists":      (*program).lists,
}

// turnOf is the turn of the cell's workload, built in or of an extension.
func (c *Cell) turnOf() func(p *program, ctx context.Context) {
	if t := turns[c.plan.Workload]; t != nil {
		return t
	}
	for _, w := range c.plan.With.Workloads {
		if w.Name() == c.plan.Workload {
			return func(p *program, ctx context.Context) { w.Turn(ctx, &thread{p: p, ctx: ctx}) }
		}
	}
	return nil
}

// load is what the client programs do and have done.
type load struct {
	finale    bool                         // the safety phase is over: a few more calls, all of which must succeed
	running   int                          // threads and sessions that have not ended
	sessions  int                          // client sessions begun
	completed int                          // calls with a definite answer
	hot       int                          // of them, on the contended row
	unknown   int                          // calls of an extension's workload that had no definite answer
	shown     map[string]string            // the latest sequencer of each lock, by path
	closed    []api.SessionID              // that the cell confirmed to have ended
	dots      string                       // as many as were ever needed
	handles   map[*client.Client]*opened   // that its programs may share
	shares    uint64                       // times that one took another's
	rests     map[*client.Client]time.Time // until when its programs do nothing, by its clock
	queues    map[*client.Client]int       // how many calls may wait to be sent; 0: the usual number
	busy      uint64                       // calls that were refused because so many waited
}

func newLoad() load {
	return load{
		shown: map[string]string{}, handles: map[*client.Client]*opened{},
		rests: map[*client.Client]time.Time{}, queues: map[*client.Client]int{},
	}
}

// program is the main coroutine of a client machine: sessions one after the
// other, each shared by some threads, each for some calls.
func (c *Cell) program(machine int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		draws := rt.Env().Draw("client.main")
		line := newLine(rt)
		for generation := 0; ; generation++ {
			c.load.sessions++
			id := int64(machine)<<32 | int64(rt.Env().Life())<<20 | int64(generation)<<8
			cfg := c.config(draws)
			c.slim(rt.Env().World().Draw("client.slim", uint64(id)), &cfg)
			cl, hangUp := c.promises.Dial(line, cfg)
			c.load.queues[cl] = cfg.Queue
			c.minds.OnClient(runningClient{rt, cl})
			budget := c.budget(draws)
			lived := c.session(line, cl, id, budget)
			delete(c.load.queues, cl)
			hangUp()
			if c.load.finale && lived {
				return
			}
		}
	}
}

// config is what a program tells its client. That has by itself room for 64 calls.
func (c *Cell) config(draws *sim.Draw) client.Config {
	cfg := client.Config{Replicas: c.replicaIDs(), Draw: draws.Uint64}
	if threads := 4 * c.plan.Calls.Threads; !c.plan.Plain || threads > 64 {
		cfg.AnswerWait = draws.Duration(50*time.Millisecond, 600*time.Millisecond)
		cfg.Window = max(int(draws.LogUniform(1, 64)), threads)
		cfg.Rho = int64(c.plan.Driver.Core.Paxos.Lease.Rho)
		cfg.Grace = draws.Duration(c.plan.Calls.Grace/2, c.plan.Calls.Grace)
	}
	return cfg
}

func (c *Cell) replicaIDs() []uint32 {
	var ids []uint32
	for _, m := range c.replicas {
		ids = append(ids, uint32(m.Addr()))
	}
	return ids
}

// session runs threads on one client session until they end, then closes it. lived
// says that the session did not expire under them.
func (c *Cell) session(line *line, cl *client.Client, id int64, budget int) (lived bool) {
	rt := line.Runtime
	c.load.running++
	defer func() { c.load.running-- }()
	odd := rt.Env().World().Draw("client.ready", uint64(id))
	if odd.Chance(1, 4) {
		c.readies(rt, cl)
	}
	var ends []client.Signal
	var threads []*program
	lived = true
	mates := c.plan.Calls.Threads
	for i := range c.plan.Calls.Threads {
		end := rt.NewSignal()
		ends = append(ends, end)
		p := &program{cell: c, rt: rt, client: cl, line: line, id: id | int64(i), last: map[string]string{}, mates: &mates}
		p.draws = rt.Env().World().Draw("client.thread", uint64(p.id))
		p.odd = rt.Env().World().Draw("client.odd", uint64(p.id))
		p.shares = c.plan.Calls.Share > 0 && p.draws.Chance(c.plan.Calls.Share, 4)
		p.turn = c.turnOf()
		threads = append(threads, p)
		c.load.running++
		rt.Go(fmt.Sprintf("thread %d", i), func() {
			defer func() { c.load.running-- }() // also when the machine crashes
			p.run(budget)
			mates--
			lived = lived && !p.expired
			end.Fire()
		})
	}
	for _, end := range ends {
		if _, err := rt.Wait(context.Background(), end); err != nil {
			return false
		}
	}
	if c.load.finale && lived {
		known := 0
		for _, p := range threads {
			known += len(p.nodes)
		}
		c.tidies(rt, cl, known)
	}
	if !c.deserts(rt, rt.Env().World().Draw("client.deserts", uint64(id))) {
		closing := odd.Chance(1, 4)
		rt.Go("too late", func() {
			if closing {
				c.tooLate(rt, cl)
			}
		})
		c.close(rt, cl)
		closing = false
		if odd.Chance(1, 4) {
			c.neverReady(rt, cl)
		}
		for _, p := range threads {
			p.left()
		}
	}
	return lived
}

// close ends a session; after healing it must succeed (L1).
func (c *Cell) close(rt *sim.Runtime, cl *client.Client) {
	finale := c.load.finale
	ctx, cancel := rt.WithTimeout(context.Background(), c.patience())
	defer cancel()
	id := cl.Status().Session
	err := cl.Close(ctx)
	switch st := cl.Status(); {
	case rt.Env().Dead():
	case st.State != session.Over:
		rt.Env().World().Break("L1", "client %v has closed its session, or given that up (%v), and the session is %v", rt.Env().Self(), err, st.State)
	case st.Flight+st.Queued+st.Calls > 0:
		rt.Env().World().Break("L2", "the session of client %v is over, and of its calls %d are under way, %d wait, %d are kept", rt.Env().Self(), st.Flight, st.Queued, st.Calls)
	case err == nil && id != 0 && st.Session == id && st.Why == session.Closed: // of one whose grace had just ended, Close asks no cell
		c.load.closed = append(c.load.closed, id)
	case err != nil && finale && !errors.Is(err, client.ErrSessionExpired):
		rt.Env().World().Break("L1", "client %v could not close its session after healing: %v", rt.Env().Self(), err)
	}
}

// completed counts a call with an answer.
func (c *Cell) completed(p *program, in linearizability.KVInput, out linearizability.KVOutput) {
	c.load.completed++
	if in.Key == hotRow {
		c.load.hot++
	}
	c.world.Result(p.rt.Env().Self(), []byte(out.Value))
	for _, pair := range out.Pairs {
		c.world.Result(p.rt.Env().Self(), []byte(pair.Key+"="+pair.Value))
	}
}
