package faults

import (
	"bytes"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// heldWrite is a write of a client whose copies the network holds back until its client has given
// it up, and was answered a call behind it.
type heldWrite struct {
	from   sim.Addr
	of     model.Call // zero: the next write that comes
	copies []lateCopy
	lasts  time.Duration // since the first copy; 0: until the call is final
}

// lateCopy is one copy, as it was sent.
type lateCopy struct {
	to   sim.Addr
	wire []byte
}

// mostLate bounds the copies that are kept of one call; others are lost.
const mostLate = 16

// lateCopies holds back the next write of a client, however often it sends it, and lets the
// copies go when an answer has made final what there is without it: one that says with
// Seen that its client waits for the write no more. If none comes, they go after a while. At times
// they go as soon as the client has given the write up, when it may have read on and nothing is final.
func lateCopies(c *Faults, d *sim.Draw) {
	l := &heldWrite{from: c.clients[d.Int(len(c.clients))].Addr()}
	if slices.ContainsFunc(c.heldWrites, func(x *heldWrite) bool { return x.from == l.from }) {
		return
	}
	c.heldWrites = append(c.heldWrites, l)
	if d.Chance(1, 2) {
		l.lasts = c.plan.Calls.Patience + d.Duration(0, time.Second)
	}
	c.until(d.Duration(2*time.Second, 2*c.plan.Calls.Patience+4*time.Second), func() { arrives(c, l) })
}

// Delays says that a message from a client is held back: it has not arrived yet.
func (c *Faults) Delays(from, to sim.Addr, msg []byte) bool {
	i := slices.IndexFunc(c.heldWrites, func(l *heldWrite) bool { return l.from == from })
	if i < 0 {
		return false
	}
	l := c.heldWrites[i]
	q, err := api.DecodeRequest(msg)
	if err != nil || q.Session == 0 || !changes(q.Op) {
		return false
	}
	of := model.Call{Session: q.Session, Seq: q.Seq}
	if l.of == (model.Call{}) {
		if l.of = of; l.lasts > 0 {
			c.later(l.lasts, func() { arrives(c, l) })
		}
	}
	if l.of != of {
		return false
	}
	if len(l.copies) < mostLate {
		l.copies = append(l.copies, lateCopy{to, bytes.Clone(msg)})
	}
	return true
}

// changes says that an op may change rows, and is given up without another call that takes
// it back, as an Acquire is.
func changes(op api.Op) bool {
	switch op := op.(type) {
	case api.Put, api.Delete, api.CompareAndSet, api.SetContents, api.SetACL, api.DeleteNode:
		return true
	case api.Open:
		return op.Create != api.CreateNever
	}
	return false
}

// OnAnswer is told that an answer has left a replica: the copies of what it leaves behind
// come now.
func (c *Faults) OnAnswer() {
	for _, l := range slices.Clone(c.heldWrites) {
		if c.facts.IsPassed(l.of) && l.of != (model.Call{}) {
			c.Outlived++
			arrives(c, l)
		}
	}
}

// arrives lets all copies of a call go on their way.
func arrives(c *Faults, l *heldWrite) {
	if i := slices.Index(c.heldWrites, l); i < 0 {
		return
	}
	c.heldWrites = slices.DeleteFunc(c.heldWrites, func(x *heldWrite) bool { return x == l })
	for _, x := range l.copies {
		c.world.Net().Link(l.from, x.to).Echo(x.wire)
	}
}
