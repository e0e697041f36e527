package master

import (
	"fmt"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// State is the state of a Master.
type State uint8

// The states; see the package comment.
const (
	Following State = iota
	Electing
	Recovering
	Serving
	Deposed
)

// String names the state.
func (s State) String() string {
	switch s {
	case Following:
		return "following"
	case Electing:
		return "electing"
	case Recovering:
		return "recovering"
	case Serving:
		return "serving"
	case Deposed:
		return "deposed"
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// HasEpoch reports whether a Master in this state is in an epoch of its own.
func (s State) HasEpoch() bool { return s == Recovering || s == Serving }

func (m *Master) hasEpoch() bool { return m.state.HasEpoch() }

// Tenure names the leader of the log, as the log reports it.
type Tenure struct {
	Leader uint32 // 0: not known
	Ballot rows.Ballot
	Mine   bool // this replica leads
}

// Tenure takes in a change of leader. The caller first applies the slots that the log reported with
// it.
func (m *Master) Tenure(t Tenure) {
	if t.Mine && m.state != Following && t.Ballot == m.ballot {
		return
	}
	m.stop(t.Leader)
	if t.Mine {
		m.count.Tenures++
		m.state, m.ballot = Electing, t.Ballot
		m.proposeEpoch()
	}
	m.verify()
}

func (m *Master) proposeEpoch() {
	m.propose(forEpoch, calls.Key{}, command.Epoch{Master: m.cfg.ID, Ballot: m.ballot})
}

// onEpochBegan takes in the beginning of an epoch. After this command the log refuses older guards.
func (m *Master) onEpochBegan(at At, e rows.Epoch) {
	if e.Number != m.epoch+1 {
		invariant.Failf("I-E1", "replica %d: epoch %d of master %d follows epoch %d", m.cfg.ID, e.Number, e.Master, m.epoch)
	}
	m.epoch = e.Number
	mine := e.Master == m.cfg.ID && e.Ballot == m.ballot
	switch {
	case mine && m.state == Electing:
		m.guard = e.Number
		m.begin(at)
	case mine && m.hasEpoch(): // the log has the command twice
		m.forget()
		m.release()
		m.guard = e.Number
		m.begin(at)
	case m.hasEpoch():
		m.depose(e.Master)
	case m.state == Deposed:
		m.hint = m.another(e.Master)
	}
	m.tellSeekers(at)
}

// another returns the replica, or 0 if it is this one: then this replica has lost an epoch to an
// earlier tenure of its own, and knows no master.
func (m *Master) another(replica uint32) uint32 {
	if replica == m.cfg.ID {
		return 0
	}
	return replica
}

// depose ends the epoch of this tenure, because another epoch has begun.
func (m *Master) depose(by uint32) {
	m.count.Deposed++
	m.state, m.hint = Deposed, m.another(by)
	m.forget()
}

// forget drops what the Master remembers of sessions (C12.01). It answers NotMaster to each KeepAlive
// that waits, so that the client looks for the new master.
func (m *Master) forget() {
	if m.sessions == nil {
		return
	}
	for _, a := range m.sessions.Parked() {
		m.answerKeepAlive(a, api.Result{Code: api.NotMaster})
	}
	m.sessions, m.proof, m.owed, m.unset = nil, leadershipProof{}, false, nil
}

// stop ends whatever the Master was doing.
func (m *Master) stop(hint uint32) {
	if m.hasEpoch() {
		m.count.Deposed++
	}
	m.state, m.hint, m.owed = Following, hint, false
	m.ballot, m.guard = rows.Ballot{}, 0
	m.out.Propose = nil
	m.forget()
	m.release()
}

// release answers NotMaster to all calls that wait: their outcome is unknown.
func (m *Master) release() {
	m.ops = nil
	m.newQueue()
	orphans := m.calls.Awaited()
	m.calls = calls.New()
	m.count.Orphans += uint64(len(orphans))
	for _, c := range orphans {
		m.answer(c.To, c.Session, c.Seq, api.Result{Code: api.NotMaster})
	}
}

// master returns the replica that clients should ask, as far as known; 0: not known.
func (m *Master) master() uint32 {
	if m.state == Electing || m.hasEpoch() {
		return m.cfg.ID
	}
	return m.hint
}
