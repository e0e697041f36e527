package nodeops

import (
	"maps"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/cache"
)

// barrier holds the changes that wait until no client has in its cache a path that they touch, and the
// changes that have passed it and are not applied yet. The table of caches holds their paths meanwhile.
type barrier struct {
	caches  *cache.Table
	changes map[changeKey]*change
	waiting map[api.Path][]*change // by each path that they touch, in the order in which they began to wait
	freed   []api.Path             // that a client has dropped; next has not looked at them yet
	longest time.Duration          // for which a change has waited
}

// changeKey names a change: a call, or the sweep of a path.
type changeKey struct {
	cache.Change
	swept api.Path
}

// change is one change at the barrier, or behind it.
type change struct {
	key   changeKey
	paths []api.Path
	waits bool
	since time.Time // when it first began to wait; zero: it never did
	again bool      // it has entered the barrier since rejudge cleared this
	// Of a deletion: the acquisitions that it takes away and whose holders were told, and the drops that
	// they had not acknowledged when isClear last looked. A lock may have thousands of holders.
	told  map[api.Acquisition]struct{}
	locks []lost
}

// lost is the drop by which a holder was told that it is about to lose its lock.
type lost struct {
	session api.SessionID
	drop    api.DropNumber
}

// takes reports whether the holder of this acquisition was told of the deletion.
func (x *change) takes(a api.Acquisition) bool {
	_, told := x.told[a]
	return told
}

// take notes that the holder of an acquisition was told of the deletion.
func (x *change) take(a api.Acquisition, by lost) {
	if x.told == nil {
		x.told = map[api.Acquisition]struct{}{}
	}
	x.told[a] = struct{}{}
	x.locks = append(x.locks, by)
}

func newBarrier(l cache.Limits) barrier {
	return barrier{caches: cache.New(l), changes: map[changeKey]*change{}, waiting: map[api.Path][]*change{}}
}

func sweepKey(p api.Path) changeKey { return changeKey{swept: p} }

// enter makes sure that no answer about these paths is cacheable until the change has left.
func (b *barrier) enter(k changeKey, paths []api.Path) *change {
	x := b.changes[k]
	if x == nil {
		x = &change{key: k, paths: paths}
		b.changes[k] = x
		b.caches.Hold(paths)
	}
	x.again = true
	return x
}

// isClear reports whether a change need not wait.
func (b *barrier) isClear(x *change) bool {
	for len(x.locks) > 0 && b.caches.HasDropped(x.locks[0].session, x.locks[0].drop) {
		x.locks = x.locks[1:] // what was dropped stays dropped
	}
	return len(x.locks) == 0 && b.isUncached(x)
}

// isUncached reports whether a change waits for no cache. It may wait for holders of locks.
func (b *barrier) isUncached(x *change) bool { return b.caches.IsClear(x.key.Change, x.paths) }

// wait makes a change wait, and returns the drops that sessions have to be told.
func (b *barrier) wait(now time.Time, x *change) []cache.Drop {
	if !x.waits {
		x.waits = true
		for _, p := range x.paths {
			b.waiting[p] = append(b.waiting[p], x)
		}
	}
	if x.since.IsZero() {
		x.since = now
	}
	return b.caches.DropFor(now, x.key.Change, x.paths)
}

// resume ends the waiting of a change. The change still holds its paths.
func (b *barrier) resume(x *change) {
	if !x.waits {
		return
	}
	x.waits = false
	for _, p := range x.paths {
		b.waiting[p] = slices.DeleteFunc(b.waiting[p], func(y *change) bool { return y == x })
		if len(b.waiting[p]) == 0 {
			delete(b.waiting, p)
		}
	}
}

// pass lets a change that is clear go on. It removes the registrations of the change's own client for
// these paths, which the client has dropped by itself.
func (b *barrier) pass(now time.Time, x *change) {
	b.resume(x)
	if !x.since.IsZero() {
		b.longest = max(b.longest, now.Sub(x.since))
	}
	b.note(b.caches.Forget(x.key.Change, x.paths))
}

// leave ends a change: it was applied, or will never be proposed.
func (b *barrier) leave(k changeKey) {
	if x := b.changes[k]; x != nil {
		b.resume(x)
		delete(b.changes, k)
		b.caches.Release(x.paths)
	}
}

// note takes in paths that a client no longer has.
func (b *barrier) note(freed []api.Path) {
	for _, p := range freed {
		if len(b.waiting[p]) > 0 {
			b.freed = append(b.freed, p)
		}
	}
}

// next returns the first change that waits and is clear now that paths were freed; nil: there is none.
func (b *barrier) next() *change {
	for len(b.freed) > 0 {
		for _, x := range b.waiting[b.freed[0]] {
			if b.isClear(x) {
				return x
			}
		}
		b.freed = b.freed[1:]
	}
	return nil
}

func (k changeKey) compare(l changeKey) int {
	if k.Change != l.Change {
		return k.Change.Compare(l.Change)
	}
	return k.swept.Compare(l.swept)
}

// sorted lists the changes in the order of their keys.
func (b *barrier) sorted() []*change {
	return slices.SortedFunc(maps.Values(b.changes), func(x, y *change) int { return x.key.compare(y.key) })
}
