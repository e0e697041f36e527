package setnx

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	key      = "lock"
	patience = 500 * time.Millisecond // for an answer of the instance
)

// lock is the client's part.
type lock struct {
	ttl     time.Duration // of an EXPIRE after SETNX; 0: none
	atomic  bool          // SET NX PX in one command in place of the two
	compare bool          // it releases by a script that looks at the value
	wait    bool          // WAIT for the replica before the lock counts as held

	primary string // where clients send commands
	tries   int
}

// Acquire sets the key.
func (l *lock) Acquire(n *lab.Node) lab.Grant {
	for {
		l.tries++
		g := lab.Grant{Name: fmt.Sprintf("%s-%d", n.Name(), l.tries), State: n.Now()}
		command := fmt.Sprintf("SETNX %s %s", key, g.Name)
		if l.atomic {
			command = fmt.Sprintf("SET %s %s NX PX %d", key, g.Name, l.ttl.Milliseconds())
		}
		if answer, ok := n.Call(l.primary, command, patience); ok && answer == "1" && l.completed(n) {
			return g
		}
		n.Sleep(n.Draw("retry").Duration(50*time.Millisecond, 150*time.Millisecond))
	}
}

// completed does what follows SETNX. The program takes a moment before it comes to that.
func (l *lock) completed(n *lab.Node) bool {
	if l.ttl > 0 && !l.atomic {
		n.Sleep(time.Millisecond)
		n.Call(l.primary, fmt.Sprintf("EXPIRE %s %d", key, l.ttl.Milliseconds()), patience)
	}
	if !l.wait {
		return true
	}
	_, ok := n.Call(l.primary, "WAIT 1", patience)
	return ok
}

// Valid is true for ever where the key has no expiry.
func (l *lock) Valid(n *lab.Node, g *lab.Grant) bool {
	return l.ttl == 0 || n.Now().Before(g.State.(time.Time).Add(l.ttl))
}

// Release deletes the key.
func (l *lock) Release(n *lab.Node, g *lab.Grant) {
	command := "DEL " + key
	if l.compare {
		command = fmt.Sprintf("RELEASE %s %s", key, g.Name)
	}
	n.Call(l.primary, command, patience)
}

// Ask lets a resource compare the key with the value of a grant.
func (l *lock) Ask(n *lab.Node, g *lab.Grant) bool {
	answer, ok := n.Call(l.primary, "GET "+key, patience)
	return ok && answer == g.Name
}
