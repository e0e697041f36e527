package lockwait

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Checker computes the order in which Acquires wait for each lock at the master of an epoch, from
// what reached the master and what left it. An Acquire joins the queue with the first answer
// that it waits, or with its first attempt: the first proposal of it. The rules:
//
//   - Order (S8): no Acquire is attempted before one that joined earlier, except a reader beside
//     readers. So one release wakes one writer, or the readers at the front, however many wait.
//   - Promptness (S8): the master wakes them with the Release itself, or once that was applied.
//   - Silence (S8): a waiting client is told so at most once for each copy and each attempt.
//   - Handles (S14): no Acquire waits by a handle that was reported closed or poisoned.
type Checker struct {
	world *sim.World
	locks Locks
	lines map[spot][]*standing
	calls map[model.Call]*standing
	whose map[api.SessionID][]*standing
	freed freeing
	aside map[aside]bool
	epoch api.Epoch // latest epoch in which a call was executed
	Most  int       // most clients that waited for one lock at a time
	Woken uint64    // counts attempts
	Given uint64    // counts grants to waiting Acquires
	Shut  uint64    // counts requests that ended the handle of a waiting Acquire
}

// spot is a lock in an epoch.
type spot struct {
	epoch api.Epoch
	node  api.Ref
}

// aside is a handle whose Acquire was cancelled while it waited. If the handle waits there
// again, it may have its former place or a later one.
type aside struct {
	at     spot
	handle api.HandleID
}

// standing is a waiting Acquire, in the latest epoch in which it was seen.
type standing struct {
	call      model.Call
	at        spot
	grip      *model.Grip
	mode      api.Mode
	joined    bool
	tried     bool
	refusedIn paxos.Slot // slot of the last refused attempt; 0: none
	waits     bool       // its client was last told that it waits, and it was not attempted since
	leaves    bool       // something that ends it has come
	given     bool       // its client has asked to cancel it
	again     bool       // its handle waited here before, so its place is unknown

	copies, answers, attempts int
}

// Locks tells, by the log, which handles hold which locks.
type Locks interface {
	// HeldBy reports whether a handle holds the lock of a node, and returns a function that
	// reports whether a mode conflicts with other holders.
	HeldBy(api.Ref, api.HandleID) (own bool, conflicts func(api.Mode) bool)
	// HasDelay reports whether a lock-delay of the lock runs.
	HasDelay(api.Ref) bool
	// About describes, for reports, the holders of the lock and its running lock-delays.
	About(api.Ref) string
	// MovedIn returns the last slot in which holders or lock-delays changed; ok is false if
	// they never did.
	MovedIn(api.Ref) (s paxos.Slot, ok bool)
	// LostIn returns the last slot in which a handle ceased to hold the lock of its node; ok is
	// false if it never did.
	LostIn(api.HandleID) (s paxos.Slot, ok bool)
}

// New makes a Checker that reads the state of locks from by.
func New(w *sim.World, by Locks) *Checker {
	return &Checker{world: w, locks: by, lines: map[spot][]*standing{}, calls: map[model.Call]*standing{}, whose: map[api.SessionID][]*standing{}, freed: freeing{}, aside: map[aside]bool{}}
}

// OnRequest reports each request of the session's own principal. g is the handle of its
// token, if that was given out. master says that the replica that it reached is a master:
// others refuse it, so it ends nothing there.
func (b *Checker) OnRequest(q api.Request, g *model.Grip, master bool) {
	k := model.Call{Session: q.Session, Seq: q.Seq}
	if _, acquires := q.Op.(api.Acquire); !acquires && !master {
		return
	}
	switch op := q.Op.(type) {
	case api.Acquire:
		if op.Wait && g != nil {
			b.copy(k, q.Epoch, op, g)
		}
	case api.Release:
		if g != nil {
			b.freed.onRequest(g.Node, g.ID)
		}
	case api.CloseHandle, api.Poison:
		b.end(q.Session, func(s *standing) bool { return g != nil && s.grip.ID == g.ID && b.countShut(s) })
	case api.CancelAcquire:
		b.end(q.Session, func(s *standing) bool {
			s.given = s.given || s.call.Seq == op.Call
			return s.call.Seq == op.Call
		})
	}
	b.end(q.Session, func(s *standing) bool { return s.call.Seq <= q.AckedThrough })
}

// countShut counts a waiting Acquire whose handle is about to end. It returns true.
func (b *Checker) countShut(s *standing) bool {
	if s.waits {
		b.Shut++
	}
	return true
}

// copy records a copy of an Acquire. In a later epoch the Acquire joins anew. A copy of a
// former epoch, of a call that is unknown here, is ignored: a later master may have granted
// that call, which is then forgotten here, so its place at the former master is unknown.
func (b *Checker) copy(k model.Call, e api.Epoch, op api.Acquire, g *model.Grip) {
	s := b.calls[k]
	if s == nil && e < b.epoch {
		return
	}
	if s == nil || s.at.epoch < e {
		if s != nil {
			b.leave(s)
		}
		s = &standing{call: k, at: spot{e, g.Node}, grip: g, mode: op.Mode}
		s.again = b.aside[aside{s.at, g.ID}]
		b.calls[k] = s
		b.whose[k.Session] = append(b.whose[k.Session], s)
	}
	s.copies++
}

// end marks Acquires of a session that may stop waiting at any time.
func (b *Checker) end(id api.SessionID, which func(*standing) bool) {
	for _, s := range b.whose[id] {
		if which(s) {
			s.leaves = true
		}
	}
}

// onDeleted marks the Acquires of a deleted node's lock, which are refused at once or by the
// log.
func (b *Checker) onDeleted(n api.Ref) {
	for at, line := range b.lines { // order-free: each is marked by itself
		for _, s := range line {
			s.leaves = s.leaves || at.node == n
		}
	}
}

func (b *Checker) leave(s *standing) {
	delete(b.calls, s.call)
	if s.given && s.joined {
		b.aside[aside{s.at, s.grip.ID}] = true
	}
	same := func(x *standing) bool { return x == s }
	if b.whose[s.call.Session] = slices.DeleteFunc(b.whose[s.call.Session], same); len(b.whose[s.call.Session]) == 0 {
		delete(b.whose, s.call.Session)
	}
	b.lines[s.at] = slices.DeleteFunc(b.lines[s.at], same)
	if len(b.lines[s.at]) == 0 {
		delete(b.lines, s.at)
	}
}

func (b *Checker) join(s *standing) {
	if !s.joined {
		s.joined = true
		b.lines[s.at] = append(b.lines[s.at], s)
		b.Most = max(b.Most, len(b.lines[s.at]))
	}
}

// OnCommand reports a command when it is first applied anywhere, and its slot.
func (b *Checker) OnCommand(a *command.Applied, in paxos.Slot) {
	switch c := a.Command.(type) {
	case command.Sweep:
		b.onDeleted(c.Node)
	case command.NodeCommand:
		b.freed.onCommand(c)
		if d, ok := c.Op.(command.DeleteNode); ok && a.Result.Code == api.OK {
			b.onDeleted(d.Node)
		}
		if a.Verdict == command.Executed {
			b.epoch = max(b.epoch, c.Guard)
		}
		s := b.calls[model.Call{Session: c.Session, Seq: c.Seq}]
		if d, ok := c.Op.(command.Acquire); ok && d.Wait && s != nil && s.at.epoch == c.Guard {
			s.tried = false
			if a.Verdict == command.Executed && a.Result.Code == api.OK {
				b.Given++
			}
			if s.refusedIn = in; a.Verdict != command.Refused {
				b.leave(s)
			}
		}
	case command.Expire:
		b.end(c.Session, func(*standing) bool { return true })
	case command.Call:
		if _, ends := c.Op.(api.EndSession); ends {
			b.end(c.Session, func(*standing) bool { return true })
		}
	}
}

// OnActed reports a step of a replica: the answers that left, and the commands about waiting
// Acquires that it has begun, attempts and refusals, which will be proposed in their turn. The
// answers of a former master, to copies of before, end no waiting at a later one.
// from is the first slot that it applied in this step.
func (b *Checker) OnActed(id paxos.NodeID, from paxos.Slot, answers []api.Reply, tries []command.NodeCommand) {
	for _, p := range answers {
		if s := b.calls[model.Call{Session: p.Session, Seq: p.Seq}]; s != nil && p.Code != api.Parked && p.Epoch == s.at.epoch {
			s.waits = false
			if p.Code.IsDefinite() || p.Code == api.Stale || p.Code == api.NoSession {
				b.leave(s)
			}
		}
	}
	for _, c := range tries {
		if d, ok := c.Op.(command.Acquire); ok {
			b.onAttempt(id, from, c, d)
		}
	}
	for _, p := range answers {
		if s := b.calls[model.Call{Session: p.Session, Seq: p.Seq}]; s != nil && p.Code == api.Parked && s.at.epoch == p.Epoch {
			b.onParked(id, s)
		}
	}
	for _, c := range tries {
		if s := b.calls[model.Call{Session: c.Session, Seq: c.Seq}]; s != nil {
			s.waits = false
		}
	}
	for _, p := range answers {
		b.checkShut(id, p)
	}
}

// checkShut: once a master has said that a handle is closed or poisoned, no Acquire by it
// waits there (C6.19).
func (b *Checker) checkShut(id paxos.NodeID, p api.Reply) {
	for _, s := range b.whose[p.Session] {
		if s.waits && s.at.epoch == p.Epoch && s.grip.Shut(p.Epoch) {
			b.world.Break("S14", "call %d of session %d waits at replica %d for %v, and its handle %v is closed or poisoned", s.call.Seq, s.call.Session, id, s.at.node, s.grip.ID)
		}
	}
}

func (b *Checker) onParked(id paxos.NodeID, s *standing) {
	b.join(s)
	s.waits = true
	if s.answers++; s.answers > s.copies+s.attempts {
		b.world.Break("S8", "replica %d tells call %d of session %d for the %d. time that it waits for %v; %d copies came, it was tried %d times",
			id, s.call.Seq, s.call.Session, s.answers, s.at.node, s.copies, s.attempts)
	}
}

// CheckFront is called when a replica has acted that serves as master in an epoch, and has
// applied all that any replica has; waiting is how many Acquires wait there. If the front of
// a queue could have its lock, it must have been attempted when the previous one left,
// however that one left. Nothing is checked if other Acquires wait there than are known here,
// or for a lock where one waits again after it was cancelled: then the front is unknown.
func (b *Checker) CheckFront(id paxos.NodeID, e api.Epoch, waiting int) {
	known := 0
	var idle *standing
	for at, line := range b.lines { // order-free: the lowest is taken
		if at.epoch != e {
			continue
		}
		known += len(line)
		if slices.ContainsFunc(line, func(s *standing) bool { return s.again }) {
			continue // the front is unknown
		}
		if s := line[0]; b.couldHave(s) && (idle == nil || s.call.Session < idle.call.Session || s.call.Session == idle.call.Session && s.call.Seq < idle.call.Seq) {
			idle = s
		}
	}
	if idle != nil && known == waiting {
		b.world.Break("S8", "replica %d lets call %d of session %d wait for %v, %v, which it could have, and no other is in front of it",
			id, idle.call.Seq, idle.call.Session, idle.at.node, idle.mode)
	}
}

// couldHave reports whether a waiting Acquire that is not attempted could have its lock.
func (b *Checker) couldHave(s *standing) bool {
	if !s.waits || s.tried || s.leaves || b.locks.HasDelay(s.at.node) {
		return false
	}
	own, conflicts := b.locks.HeldBy(s.at.node, s.grip.ID)
	return !own && !conflicts(s.mode)
}

// isTried reports whether an attempt is under way, or was refused in a slot that the master
// has applied in this step (from is the first) or not yet. A master settles attempts one by
// one, and attempts what it may beside those that it has not settled yet. It may attempt two
// readers that were refused in one slot again, in the order of that slot.
func (s *standing) isTried(from paxos.Slot) bool {
	return s.tried || s.refusedIn >= from && s.refusedIn > 0
}

// onAttempt checks the order of the queue when an Acquire is attempted. The lock must not be
// held, or must have been free at some time in the slots that were applied in this step, or
// its last holder must have asked to release it. An Acquire of a handle that holds the lock
// already, by another call, is exempt: it waits no more, and those behind it take their turn. So
// is one whose handle lost the lock in a slot that the master has not applied before this step.
func (b *Checker) onAttempt(id paxos.NodeID, from paxos.Slot, c command.NodeCommand, d command.Acquire) {
	s := b.calls[model.Call{Session: c.Session, Seq: c.Seq}]
	if s == nil || s.at.epoch != c.Guard {
		return
	}
	s.attempts++ // it may wait again, even if its end is under way
	if s.leaves {
		return
	}
	b.join(s)
	b.Woken++
	own, conflicts := b.locks.HeldBy(d.Node, d.Handle)
	if in, ok := b.locks.LostIn(d.Handle); ok && in >= from {
		own = true
	}
	s.leaves = own
	for _, x := range b.lines[s.at] {
		if x == s || own || s.again {
			break
		}
		if !x.leaves && (!x.isTried(from) || x.mode.HasConflict(s.mode)) {
			b.world.Break("S8", "replica %d tries call %d of session %d for %v, %v, and call %d of session %d, %v, waits in front of it; %s",
				id, c.Seq, c.Session, d.Node, d.Mode, x.call.Seq, x.call.Session, x.mode, b.locks.About(d.Node))
		}
	}
	switch at, ok := b.locks.MovedIn(d.Node); {
	case own || ok && at >= from:
	case conflicts(d.Mode) && !b.freed.isAboutToEnd(b.locks, d.Node, d.Mode):
		b.world.Break("S8", "replica %d tries call %d of session %d for %v, %v, and the lock is held: %s", id, c.Seq, c.Session, d.Node, d.Mode, b.locks.About(d.Node))
	case b.locks.HasDelay(d.Node):
		b.world.Break("S8", "replica %d tries call %d of session %d for %v, %v, and its lock-delay runs: %s", id, c.Seq, c.Session, d.Node, d.Mode, b.locks.About(d.Node))
	}
	s.tried = true
}
