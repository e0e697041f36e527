package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/paxos"
)

// Misfit is a replica that was configured otherwise than its cell when the cell
// was founded: with another length of leases. It must take part in no lease, and
// stop as soon as it hears of the constant; or, if it was the first to become
// master, all others must. An operator then corrects the configuration of the replica that stopped.
// One that joins when the cell is at work may learn of the constant by a snapshot.
type Misfit struct {
	Replica paxos.NodeID // 0: none
	Grant   time.Duration
	Joins   time.Duration // after the others; 0: with them
}

// misfit puts one into one cell of ten that has leases.
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

// renewable says whether the cell's heartbeats can renew leases of this length.
func renewable(p *Plan, grant time.Duration) bool {
	cfg := p.Driver.Core.Paxos
	cfg.ID, cfg.Members = 1, []paxos.NodeID{1}
	cfg.Lease.Grant = grant
	return cfg.Validate() == nil
}
