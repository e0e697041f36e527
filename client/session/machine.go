package session

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// State is where a Machine is in its life; doc.go draws the ways between them.
type State uint8

const (
	// Idle: nothing was asked yet, nothing was sent.
	Idle State = iota
	// Opening: the session's id is not known yet; calls queue.
	Opening
	// Open: calls are under way.
	Open
	// Ending: Close was called; no more calls.
	Ending
	// Over: the session is ended, expired or was refused; nothing is sent and
	// nothing is outstanding.
	Over
)

// String prints the state as traces do.
func (s State) String() string {
	return [...]string{Idle: "idle", Opening: "opening", Open: "open", Ending: "ending", Over: "over"}[s]
}

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
	// cell will know them by.
	Launched []Launch
	Done     []Done    // each token once, in the order in which the calls ended
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
	m.nonce = api.Nonce{cfg.Draw(), cfg.Draw() | 1} // never zero
	m.first = cfg.Draw()>>16 + 1                    // so that answers to another life's ids are not taken for ours
	m.lastID = m.first - 1
	return m, nil
}

// Open asks for the session. It does nothing unless the machine is Idle.
func (m *Machine) Open(now time.Time) {
	if m.state != Idle {
		return
	}
	m.state = Opening
	m.opener = &call{op: api.OpenSession{Nonce: m.nonce}}
	m.send(now, m.opener)
}

// Start begins a call, opening the session if need be. The call ends in exactly
// one Done, at the latest when it is cancelled. OpenSession and EndSession are
// the machine's own and refused as Invalid.
func (m *Machine) Start(now time.Time, op api.Op) Token {
	t := m.token()
	switch code := check(op); {
	case m.state == Ending || m.state == Over:
		m.done(Done{Token: t, Outcome: Refused, Why: m.ended(), Result: api.Result{Code: m.verdict}})
	case code != api.OK:
		m.done(Done{Token: t, Outcome: Refused, Why: Checked, Result: api.Result{Code: code}})
	case len(m.queue) >= m.cfg.Queue:
		m.done(Done{Token: t, Outcome: Refused, Why: Crowded, Result: api.Result{Code: api.Busy}})
	default:
		m.Open(now)
		m.queue = append(m.queue, &call{token: t, op: op})
		m.pump(now)
	}
	return t
}

// Cancel gives a call up: it ends Refused if it was not sent yet, Unknown if it
// was, and is not sent again. It does nothing for a call that has ended. Giving
// up the last Close makes the machine Over, and its session is left to expire.
func (m *Machine) Cancel(now time.Time, t Token) {
	if t == 0 { // the machine's own calls are not the caller's to cancel
		return
	}
	has := func(c *call) bool { return c.token == t }
	if i := slices.IndexFunc(m.queue, has); i >= 0 {
		c := m.queue[i]
		m.queue = slices.Delete(m.queue, i, i+1)
		m.end(c, Done{Outcome: Refused, Why: Cancelled})
		return
	}
	if i := slices.IndexFunc(m.flight, has); i >= 0 {
		m.retire(m.flight[i], Done{Outcome: Unknown, Why: Cancelled})
		m.pump(now)
		return
	}
	m.cancelClose(t)
}

// Close gives up all calls and ends the session at the cell. It ends Executed
// when the cell has answered, or at once if there is no session. Several Closes
// end together.
func (m *Machine) Close(now time.Time) Token {
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
	if m.opener != nil && !m.opener.due.After(now) {
		m.resend(now, m.opener)
	}
	for _, c := range m.flight {
		if !c.due.After(now) {
			m.resend(now, c)
		}
	}
}

// TakeOutput empties the machine of what it wants.
func (m *Machine) TakeOutput() Output {
	out := m.out
	m.out = Output{}
	out.Wake = m.wake()
	return out
}

// wake is the earliest instant at which a call is due.
func (m *Machine) wake() time.Time {
	var first time.Time
	if m.opener != nil {
		first = m.opener.due
	}
	for _, c := range m.flight {
		if first.IsZero() || c.due.Before(first) {
			first = c.due
		}
	}
	return first
}

// Status is what a Machine looks like from the outside.
type Status struct {
	State   State
	Why     Why // where Over: Closed, Expired, or Answered if opening was refused
	Session api.SessionID
	Epoch   api.Epoch // the highest heard of
	Target  uint32    // the replica taken for the master
	Seen    api.Seq
	Flight  int // calls sent and waited for, the opener and the ender included
	Queued  int // calls not sent yet
}

// Status returns the present state of things.
func (m *Machine) Status() Status {
	s := Status{
		State: m.state, Why: m.over, Session: m.session, Epoch: m.epoch,
		Target: m.route.target(), Seen: m.seen(), Flight: len(m.flight), Queued: len(m.queue),
	}
	if m.opener != nil {
		s.Flight++
	}
	return s
}

func (m *Machine) token() Token {
	m.tokens++
	return m.tokens
}

func (m *Machine) done(d Done) { m.out.Done = append(m.out.Done, d) }

// check is what a caller may not start.
func check(op api.Op) api.Code {
	switch op.(type) {
	case nil, api.OpenSession, api.EndSession:
		return api.Invalid
	}
	return op.Check()
}
