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

// Options are what a user chooses for a run. Fields with zero values are drawn from the seed.
type Options struct {
	Seed     uint64
	Replicas int           // 1 to 7; 0: drawn from 3 to 7
	Clients  int           // machines with client programs; 0: drawn
	Duration time.Duration // of the safety phase; 0: 60 s
	Faults   []string      // kinds of faults; nil: the swarm, drawn by the seed; empty: none
	Workload string        // "": drawn
	Steady   bool          // only faults keep clients waiting: see steady
	Lease    LeaseOptions
	Fence    FenceOptions
	Tune     []string            // tunables that are set, not drawn, as "name=value": see Tunables
	Trace    sim.Trace           // where to write the trace, if at all
	With     *scenario.Extension // faults, workloads and checkers beside the built-in ones; nil: none
	// Judge is the only property whose break ends the run; "": every one. Breaks of other
	// properties are noted in the Result. Panics end the run in any case.
	Judge string
	// Script lists the faults of the run; nil: they are drawn. It does not change other draws.
	Script *Script
	// Record receives the faults of the run, as a Script that repeats them; nil: nothing is
	// recorded.
	Record *Script
	// Listen, if not nil, is called for every event. It must not change the run.
	Listen event.Listener
	// Watchdog and Stuck are those of sim.Config, for code of an extension that hangs. They do not
	// change the run.
	Watchdog time.Duration
	Stuck    func(text string)
}

// LeaseOptions separate the clock bound that replicas are configured with from what their clocks
// do. The zero value draws both, with clocks that err up to the bound. Only the fault lease-edge
// aims at the margin between the two.
type LeaseOptions struct {
	// Grant is paxos.Lease.Grant; 0: drawn; below 0: no leases. A Grant that is too short for the
	// drawn heartbeat is raised to the shortest one that is long enough.
	Grant time.Duration
	// Rho is the bound that replicas are configured with, at most 400,000; 0: drawn from 50 to
	// 200,000.
	Rho paxos.PPM
	// Error is the largest rate error of any clock, in thousandths of Rho, at most
	// 10,000; 0: 1,000, the bound itself. Above that S7 and S7b are expected to break.
	Error int
	// OnlyS7 leaves S7b unchecked, and only notes breaks of other properties in the Result, so that
	// a run continues until two replicas hold read authority at once. Panics end it in any case.
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

	Driver driver.Config // of every replica, except for its id
	Store  store.Options
	Link   sim.LinkConfig
	Disk   sim.DiskConfig

	Backups BackupPlan // if Driver.BackupEvery is not 0

	Grain   time.Duration // replicas' timers ring late by less than this; 0: on time
	Busy    time.Duration // how long a replica takes no input after each input
	Misfit  Misfit
	Hoarder paxos.NodeID  // keeps more slots for laggards than Driver.KeepSlots; 0: none
	Plain   bool          // clients are configured with the replicas, and defaults otherwise
	RatePPB int64         // the largest rate error of clocks; the configured bound is Driver.Core.Paxos.Lease.Rho
	OnlyS7  bool          // only a break of S7 ends the run, and S7b is not checked
	Fatal   time.Duration // true time before which no disk is damaged so much that its replica must stop
	Lull    time.Duration // the longest quiet period; 0: there are none
	Calls   CallPlan
	Watch   WatchPlan
	Caches  CachePlan
	Limits  LimitPlan
	Fence   FencePlan
	Hostile HostilePlan

	With  *scenario.Extension `json:"-"`
	Judge string              `json:",omitempty"`

	TrueClocks bool           `json:",omitempty"` // no clock errs except by a strike
	Script     *Script        `json:"-"`          // see Options
	Record     *Script        `json:"-"`
	Listen     event.Listener `json:"-"`
}

// Limits of Options.
const (
	MaxReplicas = 7
	MaxClients  = 64
	MaxDuration = 24 * time.Hour
)

// Check returns an error that names the flag whose value is invalid, or nil.
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

// New draws a plan. Each fact has draws of its own, so setting one in the options does not change
// the others. Check must accept the options.
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
	p.applyScript()
	return p
}

// steady applies Options.Steady. No session ends as idle, because the client would then wait for
// the end of its lease at its next call. Also, no replica and no link is taken away after healing
// (sim/cell).
func (p *Plan) steady() {
	if p.Steady {
		p.Driver.Core.Sessions.IdleAfter = 0
	}
}
