package chubby

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/lab"
)

const name = "/ls/local/lock"

// lock is the client's part: package client, and nothing around it.
type lock struct {
	delay    time.Duration // lock-delay
	sessions map[string]*client.Handle
}

// Acquire acquires the lock of the node. A session that is over is replaced by a new one.
func (l *lock) Acquire(n *lab.Node) lab.Grant {
	for {
		if h := l.open(n); h != nil {
			k, err := h.Acquire(context.Background(), client.Exclusive)
			if err == nil {
				return grant(k)
			}
			delete(l.sessions, n.Name())
		}
		n.Sleep(100 * time.Millisecond)
	}
}

// open is the client's handle on the node, nil if it could not be opened.
func (l *lock) open(n *lab.Node) *client.Handle {
	if h := l.sessions[n.Name()]; h != nil {
		return h
	}
	rt := n.Runtime()
	c := client.New(rt, client.Config{Replicas: []uint32{1, 2, 3}, Draw: n.Draw("client").Uint64})
	ctx, cancel := rt.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	h, err := c.Open(ctx, name, client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay, LockDelay: l.delay})
	if err != nil {
		return nil
	}
	l.sessions[n.Name()] = h
	return h
}

func grant(k *client.Lock) lab.Grant {
	s, err := api.ParseSequencerText(k.Sequencer())
	if err != nil {
		panic(err) // the client has made it
	}
	return lab.Grant{Token: uint64(s.Gen), Name: k.Sequencer(), State: k}
}

// Valid is what the client's library says.
func (l *lock) Valid(_ *lab.Node, g *lab.Grant) bool { return g.State.(*client.Lock).Held() }

// Release gives the lock back. If the cell does not answer, package client goes on in the
// background.
func (l *lock) Release(n *lab.Node, g *lab.Grant) {
	ctx, cancel := n.Runtime().WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = g.State.(*client.Lock).Release(ctx)
}

// Ask has the cell check the sequencer.
func (l *lock) Ask(n *lab.Node, g *lab.Grant) bool {
	h := l.open(n)
	if h == nil {
		return false
	}
	ctx, cancel := n.Runtime().WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return h.CheckSequencer(ctx, g.Name) == nil
}
