package client

import (
	"context"
	"slices"
)

// The methods here answer a read from the cache, if they can. A hit reads, with mu held and while
// the lease runs, what the master has not made the Client drop: any change comes later. A call that
// may not begin is no hit, and fails where it begins.

func (h *Handle) cachedContents(ctx context.Context) (text string, s Stat, hit bool) {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if h.canHit(ctx) {
		text, s, hit = h.c.store.table.Contents(h.node)
		h.c.store.count(hit)
	}
	return text, s, hit
}

func (h *Handle) cachedStat(ctx context.Context) (s Stat, hit bool) {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if h.canHit(ctx) {
		s, hit = h.c.store.table.Stat(h.node)
		h.c.store.count(hit)
	}
	return s, hit
}

func (h *Handle) cachedNames(ctx context.Context) (names []string, hit bool) {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if h.canHit(ctx) {
		names, hit = h.c.store.table.Names(h.node)
		h.c.store.count(hit)
	}
	return slices.Clone(names), hit
}
