package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
)

// Ack takes note that the client of a session has acknowledged its calls up to this one, in a request
// that is not a call on a node. For a call on a node, Ask does this.
func (o *Ops) Ack(at At, s api.SessionID, through api.Seq) {
	if o.ack(s, through) {
		o.follow(at)
	}
}

// ack notes the acknowledgement and answers Stale to calls that it gives up, unless they are proposed.
// It reports whether the acknowledgement is news.
func (o *Ops) ack(s api.SessionID, through api.Seq) bool {
	if !o.calls.Ack(s, through) {
		return false
	}
	for _, w := range o.calls.OnNodes(s) {
		if w.Seq <= through && w.State != calls.Proposed {
			o.unqueue(w)
			o.drop(w)
			o.reply(w, api.Result{Code: api.Stale})
		}
	}
	return true
}

// canAnswerNow reports whether a call needs no command, see calls.Table.CanAnswerNow.
func (o *Ops) canAnswerNow(at At, c *calls.Call) bool {
	return o.calls.CanAnswerNow(at, c.Session, c.Request.Seen)
}

// onSessionEnded forgets a session. Its calls that are still proposed stand in the log behind its end,
// where they will be refused.
func (o *Ops) onSessionEnded(s api.SessionID) {
	for _, w := range o.calls.OnNodes(s) {
		o.unqueue(w)
		o.drop(w)
		o.reply(w, api.Result{Code: api.NoSession})
	}
	if o.queues.KeepsPlaces() {
		for _, h := range o.handles.Handles(s) {
			o.queues.Leave(h.ID)
		}
	}
	for _, closing := range o.handles.EndSession(s) {
		o.onClosed(closing)
	}
	delete(o.presented, s)
	for owner := range o.failing { // order-free: deletes all owners of the session
		if owner.Session == s {
			delete(o.failing, owner)
		}
	}
	o.calls.EndSession(s)
	o.events.EndSession(s)
	o.barrier.note(o.barrier.caches.EndSession(s))
}
