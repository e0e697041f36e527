package postgres

import (
	"strconv"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// lock is the client's part.
type lock struct {
	token  bool // the epoch
	xact   bool // pg_advisory_xact_lock in a transaction that is open for as long as the lock
	probes bool // queries the server every second, and takes the lock for lost without an answer

	server string // where clients connect
	pooled bool   // it is PgBouncer
}

// conn is a connection.
type conn struct {
	server, backend string // through a pooler the client does not know the backend
	over            bool
}

// Acquire connects and waits for the lock.
func (l *lock) Acquire(n *lab.Node) lab.Grant {
	for {
		if g, ok := l.try(n); ok {
			return g
		}
		n.Sleep(time.Second)
	}
}

func (l *lock) try(n *lab.Node) (g lab.Grant, ok bool) {
	c := &conn{server: l.server}
	c.backend, ok = c.query(n, "connect")
	if l.pooled {
		c.backend = ""
	}
	if l.xact && ok {
		_, ok = c.query(n, "begin")
	}
	if ok {
		_, ok = c.query(n, "lock")
	}
	g = lab.Grant{Name: c.backend, State: c}
	if ok && l.token {
		var answer string
		answer, ok = c.query(n, "epoch")
		g.Token, _ = strconv.ParseUint(answer, 10, 64)
	}
	if ok && l.probes {
		n.Go("probes", func() { c.probe(n) })
	}
	return g, ok
}

// query sends a statement, and waits until it is answered or the connection is dead.
func (c *conn) query(n *lab.Node, text string) (answer string, ok bool) {
	if c.backend != "" {
		text = c.backend + " " + text
	}
	done := n.NewSignal()
	n.Go("query", func() {
		answer, ok = n.Call(c.server, text, time.Hour)
		done.Fire()
	})
	for !n.Await(done, time.Second) {
		if !n.Reaches(c.server) {
			return "", false
		}
	}
	return answer, ok && answer != "error"
}

func (c *conn) probe(n *lab.Node) {
	for !c.over {
		n.Sleep(time.Second)
		if _, ok := c.query(n, "1"); !ok && !c.over {
			n.Note("has no answer to its probe, and takes the lock for lost")
			c.over = true
		}
	}
}

// Valid has nothing to go by but an error of an earlier query.
func (l *lock) Valid(_ *lab.Node, g *lab.Grant) bool { return !g.State.(*conn).over }

// Release unlocks or commits, and closes the connection. A false answer is ignored, as most
// programs do.
func (l *lock) Release(n *lab.Node, g *lab.Grant) {
	c := g.State.(*conn)
	c.over = true
	end := "unlock"
	if l.xact {
		end = "commit"
	}
	c.query(n, end)
	c.query(n, "close")
}

// Ask lets a resource look into pg_locks.
func (l *lock) Ask(n *lab.Node, g *lab.Grant) bool {
	answer, ok := n.Call(l.server, "any holder", time.Second)
	return ok && answer == g.Name
}
