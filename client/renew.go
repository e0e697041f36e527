package client

import (
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// A cell ends a session that nobody uses (CHU §2.8), and one whose client it has
// not heard of. Where no handle was open and the outcome of every call is known,
// nobody has lost anything by that: the next call opens another session. Where
// somebody has, the session stays over, and each later call fails with
// ErrSessionExpired; a program must not come to hold half of what it held. And a
// call of unknown outcome may be executed for as long as its session stands at the
// cell, which may be longer than the client believes in it: no call of another
// session can tell what became of it.

// hangs is what hangs on a session.
type hangs struct {
	handles int // open
	// loose is the token from which on an answer settles all calls of unknown
	// outcome, if its call was begun when no other was waited for, or under way behind
	// the caller's back (package session, "Seen": it passes no call that is); 0: there
	// are none.
	loose session.Token
}

// note takes in, with mu held, how calls ended.
func (g *hangs) note(ended []*call, last session.Token) {
	for _, w := range ended {
		switch {
		case w.done.Outcome == session.Unknown && w.opens:
			g.loose = ^session.Token(0) // it goes on behind the caller's back
		case w.done.Outcome == session.Unknown:
			g.loose = max(g.loose, last+1)
		case w.done.Outcome == session.Executed && w.first && w.token >= g.loose:
			g.loose = 0
		}
	}
}

// spend looks, with mu held, whether the session has come to its end in this step,
// together with these calls, and whether anybody has lost something by that.
func (c *conn) spend(ended []*call) {
	c.hangs.note(ended, c.last)
	s := c.m.Status()
	if s.State != session.Over || c.judged {
		return
	}
	c.judged = true
	c.spent = s.Why == session.Expired && c.hangs == hangs{}
	for _, w := range ended {
		w.again = c.spent && w.done.Why == session.Expired && w.done.Outcome == session.Refused
	}
}

// renew begins another session after one that was spent. It is called with mu held.
func (c *conn) renew() {
	if !c.spent {
		return
	}
	m, err := session.New(c.cfg)
	if err != nil {
		panic("client: a configuration that was valid is not: " + err.Error())
	}
	c.m, c.spent, c.judged, c.last = m, false, false, 0
}

// counted counts a handle that was opened; it is called with mu held.
func (c *conn) counted(d session.Done) {
	if _, opened := d.Result.Detail.(api.Opened); opened && d.Outcome == session.Executed {
		c.hangs.handles++
	}
}

// closed takes a handle away again, once the cell has said so.
func (c *conn) closed(d session.Done) {
	if d.Outcome == session.Executed {
		c.hangs.handles--
	}
}
