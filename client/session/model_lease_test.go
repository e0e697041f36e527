package session_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

const (
	modelLease = 200 * time.Millisecond
	modelGrace = 300 * time.Millisecond
	modelRho   = 100_000 // a tenth
)

// parkedKeepAlive is a KeepAlive that the master holds.
type parkedKeepAlive struct {
	q       api.Request
	receipt time.Duration // on the master's clock
}

// receiveKeepAlive handles a KeepAlive: the newest duplicate is parked, unless the client asks
// for an answer at once or has not acknowledged the epoch.
func (c *modelCell) receiveKeepAlive(q api.Request, o api.KeepAlive) (api.Reply, bool) {
	s := c.sessions[q.Session]
	if s == nil {
		return q.Answer(c.epoch, api.Result{Code: api.NoSession}), true
	}
	if !c.leases {
		return q.Answer(c.epoch, api.Result{Code: api.Invalid}), true
	}
	for _, t := range o.Tokens {
		require.Less(c.t, o.AckedEpoch, c.epoch, "tokens come before Flushed")
		c.locks.recreate(t)
	}
	if o.AckedEpoch == c.epoch && !s.flushed {
		s.flushed = true
		c.locks.failUnpresented(q.Session)
	}
	c.endRecovery()
	b := parkedKeepAlive{q: q, receipt: c.clock(c.master)}
	if s.flushed && !o.Now {
		if len(c.parked) == 0 || c.parked[0].q.ID < q.ID {
			c.parked = []parkedKeepAlive{b}
		}
		return api.Reply{}, false
	}
	return c.answerKeepAlive(b), true
}

// answerKeepAlive extends the lease, first at the master, then at the client (C11.15).
func (c *modelCell) answerKeepAlive(b parkedKeepAlive) api.Reply {
	s := c.sessions[b.q.Session]
	s.end = max(s.end, c.clock(c.master)+modelLease)
	l := api.Leased{Lease: s.end - b.receipt, Failover: !s.flushed}
	return b.q.Answer(c.epoch, api.Result{Code: api.OK, Detail: l})
}

// unpark answers the KeepAlive that is parked.
func (c *modelCell) unpark() (api.Reply, bool) {
	if len(c.parked) == 0 {
		return api.Reply{}, false
	}
	b := c.parked[0]
	c.parked = nil
	if c.sessions[b.q.Session] == nil {
		return b.q.Answer(c.epoch, api.Result{Code: api.NoSession}), true
	}
	return c.answerKeepAlive(b), true
}

// expire ends the sessions whose leases are over.
func (c *modelCell) expire() {
	for id, s := range c.sessions {
		if !c.leases || c.master != 0 && c.clock(c.master) >= s.end {
			c.endSession(id)
		}
	}
	c.endRecovery()
}

func (c *modelCell) endSession(id api.SessionID) {
	delete(c.sessions, id)
	c.locks.freeSession(id)
}

func (c *modelCell) endRecovery() {
	for _, s := range c.sessions {
		if !s.flushed {
			return
		}
	}
	c.recovering = false
}

// newTenure changes the epoch and perhaps the master, which has no handles and no parked
// requests, and uses its own clock. The old master may answer NotMaster to
// what it had proposed.
func (w *model) newTenure() {
	c := w.cell
	for _, p := range c.log {
		if rapid.Bool().Draw(w.t, "tells") {
			w.replies = append(w.replies, answerTo{p.at, p.q.Answer(c.epoch, api.Result{Code: api.NotMaster})})
		}
	}
	c.epoch++
	c.takeOver(rapid.SampledFrom([]uint32{0, 1, 2, 3}).Draw(w.t, "master"))
}

func (c *modelCell) takeOver(master uint32) {
	c.master, c.recovering, c.parked = master, true, nil
	c.locks.forgetHandles()
	for _, s := range c.sessions {
		s.flushed = !c.leases
		if master != 0 {
			s.end = c.clock(master) + modelLease
		}
	}
	c.endRecovery()
}
