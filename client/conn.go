package client

import (
	"context"
	"sync"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// conn is the session with one cell: the machine, and those who wait for it. It is
// the only place that calls the machine's doors.
type conn struct {
	rt     Runtime
	cell   api.Cell
	cfg    session.Config
	events *hub

	// mu guards what follows, and the handles and locks of this session. It is never
	// held while anything waits, nor while the Runtime sends, a signal fires or a
	// context ends.
	mu        sync.Mutex
	m         *session.Machine
	judged    bool // m's session is over, and it is known whether that matters
	spent     bool // it does not: another one may follow
	hangs     hangs
	last      session.Token // given out by m
	calls     map[session.Token]*call
	ready     []Signal // to fire when the session is open, or over
	locks     []*Lock  // believed in, the oldest first
	later     []func() // to be done as soon as mu is free, in this order
	timer     timer
	malformed uint64
}

// call is somebody who waits for a Done.
type call struct {
	signal Signal
	token  session.Token
	done   session.Done
	over   bool
	why    error              // why somebody else gave it up, if so
	then   func(session.Done) // with mu held, as soon as it is over; nil: nothing
	trail  *Trail             // nil: nobody asked
	opens  bool               // a handle
	first  bool               // no other call was waited for, or under way, when it began
	again  bool               // it was not sent, in a session that is spent
}

// begin starts a call, with mu held.
func (c *conn) begin(ctx context.Context, now time.Time, op api.Op) *call {
	c.renew()
	w := &call{signal: c.rt.NewSignal(), trail: trailOf(ctx)}
	_, w.opens = op.(api.Open)
	w.first = len(c.calls) == 0 && c.m.Status().Flight == 0
	w.token = c.m.Start(now, op)
	c.last = w.token
	c.calls[w.token] = w
	return w
}

// wait waits for the end of a call. If ctx ends first the call is given up; but if
// its end came at the same moment, that is what counts.
func (c *conn) wait(ctx context.Context, w *call) (session.Done, []error) {
	_, err := c.rt.Wait(ctx, w.signal)
	if err != nil {
		c.step(func(now time.Time) { c.m.Cancel(now, w.token) })
	}
	return c.ended(ctx, w, err)
}

// waitOnly waits for the end of a call that goes on if ctx ends first.
func (c *conn) waitOnly(ctx context.Context, w *call) (session.Done, []error) {
	_, err := c.rt.Wait(ctx, w.signal)
	return c.ended(ctx, w, err)
}

// ended is how a call ended for who waited for it, and why it did if the cell did
// not end it. err is how the waiting ended.
func (c *conn) ended(ctx context.Context, w *call, err error) (session.Done, []error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, why := w.done, reasons(ctx, err)
	if !w.over {
		d = session.Done{Outcome: session.Unknown, Why: session.Cancelled}
	}
	if w.why != nil {
		why = []error{w.why}
	} else if s := c.m.Status(); err != nil && s.Lease == session.Jeopardy {
		why = append(why, ErrJeopardy)
	}
	return d, why
}

// call makes one call that is about no handle, from beginning to end.
func (c *conn) call(ctx context.Context, name, key string, op api.Op) (api.Result, error) {
	if err := context.Cause(ctx); err != nil { // before it could be sent
		return api.Result{}, &Error{Op: name, Key: key, Causes: reasons(ctx, err)}
	}
	for {
		var w *call
		c.step(func(now time.Time) {
			w = c.begin(ctx, now, op)
			w.then = c.counted
		})
		d, ended := c.wait(ctx, w)
		if !w.again {
			return d.Result, fail(name, key, d, ended)
		}
	}
}

// open asks for the session and waits until it can be used: until its lease is
// known to run, where leases are kept.
func (c *conn) open(ctx context.Context) error {
	for {
		opened := c.rt.NewSignal()
		c.step(func(now time.Time) {
			c.renew()
			c.m.Open(now)
			c.ready = append(c.ready, opened)
		})
		_, err := c.rt.Wait(ctx, opened)
		if again, err := c.opened(ctx, opened, err); !again {
			return err
		}
	}
}

// opened says how opening ended, of which err ended the waiting. If again, the
// session is over, and nobody lost anything by it.
func (c *conn) opened(ctx context.Context, signal Signal, err error) (again bool, failed error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgetReady(signal)
	s := c.m.Status()
	if usable(s) {
		return false, nil
	}
	if c.spent && err == nil {
		return true, nil
	}
	d := session.Done{Outcome: session.Refused, Why: s.Why}
	ended := reasons(ctx, err)
	switch s.State {
	case session.Over:
		d.Result.Code = api.Invalid // what Answered means here: opening was refused for good
	case session.Ending:
		d.Why = session.Closed
	default:
		d.Why = session.Cancelled
		if s.Lease == session.Jeopardy {
			ended = append(ended, ErrJeopardy)
		}
	}
	return false, fail("ready", "", d, ended)
}

// usable says that calls may be sent.
func usable(s session.Status) bool {
	return s.State == session.Open && (s.Lease == session.NoLease || s.Lease == session.Valid)
}

// close begins to give up all calls and to end the session.
func (c *conn) close() *call {
	w := &call{signal: c.rt.NewSignal()}
	c.step(func(now time.Time) {
		c.renew() // or the last one's end would be taken for the Client's
		c.loseAll(ErrClosed)
		w.token = c.m.Close(now)
		c.last = w.token
		c.calls[w.token] = w
	})
	return w
}

// believes says that the session is known to be alive now. It is called with mu
// held.
func (c *conn) believes() bool {
	s := c.m.Status()
	return s.State == session.Open && s.Lease == session.Valid && c.rt.Now().Before(s.Bound)
}

func (c *conn) status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Status{Status: c.m.Status(), Calls: len(c.calls), Malformed: c.malformed}
}
