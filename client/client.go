package client

import (
	"context"
	"fmt"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Config is what a Client is made from: the replicas of its own cell, a source of
// randomness (Entropy for a program), and how patient to be.
type Config = session.Config

// Client is a program's way to its cell, and by name to others (WithCells): one
// session with each that it speaks to. It is safe for concurrent use. Its blocking
// methods wait for a cell, or until their context ends; they must be called on a
// thread of control of its Runtime.
type Client struct {
	rt     Runtime
	fault  error // what is wrong with how it was made
	events *hub
	local  *conn
	conns  []*conn            // all of them, local first
	byName map[api.Cell]*conn // local under its own name, too, if it has one
	owner  map[uint32]*conn   // of each replica
}

// New returns a Client. It neither waits nor sends: a session is opened by the
// first call to its cell, or by Ready. What is wrong with cfg and options is
// reported by every call.
func New(rt Runtime, cfg Config, options ...Option) *Client {
	c := &Client{rt: rt, events: &hub{rt: rt}, byName: map[api.Cell]*conn{}, owner: map[uint32]*conn{}}
	var p plan
	for _, o := range options {
		o(&p)
	}
	if c.fault = c.build(cfg, p); c.fault == nil {
		rt.Receive(c.receive)
	}
	return c
}

// receive is the handler of inbound messages.
func (c *Client) receive(from uint32, msg []byte) {
	if o := c.owner[from]; o != nil {
		o.receive(from, msg)
	}
}

// Ready opens the session with the own cell and waits until calls can be made. It
// is not needed: calls wait for the session themselves. It returns nil as long as
// the session is open, and fails for ever once the session is over and something
// was lost with it.
func (c *Client) Ready(ctx context.Context) error {
	if c.fault != nil {
		return c.misconfigured("ready", "")
	}
	return c.local.open(ctx)
}

// Close gives up all calls, which then fail with ErrClosed, and ends the sessions
// at their cells; locks that are held are free at once. It returns nil when all
// cells have answered, or at once if there are no sessions any more. If ctx ends
// first, Close fails with ErrOutcomeUnknown: the Client is closed, and what is left
// of a session at its cell ends by itself. So it is if a session's grace is over
// first; then the error is ErrSessionExpired as well. Calling it again is harmless.
func (c *Client) Close(ctx context.Context) error {
	if c.fault != nil {
		return nil
	}
	var closing []*call
	for _, o := range c.conns {
		closing = append(closing, o.close())
	}
	var first error
	for i, o := range c.conns {
		d, ended := o.wait(ctx, closing[i])
		if err := fail("close", "", d, ended); first == nil {
			first = err
		}
	}
	return first
}

// Status is what a session looks like from the outside.
type Status struct {
	session.Status
	Calls     int    // calls that somebody waits for, or that go on behind the callers' backs
	Malformed uint64 // messages that were none, and were dropped
}

// Status returns the present state of the session with the own cell, for people and
// reports.
func (c *Client) Status() Status {
	if c.fault != nil {
		return Status{Status: session.Status{State: session.Over}}
	}
	return c.local.status()
}

// call makes one call of the own cell, on its rows.
func (c *Client) call(ctx context.Context, name, key string, op api.Op) (api.Result, error) {
	if c.fault != nil {
		return api.Result{}, c.misconfigured(name, key)
	}
	return c.local.call(ctx, name, key, op)
}

// misconfigured is the error of every call of a Client that was made wrongly.
func (c *Client) misconfigured(op, key string) error {
	return &Error{Op: op, Key: key, Causes: []error{ErrInvalid, c.fault}}
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
