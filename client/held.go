package client

import "context"

// HeldContext returns a context that ends as soon as Held is false, for work that must stop in
// jeopardy too. It ends when the lock is lost, or when the session's lease ends by the local clock;
// its cause is the error of Err. It does not resume when jeopardy is over: call HeldContext again
// then. If the lock is not held now, the context has ended already. It has the values of Context.
// HeldContext does not block.
//
// With the Runtime of NewRuntime on Linux, a lease that ends while the machine is suspended ends the context at most
// about a second after the resume. Held is false at once.
//
// The work may be paused, or may be slow to notice the end, so pass Sequencer with what it sends to
// a resource.
func (l *Lock) HeldContext() context.Context {
	c := l.h.c
	c.mu.Lock()
	why := l.why()
	if why == nil && l.heldCtx == nil {
		l.heldCtx, l.endHeld = context.WithCancelCause(l.ctx)
	}
	ctx := l.heldCtx
	c.mu.Unlock()
	if why != nil {
		ended, end := context.WithCancelCause(l.ctx)
		end(l.wrap(why))
		return ended
	}
	return ctx
}

// endHeldContexts ends the contexts of HeldContext, because the session is in jeopardy or the cell's
// new master gives no leases. It is called with mu held.
func (c *conn) endHeldContexts() {
	for _, l := range c.locks {
		if end := l.endHeld; end != nil {
			l.heldCtx, l.endHeld = nil, nil
			c.afterUnlock = append(c.afterUnlock, func() { end(l.wrap(ErrJeopardy)) })
		}
	}
}
