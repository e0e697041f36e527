package redlock

import (
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// nodes are the instances, each independent of the others.
var nodes = []string{"redis-a", "redis-b", "redis-c", "redis-d", "redis-e"}

const (
	majority = 3
	random   = 16 // bytes
)

// lock is the client's part.
type lock struct {
	ttl    time.Duration
	drift  int  // percent of ttl that is allowed for clocks; 0: 1
	steady bool // it sleeps 150 ms before each new try
	extend string
}

// held is the State of a grant.
type held struct {
	until time.Time // on the client's clock
	over  bool
}

// Acquire sets the key on a majority.
func (l *lock) Acquire(n *lab.Node) lab.Grant {
	for {
		v, start := n.Random("value", random), n.Now()
		yes := l.all(n, fmt.Sprintf("SET %s %d", v, l.ttl.Milliseconds()), "OK")
		h := &held{until: l.validity(start)}
		g := lab.Grant{Name: v, State: h}
		if len(yes) >= majority && n.Now().Before(h.until) {
			if len(yes) < len(nodes) {
				n.Note("has the key on %s", strings.ReplaceAll(strings.Join(yes, ", "), "redis-", ""))
			}
			l.keep(n, &g)
			return g
		}
		l.all(n, "release "+v, "OK")
		n.Sleep(l.pause(n))
	}
}

// pause is how long a client sleeps before it tries again.
func (l *lock) pause(n *lab.Node) time.Duration {
	if l.steady {
		return 150 * time.Millisecond
	}
	return n.Draw("retry").Duration(50*time.Millisecond, 250*time.Millisecond)
}

// validity is until when a grant counts whose commands were sent at start.
func (l *lock) validity(start time.Time) time.Time {
	return start.Add(l.ttl - l.ttl*time.Duration(max(l.drift, 1))/100)
}

// all sends a command to all instances at once, and says which gave the answer that is wanted.
func (l *lock) all(n *lab.Node, command, want string) (yes []string) {
	answers, left, done := make([]string, len(nodes)), len(nodes), n.NewSignal()
	for i, node := range nodes {
		n.Go("call", func() {
			answers[i], _ = n.Call(node, command, l.ttl/20)
			if left--; left == 0 {
				done.Fire()
			}
		})
	}
	n.Await(done, l.ttl)
	for i, node := range nodes {
		if answers[i] == want {
			yes = append(yes, node)
		}
	}
	return yes
}

// keep extends a grant every ttl/3, if the program has asked for it, until the release.
func (l *lock) keep(n *lab.Node, g *lab.Grant) {
	if l.extend == "" {
		return
	}
	h, v := g.State.(*held), g.Name
	n.Go("extend", func() {
		for {
			n.Sleep(l.ttl / 3)
			if h.over {
				return
			}
			start := n.Now()
			yes := l.all(n, fmt.Sprintf("%s %s %d", l.extend, v, l.ttl.Milliseconds()), "OK")
			if until := l.validity(start); len(yes) >= majority && n.Now().Before(until) {
				h.until = until
				continue
			}
			n.Note("could not extend its grant")
			return
		}
	})
}

// Valid goes by the client's clock.
func (l *lock) Valid(n *lab.Node, g *lab.Grant) bool { return l.Left(n, g) > 0 }

// Left goes by the client's clock, too.
func (l *lock) Left(n *lab.Node, g *lab.Grant) time.Duration {
	return g.State.(*held).until.Sub(n.Now())
}

// Release deletes the key wherever it is still the client's.
func (l *lock) Release(n *lab.Node, g *lab.Grant) {
	g.State.(*held).over = true
	l.all(n, "release "+g.Name, "OK")
}

// Ask lets a resource compare the key on a majority with the value of a grant.
func (l *lock) Ask(n *lab.Node, g *lab.Grant) bool { return len(l.all(n, "GET", g.Name)) >= majority }
