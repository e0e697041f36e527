package events

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Wanted checks that a holder of a lock hears that another handle waits for it (S13; C9.02, C9.10): each
// holder that asked for the event, or keeps the lock after a Release. It sees what comes to the master
// of the latest epoch and what leaves it, and knows from the log who holds what.
//
// Time counts while that master acts, and has applied all that any replica has. A pause of it counts
// for maxStep at most, so no fault of a machine or a network makes a holder wait in this sense.
type Wanted struct {
	world *sim.World
	locks Holders
	hears map[api.HandleID]bool // handles of programs; true: to hear that its lock is wanted
	at    struct {
		replica uint64
		epoch   api.Epoch
		acted   time.Time // by its clock
	}

	// Of this epoch:
	count     uint64 // of what was seen: an order, not a time
	lines     map[api.Ref][]*waiter
	calls     map[model.Call]*waiter
	presented map[api.HandleID]bool
	inHand    map[api.SessionID]uint64 // the newest KeepAlive without an answer
	told      map[about]uint64         // when it was last told of that
	owed      map[model.Owner]*debt

	Held   uint64 // holders that were to hear of a waiter
	Shared uint64 // of them, holders of a lock that others held as well
}

// Holders says by the log who holds a lock.
type Holders interface {
	// EachHold is called for each holder of the lock of a node, in the order of holders.
	EachHold(n api.Ref, f func(o model.Owner, m api.Mode, by api.Acquisition))
}

// waiter is an Acquire that came to the master; it waits once its client was told so.
type waiter struct {
	call   model.Call
	node   api.Ref
	handle api.HandleID
	mode   api.Mode
	came   uint64
	waits  bool
}

// about is what an event to a session is about: how it holds a lock, or a node.
type about struct {
	session api.SessionID
	by      api.Acquisition
	node    api.Ref
}

// debt is of a holder that has not been told.
type debt struct {
	node   api.Ref
	by     api.Acquisition
	waiter model.Call
	age    time.Duration // since the last of: the grant, the waiter, the handle was presented
	inHand time.Duration // of that, with read authority, and a KeepAlive of the session to answer
}

// Bounds of Wanted. An event is due at once; patience is what a user may call late.
const (
	patience = time.Second
	maxStep  = 500 * time.Millisecond
)

// NewWanted is the checker of a run that has not begun.
func NewWanted(w *sim.World, by Holders) *Wanted {
	c := &Wanted{world: w, locks: by, hears: map[api.HandleID]bool{}}
	c.begin(0, 0)
	return c
}

func (c *Wanted) begin(replica uint64, e api.Epoch) {
	c.at.replica, c.at.epoch, c.at.acted = replica, e, time.Time{}
	c.lines, c.calls, c.presented = map[api.Ref][]*waiter{}, map[model.Call]*waiter{}, map[api.HandleID]bool{}
	c.inHand, c.told, c.owed = map[api.SessionID]uint64{}, map[about]uint64{}, map[model.Owner]*debt{}
}

// OnHandleGot is told of each handle that a program was given, and whether it is to hear that its lock
// is wanted: the program asked for that, or that the handle keeps a lock after a Release.
func (c *Wanted) OnHandleGot(id api.HandleID, hears bool) { c.hears[id] = hears }

// OnRequest is told of each request of a session's own principal that comes to a replica, before that
// is. given has the handles that were given out, by their tokens.
func (c *Wanted) OnRequest(replica uint64, q api.Request, given map[api.Token]*model.Grip) {
	c.count++
	token, _ := model.TokenIn(q.Op)
	g := given[token]
	c.leave(q.Session, func(w *waiter) bool { return w.call.Seq <= q.AckedThrough })
	switch op := q.Op.(type) {
	case api.KeepAlive:
		c.keeps(replica, q, op, given)
	case api.Acquire:
		if _, ours := c.hears[handleOf(g)]; ours && op.Wait && q.Epoch == c.at.epoch && g.Session == q.Session {
			c.comes(model.Call{Session: q.Session, Seq: q.Seq}, g, op.Mode)
		}
	case api.CancelAcquire:
		c.leave(q.Session, func(w *waiter) bool { return w.call.Seq == op.Call })
	case api.CloseHandle, api.Poison, api.Release: // of a holder, too: it is about to give the lock back
		delete(c.owed, model.Owner{Session: q.Session, Handle: handleOf(g)})
		c.leave(q.Session, func(w *waiter) bool { return w.handle == handleOf(g) })
	case api.EndSession:
		c.over(q.Session)
	}
}

func handleOf(g *model.Grip) (h api.HandleID) {
	if g != nil {
		h = g.ID
	}
	return h
}

func (c *Wanted) keeps(replica uint64, q api.Request, k api.KeepAlive, given map[api.Token]*model.Grip) {
	if replica != c.at.replica || q.Epoch != c.at.epoch || q.Session == 0 {
		return
	}
	c.inHand[q.Session] = max(c.inHand[q.Session], q.ID)
	for _, t := range k.Tokens {
		c.presented[handleOf(given[t])] = true
	}
}

func (c *Wanted) comes(k model.Call, g *model.Grip, m api.Mode) {
	if c.calls[k] == nil {
		w := &waiter{call: k, node: g.Node, handle: g.ID, mode: m, came: c.count}
		c.calls[k], c.lines[w.node] = w, append(c.lines[w.node], w)
	}
}

// leave takes Acquires of a session out: it is not known any more that they wait.
func (c *Wanted) leave(s api.SessionID, which func(*waiter) bool) {
	for k, w := range c.calls { // order-free: each is taken out by itself
		if k.Session == s && which(w) {
			delete(c.calls, k)
			c.lines[w.node] = slices.DeleteFunc(c.lines[w.node], func(x *waiter) bool { return x == w })
			if len(c.lines[w.node]) == 0 {
				delete(c.lines, w.node)
			}
		}
	}
}

// over notes that a session is, or is about to be.
func (c *Wanted) over(s api.SessionID) {
	c.leave(s, func(*waiter) bool { return true })
	for o := range c.owed { // order-free: each is taken out by itself
		if o.Session == s {
			delete(c.owed, o)
		}
	}
	delete(c.inHand, s)
}

// OnCommand is told of each command as it is first applied anywhere.
func (c *Wanted) OnCommand(a *command.Applied) {
	for _, e := range a.Effects {
		if e, ends := e.(command.SessionEnded); ends {
			c.over(e.Session)
		}
	}
	switch x := a.Command.(type) {
	case command.FailHandle:
		c.leave(x.Session, func(w *waiter) bool { return w.handle == x.Handle })
	case command.Sweep:
		c.gone(x.Node)
	case command.NodeCommand:
		if d, deletes := x.Op.(command.DeleteNode); deletes && a.Result.Code == api.OK {
			c.gone(d.Node)
		}
	}
}

// gone notes that a node may be: none waits for its lock.
func (c *Wanted) gone(n api.Ref) {
	for _, w := range c.lines[n] {
		delete(c.calls, w.call)
	}
	delete(c.lines, n)
}

// OnReply is told of each answer that leaves a replica.
func (c *Wanted) OnReply(replica uint64, p api.Reply) {
	if replica != c.at.replica || p.Session == 0 {
		return
	}
	c.count++
	if p.Seq != 0 {
		w := c.calls[model.Call{Session: p.Session, Seq: p.Seq}]
		switch {
		case w == nil:
		case p.Code == api.Parked && p.Epoch == c.at.epoch:
			w.waits = true
		case p.Code != api.Parked:
			c.leave(p.Session, func(x *waiter) bool { return x == w })
		}
		return
	}
	if id, waits := c.inHand[p.Session]; waits && id == p.ID {
		delete(c.inHand, p.Session)
	}
	if l, leased := p.Detail.(api.Leased); leased && p.Code == api.OK && p.Epoch == c.at.epoch {
		c.tells(p.Session, l)
	}
}

// tells looks at what the answer to a KeepAlive tells. Events come again until they are acknowledged,
// so where one tells of none the client has had them all.
func (c *Wanted) tells(s api.SessionID, l api.Leased) {
	for _, e := range l.Events {
		switch e.Kind {
		case api.EventLockWanted:
			c.told[about{session: s, by: e.Acquisition}] = c.count
		case api.EventReadAgain, api.EventInvalid:
			c.told[about{session: s, node: e.Node}] = c.count
		}
	}
	if len(l.Events) == 0 && !l.Failover {
		c.misses(func(o model.Owner, d *debt) bool { return o.Session == s && d.age >= patience })
	}
}

// OnActed is told that a replica acts that takes itself for the master of the latest epoch, before its
// answers leave. lacks says that it has not applied all that any replica has, sure that it has had
// read authority since it acted before.
func (c *Wanted) OnActed(replica uint64, e api.Epoch, now time.Time, lacks, sure bool) {
	c.count++
	if e < c.at.epoch {
		return
	}
	if e > c.at.epoch || replica != c.at.replica {
		c.begin(replica, e)
	}
	passed := time.Duration(0)
	if !c.at.acted.IsZero() && !lacks {
		passed = min(max(now.Sub(c.at.acted), 0), maxStep)
	}
	c.at.acted = now
	if len(c.lines) == 0 {
		clear(c.owed)
		return
	}
	c.ages(passed, sure)
	c.misses(func(_ model.Owner, d *debt) bool { return d.inHand >= patience })
}

// ages looks which holders are to be told, and lets their debts grow older.
func (c *Wanted) ages(passed time.Duration, sure bool) {
	before := c.owed
	c.owed = map[model.Owner]*debt{}
	for n, line := range c.lines { // order-free: each lock by itself
		holders := 0
		c.locks.EachHold(n, func(o model.Owner, m api.Mode, by api.Acquisition) {
			holders++
			w := firstThat(line, func(w *waiter) bool { return w.waits && w.handle != o.Handle && w.mode.HasConflict(m) })
			if w == nil || !c.hears[o.Handle] || o.Handle.Epoch != c.at.epoch && !c.presented[o.Handle] {
				return
			}
			if max(c.told[about{session: o.Session, by: by}], c.told[about{session: o.Session, node: n}]) >= w.came {
				return
			}
			d := before[o]
			if d == nil || d.by != by {
				d = &debt{node: n, by: by}
				if c.Held++; holders > 1 {
					c.Shared++
				}
			}
			d.waiter = w.call
			d.age += passed
			if _, waits := c.inHand[o.Session]; waits && sure {
				d.inHand += passed
			} else {
				d.inHand = 0
			}
			c.owed[o] = d
		})
	}
}

func firstThat(line []*waiter, is func(*waiter) bool) *waiter {
	if i := slices.IndexFunc(line, is); i >= 0 {
		return line[i]
	}
	return nil
}

func (c *Wanted) misses(late func(model.Owner, *debt) bool) {
	var first model.Owner
	for o, d := range c.owed { // order-free: the first owner is taken
		if late(o, d) && (first == model.Owner{} || o.Compare(first) < 0) {
			first = o
		}
	}
	if d := c.owed[first]; d != nil {
		c.world.Break("S13", "%v holds the lock of %v by acquisition %d and is to hear that it is wanted; call %d of session %d has waited for it for %v, and replica %d, master in epoch %d, has not told the holder",
			first, d.node, d.by, d.waiter.Seq, d.waiter.Session, d.age, c.at.replica, c.at.epoch)
	}
}
