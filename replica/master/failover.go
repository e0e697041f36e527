package master

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// step is one step between the beginning of an epoch of this tenure and serving. The comments
// at steps have its number in CHU §2.9; the package comment lists all of them.
type step struct {
	name       string
	begin      func(*Master, At)      // called again if the log did not take what it proposed
	over       func(*Master, At) bool // the step is over: the next one begins, or serving
	keepAlives bool                   // KeepAlives are accepted
}

var steps = [...]step{
	{name: "founding", begin: (*Master).found, over: (*Master).isFounded},                           // 3
	{name: "measuring", begin: (*Master).prepare, over: (*Master).isMeasured},                       // 3
	{name: "flushing", begin: func(*Master, At) {}, over: (*Master).isEpochKnown, keepAlives: true}, // 4 to 6
}

// rebuild makes the table of sessions from the rows. Every session lives on for the longest
// lease that a predecessor can have granted, counted from now, not from its last KeepAlive
// (C12.02, C12.06).
func (m *Master) rebuild(at At) {
	m.sessions = session.New(m.cfg.Sessions, m.epoch, rows.GetLongestLease(at.Rows))
	for id, s := range rows.Sessions(at.Rows) {
		m.sessions.Recover(at.Now, id, s.Principal)
	}
}

// begin enters the first step, and passes steps that are over already.
func (m *Master) begin(at At) {
	m.rebuild(at)
	m.state, m.step = Recovering, 0
	steps[0].begin(m, at)
	m.progress(at)
}

// progress enters the next steps, as far as the present one and those after it are over.
func (m *Master) progress(at At) {
	for m.state == Recovering && steps[m.step].over(m, at) {
		if m.step++; m.step == len(steps) {
			m.serve(at)
			return
		}
		steps[m.step].begin(m, at)
	}
}

// serve enters step 7: all operations are allowed.
func (m *Master) serve(at At) {
	m.count.Served++
	m.state = Serving
	if m.ops != nil {
		m.ops.Serving(at.Now)
	}
}

// canTake reports whether an op is accepted in this state. During the fail-over only KeepAlives
// are, and they only once it is known how long a lease may be (C12.07).
func (m *Master) canTake(op api.Op) bool {
	if m.state == Serving {
		return true
	}
	_, keeps := op.(api.KeepAlive)
	return keeps && steps[m.step].keepAlives
}

// found proposes the tree and the secret of a cell that has none.
func (m *Master) found(at At) {
	if !m.isFounded(at) {
		m.propose(forStep, calls.Key{}, command.Found{Guard: m.guard, Founding: m.cfg.Founding, Secret: m.cfg.Secret})
	}
}

func (m *Master) isFounded(at At) bool {
	_, is := rows.GetSecret(at.Rows)
	return is || !m.cfg.isFounder()
}

// prepare makes the memory of nodes, once, and proposes a longer longest lease if the row must
// be raised.
func (m *Master) prepare(at At) {
	if m.ops == nil {
		m.startNodeOps(at)
	}
	m.measure(at)
}

// isMeasured reports whether the rows allow the shortest lease.
func (m *Master) isMeasured(At) bool { return m.sessions.IsMeasured() }

// isEpochKnown reports whether each session that was alive when the epoch began has acknowledged
// it or has ended (C12.09), and the locks of handles that no client presented are free.
func (m *Master) isEpochKnown(At) bool {
	return m.sessions.Unacked() == 0 && (m.ops == nil || m.ops.IsReady())
}

// resume proposes again the Master's own commands that the log did not take.
func (m *Master) resume(at At) {
	m.out.Propose = append(m.out.Propose, m.unset...)
	m.unset = nil
	if m.sessions != nil {
		m.sessions.Retry()
	}
	switch m.state {
	case Electing:
		m.proposeEpoch()
	case Recovering:
		steps[m.step].begin(m, at)
	}
}

// String names the state, and the step of a fail-over.
func (s Status) String() string {
	if s.State == Recovering {
		return fmt.Sprintf("%v (%s)", s.State, s.Step)
	}
	return s.State.String()
}
