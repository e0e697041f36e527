package master

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/command"
	"github.com/chubbycell/chubby/replica/rows"
)

// Config is what a Master is told at start.
type Config struct {
	ID         uint32 // this replica, above 0
	MaxPending int    // requests waiting for their place in the log, at most; beyond: Busy
}

// Validate returns all faults at once, joined, or nil.
func (c Config) Validate() error {
	var faults []error
	if c.ID == 0 {
		faults = append(faults, errors.New("master config: replica id 0"))
	}
	if c.MaxPending < 1 {
		faults = append(faults, errors.New("master config: MaxPending below 1"))
	}
	return errors.Join(faults...)
}

// At is the instant at which a door is used, and what holds at it.
type At struct {
	Now time.Time
	// Lease is the end of read authority in the tenure that the Master was told of;
	// zero where there is none.
	Lease time.Time
	Rows  rows.Reader // as they are now
}

// authority says that no other replica can have changed anything by now: what the
// rows say is so, and what is promised is kept (P4.01).
func (at At) authority() bool { return at.Now.Before(at.Lease) }

// Addr names who is to be answered; the driver gives it and gets it back.
type Addr uint64

// Reply is an answer and where it goes. It may be lost.
type Reply struct {
	To Addr
	api.Reply
}

// Proposal is a command for the log. If the log does not take it, the driver
// gives it back by Refused.
type Proposal struct {
	Command []byte
	key     key
	ballot  rows.Ballot // of the tenure
}

// Output is all that a Master wants from the outside. Its slices belong to the
// caller.
type Output struct {
	Propose []Proposal // in this order
	Replies []Reply    // in any order
	Reads   []Read     // that are among the replies, for observers
}

// Master is the memory of one replica for the time that it is master. One
// goroutine owns it. Make it with New.
type Master struct {
	cfg     Config
	state   State
	hint    uint32      // who is master, as far as known; 0: nobody
	ballot  rows.Ballot // of the tenure, unless following
	owed    bool        // the Epoch command waits to be proposed again
	epoch   api.Epoch   // the present one
	guard   api.Epoch   // the one of this tenure, once it has begun
	pending map[key]pending
	count   Counters
	out     Output
}

// Counters count since the process started; for reports only.
type Counters struct {
	Tenures  uint64 // own tenures begun
	Served   uint64 // own tenures that came to serve
	Deposed  uint64 // times that serving ended
	Requests uint64 // requests that came
	Proposed uint64 // calls proposed
	Read     uint64 // calls answered without the log
	Merged   uint64 // copies of a request that waits already
	Orphans  uint64 // requests that waited when their tenure or epoch ended
}

// Status is what the Master can be asked at any time, for reports.
type Status struct {
	State    State
	Epoch    api.Epoch
	Ballot   rows.Ballot // that began the tenure; zero unless there is one
	Hint     uint32
	Pending  int
	Counters Counters
}

// New returns a Master that follows, of a replica whose rows are in this epoch.
// A bad Config panics: Validate it where it comes from.
func New(cfg Config, epoch api.Epoch) *Master {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	return &Master{cfg: cfg, epoch: epoch, pending: map[key]pending{}}
}

// Request takes in one copy of a request of a principal, already decoded. It is
// answered at once, or when its command was applied, or when the tenure ends.
func (m *Master) Request(at At, from Addr, who api.Principal, q api.Request) {
	m.count.Requests++
	if code := m.admits(who, q); code != api.OK {
		m.refuse(from, q, code)
		return
	}
	if at.authority() && command.Reads(q.Op) {
		m.read(at, from, q)
		return
	}
	m.enter(from, who, q)
}

// admits says OK to a request that this Master may work on, or with which code it
// is refused. One that names an older epoch is a packet to a former master, or its
// sender has not heard of this one; who names a newer one has heard of another
// (C12.04).
func (m *Master) admits(who api.Principal, q api.Request) api.Code {
	_, opens := q.Op.(api.OpenSession)
	switch code := q.Check(); {
	case code != api.OK:
		return code
	case m.state != Serving, q.Epoch > m.guard:
		return api.NotMaster
	case q.Epoch < m.guard && !opens:
		return api.OldEpoch
	case opens && who.Check() != api.OK:
		return api.Invalid
	}
	return api.OK
}

// enter gives a request a place among the pending ones, and its command to the
// log, unless a copy waits already.
func (m *Master) enter(from Addr, who api.Principal, q api.Request) {
	k := keyOf(q.Session, q.Seq, q.Op)
	_, waits := m.pending[k]
	switch {
	case waits:
		m.count.Merged++
		m.pending[k] = waiter(from, q)
	case len(m.pending) >= m.cfg.MaxPending:
		m.answer(waiter(from, q), api.Result{Code: api.Busy})
	default:
		m.count.Proposed++
		m.pending[k] = waiter(from, q)
		m.propose(k, m.command(who, q))
	}
}

// command is what a request becomes; a session is its opener's.
func (m *Master) command(who api.Principal, q api.Request) command.Call {
	c := command.Call{Guard: m.guard, Session: q.Session, Seq: q.Seq, Seen: q.Seen, Op: q.Op}
	if _, opens := q.Op.(api.OpenSession); opens {
		c.Principal = who
	}
	return c
}

// Applied tells what became of the next command of the log. It is called for
// every command, in order, on every replica.
func (m *Master) Applied(_ At, a command.Applied) {
	for _, e := range a.Effects {
		if e, ok := e.(command.EpochBegan); ok {
			m.epochBegan(e.Epoch)
		}
	}
	if c, ok := a.Command.(command.Call); ok {
		m.applied(c, a)
	}
	m.verify()
}

// applied answers who waits for the call. A copy with an older guard that was
// refused says nothing about the copy of this tenure.
func (m *Master) applied(c command.Call, a command.Applied) {
	if a.Verdict == command.Refused && c.Guard != m.guard {
		return
	}
	k := keyOf(c.Session, c.Seq, c.Op)
	if p, waits := m.pending[k]; waits {
		delete(m.pending, k)
		m.answer(p, a.Result)
	}
}

// SetConstant proposes a replicated constant, in the name of this tenure. Only
// where this replica serves; a proposal that the log refuses is left to the next
// tenure.
func (m *Master) SetConstant(name, value string) {
	if m.state == Serving {
		m.propose(key{constant: name}, command.Constant{Guard: m.guard, Name: name, Value: value})
	}
}

// Refused gives back a proposal that the log did not take, and with which code
// its request is to be answered: Busy, TooLarge, or NotMaster. An Epoch command
// is proposed again at the next Advance.
func (m *Master) Refused(p Proposal, code api.Code) {
	if p.key == (key{}) {
		m.owed = m.state == Electing && p.ballot == m.ballot
		return
	}
	if w, waits := m.pending[p.key]; waits {
		delete(m.pending, p.key)
		m.answer(w, api.Result{Code: code})
	}
}

// Advance tells that time has passed.
func (m *Master) Advance(At) {
	if m.owed {
		m.proposeEpoch()
	}
}

// TakeOutput returns what the Master wants done and forgets it. Call it after
// each other door, and hand the proposals to the log before anything else
// happens to the log: those of an ended tenure are dropped here, not there.
func (m *Master) TakeOutput() Output {
	out := m.out
	m.out = Output{}
	return out
}

// Status says how the Master is.
func (m *Master) Status() Status {
	return Status{State: m.state, Epoch: m.epoch, Ballot: m.ballot, Hint: m.master(), Pending: len(m.pending), Counters: m.count}
}

func (m *Master) propose(k key, c command.Command) {
	m.out.Propose = append(m.out.Propose, Proposal{Command: command.Append(nil, c), key: k, ballot: m.ballot})
}

// refuse answers a request that this Master does not work on. To one of a later
// epoch than it knows it is no master, whatever it takes itself for.
func (m *Master) refuse(from Addr, q api.Request, code api.Code) {
	m.answer(waiter(from, q), api.Result{Code: code})
	if p := &m.out.Replies[len(m.out.Replies)-1]; q.Epoch > m.epoch && p.Master == m.cfg.ID {
		p.Master = 0
	}
}

// answer names the present epoch and who is master.
func (m *Master) answer(p pending, r api.Result) {
	m.out.Replies = append(m.out.Replies, Reply{To: p.to, Reply: api.Reply{
		ID: p.id, Session: p.session, Seq: p.seq, Epoch: m.epoch, Master: m.master(), Result: r,
	}})
}

func (m *Master) verify() {
	if m.state != Serving && m.state != Deposed && len(m.pending) > 0 {
		invariant.Failf("I-E2", "%d requests wait at a master that is %v", len(m.pending), m.state)
	}
	if m.state == Serving && m.guard != m.epoch {
		invariant.Failf("I-E3", "replica %d serves epoch %d in epoch %d", m.cfg.ID, m.guard, m.epoch)
	}
}
