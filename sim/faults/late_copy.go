package faults

import (
	"bytes"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// heldWrite is a write of a client whose copies the network holds back until the client has given
// it up and has the answer to a later call.
type heldWrite struct {
	from   sim.Addr
	of     model.Call // zero: the next write that comes
	copies []lateCopy
	lasts  time.Duration // since the first copy; 0: until the call is final
}

// lateCopy is one copy of a held write.
type lateCopy struct {
	to   sim.Addr
	wire []byte
}

// mostLate bounds the copies that are kept of one call; others are lost.
const mostLate = 16

// lateCopies holds back the next write of a client, however often the client sends it. It releases
// the copies when an answer has made the state without the write final, that is, after a request
// whose AckedThrough says that the client no longer waits for the write. If there is none, it
// releases them after a while. At times it releases them as soon as the client has given the write
// up, when the client may have read on and nothing is final.
func lateCopies(c *Faults, d *sim.Draw) {
	l := &heldWrite{from: c.clients[d.Int(len(c.clients))].Addr()}
	if slices.ContainsFunc(c.heldWrites, func(x *heldWrite) bool { return x.from == l.from }) {
		return
	}
	c.heldWrites = append(c.heldWrites, l)
	if d.Chance(1, 2) {
		l.lasts = c.plan.Calls.Patience + d.Duration(0, time.Second)
	}
	c.until(d.Duration(2*time.Second, 2*c.plan.Calls.Patience+4*time.Second), func() { release(c, l) })
}

// Delays reports whether a message from a client is held back, that is, has not arrived yet.
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
			c.later(l.lasts, func() { release(c, l) })
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

// changes reports whether an op may change rows and, unlike an Acquire, is given up without another
// call that takes it back.
func changes(op api.Op) bool {
	switch op := op.(type) {
	case api.Put, api.Delete, api.CompareAndSet, api.SetContents, api.SetACL, api.DeleteNode:
		return true
	case api.Open:
		return op.Create != api.CreateNever
	}
	return false
}

// OnAnswer is called when an answer has left a replica. It releases the copies of writes that are
// now final.
func (c *Faults) OnAnswer() {
	for _, l := range slices.Clone(c.heldWrites) {
		if c.facts.IsPassed(l.of) && l.of != (model.Call{}) {
			c.Outlived++
			release(c, l)
		}
	}
}

// release delivers all copies of a held write.
func release(c *Faults, l *heldWrite) {
	if i := slices.Index(c.heldWrites, l); i < 0 {
		return
	}
	c.heldWrites = slices.DeleteFunc(c.heldWrites, func(x *heldWrite) bool { return x == l })
	for _, x := range l.copies {
		c.world.Net().Link(l.from, x.to).Echo(x.wire)
	}
}
