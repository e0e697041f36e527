package workload

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
)

// lockWork is a thread that works on locks.
type lockWork struct {
	*fileWork
	sequencer string // of the lock that the program acquired last
}

// turn acquires locks, holds them for a while and releases them. Now and then it gives up an
// Acquire, or asks whether a sequencer is valid.
func (p *lockWork) turn(ctx context.Context) {
	path := p.choose.path()
	o := p.has(path)
	switch {
	case o == nil:
		p.open(ctx, path, client.CreateMay, false)
	case p.draws.Chance(1, 6) && p.all.Shown[path] != "":
		p.checkLatest(ctx, o)
	case o.lock == nil:
		p.acquire(ctx, o)
	case p.partHolding(30):
	case p.draws.Chance(1, 4):
		p.check(ctx, o)
	case p.draws.Chance(1, 8):
		p.ownSequencer(ctx, o)
	case p.draws.Chance(1, 12), o.fenced && p.draws.Chance(1, 3):
		p.closeHandle(o)
	case p.draws.Chance(1, 6):
		p.guarded(ctx, o)
	default:
		p.release(ctx, o)
		p.acquireAgain(ctx, o)
	}
}

// acquire asks for the lock in some mode, waiting or not.
func (p *lockWork) acquire(ctx context.Context, o *opened) {
	mode := client.Exclusive
	if p.draws.Chance(1, 3) {
		mode = client.Shared
	}
	// A program that holds a lock does not wait for another: two could wait for each other.
	wait := !slices.ContainsFunc(p.nodes, func(x *opened) bool { return x.lock != nil })
	wait = wait && (p.all.Finale || p.draws.Chance(2, 3))
	p.take(ctx, o, mode, wait)
}

// acquireAgain asks, now and then, for a lock that was just released and that its handle may have
// kept. It asks at once, or after a pause in which the client may have come into jeopardy.
func (p *lockWork) acquireAgain(ctx context.Context, o *opened) {
	keep := p.all.plan.Caches.KeepLock
	if keep == 0 || !p.caching.Chance(1, 2) {
		return
	}
	pause := p.all.plan.Calls.Think
	if !p.all.Finale && p.caching.Chance(1, 4) {
		pause = keep
	}
	if p.rt.Sleep(ctx, p.caching.Duration(0, pause)) == nil && p.has(o.path) == o && o.lock == nil {
		p.acquire(ctx, o)
	}
}

// take asks for the lock. A program that gets it believes that it holds it.
func (p *lockWork) take(ctx context.Context, o *opened, mode client.Mode, wait bool) {
	limit := p.patience()
	if wait && o.path != HotNode {
		// The lock-delay of any other node may last as long as the cell has to recover: this wait may
		// end without the lock after healing, too.
		limit, p.strict = p.all.plan.Calls.Patience, false
	}
	ctx, cancel := p.rt.WithTimeout(ctx, limit)
	defer cancel()
	var lock *client.Lock
	var err error
	began := p.all.world.Now()
	in := o.onLock(linearizability.LockTry)
	if in.Shared, in.Delay = mode == client.Shared, o.delay; wait {
		in.Op = linearizability.LockAcquire
	}
	at, sent := p.locked(ctx, o, in, func(ctx context.Context) (out linearizability.LockOutput, _ error) {
		if wait {
			over := p.interrupt(o)
			lock, err = o.h.Acquire(ctx, mode)
			over()
		} else {
			lock, err = o.h.TryAcquire(ctx, mode)
		}
		if err == nil {
			out.Gen = generationIn(lock.Sequencer())
		}
		return out, err
	})
	if p.rt.Env().Dead() {
		return
	}
	p.answered(err, o.path == HotNode, "acquire "+o.path)
	switch {
	case err == nil:
		o.lock, o.granted, p.sequencer = lock, at+1, lock.Sequencer()
		if !sent {
			p.reacquired(o, lock, began)
		}
		p.all.Shown[o.path] = p.sequencer
		p.all.beliefs.OnHold(p.believer(), o, lock, mode)
		if p.all.events.Wanted() {
			p.all.publish(event.LockBelieved{Client: p.rt.Env().Self(), Node: o.Ref(), Mode: mode, Sequencer: p.sequencer})
		}
		if t := p.Turns(o); t != nil {
			t.SetLock(lock)
		}
	case errors.Is(err, client.ErrGone), errors.Is(err, client.ErrPoisoned), errors.Is(err, client.ErrClosed):
		p.closeUseless(o, err)
	case errors.Is(err, client.ErrStaleSequencer) && p.draws.Chance(1, 2): // the handle is useless now
		p.closeHandle(o)
	}
}

// reacquired checks a lock that a program got without a call to the cell, because the handle had
// kept it. It must be the acquisition that the last Release would have given back, and must be held
// at once.
func (p *lockWork) reacquired(o *opened, lock *client.Lock, began time.Duration) {
	kept := p.all.spares[o.h]
	if p.all.world.Now() == began && !lock.Held() {
		p.all.world.Break("S9", "the lock of %s was acquired without the cell, and is not held: %v", o.path, lock.Err())
	}
	if o.granted = kept.granted; kept.sequencer != lock.Sequencer() {
		p.all.world.Break("S8", "the lock of %s was acquired without the cell, with sequencer %q; the one that was kept has %q", o.path, lock.Sequencer(), kept.sequencer)
	}
	p.all.Kept++
}

// interrupt arranges, now and then, that a handle by which the program is about to wait for a lock
// is closed or poisoned, if the program still waits then (C6.19). over must be called when the wait
// ends.
func (p *lockWork) interrupt(o *opened) (over func()) {
	odds := uint64(10)
	if p.all.plan.Workload == plan.Storm {
		odds = 100
	}
	if p.strict || !p.draws.Chance(1, odds) {
		return func() {}
	}
	waits, after, closes := true, p.draws.Duration(0, p.all.plan.Calls.Patience/2), p.draws.Chance(1, 2)
	p.rt.Go("interrupt", func() {
		if p.rt.Sleep(context.Background(), after) != nil || !waits {
			return
		}
		if !closes {
			o.h.Poison()
			return
		}
		ctx, cancel := p.rt.WithTimeout(context.Background(), p.all.plan.Calls.Patience)
		defer cancel()
		p.all.beliefs.OnClose(o) // even if the waiting call already has its answer and does not notice
		_ = o.h.Close(ctx)       // on an error, the waiting call of the program reports it
	})
	return func() { waits = false }
}

// release gives the lock back, if it is still there.
func (p *lockWork) release(ctx context.Context, o *opened) {
	p.all.spares[o.h] = spare{o.granted, o.lock.Sequencer()}
	p.free(ctx, o, o.lock.Release)
}

// giveUp releases a lock that the handle must not keep.
func (p *lockWork) giveUp(ctx context.Context, o *opened) { p.free(ctx, o, o.lock.GiveUp) }

// free ends the hold of a lock with the call release.
func (p *lockWork) free(ctx context.Context, o *opened, release func(context.Context) error) {
	lock := o.lock
	o.lock = nil
	ctx, cancel := p.rt.WithTimeout(ctx, p.patience())
	defer cancel()
	p.late = false // the client releases a lock that went with its handle without asking the cell
	var err error
	p.locked(ctx, o, o.onLock(linearizability.LockRelease), func(ctx context.Context) (linearizability.LockOutput, error) {
		err = release(ctx)
		return linearizability.LockOutput{}, err
	})
	p.checkGaveBack(err)
	if !p.rt.Env().Dead() {
		p.letGo(o, lock)
	}
	p.finishCall(ctx, o, "release", err)
}

// finishCall notes how a call by a handle ended, and closes the handle if it cannot be used any
// more.
func (p *lockWork) finishCall(ctx context.Context, o *opened, name string, err error) {
	if p.rt.Env().Dead() {
		return
	}
	p.answered(err, o.path == HotNode, name+" "+o.path)
	if errors.Is(err, client.ErrGone) || errors.Is(err, client.ErrClosed) {
		p.closeUseless(o, err)
	}
}

// checkLatest asks whether the latest sequencer of the node's lock is valid. The lock may have been
// released since.
func (p *lockWork) checkLatest(ctx context.Context, o *opened) {
	ctx, cancel := p.rt.WithTimeout(ctx, p.patience())
	defer cancel()
	p.finishCall(ctx, o, "check-sequencer", p.checkSequencer(ctx, o, p.all.Shown[o.path]))
}

func (p *lockWork) checkSequencer(ctx context.Context, o *opened, sequencer string) (err error) {
	p.locked(ctx, o, checking(sequencer), func(ctx context.Context) (linearizability.LockOutput, error) {
		err = o.h.CheckSequencer(ctx, sequencer)
		return linearizability.LockOutput{}, err
	})
	return err
}

// check asks whether the sequencer of a held lock is valid. It must be while the lock is held,
// unless a client has deleted its node, or tied the handle to another sequencer.
func (p *lockWork) check(ctx context.Context, o *opened) {
	ctx, cancel := p.rt.WithTimeout(ctx, p.patience())
	defer cancel()
	err := p.checkSequencer(ctx, o, o.lock.Sequencer())
	if p.rt.Env().Dead() {
		return
	}
	if errors.Is(err, client.ErrStaleSequencer) && o.lock.Held() && !o.fenced && p.all.witness.Stands(o.Ref()) {
		p.all.world.Break("S8", "the sequencer of %s was found stale while its lock is held: %v", o.path, err)
	}
	p.answered(err, o.path == HotNode, "check-sequencer "+o.path)
	if errors.Is(err, client.ErrGone) {
		p.closeUseless(o, err)
	}
}

// ownSequencer asks for the sequencer of a held lock. It must be the one that the holder got with
// the lock (C6.15).
func (p *lockWork) ownSequencer(ctx context.Context, o *opened) {
	var sequencer string
	err := p.unrecorded(ctx, o, func(ctx context.Context) (err error) {
		sequencer, err = o.h.GetSequencer(ctx)
		return err
	})
	if p.rt.Env().Dead() {
		return
	}
	if f := sequencerFault(sequencer, err, o.lock.Sequencer(), o.lock.Held() && p.all.witness.Stands(o.Ref())); f != (model.Finding{}) {
		p.all.world.Break(f.ID, "the lock of %s %s", o.path, f.Text)
	}
	p.finishCall(ctx, o, "get-sequencer", err)
}

// sequencerFault returns a finding if the answer to GetSequencer is wrong. said and err are the
// answer, own is the sequencer that the holder got with the lock. held: the holder believes that it
// holds the lock, and the node of the lock exists.
func sequencerFault(said string, err error, own string, held bool) model.Finding {
	switch {
	case err == nil && said != own:
		return model.Findingf("S10", "has the sequencer %q, as the cell says, and was got with %q", said, own)
	case held && errors.Is(err, client.ErrNotHeld):
		return model.Findingf("S10", "has no sequencer, as the cell says, and its holder counts on it")
	}
	return model.Finding{}
}

// leave releases all locks, because other programs wait for them. At times, if the session ends
// now, it leaves that to the end of the session, even if the client does not learn that the session
// was closed.
func (p *lockWork) leave(ctx context.Context) {
	last := p.isLast()
	for _, o := range slices.Clone(p.nodes) {
		if o.lock != nil && !p.expired && (p.all.Finale || !last || !p.parting && !p.odd.Chance(1, 4)) {
			p.release(ctx, o)
		}
	}
}

// partHolding ends the program, now and then, while it holds a lock for which other programs may
// wait. The session ends next, and frees the lock. It reports whether it does.
func (p *thread) partHolding(odds uint64) bool {
	p.parting = p.isLast() && p.odd.Chance(1, odds)
	return p.parting
}

// isLast reports whether the session ends when this program does. Sessions must have leases, so
// that the session ends even if its client crashes before it closes the session.
func (p *thread) isLast() bool {
	return *p.mates == 1 && p.all.plan.Driver.Core.Sessions.LeaseMin > 0
}
