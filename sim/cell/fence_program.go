package cell

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/resource"
)

// fenced takes the lock, increments the value of the resource a few times, and
// gives the lock back. It does what careful programs do: it asks whether the lock
// is held before it writes, though something may come in between; it writes nothing
// more under a lock under which a write was not answered; and each request carries
// the sequencer.
func (p *program) fenced(ctx context.Context) {
	o := p.has(hotNode)
	if o == nil {
		p.open(ctx, hotNode, client.CreateMay, false)
		return
	}
	if o.lock == nil {
		p.take(ctx, o, client.Exclusive, true)
		return
	}
	for range 1 + p.draws.Int(3) {
		if !p.incrementOutside(ctx, o.lock) {
			break
		}
	}
	if p.has(hotNode) == o && o.lock != nil {
		p.release(ctx, o)
	}
}

// incrementOutside reads, works, and writes. It is false where the lock is of no
// more use.
func (p *program) incrementOutside(ctx context.Context, lock *client.Lock) bool {
	read, ok := p.askResource(ctx, lock, resource.Ask{})
	if !ok || !read.Accepted {
		return false
	}
	if p.work(ctx) != nil || !lock.Held() {
		return false
	}
	if p.draws.Chance(1, 2) && p.work(ctx) != nil { // between asking the clock and writing
		return false
	}
	p.cell.fence.issued++
	wrote, ok := p.askResource(ctx, lock, resource.Ask{
		Write: true, Base: read.Version, Version: p.cell.fence.issued, Value: read.Value + 1,
	})
	return ok && wrote.Accepted
}

// work takes some time; after healing, when all wait for all, little.
func (p *program) work(ctx context.Context) error {
	most := p.cell.plan.Fence.Work
	if p.cell.load.finale {
		most = 10 * time.Millisecond
	}
	return p.rt.Sleep(ctx, time.Duration(p.draws.LogUniform(int64(time.Millisecond), int64(most))))
}

// askResource makes one request and counts it.
func (p *program) askResource(ctx context.Context, lock *client.Lock, q resource.Ask) (resource.Tell, bool) {
	f := p.cell.fence
	patience, late := p.patience(), time.Duration(0)
	if !p.strict {
		patience = p.cell.plan.Fence.Wait
	}
	ctx, cancel := p.rt.WithTimeout(ctx, patience)
	defer cancel()
	if !p.strict && p.draws.Chance(1, p.cell.plan.Fence.Late) {
		late = p.draws.Duration(0, p.cell.plan.Fence.Most)
	}
	f.issued++
	q.ID, q.Sequencer = f.issued, lock.Sequencer()
	p.cell.fencing.OnRequest(q.ID, p.believer(), lock)
	t, ok := p.line.ask(ctx, f.addr, q, late)
	if p.rt.Env().Dead() {
		return t, false
	}
	p.calls++
	text := "no answer"
	if ok {
		text = string(t.Encode())
		p.cell.load.completed++
		p.cell.load.hot++
	}
	p.cell.world.Result(p.rt.Env().Self(), []byte(text))
	if !ok && p.strict {
		p.cell.world.Break("L1", "a request to the resource after healing had no answer")
	}
	return t, ok
}

// finaleOfFence is one increment that must succeed, unless the session had ended.
func (p *program) finaleOfFence(ctx context.Context) {
	o := p.has(hotNode)
	if o == nil {
		p.open(ctx, hotNode, client.CreateMay, false)
		return
	}
	if o.lock == nil {
		p.take(ctx, o, client.Exclusive, true)
	}
	if o.lock != nil {
		p.incrementOutside(ctx, o.lock)
	}
	if p.has(hotNode) == o && o.lock != nil {
		p.release(ctx, o)
	}
}
