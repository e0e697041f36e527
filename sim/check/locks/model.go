package locks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Model computes which handle holds which lock, from the commands in log order and their
// answers, and from nothing that the rows say of locks: an Expire makes holders fail because
// that is the meaning of Expire. Judge checks S8 at the end.
type Model struct {
	world  *sim.World
	rho    paxos.PPM
	slot   paxos.Slot // slot of the present command
	Holds  map[model.Owner]Hold
	calls  map[model.Call]model.Owner     // Acquires that were granted, while they hold the lock
	got    map[model.Call]api.Acquisition // the acquisition that each Acquire was told, also if its owner held the lock already
	List   []linearizability.HoldEvent
	Failed uint64                        // counts holders that failed
	Owed   Inherited                     // the lock-delays that new masters must run
	last   map[api.Ref]api.Acquisition   // last acquisition of each lock
	freed  map[api.Acquisition]api.Epoch // acquisitions that a new master freed, since no client presented them
	moved  map[api.Ref]paxos.Slot        // slot in which a session last acquired or freed a lock, or a lock-delay of it began or ended
	lost   map[api.HandleID]paxos.Slot   // slot in which a handle last ceased to hold its lock
}

// Taking says that a free lock was acquired.
type Taking struct {
	Node api.Ref
	Gen  api.LockGen
}

// Hold is what an owner holds, and the call that acquired it.
type Hold struct {
	Node        api.Ref
	Mode        api.Mode
	Gen         api.LockGen
	acquisition api.Acquisition
	delay       time.Duration
	call        model.Call
}

// New makes the model of a cell whose clocks err by at most rho.
func New(w *sim.World, rho paxos.PPM) *Model {
	return &Model{
		world: w, rho: rho, Holds: map[model.Owner]Hold{}, calls: map[model.Call]model.Owner{}, got: map[model.Call]api.Acquisition{}, Owed: newInherited(), last: map[api.Ref]api.Acquisition{},
		freed: map[api.Acquisition]api.Epoch{}, moved: map[api.Ref]paxos.Slot{}, lost: map[api.HandleID]paxos.Slot{},
	}
}

// OnCommand reports a command when it is first applied anywhere, and its slot. It returns the
// free lock that the command has acquired, or nil.
func (b *Model) OnCommand(a *command.Applied, slot paxos.Slot) *Taking {
	if a.Verdict != command.Executed || a.Result.Code != api.OK {
		return nil
	}
	b.slot = slot
	b.Owed.OnCommand(a)
	switch c := a.Command.(type) {
	case command.NodeCommand:
		return b.onNodeCommand(c, a.Result)
	case command.Call:
		if _, ends := c.Op.(api.EndSession); ends {
			b.freeSession(c.Session, linearizability.HoldReleased)
		}
	case command.Expire:
		b.checkDelays(a, func(o model.Owner) bool { return o.Session == c.Session })
		b.freeSession(c.Session, linearizability.HoldFailed)
	case command.FailHandle:
		b.checkDelays(a, func(o model.Owner) bool { return o == model.Owner{Session: c.Session, Handle: c.Handle} })
		if h, held := b.Holds[model.Owner{Session: c.Session, Handle: c.Handle}]; held {
			b.freed[h.acquisition] = c.Guard
		}
		b.onFreed(model.Owner{Session: c.Session, Handle: c.Handle}, linearizability.HoldFailed)
	case command.DelayOver:
		b.noteMoved(c.Node)
	case command.Sweep:
		b.forget(c.Node)
	}
	return nil
}

// OnReply checks an answer that tells a session that it holds a lock. No master up to the
// answering one may have freed that acquisition before it accepted its first call: the client
// would believe in a lock that is free.
func (b *Model) OnReply(id paxos.NodeID, p api.Reply) {
	h, ok := p.Detail.(api.Held)
	if e, freed := b.freed[h.Acquisition]; ok && freed && p.Code == api.OK && p.Epoch >= e {
		b.world.Break("S9", "replica %d tells session %d in epoch %d that it holds a lock by acquisition %d, which was freed in epoch %d, since no client presented it", id, p.Session, p.Epoch, h.Acquisition, e)
	}
}

// checkDelays requires that a command by which holders fail begins the lock-delays that they
// asked for: for each lock one, the longest, and none if no holder asked for any. Judge
// checks that no lock is granted during a delay, but perhaps no client tries.
func (b *Model) checkDelays(a *command.Applied, fails func(model.Owner) bool) {
	asked := map[api.Ref]time.Duration{}
	failed := b.Owners(func(o model.Owner, _ Hold) bool { return fails(o) })
	for _, o := range failed {
		h := b.Holds[o]
		asked[h.Node] = max(asked[h.Node], h.delay)
	}
	began, freed := map[api.Ref]time.Duration{}, map[api.Ref]bool{}
	for _, e := range a.Effects {
		l, _ := e.(command.LockChanged)
		switch d := l.Effect.(type) {
		case lock.DelayBegan:
			began[d.Lock] += model.DelaySpan(d.Delay)
		case lock.Freed:
			freed[d.Lock] = true
		}
	}
	for _, o := range failed {
		n := b.Holds[o].Node
		b.Owed.begin(n, a.Number, asked[n], o, b.slot)
		if began[n] != asked[n] {
			still := ""
			if !freed[n] {
				still = "; the lock is not freed"
			}
			b.world.Break("S8", "%v fails and holds %v; a lock-delay of %v was asked for, and what begins is %v%s", o, n, asked[n], began[n], still)
		}
	}
}

func (b *Model) onNodeCommand(c command.NodeCommand, r api.Result) *Taking {
	switch d := c.Op.(type) {
	case command.Acquire:
		return b.onGrant(model.Owner{Session: c.Session, Handle: d.Handle}, model.Call{Session: c.Session, Seq: c.Seq}, d, r)
	case command.Release:
		o := model.Owner{Session: c.Session, Handle: d.Handle}
		if h, ok := b.Holds[o]; !ok || h.acquisition != d.Acquisition || h.Node != d.Node {
			b.world.Break("S8", "%v releases acquisition %d of %v, and what it holds is %+v", o, d.Acquisition, d.Node, h)
		}
		b.onFreed(o, linearizability.HoldReleased)
	case command.CloseHandle:
		b.onFreed(model.Owner{Session: c.Session, Handle: d.Handle}, linearizability.HoldReleased)
	case command.CancelAcquire:
		if o, ok := b.CancelledBy(c.Session, d); ok {
			b.onFreed(o, linearizability.HoldReleased)
		}
	case command.DeleteNode:
		b.forget(d.Node)
	}
	return nil
}

// CancelledBy returns the handle whose lock is freed when an Acquire is cancelled: the one
// named in the command, if it still holds what that Acquire was told that it holds.
func (b *Model) CancelledBy(s api.SessionID, d command.CancelAcquire) (o model.Owner, ok bool) {
	o = model.Owner{Session: s, Handle: d.Handle}
	got, told := b.got[model.Call{Session: s, Seq: d.Call}]
	h, holds := b.Holds[o]
	return o, told && holds && h.acquisition == got && h.Node == d.Node
}

// onGrant records a grant. If the owner has the lock already, its answer must be that of the
// first grant. onGrant returns the lock if it was free.
func (b *Model) onGrant(o model.Owner, by model.Call, d command.Acquire, r api.Result) (free *Taking) {
	held, ok := r.Detail.(api.Held)
	if !ok {
		b.world.Break("S8", "%v acquires %v, and is told nothing of it: %+v", o, d.Node, r)
		return nil
	}
	b.got[by] = held.Acquisition
	if h, has := b.Holds[o]; has {
		if h.Node != d.Node || h.acquisition != held.Acquisition {
			b.world.Break("S8", "%v holds %v by acquisition %d, and is told that it holds %v by acquisition %d", o, h.Node, h.acquisition, d.Node, held.Acquisition)
		}
		return nil
	}
	if held.Acquisition <= b.last[d.Node] {
		b.world.Break("S8", "%v is granted %v by acquisition %d, after acquisition %d of that", o, d.Node, held.Acquisition, b.last[d.Node])
	}
	b.last[d.Node] = held.Acquisition
	if len(b.Owners(func(_ model.Owner, h Hold) bool { return h.Node == d.Node })) == 0 {
		free = &Taking{Node: d.Node, Gen: held.Gen}
	}
	b.Holds[o] = Hold{Node: d.Node, Mode: d.Mode, Gen: held.Gen, acquisition: held.Acquisition, delay: model.DelaySpan(d.Delay), call: by}
	b.calls[by] = o
	b.noteMoved(d.Node)
	e := b.event(linearizability.HoldGranted, o, d.Node)
	e.Shared, e.Gen = d.Mode == api.Shared, uint64(held.Gen)
	b.List = append(b.List, e)
	return free
}

// onFreed records that an owner no longer holds a lock, if it held one. The lock-delay of a
// failed owner is over, at the earliest, when the fastest clock says so.
func (b *Model) onFreed(o model.Owner, how linearizability.HoldKind) {
	h, ok := b.Holds[o]
	if !ok {
		return
	}
	delete(b.Holds, o)
	delete(b.calls, h.call)
	b.lost[o.Handle] = b.slot
	b.noteMoved(h.Node)
	e := b.event(how, o, h.Node)
	if how == linearizability.HoldFailed {
		b.Failed++
	}
	if how == linearizability.HoldFailed && h.delay > 0 {
		e.Until = e.At + int64(earliest(h.delay, b.rho))
	}
	b.List = append(b.List, e)
}

// HeldBy reports whether a handle holds the lock of a node, and returns a function that
// reports whether acquiring it in a mode conflicts with other holders.
func (b *Model) HeldBy(n api.Ref, h api.HandleID) (own bool, conflicts func(api.Mode) bool) {
	var modes []api.Mode
	for o, x := range b.Holds { // order-free: any conflict suffices
		switch {
		case x.Node != n:
		case o.Handle == h:
			own = true
		default:
			modes = append(modes, x.Mode)
		}
	}
	return own, func(m api.Mode) bool { return slices.ContainsFunc(modes, m.HasConflict) }
}

// EachHold calls f for each holder of the lock of a node, in the order of holders.
func (b *Model) EachHold(n api.Ref, f func(o model.Owner, m api.Mode, by api.Acquisition)) {
	for _, o := range b.Owners(func(_ model.Owner, h Hold) bool { return h.Node == n }) {
		f(o, b.Holds[o].Mode, b.Holds[o].acquisition)
	}
}

// HasDelay reports whether a lock-delay of a node's lock runs.
func (b *Model) HasDelay(n api.Ref) bool { return b.Owed.Runs(n) }

// About describes, for reports, which handles hold the lock of a node by the log, and which
// lock-delays of it run.
func (b *Model) About(n api.Ref) string {
	var all []string
	for _, o := range b.Owners(func(_ model.Owner, h Hold) bool { return h.Node == n }) {
		h := b.Holds[o]
		all = append(all, fmt.Sprintf("%v holds it %v by acquisition %d", o, h.Mode, h.acquisition))
	}
	if all = append(all, b.Owed.texts(n)...); len(all) == 0 {
		return "by the log it is free"
	}
	return strings.Join(all, ", ")
}

// MovedIn returns the last slot in which a session acquired or freed the lock of a node, or a
// lock-delay of it began or ended; ok is false if none of this has happened.
func (b *Model) MovedIn(n api.Ref) (s paxos.Slot, ok bool) {
	s, ok = b.moved[n]
	return s, ok
}

// LostIn returns the last slot in which a handle ceased to hold the lock of its node; ok is false if it never did.
func (b *Model) LostIn(h api.HandleID) (s paxos.Slot, ok bool) {
	s, ok = b.lost[h]
	return s, ok
}

func (b *Model) noteMoved(n api.Ref) { b.moved[n] = b.slot }

// freeSession frees all that handles of a session hold.
func (b *Model) freeSession(s api.SessionID, how linearizability.HoldKind) {
	for _, o := range b.Owners(func(o model.Owner, _ Hold) bool { return o.Session == s }) {
		b.onFreed(o, how)
	}
}

// forget records that a node was deleted, with its lock.
func (b *Model) forget(n api.Ref) {
	b.Owed.forget(n)
	for _, o := range b.Owners(func(_ model.Owner, h Hold) bool { return h.Node == n }) {
		delete(b.calls, b.Holds[o].call)
		delete(b.Holds, o)
		b.lost[o.Handle] = b.slot
	}
	b.List = append(b.List, b.event(linearizability.HoldForgotten, model.Owner{}, n))
}

// Owners returns the holders that meant selects, in order.
func (b *Model) Owners(meant func(model.Owner, Hold) bool) (all []model.Owner) {
	for o, h := range b.Holds { // order-free: sorted below
		if meant(o, h) {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, model.Owner.Compare)
	return all
}

// IsGranted reports whether a call still holds the lock that it acquired.
func (b *Model) IsGranted(k model.Call) bool {
	_, holds := b.calls[k]
	return holds
}

func (b *Model) event(k linearizability.HoldKind, o model.Owner, n api.Ref) linearizability.HoldEvent {
	return linearizability.HoldEvent{At: int64(b.world.Now()), Kind: k, Path: n.Path.String(), Instance: uint64(n.Instance), Holder: o.String()}
}

// Judge breaks S8 if locks broke exclusion, lock-delays or generations.
func (b *Model) Judge() {
	if found := linearizability.CheckExclusion(b.List); len(found) > 0 && b.world.Failure() == nil {
		b.world.Break("S8", "%v: %s", found[0].Kind, found[0].Text)
	}
}

// earliest returns the least true time that passes while a clock counts d.
func earliest(d time.Duration, rho paxos.PPM) time.Duration {
	return d / time.Duration(1_000_000+rho) * 1_000_000
}
