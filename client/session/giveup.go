package session

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Cancel gives a call up: it ends Refused if it was not sent yet, Unknown if it
// was, and is not sent again. A call whose answer is kept because of jeopardy
// ends with that. Cancel does nothing for a call that has ended. Giving up the
// last Close makes the machine Over, and its session is left to expire.
//
// What a call would leave at the cell for ever is tidied up behind the caller's
// back: an Acquire is cancelled there, an Open goes on, and the handle that it
// opens is closed; a CloseHandle and a Release go on, and end Unknown.
func (m *Machine) Cancel(now time.Time, t Token) {
	m.pass(now)
	if t == 0 { // the machine's own calls are not the caller's to cancel
		return
	}
	if i := slices.IndexFunc(m.kept, func(d Done) bool { return d.Token == t }); i >= 0 {
		m.done(m.kept[i])
		m.kept = slices.Delete(m.kept, i, i+1)
		return
	}
	has := func(c *call) bool { return c.token == t }
	if i := slices.IndexFunc(m.queue, has); i >= 0 {
		m.giveUpQueued(i)
		return
	}
	if i := slices.IndexFunc(m.flight, has); i >= 0 {
		m.giveUpSent(m.flight[i])
		m.pump(now)
		return
	}
	m.cancelClose(t)
}

func (m *Machine) giveUpQueued(i int) {
	c := m.queue[i]
	d := Done{Token: c.token, Outcome: c.unsent(), Why: Cancelled}
	if frees(c.op) {
		d.Outcome, c.token = Unknown, 0
	} else {
		m.queue = slices.Delete(m.queue, i, i+1)
	}
	m.done(d)
}

func (m *Machine) giveUpSent(c *call) {
	m.done(Done{Token: c.token, Outcome: Unknown, Why: Cancelled})
	c.token = 0
	switch c.op.(type) {
	case api.Acquire:
		if !c.withdrawn {
			m.withdraw(c)
		}
	case api.Open, api.CloseHandle, api.Release:
	default:
		m.land(c)
	}
}

// frees says that an op gives something back.
func frees(op api.Op) bool {
	switch op.(type) {
	case api.CloseHandle, api.Release:
		return true
	}
	return false
}

// withdraw cancels an Acquire that was sent. It stays in flight until that is
// answered, so that Seen does not pass it before: what it may have acquired is
// known to nobody, and must be freed. Whatever answers it meanwhile is void.
func (m *Machine) withdraw(c *call) {
	c.withdrawn = true
	cancel := api.CancelAcquire{Handle: api.HandleOf(c.op), Call: c.seq}
	m.tidy = append(m.tidy, &call{op: cancel, cancels: c})
}

// settle tidies up after a call that has its answer.
func (m *Machine) settle(c *call, r api.Result) {
	opened, ok := r.Detail.(api.Opened)
	if _, opens := c.op.(api.Open); opens && ok && c.token == 0 {
		m.tidy = append(m.tidy, &call{op: api.CloseHandle{Handle: opened.Token}})
	}
	a := c.cancels
	if a == nil {
		return
	}
	m.land(a)
	if a.token != 0 { // nobody gave it up: it was in the way of those that wait now
		m.queue = append(m.queue, &call{token: a.token, op: a.op, again: true})
	}
}

// cancelClose takes one closer away, and gives the session up with the last.
func (m *Machine) cancelClose(t Token) {
	i := slices.Index(m.closers, t)
	if i < 0 {
		return
	}
	m.closers = slices.Delete(m.closers, i, i+1)
	m.done(Done{Token: t, Outcome: Unknown, Why: Cancelled})
	if len(m.closers) == 0 {
		m.finish(Closed, api.Result{})
	}
}
