package client

import (
	"context"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/cache"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// kept is a handle that is open at the cell and may serve several Handles. Handles that can only
// read use it at the same time; others use it one after the other, because Close and Poison of one
// would cancel the Acquire of another (C10.12). It stays open for a while when no Handle uses it.
type kept struct {
	id      cache.Handle
	node    api.Ref
	stat    Stat
	token   api.Token
	rights  Rights
	delay   api.LockDelay
	users   int
	since   time.Time // when the last user closed it
	offered bool      // the Table has it, so it may answer an Open
}

// isShared reports whether several Handles may use it at the same time.
func (k *kept) isShared() bool { return k.rights == Read }

// serves reports whether it can answer this Open now.
func (k *kept) serves(op api.Open) bool {
	return k.rights == op.Rights && (k.isShared() || k.users == 0 && k.delay == op.Delay)
}

// keepOpened keeps the handle that an Open returned. It does not keep a handle of an ephemeral
// node, which would keep the node alive (C10.11).
func (s *store) keepOpened(w *call, d api.Opened) {
	if d.Stat.Ephemeral {
		s.table.KeepStat(w.read, d.Node, d.Stat)
		return
	}
	op, _ := w.op.(api.Open)
	s.last++
	k := &kept{id: s.last, node: d.Node, stat: d.Stat, token: d.Token, rights: op.Rights, delay: op.Delay, users: 1}
	k.stat.Lock = 0
	if k.offered = s.table.KeepHandle(w.read, d.Node, d.Stat, k.id); k.offered {
		s.kept[k.id], w.kept = k, k
	}
}

// openCached answers an Open from the cache if it can, with a handle that is open at the cell, or
// with ErrNotFound. below is the Handle that the path is relative to, or nil.
func (c *conn) openCached(ctx context.Context, below *Handle, name string, path api.Path, op api.Open) (*Handle, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.store
	if !isKept(op) || op.Check() != api.OK || ctx.Err() != nil || !s.uses(ctx) || below != nil && (below.endErr != nil || below.fenced) {
		return nil, nil
	}
	if !c.hasLease() || below != nil && !below.node.Path.IsRoot() && !s.table.IsThere(below.node) {
		s.count(false)
		return nil, nil
	}
	if op.Create == CreateNever && s.table.IsAbsent(path) {
		s.count(true)
		return nil, &Error{Op: "open", Key: name, Causes: []error{ErrNotFound}}
	}
	for _, id := range s.table.Handles(path) {
		if k := s.kept[id]; k != nil && k.serves(op) {
			s.count(true)
			return c.reuse(k, name), nil
		}
	}
	s.count(false)
	return nil, nil
}

// reuse returns a Handle that uses k.
func (c *conn) reuse(k *kept, name string) *Handle {
	if k.users++; k.users == 1 {
		c.store.removeIdle(k)
	}
	c.use.openHandles++
	return &Handle{c: c, name: name, token: k.token, node: k.node, stat: k.stat, rights: k.rights, kept: k}
}

func (s *store) removeIdle(k *kept) {
	s.idle = slices.DeleteFunc(s.idle, func(x *kept) bool { return x == k })
}

// withdraw prevents further Handles from using k.
func (s *store) withdraw(k *kept) {
	if k != nil && k.offered {
		k.offered = false
		s.table.Forget(k.node.Path, k.id)
	}
}

// leave ends the use of a kept handle by h, which is being closed. It returns whether the handle
// stays open at the cell.
func (c *conn) leave(h *Handle, clean bool, now time.Time) (stays bool) {
	k := h.kept
	if k == nil {
		return false
	}
	s := &c.store
	h.kept = nil
	if !clean {
		s.withdraw(k)
	}
	if k.users--; k.users > 0 {
		return true
	}
	if k.offered {
		k.since = now
		s.idle = append(s.idle, k)
		return true
	}
	delete(s.kept, k.id)
	return false
}

// tidy closes the handles at the cell that no Handle uses and that can answer no further Open, and
// those that were idle for too long.
func (c *conn) tidy(now time.Time) {
	s := &c.store
	if s.table == nil {
		return
	}
	closeIdle := func(k *kept) {
		s.removeIdle(k)
		delete(s.kept, k.id)
		c.background = append(c.background, api.CloseHandle{Handle: k.token})
	}
	for _, id := range s.table.TakeDropped() {
		if k := s.kept[id]; k != nil {
			k.offered = false
			if k.users == 0 {
				closeIdle(k)
			}
		}
	}
	for len(s.idle) > 0 && (len(s.idle) > s.limit.Handles || now.Sub(s.idle[0].since) >= s.limit.Idle) {
		k := s.idle[0]
		s.withdraw(k)
		closeIdle(k)
	}
}

// startBackground starts the calls that no caller waits for. A handle that is no longer kept is closed when there is room, so that
// the program's own calls are not refused because of it. It returns whether any call was started.
func (c *conn) startBackground(now time.Time) (started bool) {
	all := c.background
	c.background = nil
	for _, op := range all {
		if _, closes := op.(api.CloseHandle); closes && !c.m.HasRoom() {
			c.background = append(c.background, op)
			continue
		}
		c.begin(context.Background(), now, op)
		started = true
	}
	return started
}

// isClean reports whether this Handle leaves nothing behind at the cell, so that another Handle may
// reuse the handle there. It is called with mu held, before the use is stopped.
func (h *Handle) isClean() bool {
	if h.kept == nil || h.tainted {
		return false
	}
	return h.kept.isShared() || h.endErr == nil && len(h.calls) == 0 && h.lock == nil && h.releasing == 0
}

// taint records that a call of this Handle may have left something behind.
func (h *Handle) taint(w *call, op api.Op, d session.Done) {
	_, acquires := op.(api.Acquire)
	if d.Outcome == session.Unknown && (acquires || len(w.changes) > 0) {
		h.tainted = true
	}
	switch d.Result.Code {
	case api.Gone, api.BadHandle, api.HandleClosed:
		h.tainted = true
		h.c.store.withdraw(h.kept)
	}
}

// own ensures, before a sequencer is attached to the Handle, that the Handle shares nothing with
// others; if necessary, it opens the node anew. From then on the Handle does not use the cache,
// because the cell's answers depend on the sequencer, and keeps no lock.
func (h *Handle) own(ctx context.Context, name string) error {
	h.c.mu.Lock()
	h.fenced = true
	h.releaseSpare()
	shared := h.kept != nil && h.kept.users > 1
	if !shared && h.kept != nil {
		h.c.store.withdraw(h.kept)
		delete(h.c.store.kept, h.kept.id)
		h.kept = nil
	}
	h.c.mu.Unlock()
	if !shared {
		return nil
	}
	op := func(t api.Token) api.Op { return api.Open{Dir: t, Rights: h.rights} }
	_, err := h.callThen(ctx, name, op, func(d session.Done) {
		opened, ok := d.Result.Detail.(api.Opened)
		if !ok {
			return
		}
		drop := opened.Token
		if h.kept != nil { // else another SetSequencer was faster
			drop, h.token = h.token, drop
			if h.c.leave(h, true, h.c.rt.Now()) {
				return // others still use it
			}
		}
		h.c.background = append(h.c.background, api.CloseHandle{Handle: drop})
	})
	return err
}
