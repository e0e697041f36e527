package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Options are what a user asks of a run. Zero values are drawn from the seed.
type Options struct {
	Seed     uint64
	Replicas int           // 1 to 7; 0: drawn from 3 to 7
	Clients  int           // machines with client programs; 0: drawn
	Duration time.Duration // of the safety phase; 0: 60 s
	Faults   []string      // families; nil: the swarm; empty: none
	Workload string        // ""
	Steady   bool          // nothing but faults keeps a client waiting: see steady
	Lease    LeaseOptions
	Fence    FenceOptions
	Tune     []string            // tunables that are set, not drawn, as "name=value"; see Tunables
	Trace    sim.Trace           // where to write what happens, if anywhere
	With     *scenario.Extension // what takes part beside what is built in; nil: nothing
	// Judge is the one property that ends a run when it breaks; "": any. What breaks of
	// others is noted in the Result. Panics end a run all the same.
	Judge string
	// Script has the faults of the run one by one; nil: they are drawn. Nothing else is drawn
	// otherwise for it.
	Script *Script
	// Record gets the faults of the run, as a Script that does the same; nil: nothing is noted.
	Record *Script
	// Listen is told of every event; nil: nothing is told. Listening changes nothing in the run.
	Listen event.Listener
	// Watchdog and Stuck are those of sim.Config, for code of an extension that hangs. They change nothing
	// in the run.
	Watchdog time.Duration
	Stuck    func(text string)
}

// LeaseOptions set apart what replicas are told about time and what their clocks
// do. The zero value draws both, with clocks that err as far as replicas are told
// they may. Whether faults aim at the margin between the two is a question of
// Faults: lease-edge does, all others do not.
type LeaseOptions struct {
	// Grant is paxos.Lease.Grant; 0: drawn; below 0: no leases. A Grant that is too
	// short for the drawn heartbeat is raised to the shortest that is not.
	Grant time.Duration
	// Rho is what replicas are configured with, at most 400,000; 0: drawn from 50 to
	// 200,000.
	Rho paxos.PPM
	// Error is the largest rate error of any clock, in thousandths of Rho, at most
	// 10,000; 0: 1,000, the bound itself. Above that S7 and S7b are expected to break.
	Error int
	// OnlyS7 leaves S7b unchecked, and has what breaks of other properties noted in the
	// Result, so that a run goes on until two replicas hold read authority at once.
	// Panics end it all the same.
	OnlyS7 bool
}

// Plan is one seed's whole configuration: everything a run depends on besides
// the code. Equal plans give equal runs.
type Plan struct {
	Seed     uint64
	Replicas int
	Clients  int
	Workload string
	Duration time.Duration
	Steady   bool // see Options
	Faults   []FaultPlan

	Driver driver.Config // of every replica, but for its id
	Store  store.Options
	Link   sim.LinkConfig
	Disk   sim.DiskConfig

	Backups BackupPlan // where Host.BackupEvery is set

	Grain   time.Duration // of replicas' timers: they ring late by less than that; 0: on time
	Busy    time.Duration // a replica takes in nothing for so long behind what it took in
	Misfit  Misfit
	Hoarder paxos.NodeID  // keeps more slots for laggards than Host says; 0: none
	Plain   bool          // clients are told who the replicas are, and nothing else
	RatePPB int64         // clocks err by up to so much; the bound is Host.Node.Paxos.Lease.Rho
	OnlyS7  bool          // a break of S7 alone ends the run, and S7b is not checked
	Fatal   time.Duration // before then, no disk is damaged so that its replica must stop
	Lull    time.Duration // faults rest for as long, time and again; 0: never
	Calls   CallPlan
	Watch   WatchPlan
	Caches  CachePlan
	Limits  LimitPlan
	Fence   FencePlan
	Hostile HostilePlan

	With  *scenario.Extension `json:"-"`
	Judge string              `json:",omitempty"`

	TrueClocks bool           `json:",omitempty"` // no clock errs but by a strike
	Script     *Script        `json:"-"`          // see Options
	Record     *Script        `json:"-"`
	Listen     event.Listener `json:"-"`
}

// Limits of what may be asked for.
const (
	MaxReplicas = 7
	MaxClients  = 64
	MaxDuration = 24 * time.Hour
)

// Check says what is wrong with the options, naming the flag.
func (o Options) Check() error {
	switch {
	case o.Replicas < 0 || o.Replicas > MaxReplicas:
		return fmt.Errorf("--replicas %d: a cell has 1 to %d", o.Replicas, MaxReplicas)
	case o.Clients < 0 || o.Clients > MaxClients:
		return fmt.Errorf("--clients %d: at most %d", o.Clients, MaxClients)
	case o.Duration < 0 || o.Duration > MaxDuration:
		return fmt.Errorf("--duration %v: between 0 and %.0fh", o.Duration, MaxDuration.Hours())
	case o.Workload != "" && !slices.ContainsFunc(Workloads(o.With), func(w WorkloadInfo) bool { return w.Name == o.Workload }):
		return fmt.Errorf("unknown workload %q; `sim list` names them all", o.Workload)
	}
	for _, f := range o.Faults {
		if err := faultNamed(f, o.With); err != nil {
			return err
		}
	}
	if o.Judge != "" && o.Lease.OnlyS7 {
		return fmt.Errorf("--judge %s: these leases have S7 judged alone", o.Judge)
	}
	if o.Script != nil {
		if err := o.Script.check(&o); err != nil {
			return err
		}
	}
	if err := o.Fence.check(); err != nil {
		return err
	}
	if err := tune(new(Plan), o.Tune); err != nil {
		return err
	}
	return o.Lease.check()
}

func (l LeaseOptions) check() error {
	switch {
	case l.Grant > time.Minute:
		return fmt.Errorf("leases of %v: at most a minute", l.Grant)
	case l.Rho < 0 || l.Rho > 400_000:
		return fmt.Errorf("a rate error of %d ppm: between 0 and 400000", l.Rho)
	case l.Error < 0 || l.Error > 10_000:
		return fmt.Errorf("an injected rate error of %d thousandths of the bound: between 0 and 10000", l.Error)
	}
	return nil
}

// NewPlan draws a plan. Each fact has draws of its own, so asking for one does
// not change the others.
func New(o Options) Plan {
	src := draw.New(o.Seed).Sub("plan", 0)
	at := func(site string) *draw.Stream { s := src.Stream(site, 0); return &s }
	p := Plan{Seed: o.Seed, Replicas: o.Replicas, Clients: o.Clients, Workload: o.Workload, Duration: o.Duration, Steady: o.Steady, With: o.With, Judge: o.Judge, Script: o.Script, Record: o.Record, Listen: o.Listen}
	if p.Replicas == 0 {
		p.Replicas = []int{3, 5, 4, 6, 7}[at("replicas").Weighted([]uint32{10, 6, 2, 1, 1})]
	}
	if p.Clients == 0 {
		p.Clients = int(at("clients").LogUniform(3, 8))
		if d := at("clients.many"); d.Chance(1, 8) {
			p.Clients = int(d.LogUniform(8, 50))
		}
	}
	if p.Workload == "" {
		p.Workload = drawWorkload(o.With, at)
	}
	if p.Duration == 0 {
		p.Duration = 60 * time.Second
	}
	p.faults(o.Faults, at)
	p.machines(at)
	p.product(src.Seed(), at)
	p.loop(at)
	p.leases(o.Lease, at)
	p.misfit(at)
	p.sessions(at)
	p.steady()
	p.calls(at)
	p.backups(at)
	p.quotas(at)
	switch p.Workload {
	case Storm:
		p.storm(o.Workload == Storm, o.Clients, at)
	case Big:
		p.big()
	}
	p.fence(o.Fence, at)
	p.hostile(at)
	p.narrow(at)
	p.fleeting(o.Faults == nil, at)
	p.watch(at)
	p.roomy()
	p.lasting()
	drawKeepLock(&p, at)
	drawCaches(&p, at)
	drawLimits(&p, at)
	if err := tune(&p, o.Tune); err != nil {
		panic(err) // Check refuses it
	}
	p.scripted()
	return p
}

// steady has no session end as idle, where that is asked for: a client that called
// nothing for a while waits for the end of its lease then. Nor is a replica or a link
// taken away after healing.
func (p *Plan) steady() {
	if p.Steady {
		p.Driver.Core.Sessions.IdleAfter = 0
	}
}
