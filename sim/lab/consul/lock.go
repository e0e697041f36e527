package consul

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	patience = 2 * time.Second // for an answer
	again    = 5 * time.Second // api.DefaultLockRetryTime
)

// tokens is what a client hands to the resource.
type tokens uint8

const (
	noTokens tokens = iota
	lockIndex
	modifyIndex
)

// lock is the client's part.
type lock struct {
	ttl, delay time.Duration
	token      tokens
	health     bool // the session is bound to the health check of its node
	deadline   bool // not in api.Lock: without a renewal for a TTL, the lock counts as lost

	server string
}

// held is the State of a grant.
type held struct {
	session string
	renewed time.Time
	over    bool // the channel is closed
}

// Acquire creates a session, and retries until the key is its own.
func (l *lock) Acquire(n *lab.Node) lab.Grant {
	for {
		h := l.open(n)
		for !h.over {
			answer, ok := n.Call(l.server, "acquire "+h.session, patience)
			var lockAt, modified uint64
			if _, err := fmt.Sscanf(answer, "true %d %d", &lockAt, &modified); ok && err == nil {
				n.Go("monitor", func() { l.monitor(n, h, modified) })
				return lab.Grant{Token: [...]uint64{0, lockAt, modified}[l.token], Name: h.session, State: h}
			}
			l.turn(n)
		}
	}
}

// open creates a session and renews it until it is over.
func (l *lock) open(n *lab.Node) *held {
	node := "-"
	if l.health {
		node = n.Name()
	}
	for {
		sent := n.Now()
		id, ok := n.Call(l.server, fmt.Sprintf("create %d %d %s", l.ttl.Milliseconds(), l.delay.Milliseconds(), node), patience)
		if !ok {
			continue
		}
		h := &held{session: id, renewed: sent}
		n.Go("renewals", func() {
			for !h.over {
				n.Sleep(l.ttl / 2)
				sent := n.Now()
				answer, ok := n.Call(l.server, "renew "+id, patience) // no answer is ignored, until the next one
				if ok && answer == "ok" {
					h.renewed = sent
				}
				h.over = h.over || ok && answer == "404"
			}
		})
		return h
	}
}

// turn waits until there is a reason to try again.
func (l *lock) turn(n *lab.Node) {
	index, holder, ok := l.read(n, 0, patience)
	switch {
	case !ok:
	case holder != "":
		l.read(n, index, time.Minute)
	default:
		n.Sleep(again) // a lock-delay is in force
	}
}

// read reads the key when it has changed since an index.
func (l *lock) read(n *lab.Node, since uint64, patience time.Duration) (index uint64, holder string, ok bool) {
	answer, ok := n.Call(l.server, fmt.Sprintf("get %d", since), patience)
	if !ok {
		return 0, "", false
	}
	var at uint64
	_, err := fmt.Sscanf(answer, "%d %d %s", &index, &at, &holder)
	return index, holder[1:], err == nil
}

// monitor closes the channel when the key is another's. Its query has no deadline: without an
// answer it waits.
func (l *lock) monitor(n *lab.Node, h *held, index uint64) {
	for !h.over {
		now, holder, ok := l.read(n, index, time.Hour)
		index = now
		h.over = h.over || !ok || holder != h.session
	}
}

// Valid looks whether the channel is closed.
func (l *lock) Valid(n *lab.Node, g *lab.Grant) bool {
	h := g.State.(*held)
	return !h.over && (!l.deadline || n.Now().Sub(h.renewed) < l.ttl)
}

// Left goes by the last renewal that was answered, on the client's clock. The server waits longer.
func (l *lock) Left(n *lab.Node, g *lab.Grant) time.Duration {
	return g.State.(*held).renewed.Add(l.ttl).Sub(n.Now())
}

// Release frees the key, and ends the session.
func (l *lock) Release(n *lab.Node, g *lab.Grant) {
	g.State.(*held).over = true
	n.Call(l.server, "release "+g.Name, patience)
	n.Call(l.server, "destroy "+g.Name, patience)
}

// Ask lets a resource look whether the key is the session's.
func (l *lock) Ask(n *lab.Node, g *lab.Grant) bool {
	_, holder, ok := l.read(n, 0, patience)
	return ok && holder == g.Name
}
