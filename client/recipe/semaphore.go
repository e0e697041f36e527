package recipe

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chubbycell/chubby/client"
)

// Semaphore limits how many programs do something at the same time. A permit is the exclusive lock
// of a file, and there are as many files as permits. A holder that dies or cannot be reached loses
// its permit with its session. A permit counted in a file or a row, in contrast, would be lost with
// its holder.
//
// A Semaphore holds nothing by itself and needs no closing.
type Semaphore struct {
	c       *client.Client
	dir     string
	permits int
}

// NewSemaphore returns the semaphore of a directory, which Acquire creates if it does not exist.
// All programs must pass the same number of permits: a program that passes more may use more. A
// number below 1 counts as 1. An Acquire that has to wait waits at every lock, so use few permits,
// up to 20.
func NewSemaphore(c *client.Client, dir string, permits int) *Semaphore {
	return &Semaphore{c: c, dir: dir, permits: max(permits, 1)}
}

// Acquire blocks until there is a permit for this program. The order in which waiting programs get
// permits is undefined. If ctx ends first, Acquire fails with its error and leaves nothing behind.
// If it can wait for no permit, it fails with the errors of Open and client.Handle.Acquire.
func (s *Semaphore) Acquire(ctx context.Context) (*Permit, error) {
	d, err := s.c.Open(ctx, s.dir, client.OpenOptions{Create: client.CreateMay, Directory: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close(ctx) }()
	var slots []*client.Handle
	for i := range s.permits {
		h, err := d.Open(ctx, fmt.Sprintf("permit-%d", i), client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
		if err != nil {
			closeAll(ctx, slots, -1)
			return nil, err
		}
		slots = append(slots, h)
	}
	i, lock, err := s.first(ctx, slots)
	closeAll(ctx, slots, i) // frees the other locks that were acquired too
	if err != nil {
		return nil, err
	}
	return &Permit{h: slots[i], lock: lock}, nil
}

// closeAll closes all handles but one.
func closeAll(ctx context.Context, all []*client.Handle, but int) {
	for i, h := range all {
		if i != but {
			_ = h.Close(ctx)
		}
	}
}

// first acquires the lock of one of the files: a free one at once, or else the one that becomes
// free first. It returns the index of the file; -1: none.
func (s *Semaphore) first(ctx context.Context, slots []*client.Handle) (int, *client.Lock, error) {
	for i, h := range slots {
		lock, err := h.TryAcquire(ctx, client.Exclusive)
		switch {
		case err == nil:
			return i, lock, nil
		case ctx.Err() != nil:
			return -1, nil, err
		}
	} // a file that failed, as a deleted one does, fails in the race as well, and the race goes on with the others
	r := race{rt: s.c.Runtime(), locks: make([]*client.Lock, len(slots))}
	return r.run(ctx, slots)
}

// race is an Acquire of several locks at the same time, of which the first one counts.
type race struct {
	rt client.Runtime

	mu    sync.Mutex
	locks []*client.Lock // acquired, by slot
	ended int
	err   error // the first, or one that the end of the context has caused
}

func (r *race) run(ctx context.Context, slots []*client.Handle) (int, *client.Lock, error) {
	waits, cancel := context.WithCancel(ctx)
	defer cancel()
	won, all := r.rt.NewSignal(), r.rt.NewSignal()
	for i, h := range slots {
		r.rt.Go("permit of "+h.Name(), func() {
			lock, err := h.Acquire(waits, client.Exclusive)
			if r.end(ctx, i, lock, err); lock != nil {
				won.Fire()
			}
			if r.isOver() {
				all.Fire()
			}
		})
	}
	_, _ = r.rt.Wait(ctx, won, all)
	cancel() // the others end at once
	_, _ = r.rt.Wait(context.WithoutCancel(ctx), all)
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.err
	for i, lock := range r.locks {
		switch {
		case lock == nil:
		case lock.Context().Err() == nil:
			return i, lock, nil
		default:
			err = lock.Err() // it was lost again in the meantime
		}
	}
	return -1, nil, err
}

func (r *race) end(ctx context.Context, i int, lock *client.Lock, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.locks[i] = lock
	isOfContext := ctx.Err() != nil && errors.Is(err, ctx.Err())
	if r.ended++; r.err == nil || isOfContext {
		r.err = err
	}
}

func (r *race) isOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended == len(r.locks)
}

// Permit is one of the permits of a Semaphore. All methods are safe for concurrent use.
type Permit struct {
	h    *client.Handle
	lock *client.Lock
}

// Held reports whether the permit is held now. It sends nothing. At any instant it is true for at
// most as many permits as the Semaphore has. The program acts after Held has returned. If more than
// that many programs must never act at the same time, send Sequencer with each request (Fence, with
// the paths of all the files).
func (p *Permit) Held() bool { return p.lock.Held() }

// Err returns why the permit is not held, or nil if it is. client.ErrJeopardy is temporary; any
// other error is final.
func (p *Permit) Err() error { return p.lock.Err() }

// Sequencer returns the string that names this permit to servers (client.Lock).
func (p *Permit) Sequencer() string { return p.lock.Sequencer() }

// Context returns a context that is cancelled when the permit is lost for good (client.Lock).
func (p *Permit) Context() context.Context { return p.lock.Context() }

// Release gives the permit back. It blocks until the cell has answered. If ctx ends first, it
// fails, and the permit becomes free as soon as the cell can be reached. Releasing again is
// harmless.
func (p *Permit) Release(ctx context.Context) error { return p.h.Close(ctx) }
