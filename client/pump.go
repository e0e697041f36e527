package client

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// step lets something happen to the machine and does what the machine then
// wants. It is the only way to the machine's doors.
func (c *Client) step(door func(now time.Time)) {
	c.mu.Lock()
	now := c.rt.Now()
	door(now)
	out := c.m.TakeOutput()
	c.leaveTrails(out.Launched)
	fire := c.settle(out.Done)
	c.arm(now, out.Wake)
	c.mu.Unlock()

	for _, e := range out.Send {
		c.rt.Send(e.To, api.AppendRequest(nil, e.Request))
	}
	for _, s := range fire {
		s.Fire()
	}
}

// settle hands each Done to whoever waits for it and returns the signals to
// fire. It is called with mu held.
func (c *Client) settle(done []session.Done) []Signal {
	var fire []Signal
	for _, d := range done {
		if w := c.calls[d.Token]; w != nil {
			w.done = d
			delete(c.calls, d.Token)
			fire = append(fire, w.signal)
		}
	}
	if len(c.ready) > 0 && c.m.Status().State > session.Opening {
		fire = append(fire, c.ready...)
		c.ready = nil
	}
	return fire
}

func (c *Client) forgetReady(s Signal) {
	c.ready = slices.DeleteFunc(c.ready, func(have Signal) bool { return have == s })
}

// arm sees to it that the timer rings no later than at wake. A timer that would
// ring earlier is left alone: most calls are answered long before their time,
// and setting a timer for each would cost more than the call. It is called with
// mu held.
func (c *Client) arm(now, wake time.Time) {
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
func (c *Client) ring(set uint64) {
	c.step(func(now time.Time) {
		if set != c.timer.set {
			return // stopped too late
		}
		c.timer.stop = nil
		c.m.Advance(now)
	})
}

// receive is the handler of inbound messages.
func (c *Client) receive(from uint32, msg []byte) {
	p, err := api.DecodeReply(msg)
	c.step(func(now time.Time) {
		if err != nil {
			c.malformed++
			return
		}
		c.m.Receive(now, from, p)
	})
}
