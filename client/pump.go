package client

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// timer is the one timer of a conn. It may ring early; it then finds nothing to do
// and is set again.
type timer struct {
	at   time.Time // when it rings; zero: it is not set
	stop func()
	set  uint64 // counts the settings: a ring of an earlier one is void
}

// step lets something happen to the machine and does what the machine then
// wants. It is the only way to the machine's doors.
func (c *conn) step(door func(now time.Time)) {
	c.mu.Lock()
	now := c.rt.Now()
	door(now)
	out := c.m.TakeOutput()
	c.leaveTrails(out.Launched)
	c.settle(out)
	c.arm(now, out.Wake)
	later := c.later
	c.later = nil
	c.mu.Unlock()

	for _, e := range out.Send {
		c.rt.Send(e.To, api.AppendRequest(nil, e.Request))
	}
	for _, f := range later {
		f()
	}
}

// settle hands each Done to whoever waits for it and tells what happened. It is
// called with mu held. Answers come before the events: a lock that was got in a
// session that is over is got, and lost.
func (c *conn) settle(out session.Output) {
	var ended []*call
	for _, d := range out.Done {
		w := c.calls[d.Token]
		if w == nil {
			continue
		}
		delete(c.calls, d.Token)
		w.done, w.over = d, true
		ended = append(ended, w)
		if w.then != nil {
			w.then(d)
		}
		c.fire(w.signal)
	}
	for _, e := range out.Events {
		c.later = append(c.later, c.events.publish(Event{Cell: string(c.cell), Kind: e.Kind, Epoch: e.Epoch})...)
	}
	c.spend(ended)
	s := c.m.Status()
	if s.State == session.Over && len(c.locks) > 0 {
		c.loseAll(over(s.Why))
	}
	if len(c.ready) > 0 && (usable(s) || s.State > session.Open) {
		c.fire(c.ready...)
		c.ready = nil
	}
}

// fire lets signals fire as soon as mu is free.
func (c *conn) fire(signals ...Signal) {
	for _, s := range signals {
		c.later = append(c.later, s.Fire)
	}
}

func (c *conn) forgetReady(s Signal) {
	c.ready = slices.DeleteFunc(c.ready, func(have Signal) bool { return have == s })
}

// arm sees to it that the timer rings no later than at wake. A timer that would
// ring earlier is left alone: most calls are answered long before their time,
// and setting a timer for each would cost more than the call. It is called with
// mu held.
func (c *conn) arm(now, wake time.Time) {
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
	c.timer.stop = c.rt.AfterFunc(max(0, wake.Sub(now)), func() { c.ring(set) })
}

// ring is the timer's call.
func (c *conn) ring(set uint64) {
	c.step(func(now time.Time) {
		if set != c.timer.set {
			return // stopped too late
		}
		c.timer.stop = nil
		c.m.Advance(now)
	})
}

// receive takes a message from one of the cell's replicas.
func (c *conn) receive(from uint32, msg []byte) {
	p, err := api.DecodeReply(msg)
	c.step(func(now time.Time) {
		if err != nil {
			c.malformed++
			return
		}
		c.m.Receive(now, from, p)
	})
}
