package client

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Lock is a lock that was acquired. It is held until it is released, its handle is
// closed, or its session ends. While the session is in jeopardy nobody can say
// whether it is held, and Held says no.
//
// A Lock may be lost at any instant, also between a call of Held and what the
// program does then; and a program may be stopped for as long as it takes to lose
// it. Whatever it protects should therefore be told the Sequencer, and check it.
type Lock struct {
	h           *Handle
	sequencer   string
	acquisition api.Acquisition
	ctx         context.Context
	cancel      context.CancelCauseFunc

	// lost and release are guarded by h.c.mu.
	lost    error // why it is not held any more, for good; nil: it may be
	release *call // the call that frees it
}

// newLock is the lock that was just acquired. It is called with mu held.
func newLock(ctx context.Context, h *Handle, mode Mode, held api.Held) *Lock {
	l := &Lock{h: h, acquisition: held.Acquisition}
	l.sequencer = api.Sequencer{Node: h.node, Mode: mode, Gen: held.Gen}.Encode()
	l.ctx, l.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	h.lock = l
	h.c.locks = append(h.c.locks, l)
	return l
}

// Sequencer describes the lock as it was when it was acquired: which lock, in which
// mode, at which generation. Pass it on with each request that the lock is to
// protect: whoever gets it can check it (CheckSequencer), or refuse what comes with
// a lower generation than it has seen (CHU §2.4).
func (l *Lock) Sequencer() string { return l.sequencer }

// Held says that the lock is held now: it was not released, and the session's lease
// runs. It asks the clock.
func (l *Lock) Held() bool { return l.Err() == nil }

// Err is why the lock is not held now, or nil if it is. ErrJeopardy may pass; any
// other error is for good: ErrNotHeld after Release, ErrClosed, ErrPoisoned,
// ErrSessionExpired, ErrGone, ErrBadHandle.
func (l *Lock) Err() error {
	l.h.c.mu.Lock()
	defer l.h.c.mu.Unlock()
	switch {
	case l.lost != nil:
		return l.err(l.lost)
	case !l.h.c.believes():
		return l.err(ErrJeopardy)
	}
	return nil
}

func (l *Lock) err(why error) error { return &Error{Op: "lock", Key: l.h.name, Causes: []error{why}} }

// Context ends when the lock is lost for good, with the cause that Err gives. It
// has the values of the context that the lock was acquired with, and is not ended by
// that. Jeopardy does not end it: what must stop at once asks Held.
func (l *Lock) Context() context.Context { return l.ctx }

// Done is closed when the lock is lost for good.
func (l *Lock) Done() <-chan struct{} { return l.ctx.Done() }

// Release frees the lock, this acquisition of it and no other. The lock is not Held
// from now on. If ctx ends before the cell has answered, Release fails with
// ErrOutcomeUnknown, and the lock is freed all the same, as soon as the cell can be
// reached. It fails with ErrNotHeld if the cell had taken the lock away before.
// Calling it again is harmless, and waits for the same answer.
func (l *Lock) Release(ctx context.Context) error {
	c := l.h.c
	var w *call
	var lost error
	c.step(func(now time.Time) {
		if l.release == nil && l.lost == nil {
			op := api.Release{Handle: l.h.token, Acquisition: l.acquisition}
			l.lose(ErrNotHeld)
			l.release = c.begin(ctx, now, op)
		}
		w, lost = l.release, l.lost
	})
	if w == nil { // it was lost before; with the handle it was freed
		if lost == ErrClosed {
			return nil
		}
		return l.err(lost)
	}
	d, ended := c.waitOnly(ctx, w)
	return fail("release", l.h.name, d, ended)
}

// lose ends the lock. It is called with mu held.
func (l *Lock) lose(why error) {
	if l.lost != nil {
		return
	}
	l.lost = why
	c := l.h.c
	c.locks = slices.DeleteFunc(c.locks, func(have *Lock) bool { return have == l })
	c.later = append(c.later, func() { l.cancel(l.err(why)) })
	if l.h.lock == l {
		l.h.lock = nil
		l.h.passTurn()
	}
}

// loseAll ends all locks of the session. It is called with mu held.
func (c *conn) loseAll(why error) {
	for len(c.locks) > 0 {
		c.locks[0].lose(why)
	}
}

// over is why a session that is over is.
func over(w session.Why) error {
	if w == session.Expired {
		return ErrSessionExpired
	}
	return ErrClosed
}
