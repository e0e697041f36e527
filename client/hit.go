package client

import (
	"context"
	"slices"
)

// The methods here answer a read from the cache. A hit reads, while mu is held, what the master has not
// been told is dropped, at an instant at which the lease runs: a change of it comes later.

func (h *Handle) cachedContents(ctx context.Context) (text string, s Stat, hit bool, err error) {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if err = h.checkUsable(ctx, "contents"); err == nil && h.canHit(ctx) {
		text, s, hit = h.c.store.table.Contents(h.node)
		h.c.store.count(hit)
	}
	return text, s, hit, err
}

func (h *Handle) cachedStat(ctx context.Context) (s Stat, hit bool, err error) {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if err = h.checkUsable(ctx, "stat"); err == nil && h.canHit(ctx) {
		s, hit = h.c.store.table.Stat(h.node)
		h.c.store.count(hit)
	}
	return s, hit, err
}

func (h *Handle) cachedNames(ctx context.Context) (names []string, hit bool, err error) {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if err = h.checkUsable(ctx, "names"); err == nil && h.canHit(ctx) {
		names, hit = h.c.store.table.Names(h.node)
		h.c.store.count(hit)
	}
	return slices.Clone(names), hit, err
}
