package session

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Cancel gives a call up. The call ends Refused if it was not sent yet and Unknown if it was, and
// is not sent again. A call whose answer is withheld during jeopardy ends with that answer. Cancel
// has no effect on a call that has ended. Cancelling the last Close makes the machine Over; the
// session then expires at the cell.
//
// The machine cleans up in the background what a cancelled call could leave at the cell. It cancels
// an Acquire there. An Open continues, and the machine closes the handle that it opens. A
// CloseHandle and a Release continue, and end Unknown for the caller.
func (m *Machine) Cancel(now time.Time, t Token) {
	m.advanceLease(now)
	if t == 0 { // the machine's own calls have token 0
		return
	}
	if i := slices.IndexFunc(m.withheld, func(d Done) bool { return d.Token == t }); i >= 0 {
		m.emitDone(m.withheld[i])
		m.withheld = slices.Delete(m.withheld, i, i+1)
		return
	}
	has := func(c *call) bool { return c.token == t }
	if i := slices.IndexFunc(m.queue, has); i >= 0 {
		m.cancelQueued(i)
		return
	}
	if i := slices.IndexFunc(m.flight, has); i >= 0 {
		m.cancelSent(m.flight[i])
		m.pump(now)
		return
	}
	m.cancelClose(t)
}

func (m *Machine) cancelQueued(i int) {
	c := m.queue[i]
	d := Done{Token: c.token, Outcome: c.unsentOutcome(), Why: Cancelled}
	if isRelease(c.op) {
		d.Outcome, c.token = Unknown, 0
	} else {
		m.queue = slices.Delete(m.queue, i, i+1)
	}
	m.emitDone(d)
}

func (m *Machine) cancelSent(c *call) {
	m.emitDone(Done{Token: c.token, Outcome: Unknown, Why: Cancelled})
	m.noteLoose(c)
	c.token = 0
	switch c.op.(type) {
	case api.Acquire:
		if !c.withdrawn {
			m.withdraw(c)
		}
	case api.Open, api.CloseHandle, api.Release:
	default:
		m.removeFlight(c)
	}
}

// isRelease reports whether an op gives up a lock or a handle.
func isRelease(op api.Op) bool {
	switch op.(type) {
	case api.CloseHandle, api.Release:
		return true
	}
	return false
}

// withdraw cancels an Acquire that was sent. The Acquire stays in flight until the cancellation is
// answered, so that AckedThrough does not cover it earlier: it may hold the lock without an owner,
// and must be freed. Its own answers are ignored.
func (m *Machine) withdraw(c *call) {
	c.withdrawn = true
	cancel := api.CancelAcquire{Handle: api.HandleOf(c.op), Call: c.seq}
	m.cleanup = append(m.cleanup, &call{op: cancel, cancelTarget: c})
}

// cleanUp follows up on a call that has its answer: it closes the handle of a cancelled Open,
// and ends an Acquire whose cancellation was answered.
func (m *Machine) cleanUp(now time.Time, c *call, r api.Result) {
	opened, ok := r.Detail.(api.Opened)
	if _, opens := c.op.(api.Open); opens && ok && c.token == 0 {
		m.cleanup = append(m.cleanup, &call{op: api.CloseHandle{Handle: opened.Token}})
	}
	a := c.cancelTarget
	if a == nil {
		return
	}
	m.removeFlight(a)
	if a.token != 0 { // withdrawn for the window, not cancelled by the caller
		again := a.again()
		if a.granted {
			again.lostGrants++
		}
		again.tries = lastTry // or each try would bring about another one soon
		again.retryAt = m.nextTry(now, again.tries)
		m.enqueue(again)
	}
}

// cancelClose cancels one Close, and abandons the session with the last.
func (m *Machine) cancelClose(t Token) {
	i := slices.Index(m.closeTokens, t)
	if i < 0 {
		return
	}
	m.closeTokens = slices.Delete(m.closeTokens, i, i+1)
	m.emitDone(Done{Token: t, Outcome: Unknown, Why: Cancelled})
	if len(m.closeTokens) == 0 {
		m.finish(Closed, api.Result{})
	}
}
