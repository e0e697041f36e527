package master

import (
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/fairqueue"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Config configures a Master.
type Config struct {
	ID         uint32 // this replica, above 0
	MaxPending int    // calls that may wait for the log or in it; one more is refused with Later or Busy
	// Share bounds the commands of one principal that go to the log together: what a slot holds.
	Share    fairqueue.Limits
	Sessions session.Config
	NodeOps  nodeops.Config
	// Secret seals the tokens of a cell that this replica founds: 32 bytes that its
	// driver has drawn from a strong random source. Zero: this replica founds no cell.
	Secret   [32]byte
	Founding tree.Founding // the tree with which such a cell begins
	// Unobserved leaves Reads and Begun of each Output empty: there is no observer.
	Unobserved bool
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
	if c.Share.Commands < 1 || c.Share.Bytes < 1 {
		faults = append(faults, errors.New("master config: a share of the log below 1"))
	}
	if c.isFounder() {
		if out := tree.Make(db.New().Begin(), 1, c.Founding); out.Code != api.OK {
			faults = append(faults, fmt.Errorf("master config: nothing can be founded like this: %v", out.Code))
		}
	}
	return errors.Join(append(faults, c.Sessions.Validate(), c.NodeOps.Validate())...)
}

func (c Config) isFounder() bool { return c.Secret != [32]byte{} }

// At is the instant at which a method is called, with the lease and the rows at that instant.
type At = calls.At

// Addr names a client connection. The driver chooses it; the Master only returns it in a Reply.
type Addr = calls.Addr

// Reply is an answer, and the connection to which it goes. It may be lost.
type Reply struct {
	To Addr
	api.Reply
}

// mostTaken bounds the memory for replies that is used again. If all clients came at once, the
// memory for their replies is freed.
const mostTaken = 1 << 12

// Output is all that a Master wants from the outside. Its slices belong to the caller, except
// Replies: the next call of another method overwrites them.
type Output struct {
	Propose []Proposal // in this order
	Replies []Reply    // in any order
	Reads   []Read     // the replies that were answered from the rows, for observers
	// Begun are the commands, for calls or for what follows from calls, that joined the fair
	// queue, in this order, for observers: what they do was decided then. Each is proposed, now
	// or later, unless the tenure ends or its client gives the call up.
	Begun [][]byte
}

// Master is the memory of one replica for the time that it is master. One
// goroutine owns it. Make it with New.
type Master struct {
	cfg    Config
	state  State
	hint   uint32                     // the master, as far as known; 0: not known
	ballot rows.Ballot                // of the tenure, unless following
	epoch  api.Epoch                  // the present one
	guard  api.Epoch                  // the epoch of this tenure, once it has begun
	queue  *fairqueue.Queue[Proposal] // commands that wait for the log
	calls  *calls.Table               // those under way, since the tenure or its epoch began
	count  Counters
	out    Output
	// seekers outlive tenures: a replica meets them while it is not master
	seekers seekers
	taken   []Reply // the replies that were last taken; the next ones reuse their memory

	// In an epoch of this tenure:
	step     int            // of the fail-over, while recovering
	sessions *session.Table // nil outside of such an epoch
	ops      *nodeops.Ops   // from when the cell exists until the tenure ends
	proof    leadershipProof
	owed     bool       // the log has refused a command of the Master's own; Advance proposes it again
	unset    []Proposal // constants that the log has refused
}

// Counters count since the process started; for reports only.
type Counters struct {
	Tenures  uint64 // own tenures begun
	Served   uint64 // own tenures that came to serve
	Deposed  uint64 // own epochs that ended
	Requests uint64 // requests received
	Proposed uint64 // calls on rows that were queued for the log
	Read     uint64 // calls on rows that were answered without the log
	Merged   uint64 // duplicates of a call on a row that was under way
	Orphans  uint64 // calls that waited when their tenure or epoch ended
	GivenUp  uint64 // calls that were given up before their turn in the log came

	KeepAlives uint64 // answered
	Confirms   uint64 // proposed for want of a lease
	Expiries   uint64 // sessions whose end was proposed
}

// Status describes the Master, for reports.
type Status struct {
	State    State
	Step     string // of the fail-over, while recovering
	Epoch    api.Epoch
	Ballot   rows.Ballot // with which the tenure began; zero without a tenure
	Hint     uint32      // the master, as far as known; 0: not known
	Pending  int         // calls that wait for an answer
	Waiting  int         // commands in the fair queue
	Sessions int         // that it remembers
	Counters Counters
}

// New returns a Master in the state Following. epoch is the one of the replica's rows. A bad Config
// panics: call Validate first.
func New(cfg Config, epoch api.Epoch) *Master {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	m := &Master{cfg: cfg, epoch: epoch, calls: calls.New()}
	m.newQueue()
	return m
}

// Applied tells the Master the outcome of the next command of the log. Every replica calls it for
// every command, in order, after the transaction of the slot.
func (m *Master) Applied(at At, a command.Applied) {
	for _, e := range a.Effects {
		m.onEffect(at, a.Command, e)
	}
	m.onCommandApplied(at, a.Command)
	if m.ops != nil {
		m.ops.Applied(at, a)
		m.collect(at)
	}
	switch c := a.Command.(type) {
	case command.Call:
		m.onCallApplied(at, c, a)
	case command.LongestLease:
		m.onMeasured(at)
	case command.ConfirmLeadership:
		m.onConfirmed(c, a)
	}
	m.tend(at)
	m.verify()
}

// onEffect takes in one effect of a command.
func (m *Master) onEffect(at At, c command.Command, e command.Effect) {
	if e, ok := e.(command.EpochBegan); ok {
		m.onEpochBegan(at, e.Epoch)
		return
	}
	if m.sessions == nil {
		return
	}
	switch e := e.(type) {
	case command.SessionOpened:
		m.sessions.Open(at.Now, e.Session, c.(command.Call).Principal)
	case command.SessionEnded:
		m.onSessionEnded(e.Session)
	}
}

// SetConstant proposes a replicated constant. It does nothing unless the Master is in an epoch of
// its own.
func (m *Master) SetConstant(name, value string) {
	if m.hasEpoch() {
		m.propose(forConstant, calls.Key{}, command.Constant{Guard: m.guard, Name: name, Value: value})
	}
}

// Advance tells the Master that time has passed. Call it no later than Wake says.
func (m *Master) Advance(at At) {
	if m.owed {
		m.owed = false
		m.resume(at)
	}
	if m.ops != nil {
		m.ops.Advance(at)
		m.collect(at)
	}
	m.tend(at)
	if invariant.Deep {
		m.Verify(at)
	}
}

// Wake returns the latest instant at which to call Advance; zero: no need. Ask again after each
// other method: authority may have come or gone.
func (m *Master) Wake(at At) time.Time {
	if !m.hasEpoch() {
		return time.Time{}
	}
	first := m.dueSession(at)
	if !m.owed { // else the log is full, and the replica calls Advance as soon as it has room
		first = instant.Earliest(first, m.sessions.LongestDue())
	}
	if m.ops != nil {
		first = instant.Earliest(first, m.ops.Wake())
	}
	return first
}

// TakeOutput returns what the Master wants done, and forgets it. room is how many commands the log
// has room for; no more commands leave the fair queue. Call TakeOutput after each other method and
// when the log has more room. Hand the proposals to the log before anything else happens to the log:
// the Master drops those of a tenure that has ended, the log does not.
func (m *Master) TakeOutput(now time.Time, room int) Output {
	m.takeTurns(now, room)
	out := m.out
	m.out = Output{}
	if n := cap(out.Replies); 0 < n && n <= mostTaken {
		m.taken = out.Replies
	}
	return out
}

// State returns Status.State and Status.Ballot, at less cost.
func (m *Master) State() (State, rows.Ballot) { return m.state, m.ballot }

// Status describes the Master.
func (m *Master) Status() Status {
	s := Status{State: m.state, Epoch: m.epoch, Ballot: m.ballot, Hint: m.master(), Pending: m.calls.Waiting(), Waiting: m.queue.Waiting(), Counters: m.count}
	if m.sessions != nil {
		s.Sessions = m.sessions.Len()
	}
	if m.state == Recovering {
		s.Step = steps[m.step].name
	}
	return s
}

// Session returns what a master in an epoch of its own remembers of a session, for observers; ok is
// false if it is in none, or there is no such session.
func (m *Master) Session(id api.SessionID) (s session.Session, ok bool) {
	if m.sessions == nil {
		return session.Session{}, false
	}
	return m.sessions.Get(id)
}

// answer sends an answer. It adds the present epoch and the master, as far as known.
func (m *Master) answer(to calls.Destination, session api.SessionID, seq api.Seq, r api.Result) {
	if m.out.Replies == nil {
		clear(m.taken)
		m.out.Replies = m.taken[:0]
	}
	m.out.Replies = append(m.out.Replies, Reply{To: to.Addr, Reply: api.Reply{
		ID: to.ID, Session: session, Seq: seq, Epoch: m.epoch, Master: m.master(), Result: r,
	}})
}

// Verify walks all that the Master remembers, and panics unless it agrees with the rows and with
// itself (I-E5). Advance calls it under invariant.Deep; an observer may call it between inputs.
func (m *Master) Verify(at At) {
	if !m.hasEpoch() {
		return
	}
	if n := rows.GetTotals(at.Rows).Sessions; n != uint64(m.sessions.Len()) {
		invariant.Failf("I-E5", "%d sessions are alive, %d are remembered%s", n, m.sessions.Len(), m.forgotten(at.Rows))
	}
	if err := m.queue.Audit(); err != nil {
		invariant.Failf("I-E5", "%v", err)
	}
	if err := m.calls.Audit(); err != nil {
		invariant.Failf("I-E5", "%v", err)
	}
	if err := m.calls.AuditCommands(m.queue.Waiting() - m.queue.Of(fairqueue.System)); err != nil {
		invariant.Failf("I-E5", "%v", err)
	}
	if m.ops != nil {
		if err := m.ops.Audit(at.Rows); err != nil {
			invariant.Failf("I-E5", "%v", err)
		}
	}
}

// forgotten names the first session of the rows that is not remembered; "" if all are.
func (m *Master) forgotten(r rows.Reader) string {
	for id := range rows.Sessions(r) {
		if _, ok := m.sessions.Get(id); !ok {
			return fmt.Sprintf("; not remembered is session %d", id)
		}
	}
	return ""
}

func (m *Master) verify() {
	if n := m.calls.Waiting(); !m.hasEpoch() && m.state != Deposed && n > 0 {
		invariant.Failf("I-E2", "%d requests wait at a master that is %v", n, m.state)
	}
	if m.hasEpoch() && m.guard != m.epoch {
		invariant.Failf("I-E3", "replica %d serves epoch %d in epoch %d", m.cfg.ID, m.guard, m.epoch)
	}
	if m.hasEpoch() != (m.sessions != nil) {
		invariant.Failf("I-E4", "a master that is %v remembers sessions: %t", m.state, m.sessions != nil)
	}
}
