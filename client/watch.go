package client

import (
	"maps"
	"slices"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// watch is what a handle hears of its node. It begins when the cell has answered the Open, not
// when the program gets its handle: nothing in between is missed.
type watch struct {
	name   string
	mask   EventMask
	node   api.Ref
	events *Events
	keeper *Handle // of which a Release keeps the lock; nil: it does not

	held api.Acquisition // of the lock that the handle holds, as far as the Client knows; 0: none
	// wanted are events about acquisitions that no answer has told of yet, by acquisition.
	wanted map[api.Acquisition]api.Event
}

// maxWanted bounds the acquisitions for which events are kept.
const maxWanted = 64

// onWanted takes in that a lock is wanted which the session holds by some handle. It returns
// whether that is this one.
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
	readAgain := func(waiting []Event) []Event {
		e := Event{Kind: EventReadAgain, Node: name, Missed: missed(waiting)}
		i := slices.IndexFunc(waiting, func(e Event) bool { return e.Kind == EventInvalid })
		if i < 0 {
			return []Event{e}
		}
		e.Missed--
		return []Event{e, waiting[i]} // the last word on the node
	}
	return &watch{name: name, mask: mask, node: node, events: &Events{rt: rt, what: name, shorten: readAgain}}
}

// watches are those of a session, by node.
type watches struct {
	byNode map[api.Ref][]*watch
	opens  int // Opens under way that ask for events
	// early are nodes of which events came while such an Open was under way: it may be of that
	// node, and its handle is not there yet. Above maxEarly, full says that it may be of any.
	early   map[api.Ref]bool
	full    bool
	silence error // why no events come, as the handles were told last; nil: they come
}

// maxEarly bounds the nodes that are remembered for Opens under way.
const maxEarly = 256

// addOpened is called when the cell has answered an Open that asks for events. It is called with
// mu held, as all methods here.
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
		if x.mask != 0 && (c.watches.full || c.watches.early[x.node]) {
			c.tellWatch(x, Event{Kind: EventReadAgain, Node: x.name})
		}
		c.later(x.events.setSilent(c.silence()))
	}
	if c.watches.opens == 0 {
		c.watches.early, c.watches.full = nil, false
	}
}

// endWatch ends what a handle hears, once its queue is empty.
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

// tellWatch adds an event to what a handle hears.
func (c *conn) tellWatch(x *watch, e Event) { c.later(x.events.add(e)) }

// later runs functions after mu is released.
func (c *conn) later(all []func()) { c.afterUnlock = append(c.afterUnlock, all...) }

// tellNode adds an event on a node to what its handles hear.
func (c *conn) tellNode(e api.Event) {
	if c.watches.opens > 0 {
		c.noteEarly(e.Node) // whatever other handles hear
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

// setHeld notes which lock a handle holds; 0: none. An event about it may have come before the
// answer to the Acquire.
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

// tellAll adds an event to what all handles hear that ask for one of these kinds.
func (c *conn) tellAll(asked EventMask, event func(*watch) Event) {
	for _, x := range c.allWatches() {
		if x.mask&asked != 0 {
			c.tellWatch(x, event(x))
		}
	}
}

// allWatches are those of all handles, in the order of their nodes: threads that they wake run in
// this order.
func (c *conn) allWatches() (all []*watch) {
	for _, of := range c.watches.byNode { // order-free: sorted below
		all = append(all, of...)
	}
	slices.SortStableFunc(all, func(a, b *watch) int { return a.node.Compare(b.node) })
	return all
}

// dispatchEvent passes an event of the session machine on.
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
	lossless := e.Kind == session.EventExpired && c.use == sessionUse{}
	c.later(c.events.publish(Event{Cell: string(c.cell), Kind: sessionKind(e.Kind), Epoch: e.Epoch, Renewable: lossless}))
}

// silence is why no events come for now; nil: they come.
func (c *conn) silence() error {
	if s := c.m.Status(); s.State == session.Open && s.Lease == session.NoLease {
		return ErrNoLeases
	}
	return nil
}

// updateWatches ends what the handles hear when the session is over, and notes whether events can
// come.
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

// endWatches ends what all handles hear.
func (c *conn) endWatches(why error) {
	for _, x := range c.allWatches() {
		c.endWatch(x, why)
	}
}
