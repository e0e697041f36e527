package cell

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/check/leases"
	"github.com/chubbycell/chubby/sim/check/sessions"
	"github.com/chubbycell/chubby/sim/check/shares"
	"github.com/chubbycell/chubby/sim/conformance/replicas"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/ondisk"
)

// replica is one process life of a replica: the shipped host and store, driven
// by the simulated machine instead of by package replica's goroutines.
type replica struct {
	cell  *Cell
	env   *sim.Env
	id    paxos.NodeID
	host  *driver.Driver
	now   time.Time // as the process last read its clock
	store *store.Store
	bulk  diskjobs.Bulk
	job   *driver.LogJob // what the log lane writes
	life  *replicas.Life
	looks looks
	tail  ondisk.Tail // of its log, as far as that was looked at

	unsynced []paxos.Record   // appended since the last sync
	upto     paxos.LSN        // appended up to here
	missed   paxos.Slot       // the highest slot that any replica had applied when this life began
	behind   int              // slots that it lacked then
	retired  bool             // its counters are added up
	damaged  bool             // this life found unreadable records
	writing  *db.View         // is being written as a snapshot; nil: none is
	pieces   agreement.Pieces // of the snapshot that is being fetched
	answered []api.Reply      // that left at once
	stopped  error            // why the host ended this life
	wake     time.Time        // it has asked for; zero: none
	nudges   int              // inputs that were a chance for one
	still    bool             // it has applied nothing in this act
	observed model.Observed
}

// newReplica returns the maker of a machine's lives.
func newReplica(c *Cell, id paxos.NodeID) func() sim.Process {
	return func() sim.Process {
		cfg := c.hostConfig(id)
		r := &replica{cell: c, id: id}
		cfg.Core.Observer = &r.observed
		r.host = driver.New(cfg)
		terms := replicas.Terms{Replicas: c.plan.Replicas, Driver: &c.plan.Driver, Lease: cfg.Core.Paxos.Lease, HasBadClocks: c.plan.OnlyS7}
		r.life = replicas.New(c.world, id, r.host, terms)
		return r
	}
}

// Start opens the store on a coroutine: every call of it is an event.
func (r *replica) Start(env *sim.Env) {
	r.env = env
	env.Go("recover", func() {
		options := r.cell.plan.Store
		options.Salt = env.Draw("wal.salt").Uint64
		r.missed = r.cell.watch.Top
		mem, hits := env.World().Machine(env.Self()).Disk().Mem(), r.cell.watch.Budget.Hits[r.id]
		lost := r.cell.watch.HasLostRegister(r.id, mem) // before anything is mended
		st, rec, report, err := store.Open(creations{env.FS(), r.made, r.removed, r.chunks}, damage.DataDir, options)
		if err != nil {
			if r.cell.watch.Budget.Hits[r.id] > hits { // while it was opened
				lost = r.cell.watch.HasLostRegister(r.id, mem)
			}
			r.cell.refused(r, err, lost)
			r.fail(err)
			return
		}
		r.cell.watch.OnMended(r.id, mem)
		r.store, r.damaged = st, len(report.Damaged) > 0
		r.bulk = diskjobs.Bulk{
			Snapshots:    st.Snapshots(),
			OnPublished:  r.published,
			OnUnreadable: func(id driver.SnapshotID, err error) { r.cell.watch.OnUnreadable(r.id, id, err) },
		}
		r.cell.watch.OnRecovered(r.id, rec, report)
		r.cell.watch.OnSnapshotsFound(r.id, mem)
		r.cell.rare.recovered(report, r.cell.watch.Budget.IsHurt(r.id))
		env.Post(func(now time.Time) {
			now = r.reads(now)
			r.host.Start(now, rec.Recovered, rec.Rows)
			r.life.OnStart(now, rec.Next, rec.Grant)
			status := r.host.Core().Status()
			r.behind = max(0, int(r.missed)-int(status.FirstOpen))
			r.cell.watch.OnStarted(r.id, status)
			r.cell.watch.OnResumed(r.id, &rec.Recovered, status)
			if r.cell.events.Wanted() {
				r.cell.publish(event.Started{Replica: r.id, Boot: status.Boot, Status: status})
			}
			r.act()
		})
	})
}

// published is told that a snapshot is durable and has its name.
func (r *replica) published(id driver.SnapshotID) {
	r.cell.watch.OnPublished(r.id, id, r.writing)
	if r.cell.events.Wanted() {
		r.cell.publish(event.SnapshotPublished{Replica: r.id, Slot: id.Handle.Slot})
	}
}

// fail ends this life because the machine failed.
func (r *replica) fail(err error) {
	r.env.Fail(err)
	r.cell.failed(r)
}

// reads takes the reading of the monotonic clock that comes with an input: all that the
// replica is told of time. An input that reads another clock is planted bug L04.
func (r *replica) reads(now time.Time) time.Time {
	r.now = now
	return now
}

// wakes sets the timer of the process to when the host wants to be woken.
func (r *replica) wakes(at time.Time) {
	r.wake = at
	r.env.WakeAt(r.cell.plan.Grained(at))
}

// Receive hands bytes to the host.
func (r *replica) Receive(now time.Time, from sim.Addr, msg []byte) {
	if from.IsClient() && r.cell.faults.Delays(from, r.env.Self(), msg) {
		return
	}
	now = r.reads(now)
	r.nudge(now)
	if x := r.cell.crowd; x != nil && from == x.addr {
		x.asked(r, now, msg)
	} else if from.IsClient() {
		who := model.PrincipalOn(from)
		if q, ok := r.cell.asks(r.id, now, who, msg); ok {
			r.life.OnRequest(from, q)
			r.cell.faults.OnRequest(from, q)
			if r.cell.events.Wanted() {
				r.cell.publish(event.RequestReceived{Replica: r.id, Local: now, From: who, Request: q})
			}
		}
		r.host.ClientMessage(now, core.Addr(from), who, msg)
	} else {
		wire := string(msg)
		r.life.OnMessage(now, paxos.NodeID(from), wire)
		if r.cell.events.Wanted() {
			r.cell.publish(event.MessageReceived{From: paxos.NodeID(from), To: r.id, Local: now, Wire: wire})
		}
		r.host.PeerMessage(now, paxos.NodeID(from), wire)
	}
	r.act()
}

// Wake hands time to the host.
func (r *replica) Wake(now time.Time) {
	now = r.reads(now)
	r.host.Advance(now)
	r.act()
	r.life.OnWake(now)
}

// machineParty is a replica's machine, for who watches leases.
type machineParty struct{ m *sim.Machine }

func (p machineParty) Clock() *sim.Clock { return p.m.Clock() }

func (p machineParty) Believes() leases.Beliefs {
	if r := running(p.m); r != nil && r.host.Core() != nil {
		return r.host.Core()
	}
	return nil
}

// act does what the host wants done.
func (r *replica) act() {
	out := r.observed.Take(r.host)
	r.life.OnOutput(&out)
	if out.Stop != nil {
		r.send(out.Peers)
		r.stopped = out.Stop
		r.cell.watch.OnStopped(r.id, out.Stop)
		r.fail(out.Stop)
		return
	}
	var tries []command.NodeCommand
	var proposed []command.Command
	if r.host.Core() != nil {
		r.cell.watch.OnProposed(out.Proposed)
		var own []command.Command
		before := r.cell.handles.Begins
		tries, own = r.cell.handles.OnBegun(r.id, out.Begun)
		proposed = r.cell.handles.OnProposed(r.id, out.Proposed)
		if out.Installed != nil {
			r.cell.watch.OnInstalled(r.id, out.Installed)
		}
		if r.writing != nil {
			r.cell.watch.Snapshots.Sums += len(out.Applied)
		}
		r.cell.watch.OnApplied(r.id, out.Applied)
		r.publishes(&out, proposed)
		r.cell.sessions.OnActed(r.id, sessions.Presiding{Replica: r.host.Core()}, r.now, &out, proposed, own)
		if n, m := r.host.Core(), r.host.Core().Master(); m.State.HasEpoch() && r.cell.crowd == nil {
			r.cell.shares.OnProposed(r.id, n, m.Epoch, proposed, r.cell.handles.Waited(before))
			r.cell.shares.OnActed(r.id, n, m.Epoch, out.Applied, proposed, func() bool { return shares.Several(n.Rows()) })
		}
		if r.cell.watch.OnTenure(r.id, r.host.Core()) {
			s := r.host.Core().Serving()
			r.cell.rare.serves(s.Ballot)
			if r.cell.events.Wanted() {
				r.cell.publish(event.Serves{Replica: r.id, Epoch: s.Epoch, Ballot: s.Ballot})
			}
			r.cell.sessions.OnServing(r.id, r.now)
		}
		r.cell.leases.Acted(r.id)
		r.cell.fits(r)
		if len(out.Reads) > 0 {
			r.cell.leases.ReadAlone(r.id, r.host.Core(), r.now, r.cell.watch.Told)
		}
	}
	r.send(out.Peers)
	r.still = len(out.Applied) == 0 && out.Installed == nil
	if x := r.cell.crowd; x != nil {
		x.answers(r, out.Clients)
		out.Clients = nil
	}
	r.answered = r.answered[:0]
	for _, m := range out.Clients {
		r.cell.answers(r, m, out.Reads)
		r.cell.faults.OnSend(r.env.Self(), sim.Addr(m.To), m.Wire)
		r.env.Send(sim.Addr(m.To), m.Wire)
	}
	from := r.cell.watch.Disks[r.id].Applied + 1 - paxos.Slot(len(out.Applied))
	r.cell.queues.OnActed(r.id, from, r.answered, tries)
	if n := r.host.Core(); n != nil && n.Serving() != nil && r.cell.current(r.id) {
		r.cell.queues.CheckFront(r.id, n.Serving().Epoch, n.NodeOps().Waiting)
	}
	r.cell.sessions.OnStepDone(r.id)
	if t := out.Tenure; t != nil && t.Mine {
		r.cell.rare.began(t.Ballot, r.host.Core().Status().Boot)
		r.cell.faults.OnTenure()
	}
	if len(out.Peers) > 0 && r.cell.faults.AwaitsProposal() && r.host.Core().InFlight() > 0 {
		r.cell.faults.OnProposal()
	}
	if r.cell.faults.AwaitsStep() && r.host.Core() != nil && r.host.Core().IsLeader() {
		r.cell.faults.OnStep(proposed, out.Applied)
	}
	r.look()
	r.life.OnActed(r.now, &out, proposed)
	if out.Log != nil {
		r.job = out.Log
		r.env.Go("log", r.runJob)
	}
	if j := out.Bulk; j != nil {
		if _, writes := j.(driver.WriteJob); writes && r.life.IsOvertaking() {
			r.cell.watch.Snapshots.Cut++
		}
		r.env.Go("bulk", func() { r.runBulk(j) })
	}
	if j := out.Backup; j != nil {
		r.env.Go("backup", func() { r.runBackup(*j) })
	}
	r.wakes(out.Wake)
}

// publishes hands out what the host has done in one act.
func (r *replica) publishes(out *model.Outcome, proposed []command.Command) {
	c := r.cell
	if !c.events.Wanted() {
		return
	}
	if t := out.Tenure; t != nil {
		c.publish(event.TenureChanged{Replica: r.id, Tenure: *t})
	}
	if out.Installed != nil {
		c.publish(event.SnapshotInstalled{Replica: r.id, Slot: out.Installed.Handle.Slot})
	}
	if len(proposed) > 0 {
		c.publish(event.Proposed{Replica: r.id, Commands: proposed})
	}
	for i := range out.Applied {
		c.publish(event.Applied{Replica: r.id, Slot: out.Applied[i].Slot, Commands: out.Applied[i].Commands})
	}
}

// asks tells those who watch of a request that has come.
func (c *Cell) asks(id paxos.NodeID, now time.Time, who api.Principal, msg []byte) (q api.Request, ok bool) {
	q, err := api.DecodeRequest(msg)
	if err != nil {
		return q, false
	}
	c.handles.OnRequest(who, q)
	c.adversary.Hears(who, q, msg)
	if owner, known := c.rights.Opened[q.Session]; !known || owner == who {
		c.watch.OnRequest(id, q)
		c.sessions.OnRequest(id, now, q)
		c.shown.OnRequest(q, c.handles.TiedTo(q.Op))
		token, _ := model.TokenIn(q.Op)
		c.queues.OnRequest(q, c.handles.Given[token], rules(c, id))
	}
	return q, true
}

// answers tells those who watch of an answer that leaves.
func (c *Cell) answers(r *replica, m driver.ClientMessage, reads []core.Read) {
	p, err := api.DecodeReply(m.Wire)
	if err == nil {
		if c.events.Wanted() {
			c.publish(event.ReplySent{Replica: r.id, Local: r.now, To: model.PrincipalOn(sim.Addr(m.To)), Reply: p})
		}
		r.life.OnReply(sim.Addr(m.To), p)
		_, logged := c.watch.Calls[model.Call{Session: p.Session, Seq: p.Seq}]
		if !c.handles.OnReply(r.id, model.PrincipalOn(sim.Addr(m.To)), p, logged) {
			return
		}
		c.locks.OnReply(r.id, p)
		c.sessions.OnReply(r.id, r.now, p)
		alone := func(x core.Read) bool { return x.Session == p.Session && x.Seq == p.Seq }
		if !logged && r.still && c.current(r.id) && slices.ContainsFunc(reads, alone) { // else the answer of then is repeated
			c.shown.OnReply(p)
		}
		r.answered = append(r.answered, p)
	}
	c.watch.OnReply(r.id, p, err, reads)
	c.faults.OnAnswer()
}

func (r *replica) send(all []driver.PeerMessage) {
	var wire string // the same to all peers, and no time in between
	var said paxos.Message
	asks := false
	for i, m := range all {
		repeated := i > 0 && !asks && string(m.Wire) == wire
		if !repeated {
			wire = string(m.Wire)
			said, asks = r.cell.watch.OnMessage(r.id, m.To, wire)
		}
		r.life.OnSend(r.now, m.To, wire, said, repeated)
		if r.cell.events.Wanted() {
			r.cell.publish(event.MessageSent{From: r.id, To: m.To, Local: r.now, Message: said, Wire: wire})
		}
		r.cell.faults.OnPeerMessage(r.env.Self(), sim.Addr(m.To), m.Wire)
		r.cell.faults.OnSend(r.env.Self(), sim.Addr(m.To), m.Wire)
		r.env.Send(sim.Addr(m.To), m.Wire)
	}
}
