package cell

import (
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/check/beliefs"
	"github.com/chubbycell/chubby/sim/check/events"
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/faults"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/workload"
)

// witness reports to the checkers what client programs learn (workload.Witness).
type witness struct{ c *Cell }

func (w witness) Dial(l *workload.Line, cfg client.Config) (cl *client.Client, hangUp func()) {
	return w.c.promises.Dial(l, cfg)
}

// onSessionEvent publishes what a client tells its program about its session. A fail-over is none of that: the session
// goes on.
func (c *Cell) onSessionEvent(w *beliefs.Wire, e client.Event) {
	if e.Kind == client.EventFailover || !c.events.Wanted() {
		return
	}
	c.publish(event.SessionTold{Client: w.Self(), Session: w.Client.Status().Session, Kind: e.Kind, Renewable: e.Renewable})
}

// life returns what is known of a client, or nil if its client is not observed.
func (w witness) life(cl *client.Client) *clients.Life {
	if x := w.c.promises.Of(cl); x != nil {
		return x.Life
	}
	return nil
}

func (w witness) OnCallEnd(cl *client.Client, trail *client.CallID) {
	if l := w.life(cl); l != nil {
		l.OnCallEnd(trail)
	}
}

func (w witness) OnOutcome(cl *client.Client, late bool, err error) {
	w.c.suffix.OnCallEnd(cl, late, err, w.life(cl))
}

func (w witness) OnHandleGot(cl *client.Client, h *client.Handle, rights client.Rights) api.HandleID {
	if l := w.life(cl); l != nil {
		l.OnHandleGot(h)
	}
	k, _ := clients.ReadToken(api.Token(h.Token()))
	w.c.handles.Grips.OnHandleGot(k.ID, rights)
	return k.ID
}

func (w witness) OnHandleClose(cl *client.Client, h *client.Handle) {
	if l := w.life(cl); l != nil {
		l.OnHandleClose(h)
	}
}

func (w witness) LockTurns(cl *client.Client, h *client.Handle) workload.LockTurns {
	if l := w.life(cl); l != nil {
		return lockTurns{l.LockQueue(h)}
	}
	return nil
}

func (w witness) Tidies(rt *sim.Runtime, cl *client.Client, known int) { w.c.awaitTidy(rt, cl, known) }
func (w witness) HasLost(cl *client.Client) bool                       { return w.c.suffix.HasLost(cl) }
func (w witness) IsForgetful(s api.SessionID) bool                     { return w.c.handles.Room.Over[s] }
func (w witness) Holds(o model.Owner, n api.Ref) bool                  { return w.c.locks.Holds[o].Node == n }
func (w witness) Stands(n api.Ref) bool                                { return w.c.rights.At(n) != nil }
func (w witness) Untied(k model.Call) model.Finding                    { return w.c.handles.Requests.LooseFinding(k) }

func (w witness) IsStale(sequencer string) bool {
	s, err := api.ParseSequencerText(sequencer)
	return err == nil && !w.c.locks.IsValid(s)
}

func (w witness) Untold(in linearizability.FileInput, out linearizability.FileOutput, lockless bool) model.Finding {
	return agreement.Untold(in, out, lockless)
}

// lockTurns orders the programs that share a handle (workload.LockTurns).
type lockTurns struct{ *clients.LockQueue }

func (t lockTurns) SetLock(l *client.Lock) { t.LockQueue.SetLock(l) }

// watching reports to the checker of events what handles receive (workload.Watching).
type watching struct {
	*events.Checker
	wanted *events.Wanted
}

func (w watching) OnHandleGot(id api.HandleID, hears bool) { w.wanted.OnHandleGot(id, hears) }

func (w watching) Opened(s api.SessionID, n api.Ref, id api.HandleID, mask client.EventMask, stat client.Stat) workload.Watch {
	return w.Checker.Opened(s, n, id, mask, stat)
}

// known gives others access to what all checkers together know of the cell: the hostile client
// (adversary.Facts), faults (faults.Facts), and other checkers (sessions.Facts, handles.Facts).
type known struct{ c *Cell }

func (k known) Given(t api.Token) *model.Grip          { return k.c.handles.Grips.Given[t] }
func (k known) OpenedBy(s api.SessionID) api.Principal { return k.c.rights.Opened[s] }
func (k known) LastNumber() api.Number                 { return k.c.watch.Calls.Numbered }

func (k known) Covered(id paxos.NodeID) (mark, synced paxos.LSN) {
	return k.c.watch.Disks[id].Mark, k.c.watch.Disks[id].Lsn
}

func (k known) LastNoted(id paxos.NodeID) (paxos.Boot, paxos.Ballot) {
	return k.c.watch.Disks[id].Noted.Boot, k.c.watch.Disks[id].Noted.Promise
}

func (k known) OnRowRot(id paxos.NodeID)           { k.c.watch.Rows.OnRowRot(id) }
func (k known) OnRowStray(id paxos.NodeID)         { k.c.watch.Rows.OnRowStray(id) }
func (k known) OnRateSet(id paxos.NodeID)          { k.c.leases.Turned(id) }
func (k known) SessionOn(a sim.Addr) api.SessionID { return k.c.promises.SessionOn(a) }
func (k known) HasSessionLeases() bool             { return k.c.sessions.HasLeases() }
func (k known) DelaysOf(n api.Ref) int             { return k.c.locks.Owed.Count(n) }

func (k known) DelaysAt(e api.Epoch) map[model.DelayID]time.Duration { return k.c.locks.Owed.At[e] }

// HoldersIn returns the holders of locks if e is the epoch of the last slot that any replica has
// applied, and nil otherwise: a master of an older epoch does not know what happened since.
func (k known) HoldersIn(e api.Epoch) []model.Owner {
	if e != k.c.watch.Epochs.Highest {
		return nil
	}
	return k.c.locks.Owners(func(model.Owner, locks.Hold) bool { return true })
}

func (k known) MayHaveHandles(s api.SessionID) bool { return len(k.c.handles.Room.Opens[s]) > 0 }

func (k known) HasOpen(s api.SessionID, e api.Epoch) bool { return k.c.handles.Grips.HasOpen(s, e) }

func (k known) OwesDrop(s api.SessionID, e api.Epoch) bool { return k.c.caches.drops.Owes(s, e) }

func (k known) HasAppliedAll(id paxos.NodeID) bool { return k.c.hasAppliedAll(id) }

func (k known) OnLease(id paxos.NodeID, s api.SessionID, end time.Time) {
	k.c.promises.OnLease(id, s, end)
}

func (k known) IsPassed(x model.Call) bool {
	_, passed := k.c.watch.Calls.Final.Passed(x)
	return passed
}

func (k known) LeasesLeft(s api.SessionID) (all []faults.LeaseLeft) {
	for id := range k.c.sessions.Seats {
		t := &k.c.sessions.Seats[id]
		if t.Of == nil || t.Epoch != k.c.watch.Epochs.Highest || !k.c.promises.Lives(id, t.Of) {
			continue
		}
		x, ok := t.Of.Session(s)
		all = append(all, faults.LeaseLeft{Left: x.Lease.Sub(running(k.c.machines.Replicas[id-1]).Now), Alive: ok})
	}
	return all
}

// victims gives faults access to the replicas (faults.Cluster).
type victims struct{ c *Cell }

func (v victims) Core(m *sim.Machine) *core.Replica {
	if r := running(m); r != nil {
		return r.Host.Core()
	}
	return nil
}

func (v victims) Runs(m *sim.Machine) bool         { return running(m) != nil }
func (v victims) Reading(m *sim.Machine) time.Time { return running(m).Now }
func (v victims) Retire(m *sim.Machine)            { v.c.retire(running(m)) }

func (v victims) Campaign(m *sim.Machine) {
	tell(m, func(r *replica, now time.Time) { r.Host.Campaign(now) })
}

func (v victims) Resign(m *sim.Machine) {
	tell(m, func(r *replica, now time.Time) { r.Host.Resign(now) })
}

func (v victims) StepDown(m *sim.Machine) {
	tell(m, func(r *replica, now time.Time) {
		v.c.rare.onStepDown(r.Id, r.Host.Core() != nil && r.Host.Core().Serving() != nil)
		r.Host.Resign(now)
	})
}
