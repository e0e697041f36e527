package client

import (
	"maps"
	"slices"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// watch is the event queue of a handle. It begins when the cell has answered the Open, not when the
// program gets its handle, so it misses nothing in between.
type watch struct {
	name   string
	mask   EventMask
	node   api.Ref
	events *Events
	keeper *Handle // the Handle whose Release keeps the lock; nil: none

	held api.Acquisition // the lock that the handle holds, as far as the Client knows; 0: none
	// wanted are events about acquisitions whose answer has not come yet, by acquisition.
	wanted map[api.Acquisition]api.Event
}

// maxWanted bounds the acquisitions for which events are kept.
const maxWanted = 64

// onWanted handles the event that another client wants a lock of this session. It returns whether
// this handle holds that lock.
func (x *watch) onWanted(e api.Event) bool {
	if x.held == e.Acquisition {
		if x.keeper != nil {
			x.keeper.onWanted()
		}
		return true
	}
	if x.wanted == nil {
		x.wanted = map[api.Acquisition]api.Event{}
	}
	x.wanted[e.Acquisition] = e
	if len(x.wanted) > maxWanted {
		delete(x.wanted, slices.Min(slices.Collect(maps.Keys(x.wanted)))) // order-free: the least
	}
	return false
}

func newWatch(rt Runtime, name string, mask EventMask, node api.Ref) *watch {
	shorten := func(waiting []Event) []Event {
		if mask&^WantFailover == 0 { // nothing of the node is read again: the last fail-over says all
			e := waiting[len(waiting)-1]
			e.Missed = missed(waiting) - 1
			return []Event{e}
		}
		kept := lastOfKinds(waiting, EventFailover, EventInvalid) // EventInvalid stays the node's last event
		e := Event{Kind: EventReadAgain, Node: name, Missed: missed(waiting) - len(kept)}
		return append([]Event{e}, kept...)
	}
	return &watch{name: name, mask: mask, node: node, events: &Events{rt: rt, what: name, shorten: shorten}}
}

// lastOfKinds returns the last event of each of these kinds, in their order.
func lastOfKinds(waiting []Event, kinds ...EventKind) (last []Event) {
	for i, e := range waiting {
		again := func(later Event) bool { return later.Kind == e.Kind }
		if slices.Contains(kinds, e.Kind) && !slices.ContainsFunc(waiting[i+1:], again) {
			last = append(last, e)
		}
	}
	return last
}

// watches are the watches of a session, by node.
type watches struct {
	byNode map[api.Ref][]*watch
	opens  int // Opens under way that ask for events
	// early are the nodes of events that came while such an Open was under way: the Open may be of that
	// node, and its handle does not exist yet. Beyond maxEarly, full says that it may be any node.
	early   map[api.Ref]bool
	full    bool
	silence error // why no events come, as last told to the handles; nil: they come
}

// maxEarly bounds the nodes that are remembered for Opens under way.
const maxEarly = 256

// addOpened is called when the cell has answered an Open that asks for events. It is called with mu
// held, like all methods here.
func (c *conn) addOpened(w *call, d session.Done) {
	c.watches.opens--
	opened, ok := d.Result.Detail.(api.Opened)
	if ok && d.Outcome == session.Executed {
		x := newWatch(c.rt, w.name, w.asks, opened.Node)
		w.watch = x
		if c.watches.byNode == nil {
			c.watches.byNode = map[api.Ref][]*watch{}
		}
		c.watches.byNode[x.node] = append(c.watches.byNode[x.node], x)
		if x.mask&^WantFailover != 0 && (c.watches.full || c.watches.early[x.node]) {
			c.tellWatch(x, Event{Kind: EventReadAgain, Node: x.name})
		}
		c.later(x.events.setSilent(c.silence()))
	}
	if c.watches.opens == 0 {
		c.watches.early, c.watches.full = nil, false
	}
}

// endWatch ends the queue of a handle; waiting events can still be read.
func (c *conn) endWatch(x *watch, why error) {
	if x == nil {
		return
	}
	of := slices.DeleteFunc(c.watches.byNode[x.node], func(have *watch) bool { return have == x })
	if len(of) == 0 {
		delete(c.watches.byNode, x.node)
	} else {
		c.watches.byNode[x.node] = of
	}
	c.later(x.events.finish(why))
}

// tellWatch appends an event to the queue of a handle.
func (c *conn) tellWatch(x *watch, e Event) { c.later(x.events.add(e)) }

// later runs functions after mu is released.
func (c *conn) later(all []func()) { c.afterUnlock = append(c.afterUnlock, all...) }

// tellNode passes an event on a node to the node's handles.
func (c *conn) tellNode(e api.Event) {
	if c.watches.opens > 0 {
		c.noteEarly(e.Node) // even if other handles receive it
	}
	for _, x := range c.watches.byNode[e.Node] {
		asks := x.mask.Has(e.Kind)
		if e.Kind == api.EventLockWanted {
			asks = x.onWanted(e) && asks
		}
		x.keep(e.Kind)
		if asks {
			c.tellWatch(x, nodeEvent(x.name, e))
		}
	}
	if e.Kind == api.EventInvalid { // the node was deleted: nothing comes after it
		for _, x := range slices.Clone(c.watches.byNode[e.Node]) {
			c.endWatch(x, ErrGone)
		}
	}
}

// setHeld records which lock a handle holds; 0: none. An event about that lock may have come before
// the answer to the Acquire.
func (c *conn) setHeld(x *watch, by api.Acquisition) {
	if x == nil {
		return
	}
	x.held = by
	if e, ok := x.wanted[by]; ok {
		if x.keeper != nil {
			x.keeper.onWanted()
		}
		if x.mask.Has(e.Kind) {
			c.tellWatch(x, nodeEvent(x.name, e))
		}
	}
	maps.DeleteFunc(x.wanted, func(a api.Acquisition, _ api.Event) bool { return a <= by }) // order-free: each by itself
}

func (c *conn) noteEarly(n api.Ref) {
	if c.watches.early == nil {
		c.watches.early = map[api.Ref]bool{}
	}
	if c.watches.early[n] = true; len(c.watches.early) > maxEarly {
		c.watches.early, c.watches.full = nil, true
	}
}

// tellAll appends an event to the queues of all handles that ask for one of these kinds.
func (c *conn) tellAll(asked EventMask, event func(*watch) Event) {
	for _, x := range c.allWatches() {
		if x.mask&asked != 0 {
			c.tellWatch(x, event(x))
		}
	}
}

// allWatches returns the watches of all handles, in the order of their nodes: the threads that they
// wake run in this order.
func (c *conn) allWatches() (all []*watch) {
	for _, of := range c.watches.byNode { // order-free: sorted below
		all = append(all, of...)
	}
	slices.SortStableFunc(all, func(a, b *watch) int { return a.node.Compare(b.node) })
	return all
}

// dispatchEvent distributes an event of the session machine.
func (c *conn) dispatchEvent(e session.Event) {
	switch e.Kind {
	case session.EventNode:
		c.tellNode(e.Node)
		return
	case session.EventDrop:
		if e.Node.Kind == api.EventDropLocks {
			c.dropLocks(e.Node.Node)
		} else {
			c.store.dropAsTold(e.Node)
		}
		return
	case session.EventPresented:
		c.onMissed()
		c.tellAll(^WantFailover, func(x *watch) Event { return Event{Kind: EventReadAgain, Node: x.name} })
		return
	case session.EventJeopardy:
		c.store.flush(false)
		c.endHeldContexts()
	case session.EventFailover:
		c.store.flush(true)
		c.tellAll(WantFailover, func(x *watch) Event {
			return Event{Kind: EventFailover, Epoch: e.Epoch, Cell: string(c.cell), Node: x.name}
		})
	case session.EventExpired:
		c.tellAll(WantInvalid, func(x *watch) Event { return Event{Kind: EventInvalid, Node: x.name} })
	}
	lossless := e.Kind == session.EventExpired && c.use.isEmpty()
	c.later(c.events.publish(Event{Cell: string(c.cell), Kind: sessionKind(e.Kind), Epoch: e.Epoch, Renewable: lossless}))
}

// silence returns why no events come for now; nil: they come.
func (c *conn) silence() error {
	if s := c.m.Status(); s.State == session.Open && s.Lease == session.NoLease {
		return ErrNoLeases
	}
	return nil
}

// updateWatches ends the queues of all handles when the session is over, and records whether events
// can come.
func (c *conn) updateWatches() {
	if len(c.watches.byNode) == 0 {
		return
	}
	if s := c.m.Status(); s.State == session.Over {
		c.endWatches(endCause(s.Why))
		return
	}
	if silence := c.silence(); silence != c.watches.silence {
		c.watches.silence = silence
		for _, x := range c.allWatches() {
			c.later(x.events.setSilent(silence))
		}
	}
}

// endWatches ends the queues of all handles.
func (c *conn) endWatches(why error) {
	for _, x := range c.allWatches() {
		c.endWatch(x, why)
	}
}
