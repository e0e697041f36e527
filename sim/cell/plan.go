package cell

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/host"
	"github.com/chubbycell/chubby/replica/session"
	"github.com/chubbycell/chubby/replica/store"
	"github.com/chubbycell/chubby/replica/tree"
	"github.com/chubbycell/chubby/sim"
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
	Lease    LeaseOptions
	Fence    FenceOptions
	Trace    sim.Trace           // where to write what happens, if anywhere
	With     *scenario.Extension // what takes part beside what is built in; nil: nothing
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
	// OnlyS7 leaves S7b unchecked, so that a run goes on until two replicas hold
	// read authority at once.
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
	Faults   []FaultPlan

	Host  host.Config // of every replica, but for its id
	Store store.Options
	Link  sim.LinkConfig
	Disk  sim.DiskConfig

	Backups BackupPlan // where Host.BackupEvery is set

	Grain   time.Duration // of replicas' timers: they ring late by less than that; 0: on time
	Misfit  Misfit
	Hoarder paxos.NodeID  // keeps more slots for laggards than Host says; 0: none
	Plain   bool          // clients are told who the replicas are, and nothing else
	RatePPB int64         // clocks err by up to so much; the bound is Host.Node.Paxos.Lease.Rho
	OnlyS7  bool          // S7b is not checked
	Fatal   time.Duration // before then, no disk is damaged so that its replica must stop
	Lull    time.Duration // faults rest for as long, time and again; 0: never
	Calls   CallPlan
	Fence   FencePlan
	Hostile HostilePlan

	With *scenario.Extension `json:"-"`
}

// FaultPlan is one family that is on.
type FaultPlan struct {
	Name string
	Mean time.Duration // between strikes
}

// CallPlan shapes what client programs do.
type CallPlan struct {
	Threads  int           // programs on each client machine
	Think    time.Duration // longest pause between two calls of a program
	Patience time.Duration // a call is given up after this
	Groups   int           // groups of rows
	Keys     int           // rows in a group
	Hot      uint64        // percent of calls on the one contended row
	Value    int           // longest value, bytes
	Grace    time.Duration // clients wait at most so long to hear that their session is alive
	Delay    time.Duration // half the longest lock-delay
	Narrow   bool          // masters take little at a time
	Slim     bool          // so do half of the clients
	Share    uint64        // of four programs in a storm, how many use a handle that another one opened
	Weights  [6]uint32     // of get, put, delete, compare-and-set, list, increment
}

// Limits of what may be asked for.
const (
	MaxReplicas = 7
	MaxClients  = 64
)

// Check says what is wrong with the options, naming the flag.
func (o Options) Check() error {
	switch {
	case o.Replicas < 0 || o.Replicas > MaxReplicas:
		return fmt.Errorf("--replicas %d: a cell has 1 to %d", o.Replicas, MaxReplicas)
	case o.Clients < 0 || o.Clients > MaxClients:
		return fmt.Errorf("--clients %d: at most %d", o.Clients, MaxClients)
	case o.Duration < 0 || o.Duration > 24*time.Hour:
		return fmt.Errorf("--duration %v: between 0 and 24h", o.Duration)
	case o.Workload != "" && !slices.ContainsFunc(workloadsWith(o.With), func(w workload) bool { return w.name == o.Workload }):
		return fmt.Errorf("unknown workload %q; `chubby sim list` names them all", o.Workload)
	}
	for _, f := range o.Faults {
		if _, err := familyNamed(f, o.With); err != nil {
			return err
		}
	}
	if err := o.Fence.check(); err != nil {
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

// ParseFaults reads the value of --faults: swarm, none, all, or names with
// commas. All families together share the rate of strikes that a seed draws, as
// the families of a swarm do.
func ParseFaults(s string, with *scenario.Extension) ([]string, error) {
	switch s {
	case "", "swarm":
		return nil, nil
	case "none":
		return []string{}, nil
	case "all":
		return everyFamily(with), nil
	}
	names := strings.Split(s, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
		if _, err := familyNamed(names[i], with); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// NewPlan draws a plan. Each fact has draws of its own, so asking for one does
// not change the others.
func NewPlan(o Options) Plan {
	src := draw.New(o.Seed).Sub("plan", 0)
	at := func(site string) *draw.Stream { s := src.Stream(site, 0); return &s }
	p := Plan{Seed: o.Seed, Replicas: o.Replicas, Clients: o.Clients, Workload: o.Workload, Duration: o.Duration, With: o.With}
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
	p.leases(o.Lease, at)
	p.misfit(at)
	p.sessions(at)
	p.calls(at)
	p.backups(at)
	p.quotas(at)
	switch p.Workload {
	case workStorm:
		p.storm(o.Workload == workStorm, o.Clients, at)
	case workBig:
		p.big()
	}
	p.fence(o.Fence, at)
	p.hostile(at)
	p.narrow(at)
	p.fleeting(o.Faults == nil, at)
	p.roomy()
	p.lasting()
	return p
}

// roomy gives many programs a log whose segments hold several of their commands, and
// whose slots hold so many that each program may have one done in four seconds. Where
// each is a segment of its own, on a slow disk, or a slot of its own that waits for the
// one before, ten a second are all that there is; what programs give up is done all the
// same, and is not over for minutes.
func (p *Plan) roomy() {
	programs := p.Clients * p.Calls.Threads
	if programs <= mostInNarrow {
		return
	}
	p.Store.SegmentSize = max(p.Store.SegmentSize, min(4*int64(p.Calls.Value), 1<<14))
	log := &p.Host.Node.Paxos
	least := time.Duration(programs) * p.agreement() / (4 * time.Second) // under way at one time
	log.MaxBatchCommands = max(log.MaxBatchCommands, int(least)/log.Window)
}

// agreement is about how long a slot takes: there and back, a sync at either end, and
// those of the snapshots that come between, on the same disk.
func (p *Plan) agreement() time.Duration {
	sync := mean(p.Disk.Sync)
	return 2*mean(p.Link.Delay) + 2*sync + snapshotSyncs*sync/time.Duration(p.Host.SnapshotEvery)
}

// snapshotSyncs is about how often a snapshot of one chunk syncs: its file, its
// directory, the manifest of the log that it lets go of.
const snapshotSyncs = 6

func mean(t sim.Table) (d time.Duration) {
	for _, x := range t {
		d += x
	}
	return d / time.Duration(len(t))
}

// faults switches families on or off with even chances. A seed has one total
// rate of strikes, from one in four seconds to three in one, shared out among
// its families by weights: many families at full rate each would only hide what
// the others do.
func (p *Plan) faults(asked []string, at func(string) *draw.Stream) {
	on, weight := at("faults.on"), at("faults.weight")
	var weights []int64
	var sum int64
	for _, f := range familiesWith(p.With) {
		use, w := on.Chance(1, 2), weight.LogUniform(1, 32)
		if asked != nil {
			use = slices.Contains(asked, f.name)
		}
		if use {
			p.Faults = append(p.Faults, FaultPlan{Name: f.name})
			weights = append(weights, w)
			sum += w
		}
	}
	gap := at("faults.gap").LogUniform(int64(300*time.Millisecond), int64(4*time.Second))
	for i, w := range weights {
		p.Faults[i].Mean = time.Duration(gap * sum / w)
	}
	if at("faults.lull").Chance(1, 2) {
		p.Lull = at("faults.lull-length").Duration(2*time.Second, 15*time.Second)
	}
}

func (p *Plan) machines(at func(string) *draw.Stream) {
	delay := at("link.delay")
	base := time.Duration(delay.LogUniform(int64(100*time.Microsecond), int64(8*time.Millisecond)))
	p.Link.Delay = sim.Table{base, base + base/4, base + base/2, 2 * base, 4 * base}
	disk := at("disk.speed")
	sync := time.Duration(disk.LogUniform(int64(100*time.Microsecond), int64(10*time.Millisecond)))
	quick := 20 * time.Microsecond
	p.Disk = sim.DiskConfig{
		Read:  sim.Table{quick, 2 * quick},
		Write: sim.Table{quick, quick, 2 * quick, 5 * quick},
		Sync:  sim.Table{sync, sync + sync/4, sync + sync/2, 3 * sync},
		Meta:  sim.Table{quick, 2 * quick},
	}
	if d := at("disk.width"); d.Chance(1, 3) {
		p.Disk.PerKiB = time.Duration(d.LogUniform(int64(time.Microsecond), int64(200*time.Microsecond)))
	}
	p.Fatal = at("disk.fatal").Duration(p.Duration/3, p.Duration)
	p.Store.SegmentSize = at("store.segment").LogUniform(1<<9, 1<<20)
	p.Store.ChunkSize = int(at("store.chunk").LogUniform(1<<10, 1<<18))
}

// product draws the tunables of the product, down to the smallest that work.
func (p *Plan) product(seed uint64, at func(string) *draw.Stream) {
	small := func(site string, hi int64) int { return int(at(site).LogUniform(1, hi)) }
	p.Host = host.DefaultConfig()
	c := &p.Host.Node.Paxos
	c.Seed = seed
	c.Window = small("paxos.window", 64)
	c.MaxBatchCommands = small("paxos.batch", 64)
	c.PageVotes = small("paxos.page", 256)
	if d := at("paxos.ahead"); d.Chance(1, 2) { // less, and each slot waits for a Chosen or to be sent again
		c.MaxAhead = int(d.LogUniform(4*int64(c.Window), 1<<12))
	}
	c.FetchSlots = small("paxos.fetch", 256)
	c.PageBytes = int(at("paxos.page-bytes").LogUniform(64, 1<<20))
	c.Heartbeat = at("paxos.heartbeat").Duration(40*time.Millisecond, 250*time.Millisecond)
	c.ElectionMin = 2*c.Heartbeat + at("paxos.election").Duration(20*time.Millisecond, 500*time.Millisecond)
	c.ElectionMax = c.ElectionMin + at("paxos.election-spread").Duration(20*time.Millisecond, 500*time.Millisecond)
	c.Retransmit = at("paxos.retransmit").Duration(20*time.Millisecond, 200*time.Millisecond)
	p.Host.Node.ChecksumEvery = time.Duration(at("node.checksum").LogUniform(int64(300*time.Millisecond), int64(20*time.Second)))
	p.Host.Node.ChecksumRows = int(at("node.checksum-rows").LogUniform(50, 1<<12))
	p.Host.FlushAfter = at("host.flush").Duration(5*time.Millisecond, 300*time.Millisecond)
	p.Host.IdleAfter = at("host.idle").Duration(5*time.Millisecond, time.Second)
	p.Host.SnapshotEvery = paxos.Slot(at("host.snapshot").LogUniform(1, 1000))
	p.Host.KeepSlots = paxos.Slot(at("host.keep").LogUniform(1, 500)) - 1
	p.Host.PieceBytes = int(at("host.piece").LogUniform(1<<9, 1<<16))
	p.Host.RetryAfter = at("host.retry").Duration(20*time.Millisecond, time.Second)
	p.Host.HoldFor = at("host.hold").Duration(10*time.Millisecond, 5*time.Second)
}

// quotas draws cells in which there is little room, for programs that use nodes and
// are content with less.
func (p *Plan) quotas(at func(string) *draw.Stream) {
	d := at("quotas")
	if p.Workload != "files" && p.Workload != "rights" || !d.Chance(1, 3) {
		return
	}
	room := func(nodes int64, values int64) tree.Usage {
		return tree.Usage{Nodes: uint64(d.Between(2, nodes)), Bytes: uint64(64 + d.LogUniform(1, values*int64(p.Calls.Value)))}
	}
	p.Host.Node.Founding.Limits = tree.Limits{Principal: room(24, 16), Directory: room(14, 8)}
}

// leases draws what replicas are told of time, and what their clocks do. In one
// seed of four there are no leases: leaders change more often then.
func (p *Plan) leases(o LeaseOptions, at func(string) *draw.Stream) {
	c := &p.Host.Node.Paxos
	rho := paxos.PPM(at("clock.rate").LogUniform(50, 200_000))
	if o.Rho != 0 {
		rho = o.Rho
	}
	p.Plain = rho <= plainRho && at("plain").Chance(1, 3)
	if o.Error == 0 {
		o.Error = 1000
	}
	p.RatePPB, p.OnlyS7 = min(int64(rho)*int64(o.Error), maxRatePPB), o.OnlyS7
	// A term of one and a half heartbeats is short, and renewed in time.
	least := c.Heartbeat * 3 / 2 * time.Duration(1_000_000+rho) / time.Duration(1_000_000-rho)
	least = max(least, 200*time.Millisecond)
	grant := time.Duration(at("lease.grant").LogUniform(int64(least), int64(max(2*least, 3*time.Second))))
	if at("lease.off").Chance(1, 4) && o == (LeaseOptions{Error: 1000}) {
		grant = 0
	}
	if o.Grant != 0 {
		grant = max(o.Grant, least)
	}
	if o.Grant < 0 {
		grant = 0
	}
	c.Lease = paxos.Lease{Grant: grant, Rho: rho}
}

// plainRho is what clients take clocks for that are told nothing: 1 in 1000. They may
// take them for worse than replicas do.
const plainRho = 1000

// plainGrace is how long a client that is told nothing waits in jeopardy (C11.17).
const plainGrace = 45 * time.Second

// onNodes says that a workload uses files and locks.
func onNodes(workload string) bool {
	return slices.Contains([]string{"files", "locks", "rights", workStorm, workChurn, workBig}, workload)
}

// sessions draws how long sessions live without a word of their clients, and how
// long ephemeral nodes wait for who had them open. In half of the cells without
// handles sessions live for ever.
func (p *Plan) sessions(at func(string) *draw.Stream) {
	d := at("sessions")
	on := d.Chance(1, 2) || onNodes(p.Workload) || p.Workload == workFenced || p.added()
	least := time.Duration(d.LogUniform(int64(500*time.Millisecond), int64(12*time.Second)))
	s := session.Config{
		LeaseMin: least, LeaseMax: d.Duration(least, 20*time.Second),
		KeepAliveRate: int(d.LogUniform(1, 100)),
	}
	if d.Chance(1, 2) {
		s.IdleAfter = time.Duration(d.LogUniform(int64(20*time.Millisecond), int64(time.Minute)))
	}
	p.Host.Node.Desk.SweepAfter = time.Duration(at("desk.sweep").LogUniform(int64(200*time.Millisecond), int64(time.Minute)))
	p.Host.Node.Sessions = session.Config{}
	if on {
		p.Host.Node.Sessions = s
	}
}

// maxRatePPB leaves every clock running.
const maxRatePPB = 900_000_000

func (p *Plan) calls(at func(string) *draw.Stream) {
	p.Calls = CallPlan{
		Threads:  int(at("calls.threads").Between(1, 4)),
		Patience: at("calls.patience").Duration(200*time.Millisecond, 8*time.Second),
		Groups:   int(at("calls.groups").Between(1, 6)),
		Keys:     int(at("calls.keys").Between(1, 12)),
		Hot:      uint64(at("calls.hot").Between(25, 60)),
		Value:    int(at("calls.value").LogUniform(1, 4096)),
		Grace:    time.Duration(at("calls.grace").LogUniform(int64(4*time.Second), int64(45*time.Second))),
		Delay:    at("calls.delay").Duration(0, 2*time.Second),
	}
	// About 1,500 calls in the safety phase, whatever the number of programs.
	programs := time.Duration(p.Clients * p.Calls.Threads)
	p.Calls.Think = 2 * p.Duration * programs / 1500
	w := at("calls.weights")
	for i := range p.Calls.Weights {
		p.Calls.Weights[i] = uint32(w.Between(1, 8))
		if w.Chance(1, 4) {
			p.Calls.Weights[i] = 0
		}
	}
	p.Calls.Slim = !p.Plain && at("slim").Chance(1, 3)
	p.Calls.Weights[0]++ // something reads
	p.Calls.Weights[1]++ // something writes
}

// grained is when a timer of a replica rings that is set to t.
func (p *Plan) grained(t time.Time) time.Time {
	if p.Grain == 0 || t.IsZero() {
		return t
	}
	return t.Add(p.Grain - 1).Truncate(p.Grain)
}
