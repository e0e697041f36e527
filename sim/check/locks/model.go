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

// Model says who holds which lock, from the commands in the order of the log
// and the answers they were given, and from nothing that the rows say of locks:
// an Expire makes holders fail because that is what an Expire is. Property S8 is
// judged at the end.
type Model struct {
	world  *sim.World
	rho    paxos.PPM
	slot   paxos.Slot // of the present command
	Holds  map[model.Owner]Hold
	calls  map[model.Call]model.Owner     // Acquires that were granted, while the hold lasts
	got    map[model.Call]api.Acquisition // all that were told that they hold, also those of holders
	List   []linearizability.HoldEvent
	Failed uint64                        // holders
	Owed   Inherited                     // to new masters
	last   map[api.Ref]api.Acquisition   // of each lock
	freed  map[api.Acquisition]api.Epoch // holds that a new master freed, since no client presented them
	moved  map[api.Ref]paxos.Slot        // where a session last took or left a lock, or a lock-delay of it began or ended
}

// Taking is that a lock goes from free to held.
type Taking struct {
	Node api.Ref
	Gen  api.LockGen
}

// Hold is what an owner holds, and by which call.
type Hold struct {
	Node        api.Ref
	Mode        api.Mode
	Gen         api.LockGen
	acquisition api.Acquisition
	delay       time.Duration
	call        model.Call
}

// New makes the model of a cell whose clocks err by rho at most.
func New(w *sim.World, rho paxos.PPM) *Model {
	return &Model{
		world: w, rho: rho, Holds: map[model.Owner]Hold{}, calls: map[model.Call]model.Owner{}, got: map[model.Call]api.Acquisition{}, Owed: newInherited(), last: map[api.Ref]api.Acquisition{},
		freed: map[api.Acquisition]api.Epoch{}, moved: map[api.Ref]paxos.Slot{},
	}
}

// OnCommand is told of each command as it is first applied anywhere, and in which slot. It
// returns what the command has taken that was free; nil: nothing.
func (b *Model) OnCommand(a *command.Applied, slot paxos.Slot) *Taking {
	if a.Verdict != command.Executed || a.Result.Code != api.OK {
		return nil
	}
	b.slot = slot
	b.Owed.OnCommand(a)
	switch c := a.Command.(type) {
	case command.NodeCommand:
		return b.act(c, a.Result)
	case command.Call:
		if _, ends := c.Op.(api.EndSession); ends {
			b.session(c.Session, linearizability.HoldReleased)
		}
	case command.Expire:
		b.delayed(a, func(o model.Owner) bool { return o.Session == c.Session })
		b.session(c.Session, linearizability.HoldFailed)
	case command.FailHandle:
		b.delayed(a, func(o model.Owner) bool { return o == model.Owner{Session: c.Session, Handle: c.Handle} })
		if h, held := b.Holds[model.Owner{Session: c.Session, Handle: c.Handle}]; held {
			b.freed[h.acquisition] = c.Guard
		}
		b.frees(model.Owner{Session: c.Session, Handle: c.Handle}, linearizability.HoldFailed)
	case command.DelayOver:
		b.moves(c.Node)
	case command.Sweep:
		b.forgets(c.Node)
	}
	return nil
}

// OnReply demands of an answer that a session holds a lock that no master up to that one has
// freed the hold, before it took the first call: it would be believed in.
func (b *Model) OnReply(id paxos.NodeID, p api.Reply) {
	h, ok := p.Detail.(api.Held)
	if e, freed := b.freed[h.Acquisition]; ok && freed && p.Code == api.OK && p.Epoch >= e {
		b.world.Break("S9", "replica %d tells session %d in epoch %d that it holds a lock by acquisition %d, which was freed in epoch %d, since no client presented it", id, p.Session, p.Epoch, h.Acquisition, e)
	}
}

// delayed demands of a command by which holders fail that it begins the lock-delays
// that they asked for: of each lock one, the longest, and none where no holder asked for
// any. That the lock is not granted while one runs is judged at the end; but it may be
// that no client tries.
func (b *Model) delayed(a *command.Applied, fails func(model.Owner) bool) {
	asked := map[api.Ref]time.Duration{}
	failed := b.Owners(func(o model.Owner, _ Hold) bool { return fails(o) })
	for _, o := range failed {
		h := b.Holds[o]
		asked[h.Node] = max(asked[h.Node], h.delay)
	}
	began := map[api.Ref]time.Duration{}
	for _, e := range a.Effects {
		l, _ := e.(command.LockChanged)
		if d, ok := l.Effect.(lock.DelayBegan); ok {
			began[d.Lock] += model.DelaySpan(d.Delay)
		}
	}
	for _, o := range failed {
		n := b.Holds[o].Node
		b.Owed.begin(n, a.Number, asked[n], o, b.slot)
		if began[n] != asked[n] {
			b.world.Break("S8", "%v fails and holds %v; a lock-delay of %v was asked for, and what begins is %v", o, n, asked[n], began[n])
		}
	}
}

func (b *Model) act(c command.NodeCommand, r api.Result) *Taking {
	switch d := c.Op.(type) {
	case command.Acquire:
		return b.grants(model.Owner{Session: c.Session, Handle: d.Handle}, model.Call{Session: c.Session, Seq: c.Seq}, d, r)
	case command.Release:
		o := model.Owner{Session: c.Session, Handle: d.Handle}
		if h, ok := b.Holds[o]; !ok || h.acquisition != d.Acquisition || h.Node != d.Node {
			b.world.Break("S8", "%v releases acquisition %d of %v, and what it holds is %+v", o, d.Acquisition, d.Node, h)
		}
		b.frees(o, linearizability.HoldReleased)
	case command.CloseHandle:
		b.frees(model.Owner{Session: c.Session, Handle: d.Handle}, linearizability.HoldReleased)
	case command.CancelAcquire:
		if o, ok := b.CancelledBy(c.Session, d); ok {
			b.frees(o, linearizability.HoldReleased)
		}
	case command.DeleteNode:
		b.forgets(d.Node)
	}
	return nil
}

// CancelledBy is the handle that holds a lock no more once an Acquire is cancelled: the one
// named with it, if it still holds what that Acquire was told that it holds.
func (b *Model) CancelledBy(s api.SessionID, d command.CancelAcquire) (o model.Owner, ok bool) {
	o = model.Owner{Session: s, Handle: d.Handle}
	got, told := b.got[model.Call{Session: s, Seq: d.Call}]
	h, holds := b.Holds[o]
	return o, told && holds && h.acquisition == got && h.Node == d.Node
}

// grants notes a grant, unless the owner has the lock already: then its answer is
// the one it was given when it got it. It returns the lock, if that was free.
func (b *Model) grants(o model.Owner, by model.Call, d command.Acquire, r api.Result) (free *Taking) {
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
	b.moves(d.Node)
	e := b.event(linearizability.HoldGranted, o, d.Node)
	e.Shared, e.Gen = d.Mode == api.Shared, uint64(held.Gen)
	b.List = append(b.List, e)
	return free
}

// frees notes that an owner does not hold any more what it held, if anything. The
// delay of one that failed is over, at the earliest, when the fastest clock says so.
func (b *Model) frees(o model.Owner, how linearizability.HoldKind) {
	h, ok := b.Holds[o]
	if !ok {
		return
	}
	delete(b.Holds, o)
	delete(b.calls, h.call)
	b.moves(h.Node)
	e := b.event(how, o, h.Node)
	if how == linearizability.HoldFailed {
		b.Failed++
	}
	if how == linearizability.HoldFailed && h.delay > 0 {
		e.Until = e.At + int64(earliest(h.delay, b.rho))
	}
	b.List = append(b.List, e)
}

// HeldBy says whether a handle holds the lock of a node, and what it would conflict
// with if it took it in some mode.
func (b *Model) HeldBy(n api.Ref, h api.HandleID) (own bool, conflicts func(api.Mode) bool) {
	var modes []api.Mode
	for o, x := range b.Holds { // order-free: any conflict will do
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

// EachHold is called for each holder of the lock of a node, in the order of holders.
func (b *Model) EachHold(n api.Ref, f func(o model.Owner, m api.Mode, by api.Acquisition)) {
	for _, o := range b.Owners(func(_ model.Owner, h Hold) bool { return h.Node == n }) {
		f(o, b.Holds[o].Mode, b.Holds[o].acquisition)
	}
}

// HasDelay says that a lock-delay of the lock of a node runs.
func (b *Model) HasDelay(n api.Ref) bool { return b.Owed.Runs(n) }

// About says for reports which handles hold the lock of a node by the log, and which lock-delays of it run.
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

// MovedIn is the last slot in which a session took or left the lock of a node, or a
// lock-delay of it began or ended; ok is false where nothing of this has happened.
func (b *Model) MovedIn(n api.Ref) (s paxos.Slot, ok bool) {
	s, ok = b.moved[n]
	return s, ok
}

func (b *Model) moves(n api.Ref) { b.moved[n] = b.slot }

// session frees all that handles of a session hold.
func (b *Model) session(s api.SessionID, how linearizability.HoldKind) {
	for _, o := range b.Owners(func(o model.Owner, _ Hold) bool { return o.Session == s }) {
		b.frees(o, how)
	}
}

// forgets notes that a node was deleted, and its lock with it.
func (b *Model) forgets(n api.Ref) {
	b.Owed.forgets(n)
	for _, o := range b.Owners(func(_ model.Owner, h Hold) bool { return h.Node == n }) {
		delete(b.calls, b.Holds[o].call)
		delete(b.Holds, o)
	}
	b.List = append(b.List, b.event(linearizability.HoldForgotten, model.Owner{}, n))
}

// Owners are those who hold something that is meant, in order.
func (b *Model) Owners(meant func(model.Owner, Hold) bool) (all []model.Owner) {
	for o, h := range b.Holds { // order-free: sorted below
		if meant(o, h) {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, model.Owner.Compare)
	return all
}

// IsGranted says whether the lock that a call has acquired is held by it.
func (b *Model) IsGranted(k model.Call) bool {
	_, holds := b.calls[k]
	return holds
}

func (b *Model) event(k linearizability.HoldKind, o model.Owner, n api.Ref) linearizability.HoldEvent {
	return linearizability.HoldEvent{At: int64(b.world.Now()), Kind: k, Path: n.Path.String(), Instance: uint64(n.Instance), Holder: o.String()}
}

// Judge breaks S8 where locks were not what they must be.
func (b *Model) Judge() {
	if found := linearizability.CheckExclusion(b.List); len(found) > 0 && b.world.Failure() == nil {
		b.world.Break("S8", "%v: %s", found[0].Kind, found[0].Text)
	}
}

// earliest is how much true time passes at least while a clock counts d.
func earliest(d time.Duration, rho paxos.PPM) time.Duration {
	return d / time.Duration(1_000_000+rho) * 1_000_000
}
