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
)

// workload is a kind of client program.
type workload struct {
	name string
	help string
	// turn makes one step of a program: one call, or a few that belong together.
	turn func(p *program, ctx context.Context)
}

// workloads are all kinds, in the order of reports.
var workloads = []workload{
	{"mixed", "get, put, delete, compare-and-set, list and increments on shared rows", (*program).mixed},
	{"increments", "read-modify-write loops on few rows, with reads between", (*program).increments},
	{"files", "nodes of a small tree that are opened, read, written, listed and deleted", (*program).files},
	{"locks", "locks that are acquired, held, checked and released, by many who want the same", (*program).locks},
	{workStorm, "one lock that very many wait for", (*program).stormTurn},
	{workChurn, "sessions that last for a few calls, end or vanish, and their ephemeral nodes", (*program).churnTurn},
	{workBig, "files as large as they may be, and a byte more", (*program).bigTurn},
	{"rights", "nodes under ACL files that come, change and go, by handles with few rights, fenced or poisoned", (*program).rightsTurn},
	{workFenced, "a counter outside of the cell, which whoever holds a lock reads and writes; it checks sequencers", (*program).fenced},
	{"lists", "groups of rows that are filled, emptied and listed as a whole", (*program).lists},
}

// WorkloadInfo describes a workload, for lists.
type WorkloadInfo struct{ Name, Help string }

// Workloads lists all kinds.
func Workloads() []WorkloadInfo {
	var all []WorkloadInfo
	for _, w := range workloads {
		all = append(all, WorkloadInfo{w.name, w.help})
	}
	return all
}

// load is what the client programs do and have done.
type load struct {
	finale    bool // the safety phase is over: a few more calls, all of which must succeed
	running   int  // threads and sessions that have not ended
	sessions  int  // client sessions begun
	completed int  // calls with a definite answer
	hot       int  // of them, on the contended row
	trails    []trailed
	shown     map[string]string          // the latest sequencer of each lock, by path
	closed    []api.SessionID            // that the cell confirmed to have ended
	dots      string                     // as many as were ever needed
	handles   map[*client.Client]*opened // that its programs may share
	shares    uint64                     // times that one took another's
}

func newLoad() load {
	return load{shown: map[string]string{}, handles: map[*client.Client]*opened{}}
}

// trailed is a call whose place in the log is looked up at the end.
type trailed struct {
	op    int  // in the history
	reads bool // and changes nothing
	trail *client.Trail
}

// finaleCalls is how many calls each program makes after healing; each must
// succeed (L1).
const finaleCalls = 3

// program is one thread of one client machine.
type program struct {
	cell   *Cell
	rt     *sim.Runtime
	client *client.Client
	line   *line
	id     int64 // process in the history: machine, life, thread, generation
	draws  *sim.Draw
	odd    *sim.Draw // what is seldom done, beside all that draws decide
	turn   func(*program, context.Context)
	calls  int
	last   map[string]string // what this program last read, by row
	nodes  []*opened         // what it has open, the oldest first
	trail  *client.Trail     // of its last call on a node

	sequencer string // of the lock that it acquired last

	strict  bool // the present call must succeed
	late    bool // the client had told that its session is gone when the present call began
	expired bool // the session is gone: the program ends
	shares  bool // it takes the handle of another one, if there is one
	shut    bool // the present call may hear that its handle is closed: see answered
	crowded bool // the last answer was that there is no room
}

// program is the main coroutine of a client machine: sessions one after the
// other, each shared by some threads, each for some calls.
func (c *Cell) program(machine int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		draws := rt.Env().Draw("client.main")
		line := newLine(rt)
		for generation := 0; ; generation++ {
			c.load.sessions++
			cl, hangUp := c.dial(line, client.Config{
				Replicas:   c.replicaIDs(),
				Draw:       draws.Uint64,
				AnswerWait: draws.Duration(50*time.Millisecond, 600*time.Millisecond),
				Window:     max(int(draws.LogUniform(1, 64)), 4*c.plan.Calls.Threads),
				Rho:        int64(c.plan.Host.Node.Paxos.Lease.Rho),
				Grace:      draws.Duration(c.plan.Calls.Grace/2, c.plan.Calls.Grace),
			})
			c.minds.begins(runningClient{rt, cl})
			budget := c.budget(draws)
			lived := c.session(line, cl, int64(machine)<<32|int64(rt.Env().Life())<<20|int64(generation)<<8, budget)
			hangUp()
			if c.load.finale && lived {
				return
			}
		}
	}
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
	var ends []client.Signal
	var threads []*program
	lived = true
	for i := range c.plan.Calls.Threads {
		end := rt.NewSignal()
		ends = append(ends, end)
		p := &program{cell: c, rt: rt, client: cl, line: line, id: id | int64(i), last: map[string]string{}}
		p.draws = rt.Env().World().Draw("client.thread", uint64(p.id))
		p.odd = rt.Env().World().Draw("client.odd", uint64(p.id))
		p.shares = c.plan.Calls.Share > 0 && p.draws.Chance(c.plan.Calls.Share, 4)
		for _, w := range workloads {
			if w.name == c.plan.Workload {
				p.turn = w.turn
			}
		}
		threads = append(threads, p)
		c.load.running++
		rt.Go(fmt.Sprintf("thread %d", i), func() {
			defer func() { c.load.running-- }() // also when the machine crashes
			p.run(budget)
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
		c.close(rt, cl)
		for _, p := range threads {
			p.left()
		}
	}
	return lived
}

// close ends a session; after healing it must succeed (L1).
func (c *Cell) close(rt *sim.Runtime, cl *client.Client) {
	finale, patience := c.load.finale, c.plan.Calls.Patience
	if finale {
		patience = finalePatience
	}
	ctx, cancel := rt.WithTimeout(context.Background(), patience)
	defer cancel()
	id := cl.Status().Session
	err := cl.Close(ctx)
	switch st := cl.Status(); {
	case rt.Env().Dead():
	case st.State != session.Over:
		rt.Env().World().Break("L1", "client %v has closed its session, or given that up (%v), and the session is %v", rt.Env().Self(), err, st.State)
	case err == nil && id != 0 && st.Why == session.Closed: // one that is over has nobody to ask
		c.load.closed = append(c.load.closed, id)
	case err != nil && finale && !errors.Is(err, client.ErrSessionExpired):
		rt.Env().World().Break("L1", "client %v could not close its session after healing: %v", rt.Env().Self(), err)
	}
}

// left looks at the locks that a program left to the end of its session.
func (p *program) left() {
	for _, o := range p.nodes {
		if o.lock != nil && !p.rt.Env().Dead() {
			p.cell.minds.lets(p.believer(), o.ref(), o.lock)
		}
	}
}

// finalePatience is more than any recovery takes.
const finalePatience = 60 * time.Second

// run makes calls until the budget is spent or the safety phase ends, then the
// finale.
func (p *program) run(budget int) {
	ctx := context.Background()
	for p.calls < budget && !p.cell.load.finale && !p.expired {
		p.turn(p, ctx)
		if p.rt.Sleep(ctx, p.draws.Duration(0, p.cell.plan.Calls.Think)) != nil || p.waitsForRoom(ctx) != nil {
			return
		}
	}
	p.leave(ctx)
	p.unshare()
	if !p.cell.load.finale || p.bystander() {
		return
	}
	for i := 0; i < finaleCalls && !p.expired; i++ {
		p.finale(ctx)
	}
}

// finale makes a few of the calls that must succeed after healing.
func (p *program) finale(ctx context.Context) {
	switch work := p.cell.plan.Workload; {
	case onNodes(work):
		p.finaleOfNodes(ctx)
	case work == workFenced:
		p.finaleOfFence(ctx)
	default:
		p.put(ctx, p.row())
		p.get(ctx, p.row())
	}
}

// row picks a row: the contended one, or any.
func (p *program) row() string {
	calls := &p.cell.plan.Calls
	if p.draws.Chance(calls.Hot, 100) {
		return hotRow
	}
	return fmt.Sprintf("g%d/k%d", p.draws.Int(calls.Groups), p.draws.Int(calls.Keys))
}

// hotRow is the contended row.
const hotRow = "g0/hot"

func (p *program) group() string { return fmt.Sprintf("g%d/", p.draws.Int(p.cell.plan.Calls.Groups)) }

// value is one that nobody wrote before.
func (p *program) value() string {
	v := fmt.Sprintf("%x.%d", p.id, p.calls)
	if pad := p.draws.Int(p.cell.plan.Calls.Value) - len(v); pad > 0 {
		v += p.cell.dots(pad)
	}
	return v
}

// text is what a program writes to a file: a value, or nothing at all.
func (p *program) text() string {
	v := p.value()
	if p.odd.Chance(1, 16) {
		return ""
	}
	return v
}

func (p *program) mixed(ctx context.Context) {
	switch p.draws.Weighted(p.cell.plan.Calls.Weights[:]) {
	case 0:
		p.get(ctx, p.row())
	case 1:
		p.put(ctx, p.row())
	case 2:
		p.delete(ctx, p.row())
	case 3:
		p.compareAndSet(ctx, p.row())
	case 4:
		p.list(ctx)
	case 5:
		p.increment(ctx, p.row())
	}
}

func (p *program) increments(ctx context.Context) {
	if p.draws.Chance(1, 4) {
		p.get(ctx, p.row())
		return
	}
	p.increment(ctx, p.row())
}

func (p *program) lists(ctx context.Context) {
	switch p.draws.Weighted([]uint32{3, 2, 3, 1}) {
	case 0:
		p.put(ctx, p.row())
	case 1:
		p.delete(ctx, p.row())
	case 2:
		p.list(ctx)
	case 3:
		p.get(ctx, p.row())
	}
}

// increment reads a row and sets it to one more, if nobody was faster.
func (p *program) increment(ctx context.Context, row string) {
	if p.get(ctx, row) {
		p.compareAndSet(ctx, row)
	}
}

func (p *program) get(ctx context.Context, row string) bool {
	var value string
	out, ok := p.call(ctx, linearizability.Get(row), func(ctx context.Context) (out linearizability.KVOutput, err error) {
		value, err = p.client.Get(ctx, row)
		return linearizability.KVOutput{Found: err == nil, Value: value}, err
	})
	if ok && out.Found {
		p.last[row] = out.Value
	} else if ok {
		delete(p.last, row)
	}
	return ok
}

func (p *program) put(ctx context.Context, row string) {
	value := p.value()
	_, ok := p.call(ctx, linearizability.Put(row, value), func(ctx context.Context) (linearizability.KVOutput, error) {
		return linearizability.KVOutput{OK: true}, p.client.Put(ctx, row, value)
	})
	if ok {
		p.last[row] = value
	}
}

func (p *program) delete(ctx context.Context, row string) {
	in := linearizability.Delete(row)
	p.call(ctx, in, func(ctx context.Context) (linearizability.KVOutput, error) {
		err := p.client.Delete(ctx, row)
		return linearizability.KVOutput{Found: err == nil}, err
	})
	delete(p.last, row)
}

// compareAndSet expects what this program last knew of the row.
func (p *program) compareAndSet(ctx context.Context, row string) {
	value := p.value()
	expect, present := p.last[row]
	in, want := linearizability.PutIfAbsent(row, value), client.Absent()
	if present {
		in, want = linearizability.CompareAndSet(row, expect, value), client.Value(expect)
	}
	_, ok := p.call(ctx, in, func(ctx context.Context) (linearizability.KVOutput, error) {
		err := p.client.CompareAndSet(ctx, row, want, value)
		var conflict *client.ConflictError
		if errors.As(err, &conflict) {
			return linearizability.KVOutput{Found: conflict.Found, Value: conflict.Value}, err
		}
		return linearizability.KVOutput{OK: err == nil}, err
	})
	if ok {
		p.last[row] = value
	}
}

func (p *program) list(ctx context.Context) {
	group := p.group()
	p.call(ctx, linearizability.List(group), func(ctx context.Context) (linearizability.KVOutput, error) {
		pairs, err := p.client.List(ctx, group)
		out := linearizability.KVOutput{}
		for _, pair := range pairs {
			out.Pairs = append(out.Pairs, linearizability.KVPair{Key: pair.Key, Value: pair.Value})
		}
		return out, err
	})
}

// call makes one call and keeps the books: what was asked, what came of it, and
// where in the log to look for it. ok says that it has a definite answer.
func (p *program) call(ctx context.Context, in linearizability.KVInput, do func(context.Context) (linearizability.KVOutput, error)) (linearizability.KVOutput, bool) {
	c := p.cell
	p.calls++
	patience := p.patience()
	trail := &client.Trail{}
	ctx, cancel := p.rt.WithTimeout(client.WithTrail(ctx, trail), patience)
	defer cancel()
	op := c.history.Call(p.id, int64(c.world.Now()), in)
	c.load.trails = append(c.load.trails, trailed{op, reads(in), trail})
	out, err := do(ctx)
	if p.rt.Env().Dead() {
		return out, false
	}
	p.ended(err)
	ns := int64(c.world.Now())
	switch {
	case err == nil || errors.Is(err, client.ErrNotFound) || errors.Is(err, client.ErrConflict):
		c.history.OK(op, ns, out)
		c.completed(p, in, out)
		return out, true
	case errors.Is(err, client.ErrOutcomeUnknown):
		c.history.Unknown(op, ns)
	default:
		c.history.Failed(op, ns)
	}
	c.world.Result(p.rt.Env().Self(), []byte(err.Error()))
	if p.strict && !p.expired {
		c.world.Break("L1", "a call after healing had no answer: %v", err)
	}
	return out, false
}

// ended notes how a call ended that asks the cell.
func (p *program) ended(err error) {
	p.expired = errors.Is(err, client.ErrSessionExpired)
	p.cell.suffix.told(p.client, p.late, err)
}

// reads says that a call changes nothing: it has a place in the log only where a
// master had no lease.
func reads(in linearizability.KVInput) bool {
	return in.Op == linearizability.OpGet || in.Op == linearizability.OpList
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
