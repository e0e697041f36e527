package client

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Config is what a Client is made from: the cell's replicas, a source of
// randomness (Entropy for a program), and how patient to be.
type Config = session.Config

// Client is one session with one cell. It is safe for concurrent use. Its
// blocking methods wait for the cell, or until their context ends; they must be
// called on a thread of control of its Runtime.
type Client struct {
	rt    Runtime
	fault error // what is wrong with the Config

	// mu guards what follows. It is never held while anything waits, nor while
	// the Runtime sends or a signal fires.
	mu        sync.Mutex
	m         *session.Machine
	calls     map[session.Token]*call
	ready     []Signal // to fire when the session is open, or over
	timer     timer
	malformed uint64
}

// call is somebody who waits for a Done.
type call struct {
	signal Signal
	done   session.Done
	trail  *Trail // nil: nobody asked
}

// timer is the one timer of a Client. It may ring early; it then finds nothing
// to do and is set again.
type timer struct {
	at   time.Time // when it rings; zero: it is not set
	stop func()
	set  uint64 // counts the settings: a ring of an earlier one is void
}

// New returns a Client. It neither waits nor sends: the session is opened by the
// first call, or by Ready. A Config that is wrong is reported by every call.
func New(rt Runtime, cfg Config) *Client {
	c := &Client{rt: rt, calls: map[session.Token]*call{}}
	m, err := session.New(cfg)
	if err != nil {
		c.fault = err
		return c
	}
	c.m = m
	rt.Receive(c.receive)
	return c
}

// Ready opens the session and waits until it is open. It is not needed: calls
// wait for the session themselves. It returns nil as long as the session is
// open, and fails for ever once the session is over.
func (c *Client) Ready(ctx context.Context) error {
	if c.fault != nil {
		return c.misconfigured("ready")
	}
	opened := c.rt.NewSignal()
	c.step(func(now time.Time) {
		c.m.Open(now)
		c.ready = append(c.ready, opened)
	})
	_, err := c.rt.Wait(ctx, opened)
	c.mu.Lock()
	s := c.m.Status()
	c.forgetReady(opened)
	c.mu.Unlock()
	d := session.Done{Outcome: session.Refused, Why: s.Why}
	switch s.State {
	case session.Open:
		return nil
	case session.Over:
		d.Result.Code = api.Invalid // what Answered means here: opening was refused for good
	case session.Ending:
		d.Why = session.Closed
	default:
		d.Why = session.Cancelled
	}
	return fail("ready", "", d, reasons(ctx, err))
}

// Close gives up all calls, which then fail with ErrClosed, and ends the session
// at the cell. It returns nil when the cell has answered, or at once if there is
// no session any more. If ctx ends first, Close fails with ErrOutcomeUnknown:
// the Client is closed, and what is left of the session at the cell ends by
// itself. Calling it again is harmless.
func (c *Client) Close(ctx context.Context) error {
	if c.fault != nil {
		return nil
	}
	d, err := c.do(ctx, func(now time.Time) session.Token { return c.m.Close(now) })
	return fail("close", "", d, reasons(ctx, err))
}

// Status is what a Client looks like from the outside.
type Status struct {
	session.Status
	Malformed uint64 // messages that were none, and were dropped
}

// Status returns the present state of things, for people and reports.
func (c *Client) Status() Status {
	if c.fault != nil {
		return Status{Status: session.Status{State: session.Over}}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return Status{Status: c.m.Status(), Malformed: c.malformed}
}

// call makes one call from beginning to end.
func (c *Client) call(ctx context.Context, name, key string, op api.Op) (api.Result, error) {
	if c.fault != nil {
		return api.Result{}, c.misconfigured(name)
	}
	if err := context.Cause(ctx); err != nil { // before it could be sent
		return api.Result{}, &Error{Op: name, Key: key, Causes: reasons(ctx, err)}
	}
	d, err := c.do(ctx, func(now time.Time) session.Token { return c.m.Start(now, op) })
	return d.Result, fail(name, key, d, reasons(ctx, err))
}

// do starts something at the machine and waits for its end. If ctx ends first
// it is given up; but if its end came at the same moment, that is what counts.
func (c *Client) do(ctx context.Context, start func(now time.Time) session.Token) (session.Done, error) {
	w := &call{signal: c.rt.NewSignal(), trail: trailOf(ctx)}
	var token session.Token
	c.step(func(now time.Time) {
		token = start(now)
		c.calls[token] = w
	})
	_, err := c.rt.Wait(ctx, w.signal)
	if err != nil {
		c.step(func(now time.Time) { c.m.Cancel(now, token) })
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return w.done, err
}

// misconfigured is the error of every call of a Client with a wrong Config.
func (c *Client) misconfigured(op string) error {
	return &Error{Op: op, Causes: []error{ErrInvalid, c.fault}}
}

// reasons is why a wait ended with err: err, and the context's plain error where
// the cause is another one.
func reasons(ctx context.Context, err error) []error {
	plain := ctx.Err()
	switch {
	case err == nil:
		return nil
	case plain == nil || plain == err:
		return []error{err}
	}
	return []error{plain, fmt.Errorf("because of %w", err)}
}
