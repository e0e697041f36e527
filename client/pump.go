package client

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// timer is the only timer of a conn. It may fire too early; the conn then sets it again.
type timer struct {
	at   time.Time // when it fires; zero: it is not set
	stop func()
	set  uint64 // number of settings; recognises a late firing of an earlier one
}

// step calls input, which calls the machine, with mu held, and carries out the machine's output: it
// dispatches ended calls and events, sets the timer, and sends. All calls of the machine go through
// step.
func (c *conn) step(input func(now time.Time)) {
	c.mu.Lock()
	now := c.rt.Now()
	input(now)
	out := c.takeOutput()
	c.tidy(now)
	c.releaseSpares(now)
	if c.startBackground(now) {
		more := c.takeOutput()
		out.Send, out.Wake = append(out.Send, more.Send...), more.Wake
	}
	c.setTimer(now, out.Wake)
	after := c.afterUnlock
	c.afterUnlock = nil
	c.mu.Unlock()

	for _, e := range out.Send {
		c.rt.Send(Replica{c.at, e.To}, api.AppendRequest(nil, e.Request))
	}
	for _, f := range after {
		f()
	}
}

// takeOutput takes the machine's output, and carries out what needs no sending.
func (c *conn) takeOutput() session.Output {
	out := c.m.TakeOutput()
	c.recordCallIDs(out.Launched)
	c.dispatch(out)
	return out
}

// dispatch passes each Done to its waiting call and publishes the events. It is called with mu
// held. Ended calls come before events: a lock that is granted and lost in one step is first
// acquired and then lost, and a handle receives the events that come with the answer to its
// Open.
func (c *conn) dispatch(out session.Output) {
	var ended []*call
	for _, d := range out.Done {
		w := c.calls[d.Token]
		if w == nil {
			continue
		}
		delete(c.calls, d.Token)
		w.done, w.ended = d, true
		ended = append(ended, w)
		c.store.endCall(w, d)
		if w.onDone != nil {
			w.onDone(d)
		}
		if w.mask != 0 {
			c.addOpened(w, d)
		}
		c.fireLater(w.signal)
	}
	c.use.noteEnded(ended, out.Settled, c.lastToken)
	c.store.endLoose(out.Settled)
	for _, e := range out.Events {
		c.dispatchEvent(e)
	}
	if c.silence() != nil {
		c.endHeldContexts()
		c.releaseAllSpares()
	}
	c.updateWatches()
	c.checkSessionEnd(ended)
	s := c.m.Status()
	if s.State == session.Over && len(c.locks) > 0 {
		c.loseAll(endCause(s.Why))
	}
	if len(c.ready) > 0 && (isUsable(s) || s.State > session.Open) {
		c.fireLater(c.ready...)
		c.ready = nil
	}
}

// fireLater fires signals after mu is released.
func (c *conn) fireLater(signals ...Signal) {
	for _, s := range signals {
		c.afterUnlock = append(c.afterUnlock, s.Fire)
	}
}

func (c *conn) removeReady(s Signal) {
	c.ready = slices.DeleteFunc(c.ready, func(have Signal) bool { return have == s })
}

// setTimer makes sure that the timer fires no later than wake. It keeps a timer that is set to
// fire earlier: most calls are answered long before their deadline, and setting a timer for
// each would cost more than the call. It is called with mu held.
func (c *conn) setTimer(now, wake time.Time) {
	over := c.m.Status().State == session.Over
	if c.timer.stop != nil && (over || !wake.IsZero() && wake.Before(c.timer.at)) {
		c.timer.stop()
		c.timer.stop = nil
	}
	if c.timer.stop != nil || wake.IsZero() {
		return
	}
	c.timer.set++
	set := c.timer.set
	c.timer.at = wake
	c.timer.stop = c.rt.AfterFunc(max(0, wake.Sub(now)), func() { c.onTimer(set) })
}

// onTimer is called when the timer fires.
func (c *conn) onTimer(set uint64) {
	c.step(func(now time.Time) {
		if set != c.timer.set {
			return // replaced by a later setting
		}
		c.timer.stop = nil
		c.m.Advance(now)
	})
}

// receive handles a message from a replica of the cell.
func (c *conn) receive(from uint32, msg []byte) {
	p, err := api.DecodeReply(msg)
	c.step(func(now time.Time) {
		if err != nil {
			c.malformed++
			return
		}
		c.noteAnswer(now, from, p)
		c.m.Receive(now, from, p)
	})
}
