package client

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client/cache"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Cache configures what a Client keeps of what it has read (Config.Cache). The zero value turns the
// cache on, with default limits: "go doc github.com/chubbycell/chubby/client/session Cache" shows them.
type Cache = session.Cache

// CacheStatus describes what is kept of one cell.
type CacheStatus struct {
	Hits    uint64 // reads and Opens that were answered without a call
	Misses  uint64 // those that asked the master, although what it answers may be kept
	Drops   uint64 // times that the master had a path, or everything, dropped
	Entries int    // paths of which something is kept
	Bytes   int    // of their contents and names
	Idle    int    // handles that are open at the cell, and not in the program
}

type uncachedKey struct{}

// Uncached returns a context under which calls ask the master, and nothing is read from the cache or
// kept there. Only then, or with Cache.Off, a Stat has its Lock.
func Uncached(ctx context.Context) context.Context {
	return context.WithValue(ctx, uncachedKey{}, true)
}

func isUncached(ctx context.Context) bool { return ctx.Value(uncachedKey{}) != nil }

// store is what a conn has kept under the present session, and the handles of it at the cell. It is
// guarded by conn.mu, as the methods here expect.
type store struct {
	table *cache.Table // nil: the cache is off
	limit Cache
	loose map[session.Token][]api.Path // of cancelled calls that may yet change them
	kept  map[cache.Handle]*kept
	idle  []*kept // those that no Handle uses, the longest idle first
	last  cache.Handle

	hits, misses, drops uint64
}

// reset forgets everything, as when the session is over.
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

// uses reports whether a call under ctx goes by the cache.
func (s *store) uses(ctx context.Context) bool { return s.table != nil && !isUncached(ctx) }

// withoutLock takes the lock generation out of what a call returns that goes by the cache: whether the
// cache or the master has answered makes no difference then.
func (c *conn) withoutLock(ctx context.Context, x Stat) Stat {
	if !c.cfg.Cache.Off && !isUncached(ctx) {
		x.Lock = 0
	}
	return x
}

// canHit reports whether what is kept may be read now: the master makes no change of it before this
// client has dropped it or its lease is over.
func (h *Handle) canHit(ctx context.Context) bool {
	return h.c.store.uses(ctx) && h.endErr == nil && ctx.Err() == nil && !h.fenced && h.rights.Has(Read) && h.c.hasLease()
}

// count counts a read that the cache has answered, or not.
func (s *store) count(hit bool) bool {
	if hit {
		s.hits++
	} else {
		s.misses++
	}
	return hit
}

// isKept reports whether the answer to an op may be kept.
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

// startCall starts the call of w, which is about a node.
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

// endCall keeps the answer of a call that has ended, or drops what the call may have changed.
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

// endLoose drops what cancelled calls may have changed that will not be executed any more.
func (s *store) endLoose(settled []session.Token) {
	if s.table == nil {
		return
	}
	for _, t := range settled {
		s.table.EndChange(true, s.loose[t]...)
		delete(s.loose, t)
	}
}

// keep keeps an answer.
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

// dropAsTold drops what the master says.
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

// flush drops everything in jeopardy and at a fail-over. A new master does not know the handles that no
// Handle uses, and is not told to close them.
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
