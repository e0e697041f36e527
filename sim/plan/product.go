package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim"
)

// product draws the tunables of the product, down to the smallest that work.
func (p *Plan) product(seed uint64, at func(string) *draw.Stream) {
	small := func(site string, hi int64) int { return int(at(site).LogUniform(1, hi)) }
	p.Driver = driver.DefaultConfig()
	c := &p.Driver.Core.Paxos
	c.Seed = seed
	c.Window = small("paxos.window", 64)
	c.MaxBatchCommands = small("paxos.batch", 64)
	c.PageVotes = small("paxos.page", 256)
	if d := at("paxos.ahead"); d.Chance(1, 2) { // with less, each slot would wait for a Chosen or for a retransmission
		c.MaxAhead = int(d.LogUniform(4*int64(c.Window), 1<<12))
	}
	c.FetchSlots = small("paxos.fetch", 256)
	c.PageBytes = int(at("paxos.page-bytes").LogUniform(64, 1<<20))
	c.Heartbeat = at("paxos.heartbeat").Duration(40*time.Millisecond, 250*time.Millisecond)
	c.ElectionMin = 2*c.Heartbeat + at("paxos.election").Duration(20*time.Millisecond, 500*time.Millisecond)
	c.ElectionMax = c.ElectionMin + at("paxos.election-spread").Duration(20*time.Millisecond, 500*time.Millisecond)
	c.Retransmit = at("paxos.retransmit").Duration(20*time.Millisecond, 200*time.Millisecond)
	p.Driver.Core.ChecksumEvery = time.Duration(at("node.checksum").LogUniform(int64(300*time.Millisecond), int64(20*time.Second)))
	p.Driver.Core.ChecksumRows = int(at("node.checksum-rows").LogUniform(50, 1<<12))
	p.Driver.FlushAfter = at("host.flush").Duration(5*time.Millisecond, 300*time.Millisecond)
	p.Driver.IdleAfter = at("host.idle").Duration(5*time.Millisecond, time.Second)
	p.Driver.SnapshotEvery = paxos.Slot(at("host.snapshot").LogUniform(1, 1000))
	// In half of the cells the number of slots triggers snapshots, in the others the number of
	// bytes may.
	p.Driver.SnapshotBytes, p.Driver.SnapshotPercent = 1<<40, 0
	if d := at("host.snapshot-bytes"); d.Chance(1, 2) {
		p.Driver.SnapshotBytes, p.Driver.SnapshotPercent = d.LogUniform(1, 1<<19), d.Int(101)
	}
	p.Driver.KeepSlots = paxos.Slot(at("host.keep").LogUniform(1, 500)) - 1
	p.Driver.PieceBytes = int(at("host.piece").LogUniform(1<<9, 1<<16))
	p.Driver.RetryAfter = at("host.retry").Duration(20*time.Millisecond, time.Second)
	p.Driver.HoldFor = at("host.hold").Duration(10*time.Millisecond, 5*time.Second)
}

// loop draws how long the goroutine of a replica is busy after each input, so that messages wait,
// and how many messages of clients it then takes before it acts. In half of the cells it takes each
// input at once, and alone.
func (p *Plan) loop(at func(string) *draw.Stream) {
	d := at("loop")
	p.Driver.Inbox.Burst = 1
	if d.Chance(1, 2) {
		p.Driver.Inbox.Burst = int(d.LogUniform(1, 64))
		p.Busy = time.Duration(d.LogUniform(int64(20*time.Microsecond), int64(3*time.Millisecond)))
		p.Driver.Inbox.Calls, p.Driver.Inbox.KeepAlives = int(d.LogUniform(8, 512)), int(d.LogUniform(64, 512))
	}
}

// quotas draws low quotas for nodes, in a third of the cells whose programs can work with them.
func (p *Plan) quotas(at func(string) *draw.Stream) {
	d := at("quotas")
	if p.Workload != "files" && p.Workload != "rights" || !d.Chance(1, 3) {
		return
	}
	room := func(nodes int64, values int64) tree.Usage {
		return tree.Usage{Nodes: uint64(d.Between(2, nodes)), Bytes: uint64(64 + d.LogUniform(1, values*int64(p.Calls.Value)))}
	}
	p.Driver.Core.Founding.Limits = tree.Limits{Principal: room(24, 16), Directory: room(14, 8)}
}

// LimitPlan describes how an operator changes limits of the cell.
type LimitPlan struct {
	Every    time.Duration // mean time between two changes, until healing; 0: never
	Sessions int           // the lowest limit of sessions; 0: that limit is not changed
}

// drawLimits makes an operator change limits in one in four of the cells whose programs can work
// with low limits.
func drawLimits(p *Plan, at func(string) *draw.Stream) {
	d := at("limits")
	if p.Workload != "files" && p.Workload != "rights" || !d.Chance(1, 4) {
		return
	}
	p.Limits.Every = time.Duration(d.LogUniform(int64(500*time.Millisecond), int64(20*time.Second)))
	if p.Hostile.Gap == 0 && p.Caches.Deaf == 0 && p.Driver.Core.Sessions.LeaseMin > 0 {
		p.Limits.Sessions = p.Clients + 1 + d.Int(8)
	}
}

// leases draws the clock bound of replicas, and the errors of their clocks. In one seed of four
// there are no master leases, so that leaders change more often.
func (p *Plan) leases(o LeaseOptions, at func(string) *draw.Stream) {
	c := &p.Driver.Core.Paxos
	rho := paxos.PPM(at("clock.rate").LogUniform(50, 200_000))
	if o.Rho != 0 {
		rho = o.Rho
	}
	p.Plain = rho <= PlainRho && at("plain").Chance(1, 3)
	if o.Error == 0 {
		o.Error = 1000
	}
	p.RatePPB, p.OnlyS7 = min(int64(rho)*int64(o.Error), MaxRatePPB), o.OnlyS7
	least := leastGrant(c.Heartbeat, rho)
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

// leastGrant returns the grant whose Term is one and a half heartbeats: it is short, but can be
// renewed in time.
func leastGrant(heartbeat time.Duration, rho paxos.PPM) time.Duration {
	return max(heartbeat*3/2*time.Duration(1_000_000+rho)/time.Duration(1_000_000-rho), 200*time.Millisecond)
}

// PlainRho is the default of client.Config.Rho: 1 in 1000. Clients may assume a larger clock error
// than replicas.
const PlainRho = 1000

// PlainGrace is the default of client.Config.Grace: how long a client waits in jeopardy (C11.17).
const PlainGrace = 45 * time.Second

// sessions draws the leases of sessions, and how long a new master keeps ephemeral nodes for
// sessions that had them open. In half of the cells without handles, sessions live for ever.
func (p *Plan) sessions(at func(string) *draw.Stream) {
	d := at("sessions")
	on := d.Chance(1, 2) || OnNodes(p.Workload) || p.Workload == Fenced || p.Added()
	least := time.Duration(d.LogUniform(int64(500*time.Millisecond), int64(12*time.Second)))
	s := session.Config{
		LeaseMin: least, LeaseMax: d.Duration(least, 20*time.Second),
		KeepAliveRate: int(d.LogUniform(1, 100)),
	}
	if d.Chance(1, 2) {
		s.IdleAfter = time.Duration(d.LogUniform(int64(20*time.Millisecond), int64(time.Minute)))
	}
	p.Driver.Core.NodeOps.SweepAfter = time.Duration(at("desk.sweep").LogUniform(int64(200*time.Millisecond), int64(time.Minute)))
	p.Driver.Core.Sessions = session.Config{}
	if on {
		p.Driver.Core.Sessions = s
	}
}

// MaxRatePPB is the largest rate error of a clock, which leaves every clock running.
const MaxRatePPB = 900_000_000

// Grained returns when a replica's timer rings that is set to t.
func (p *Plan) Grained(t time.Time) time.Time {
	if p.Grain == 0 || t.IsZero() {
		return t
	}
	return t.Add(p.Grain - 1).Truncate(p.Grain)
}

func (p *Plan) machines(at func(string) *draw.Stream) {
	delay := at("link.delay")
	base := time.Duration(delay.LogUniform(int64(100*time.Microsecond), int64(8*time.Millisecond)))
	p.Link.Delay = sim.Table{base, base + base/4, base + base/2, 2 * base, 4 * base}
	if d := at("link.hints"); d.Chance(3, 4) { // otherwise no transport gives hints
		p.Link.Hints = uint32(d.Between(200_000, 1_000_000))
	}
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
