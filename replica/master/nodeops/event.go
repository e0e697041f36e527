package nodeops

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// AckEvents forgets the events of a session up to a number: its client has them, and has carried out the
// drops among them. Changes that waited for these drops go on.
func (o *Ops) AckEvents(at At, s api.SessionID, through api.EventNumber) {
	if last := o.events.Ack(s, through); last > 0 {
		o.barrier.note(o.barrier.caches.Ack(s, last))
		o.follow(at)
	}
}

// OldestDrop returns when the oldest unacknowledged drop of a session was queued, and whether it was in an
// answer, or its client has kept it out of one by acknowledging nothing; zero: there is none.
func (o *Ops) OldestDrop(s api.SessionID) (queued time.Time, told bool) {
	return o.barrier.caches.Oldest(s)
}

// HasEvents reports whether a session has events that it has not acknowledged.
func (o *Ops) HasEvents(s api.SessionID) bool { return o.events.Has(s) }

// TakeEvents lists the events that the next answer to a KeepAlive of a session carries, and the
// number of the last one.
func (o *Ops) TakeEvents(s api.SessionID) ([]api.Event, api.EventNumber) {
	events, last, behind := o.events.Take(s)
	for _, e := range events {
		if e.Kind.IsDrop() {
			o.barrier.caches.Tell(s, e.Drop)
		}
	}
	if behind > 0 {
		o.barrier.caches.Tell(s, behind)
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

// tellTreeChange tells the watchers of one effect of a change that was applied. The effect on a node comes
// before the effect on its parent.
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

// tellWanted tells the holders of a lock that want EventLockWanted that another handle, by, asks for it in
// mode m, if that conflicts with theirs. A lock may have thousands of holders, and its node thousands of
// watchers that want other events: it looks through whichever are fewer.
func (o *Ops) tellWanted(at At, n api.Ref, by api.HandleID, m api.Mode) {
	switch watchers := o.handles.CountWatchers(n); {
	case watchers == 0:
		return
	case lock.Get(at.Rows, n).Holders > uint64(watchers) && len(o.handles.Watchers(n, api.EventLockWanted)) == 0:
		return
	}
	for _, h := range lock.Holders(at.Rows, n) {
		if h.Owner.Handle != by && h.Mode.HasConflict(m) && o.handles.Wants(h.Owner.Session, h.Owner.Handle, api.EventLockWanted) {
			o.tellSession(h.Owner.Session, api.Event{Kind: api.EventLockWanted, Node: n, Mode: m, Acquisition: h.Acquisition})
		}
	}
}

// tellNewHolder tells a handle that has got a lock that another handle waits for it already.
func (o *Ops) tellNewHolder(g lock.Granted) {
	if !o.handles.Wants(g.Owner.Session, g.Owner.Handle, api.EventLockWanted) {
		return
	}
	if w, ok := o.queues.FirstConflict(g.Lock, g.Owner.Handle, g.Mode); ok {
		o.tellSession(g.Owner.Session, api.Event{Kind: api.EventLockWanted, Node: g.Lock, Mode: w.Mode, Acquisition: g.Acquisition})
	}
}

// tellMissed tells a handle to read again, because it may have missed events before the master knew of it.
func (o *Ops) tellMissed(h handle.Handle) {
	if h.Events != 0 {
		o.tellSession(h.Session, api.Event{Kind: api.EventReadAgain, Node: h.Node})
	}
}

// tellPresented tells the client of a watching handle that it presented why the handle is not recreated: its
// node was deleted, or there is no room. The handle gets no events any more, so its client is told of a
// deletion even if it did not ask for EventInvalid. The events of one session are bounded by the handles that
// its client can have open or be closing: it may keep any number of tokens of deleted files, and present them
// again and again, and no answer takes its events before it has acknowledged the epoch. A client that is told
// less reads all again that it watches, as after every fail-over.
func (o *Ops) tellPresented(h handle.Handle, code api.Code) {
	if h.Events == 0 || o.presented[h.Session] >= o.cfg.Handles.PerSession+api.MaxWindow {
		return
	}
	o.presented[h.Session]++
	kind := api.EventReadAgain
	if code == api.Gone && h.Events.Has(api.EventInvalid) {
		kind = api.EventInvalid
	}
	o.tellSession(h.Session, api.Event{Kind: kind, Node: h.Node})
}
