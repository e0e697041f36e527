package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/paxos"
)

// Misfit is a replica whose lease duration differed from that of its cell when the cell was
// founded. It must take part in no lease, and must stop as soon as it learns of the constant. If it
// was the first to become master, all others must stop instead. An operator then corrects the
// configuration of a replica that stopped. A misfit that joins later may learn of the constant from
// a snapshot.
type Misfit struct {
	Replica paxos.NodeID // 0: none
	Grant   time.Duration
	Joins   time.Duration // how long after the others it starts
}

// misfit draws a misfit for one in ten of the cells with master leases.
func (p *Plan) misfit(at func(string) *draw.Stream) {
	d := at("misfit")
	lease := p.Driver.Core.Paxos.Lease
	if lease.Grant == 0 || !d.Chance(1, 10) {
		return
	}
	p.Misfit.Replica = paxos.NodeID(1 + d.Int(p.Replicas))
	p.Misfit.Grant = lease.Grant + d.Duration(time.Millisecond, lease.Grant)
	if short := lease.Grant - d.Duration(time.Millisecond, lease.Grant/2); d.Chance(3, 4) && renewable(p, short) {
		p.Misfit.Grant = short
	}
	if d.Chance(1, 2) {
		p.Misfit.Joins = d.Duration(time.Second, 20*time.Second)
	}
}

// renewable reports whether the cell's heartbeats can renew grants of this duration.
func renewable(p *Plan, grant time.Duration) bool {
	cfg := p.Driver.Core.Paxos
	cfg.ID, cfg.Members = 1, []paxos.NodeID{1}
	cfg.Lease.Grant = grant
	return cfg.Validate() == nil
}
