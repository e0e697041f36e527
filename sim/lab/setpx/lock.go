package setpx

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	key      = "lock"
	patience = 500 * time.Millisecond // for an answer of the instance
	random   = 20                     // bytes
)

// lock is the client's part.
type lock struct {
	ttl   time.Duration
	token bool // INCR of a counter in the script that sets the key
	wait  bool // WAIT for the replica before the lock counts as held
	renew bool // a watchdog renews every ttl/3
	bound time.Duration

	primary string // where clients send commands
	others  int    // replicas that the primary has
}

// held is the State of a grant.
type held struct {
	until time.Time // on the client's clock
	over  bool      // released, or found lost
}

// Acquire sets the key.
func (l *lock) Acquire(n *lab.Node) lab.Grant {
	for {
		v := n.Random("value", random)
		sent := n.Now()
		answer, ok := n.Call(l.primary, l.command(v), patience)
		if ok && strings.HasPrefix(answer, "OK") {
			g := lab.Grant{Name: v, State: &held{until: sent.Add(l.ttl)}}
			g.Token, _ = strconv.ParseUint(strings.TrimPrefix(answer, "OK "), 10, 64)
			if l.replicated(n) {
				l.watch(n, &g)
				return g
			}
			l.Release(n, &g)
		}
		n.Sleep(n.Draw("retry").Duration(50*time.Millisecond, 150*time.Millisecond))
	}
}

func (l *lock) command(v string) string {
	if l.token {
		return fmt.Sprintf("EVAL set-and-count %s %s %d", key, v, l.ttl.Milliseconds())
	}
	return fmt.Sprintf("SET %s %s NX PX %d", key, v, l.ttl.Milliseconds())
}

// replicated reports that the replicas have the key, where the client is to care.
func (l *lock) replicated(n *lab.Node) bool {
	if !l.wait || l.others == 0 {
		return true
	}
	answer, ok := n.Call(l.primary, fmt.Sprintf("WAIT %d %d", l.others, (patience/2).Milliseconds()), patience)
	return ok && answer == strconv.Itoa(l.others)
}

// watch is the watchdog: it renews whatever the worker does, until the release.
func (l *lock) watch(n *lab.Node, g *lab.Grant) {
	if !l.renew {
		return
	}
	h, name, began := g.State.(*held), g.Name, n.Now()
	n.Go("watchdog", func() {
		for {
			n.Sleep(l.ttl / 3)
			switch {
			case h.over:
				return
			case l.bound > 0 && n.Now().Sub(began) >= l.bound:
				n.Note("its watchdog renews no longer, after %v", l.bound)
				return
			}
			sent := n.Now()
			answer, ok := n.Call(l.primary, fmt.Sprintf("EVAL extend %s %s %d", key, name, l.ttl.Milliseconds()), patience)
			if ok && answer == "1" {
				h.until = sent.Add(l.ttl)
			}
		}
	})
}

// Valid goes by the client's clock.
func (l *lock) Valid(n *lab.Node, g *lab.Grant) bool { return l.Left(n, g) > 0 }

// Left goes by the client's clock, too.
func (l *lock) Left(n *lab.Node, g *lab.Grant) time.Duration {
	return g.State.(*held).until.Sub(n.Now())
}

// Release deletes the key if it is still the client's.
func (l *lock) Release(n *lab.Node, g *lab.Grant) {
	g.State.(*held).over = true
	n.Call(l.primary, fmt.Sprintf("EVAL release %s %s", key, g.Name), patience)
}

// Ask lets a resource compare the key with the value of a grant.
func (l *lock) Ask(n *lab.Node, g *lab.Grant) bool {
	answer, ok := n.Call(l.primary, "GET "+key, patience)
	return ok && answer == g.Name
}
