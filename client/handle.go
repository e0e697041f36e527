package client

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Handle is an open node: a file or directory, and its lock. It means this node
// and no later one with the same name: when it was deleted, all calls fail with
// ErrGone. It is safe for concurrent use; Acquire also keeps its callers apart.
type Handle struct {
	c       *conn
	name    string
	node    api.Ref
	stat    Stat // when it was opened
	created bool

	// The rest is guarded by c.mu.
	token  api.Token
	end    error // why it is of no more use; nil: it is
	closer *call // the call that closes it
	calls  []*call
	lock   *Lock    // held, as far as is known
	taking bool     // an Acquire is under way
	turns  []Signal // of those who wait until lock is nil and taking is false
}

// Name is the full name of the node, as it was opened.
func (h *Handle) Name() string { return h.name }

// Created says whether the node was made by the opening of this handle (C6.03).
func (h *Handle) Created() bool { return h.created }

// Opened is the metadata of the node as it was when it was opened.
func (h *Handle) Opened() Stat { return h.stat }

// call makes one call on the handle. It ends early if the handle is closed or
// poisoned.
func (h *Handle) call(ctx context.Context, name string, op func(api.Token) api.Op) (api.Result, error) {
	return h.callThen(ctx, name, op, func(session.Done) {})
}

// callThen is call, and does something with mu held as soon as the call is over.
func (h *Handle) callThen(ctx context.Context, name string, op func(api.Token) api.Op, then func(session.Done)) (api.Result, error) {
	var w *call
	var err error
	h.c.step(func(now time.Time) {
		if err = h.refusal(ctx, name); err == nil {
			w = h.begin(ctx, now, op(h.token), then)
		}
	})
	if err != nil {
		return api.Result{}, err
	}
	d, ended := h.c.wait(ctx, w)
	return d.Result, fail(name, h.name, d, ended)
}

// refusal is the error of a call that cannot be made, or nil. It is called with mu
// held, like begin.
func (h *Handle) refusal(ctx context.Context, name string) error {
	switch err := context.Cause(ctx); {
	case h.end != nil:
		return &Error{Op: name, Key: h.name, Causes: []error{h.end}}
	case err != nil:
		return &Error{Op: name, Key: h.name, Causes: reasons(ctx, err)}
	}
	return nil
}

func (h *Handle) begin(ctx context.Context, now time.Time, op api.Op, then func(session.Done)) *call {
	w := h.c.begin(ctx, now, op)
	w.then = func(d session.Done) {
		h.calls = slices.DeleteFunc(h.calls, func(x *call) bool { return x == w })
		h.learn(d.Result.Code)
		then(d)
	}
	h.calls = append(h.calls, w)
	return w
}

// learn notes what an answer says about the handle: one that the cell does not know
// holds no lock (C9.07).
func (h *Handle) learn(code api.Code) {
	if h.lock == nil {
		return
	}
	switch code {
	case api.Gone:
		h.lock.lose(ErrGone)
	case api.BadHandle:
		h.lock.lose(ErrBadHandle)
	case api.HandleClosed:
		h.lock.lose(ErrClosed)
	}
}

// Close closes the handle and frees the lock that it holds (C6.05). Calls that are
// under way fail with ErrClosed, and so do later ones. It fails only where ctx ends
// before the cell has answered; it is closed then all the same, as soon as the cell
// can be reached.
func (h *Handle) Close(ctx context.Context) error {
	h.c.step(func(now time.Time) {
		if h.closer == nil {
			h.stop(now, ErrClosed)
			h.closer = h.c.begin(ctx, now, api.CloseHandle{Handle: h.token})
			h.closer.then = h.c.closed
		}
	})
	d, ended := h.c.waitOnly(ctx, h.closer)
	if d.Why != session.Cancelled { // else it is closed, or the session over, and the handle with it
		return nil
	}
	return fail("close", h.name, d, ended)
}

// Poison makes all calls on the handle fail with ErrPoisoned, those under way and
// those to come, but for Close (C6.06). So one thread may stop another without
// taking the handle away from under it. A lock that it held is not believed in any
// more, but is free only after Close.
func (h *Handle) Poison() {
	h.c.step(func(now time.Time) {
		if h.end == nil {
			h.stop(now, ErrPoisoned)
			h.c.begin(context.Background(), now, api.Poison{Handle: h.token})
		}
	})
}

// stop ends the use of the handle, with mu held.
func (h *Handle) stop(now time.Time, why error) {
	h.end = why
	for _, w := range h.calls {
		w.why = why
		h.c.m.Cancel(now, w.token)
	}
	if h.lock != nil {
		h.lock.lose(why)
	}
	h.passTurn()
}
