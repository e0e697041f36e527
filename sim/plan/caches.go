package plan

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// CachePlan describes the caches that clients keep.
type CachePlan struct {
	On       bool
	Small    bool          // half of the clients have small caches
	Handles  int           // how many closed handles a client keeps for the next Open
	Idle     time.Duration // for how long it keeps them
	Uncached uint64        // how many of 100 reads ask the master in any case
	// When a master tells a client to drop something, a fault of one of Kinds follows with a chance
	// of one in Aims. 0: no fault follows.
	Aims  uint64
	Kinds []string
	// KeepLock is for how long half of the handles keep a lock that was released, in case the
	// program acquires it again. 0: no handle does.
	KeepLock time.Duration
	// Deaf is the mean time between two requests of a deaf client (sim/adversary), which
	// acknowledges no drop. 0: there is none.
	Deaf time.Duration
}

// aimed are the kinds of faults that may follow a message to drop something.
var aimed = []string{"crash-leader", "isolate-leader", "pause-leader", "depose", "kill", "client-cut", "client-crash", "client-pause", "noise"}

// drawKeepLock makes handles keep locks in a third of the cells whose programs use nodes and whose
// sessions have leases. Without session leases no lock is kept.
func drawKeepLock(p *Plan, at func(string) *draw.Stream) {
	d := at("keep-lock")
	if keep := time.Duration(d.LogUniform(int64(10*time.Millisecond), int64(20*time.Second))); d.Chance(1, 3) &&
		(OnNodes(p.Workload) || p.Workload == Fenced) && p.Driver.Core.Sessions.LeaseMin > 0 {
		p.Caches.KeepLock = keep
	}
}

// drawCaches makes clients keep caches in half of the cells whose programs use nodes; these have session
// leases. Without master leases nothing is cached, so only few such cells are among them.
func drawCaches(p *Plan, at func(string) *draw.Stream) {
	d := at("caches")
	on := d.Chance(1, 2) || p.Workload == Registry && at("caches.registry").Chance(1, 2)
	leased := p.Driver.Core.Sessions.LeaseMin > 0 && p.Driver.Core.Paxos.Lease.Grant > 0
	if !leased {
		on = on && d.Chance(1, 4)
	}
	if p.Workload == Cached {
		on = true
	}
	if !on || !OnNodes(p.Workload) {
		return
	}
	p.Caches = CachePlan{
		KeepLock: p.Caches.KeepLock, On: true, Small: d.Chance(1, 3), Handles: int(d.LogUniform(1, 64)), Uncached: uint64(d.Between(0, 30)),
		Idle: time.Duration(d.LogUniform(int64(50*time.Millisecond), int64(10*time.Second))),
	}
	for _, f := range p.Faults {
		if slices.Contains(aimed, f.Name) {
			p.Caches.Kinds = append(p.Caches.Kinds, f.Name)
		}
	}
	if aims := uint64(d.LogUniform(2, 100)); d.Chance(1, 2) && len(p.Caches.Kinds) > 0 {
		p.Caches.Aims = aims
	}
	if deaf := time.Duration(d.LogUniform(int64(20*time.Millisecond), int64(400*time.Millisecond))); d.Chance(1, 3) && leased && !p.Calls.Narrow {
		p.Caches.Deaf = deaf
	}
	if p.Workload == Cached && p.Watch.Share == 0 && leased { // a read just after one write meets the next write
		p.Watch = WatchPlan{Share: 2, Slow: 10 * time.Millisecond}
	}
	events := &p.Driver.Core.NodeOps.Events // a drop may wait behind other events for one answer, but not for a lease
	events.PerAnswer = max(events.PerAnswer, min(2*events.PerSession, 64))
	limits := &p.Driver.Core.NodeOps.Caches
	if d.Chance(1, 2) {
		limits.PerSession = int(d.LogUniform(2, 24))
	}
	if d.Chance(1, 6) {
		limits.Total = int(d.LogUniform(1, 128))
	}
}
