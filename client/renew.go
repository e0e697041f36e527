package client

import (
	"slices"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// A cell ends a session that stays unused (CHU §2.8), and one whose client it has not heard from.
// If no handle was open and the outcome of every call is known, the client has lost nothing, and
// the next call opens another session. Otherwise the session stays over, and every later call fails
// with ErrSessionExpired, so that a program cannot continue with only a part of what it held. A
// call of unknown outcome counts as a loss. The cell may execute it for as long as it keeps the
// call's session, which may be longer than the client expects, and no call of another session can
// settle its outcome.
//
// A call that changes nothing and was given up has no outcome to settle, and is no loss. One whose program
// waits to the end of the session fails with ErrSessionExpired, as all later calls must. An Open that
// was given up is no loss once its answer has come: the machine waits for that in the background, and
// then closes the handle. A call that changes only the state of its handle, such as an Acquire, is no
// loss once the handle is closed.

// sessionUse records what would be lost with the session.
type sessionUse struct {
	openHandles int
	// settleFrom is 0 if the outcome of every call but the opens is known. Otherwise it is the first token
	// whose answered call settles all unknown outcomes, provided that call began while no other
	// was under way (package session, "AckedThrough and cancelled calls").
	settleFrom session.Token
	opens      []session.Token // Opens that may be executed later
}

// isEmpty reports whether nothing would be lost.
func (g *sessionUse) isEmpty() bool {
	return g.openHandles == 0 && g.settleFrom == 0 && len(g.opens) == 0
}

// noteEnded updates the record after calls have ended, and after calls that were cancelled before are
// settled. It is called with mu held.
func (g *sessionUse) noteEnded(ended []*call, settled []session.Token, last session.Token) {
	for _, w := range ended {
		if w.done.Outcome == session.Unknown {
			g.noteUnknown(w, last)
		}
		if w.done.Outcome == session.Executed && w.startedAlone {
			if w.token >= g.settleFrom {
				g.settleFrom = 0
			}
			g.opens = slices.DeleteFunc(g.opens, func(t session.Token) bool { return t < w.token })
		}
	}
	g.opens = slices.DeleteFunc(g.opens, func(t session.Token) bool { return slices.Contains(settled, t) })
}

// noteUnknown records a call of unknown outcome, unless nothing is lost with it.
func (g *sessionUse) noteUnknown(w *call, last session.Token) {
	switch {
	case isOfHandle(w.asked): // an open handle is a loss by itself, and a closed one has no state
	case w.done.Why == session.Cancelled && changesNothing(w.asked): // the program does not wait for it any more
	case w.isOpenOp && w.done.Result.Code == api.NoHandle: // the cell has answered: it is not executed later
	case w.isOpenOp:
		g.opens = append(g.opens, w.token)
	default:
		g.settleFrom = max(g.settleFrom, last+1)
	}
}

// isOfHandle reports whether an op changes only what ends with its handle, and so with the session at the latest.
func isOfHandle(op api.Op) bool {
	switch op.(type) {
	case api.CloseHandle, api.Poison, api.SetSequencer, api.Acquire, api.Release:
		return true
	}
	return false
}

// changesNothing reports whether an op leaves the nodes and rows of the cell as they are.
func changesNothing(op api.Op) bool {
	switch op.(type) {
	case api.Get, api.List, api.GetContents, api.GetStat, api.ReadDir, api.GetSequencer, api.CheckSequencer:
		return true
	}
	return false
}

// checkSessionEnd decides, once the session is over, whether another one may follow, and which of
// the calls that ended with it can be retried. It is called with mu held, after noteEnded.
func (c *conn) checkSessionEnd(ended []*call) {
	s := c.m.Status()
	if s.State != session.Over || c.endChecked {
		return
	}
	c.endChecked = true
	c.store.reset(c.cfg.Cache)
	c.endSpares()
	c.renewable = s.Why == session.Expired && c.use.isEmpty()
	if !c.renewable && s.Why != session.Closed { // Client.Close ends the events by itself, in the end
		why := endCause(s.Why)
		if s.Why == session.Answered { // the cell refused to open it
			why = ErrInvalid
		}
		c.later(c.events.onOver(why))
	}
	for _, w := range ended {
		w.canRetry = c.renewable && w.done.Why == session.Expired && w.done.Outcome == session.Refused
	}
}

// renew replaces a session that expired without a loss by a new one. It is called with mu held.
func (c *conn) renew() {
	if !c.renewable {
		return
	}
	m, err := session.New(c.cfg)
	if err != nil {
		panic("client: a validated configuration became invalid: " + err.Error())
	}
	c.m, c.renewable, c.endChecked, c.lastToken = m, false, false, 0
}

// onOpened counts the handle of an executed Open. It is called with mu held.
func (c *conn) onOpened(d session.Done) {
	if _, opened := d.Result.Detail.(api.Opened); opened && d.Outcome == session.Executed {
		c.use.openHandles++
	}
}

// onClosed uncounts a handle when the cell has closed it. It is called with mu held.
func (c *conn) onClosed(d session.Done) {
	if d.Outcome == session.Executed {
		c.use.openHandles--
	}
}
