package master

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Proposal is a command for the log. If the log does not take it, the caller returns it with
// Refused.
type Proposal struct {
	Command []byte
	what    purpose
	key     calls.Key       // forRequest, forNode: of the call; forExpiry: its Session
	who     api.Principal   // whose queue it waited in
	own     command.Command // forNode: Command, decoded
	ballot  rows.Ballot     // of the tenure
}

// purpose is what a command is proposed for.
type purpose uint8

const (
	forRequest  purpose = iota // a call on a row
	forEpoch                   // the epoch of this tenure
	forStep                    // a step of the fail-over
	forConstant                // a replicated constant
	forLongest                 // the longest lease
	forProof                   // that this replica is master
	forExpiry                  // the end of a session
	forNode                    // a command of nodeops
)

// propose puts a command into the output without a turn in the fair queue. It is for commands that
// the Master needs to go on being master, and for ends of sessions.
func (m *Master) propose(what purpose, k calls.Key, c command.Command) {
	m.out.Propose = append(m.out.Propose, Proposal{Command: command.Append(nil, c), what: what, key: k, ballot: m.ballot})
}

// Refused returns a proposal that the log did not take, with the code for the answer to its call:
// Busy, TooLarge or NotMaster. The Master proposes its own commands again at the next Advance;
// nodeops does so after nodeops.Config.Retry.
func (m *Master) Refused(at At, p Proposal, code api.Code) {
	if p.ballot == m.ballot {
		m.finish(at, p.key)
	}
	if c := m.calls.Get(p.key); c != nil && c.State == calls.Logged && p.what == forRequest {
		m.leave(at, c, api.Result{Code: code})
	}
	switch {
	case p.ballot != m.ballot || p.what == forRequest:
		return
	case p.what == forEpoch:
		m.owed = m.state == Electing
		return
	case p.what == forNode && m.ops != nil:
		m.ops.Refused(at, p.own, code)
		m.collect(at)
		return
	case !m.hasEpoch():
		return
	}
	switch p.what {
	case forConstant:
		m.unset = append(m.unset, p)
	case forLongest:
		m.sessions.Asked(0)
	case forProof:
		m.proof.asked = false
	case forExpiry:
		m.sessions.Refused(p.key.Session)
	}
	m.owed = true
}
