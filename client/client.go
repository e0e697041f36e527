package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Config configures a Client. Two fields are required: Replicas, the ids of the replicas of the
// local cell, and Draw, a source of random numbers (Entropy for a program). The other fields are
// timeouts and limits with defaults; see "go doc github.com/chubbycell/chubby/client/session
// Config".
type Config = session.Config

// Client calls the local cell, and other cells by name (WithCell, WithCells). It keeps one session with each
// cell that it has called. All methods are safe for concurrent use. A method that takes a context
// blocks until the cell answers or the context ends, and must be called on a thread of control of
// the Client's Runtime. A program makes a Client with Dial; a test or a simulation makes one with
// New, on a Runtime of its own. Close it after use.
type Client struct {
	rt        Runtime
	configErr error // what is wrong with the Config and the options; nil: nothing
	events    *hub
	local     *conn
	conns     []*conn            // the local cell first
	byName    map[api.Cell]*conn // the local cell also under its own name, if it has one
	byReplica map[Replica]*conn  // the conn of each replica's cell
	dialed    *dialed            // what Dial made for the Client; nil: New made the Client
}

// New returns a Client that uses rt, which must serve no other Client. New neither blocks nor
// sends: the first call to a cell, or Ready, opens the session with it. If cfg or an option is
// invalid, each call fails with an error that is ErrInvalid and names all faults. New does not
// accept the options for connections, which only Dial makes: WithTLS, WithToken, WithPrincipal,
// WithPlain, WithOwnConnections, WithLogger and WithCell.
func New(rt Runtime, cfg Config, options ...Option) *Client {
	s := settingsOf(options)
	return newClient(rt, s.dial.over(cfg), s, s.onlyOfDial())
}

// newClient makes the Client of New from parsed options. bad lists the faults found so far.
func newClient(rt Runtime, cfg Config, s settings, bad error) *Client {
	c := &Client{rt: rt, events: &hub{rt: rt}, byName: map[api.Cell]*conn{}, byReplica: map[Replica]*conn{}}
	if c.configErr = errors.Join(bad, c.build(cfg, s)); c.configErr == nil {
		rt.Receive(c.receive)
		rt.OnUnreachable(c.onUnreachable)
	} else {
		c.events.end = ErrInvalid
	}
	return c
}

// Runtime returns the Runtime that was given to New, or that Dial made. Code that receives a Client
// should use it to sleep, to limit its waits and to start threads of control; such code runs
// wherever the Client does.
func (c *Client) Runtime() Runtime { return c.rt }

// receive passes an inbound message to the conn of its sender's cell. Messages from unknown
// replicas are dropped.
func (c *Client) receive(from Replica, msg []byte) {
	if o := c.byReplica[from]; o != nil {
		o.receive(from.ID, msg)
	}
}

// onUnreachable passes a hint of the transport to the conn of the replica's cell.
func (c *Client) onUnreachable(replica Replica) {
	if o := c.byReplica[replica]; o != nil {
		o.step(func(now time.Time) {
			if o.refusal.from == replica.ID {
				o.refusal = refusal{} // it answers no more
			}
			o.m.OnUnreachable(now, replica.ID)
		})
	}
}

// Ready opens the session with the local cell and blocks until calls can be sent. Calling it is
// optional: every call waits for the session by itself. It returns nil while the session is usable.
// It fails with ErrSessionExpired if the session is over and cannot be replaced, with ErrClosed
// after Close, and with the context's error if ctx ends first.
func (c *Client) Ready(ctx context.Context) error {
	if c.configErr != nil {
		return c.configError("ready", "")
	}
	return c.local.open(ctx)
}

// Close ends the sessions at their cells, which frees the locks there at once. Calls under way fail
// with ErrClosed. Close blocks until all cells have answered, and then returns nil; it returns nil
// at once if no session is open. If ctx ends first, Close fails with ErrOutcomeUnknown; if a
// session's grace period ends first, with ErrOutcomeUnknown and ErrSessionExpired. The Client is
// closed in each case, and a session that is left at its cell expires there. When Close returns,
// the Events of the Client and of its handles end. Close also closes the connections that Dial
// made, unless another Client uses them. Closing again is harmless.
func (c *Client) Close(ctx context.Context) error {
	if c.configErr != nil {
		return nil
	}
	if c.dialed != nil {
		defer c.closeConnections()
	}
	defer c.endEvents()
	var closing []*call
	for _, o := range c.conns {
		closing = append(closing, o.close())
	}
	var first error
	for i, o := range c.conns {
		d, ended := o.wait(ctx, closing[i])
		if err := callError("close", "", d, ended); first == nil {
			first = err
		}
	}
	return first
}

// closeConnections closes the connections that Dial made. If a session is not over, another Close
// waits for its end, and closes them.
func (c *Client) closeConnections() {
	for _, o := range c.conns {
		if o.status().State != session.Over {
			return
		}
	}
	c.dialed.close()
}

// endEvents ends all event queues of a closed Client.
func (c *Client) endEvents() {
	for _, o := range c.conns {
		o.mu.Lock()
		o.endWatches(ErrClosed)
		after := o.afterUnlock
		o.afterUnlock = nil
		o.mu.Unlock()
		run(after)
	}
	run(c.events.finish(ErrClosed))
}

// Status describes a session.
type Status struct {
	session.Status
	Calls     int    // calls that a caller waits for, and calls that continue in the background
	Malformed uint64 // received messages that could not be decoded and were dropped
	Cache     CacheStatus
}

// Status returns the present state of the session with the local cell. It does not block. It is
// meant for monitoring: the state may change before the caller looks at it.
func (c *Client) Status() Status {
	if c.configErr != nil {
		return Status{Status: session.Status{State: session.Over}}
	}
	return c.local.status()
}

// LeaseLeft returns for how much longer the session with the local cell is known to be alive, by
// the clock of the Client's Runtime. In jeopardy it is 0 or less, and falls as time passes. While
// LeaseLeft is above -D(1-rho)/(1+rho), the cell keeps other clients from a lock with lock-delay D:
// the cell counts D on its own clock (Config.Rho). ok is false if the session has had no lease, and
// after this program has closed the Client.
func (c *Client) LeaseLeft() (left time.Duration, ok bool) {
	if c.configErr != nil {
		return 0, false
	}
	c.local.mu.Lock()
	defer c.local.mu.Unlock()
	bound := c.local.m.Status().Bound
	if bound.IsZero() || c.local.isClosed {
		return 0, false
	}
	return bound.Sub(c.rt.Now()), true
}

// call makes one call on the rows of the local cell.
func (c *Client) call(ctx context.Context, name, key string, op api.Op) (api.Result, error) {
	if c.configErr != nil {
		return api.Result{}, c.configError(name, key)
	}
	return c.local.call(ctx, name, key, op)
}

// configError is the error of every call of a misconfigured Client.
func (c *Client) configError(op, key string) error {
	return &Error{Op: op, Key: key, Causes: []error{ErrInvalid, c.configErr}}
}

// contextCauses returns why a wait ended with err: err itself, preceded by ctx.Err() if the
// context was cancelled with another cause.
func contextCauses(ctx context.Context, err error) []error {
	plain := ctx.Err()
	switch {
	case err == nil:
		return nil
	case plain == nil || plain == err:
		return []error{err}
	}
	return []error{plain, fmt.Errorf("because of %w", err)}
}
