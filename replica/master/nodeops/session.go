package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
)

// Ack takes note that the client of a session waits for no call up to this one: it said so in
// a request that is not a call on a node.
func (o *Ops) Ack(at At, s api.SessionID, through api.Seq) {
	if o.ack(s, through) {
		o.follow(at)
	}
}

// ack reports whether that is news.
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

// onSessionEnded forgets a session. Its calls that are proposed stand in the log
// behind its end, and will be refused there.
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
	for owner := range o.failing { // order-free: takes away all of the session's
		if owner.Session == s {
			delete(o.failing, owner)
		}
	}
	o.calls.EndSession(s)
	o.events.EndSession(s)
	o.barrier.note(o.barrier.caches.EndSession(s))
}
