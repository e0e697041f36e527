package client

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client/cache"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Cache configures the Client's cache of what it has read (Config.Cache). The zero value turns the
// cache on, with default limits; see "go doc github.com/chubbycell/chubby/client/session Cache".
type Cache = session.Cache

// CacheStatus describes the cache of one cell.
type CacheStatus struct {
	Hits    uint64 // reads and Opens that the cache answered
	Misses  uint64 // cacheable reads and Opens that asked the master
	Drops   uint64 // times that the master made the Client drop a path, or everything
	Entries int    // paths of which something is cached
	Bytes   int    // size of their contents and names
	Idle    int    // handles that are open at the cell, but not in the program
}

type uncachedKey struct{}

// Uncached returns a context under which calls ask the master: they neither read the cache nor fill
// it. A Stat has its Lock only under such a context, or with Cache.Off.
func Uncached(ctx context.Context) context.Context {
	return context.WithValue(ctx, uncachedKey{}, true)
}

func isUncached(ctx context.Context) bool { return ctx.Value(uncachedKey{}) != nil }

// store holds what a conn has cached in the present session, and its open handles at the cell.
// conn.mu guards it; the methods here expect that the caller holds it.
type store struct {
	table *cache.Table // nil: the cache is off
	limit Cache
	loose map[session.Token][]api.Path // what cancelled calls may yet change
	kept  map[cache.Handle]*kept
	idle  []*kept // those that no Handle uses, the longest idle first
	last  cache.Handle

	hits, misses, drops uint64
}

// reset forgets everything, because the session is over.
func (s *store) reset(c Cache) {
	for _, k := range s.kept { // order-free: each by itself
		k.offered = false
	}
	*s = store{hits: s.hits, misses: s.misses, drops: s.drops}
	if c.Off {
		return
	}
	s.limit = c.WithDefaults()
	s.table = cache.New(cache.Limits{Entries: s.limit.Entries, Bytes: s.limit.Bytes})
	s.loose, s.kept = map[session.Token][]api.Path{}, map[cache.Handle]*kept{}
}

// uses reports whether a call under ctx uses the cache.
func (s *store) uses(ctx context.Context) bool { return s.table != nil && !isUncached(ctx) }

// withoutLock clears the lock generation in the result of a call that uses the cache. The result is
// then the same whether the cache or the master has answered.
func (c *conn) withoutLock(ctx context.Context, x Stat) Stat {
	if !c.cfg.Cache.Off && !isUncached(ctx) {
		x.Lock = 0
	}
	return x
}

// canHit reports whether cached data may be read now: the master changes nothing before this client
// has dropped it or its lease is over.
func (h *Handle) canHit(ctx context.Context) bool {
	return h.c.store.uses(ctx) && h.endErr == nil && ctx.Err() == nil && !h.fenced && h.rights.Has(Read) && h.c.hasLease()
}

// count counts a read as a hit or a miss, and returns hit.
func (s *store) count(hit bool) bool {
	if hit {
		s.hits++
	} else {
		s.misses++
	}
	return hit
}

// isKept reports whether the answer to an op may be cached.
func isKept(op api.Op) bool {
	switch o := op.(type) {
	case api.GetContents, api.GetStat, api.ReadDir:
		return true
	case api.Open:
		return o.Create != api.CreateMust && o.Events == 0
	}
	return false
}

// changed returns the paths that an op on a node may change.
func changed(op api.Op, p api.Path) []api.Path {
	up, below := p.Parent()
	switch o := op.(type) {
	case api.SetContents, api.SetACL:
		return []api.Path{p}
	case api.Open:
		if o.Create == api.CreateNever {
			return nil
		}
	case api.DeleteNode:
	default:
		return nil
	}
	if !below {
		return []api.Path{p}
	}
	return []api.Path{p, up}
}

// startCall starts the call w, which is about a node.
func (c *conn) startCall(ctx context.Context, now time.Time, w *call, op api.Op) {
	s := &c.store
	if s.table != nil {
		w.changes = changed(op, w.node.Path)
		s.table.BeginChange(w.changes...)
	}
	if !s.uses(ctx) || !isKept(op) {
		w.token = c.m.Start(now, op)
		return
	}
	w.op, w.read = op, s.table.BeginRead()
	w.token = c.m.StartCacheable(now, op)
}

// endCall caches the answer of a call that has ended, or drops what the call may have changed.
func (s *store) endCall(w *call, d session.Done) {
	if s.table == nil {
		return
	}
	if w.read != nil {
		s.table.EndRead(w.read)
	}
	if d.Outcome == session.Unknown && d.Why == session.Cancelled && len(w.changes) > 0 {
		s.loose[d.Token] = w.changes
		return
	}
	s.table.EndChange(!d.Cacheable, w.changes...)
	if d.Cacheable {
		s.keep(w, d.Result)
	}
}

// endLoose drops what settled calls may have changed: cancelled calls that can no longer be executed.
func (s *store) endLoose(settled []session.Token) {
	if s.table == nil {
		return
	}
	for _, t := range settled {
		s.table.EndChange(true, s.loose[t]...)
		delete(s.loose, t)
	}
}

// keep caches an answer.
func (s *store) keep(w *call, r api.Result) {
	_, opens := w.op.(api.Open)
	dir, lists := w.op.(api.ReadDir)
	switch d := r.Detail.(type) {
	case api.Opened:
		s.keepOpened(w, d)
	case api.NodeStat:
		switch w.op.(type) {
		case api.GetContents:
			s.table.KeepContents(w.read, w.node, r.Value, d.Stat)
		case api.GetStat:
			s.table.KeepStat(w.read, w.node, d.Stat)
		}
	case api.Listing:
		if lists && dir.After == "" && !d.More {
			s.table.KeepNames(w.read, w.node, namesOf(d.Children))
		}
	case nil:
		if opens && r.Code == api.NotFound {
			s.table.KeepAbsent(w.read, w.node.Path)
		}
	}
}

// dropAsTold drops what the master's event names.
func (s *store) dropAsTold(e api.Event) {
	if s.table == nil {
		return
	}
	s.drops++
	if e.Kind == api.EventDrop {
		s.table.Drop(e.Node.Path)
	} else {
		s.table.DropAll()
	}
}

// flush drops everything, in jeopardy and at a fail-over. After a fail-over the handles at the cell
// that no Handle uses need no close: the new master does not know them.
func (s *store) flush(failover bool) {
	if s.table == nil {
		return
	}
	s.table.DropAll()
	if failover {
		for _, k := range s.idle {
			delete(s.kept, k.id)
		}
		s.idle = nil
	}
}

func (s *store) status() CacheStatus {
	if s.table == nil {
		return CacheStatus{}
	}
	return CacheStatus{
		Hits: s.hits, Misses: s.misses, Drops: s.drops,
		Entries: s.table.Len(), Bytes: s.table.Bytes(), Idle: len(s.idle),
	}
}
