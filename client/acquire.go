package client

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Acquire blocks until it has acquired the lock of the handle's node in the given mode, and returns the lock.
// Callers that share a handle exclude each other: if this handle holds the lock already, or another goroutine
// is acquiring it through this handle, Acquire waits for its turn. As with a sync.Mutex, a goroutine that
// already holds the lock through this handle would wait for itself; the error at the end of ctx says so.
//
// The cell grants a lock to its waiters in the order in which they came. At most half of Config.Window (32)
// Acquires of one Client wait at the cell. The Client tries each further Acquire at once and then every few
// seconds, and other waiters may pass it.
//
// If ctx ends first, Acquire fails with its error and will not get the lock. If the request was sent, the
// Client cancels it at the cell in the background, and the error is ErrWithdrawn as well: the outcome is
// certain. Acquire fails with ErrPermission if the handle was opened without Write, with ErrGone if the node
// was deleted, with ErrCrowded if the cell has too many waiters, and with ErrNotHeld or ErrSessionExpired if
// the lock was lost again before Acquire could return it.
func (h *Handle) Acquire(ctx context.Context, mode Mode) (*Lock, error) {
	t := &acquireCall{h: h, name: "acquire", mode: mode, wait: true}
	for {
		freed, err := t.begin(ctx)
		switch {
		case err != nil:
			return nil, err
		case freed == nil:
			return t.finish(ctx)
		}
		if _, err := h.c.rt.Wait(ctx, freed); err != nil {
			causes := contextCauses(ctx, err)
			if why := h.removeWaiter(freed); why != nil {
				causes = append(causes, why)
			}
			return nil, &Error{Op: t.name, Key: h.name, Causes: causes}
		}
	}
}

// TryAcquire acquires the lock of the node if it is free. It does not wait for a holder; it blocks
// only until the cell has answered. It fails with ErrLockHeld if the lock is held in a conflicting
// mode or by this handle, or if another goroutine is acquiring it through this handle; and with
// ErrLockDelayed while the lock-delay of a lost holder runs. Its other errors are those of Acquire.
func (h *Handle) TryAcquire(ctx context.Context, mode Mode) (*Lock, error) {
	t := &acquireCall{h: h, name: "try-acquire", mode: mode}
	freed, err := t.begin(ctx)
	switch {
	case err != nil:
		return nil, err
	case freed != nil:
		h.removeWaiter(freed)
		return nil, &Error{Op: t.name, Key: h.name, Causes: []error{ErrLockHeld}}
	}
	return t.finish(ctx)
}

// acquireCall is one Acquire or TryAcquire. A handle has at most one under way at the cell, and
// none while it holds the lock.
type acquireCall struct {
	h        *Handle
	name     string
	mode     Mode
	wait     bool
	call     *call
	acquired *Lock
}

// begin starts the call if the handle neither holds the lock nor is acquiring it. Otherwise it
// returns a signal that fires when that may have changed.
func (t *acquireCall) begin(ctx context.Context) (freed Signal, err error) {
	h := t.h
	h.c.step(func(now time.Time) {
		if err = h.checkUsable(ctx, t.name); err != nil {
			return
		}
		if h.lock != nil || h.acquiring {
			freed = h.c.rt.NewSignal()
			h.waiters = append(h.waiters, freed)
			return
		}
		if t.acquired = h.takeSpare(ctx, now, t.mode); t.acquired != nil {
			return
		}
		h.acquiring = true
		op := api.Acquire{Handle: h.token, Mode: t.mode, Wait: t.wait}
		t.call = h.begin(ctx, now, op, h.node, func(d session.Done) { t.onDone(ctx, d) })
	})
	return freed, err
}

// onDone is called with mu held when the call has ended, before any other change of the
// session.
func (t *acquireCall) onDone(ctx context.Context, d session.Done) {
	t.h.acquiring = false
	if held, ok := d.Result.Detail.(api.Held); ok && t.h.endErr == nil {
		if t.acquired = newLock(ctx, t.h, t.mode, held); t.call.dropped {
			t.acquired.drop(ErrNotHeld)
		}
		return
	}
	t.h.wakeWaiters()
}

// finish waits for the answer and returns the lock.
func (t *acquireCall) finish(ctx context.Context) (*Lock, error) {
	if t.call == nil { // a lock that was kept
		return t.acquired, nil
	}
	d, ended := t.h.c.wait(ctx, t.call)
	if err := callError(t.name, t.h.name, d, ended); err != nil {
		return nil, withdrawn(err, d)
	}
	t.h.c.mu.Lock()
	defer t.h.c.mu.Unlock()
	if t.acquired == nil { // the handle was closed in the meantime
		return nil, &Error{Op: t.name, Key: t.h.name, Causes: []error{t.h.endErr}}
	}
	if t.acquired.lost != nil {
		return nil, &Error{Op: t.name, Key: t.h.name, Causes: []error{t.acquired.lost}}
	}
	return t.acquired, nil
}

// withdrawn changes the error of an Acquire that this Client has ended to ErrWithdrawn. The Client
// does not know the outcome, but the cancellation, or the end of the handle or session, decides
// it.
func withdrawn(err error, d session.Done) error {
	var e *Error
	byClient := d.Why == session.Cancelled || d.Why == session.Closed || d.Why == session.Expired
	if d.Outcome == session.Unknown && byClient && errors.As(err, &e) {
		e.Causes[0] = ErrWithdrawn
	}
	return err
}

// The reasons why an Acquire waits before it asks the cell.
var (
	errHoldsItself = errors.New("this handle holds the lock: release that first, or acquire by a handle of its own")
	errAcquires    = errors.New("another Acquire of this handle is under way: with handles of their own the two would wait at the cell")
)

// removeWaiter ends an Acquire's wait for other uses of its handle, and returns what it waited for;
// nil: it need not wait any more.
func (h *Handle) removeWaiter(s Signal) error {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	h.waiters = slices.DeleteFunc(h.waiters, func(have Signal) bool { return have == s })
	switch {
	case h.lock != nil:
		return errHoldsItself
	case h.acquiring:
		return errAcquires
	}
	return nil
}

// wakeWaiters lets waiting Acquires of the handle try again. It is called with mu held.
func (h *Handle) wakeWaiters() {
	h.c.fireLater(h.waiters...)
	h.waiters = nil
}
