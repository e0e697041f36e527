package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chubbycell/chubby/client/cache"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// conn is the session with one cell: the session machine, and the calls that wait for it. Only conn
// calls methods of the machine.
type conn struct {
	rt     Runtime
	cell   api.Cell
	at     string // the Cell of its replicas' addresses
	cfg    session.Config
	events *hub // of all sessions of the Client

	// mu guards the fields below, and the handles and locks of this session. It is never held while
	// a goroutine waits, the Runtime sends, a signal fires, or a context ends.
	mu          sync.Mutex
	m           *session.Machine
	isClosed    bool // by the program
	endChecked  bool // m's session is over, and renewable is decided
	renewable   bool // m's session expired without a loss; the next call opens another one
	use         sessionUse
	lastToken   session.Token // the newest one that m gave out
	calls       map[session.Token]*call
	ready       []Signal // fired when the session becomes usable or is over
	locks       []*Lock  // those not lost, the oldest first
	watches     watches
	afterUnlock []func() // run in order as soon as mu is released
	timer       timer
	malformed   uint64
	store       store
	spares      []*Handle // the handles with a spare lock
	background  []api.Op  // calls to be started

	outages  func() []error // why replicas are not reached; nil: Dial did not make the Client
	refusal  refusal        // the last refusal of a call, or of opening the session, since a call was answered
	answered time.Time      // when a call was last answered
}

// refusal is the answer of a replica that does not execute a call now.
type refusal struct {
	from, master uint32 // master: the replica that it takes for the master; 0: none
	code         api.Code
	opens        bool // the refused call was to open a session
}

// call is one call of the machine, and the wait for its session.Done.
type call struct {
	signal       Signal
	token        session.Token
	done         session.Done
	ended        bool
	stopCause    error              // why the handle stopped the call; nil: it did not
	onDone       func(session.Done) // called with mu held when the call has ended; nil: nothing
	id           *CallID            // set when the call is first sent; nil: not requested
	isOpenOp     bool               // the op is an Open
	name         string             // of an Open: the full name of the node
	mask         EventMask          // of an Open: the events that the Client asks for
	asks         EventMask          // of an Open: the events that the program asks for
	watch        *watch             // of an Open that was executed and asks for events
	begun        time.Time          // when it was called
	startedAlone bool               // no other call was under way when this one began
	canRetry     bool               // the session expired without a loss before the call was sent

	node    api.Ref     // the node that the call is about; of an Open only its path is known
	dropped bool        // the locks of the node were dropped since the call began
	changes []api.Path  // what the call may change
	asked   api.Op      // the request
	op      api.Op      // the request, if its answer may be cached
	read    *cache.Read // the read, if its answer may be cached; nil: it may not
	kept    *kept       // of an Open: the handle, if it is kept
}

// begin starts a call that is about no node. It is called with mu held.
func (c *conn) begin(ctx context.Context, now time.Time, op api.Op) *call {
	return c.beginOn(ctx, now, op, api.Ref{})
}

// beginOn starts a call that is about a node. It is called with mu held.
func (c *conn) beginOn(ctx context.Context, now time.Time, op api.Op, node api.Ref) *call {
	c.renew()
	w := &call{signal: c.rt.NewSignal(), id: callIDOf(ctx), node: node, asked: op, begun: now}
	if o, opens := op.(api.Open); opens {
		w.isOpenOp, w.mask = true, o.Events
	}
	if w.mask != 0 {
		c.watches.opens++
	}
	w.startedAlone = len(c.calls) == 0 && c.m.Status().Flight == 0
	c.startCall(ctx, now, w, op)
	c.lastToken = w.token
	c.calls[w.token] = w
	return w
}

// wait waits for the end of a call, and cancels the call if ctx ends first. If both happen at
// the same moment, the end of the call counts.
func (c *conn) wait(ctx context.Context, w *call) (session.Done, []error) {
	_, err := c.rt.Wait(ctx, w.signal)
	if err != nil {
		c.step(func(now time.Time) {
			if !w.ended { // else another session's call may have the token by now
				c.m.Cancel(now, w.token)
			}
		})
	}
	return c.result(ctx, w, err)
}

// waitOnly waits for the end of a call, and lets the call continue if ctx ends first.
func (c *conn) waitOnly(ctx context.Context, w *call) (session.Done, []error) {
	_, err := c.rt.Wait(ctx, w.signal)
	return c.result(ctx, w, err)
}

// result returns how a call ended, and the causes if the cell did not end it. err is the error of
// the wait.
func (c *conn) result(ctx context.Context, w *call, err error) (session.Done, []error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, why := w.done, contextCauses(ctx, err)
	if w.ended && d.Why == session.QueueFull {
		s := c.m.Status()
		return d, []error{fmt.Errorf("%d wait and %d are under way: call from fewer goroutines, or raise Config.Queue", s.Queued, s.Flight)}
	}
	if w.ended && (d.Why == session.Checked || d.Outcome == session.Executed) {
		bad := fault(w.asked)
		if d.Why != session.Checked {
			bad = refusalReason(w.asked, d.Result.Code)
		}
		if bad != nil {
			return d, []error{bad}
		}
		return d, nil
	}
	if !w.ended {
		d = session.Done{Outcome: session.Unknown, Why: session.Cancelled}
	}
	if w.stopCause != nil {
		why = []error{w.stopCause}
	} else if err != nil && d.Why == session.Cancelled {
		if c.m.Status().Lease == session.Jeopardy {
			why = append(why, ErrJeopardy)
		}
		why = append(why, c.waitsFor(w)...)
	}
	return d, why
}

// noteAnswer records whether a replica refuses the calls that it is sent. The answer to a KeepAlive
// is no answer to a call: a master that executes no calls yet answers KeepAlives.
func (c *conn) noteAnswer(now time.Time, from uint32, p api.Reply) {
	switch p.Code {
	case api.NotMaster, api.Recovering, api.Busy, api.Later:
		c.refusal = refusalOf(from, p)
	default:
		if p.Seq != 0 {
			c.refusal, c.answered = refusal{}, now
		}
	}
}

func refusalOf(from uint32, p api.Reply) refusal {
	return refusal{from, p.Master, p.Code, p.Session == 0 && p.Seq == 0}
}

// waitsFor returns why a call of a Client made by Dial has no answer, as far as the Client knows.
// It returns nil if another call was answered since the call began. It is called with mu held.
func (c *conn) waitsFor(w *call) []error {
	if c.outages == nil || c.answered.After(w.begun) {
		return nil
	}
	all := c.outages()
	if why := c.refusal.String(); why != "" {
		all = append(all, errors.New(why))
	}
	return all
}

// String describes what the replica does; it is empty if the replica refused nothing.
func (r refusal) String() string {
	switch {
	case r.code == api.Recovering:
		return fmt.Sprintf("replica %d is the master since a fail-over, and %s", r.from, recovers)
	case r.code == api.NotMaster && r.master == 0:
		return fmt.Sprintf("replica %d answers but knows no master", r.from)
	case r.code == api.NotMaster:
		return fmt.Sprintf("replica %d answers, and names replica %d as the master", r.from, r.master)
	case r.code == api.Busy && r.opens:
		return fmt.Sprintf("the last session is over, and replica %d opens no other now: it has too much work, or the cell has as many sessions as it may (chubby session list)", r.from)
	case r.code == api.Busy || r.code == api.Later:
		return fmt.Sprintf("replica %d answers that it has too much work", r.from)
	}
	return ""
}

// recovers describes a master that executes no calls yet.
const recovers = "waits until the clients of the last master have come back, or their sessions are over: a lease at most for one that does not"

// call makes one call that uses no handle, and waits for its end. If the session expired without a
// loss before the call was sent, it tries again under the next session.
func (c *conn) call(ctx context.Context, name, key string, op api.Op) (api.Result, error) {
	w, err := c.callOn(ctx, name, key, op, api.Ref{}, 0)
	if w == nil {
		return api.Result{}, err
	}
	return w.done.Result, err
}

// callOn is call for any op, including an Open whose program asks for these events. It returns the
// call if the call has begun.
func (c *conn) callOn(ctx context.Context, name, key string, op api.Op, node api.Ref, asks EventMask) (*call, error) {
	if err := context.Cause(ctx); err != nil { // nothing was sent
		return nil, &Error{Op: name, Key: key, Causes: contextCauses(ctx, err)}
	}
	for {
		var w *call
		c.step(func(now time.Time) {
			w = c.beginOn(ctx, now, op, node)
			w.onDone, w.name, w.asks = c.onOpened, key, asks
		})
		d, ended := c.wait(ctx, w)
		if !w.canRetry {
			return w, callError(name, key, d, ended)
		}
	}
}

// open opens the session and waits until it is usable.
func (c *conn) open(ctx context.Context) error {
	for {
		opened := c.rt.NewSignal()
		c.step(func(now time.Time) {
			c.renew()
			c.m.Open(now)
			c.ready = append(c.ready, opened)
		})
		_, err := c.rt.Wait(ctx, opened)
		if retry, err := c.openResult(ctx, opened, err); !retry {
			return err
		}
	}
}

// openResult returns how opening ended; err is the error of the wait. retry reports that another
// session follows, or that the lease has run out since the wait was over.
func (c *conn) openResult(ctx context.Context, signal Signal, err error) (retry bool, failed error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeReady(signal)
	s := c.m.Status()
	if isUsable(s) {
		return false, nil
	}
	if err == nil && (c.renewable || s.State < session.Ending) {
		return true, nil
	}
	d := session.Done{Outcome: session.Refused, Why: s.Why}
	ended := contextCauses(ctx, err)
	switch {
	case s.State == session.Over && !c.renewable:
		d.Result.Code = api.Invalid // Why is Answered if the cell refused to open the session
	case s.State == session.Ending:
		d.Why = session.Closed
	default:
		d.Why = session.Cancelled
		if s.Lease == session.Jeopardy {
			ended = append(ended, ErrJeopardy)
		}
	}
	return false, callError("ready", "", d, ended)
}

// isUsable reports whether calls can be sent: the session is open, and its lease is valid or
// not required.
func isUsable(s session.Status) bool {
	return s.State == session.Open && (s.Lease == session.NoLease || s.Lease == session.Valid)
}

// close gives up all calls and starts to end the session.
func (c *conn) close() *call {
	w := &call{signal: c.rt.NewSignal()}
	c.step(func(now time.Time) {
		c.isClosed = true
		c.renew() // closing a session that has expired would report its expiry
		c.loseAll(ErrClosed)
		w.token = c.m.Close(now)
		c.lastToken = w.token
		c.calls[w.token] = w
	})
	return w
}

// hasLease reports whether the session's lease is known to run now. It is called with mu held.
func (c *conn) hasLease() bool {
	s := c.m.Status()
	return s.State == session.Open && s.Lease == session.Valid && c.rt.Now().Before(s.Bound)
}

func (c *conn) status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Status{Status: c.m.Status(), Calls: len(c.calls), Malformed: c.malformed, Cache: c.store.status()}
}
