package caches

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Held checks that a change does not wait when no client is left to wait for (S12). It sees what reaches
// and leaves the master of the latest epoch, and which commands that master decides on. It does not know
// which paths a session may cache, so it looks at a change only while the master waits for no session at
// all: each one that may have something to drop has acknowledged all that it was told, and has a
// KeepAlive at the master, which would carry any further drop at once. A change that is not decided on in
// patience of such time is late. Deletions also wait for holders of locks, and may wait for any session.
// An Open is not looked at: it may wait for the sweep of its path, which waits for the log.
//
// A master lets an idle session end (C11.02). Once its lease is over, it is told nothing more, though its
// KeepAlive came in time: it counts as one to wait for until the log has its end.
//
// Time counts while that master acts with read authority, and has applied all that any replica has. A
// pause counts for at most maxStep. A log that is slow or full makes no change late: decisions come before
// the log.
type Held struct {
	world  *sim.World
	drops  *Drops
	timely Keeps
	idlers Idlers
	at     struct {
		replica uint64
		epoch   api.Epoch
		acted   time.Time // by its clock
	}

	// Of this epoch:
	sessions map[api.SessionID]*sender // that have sent a request and are alive
	changes  map[model.Call]*held      // that came and have neither an answer nor a decision
	came     map[model.Call]bool       // calls of which a first copy came: a later one waits for that

	Waited uint64 // changes that waited for a session
	Lifted uint64 // of Waited, those that were decided on later
}

// Keeps knows which KeepAlives wait at the master of the latest epoch.
type Keeps interface {
	// IsTimely reports whether a KeepAlive of a session waits for its answer that came before the
	// session's lease ended.
	IsTimely(s api.SessionID) bool
}

// Idlers knows which sessions a master may end although their clients send KeepAlives.
type Idlers interface {
	// MayLetEnd reports whether a replica may end a session now, by its clock, although a KeepAlive of it
	// waits: its lease is over, and an operator has dismissed it, or it has no handle open and has had no
	// call for as long as that takes.
	MayLetEnd(replica uint64, now time.Time, s api.SessionID) bool
}

// sender is a session that has sent a request.
type sender struct {
	asks    bool    // it asked for an answer that may be cached
	through api.Seq // up to which it awaits no answers
}

// held is a change that the master may hold.
type held struct {
	deletes bool
	waited  bool          // for a session, at some time
	free    time.Duration // for which it has not waited for any session, without a break
}

// Bounds of Held. A change goes on at once; a user would call it late after patience.
const (
	patience = 2 * time.Second
	maxStep  = 500 * time.Millisecond
)

// NewHeld returns the checker of a run that has not begun.
func NewHeld(w *sim.World, d *Drops, k Keeps, i Idlers) *Held {
	c := &Held{world: w, drops: d, timely: k, idlers: i}
	c.begin(0, 0)
	return c
}

func (c *Held) begin(replica uint64, e api.Epoch) {
	c.at.replica, c.at.epoch, c.at.acted = replica, e, time.Time{}
	c.sessions, c.changes, c.came = map[api.SessionID]*sender{}, map[model.Call]*held{}, map[model.Call]bool{}
}

// OnRequest reports a request of the session's own client that reaches a replica.
func (c *Held) OnRequest(replica uint64, q api.Request) {
	if replica != c.at.replica || q.Epoch != c.at.epoch || q.Session == 0 {
		return
	}
	s := c.sessions[q.Session]
	if s == nil {
		s = &sender{}
		c.sessions[q.Session] = s
	}
	s.asks = s.asks || q.MayCache
	if q.AckedThrough > s.through {
		s.through = q.AckedThrough
		c.forget(q.Session, s.through)
	}
	call := model.Call{Session: q.Session, Seq: q.Seq}
	_, deletes := q.Op.(api.DeleteNode)
	if q.Seq <= s.through || c.came[call] {
		return
	}
	c.came[call] = true
	if isChange(q.Op) {
		c.changes[call] = &held{deletes: deletes}
	}
}

func isChange(op api.Op) bool {
	switch op.(type) {
	case api.SetContents, api.SetACL, api.DeleteNode:
		return true
	}
	return false
}

// forget forgets the calls of a session up to a number.
func (c *Held) forget(s api.SessionID, through api.Seq) {
	for k := range c.changes { // order-free: each by itself
		if k.Session == s && k.Seq <= through {
			delete(c.changes, k)
		}
	}
	for k := range c.came { // order-free: each by itself
		if k.Session == s && k.Seq <= through {
			delete(c.came, k)
		}
	}
}

// OnReply reports an answer that leaves a replica.
func (c *Held) OnReply(replica uint64, p api.Reply) {
	if replica == c.at.replica && p.Seq != 0 {
		delete(c.changes, model.Call{Session: p.Session, Seq: p.Seq})
	}
}

// OnBegun reports the commands on which a replica has decided, and which it hands to the log in their turn.
func (c *Held) OnBegun(replica uint64, commands [][]byte) {
	if replica != c.at.replica || len(c.changes) == 0 {
		return
	}
	for _, raw := range commands {
		x, err := command.Decode(string(raw))
		if n, of := x.(command.NodeCommand); err == nil && of {
			call := model.Call{Session: n.Session, Seq: n.Seq}
			if h := c.changes[call]; h != nil {
				delete(c.changes, call)
				if h.waited {
					c.Lifted++
				}
			}
		}
	}
}

// OnCommand reports a command that was applied for the first time.
func (c *Held) OnCommand(a *command.Applied) {
	for _, e := range a.Effects {
		if e, ends := e.(command.SessionEnded); ends {
			c.forget(e.Session, ^api.Seq(0))
			delete(c.sessions, e.Session)
		}
	}
}

// OnActed reports that a replica which takes itself for the master of the latest epoch has acted, and that
// OnBegun has had its decisions. counts says that it has had read authority since it acted before, and has
// applied all that any replica has.
func (c *Held) OnActed(replica uint64, e api.Epoch, now time.Time, counts bool) {
	if e < c.at.epoch {
		return
	}
	if e > c.at.epoch || replica != c.at.replica {
		c.begin(replica, e)
	}
	passed := time.Duration(0)
	if !c.at.acted.IsZero() {
		passed = min(max(now.Sub(c.at.acted), 0), maxStep)
	}
	c.at.acted = now
	if len(c.changes) == 0 {
		return
	}
	cachers, any := c.isWaited()
	for _, h := range c.changes { // order-free: each by itself
		waits := cachers || h.deletes && any
		switch {
		case waits:
			h.free = 0
			if !h.waited {
				h.waited = true
				c.Waited++
			}
		case !counts:
			h.free = 0
		default:
			h.free += passed
		}
	}
	c.breakIfLate()
}

// isWaited reports whether the master may wait for a session that asked for cacheable answers, and for any
// session at all: the session has to acknowledge something, or the master has no way to tell it something.
func (c *Held) isWaited() (cachers, any bool) {
	for id, s := range c.sessions { // order-free: any one suffices
		if !c.timely.IsTimely(id) || c.idlers.MayLetEnd(c.at.replica, c.at.acted, id) || c.drops.Owes(id, c.at.epoch) {
			cachers, any = cachers || s.asks, true
		}
	}
	return cachers, any
}

func (c *Held) breakIfLate() {
	var first model.Call
	for k, h := range c.changes { // order-free: the first call is taken
		if h.free >= patience && (first == model.Call{} || k.Session < first.Session || k.Session == first.Session && k.Seq < first.Seq) {
			first = k
		}
	}
	if h := c.changes[first]; h != nil {
		c.world.Break("S12", "call %d of session %d is a change, and replica %d, master in epoch %d, has not gone on with it for %v, in which no client had anything to drop",
			first.Seq, first.Session, c.at.replica, c.at.epoch, h.free)
	}
}
