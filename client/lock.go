package client

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Lock is an acquired lock. It is held until it is released, its handle is closed or poisoned, its
// node is deleted, or its session ends. The cell deletes a node only after its locks are lost. While
// the session is in jeopardy the Client cannot know whether the lock is held, and Held returns false.
//
// A Lock can be lost at any instant, even between a call of Held and the action that depends on it;
// the program itself may be paused in between. Pass Sequencer with each request to the protected
// resource, and let the resource check it.
type Lock struct {
	h           *Handle
	sequencer   string
	acquisition api.Acquisition
	mode        Mode
	held        api.Held
	ctx         context.Context
	cancel      context.CancelCauseFunc

	// Why the lock is over, and its Release.
	lost    error // why the lock is lost for good; nil: it is not lost
	release *call // the Release under way, or answered
	kept    bool  // Release has left the lock with the handle

	heldCtx context.Context         // of HeldContext, until jeopardy; nil: there is none
	endHeld context.CancelCauseFunc // ends heldCtx
}

// newLock records an acquired lock. It is called with mu held.
func newLock(ctx context.Context, h *Handle, mode Mode, held api.Held) *Lock {
	l := &Lock{h: h, acquisition: held.Acquisition, mode: mode, held: held}
	l.sequencer = api.Sequencer{Node: h.node, Mode: mode, Gen: held.Gen}.Text()
	l.ctx, l.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	h.lock, h.wanted = l, false
	h.c.setHeld(h.watch, held.Acquisition)
	h.c.locks = append(h.c.locks, l)
	return l
}

// Sequencer returns a text that names this acquisition: the lock, its mode, and its generation. It
// consists only of letters, digits, "-" and "_", so JSON, a URL or an HTTP header can carry it
// unchanged. Pass it with each request to the resource that the lock protects. The resource
// validates it with Handle.CheckSequencer, or rejects a sequencer with a lower generation than it
// has accepted before (CHU §2.4).
func (l *Lock) Sequencer() string { return l.sequencer }

// Held reports whether the lock is held now: it was not lost, and the session's lease runs by
// the local clock. It sends nothing and does not block.
func (l *Lock) Held() bool { return l.Err() == nil }

// Err returns why the lock is not held, or nil if it is. ErrJeopardy is temporary. All other
// errors are final: ErrNotHeld after Release, ErrClosed, ErrPoisoned, ErrSessionExpired,
// ErrGone, ErrBadHandle.
func (l *Lock) Err() error {
	l.h.c.mu.Lock()
	defer l.h.c.mu.Unlock()
	if why := l.why(); why != nil {
		return l.wrap(why)
	}
	return nil
}

// why returns why the lock is not held now; nil: it is held. It is called with mu held.
func (l *Lock) why() error {
	switch {
	case l.lost != nil:
		return l.lost
	case !l.h.c.hasLease():
		return ErrJeopardy
	}
	return nil
}

func (l *Lock) wrap(why error) error { return &Error{Op: "lock", Key: l.h.name, Causes: []error{why}} }

// Context returns a context that is cancelled when the lock is lost for good, with the error of
// Err as its cause. It carries the values of the context given to Acquire, but not its
// cancellation. Jeopardy does not cancel it: work that must stop in jeopardy runs under HeldContext.
func (l *Lock) Context() context.Context { return l.ctx }

// Done returns a channel that is closed when the lock is lost for good.
func (l *Lock) Done() <-chan struct{} { return l.ctx.Done() }

// Release frees this acquisition of the lock, and no other. Held returns false from the start of
// the call. Release blocks until the cell has answered, unless the handle keeps the lock there
// (OpenOptions.KeepLock). If ctx ends first, it fails with ErrOutcomeUnknown; the release continues
// in the background and takes effect as soon as the cell can be reached. It fails with ErrNotHeld
// if the cell had already taken the lock away. If the lock was lost before, Release returns the
// error of Err, or nil if closing the handle freed the lock. Releasing again is harmless and waits
// for the same answer.
func (l *Lock) Release(ctx context.Context) error { return l.free(ctx, true) }

// GiveUp is like Release, but frees the lock at the cell even if the handle keeps it
// (OpenOptions.KeepLock). It is for a program that does not know the outcome of a request which it sent
// under the lock. The next acquisition then has another sequencer, and a resource that has seen that
// one refuses the old request if it arrives late. A kept lock keeps its sequencer, and the resource
// would accept the request. On a handle that does not keep its lock, GiveUp and Release are the same.
func (l *Lock) GiveUp(ctx context.Context) error { return l.free(ctx, false) }

// free frees the lock, or lets the handle keep it if mayKeep.
func (l *Lock) free(ctx context.Context, mayKeep bool) error {
	c := l.h.c
	var w *call
	var lost error
	kept := false
	c.step(func(now time.Time) {
		if l.release == nil && l.lost == nil {
			op := api.Release{Handle: l.h.token, Acquisition: l.acquisition}
			l.lose(ErrNotHeld)
			if kept = mayKeep && l.h.spareLock(l, now); kept {
				return
			}
			l.begin(ctx, now, op)
		} else if l.kept && l.release == nil {
			if kept = mayKeep; kept {
				return
			}
			if s := l.h.spare; s != nil && s.held.Acquisition == l.acquisition {
				l.h.endSpare()
				c.setHeld(l.h.watch, 0)
				l.begin(ctx, now, api.Release{Handle: l.h.token, Acquisition: l.acquisition})
			}
		}
		w, lost = l.release, l.lost
	})
	if kept {
		return nil
	}
	if w == nil { // it was lost before; closing the handle freed it
		if lost == ErrClosed {
			return nil
		}
		return l.wrap(lost)
	}
	d, ended := c.waitOnly(ctx, w)
	return callError("release", l.h.name, d, ended)
}

// begin begins the Release. It is called with mu held.
func (l *Lock) begin(ctx context.Context, now time.Time, op api.Release) {
	l.release = l.h.c.begin(ctx, now, op)
	l.h.releasing++
	l.release.onDone = func(session.Done) { l.h.releasing-- }
}

// lose marks the lock as lost for good. It is called with mu held.
func (l *Lock) lose(why error) {
	if l.lost != nil {
		return
	}
	l.lost = why
	c := l.h.c
	c.locks = slices.DeleteFunc(c.locks, func(have *Lock) bool { return have == l })
	c.afterUnlock = append(c.afterUnlock, func() { l.cancel(l.wrap(why)) })
	if l.h.lock == l {
		l.h.lock = nil
		c.setHeld(l.h.watch, 0)
		l.h.wakeWaiters()
	}
}

// drop loses the lock and releases it. The deletion of its node may still be refused; the release
// then lets others have a lock that this program no longer relies on. It is called with mu held.
func (l *Lock) drop(why error) {
	l.lose(why)
	l.h.c.background = append(l.h.c.background, api.Release{Handle: l.h.token, Acquisition: l.acquisition})
}

// dropLocks loses the locks of a node that is about to be deleted, including those whose answer is
// still to come. It is called with mu held.
func (c *conn) dropLocks(n api.Ref) {
	for _, w := range c.calls { // order-free: each by itself
		w.dropped = w.dropped || w.node == n
	}
	for _, l := range slices.Clone(c.locks) {
		if l.h.node == n {
			l.drop(ErrGone)
		}
	}
	for _, h := range slices.Clone(c.spares) {
		if h.node == n {
			h.releaseSpare()
		}
	}
}

// loseAll marks all locks of the session as lost. It is called with mu held.
func (c *conn) loseAll(why error) {
	for len(c.locks) > 0 {
		c.locks[0].lose(why)
	}
}

// endCause returns why a session is over, as an error.
func endCause(w session.Why) error {
	if w == session.Expired {
		return ErrSessionExpired
	}
	return ErrClosed
}
