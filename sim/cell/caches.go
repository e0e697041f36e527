package cell

import (
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/beliefs"
	"github.com/chubbycell/chubby/sim/check/caches"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/workload"
)

// cacheBook passes reads, and messages about caches, to the checkers of caches (S12).
type cacheBook struct {
	world   *sim.World
	reads   *caches.Checker
	drops   *caches.Drops
	held    *caches.Held
	applied map[paxos.NodeID]api.Number // the last command that a replica was seen to apply
	on      bool                        // programs read nodes, so there is something to check
	draws   *sim.Draw                   // which messages to drop something cause a fault
}

func newCacheBook(w *sim.World, p *plan.Plan, k caches.Keeps, i caches.Idlers) *cacheBook {
	drops := caches.NewDrops(w, p.Driver.Core.Sessions.LeaseMax)
	return &cacheBook{
		world: w, reads: caches.New(w), drops: drops, held: caches.NewHeld(w, drops, k, i), applied: map[paxos.NodeID]api.Number{},
		on: plan.OnNodes(p.Workload) || p.Workload == plan.Fenced, draws: w.Draw("cell.caches", 0),
	}
}

// onActed is called after a replica has applied commands. serves reports whether the replica is a
// master that takes calls.
func (b *cacheBook) onActed(id paxos.NodeID, applied []core.Applied, serves bool) {
	for i := range applied {
		if all := applied[i].Commands; len(all) > 0 {
			b.applied[id] = all[len(all)-1].Number
		}
	}
	if serves {
		b.reads.OnMaster(b.applied[id])
	}
}

// onReply is called for each reply that leaves a replica. If the reply tells a client to drop
// something from its cache, a fault may strike soon after: otherwise a fail-over or a lost client
// would seldom meet a change that waits for the cache.
func (b *cacheBook) onReply(c *Cell, r *replica, p api.Reply) {
	before, x := b.drops.Told, &c.plan.Caches
	b.drops.OnReply(r.Id, r.Now, p)
	b.held.OnReply(uint64(r.Id), p)
	if b.drops.Told == before || x.Aims == 0 || c.faults.Healed() || !b.draws.Chance(1, x.Aims) {
		return
	}
	kind := x.Kinds[b.draws.Int(len(x.Kinds))]
	c.world.After(b.draws.Duration(0, 50*time.Millisecond), func() {
		if !c.faults.Healed() {
			c.faults.Strike(kind, b.draws)
		}
	})
}

// reads reports the reads of programs to the checker of caches (workload.Reads).
type reads struct{ c *Cell }

func (r reads) Begins(cl *client.Client) workload.Reading {
	return reading{r.c, r.c.promises.Of(cl), r.c.caches.reads.Begins()}
}

type reading struct {
	c *Cell
	w *beliefs.Wire // of the client; nil: it has none
	r *caches.Reading
}

func (r reading) Ends(in linearizability.FileInput, out linearizability.FileOutput, call client.CallID, rights client.Rights, hit bool) {
	if r.w == nil {
		return
	}
	if left := r.w.LeaseLeft(); hit && left <= 0 {
		r.c.world.Break("S12", "the client on %v reads %s from its cache %v after its lease may have ended", r.w.Self(), in.Path, -left)
	}
	r.r.Ends(caches.Read{Who: model.PrincipalOn(r.w.Self()), Call: call, Rights: rights, Hit: hit, In: in, Out: out})
}
