package events

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Wanted checks that a lock's holder is told when another handle waits for the lock (S13;
// C9.02, C9.10): each holder that asked for the event, or that keeps the lock after a
// Release. Wanted sees what reaches and leaves the master of the latest epoch, and knows from
// the log which handles hold locks.
//
// Time counts while that master acts, and has applied all that any replica has. A pause of
// the master counts for at most maxStep, so a fault of a machine or of the network makes no
// holder late.
type Wanted struct {
	world *sim.World
	locks Holders
	hears map[api.HandleID]bool // handles of programs; true: it should be told that its lock is wanted
	at    struct {
		replica uint64
		epoch   api.Epoch
		acted   time.Time // by its clock
	}

	// Of this epoch:
	count     uint64 // of requests, answers and steps seen: an order, not a time
	lines     map[api.Ref][]*waiter
	calls     map[model.Call]*waiter
	presented map[api.HandleID]bool
	inHand    map[api.SessionID]pending   // KeepAlives without an answer
	ends      map[api.SessionID]time.Time // of the lease that the client was last told of, by the master's clock
	told      map[about]uint64            // count when the session was last told of it
	owed      map[model.Owner]*debt
	leaving   map[model.Owner]leave
	dismissed map[api.SessionID]bool // the master answers their KeepAlives no more

	Held   uint64 // holders that a waiter made due to be told
	Shared uint64 // of Held, those of a lock that others held as well
}

// Holders tells, by the log, which handles hold a lock.
type Holders interface {
	// EachHold calls f for each holder of the lock of a node, in the order of holders.
	EachHold(n api.Ref, f func(o model.Owner, m api.Mode, by api.Acquisition))
}

// waiter is an Acquire that reached the master. It waits once its client has been told so.
type waiter struct {
	call   model.Call
	node   api.Ref
	handle api.HandleID
	mode   api.Mode
	came   uint64
	waits  bool
}

// about is what an event to a session refers to: one acquisition of a lock, or a node.
type about struct {
	session api.SessionID
	by      api.Acquisition
	node    api.Ref
}

// debt is a holder that the master has yet to tell.
type debt struct {
	node   api.Ref
	by     api.Acquisition
	waiter model.Call
	age    time.Duration // since the latest of: the grant, the waiter, the handle's presentation
	inHand time.Duration // of age, the part with read authority and a timely pending KeepAlive of the session
}

// leave is a call of a holder that gives back its lock, or its handle, and has no answer yet.
type leave struct {
	call model.Call
	by   api.Acquisition // of a Release; 0: the handle goes
}

// pending is what a master has of a session's KeepAlives that wait for an answer.
type pending struct {
	newest uint64    // its request number
	came   time.Time // the oldest, by the master's clock; zero: just now
}

// Bounds of Wanted. An event is due at once; a user would call it late after patience.
const (
	patience = time.Second
	maxStep  = 500 * time.Millisecond
)

// NewWanted returns the checker of a run that has not begun.
func NewWanted(w *sim.World, by Holders) *Wanted {
	c := &Wanted{world: w, locks: by, hears: map[api.HandleID]bool{}}
	c.begin(0, 0)
	return c
}

func (c *Wanted) begin(replica uint64, e api.Epoch) {
	c.at.replica, c.at.epoch, c.at.acted = replica, e, time.Time{}
	c.lines, c.calls, c.presented = map[api.Ref][]*waiter{}, map[model.Call]*waiter{}, map[api.HandleID]bool{}
	c.inHand, c.ends = map[api.SessionID]pending{}, map[api.SessionID]time.Time{}
	c.told, c.owed, c.leaving = map[about]uint64{}, map[model.Owner]*debt{}, map[model.Owner]leave{}
	c.dismissed = map[api.SessionID]bool{}
}

// OnHandleGot reports each handle that a program was given. hears says whether the handle
// should be told that its lock is wanted: the program asked for that, or for keeping the lock
// after a Release.
func (c *Wanted) OnHandleGot(id api.HandleID, hears bool) { c.hears[id] = hears }

// OnRequest reports a request of a session's own principal that reaches a replica, before the
// replica sees it. given holds the handles that masters gave out, by token.
func (c *Wanted) OnRequest(replica uint64, q api.Request, given map[api.Token]*model.Grip) {
	c.count++
	token, _ := model.TokenIn(q.Op)
	g := given[token]
	c.dropWaiters(q.Session, func(w *waiter) bool { return w.call.Seq <= q.AckedThrough })
	switch op := q.Op.(type) {
	case api.KeepAlive:
		c.onKeepAlive(replica, q, op, given)
	case api.Acquire:
		if _, ours := c.hears[handleOf(g)]; ours && op.Wait && q.Epoch == c.at.epoch && g.Session == q.Session {
			c.onAcquire(model.Call{Session: q.Session, Seq: q.Seq}, g, op.Mode)
		}
	case api.CancelAcquire:
		c.dropWaiters(q.Session, func(w *waiter) bool { return w.call.Seq == op.Call })
	case api.CloseHandle, api.Poison, api.Release: // also from a holder: it is about to release the lock
		if replica == c.at.replica && q.Epoch == c.at.epoch {
			r, _ := op.(api.Release)
			c.leaving[model.Owner{Session: q.Session, Handle: handleOf(g)}] = leave{call: model.Call{Session: q.Session, Seq: q.Seq}, by: r.Acquisition}
		}
		c.dropWaiters(q.Session, func(w *waiter) bool { return w.handle == handleOf(g) })
	case api.EndSession:
		c.dropSession(q.Session)
	}
}

func handleOf(g *model.Grip) (h api.HandleID) {
	if g != nil {
		h = g.ID
	}
	return h
}

func (c *Wanted) onKeepAlive(replica uint64, q api.Request, k api.KeepAlive, given map[api.Token]*model.Grip) {
	if replica != c.at.replica || q.Epoch != c.at.epoch || q.Session == 0 {
		return
	}
	p := c.inHand[q.Session]
	p.newest = max(p.newest, q.ID)
	c.inHand[q.Session] = p
	for _, t := range k.Tokens {
		c.presented[handleOf(given[t])] = true
	}
}

func (c *Wanted) onAcquire(k model.Call, g *model.Grip, m api.Mode) {
	if c.calls[k] == nil {
		w := &waiter{call: k, node: g.Node, handle: g.ID, mode: m, came: c.count}
		c.calls[k], c.lines[w.node] = w, append(c.lines[w.node], w)
	}
}

// dropWaiters forgets Acquires of a session, which may no longer wait.
func (c *Wanted) dropWaiters(s api.SessionID, which func(*waiter) bool) {
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

// dropSession forgets a session that has ended, or is about to end.
func (c *Wanted) dropSession(s api.SessionID) {
	c.dropWaiters(s, func(*waiter) bool { return true })
	for o := range c.owed { // order-free: each is taken out by itself
		if o.Session == s {
			delete(c.owed, o)
		}
	}
	for o := range c.leaving { // order-free: each is taken out by itself
		if o.Session == s {
			delete(c.leaving, o)
		}
	}
	delete(c.inHand, s)
	delete(c.ends, s)
}

// OnCommand reports a command when it is first applied anywhere.
func (c *Wanted) OnCommand(a *command.Applied) {
	for _, e := range a.Effects {
		if e, ends := e.(command.SessionEnded); ends {
			c.dropSession(e.Session)
		}
	}
	switch x := a.Command.(type) {
	case command.FailHandle:
		c.dropWaiters(x.Session, func(w *waiter) bool { return w.handle == x.Handle })
	case command.Sweep:
		c.dropNode(x.Node)
	case command.NodeCommand:
		if d, deletes := x.Op.(command.DeleteNode); deletes && a.Result.Code == api.OK {
			c.dropNode(d.Node)
		}
	}
}

// dropNode forgets the Acquires of a node's lock, since the node may be deleted.
func (c *Wanted) dropNode(n api.Ref) {
	for _, w := range c.lines[n] {
		delete(c.calls, w.call)
	}
	delete(c.lines, n)
}

// OnReply reports an answer that leaves a replica.
func (c *Wanted) OnReply(replica uint64, p api.Reply) {
	if replica != c.at.replica || p.Session == 0 {
		return
	}
	c.count++
	if p.Seq != 0 {
		call := model.Call{Session: p.Session, Seq: p.Seq}
		for o, l := range c.leaving { // order-free: each by itself
			if l.call == call {
				delete(c.leaving, o)
			}
		}
		w := c.calls[call]
		switch {
		case w == nil:
		case p.Code == api.Parked && p.Epoch == c.at.epoch:
			w.waits = true
		case p.Code != api.Parked:
			c.dropWaiters(p.Session, func(x *waiter) bool { return x == w })
		}
		return
	}
	k, waits := c.inHand[p.Session]
	if waits = waits && k.newest == p.ID; waits {
		delete(c.inHand, p.Session)
	}
	if l, leased := p.Detail.(api.Leased); leased && p.Code == api.OK && p.Epoch == c.at.epoch {
		if waits {
			c.ends[p.Session] = k.came.Add(l.Lease)
		}
		c.onLeased(p.Session, l)
	}
}

// onLeased reads the events in the answer to a KeepAlive. Events are repeated until they are
// acknowledged, so a client whose answer has none has had them all.
func (c *Wanted) onLeased(s api.SessionID, l api.Leased) {
	for _, e := range l.Events {
		switch e.Kind {
		case api.EventLockWanted:
			c.told[about{session: s, by: e.Acquisition}] = c.count
		case api.EventReadAgain, api.EventInvalid:
			c.told[about{session: s, node: e.Node}] = c.count
		}
	}
	if len(l.Events) == 0 && !l.Failover {
		c.breakIfLate(func(o model.Owner, d *debt) bool { return o.Session == s && d.age >= patience })
	}
}

// OnActed reports that a replica which takes itself for the master of the latest epoch acts,
// before its answers leave. lacks says that it has not applied all that any replica has;
// sure, that it has had read authority since it acted before.
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
	for s, k := range c.inHand { // order-free: each by itself
		if k.came.IsZero() {
			c.inHand[s] = pending{newest: k.newest, came: now}
		}
	}
	if len(c.lines) == 0 {
		clear(c.owed)
		return
	}
	c.ageDebts(passed, sure)
	c.breakIfLate(func(_ model.Owner, d *debt) bool { return d.inHand >= patience })
}

// ageDebts finds the holders that should be told, and adds passed to the age of their debts.
func (c *Wanted) ageDebts(passed time.Duration, sure bool) {
	before := c.owed
	c.owed = map[model.Owner]*debt{}
	for n, line := range c.lines { // order-free: each lock by itself
		holders := 0
		c.locks.EachHold(n, func(o model.Owner, m api.Mode, by api.Acquisition) {
			holders++
			w := firstWhere(line, func(w *waiter) bool { return w.waits && w.handle != o.Handle && w.mode.HasConflict(m) })
			if w == nil || !c.hears[o.Handle] || o.Handle.Epoch != c.at.epoch && !c.presented[o.Handle] {
				return
			}
			if l, leaves := c.leaving[o]; leaves && (l.by == 0 || l.by == by) {
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
			if sure && c.IsTimely(o.Session) {
				d.inHand += passed
			} else {
				d.inHand = 0
			}
			c.owed[o] = d
		})
	}
}

// OnDismissed reports that the master of an epoch has the order to end a session: the session is told nothing more.
func (c *Wanted) OnDismissed(s api.SessionID, e api.Epoch) {
	if e == c.at.epoch {
		c.dismissed[s] = true
	}
}

// IsTimely reports whether a KeepAlive of a session waits for its answer that came before the lease ended
// of which the client knew. None of a dismissed session does: it gets no answer. A session whose client comes later may be ended instead (C11.04), and its end
// may wait for the log: the client of the seed that showed this came a second late.
func (c *Wanted) IsTimely(s api.SessionID) bool {
	k, waits := c.inHand[s]
	ends, leased := c.ends[s]
	return waits && leased && k.came.Before(ends) && !c.dismissed[s]
}

func firstWhere(line []*waiter, is func(*waiter) bool) *waiter {
	if i := slices.IndexFunc(line, is); i >= 0 {
		return line[i]
	}
	return nil
}

func (c *Wanted) breakIfLate(late func(model.Owner, *debt) bool) {
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
