package lockwait

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Checker knows in which order Acquires came to wait for each lock at the master
// of an epoch, from what reached it and what left it: the first answer that it
// waits, or the first proposal of it, is where it joined. No other is tried before
// the one that came first, but readers beside readers; so one release wakes one writer, or
// the readers in front, however many wait (S8); and it wakes them at once: with the Release itself, or when
// it was applied. Nor does
// a client that waits hear of it: there is no more than one answer to each copy, and to each trial. And
// no Acquire waits by a handle of which it was said that it is closed or poisoned (S14).
type Checker struct {
	world *sim.World
	locks Locks
	lines map[spot][]*standing
	calls map[model.Call]*standing
	whose map[api.SessionID][]*standing
	freed freeing
	aside map[aside]bool
	epoch api.Epoch // the latest in which a call was executed
	Most  int       // clients that waited for one lock at a time
	Woken uint64    // trials
	Given uint64    // grants to those who waited
	Shut  uint64    // requests that ended the handle of one who waits
}

// spot is a lock in an epoch.
type spot struct {
	epoch api.Epoch
	node  api.Ref
}

// aside is a handle whose Acquire was cancelled while it waited: where it waits there again, it may have its
// former place, or one behind it.
type aside struct {
	at     spot
	handle api.HandleID
}

// standing is an Acquire that waits, in the latest epoch that it was seen in.
type standing struct {
	call   model.Call
	at     spot
	grip   *model.Grip
	mode   api.Mode
	joined bool
	tried  bool
	vain   paxos.Slot // of the last trial that was refused; 0: none was
	waits  bool       // it was told so last, and nothing was proposed for it since
	leaves bool       // something has come that ends it
	given  bool       // its client has asked for its end
	again  bool       // its handle waited here before: at which place it stands is not known

	copies, answers, trials int
}

// Locks says by the log who holds which lock.
type Locks interface {
	// HeldBy says whether a handle holds the lock of a node, and which modes others exclude.
	HeldBy(api.Ref, api.HandleID) (own bool, conflicts func(api.Mode) bool)
	// HasDelay says whether a lock-delay of the lock runs.
	HasDelay(api.Ref) bool
	// About says for reports who holds the lock, and which lock-delays of it run.
	About(api.Ref) string
	// MovedIn is the last slot in which one of the two changed; ok is false where none did.
	MovedIn(api.Ref) (s paxos.Slot, ok bool)
}

// New makes a Checker that asks for locks there.
func New(w *sim.World, by Locks) *Checker {
	return &Checker{world: w, locks: by, lines: map[spot][]*standing{}, calls: map[model.Call]*standing{}, whose: map[api.SessionID][]*standing{}, freed: freeing{}, aside: map[aside]bool{}}
}

// OnRequest is told of each request of the session's own principal; g is its handle, if
// it comes with one that was given out. master says that the replica it has come to is one:
// others turn it away, whatever it is to end.
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
		b.end(q.Session, func(s *standing) bool { return g != nil && s.grip.ID == g.ID && b.shuts(s) })
	case api.CancelAcquire:
		b.end(q.Session, func(s *standing) bool {
			s.given = s.given || s.call.Seq == op.Call
			return s.call.Seq == op.Call
		})
	}
	b.end(q.Session, func(s *standing) bool { return s.call.Seq <= q.AckedThrough })
}

// shuts counts those who wait and whose handle is about to end.
func (b *Checker) shuts(s *standing) bool {
	if s.waits {
		b.Shut++
	}
	return true
}

// copy notes a copy of an Acquire. In a later epoch it joins anew. One of an epoch that
// is over, of which nothing is known, may have come before, have been granted by a later
// master, and been forgotten with that; where it stands at the former one is not known.
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

// end marks those of a session of whom it is not known any more how long they wait.
func (b *Checker) end(id api.SessionID, which func(*standing) bool) {
	for _, s := range b.whose[id] {
		if which(s) {
			s.leaves = true
		}
	}
}

// gone marks those who wait for the lock of a node that was deleted: they are refused
// at once, or by the log.
func (b *Checker) gone(n api.Ref) {
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

// OnCommand is told of each command as it is first applied anywhere, and of its slot.
func (b *Checker) OnCommand(a *command.Applied, in paxos.Slot) {
	switch c := a.Command.(type) {
	case command.Sweep:
		b.gone(c.Node)
	case command.NodeCommand:
		b.freed.onCommand(c)
		if d, ok := c.Op.(command.DeleteNode); ok && a.Result.Code == api.OK {
			b.gone(d.Node)
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
			if s.vain = in; a.Verdict != command.Refused {
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

// OnActed is told what left a replica at once: answers, and what it has begun that
// concerns Acquires which wait, trials and refusals: it goes to the log in its turn.
// from is the first slot that it applied before.
func (b *Checker) OnActed(id paxos.NodeID, from paxos.Slot, answers []api.Reply, tries []command.NodeCommand) {
	for _, p := range answers {
		if s := b.calls[model.Call{Session: p.Session, Seq: p.Seq}]; s != nil && p.Code != api.Parked {
			s.waits = false
			if gone := p.Code == api.Stale || p.Code == api.NoSession; p.Code.IsDefinite() || gone && p.Epoch == s.at.epoch {
				b.leave(s)
			}
		}
	}
	for _, c := range tries {
		if d, ok := c.Op.(command.Acquire); ok {
			b.tries(id, from, c, d)
		}
	}
	for _, p := range answers {
		if s := b.calls[model.Call{Session: p.Session, Seq: p.Seq}]; s != nil && p.Code == api.Parked && s.at.epoch == p.Epoch {
			b.parked(id, s)
		}
	}
	for _, c := range tries {
		if s := b.calls[model.Call{Session: c.Session, Seq: c.Seq}]; s != nil {
			s.waits = false
		}
	}
	for _, p := range answers {
		b.outlives(id, p)
	}
}

// outlives: when a master has said that a handle is closed, or poisoned, none of its
// Acquires waits there (C6.19).
func (b *Checker) outlives(id paxos.NodeID, p api.Reply) {
	for _, s := range b.whose[p.Session] {
		if s.waits && s.at.epoch == p.Epoch && s.grip.Shut(p.Epoch) {
			b.world.Break("S14", "call %d of session %d waits at replica %d for %v, and its handle %v is closed or poisoned", s.call.Seq, s.call.Session, id, s.at.node, s.grip.ID)
		}
	}
}

func (b *Checker) parked(id paxos.NodeID, s *standing) {
	b.join(s)
	s.waits = true
	if s.answers++; s.answers > s.copies+s.trials {
		b.world.Break("S8", "replica %d tells call %d of session %d for the %d. time that it waits for %v; %d copies came, it was tried %d times",
			id, s.call.Seq, s.call.Session, s.answers, s.at.node, s.copies, s.trials)
	}
}

// CheckFront is asked when a master has acted that serves in an epoch, and has applied all
// that any replica has; so many Acquires wait there. The one in front that waits for a lock
// that it could have was tried when the one before it went, however that one went. Where
// others wait there than are known here, or one waits again after it was cancelled, it is not known which is in front.
func (b *Checker) CheckFront(id paxos.NodeID, e api.Epoch, waiting int) {
	known := 0
	var idle *standing
	for at, line := range b.lines { // order-free: the lowest is taken
		if at.epoch != e {
			continue
		}
		known += len(line)
		if slices.ContainsFunc(line, func(s *standing) bool { return s.again }) {
			continue // which is in front is not known
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

// couldHave says of one who waits, and is not tried, that the lock is to be had.
func (b *Checker) couldHave(s *standing) bool {
	if !s.waits || s.tried || s.leaves || b.locks.HasDelay(s.at.node) {
		return false
	}
	own, conflicts := b.locks.HeldBy(s.at.node, s.grip.ID)
	return !own && !conflicts(s.mode)
}

// isTried says that a trial is under way, or was refused in a slot that a master has applied just now, from
// this one on, or has not applied: it settles trials one by one, and tries what it may beside those that it has
// not come to. Two readers that are refused in one slot may be tried again in the order of that slot.
func (s *standing) isTried(from paxos.Slot) bool { return s.tried || s.vain >= from && s.vain > 0 }

// tries checks the order of the queue where an Acquire is begun, unless it is of a
// handle that holds the lock already, by another call: that one waits no more, and those
// behind it have their turn. The lock is not held then, or was free for some time of the
// slots that were applied just now, or its last holder has asked to release it.
func (b *Checker) tries(id paxos.NodeID, from paxos.Slot, c command.NodeCommand, d command.Acquire) {
	s := b.calls[model.Call{Session: c.Session, Seq: c.Seq}]
	if s == nil || s.at.epoch != c.Guard {
		return
	}
	s.trials++ // it may wait again, also if its end is on its way
	if s.leaves {
		return
	}
	b.join(s)
	b.Woken++
	own, conflicts := b.locks.HeldBy(d.Node, d.Handle)
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
