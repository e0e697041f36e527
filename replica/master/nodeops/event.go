package nodeops

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// AckEvents forgets the events of a session up to a number: its client has them, and has dropped from
// its cache what they told it to drop. Changes that waited for that go on.
func (o *Ops) AckEvents(at At, s api.SessionID, through api.EventNumber) {
	if last := o.events.Ack(s, through); last > 0 {
		o.barrier.note(o.barrier.caches.Ack(s, last))
		o.follow(at)
	}
}

// OldestDrop is when the oldest drop was queued of those that a session has not acknowledged, and whether
// it was in an answer; zero: there is none.
func (o *Ops) OldestDrop(s api.SessionID) (queued time.Time, told bool) {
	return o.barrier.caches.Oldest(s)
}

// HasEvents reports whether a session has events that it has not acknowledged.
func (o *Ops) HasEvents(s api.SessionID) bool { return o.events.Has(s) }

// TakeEvents lists the events that the next answer to a KeepAlive of a session carries, and the
// number of the last one.
func (o *Ops) TakeEvents(s api.SessionID) ([]api.Event, api.EventNumber) {
	events, last := o.events.Take(s)
	for _, e := range events {
		if e.Kind.IsDrop() {
			o.barrier.caches.Tell(s, e.Drop)
		}
	}
	return events, last
}

// tellSession puts an event into the queue of one session.
func (o *Ops) tellSession(s api.SessionID, e api.Event) {
	e.Cause = o.applied
	o.events.Add(s, e)
	o.out.Told = append(o.out.Told, s)
}

// tellWatchers puts an event into the queue of each session that wants it.
func (o *Ops) tellWatchers(e api.Event) {
	for _, s := range o.handles.Watchers(e.Node, e.Kind) {
		o.tellSession(s, e)
	}
}

// tellTreeChange tells of a change that was applied, in the order of its effects: the node comes
// before its parent.
func (o *Ops) tellTreeChange(e tree.Effect) {
	switch e := e.(type) {
	case tree.ContentsChanged:
		o.tellWatchers(api.Event{Kind: api.EventContents, Node: e.Node})
	case tree.LockTaken:
		o.tellWatchers(api.Event{Kind: api.EventLockAcquired, Node: e.Node})
	case tree.Deleted:
		o.tellWatchers(api.Event{Kind: api.EventInvalid, Node: e.Node})
	case tree.ChildChanged:
		o.tellWatchers(api.Event{Kind: api.EventChildren, Node: e.Directory, Child: e.Name, Change: changeOf(e.Change)})
	}
}

func changeOf(c tree.Change) api.Change {
	switch c {
	case tree.ChildCreated:
		return api.ChildAdded
	case tree.ChildModified:
		return api.ChildChanged
	}
	return api.ChildRemoved
}

// tellWanted tells those that hold a lock, and want to hear of it, that another handle asks for
// it in a mode that conflicts with theirs.
func (o *Ops) tellWanted(at At, n api.Ref, by api.HandleID, m api.Mode) {
	if len(o.handles.Watchers(n, api.EventLockWanted)) == 0 {
		return
	}
	for _, h := range lock.Holders(at.Rows, n) {
		if h.Owner.Handle != by && h.Mode.HasConflict(m) && o.handles.Wants(h.Owner.Session, h.Owner.Handle, api.EventLockWanted) {
			o.tellSession(h.Owner.Session, api.Event{Kind: api.EventLockWanted, Node: n, Mode: m, Acquisition: h.Acquisition})
		}
	}
}

// tellNewHolder tells the handle that has got a lock of one that waits for it already.
func (o *Ops) tellNewHolder(g lock.Granted) {
	if !o.handles.Wants(g.Owner.Session, g.Owner.Handle, api.EventLockWanted) {
		return
	}
	if w, ok := o.queues.FirstConflict(g.Lock, g.Owner.Handle, g.Mode); ok {
		o.tellSession(g.Owner.Session, api.Event{Kind: api.EventLockWanted, Node: g.Lock, Mode: w.Mode, Acquisition: g.Acquisition})
	}
}

// tellMissed is for a handle of which events may have been missed, since the master did not know
// of it in time.
func (o *Ops) tellMissed(h handle.Handle) {
	if h.Events != 0 {
		o.tellSession(h.Session, api.Event{Kind: api.EventReadAgain, Node: h.Node})
	}
}

// tellInvalid is for a handle that cannot be taken up. Its client hears of nothing more by it: so
// it is told even if it did not ask for EventInvalid.
func (o *Ops) tellInvalid(h handle.Handle) {
	switch {
	case h.Events.Has(api.EventInvalid):
		o.tellSession(h.Session, api.Event{Kind: api.EventInvalid, Node: h.Node})
	case h.Events != 0:
		o.tellSession(h.Session, api.Event{Kind: api.EventReadAgain, Node: h.Node})
	}
}
