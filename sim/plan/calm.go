package plan

import (
	"cmp"
	"time"

	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// Calm returns the plan of a cell for experiments: replicas in their default configuration, on fast
// disks and a fast network, without faults and without clients. The experiment adds its clients. 0
// replicas means 5.
func Calm(seed uint64, replicas int) Plan {
	p := New(Options{Seed: seed, Replicas: cmp.Or(replicas, 5), Clients: 1, Faults: []string{}, Workload: "mixed"})
	p.Clients, p.Hostile, p.Caches = 0, HostilePlan{}, CachePlan{}
	p.Grain, p.Busy, p.Lull, p.Misfit, p.Hoarder = 0, 0, 0, Misfit{}, 0
	drawn := p.Driver.Core.Paxos.Seed
	p.Driver = driver.DefaultConfig()
	p.Driver.Core.Paxos.Seed = drawn
	p.RatePPB = int64(p.Driver.Core.Paxos.Lease.Rho) * 1000
	p.Link.Delay = sim.Table{300 * time.Microsecond, 500 * time.Microsecond, time.Millisecond}
	p.Link.Hints = 1_000_000 // as kernels give them
	p.Disk.Sync = sim.Table{200 * time.Microsecond, time.Millisecond}
	p.Store.SegmentSize, p.Store.ChunkSize = 8<<20, 1<<20
	return p
}
