package client

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Acquire waits for the lock of the node and returns it. First it waits until the
// handle does not hold it already: callers who share a handle exclude each other,
// like any others. An Acquire whose context ends has the lock not, and will not get
// it: the cell is told so, behind the caller's back. It fails with ErrPermission
// where the handle was not opened to Write.
func (h *Handle) Acquire(ctx context.Context, mode Mode) (*Lock, error) {
	t := &taking{h: h, name: "acquire", mode: mode, wait: true}
	for {
		turn, err := t.begin(ctx)
		switch {
		case err != nil:
			return nil, err
		case turn == nil:
			return t.finish(ctx)
		}
		if _, err := h.c.rt.Wait(ctx, turn); err != nil {
			h.forgetTurn(turn)
			return nil, &Error{Op: t.name, Key: h.name, Causes: reasons(ctx, err)}
		}
	}
}

// TryAcquire returns the lock of the node if it is free. It fails with ErrLockHeld,
// or with ErrLockDelayed while the lock-delay of a holder that was lost runs.
func (h *Handle) TryAcquire(ctx context.Context, mode Mode) (*Lock, error) {
	t := &taking{h: h, name: "try-acquire", mode: mode}
	turn, err := t.begin(ctx)
	switch {
	case err != nil:
		return nil, err
	case turn != nil:
		h.forgetTurn(turn)
		return nil, &Error{Op: t.name, Key: h.name, Causes: []error{ErrLockHeld}}
	}
	return t.finish(ctx)
}

// taking is one Acquire: the cell is asked for one at a time on each handle, and
// for none while it holds the lock.
type taking struct {
	h    *Handle
	name string
	mode Mode
	wait bool
	call *call
	lock *Lock
}

// begin asks the cell, if it is the caller's turn. Else it returns the signal that
// fires when it may be.
func (t *taking) begin(ctx context.Context) (turn Signal, err error) {
	h := t.h
	h.c.step(func(now time.Time) {
		if err = h.refusal(ctx, t.name); err != nil {
			return
		}
		if h.lock != nil || h.taking {
			turn = h.c.rt.NewSignal()
			h.turns = append(h.turns, turn)
			return
		}
		h.taking = true
		op := api.Acquire{Handle: h.token, Mode: t.mode, Wait: t.wait}
		t.call = h.begin(ctx, now, op, func(d session.Done) { t.over(ctx, d) })
	})
	return turn, err
}

// over ends the turn, with mu held. It comes before anything else can happen to the
// session.
func (t *taking) over(ctx context.Context, d session.Done) {
	t.h.taking = false
	if held, ok := d.Result.Detail.(api.Held); ok && t.h.end == nil {
		t.lock = newLock(ctx, t.h, t.mode, held)
		return
	}
	t.h.passTurn()
}

// finish waits for the answer.
func (t *taking) finish(ctx context.Context) (*Lock, error) {
	d, ended := t.h.c.wait(ctx, t.call)
	if err := fail(t.name, t.h.name, d, ended); err != nil {
		return nil, err
	}
	t.h.c.mu.Lock()
	defer t.h.c.mu.Unlock()
	if t.lock == nil { // the handle was closed at that moment
		return nil, &Error{Op: t.name, Key: t.h.name, Causes: []error{t.h.end}}
	}
	if t.lock.lost != nil {
		return nil, &Error{Op: t.name, Key: t.h.name, Causes: []error{t.lock.lost}}
	}
	return t.lock, nil
}

func (h *Handle) forgetTurn(s Signal) {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	h.turns = slices.DeleteFunc(h.turns, func(have Signal) bool { return have == s })
}

// passTurn lets those try who wait for their turn. It is called with mu held.
func (h *Handle) passTurn() {
	h.c.fire(h.turns...)
	h.turns = nil
}
