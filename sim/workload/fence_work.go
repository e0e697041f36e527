package workload

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/resource"
)

// fencedWork is a thread that writes to a resource outside of the cell under a lock.
type fencedWork struct{ *lockWork }

// turn takes the lock, increments the value of the resource a few times, and gives the lock back.
// It does what careful programs do. It asks whether the lock is held before it writes, though
// something may happen in between. After a write that was not answered, it writes no more under the
// same lock, and gives the lock up, so that its handle does not keep it. Each request carries the
// sequencer.
func (p *fencedWork) turn(ctx context.Context) {
	o := p.has(HotNode)
	if o == nil {
		p.open(ctx, HotNode, client.CreateMay, false)
		return
	}
	if o.lock == nil {
		p.take(ctx, o, client.Exclusive, true)
		return
	}
	lock, sure := o.lock, true
	for i := 1 + p.draws.Int(3); i > 0 && sure; i-- {
		sure = p.incrementOutside(ctx, lock)
	}
	switch {
	case p.has(HotNode) != o || o.lock == nil:
	case sure:
		p.release(ctx, o)
	default: // a request may still be under way
		p.giveUp(ctx, o)
	}
}

// incrementOutside reads, works, and writes. It returns false if the program must no longer write
// under the lock.
func (p *fencedWork) incrementOutside(ctx context.Context, lock *client.Lock) bool {
	read, ok := p.askResource(ctx, lock, resource.Ask{})
	if !ok || !read.Accepted {
		return false
	}
	if p.work(ctx) != nil || !lock.Held() {
		return false
	}
	if p.draws.Chance(1, 2) && p.work(ctx) != nil { // after it has asked whether the lock is held
		return false
	}
	wrote, ok := p.askResource(ctx, lock, resource.Ask{
		Write: true, Base: read.Version, Version: p.all.Fence.Next(), Value: read.Value + 1,
	})
	return ok && wrote.Accepted
}

// work takes some time. After healing, when all programs wait for each other, it takes little.
func (p *fencedWork) work(ctx context.Context) error {
	most := p.all.plan.Fence.Work
	if p.all.Finale {
		most = 10 * time.Millisecond
	}
	return p.rt.Sleep(ctx, time.Duration(p.draws.LogUniform(int64(time.Millisecond), int64(most))))
}

// askResource makes one request and counts it.
func (p *fencedWork) askResource(ctx context.Context, lock *client.Lock, q resource.Ask) (resource.Tell, bool) {
	f := p.all.Fence
	patience, late := p.patience(), time.Duration(0)
	if !p.strict {
		patience = p.all.plan.Fence.Wait
	}
	ctx, cancel := p.rt.WithTimeout(ctx, patience)
	defer cancel()
	if !p.strict && p.draws.Chance(1, p.all.plan.Fence.Late) {
		late = p.draws.Duration(0, p.all.plan.Fence.Most)
	}
	q.ID, q.Sequencer = f.Next(), lock.Sequencer()
	f.check.OnRequest(q.ID, p.believer(), lock)
	t, ok := p.line.Ask(ctx, f.addr, q, late)
	if p.rt.Env().Dead() {
		return t, false
	}
	p.calls++
	text := "no answer"
	if ok {
		text = string(t.Encode())
		p.all.Completed++
		p.all.Hot++
	}
	p.all.world.Result(p.rt.Env().Self(), []byte(text))
	if !ok && p.strict {
		p.all.world.Break("L1", "a request to the resource after healing had no answer")
	}
	return t, ok
}

// finaleOfFence makes one increment, which must succeed unless the session has ended.
func (p *fencedWork) finaleOfFence(ctx context.Context) {
	o := p.has(HotNode)
	if o == nil {
		p.open(ctx, HotNode, client.CreateMay, false)
		return
	}
	if o.lock == nil {
		p.take(ctx, o, client.Exclusive, true)
	}
	if o.lock != nil {
		p.incrementOutside(ctx, o.lock)
	}
	if p.has(HotNode) == o && o.lock != nil {
		p.release(ctx, o)
	}
}
