package session

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Envelope is a request and its receiver.
type Envelope struct {
	To      uint32
	Request api.Request
}

// Launch is the identity of a call at the cell: all duplicates of the call, its log records and
// its stored answer carry this session and number.
type Launch struct {
	Token   Token
	Session api.SessionID
	Seq     api.Seq
}

// Output is what a Machine requests from its caller. The slices belong to the caller.
type Output struct {
	Send []Envelope // may be lost, delayed, reordered, duplicated
	// Launched identifies the calls that are in Send for the first time. An Acquire that waits
	// for long may be launched again under another Seq; its earlier Seq then holds nothing.
	Launched []Launch
	Done     []Done  // each token once, in the order in which the calls ended
	Events   []Event // in the order in which they happened
	// Settled are calls that ended Unknown because they were cancelled, and of which no copy will
	// be executed from now on.
	Settled []Token
	Wake    time.Time // call Advance no later than this; zero: no deadline
}

// Machine is one client's session. Each method is an input: it does not block, and its effects are
// in the next TakeOutput. Calls must not overlap, and the instants passed in must not go back.
type Machine struct {
	cfg   Config
	state State
	epoch api.Epoch // the highest received

	why     Why      // in Over: Answered, Closed or Expired
	endCode api.Code // the code of calls that start after the end

	nonce   api.Nonce
	session api.SessionID
	opener  *call // the OpenSession under way; nil: none
	// Closes that have not ended
	closeTokens []Token

	route  route
	first  uint64 // of the sending ids of this machine; lower ids are not its own
	lastID uint64
	tokens Token

	tickets uint64    // given to queued calls
	pumped  time.Time // when calls were last launched as far as there was room

	next     api.Seq // the first Seq not assigned yet
	flight   []*call // sent and not ended, ascending by seq
	queue    []*call // not sent yet, oldest first
	cleanup  []*call // calls of the machine that clean up, not sent yet
	withheld []Done  // answers that arrived while none may be reported
	loose    []loose // cancelled calls that may yet be executed

	lease       lease
	keep        *call  // the KeepAlive; nil without a session, or if the cell gives no leases
	leaseMaster uint32 // answered the last KeepAlive; 0 once it has refused or missed one
	keepsSent   []keepAliveSent
	quiet       api.Epoch // in which a replica refused a KeepAlive with AckedThrough: they are sent without
	acked       api.Epoch // the newest epoch whose fail-over this client has acknowledged
	settled     api.Epoch // the highest epoch whose master waits for nothing from this client
	notice      failoverNotice
	taken       eventsTaken
	holdings    holdings

	out Output
}

// New returns an Idle machine. If cfg is invalid, the error names all its faults. New sends
// nothing.
func New(cfg Config) (*Machine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	cfg = cfg.withDefaults()
	m := &Machine{cfg: cfg, route: newRoute(cfg), next: 1}
	m.lease = lease{rho: cfg.Rho, grace: cfg.Grace}
	m.nonce = api.Nonce{cfg.Draw(), cfg.Draw() | 1} // never zero
	m.first = cfg.Draw()>>16 + 1                    // so that it does not accept answers to an earlier process
	m.lastID = m.first - 1
	return m, nil
}

// Open opens the session. It has no effect unless the machine is Idle.
func (m *Machine) Open(now time.Time) {
	m.advanceLease(now)
	if m.state != Idle {
		return
	}
	m.state = Opening
	m.opener = &call{op: api.OpenSession{Nonce: m.nonce}}
	m.send(now, m.opener)
}

// Start begins a call, and opens the session if necessary. The call ends in exactly one Done,
// at the latest when it is cancelled. OpenSession, EndSession, KeepAlive and CancelAcquire are
// reserved for the machine and refused as Invalid. The caller must not start another Acquire on
// a handle that holds its lock: the answer would be that the handle holds it.
func (m *Machine) Start(now time.Time, op api.Op) Token { return m.start(now, &call{op: op}) }

func (m *Machine) start(now time.Time, c *call) Token {
	op := c.op
	m.advanceLease(now)
	t := m.newToken()
	switch code := checkOp(op); {
	case m.state == Ending || m.state == Over:
		m.emitDone(Done{Token: t, Outcome: Refused, Why: m.endReason(), Result: api.Result{Code: m.endCode}})
	case code != api.OK:
		m.emitDone(Done{Token: t, Outcome: Refused, Why: Checked, Result: api.Result{Code: code}})
	case len(m.queue) >= m.cfg.Queue && !isRelease(op):
		m.emitDone(Done{Token: t, Outcome: Refused, Why: QueueFull, Result: api.Result{Code: api.Busy}})
	default:
		m.Open(now)
		c.token = t
		o, acquires := op.(api.Acquire)
		c.waits = acquires && o.Wait
		m.enqueue(c)
		m.pump(now)
	}
	return t
}

// HasRoom reports whether a call that nothing waits for may start now: fewer than half of the places of Config.Queue are taken,
// or none.
func (m *Machine) HasRoom() bool { return len(m.queue) == 0 || 2*len(m.queue) < m.cfg.Queue }

// Close gives up all calls and ends the session at the cell. It ends Executed when the cell has
// answered, or at once if there is no session. It ends Unknown with reason Expired if the grace
// period ends first. Several Closes end together.
func (m *Machine) Close(now time.Time) Token {
	m.advanceLease(now)
	t := m.newToken()
	switch m.state {
	case Over:
		m.emitDone(Done{Token: t, Outcome: Executed, Why: Closed})
		return t
	case Idle:
		m.closeTokens = append(m.closeTokens, t)
		m.finish(Closed, api.Result{})
		return t
	}
	m.closeTokens = append(m.closeTokens, t)
	if m.state != Ending {
		m.endCalls(Closed, api.Result{})
		was := m.state
		m.state = Ending
		if was == Open {
			m.sendEnd(now)
		}
	}
	return t
}

// Advance handles the passing of time: it resends calls that are due.
func (m *Machine) Advance(now time.Time) {
	m.advanceLease(now)
	for _, c := range []*call{m.opener, m.keep} {
		if c != nil && !c.due.After(now) {
			m.resend(now, c)
		}
	}
	m.resendDue(now)
	m.resendStale(now)
	if s := m.staysUntil(); m.hasRetryDue(now) || s.After(m.pumped) && !s.After(now) {
		m.pump(now)
	}
}

// TakeOutput returns and clears the machine's output.
func (m *Machine) TakeOutput() Output {
	out := m.out
	m.out = Output{}
	out.Wake = m.wake()
	return out
}

// wake returns the earliest instant at which a call is due or the lease changes.
func (m *Machine) wake() time.Time {
	var first time.Time
	at := func(t time.Time) {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	for _, c := range []*call{m.opener, m.keep} {
		if c != nil {
			at(c.due)
		}
	}
	for _, c := range m.flight {
		if m.canSend(c) {
			at(c.due)
		}
	}
	if m.state == Open && m.canExchange() {
		for _, c := range m.queue {
			if c.retryAt.After(m.pumped) { // else it waits for room, which no time brings
				at(c.retryAt)
			}
		}
		if s := m.staysUntil(); s.After(m.pumped) {
			at(s)
		}
	}
	if m.state == Open || m.state == Ending {
		at(m.lease.nextChange())
	}
	return first
}

func (m *Machine) newToken() Token {
	m.tokens++
	return m.tokens
}

func (m *Machine) emitDone(d Done) { m.out.Done = append(m.out.Done, d) }

// checkOp returns OK if a caller may start op.
func checkOp(op api.Op) api.Code {
	switch op.(type) {
	case nil, api.OpenSession, api.EndSession, api.KeepAlive, api.CancelAcquire:
		return api.Invalid
	}
	return op.Check()
}
