package events

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// Watch is what one handle has heard, and has yet to hear.
type Watch struct {
	c       *Checker
	session api.SessionID
	node    api.Ref
	id      api.HandleID
	mask    client.EventMask

	last  api.Number          // the highest cause heard
	heard map[what]api.Number // the highest cause of each
	owed  map[what]api.Number // the last one that has happened and was not told
	gen   client.ContentGen   // what a read must find, at least
}

// Opened begins a watch: a program was given a handle that asks for these events, with this
// metadata of the node.
func (c *Checker) Opened(s api.SessionID, n api.Ref, id api.HandleID, mask client.EventMask, stat client.Stat) *Watch {
	w := &Watch{c: c, session: s, node: n, id: id, mask: mask, heard: map[what]api.Number{}, owed: map[what]api.Number{}}
	if h := c.nodes[n]; h != nil {
		for _, x := range h.all { // written while the answer was under way
			if x.kind == client.EventContents && x.gen > stat.Content {
				w.owes(x)
			}
		}
	}
	c.watches[n] = append(c.watches[n], w)
	return w
}

// maskOf is the element of a mask that asks for a kind; 0: none does.
func maskOf(k client.EventKind) client.EventMask {
	return map[client.EventKind]client.EventMask{
		client.EventContents: client.WantContents, client.EventChildren: client.WantChildren, client.EventInvalid: client.WantInvalid,
		client.EventLockAcquired: client.WantLockAcquired, client.EventLockWanted: client.WantLockWanted, client.EventFailover: client.WantFailover,
	}[k]
}

func (w *Watch) owes(x happened) {
	if w.mask&maskOf(x.kind) != 0 {
		w.owed[x.what] = x.by
	}
}

// Hears takes in an event that the program has taken.
func (w *Watch) Hears(e client.Event) {
	by := api.Number(e.Cause)
	switch {
	case e.Kind == client.EventReadAgain:
		w.c.ReadAgain++
		if by != 0 {
			w.c.Replaced++
		}
		w.readsAgain(by)
	case w.mask&maskOf(e.Kind) == 0:
		w.breaks(e, "which its handle did not ask for")
	case by > w.c.top:
		w.breaks(e, "and the last command that was applied is %d", w.c.top)
	default:
		w.c.Told++
		w.tells(e, by)
	}
	if by == 0 {
		return
	}
	if by < w.last {
		w.breaks(e, "after one of command %d", w.last)
	}
	w.last = by
}

// tells judges an event of a kind that the handle asked for.
func (w *Watch) tells(e client.Event, by api.Number) {
	k := what{e.Kind, e.Child, e.Change}
	switch e.Kind {
	case client.EventFailover:
		return
	case client.EventLockWanted:
		w.c.Wanted++
		if !w.c.held[w.id] {
			w.breaks(e, "and its handle has never held it")
		}
		return
	case client.EventInvalid:
		if by == 0 { // the session has expired, as its client says: S11 is about that
			return
		}
		if !w.isDeleted(by) {
			w.breaks(e, "and the node was not deleted")
		}
	default:
		x, ok := w.find(by, k)
		if !ok {
			w.breaks(e, "which that command has not done")
			return
		}
		w.gen = max(w.gen, x.gen)
		if w.heard[k] == by {
			w.breaks(e, "a second time")
		}
	}
	w.heard[k] = by
	if w.owed[k] <= by {
		delete(w.owed, k)
	}
	if first, n := w.firstOwed(); n != 0 && n < by && e.Kind != client.EventInvalid {
		w.breaks(e, "and has not heard of %v by command %d", first, n)
	}
}

func (w *Watch) find(by api.Number, k what) (happened, bool) {
	h := w.c.nodes[w.node]
	if h == nil {
		return happened{}, false
	}
	return h.by(by, k)
}

func (w *Watch) isDeleted(until api.Number) bool {
	h := w.c.nodes[w.node]
	return h != nil && slices.ContainsFunc(h.all, func(x happened) bool { return x.kind == client.EventInvalid && x.by <= until })
}

// readsAgain settles what has happened until a command; 0: until now.
func (w *Watch) readsAgain(until api.Number) {
	maps.DeleteFunc(w.owed, func(_ what, by api.Number) bool { return until == 0 || by <= until })
}

// AsksContents begins a read of the file; the function that it returns is told which contents were
// found.
func (w *Watch) AsksContents() func(client.ContentGen) {
	least := w.gen
	return func(found client.ContentGen) {
		if found < least {
			w.c.world.Break("S13", "session %d was told of contents %d of %v, and reads contents %d then", w.session, least, w.node, found)
		}
	}
}

// Ends is called when no event is to be expected any more: the handle is closed or poisoned, or
// the session is over.
func (w *Watch) Ends() {
	of := slices.DeleteFunc(w.c.watches[w.node], func(x *Watch) bool { return x == w })
	if w.c.watches[w.node] = of; len(of) == 0 {
		delete(w.c.watches, w.node)
	}
	w.owed = nil
}

// Owed says what has happened and was not told; empty: nothing, or the session has ended.
func (w *Watch) Owed() string {
	if len(w.owed) == 0 || w.c.ended[w.session] {
		return ""
	}
	first, by := w.firstOwed()
	return fmt.Sprintf("%v by command %d", first, by)
}

// firstOwed is the first of what has happened and was not told; by 0: nothing.
func (w *Watch) firstOwed() (first what, by api.Number) {
	for k, n := range w.owed { // order-free: the least number, and of that the least text
		if by == 0 || n < by || n == by && k.String() < first.String() {
			first, by = k, n
		}
	}
	return first, by
}

// Misses breaks S13: what is owed has not come in time.
func (w *Watch) Misses(after string) {
	if owed := w.Owed(); owed != "" {
		w.c.world.Break("S13", "session %d has %v open since handle %v and did not hear of it within %s: %s", w.session, w.node, w.id, after, owed)
	}
}

func (w *Watch) breaks(e client.Event, format string, args ...any) {
	w.c.world.Break("S13", "session %d hears of %v: %v by command %d, %s", w.session, w.node, what{e.Kind, e.Child, e.Change}, e.Cause, fmt.Sprintf(format, args...))
}

// String prints what happened as reports do.
func (k what) String() string {
	if k.kind == client.EventChildren {
		return fmt.Sprintf("child %s %v", k.child, k.change)
	}
	return k.kind.String()
}
