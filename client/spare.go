package client

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// spare is a lock that the program has released and the Handle still holds at the cell, in case the
// program acquires it again (C10.13).
type spare struct {
	mode  Mode
	held  api.Held
	until time.Time
}

// spareLock keeps a lock that is being released, and returns true, if the handle was opened with KeepLock,
// no other handle has asked for the lock since it was acquired, and the cell can report such a request.
// It keeps none while a sequencer is attached: each Acquire must ask the cell whether that is valid.
func (h *Handle) spareLock(l *Lock, now time.Time) bool {
	if h.keepLock <= 0 || h.wanted || h.fenced || h.endErr != nil || !h.c.hasLease() {
		return false
	}
	h.spare = &spare{mode: l.mode, held: l.held, until: now.Add(h.keepLock)}
	h.c.setHeld(h.watch, l.held.Acquisition)
	h.c.spares = append(h.c.spares, h)
	l.kept = true
	return true
}

// takeSpare returns the spare lock if the handle has one in this mode and it is known to be held
// now. It releases a spare in another mode.
func (h *Handle) takeSpare(ctx context.Context, now time.Time, mode Mode) *Lock {
	s := h.spare
	switch {
	case s == nil:
		return nil
	case s.mode != mode || !h.c.hasLease():
		h.releaseSpare()
		h.c.startBackground(now) // before the Acquire
		return nil
	}
	h.endSpare()
	return newLock(ctx, h, mode, s.held)
}

// onWanted is called when another handle asks for the lock that this one holds.
func (h *Handle) onWanted() {
	h.wanted = true
	h.releaseSpare()
}

// releaseSpare frees the spare lock at the cell.
func (h *Handle) releaseSpare() {
	if s := h.spare; s != nil {
		h.endSpare()
		h.c.setHeld(h.watch, 0)
		h.c.background = append(h.c.background, api.Release{Handle: h.token, Acquisition: s.held.Acquisition})
	}
}

// endSpare forgets the spare lock: it is in use, or lost with its handle.
func (h *Handle) endSpare() {
	if h.spare != nil {
		h.spare = nil
		h.c.spares = slices.DeleteFunc(h.c.spares, func(x *Handle) bool { return x == h })
	}
}

// releaseSpares frees the session's spare locks whose time is over.
func (c *conn) releaseSpares(now time.Time) {
	for _, h := range slices.Clone(c.spares) {
		if !now.Before(h.spare.until) {
			h.releaseSpare()
		}
	}
}

// releaseAllSpares frees the session's spare locks, because the cell no longer reports that another
// handle asks for one.
func (c *conn) releaseAllSpares() {
	for _, h := range slices.Clone(c.spares) {
		h.releaseSpare()
	}
}

// endSpares forgets the spare locks of the session, which is over.
func (c *conn) endSpares() {
	for _, h := range slices.Clone(c.spares) {
		h.endSpare()
	}
	c.background = nil
}

// onMissed is called when events may have been missed. Requests for the locks may be among them.
func (c *conn) onMissed() {
	for _, x := range c.allWatches() {
		if x.keeper != nil {
			x.keeper.onWanted()
		}
	}
}

// keep passes an event of the handle to the keeper of its lock.
func (x *watch) keep(k api.EventKind) {
	switch {
	case x.keeper == nil:
	case k == api.EventReadAgain:
		x.keeper.onWanted()
	case k == api.EventInvalid:
		x.keeper.endSpare()
	}
}
