package client

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Handle is an open node: a file or a directory, and its lock. It refers to this node and never to
// a later node with the same name: once the node is deleted, calls fail with ErrGone. A handle is
// valid until it is closed or its session ends. All methods are safe for concurrent use. Goroutines
// that share a handle exclude each other in Acquire.
type Handle struct {
	c       *conn
	name    string
	node    api.Ref
	stat    Stat // when the handle was opened
	created bool
	watch   *watch // the handle's events of the node; nil: none
	rights  Rights
	// for how long Release keeps the lock
	keepLock time.Duration

	// The rest is guarded by c.mu.
	token  api.Token
	endErr error // why calls fail; nil: the handle is usable
	closer *call // the CloseHandle call
	left   bool  // it was closed, and stays open at the cell
	kept   *kept // the shared handle at the cell; nil: the Handle has its own
	// under way
	calls     []*call
	lock      *Lock    // held, as far as the Client knows
	spare     *spare   // released by the program, and held at the cell
	wanted    bool     // another handle has asked for the lock since it was acquired
	acquiring bool     // an Acquire or TryAcquire is under way at the cell
	waiters   []Signal // fired when lock is nil and acquiring is false, or the handle is not usable
	releasing int      // Releases under way
	fenced    bool     // a sequencer is attached, or may be
	tainted   bool     // a call may have left something behind at the cell
}

// Name returns the full name under which the node was opened.
func (h *Handle) Name() string { return h.name }

// Created reports whether opening this handle created the node (C6.03).
func (h *Handle) Created() bool { return h.created }

// StatAtOpen returns the metadata that the node had when the handle was opened, without a call. Its
// Lock is 0, see Stat. Stat returns the present metadata.
func (h *Handle) StatAtOpen() Stat { return h.stat }

// call makes one call on the handle. It ends early if the handle is closed or poisoned.
func (h *Handle) call(ctx context.Context, name string, op func(api.Token) api.Op) (api.Result, error) {
	return h.callThen(ctx, name, op, func(session.Done) {})
}

// callThen is call with a callback. onDone is called with mu held when the call has ended.
func (h *Handle) callThen(ctx context.Context, name string, op func(api.Token) api.Op, onDone func(session.Done)) (api.Result, error) {
	w, err := h.start(ctx, name, op, h.node, onDone, nil)
	if err != nil {
		return api.Result{}, err
	}
	d, ended := h.c.wait(ctx, w)
	return d.Result, callError(name, h.name, d, ended)
}

// callOpen opens the node with this full name, at this path below the handle's node, for a program
// that asks for these events.
func (h *Handle) callOpen(ctx context.Context, name string, path api.Path, op api.Open, asks EventMask) (*call, error) {
	from := func(t api.Token) api.Op {
		op.Dir = t
		return op
	}
	w, err := h.startOpen(ctx, name, from, api.Ref{Path: path}, asks)
	if err != nil {
		return nil, err
	}
	d, ended := h.c.wait(ctx, w)
	return w, callError("open", name, d, ended)
}

// startOpen begins an Open of the node with this full name.
func (h *Handle) startOpen(ctx context.Context, name string, op func(api.Token) api.Op, node api.Ref, asks EventMask) (*call, error) {
	return h.start(ctx, "open", op, node, h.c.onOpened, func(w *call) { w.name, w.asks = name, asks })
}

// start begins a call on the handle that is about a node. When the call has begun, and before it
// can have any effect, start calls begun with mu held, unless begun is nil.
func (h *Handle) start(ctx context.Context, name string, op func(api.Token) api.Op, node api.Ref, onDone func(session.Done), begun func(*call)) (w *call, err error) {
	h.c.step(func(now time.Time) {
		if err = h.checkUsable(ctx, name); err == nil {
			w = h.begin(ctx, now, op(h.token), node, onDone)
			if begun != nil {
				begun(w)
			}
		}
	})
	return w, err
}

// checkUsable returns the error of a call that cannot start, or nil. checkUsable and begin are
// called with mu held.
func (h *Handle) checkUsable(ctx context.Context, name string) error {
	switch err := context.Cause(ctx); {
	case h.endErr != nil:
		return &Error{Op: name, Key: h.name, Causes: []error{h.endErr}}
	case err != nil:
		return &Error{Op: name, Key: h.name, Causes: contextCauses(ctx, err)}
	}
	return nil
}

func (h *Handle) begin(ctx context.Context, now time.Time, op api.Op, node api.Ref, onDone func(session.Done)) *call {
	if h.fenced { // what it reads depends on the sequencer
		ctx = Uncached(ctx)
	}
	w := h.c.beginOn(ctx, now, op, node)
	w.onDone = func(d session.Done) {
		h.calls = slices.DeleteFunc(h.calls, func(x *call) bool { return x == w })
		h.noteCode(d.Result.Code)
		h.taint(w, op, d)
		onDone(d)
	}
	h.calls = append(h.calls, w)
	return w
}

// noteCode marks the lock as lost if an answer says that the cell no longer knows the handle
// (C9.07).
func (h *Handle) noteCode(code api.Code) {
	switch code {
	case api.Gone, api.BadHandle, api.HandleClosed:
		h.endSpare()
	}
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

// Close closes the handle and frees its lock (C6.05). Calls under way and later calls fail with
// ErrClosed. Close blocks until the cell has answered, unless the Client keeps the handle open
// there for the next Open (see Caches in the package documentation). It fails only if ctx ends
// first; even then the handle is unusable, and the Client closes it at the cell as soon as it can
// reach the cell. Closing again is harmless and waits for the same answer.
func (h *Handle) Close(ctx context.Context) error {
	h.c.step(func(now time.Time) {
		if h.closer != nil || h.left {
			return
		}
		clean := h.isClean()
		h.stopUse(now, ErrClosed)
		if h.left = h.c.leave(h, clean, now); h.left {
			h.c.use.openHandles--
		} else {
			h.closer = h.c.begin(ctx, now, api.CloseHandle{Handle: h.token})
			h.closer.onDone = h.c.onClosed
		}
	})
	if h.left {
		return nil
	}
	d, ended := h.c.waitOnly(ctx, h.closer)
	if d.Why != session.Cancelled { // the handle is closed, or its session is over
		return nil
	}
	return callError("close", h.name, d, ended)
}

// Poison makes all calls on the handle except Close fail with ErrPoisoned, including those
// under way (C6.06). It does not block. One goroutine can use it to stop others that share the
// handle. The lock of the handle counts as lost at once, but the cell frees it only on Close. A lock
// that was released and is kept (OpenOptions.KeepLock) is freed now.
func (h *Handle) Poison() {
	h.c.step(func(now time.Time) {
		if h.endErr != nil {
			return
		}
		kept := h.spare
		h.stopUse(now, ErrPoisoned)
		if h.kept != nil && h.kept.isShared() {
			return // only this Handle ends; other Handles go on reading
		}
		poison := api.Poison{Handle: h.token}
		if kept == nil {
			h.c.begin(context.Background(), now, poison)
			return
		}
		// Nothing asks this Client for the lock any more, and a poisoned handle releases nothing.
		w := h.c.begin(context.Background(), now, api.Release{Handle: h.token, Acquisition: kept.held.Acquisition})
		w.onDone = func(session.Done) {
			if h.closer == nil { // no master is asked about a handle that is closed
				h.c.background = append(h.c.background, poison)
			}
		}
	})
}

// stopUse ends the use of the handle and cancels its calls. It is called with mu held.
func (h *Handle) stopUse(now time.Time, why error) {
	h.endErr = why
	for _, w := range h.calls {
		w.stopCause = why
		h.c.m.Cancel(now, w.token)
	}
	if h.lock != nil {
		h.lock.lose(why)
	}
	h.endSpare()
	h.c.endWatch(h.watch, why)
	h.wakeWaiters()
}

// Events returns the queue of the node's events since the handle was opened, of the kinds set in
// OpenOptions.Events. A handle has one queue, and several readers share its events. The queue ends
// when the handle is closed or poisoned, or the session is over; it ends with ErrGone after the
// EventInvalid of a deleted node. A handle that did not ask for WantInvalid learns of a deletion
// only if another handle of this Client on the same node did ask. If the program is slow,
// EventReadAgain replaces the waiting events, so no change goes unreported. The queue of a handle
// that asked for no events ends at once, with ErrInvalid.
func (h *Handle) Events() *Events {
	if h.watch == nil || h.askedNothing() {
		return &Events{rt: h.c.rt, what: h.name, end: errNoEvents}
	}
	return h.watch.events
}

// askedNothing reports whether the program asked for no events: only the Client did, for its own use.
func (h *Handle) askedNothing() bool {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	return h.watch.mask == 0
}

// Token returns the token by which the cell recognises the Handle's calls. Handles that share one
// handle at the cell have the same token. It is opaque, and for diagnosis only. Keep it secret: it
// gives the session the rights of the Handle.
func (h *Handle) Token() string {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	return string(h.token)
}
