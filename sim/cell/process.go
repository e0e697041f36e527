package cell

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/check/leases"
	"github.com/chubbycell/chubby/sim/check/sessions"
	"github.com/chubbycell/chubby/sim/check/shares"
	"github.com/chubbycell/chubby/sim/cluster"
	"github.com/chubbycell/chubby/sim/conformance/replicas"
	"github.com/chubbycell/chubby/sim/crowd"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// replica observes one life of a replica (cluster.Observer), and reports it to the checkers.
type replica struct {
	*cluster.Replica
	cell  *Cell
	life  *replicas.Life
	looks looks
	tail  ondisk.Tail // of its log, as far as it was read

	mem      *vfs.Mem
	hits     int              // how often its disk had been damaged when the store was opened
	lost     bool             // a register had lost both its copies at that moment
	unsynced []paxos.Record   // appended since the last sync
	upto     paxos.LSN        // appended up to here
	missed   paxos.Slot       // the highest slot that any replica had applied when this life began
	behind   int              // how many slots it lacked at that moment
	retired  bool             // retire has added up its counters
	damaged  bool             // this life found unreadable records
	rotten   bool             // this life found a snapshot bad when it began
	writing  *db.View         // the view that is being written as a snapshot; nil: none is
	pieces   agreement.Pieces // of the snapshot that is being fetched
	nudges   int              // inputs so far: see nudgeEvery
	lease    time.Time        // the end of its read authority that was last published

	// Of the present act:
	tries    []command.NodeCommand
	proposed []command.Command
	answered []api.Reply   // replies that left
	still    bool          // the act has applied nothing
	wire     string        // the latest message to a peer
	said     paxos.Message // that message, decoded
	asks     bool          // see Claims.OnMessage
}

// newReplica returns the function that makes the lives of a machine.
func newReplica(c *Cell, id paxos.NodeID) func() sim.Process {
	return func() sim.Process {
		cfg := c.configs.Of(id)
		return cluster.New(&c.plan, id, cfg, func(p *cluster.Replica) cluster.Observer {
			terms := replicas.Terms{Replicas: c.plan.Replicas, Driver: &c.plan.Driver, Lease: cfg.Core.Paxos.Lease, HasBadClocks: c.plan.OnlyS7}
			return &replica{Replica: p, cell: c, life: replicas.New(c.world, id, p.Host, terms)}
		})
	}
}

func (r *replica) OnOpening(fs vfs.FS) vfs.FS {
	r.missed = r.cell.watch.Top
	r.mem, r.hits = r.Env.World().Machine(r.Env.Self()).Disk().Mem(), r.cell.watch.Budget.Hits[r.Id]
	r.lost = r.cell.watch.Rot.HasLostRegister(r.Id, r.mem) // before anything is mended
	if r.cell.events.Wanted() {
		r.cell.publish(event.Opens{Replica: r.Id, Has: ondisk.Inventory(r.mem, damage.DataDir)})
	}
	chunked := func(name string, f vfs.File) vfs.File { return r.cell.growth.Chunked(r.Id, name, f) }
	return creations{fs, r.onMade, r.onRemoved, chunked}
}

func (r *replica) OnRefused(err error) {
	if r.cell.watch.Budget.Hits[r.Id] > r.hits { // while it was opened
		r.lost = r.cell.watch.Rot.HasLostRegister(r.Id, r.mem)
	}
	r.cell.onRefused(r, err, r.lost)
}

func (r *replica) OnOpened(rec store.Recovered, report store.Report) {
	r.damaged, r.rotten = len(report.Damaged) > 0, len(report.Bad) > 0
	if r.cell.events.Wanted() {
		r.cell.publish(event.Recovered{Replica: r.Id, State: &rec.Recovered, Report: found(report)})
	}
	r.cell.watch.Rot.OnMended(r.Id, r.mem)
	r.cell.watch.Logs.OnRecovered(r.Id, rec, report)
	r.cell.watch.Snapshots.OnSnapshotsFound(r.Id, r.mem)
	r.cell.rare.onRecovered(report, r.cell.watch.Budget.IsHurt(r.Id))
}

// found returns the report of a recovery in words, shortened if nothing is damaged.
func found(r store.Report) string {
	if r.Torn == nil && len(r.Unreadable)+len(r.Unlearned)+len(r.Repaired)+len(r.Bad) == 0 {
		return "nothing is damaged"
	}
	return r.String()
}

func (r *replica) OnStarted(now time.Time, rec store.Recovered) {
	r.life.OnStart(now, rec.Next, rec.Grant)
	r.cell.settings.OnStarted(r.Id)
	status := r.Host.Core().Status()
	r.behind = max(0, int(r.missed)-int(status.FirstOpen))
	r.cell.watch.Logs.OnStarted(r.Id, status)
	r.cell.watch.Logs.OnResumed(r.Id, &rec.Recovered, status)
	if r.cell.events.Wanted() {
		r.cell.publish(event.Started{Replica: r.Id, Boot: status.Boot, Status: status})
	}
}

func (r *replica) OnFailed() { r.cell.onFailed(r) }

func (r *replica) Delays(from sim.Addr, msg []byte) bool {
	return r.cell.faults.Delays(from, r.Env.Self(), msg)
}

func (r *replica) OnInput(now time.Time) { nudge(r, now) }

func (r *replica) OnClientMessage(now time.Time, from sim.Addr, msg []byte) (taken bool) {
	if x := r.cell.crowd; x != nil && from == x.Addr {
		x.Each(msg, func(from core.Addr, wire []byte, gathered bool) {
			if !gathered { // the checkers get the requests that begin a session, not KeepAlives
				r.cell.onRequest(r.Id, now, crowd.Name, wire)
			}
			r.Host.ClientMessage(now, from, crowd.Name, wire)
		})
		return true
	}
	who := model.PrincipalOn(from)
	if q, ok := r.cell.onRequest(r.Id, now, who, msg); ok {
		r.life.OnRequest(from, q)
		r.cell.faults.OnRequest(from, sim.Addr(r.Id), q)
		if r.cell.events.Wanted() {
			r.cell.publish(event.RequestReceived{Replica: r.Id, Local: now, From: who, Request: q})
		}
	}
	return false
}

func (r *replica) OnPeerMessage(now time.Time, from paxos.NodeID, wire string) {
	r.life.OnMessage(now, from, wire)
	if r.cell.events.Wanted() {
		r.cell.publish(event.MessageReceived{From: from, To: r.Id, Local: now, Wire: wire})
	}
}

func (r *replica) OnNoRoom(m driver.ClientMessage) {
	r.cell.rare.crushed++
	if p, err := api.DecodeReply(m.Wire); err == nil {
		r.cell.wanted.OnReply(uint64(r.Id), p)
		r.cell.caches.held.OnReply(uint64(r.Id), p)
		if r.cell.events.Wanted() {
			r.cell.publish(event.ReplySent{Replica: r.Id, Local: r.Now, To: model.PrincipalOn(sim.Addr(m.To)), Reply: p})
		}
	}
	r.cell.faults.OnSend(r.Env.Self(), sim.Addr(m.To), m.Wire)
}

func (r *replica) OnWoken(now time.Time) { r.life.OnWake(now) }

func (r *replica) OnOutput(out *model.Outcome) { r.life.OnOutput(out) }

func (r *replica) OnStopped(why error) { r.cell.watch.Rows.OnStopped(r.Id, why) }

func (r *replica) OnActed(out *model.Outcome) {
	r.tries, r.proposed = nil, nil
	if r.Host.Core() != nil {
		r.cell.watch.Calls.OnProposed(out.Proposed)
		var own []command.Command
		before := r.cell.handles.Intents.Begins
		r.tries, own = r.cell.handles.Intents.OnBegun(r.Id, out.Begun)
		r.cell.caches.held.OnBegun(uint64(r.Id), out.Begun)
		r.proposed = r.cell.handles.Intents.OnProposed(r.Id, out.Proposed)
		if out.Installed != nil {
			r.cell.watch.Snapshots.OnInstalled(r.Id, out.Installed)
		}
		if r.writing != nil {
			r.cell.watch.Snapshots.Sums += len(out.Applied)
		}
		r.cell.watch.OnApplied(r.Id, out.Applied)
		r.cell.settings.OnAnswers(r.Id, out.Limits)
		publishOutcome(r, out, r.proposed)
		r.cell.sessions.OnActed(r.Id, sessions.Presiding{Replica: r.Host.Core()}, r.Now, out, r.proposed, own)
		if n, m := r.Host.Core(), r.Host.Core().Master(); m.State.HasEpoch() && r.cell.crowd == nil {
			r.cell.shares.OnProposed(r.Id, n, m.Epoch, r.proposed, r.cell.handles.Intents.Waited(before))
			r.cell.shares.OnActed(r.Id, n, m.Epoch, out.Applied, r.proposed, func() bool { return shares.Several(n.Rows()) })
		}
		if r.cell.watch.Epochs.OnTenure(r.Id, r.Host.Core()) {
			s := r.Host.Core().Serving()
			r.cell.rare.onServing(s.Ballot)
			if r.cell.events.Wanted() {
				r.cell.publish(event.Serves{Replica: r.Id, Epoch: s.Epoch, Ballot: s.Ballot})
			}
			r.cell.sessions.OnServing(r.Id, r.Now)
			r.cell.caches.drops.OnEpoch(r.Host.Core().Serving().Epoch)
		}
		r.cell.onMasterActed(r)
		r.cell.caches.onActed(r.Id, out.Applied, r.Host.Core().Serving() != nil)
		r.cell.leases.Acted(r.Id)
		r.cell.checkConfig(r)
		if len(out.Reads) > 0 {
			r.cell.leases.ReadAlone(r.Id, r.Host.Core(), r.Now, r.cell.watch.Calls.Told)
		}
	}
}

func (r *replica) OnAnswering(out *model.Outcome) []driver.ClientMessage {
	r.still = len(out.Applied) == 0 && out.Installed == nil
	r.answered = r.answered[:0]
	if x := r.cell.crowd; x != nil {
		if bundle := x.Answers(out.Clients); len(bundle) > 0 {
			r.Env.Send(x.Addr, bundle)
		}
		return nil
	}
	return out.Clients
}

func (r *replica) OnReply(m driver.ClientMessage, reads []core.Read) {
	r.cell.onReply(r, m, reads)
	r.cell.faults.OnSend(r.Env.Self(), sim.Addr(m.To), m.Wire)
}

func (r *replica) OnSent(out *model.Outcome) {
	from := r.cell.watch.Disks[r.Id].Applied + 1 - paxos.Slot(len(out.Applied))
	r.cell.queues.OnActed(r.Id, from, r.answered, r.tries)
	if n := r.Host.Core(); n != nil && n.Serving() != nil && r.cell.hasAppliedAll(r.Id) {
		r.cell.queues.CheckFront(r.Id, n.Serving().Epoch, n.NodeOps().Waiting)
	}
	r.cell.sessions.OnStepDone(r.Id)
	if t := out.Tenure; t != nil && t.Mine {
		r.cell.rare.onTenure(t.Ballot, r.Host.Core().Status().Boot)
		r.cell.faults.OnTenure()
	}
	if len(out.Peers) > 0 && r.cell.faults.AwaitsProposal() && r.Host.Core().InFlight() > 0 {
		r.cell.faults.OnProposal()
	}
	if r.cell.faults.AwaitsStep() && r.Host.Core() != nil && r.Host.Core().IsLeader() {
		r.cell.faults.OnStep(r.proposed, out.Applied)
	}
	look(r)
	r.life.OnActed(r.Now, out, r.proposed)
}

// onMasterActed tells the checker of wanted locks that the master of the latest epoch has acted.
func (c *Cell) onMasterActed(r *replica) {
	if m := r.Host.Core().Master(); m.State.HasEpoch() && m.Epoch == c.watch.Epochs.Highest && c.crowd == nil {
		seat := &c.sessions.Seats[r.Id]
		lacks, sure := !c.hasAppliedAll(r.Id), seat.Since.Before(r.Now) && r.Now.Before(r.Host.Core().Lease())
		c.wanted.OnActed(uint64(r.Id), m.Epoch, r.Now, lacks, sure)
		c.caches.held.OnActed(uint64(r.Id), m.Epoch, r.Now, sure && !lacks && r.Host.Core().Serving() != nil)
	}
}

// publishOutcome publishes what the host has done in one act.
func publishOutcome(r *replica, out *model.Outcome, proposed []command.Command) {
	c := r.cell
	if !c.events.Wanted() {
		return
	}
	if t := out.Tenure; t != nil {
		c.publish(event.TenureChanged{Replica: r.Id, Tenure: *t})
	}
	if until := r.Host.Core().Lease(); !until.Equal(r.lease) {
		r.lease = until
		c.publish(event.LeaseChanged{Replica: r.Id, Local: r.Now, Until: until})
	}
	if out.Installed != nil {
		c.publish(event.SnapshotInstalled{Replica: r.Id, Slot: out.Installed.Handle.Slot})
	}
	if len(proposed) > 0 {
		c.publish(event.Proposed{Replica: r.Id, Commands: proposed})
	}
	for _, raw := range out.Refused {
		if refused, err := command.Decode(string(raw)); err == nil {
			c.publish(event.Refused{Replica: r.Id, Command: refused})
		}
	}
	for i := range out.Applied {
		c.publish(event.Applied{Replica: r.Id, Slot: out.Applied[i].Slot, Commands: out.Applied[i].Commands})
	}
}

// onRequest reports a request that a replica received to the checkers.
func (c *Cell) onRequest(id paxos.NodeID, now time.Time, who api.Principal, msg []byte) (q api.Request, ok bool) {
	q, err := api.DecodeRequest(msg)
	if err != nil {
		return q, false
	}
	c.handles.Requests.OnRequest(who, q)
	c.adversary.Hears(who, q, msg)
	if owner, known := c.rights.Opened[q.Session]; !known || owner == who {
		c.watch.Calls.OnRequest(id, q)
		c.sessions.OnRequest(id, now, q)
		c.caches.drops.OnRequest(now, q)
		c.caches.held.OnRequest(uint64(id), q)
		c.sequencers.OnRequest(q, c.handles.Grips.TiedTo(q.Op))
		token, _ := model.TokenIn(q.Op)
		c.queues.OnRequest(q, c.handles.Grips.Given[token], hasEpoch(c, id))
		c.wanted.OnRequest(uint64(id), q, c.handles.Grips.Given)
	}
	return q, true
}

// onReply reports a reply that leaves a replica to the checkers.
func (c *Cell) onReply(r *replica, m driver.ClientMessage, reads []core.Read) {
	p, err := api.DecodeReply(m.Wire)
	if err == nil {
		if p.Seq != 0 && p.Code.IsDefinite() {
			c.answers++
		}
		if c.events.Wanted() {
			c.publish(event.ReplySent{Replica: r.Id, Local: r.Now, To: model.PrincipalOn(sim.Addr(m.To)), Reply: p})
		}
		r.life.OnReply(sim.Addr(m.To), p)
		_, logged := c.watch.Calls.Effects[model.Call{Session: p.Session, Seq: p.Seq}]
		if !c.handles.Answers.OnReply(r.Id, model.PrincipalOn(sim.Addr(m.To)), p, logged) {
			return
		}
		c.locks.OnReply(r.Id, p)
		c.caches.onReply(c, r, p)
		c.sessions.OnReply(r.Id, r.Now, p)
		c.wanted.OnReply(uint64(r.Id), p)
		alone := func(x core.Read) bool { return x.Session == p.Session && x.Seq == p.Seq }
		if !logged && r.still && c.hasAppliedAll(r.Id) && slices.ContainsFunc(reads, alone) { // otherwise the replica repeats an earlier answer
			c.sequencers.OnReply(p)
		}
		r.answered = append(r.answered, p)
	}
	c.watch.Calls.OnReply(r.Id, p, err, reads)
	c.faults.OnAnswer()
}

func (r *replica) OnMessage(first bool, m driver.PeerMessage) {
	if first {
		r.wire, r.said, r.asks = "", nil, false
	}
	repeated := !first && !r.asks && string(m.Wire) == r.wire // the same message to another peer, in one act
	if !repeated {
		r.wire = string(m.Wire)
		r.said, r.asks = r.cell.watch.Claims.OnMessage(r.Id, m.To, r.wire)
	}
	r.life.OnSend(r.Now, m.To, r.wire, r.said, repeated)
	if r.cell.events.Wanted() {
		r.cell.publish(event.MessageSent{From: r.Id, To: m.To, Local: r.Now, Message: r.said, Wire: r.wire})
	}
	r.cell.faults.OnPeerMessage(r.Env.Self(), sim.Addr(m.To), m.Wire)
	r.cell.faults.OnSend(r.Env.Self(), sim.Addr(m.To), m.Wire)
}

// machineParty is a replica's machine, for the checker of leases.
type machineParty struct{ m *sim.Machine }

func (p machineParty) Clock() *sim.Clock { return p.m.Clock() }

func (p machineParty) Believes() leases.Beliefs {
	if r := running(p.m); r != nil && r.Host.Core() != nil {
		return r.Host.Core()
	}
	return nil
}
