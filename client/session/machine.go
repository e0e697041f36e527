package session

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Envelope is a request with its receiver.
type Envelope struct {
	To      uint32
	Request api.Request
}

// Launch says what the cell knows a call by: all copies of it, in the log and
// in stored answers, carry this session and number.
type Launch struct {
	Token   Token
	Session api.SessionID
	Seq     api.Seq
}

// Output is all that a Machine wants from the outside. Its slices belong to the
// caller.
type Output struct {
	Send []Envelope // may be lost, delayed, reordered
	// Launched names the calls that are in Send for the first time: what the
	// cell will know them by. An Acquire that waits for long may be launched again,
	// under another number; what it was launched as before holds nothing then.
	Launched []Launch
	Done     []Done    // each token once, in the order in which the calls ended
	Events   []Event   // in the order in which they happened
	Wake     time.Time // call Advance no later than this; zero: no need
}

// Machine is one client's session. All its methods are doors: none waits, and
// each may leave something for TakeOutput. A Machine is used by one caller at a
// time; the instants given to it must not go back.
type Machine struct {
	cfg   Config
	state State
	epoch api.Epoch // the highest heard of

	over    Why      // why Over: Answered, Closed or Expired
	verdict api.Code // what calls get that come too late

	nonce   api.Nonce
	session api.SessionID
	opener  *call // while the session's id is asked for
	closers []Token

	route  route
	first  uint64 // of the ids this machine sends; ids below are not its own
	lastID uint64
	tokens Token

	next   api.Seq // the first one not given to a call yet
	flight []*call // sent and waited for, ascending by seq
	queue  []*call // not sent yet, oldest first
	tidy   []*call // the machine's own, not sent yet: what calls left behind
	kept   []Done  // answers that came while none may be told

	lease     lease
	keep      *call  // the KeepAlive, while there is a session and the cell gives leases
	keeper    uint32 // the master that answered the last one; 0 where it has left or refused one since
	beats     []beat
	flushed   api.Epoch // the last fail-over that was taken notice of
	confirmed api.Epoch // the highest whose master waits for nothing from this client
	notice    notice
	holdings  holdings

	out Output
}

// New returns an Idle machine, or says all that is wrong with cfg. It sends
// nothing.
func New(cfg Config) (*Machine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	cfg = cfg.withDefaults()
	m := &Machine{cfg: cfg, route: newRoute(cfg), next: 1}
	m.lease = lease{rho: cfg.Rho, grace: cfg.Grace}
	m.nonce = api.Nonce{cfg.Draw(), cfg.Draw() | 1} // never zero
	m.first = cfg.Draw()>>16 + 1                    // so that answers to another life's ids are not taken for ours
	m.lastID = m.first - 1
	return m, nil
}

// Open asks for the session. It does nothing unless the machine is Idle.
func (m *Machine) Open(now time.Time) {
	m.pass(now)
	if m.state != Idle {
		return
	}
	m.state = Opening
	m.opener = &call{op: api.OpenSession{Nonce: m.nonce}}
	m.send(now, m.opener)
}

// Start begins a call, opening the session if need be. The call ends in exactly
// one Done, at the latest when it is cancelled. OpenSession, EndSession, KeepAlive
// and CancelAcquire are the machine's own and refused as Invalid. A handle that
// holds a lock must not be given another Acquire: it would be told that it has it.
func (m *Machine) Start(now time.Time, op api.Op) Token {
	m.pass(now)
	t := m.token()
	switch code := check(op); {
	case m.state == Ending || m.state == Over:
		m.done(Done{Token: t, Outcome: Refused, Why: m.ended(), Result: api.Result{Code: m.verdict}})
	case code != api.OK:
		m.done(Done{Token: t, Outcome: Refused, Why: Checked, Result: api.Result{Code: code}})
	case len(m.queue) >= m.cfg.Queue && !frees(op):
		m.done(Done{Token: t, Outcome: Refused, Why: Crowded, Result: api.Result{Code: api.Busy}})
	default:
		m.Open(now)
		m.queue = append(m.queue, &call{token: t, op: op})
		m.pump(now)
	}
	return t
}

// Close gives up all calls and ends the session at the cell. It ends Executed
// when the cell has answered, or at once if there is no session; Unknown, because
// Expired, if grace is over first. Several Closes end together.
func (m *Machine) Close(now time.Time) Token {
	m.pass(now)
	t := m.token()
	switch m.state {
	case Over:
		m.done(Done{Token: t, Outcome: Executed, Why: Closed})
		return t
	case Idle:
		m.closers = append(m.closers, t)
		m.finish(Closed, api.Result{})
		return t
	}
	m.closers = append(m.closers, t)
	if m.state != Ending {
		m.abandon(Closed, api.Result{})
		was := m.state
		m.state = Ending
		if was == Open {
			m.sendEnd(now)
		}
	}
	return t
}

// Advance says that time has passed: what has waited long enough is sent again.
func (m *Machine) Advance(now time.Time) {
	m.pass(now)
	for _, c := range []*call{m.opener, m.keep} {
		if c != nil && !c.due.After(now) {
			m.resend(now, c)
		}
	}
	m.resendDue(now)
	m.catchUp(now)
}

// TakeOutput empties the machine of what it wants.
func (m *Machine) TakeOutput() Output {
	out := m.out
	m.out = Output{}
	out.Wake = m.wake()
	return out
}

// wake is the earliest instant at which a call is due, or the lease changes.
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
		if m.goes(c) {
			at(c.due)
		}
	}
	if m.state == Open || m.state == Ending {
		at(m.lease.next())
	}
	return first
}

func (m *Machine) token() Token {
	m.tokens++
	return m.tokens
}

func (m *Machine) done(d Done) { m.out.Done = append(m.out.Done, d) }

// check is what a caller may not start.
func check(op api.Op) api.Code {
	switch op.(type) {
	case nil, api.OpenSession, api.EndSession, api.KeepAlive, api.CancelAcquire:
		return api.Invalid
	}
	return op.Check()
}
