package cell

import (
	"errors"
	"fmt"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/adversary"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/check/backups"
	"github.com/chubbycell/chubby/sim/check/beliefs"
	"github.com/chubbycell/chubby/sim/check/events"
	"github.com/chubbycell/chubby/sim/check/growth"
	"github.com/chubbycell/chubby/sim/check/handles"
	"github.com/chubbycell/chubby/sim/check/histories"
	"github.com/chubbycell/chubby/sim/check/leases"
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/check/sessions"
	"github.com/chubbycell/chubby/sim/check/shares"
	"github.com/chubbycell/chubby/sim/cluster"
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/conformance/lockwait"
	"github.com/chubbycell/chubby/sim/crowd"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/faults"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/resource"
	"github.com/chubbycell/chubby/sim/workload"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Cell is one simulated cell with its clients, its faults and its checkers.
type Cell struct {
	plan       plan.Plan
	world      *sim.World
	machines   *cluster.Machines
	configs    *cluster.Configs
	watch      *agreement.Checker
	rare       rare
	leases     *leases.Checker
	locks      *locks.Model
	nodes      *histories.Files
	holdings   *histories.Locks
	beliefs    *beliefs.Checker
	fencing    *beliefs.Fencing
	rights     *handles.Rights
	quotas     *handles.Quotas
	census     *handles.Census
	settings   *handles.Settings
	handles    *handles.Checker
	queues     *lockwait.Checker
	shares     *shares.Checker
	adversary  *adversary.Adversary
	deaf       *adversary.Deaf
	suffix     *clients.Suffix
	sessions   *sessions.Checker
	sequencers *locks.Sequencers
	promises   *beliefs.Promises
	left       bool           // publishStatus has run
	crowd      *crowd.Clients // nil except in experiments
	history    *histories.Rows
	told       *events.Checker
	wanted     *events.Wanted
	caches     *cacheBook

	faults     *faults.Faults
	growth     *growth.Checker
	backups    *backups.Checker
	reborn     bool           // a new cell was made of the newest backup
	rebornHash uint64         // of its world
	failures   int            // replicas that stopped because of their machine
	away       []*sim.Machine // replicas that are down or cut off on purpose after healing
	stars      int            // times that replicas heard each other only through a hub: see star

	load    *workload.Programs // what client programs do and have done
	answers uint64             // calls that replicas have answered, with those of the hostile client

	events   event.Stream
	checkers []added // those of an extension
}

// build makes the cell of a plan; nothing runs yet.
func build(p plan.Plan, cfg sim.Config) *Cell {
	c := &Cell{plan: p}
	cfg.Seed, cfg.Link, cfg.Steps = p.Seed, p.Link, maxSteps
	if p.Script != nil {
		cfg.LinkDraws = p.Script.LinkDraws
	}
	c.world = sim.New(cfg)
	c.machines, c.configs = cluster.NewMachines(&c.plan, c.world), cluster.NewConfigs(&c.plan, c.world)
	c.watch = agreement.New(c.world, p.Replicas, p.Driver.KeepSlots, around{c})
	c.watch.Budget.Fatal = p.Fatal
	c.locks = locks.New(c.world, paxos.PPM(p.RatePPB/1000))
	c.beliefs = beliefs.New(c.world)
	c.rights = handles.NewRights(c.world)
	c.quotas = handles.NewQuotas(c.world, c.rights)
	c.census = &handles.Census{World: c.world, Most: p.Driver.Core.MaxSessions}
	c.settings = handles.NewSettings(c.world)
	c.queues = lockwait.New(c.world, c.locks)
	c.shares = shares.New(c.world, p.Replicas, c.rights.Opened)
	intruder := model.PrincipalOn(sim.FirstClient + sim.Addr(p.Clients))
	c.handles = handles.New(c.world, c.rights, handles.NewRoom(p.Driver.Core.NodeOps, c.queues), intruder, known{c})
	c.suffix = clients.NewSuffix(c.world)
	c.sequencers = locks.NewSequencers(c.world, c.locks)
	c.sessions = sessions.New(c.world, p.Replicas, p.Driver.Core, known{c})
	c.nodes = histories.NewFiles(c.world, func(s api.SessionID) bool { return p.Added() || c.rights.Opened[s] == intruder })
	c.holdings = histories.NewLocks(c.locks, c.world)
	c.leases = leases.New(c.world, p.Replicas)
	c.growth = growth.New(c.world, &c.plan, bounded{c})
	c.backups = backups.New(c.world, &c.plan, c.watch.Snapshots)
	c.promises = beliefs.NewPromises(c.world, c.beliefs, c.sessions, c.leases.Parties, c.watch.Epochs)
	c.promises.OnEvent = c.onSessionEvent
	c.promises.Loose = p.RatePPB > 1000*int64(p.Driver.Core.Paxos.Lease.Rho) || p.Fence.Drift > 1000
	if c.leases.OnlyS7 = p.OnlyS7; p.OnlyS7 {
		c.world.JudgeOnly("S7")
	}
	if p.Judge != "" {
		c.world.JudgeOnly(p.Judge)
	}
	c.listen()
	c.history = histories.NewRows()
	c.told, c.wanted = events.New(c.world), events.NewWanted(c.world, c.locks)
	c.told.Room.Node, c.told.Room.Session = p.Driver.Core.NodeOps.Events.PerNode, p.Driver.Core.NodeOps.Events.PerSession
	c.caches = newCacheBook(c.world, &c.plan, c.wanted, c.sessions)
	r := resource.New(p.Fence.Mode)
	c.fencing = beliefs.NewFencing(c.world, c.beliefs, r)
	c.beliefs.Off = p.Workload == plan.Fenced && p.Fence.Drift > 1000
	c.load = workload.New(workload.Env{
		Plan: &c.plan, World: c.world, Events: &c.events, Replicas: c.machines.IDs(), Rows: c.history, Files: c.nodes, Locks: c.holdings,
		Beliefs: c.beliefs, Witness: witness{c}, Watching: watching{c.told, c.wanted}, Read: reads{c},
	})
	c.adversary = adversary.New(&c.plan, c.load, known{c})
	c.faults = faults.New(faults.Env{Plan: &c.plan, World: c.world, Events: &c.events, Budget: c.watch.Budget, Cluster: victims{c}, Facts: known{c}})
	for i := range p.Replicas {
		m := c.machines.AddReplica(newReplica(c, paxos.NodeID(i+1)))
		c.faults.SpoilFar(m)
		c.leases.Parties[i+1] = machineParty{m}
	}
	for i := range p.Clients {
		c.machines.AddClient(c.load.Program(i))
	}
	c.load.AddFence(r, c.fencing, c.machines.Clients, c.machines.Clock())
	if p.Hostile.Gap > 0 {
		c.adversary.Join(c.world, c.machines.Clock())
	}
	c.deaf = adversary.NewDeaf(&c.plan, c.load)
	if p.Caches.Deaf > 0 {
		c.deaf.Join(c.world, c.machines.Clock())
	}
	return c
}

// maxSteps is the number of events that ends a run: a run that needs more does not end by itself.
const maxSteps = 50_000_000

// start starts the machines, the faults, and the operator that sets limits.
func (c *Cell) start() {
	c.machines.Start()
	c.faults.Begin(c.machines.Replicas, c.machines.Clients)
	c.scheduleLimits(0)
}

// heal ends the safety phase: it ends every fault that is in force, and starts every replica that
// is down.
func (c *Cell) heal() {
	c.promises.Healed = true
	c.faults.Heal()
	c.load.Waits.Heals(c.world.Now())
	c.machines.Heal()
	if c.events.Wanted() {
		c.publish(event.Healed{})
	}
}

// onRefused is called when a replica could not open its store. lost reports whether a register had
// lost both its copies at that moment. A replica must not refuse an undamaged disk, nor damage that
// the product can repair or locate (S17). Permanent damage ends this replica for the run, unless
// the disk call that failed may succeed the next time.
func (c *Cell) onRefused(r *replica, err error, lost bool) {
	transient := errors.Is(err, vfs.ErrIO) || errors.Is(err, vfs.ErrNoSpace)
	mem := c.world.Machine(sim.Addr(r.Id)).Disk().Mem()
	switch {
	case !c.watch.Budget.IsHurt(r.Id) && !transient:
		c.world.Break("S17", "replica %d refuses a log that no fault but power cuts has touched: %v", r.Id, err)
	case !transient && !lost && !c.watch.Budget.IsDoomed(r.Id) && !damage.HalfWritten(mem):
		c.world.Break("S17", "replica %d refuses a disk whose damage it can bear: %v", r.Id, err)
	case c.watch.Budget.IsHurt(r.Id) && (!transient || damage.IsSpoilt(mem)):
		if !c.watch.Budget.IsDead(r.Id) {
			c.watch.Rot.Stopped++
		}
		c.watch.Budget.Bury(r.Id, damage.HalfWritten(mem))
	}
}

// onFailed is called when a replica stopped because its machine failed. An operator starts the
// replica again, unless its damage is known to be permanent.
func (c *Cell) onFailed(r *replica) {
	c.failures++
	c.retire(r)
	c.correctConfig(r)
	if c.watch.Budget.IsDead(r.Id) {
		return
	}
	m := c.world.Machine(sim.Addr(r.Id))
	d := c.world.Draw("cell.repair", uint64(c.failures))
	m.StartAfter(faults.Outage(d))
}

// String names the cell in panics.
func (c *Cell) String() string {
	return fmt.Sprintf("seed %d: %d replicas, %d clients, %s", c.plan.Seed, c.plan.Replicas, c.plan.Clients, c.watch)
}

// onExecuted is called for each command when the first replica applies it, with its position in the
// log.
func (c *Cell) onExecuted(a *command.Applied, at linearizability.Position) {
	if c.events.Wanted() {
		e := event.Executed{At: at, Command: a}
		if a.Command == nil {
			e.Raw = c.watch.CommandAt(at)
		}
		c.publish(e)
	}
	c.sequencers.OnCommand(a)
	c.holdings.OnCommand(a, at)
	if t := c.locks.OnCommand(a, paxos.Slot(at.Slot)); t != nil {
		c.nodes.OnTaken(at, t.Node, t.Gen)
	}
	c.nodes.OnCommand(a, at)
	c.beliefs.OnCommand(a)
	c.rights.OnCommand(a)
	c.quotas.OnCommand(a)
	c.census.OnCommand(a)
	c.settings.OnCommand(a)
	c.promises.OnCommand(a)
	c.queues.OnCommand(a, paxos.Slot(at.Slot))
	c.wanted.OnCommand(a)
	c.caches.held.OnCommand(a)
	c.handles.Grips.OnCommand(a)
	if c.caches.on {
		c.caches.reads.OnCommand(a)
	}
	if c.plan.Watch.Share > 0 {
		c.told.OnCommand(a)
	}
}

// around is the cell as the agreement checker sees it.
type around struct{ c *Cell }

func (a around) Executed(x *command.Applied, at linearizability.Position) { a.c.onExecuted(x, at) }
func (a around) Bid(id paxos.NodeID, b paxos.Ballot)                      { a.c.onBid(id, b) }
func (a around) HasAuthority(id paxos.NodeID) bool                        { return a.c.hadAuthority(id) }
func (a around) HoldsLock(k model.Call) bool                              { return a.c.locks.IsGranted(k) }
func (a around) DifferingRows(id paxos.NodeID, s paxos.Slot) string       { return a.c.differingRows(id, s) }

// hasAppliedAll reports whether a replica has applied every slot that any replica has applied.
func (c *Cell) hasAppliedAll(id paxos.NodeID) bool { return c.watch.Disks[id].Applied == c.watch.Top }

// hasEpoch reports whether a replica believes that it is the master, and has an epoch.
func hasEpoch(c *Cell, id paxos.NodeID) bool {
	r := running(c.world.Machine(sim.Addr(id)))
	return r != nil && r.Host.Core() != nil && r.Host.Core().Master().State.HasEpoch()
}

// hadAuthority reports whether a replica had read authority when it last read its clock.
func (c *Cell) hadAuthority(id paxos.NodeID) bool {
	r := running(c.world.Machine(sim.Addr(id)))
	return r != nil && r.Host.Core() != nil && r.Now.Before(r.Host.Core().Lease())
}
