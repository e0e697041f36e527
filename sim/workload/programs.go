package workload

import (
	"context"
	"errors"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// ThreadName begins the names of the coroutines on which programs make their calls.
const ThreadName = "program "

// turns has the turn of a program for each built-in workload: one call, or a few that belong
// together. plan.Workloads has names and descriptions.
var turns = map[string]func(p *program, ctx context.Context){
	"mixed":       func(p *program, ctx context.Context) { p.rows.mixed(ctx) },
	"increments":  func(p *program, ctx context.Context) { p.rows.increments(ctx) },
	"files":       func(p *program, ctx context.Context) { p.files.turn(ctx) },
	"locks":       func(p *program, ctx context.Context) { p.locks.turn(ctx) },
	plan.Storm:    func(p *program, ctx context.Context) { p.storm.turn(ctx) },
	plan.Churn:    func(p *program, ctx context.Context) { p.storm.churnTurn(ctx) },
	plan.Big:      func(p *program, ctx context.Context) { p.big.turn(ctx) },
	"rights":      func(p *program, ctx context.Context) { p.rights.turn(ctx) },
	plan.Fenced:   func(p *program, ctx context.Context) { p.fenced.turn(ctx) },
	"lists":       func(p *program, ctx context.Context) { p.rows.lists(ctx) },
	plan.Cached:   func(p *program, ctx context.Context) { p.cached.turn(ctx) },
	plan.Registry: func(p *program, ctx context.Context) { p.registry.turn(ctx) },
}

// turnOf returns the turn of the cell's workload, built in or of an extension.
func (c *Programs) turnOf() func(p *program, ctx context.Context) {
	if t := turns[c.plan.Workload]; t != nil {
		return t
	}
	for _, w := range c.plan.With.Workloads {
		if w.Name() == c.plan.Workload {
			return func(p *program, ctx context.Context) { w.Turn(ctx, &scene{p: p, ctx: ctx, healed: c.Finale}) }
		}
	}
	return nil
}

// Program returns the main coroutine of a client machine. It runs sessions one after the other.
// Some threads share each session, and make some calls each.
func (c *Programs) Program(machine int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		draws := rt.Env().Draw("client.main")
		line := NewLine(rt)
		for generation := 0; ; generation++ {
			c.Sessions++
			id := int64(event.MakeProgramID(machine, int(rt.Env().Life()), generation, 0))
			cfg := c.config(draws)
			c.slim(rt.Env().World().Draw("client.slim", uint64(id)), &cfg)
			c.cacheOf(rt.Env().World().Draw("client.cache", uint64(id)), &cfg)
			cl, hangUp := c.witness.Dial(line, cfg)
			c.queues[cl] = cfg.Queue
			who := Client{Runtime: rt, Client: cl}
			c.beliefs.OnClient(who)
			if c.events.Wanted() {
				c.publish(event.SessionDialed{Client: who.Self(), Status: who.Status, Dead: who.Dead})
			}
			budget := c.budget(draws)
			lived := c.session(line, cl, id, budget)
			delete(c.queues, cl)
			hangUp()
			if c.Finale && lived {
				return
			}
		}
	}
}

// config returns the configuration of a client. By default a client has room for 64 calls.
func (c *Programs) config(draws *sim.Draw) client.Config {
	cfg := client.Config{Replicas: c.ids, Draw: draws.Uint64, Cache: client.Cache{Off: true}}
	if threads := 4 * c.plan.Calls.Threads; !c.plan.Plain || threads > 64 {
		cfg.AnswerWait = draws.Duration(50*time.Millisecond, 600*time.Millisecond)
		cfg.Window = max(int(draws.LogUniform(1, 64)), threads)
		cfg.Rho = int64(c.plan.Driver.Core.Paxos.Lease.Rho)
		cfg.Grace = draws.Duration(c.plan.Calls.Grace/2, c.plan.Calls.Grace)
	}
	return cfg
}

// session runs threads on one client session until they end, and then closes or deserts it. lived
// reports whether the session did not expire before that.
func (c *Programs) session(line *Line, cl *client.Client, id int64, budget int) (lived bool) {
	rt := line.Runtime
	c.Running++
	defer func() { c.Running-- }()
	odd := rt.Env().World().Draw("client.ready", uint64(id))
	if odd.Chance(1, 4) {
		c.awaitReady(rt, cl)
	}
	var ends []client.Signal
	var threads []*program
	lived = true
	machine := int(event.ProgramID(id).Client()-sim.FirstClient) + 1
	mates, role := plan.ProgramsOn(c.plan, machine), plan.RoleOf(c.plan, machine)
	for i := range mates {
		end := rt.NewSignal()
		ends = append(ends, end)
		t := &thread{all: c, rt: rt, client: cl, line: line, id: id | int64(i), role: role, mates: &mates}
		t.draws = rt.Env().World().Draw("client.thread", uint64(t.id))
		t.odd = rt.Env().World().Draw("client.odd", uint64(t.id))
		p := newProgram(t)
		p.files.listens.picks = rt.Env().World().Draw("client.events", uint64(p.id))
		p.files.caching = rt.Env().World().Draw("client.caching", uint64(p.id))
		p.storm.shares = c.plan.Calls.Share > 0 && p.draws.Chance(c.plan.Calls.Share, 4)
		p.turn = c.turnOf()
		threads = append(threads, p)
		c.Running++
		rt.Go(event.ProgramID(t.id).As(role), func() {
			defer func() { c.Running-- }() // also when the machine crashes
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
	if c.Finale && lived && !c.plan.Added() { // only an added workload knows its own handles
		known := 0
		for _, p := range threads {
			known += len(p.files.nodes)
		}
		c.witness.Tidies(rt, cl, known)
	}
	if !c.desert(rt, rt.Env().World().Draw("client.deserts", uint64(id))) {
		closing := odd.Chance(1, 4)
		rt.Go("too late", func() {
			if closing {
				c.checkTooLate(rt, cl)
			}
		})
		c.close(rt, cl)
		closing = false
		if odd.Chance(1, 4) {
			c.checkNeverReady(rt, cl)
		}
		for _, p := range threads {
			p.locks.letGoAll()
		}
	}
	return lived
}

// close ends a session; after healing it must succeed (L1).
func (c *Programs) close(rt *sim.Runtime, cl *client.Client) {
	finale := c.Finale
	ctx, cancel := rt.WithTimeout(context.Background(), c.patience())
	defer cancel()
	id := cl.Status().Session
	err := cl.Close(ctx)
	switch st := cl.Status(); {
	case rt.Env().Dead():
	case st.State != session.Over:
		rt.Env().World().Break("L1", "client %v has closed its session, or given that up (%v), and the session is %v", rt.Env().Self(), err, st.State)
	case st.Flight+st.Queued+st.Calls > 0:
		rt.Env().World().Break("L2", "the session of client %v is over, and of its calls %d are under way and %d wait, and the client has entries of %d", rt.Env().Self(), st.Flight, st.Queued, st.Calls)
	case err == nil && id != 0 && st.Session == id && st.Why == session.Closed: // if the grace period had just ended, Close does not ask the cell
		c.Closed = append(c.Closed, id)
	case err != nil && finale && !errors.Is(err, client.ErrSessionExpired):
		rt.Env().World().Break("L1", "client %v could not close its session after healing: %v", rt.Env().Self(), err)
	}
}

// completed counts a call with a definite answer, and folds the answer into the trace hash.
func (c *Programs) completed(p *thread, in linearizability.KVInput, out linearizability.KVOutput) {
	c.Completed++
	if in.Key == HotRow {
		c.Hot++
	}
	c.world.Result(p.rt.Env().Self(), []byte(out.Value))
	for _, pair := range out.Pairs {
		c.world.Result(p.rt.Env().Self(), []byte(pair.Key+"="+pair.Value))
	}
}
