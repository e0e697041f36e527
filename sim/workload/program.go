package workload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// finaleCalls is how many calls each program makes after healing. Each must succeed (L1).
const finaleCalls = 3

// thread is one thread of one client machine. It has what all kinds of programs need.
type thread struct {
	all    *Programs
	rt     *sim.Runtime
	client *client.Client
	line   *Line
	id     int64  // process in the history: machine, life, thread, generation
	role   string // of the machine; "": it has none
	draws  *sim.Draw
	odd    *sim.Draw // decides what is seldom done; draws decides the rest
	calls  int
	trail  *client.CallID // of its last call on a node
	latest *client.CallID // of its last call, also on a lock
	said   said           // about the present call
	began  time.Duration  // when that call began; below 0: it waits for a lock

	mates   *int // how many programs of its session run
	parting bool // it ends now, and keeps the locks that it holds
	strict  bool // the present call must succeed
	late    bool // the client had reported the loss of its session when the present call began
	expired bool // the session is gone: the program ends
	shut    bool // the present call may end with ErrClosed: see answered
	crowded bool // the last call found no room
}

// program is a thread with all kinds of work that it can do.
type program struct {
	*thread
	rows     *rowWork
	files    *fileWork
	locks    *lockWork
	rights   *rightsWork
	storm    *stormWork
	big      *bigWork
	fenced   *fencedWork
	cached   *cachedWork
	registry *registryWork
	turn     func(*program, context.Context)
	state    any // of a workload of an extension
}

func newProgram(t *thread) *program {
	f := &fileWork{
		thread: t, listens: listener{thread: t},
		choose: fileChoice{calls: &t.all.plan.Calls, draws: t.draws, odd: t.odd},
	}
	l := &lockWork{fileWork: f}
	return &program{
		thread: t, rows: &rowWork{thread: t, last: map[string]string{}}, files: f, locks: l,
		rights: &rightsWork{l}, storm: &stormWork{lockWork: l}, big: &bigWork{f}, fenced: &fencedWork{l}, cached: &cachedWork{lockWork: l, acls: &rightsWork{l}},
		registry: &registryWork{lockWork: l},
	}
}

// letGoAll reports that the program no longer counts on the locks that it left to the end of its
// session.
func (p *lockWork) letGoAll() {
	for _, o := range p.nodes {
		if o.lock != nil && !p.rt.Env().Dead() {
			p.letGo(o, o.lock)
		}
	}
}

// letGo reports that this program no longer counts on a lock.
func (p *thread) letGo(o *opened, l *client.Lock) {
	p.all.beliefs.OnLetGo(p.believer(), o.Ref(), l)
	if p.all.events.Wanted() {
		p.all.publish(event.LockGivenUp{Client: p.rt.Env().Self(), Node: o.Ref()})
	}
}

// finalePatience is how long a call after healing may take: more than any recovery takes.
const finalePatience = 60 * time.Second

// patience returns how long a call that begins now may take.
func (c *Programs) patience() time.Duration {
	if c.Finale {
		return finalePatience
	}
	return c.plan.Calls.Patience
}

// run makes calls until the budget is spent or the safety phase ends. Then it makes the calls of
// the finale.
func (p *program) run(budget int) {
	ctx := context.Background()
	for p.calls < budget && !p.all.Finale && !p.expired && !p.parting {
		p.turn(p, ctx)
		if !p.expired {
			p.locks.rest(ctx)
		}
		if p.rt.Sleep(ctx, p.draws.Duration(0, p.all.plan.Calls.Think)) != nil || p.waitForRoom(ctx) != nil {
			return
		}
	}
	p.locks.leave(ctx)
	p.storm.unshare()
	if !p.all.Finale || p.isBystander() {
		return
	}
	for i := 0; i < finaleCalls && !p.expired; i++ {
		p.finale(ctx)
	}
	p.files.listens.awaitEvents(ctx, p.files.nodes)
}

// finale makes a few of the calls that must succeed after healing.
func (p *program) finale(ctx context.Context) {
	switch work := p.all.plan.Workload; {
	case plan.OnNodes(work):
		p.locks.finaleOfNodes(ctx)
	case work == plan.Fenced:
		p.fenced.finaleOfFence(ctx)
	case p.all.plan.Added():
		p.finaleOfAdded(ctx)
	default:
		p.rows.put(ctx, p.rows.row())
		p.rows.get(ctx, p.rows.row())
	}
}

// rowWork is a thread that works on rows.
type rowWork struct {
	*thread
	last map[string]string // what this program last read, by row
}

// row picks a row: the contended one, or any.
func (p *rowWork) row() string {
	calls := &p.all.plan.Calls
	if p.draws.Chance(calls.Hot, 100) {
		return HotRow
	}
	return fmt.Sprintf("g%d/k%d", p.draws.Int(calls.Groups), p.draws.Int(calls.Keys))
}

// HotRow is the contended row.
const HotRow = "g0/hot"

func (p *rowWork) group() string { return fmt.Sprintf("g%d/", p.draws.Int(p.all.plan.Calls.Groups)) }

// value returns a value that no program has written before.
func (p *thread) value() string {
	v := fmt.Sprintf("%x.%d", p.id, p.calls)
	if pad := p.draws.Int(p.all.plan.Calls.Value) - len(v); pad > 0 {
		v += p.all.dots(pad)
	}
	return v
}

// text returns what a program writes: a value, or seldom the empty string.
func (p *thread) text() string {
	v := p.value()
	if p.odd.Chance(1, 16) {
		return ""
	}
	return v
}

func (p *rowWork) mixed(ctx context.Context) {
	switch p.draws.Weighted(p.all.plan.Calls.Weights[:]) {
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

func (p *rowWork) increments(ctx context.Context) {
	if p.draws.Chance(1, 4) {
		p.get(ctx, p.row())
		return
	}
	p.increment(ctx, p.row())
}

func (p *rowWork) lists(ctx context.Context) {
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

// increment reads a row and sets it to one more, if no other client was faster.
func (p *rowWork) increment(ctx context.Context, row string) {
	if p.get(ctx, row) {
		p.compareAndSet(ctx, row)
	}
}

func (p *rowWork) get(ctx context.Context, row string) bool {
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

func (p *rowWork) put(ctx context.Context, row string) {
	value := p.text()
	_, ok := p.call(ctx, linearizability.Put(row, value), func(ctx context.Context) (linearizability.KVOutput, error) {
		return linearizability.KVOutput{OK: true}, p.client.Put(ctx, row, value)
	})
	if ok {
		p.last[row] = value
	}
}

func (p *rowWork) delete(ctx context.Context, row string) {
	in := linearizability.Delete(row)
	p.call(ctx, in, func(ctx context.Context) (linearizability.KVOutput, error) {
		err := p.client.Delete(ctx, row)
		return linearizability.KVOutput{Found: err == nil}, err
	})
	delete(p.last, row)
}

// compareAndSet expects the value of the row that this program knew last.
func (p *rowWork) compareAndSet(ctx context.Context, row string) {
	value := p.text()
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

func (p *rowWork) list(ctx context.Context) {
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

// call makes one call and records it in the history: the request, the outcome, and the call id by
// which the log has it. It reports whether the call has a definite answer.
func (p *rowWork) call(ctx context.Context, in linearizability.KVInput, do func(context.Context) (linearizability.KVOutput, error)) (linearizability.KVOutput, bool) {
	c := p.all
	p.calls++
	p.crowded = false
	patience := p.patience()
	trail := &client.CallID{}
	ctx, cancel := p.rt.WithTimeout(client.WithCallID(ctx, trail), patience)
	defer cancel()
	op := c.history.Begins(p.id, int64(c.world.Now()), in, trail)
	taken := p.watchRoom()
	began := c.world.Now()
	defer c.Waits.onCall(p.rt.Env().Self(), began)() // also when the machine crashes
	out, err := do(ctx)
	if p.rt.Env().Dead() {
		return out, false
	}
	taken(trail, err)
	if c.events.Wanted() {
		s := saidOfRow(in, out, err == nil || errors.Is(err, client.ErrNotFound) || errors.Is(err, client.ErrConflict))
		c.publish(event.CallEnded{Client: p.rt.Env().Self(), Program: event.ProgramID(p.id), Call: fmt.Sprint(in.Op, " ", in.Key), Trail: trail, Took: c.world.Now() - began, Err: err, Asked: s.asked, Got: s.got})
	}
	p.onCallEnd(trail)
	p.onOutcome(err)
	ns := int64(c.world.Now())
	switch {
	case err == nil || errors.Is(err, client.ErrNotFound) || errors.Is(err, client.ErrConflict):
		c.history.OK(op, ns, out)
		c.completed(p.thread, in, out)
		c.Waits.onAnswer(p.rt.Env().Self(), c.world.Now())
		return out, true
	case errors.Is(err, client.ErrOutcomeUnknown):
		c.history.Unknown(op, ns)
	default:
		c.history.Failed(op, ns)
	}
	c.world.Result(p.rt.Env().Self(), []byte(err.Error()))
	if p.strict && !p.expired && !p.crowded {
		c.world.Break("L1", "a call after healing had no answer: %v", err)
	}
	return out, false
}

// onCallEnd tells the witness that a call has ended for its program.
func (p *thread) onCallEnd(t *client.CallID) {
	p.all.witness.OnCallEnd(p.client, t)
}

// onOutcome notes how a call to the cell ended.
func (p *thread) onOutcome(err error) {
	p.expired = errors.Is(err, client.ErrSessionExpired)
	p.all.witness.OnOutcome(p.client, p.late, err)
}
