package cellkit

import (
	"errors"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/check/beliefs"
	"github.com/chubbycell/chubby/sim/check/histories"
	"github.com/chubbycell/chubby/sim/check/leases"
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/wal/vfs"
)

// checks are the checkers of one cell: those of package sim/cell that need neither its plan nor its
// programs.
type checks struct {
	cell       *Cell
	watch      *agreement.Checker
	leases     *leases.Checker
	locks      *locks.Model
	sequencers *locks.Sequencers
	beliefs    *beliefs.Checker
	nodes      *histories.Files
	holdings   *histories.Locks
	calls      *histories.Calls
	held       []heldLock // that programs have reported
	rho        paxos.PPM  // of the replicas
	judged     bool
}

// newChecks returns the checkers of a cell whose replicas have not started yet.
func newChecks(c *Cell) *checks {
	w, d := c.world, c.driver(1, 0)
	k := &checks{cell: c, rho: d.Core.Paxos.Lease.Rho}
	k.watch = agreement.New(w, c.cfg.Replicas, d.KeepSlots, around{k})
	k.leases = leases.New(w, c.cfg.Replicas)
	for i := range c.cfg.Replicas {
		k.leases.Parties[i+1] = party{k, i}
	}
	k.locks = locks.New(w, k.rho)
	k.sequencers = locks.NewSequencers(w, k.locks)
	k.beliefs = beliefs.New(w)
	k.nodes = histories.NewFiles(w, func(s api.SessionID) bool { return !k.calls.Knows(s) })
	k.holdings = histories.NewLocks(k.locks, w)
	k.calls = histories.NewCalls(k.nodes, k.holdings)
	return k
}

// isLoose reports whether a replica's clock has ever erred by more than the bound of their
// configuration. Nothing is promised then that depends on clocks.
func (k *checks) isLoose() bool {
	for _, m := range k.cell.machines {
		if m.Clock().WorstPPB() > ppb(int64(k.rho)) {
			return true
		}
	}
	return false
}

// ppb converts parts per million.
func ppb(ppm int64) int64 { return 1000 * ppm }

// onExecuted is called for each command when the first replica applies it.
func (k *checks) onExecuted(a *command.Applied, at linearizability.Position) {
	k.sequencers.OnCommand(a)
	k.holdings.OnCommand(a, at)
	if t := k.locks.OnCommand(a, paxos.Slot(at.Slot)); t != nil {
		k.nodes.OnTaken(at, t.Node, t.Gen)
	}
	k.nodes.OnCommand(a, at)
	if k.beliefs.Off = k.isLoose(); !k.beliefs.Off {
		k.beliefs.OnCommand(a)
	}
}

// onRefused is called when a replica could not open its store. A disk that only power cuts and failed
// calls have touched must not be refused (S17).
func (k *checks) onRefused(id paxos.NodeID, err error) {
	if !errors.Is(err, vfs.ErrIO) && !errors.Is(err, vfs.ErrNoSpace) {
		k.cell.world.Break("S17", "replica %d refuses a log that no fault but power cuts has touched: %v", id, err)
	}
}

// judge checks the run as a whole, once.
func (k *checks) judge() {
	if k.judged || k.cell.world.Failure() != nil {
		return
	}
	k.judged = true
	loose := k.isLoose()
	if loose { // lock-delays may be too short then, and reads may be stale
		for i := range k.locks.List {
			k.locks.List[i].Until = 0
		}
	}
	if k.locks.Judge(); loose {
		return
	}
	v := histories.Verdict{WitnessOnly: true}
	k.nodes.Judge(&v)
	k.holdings.Judge(&v)
	if v.Undecided {
		k.cell.world.Count("cellkit.undecided")
	}
}

// around is what the checker of agreement asks of the cell.
type around struct{ k *checks }

func (a around) Executed(x *command.Applied, at linearizability.Position) { a.k.onExecuted(x, at) }
func (a around) Bid(paxos.NodeID, paxos.Ballot)                           {}
func (a around) HoldsLock(c model.Call) bool                              { return a.k.locks.IsGranted(c) }
func (a around) DifferingRows(paxos.NodeID, paxos.Slot) string            { return "" }

// HasAuthority reports whether a replica had read authority when it last read its clock.
func (a around) HasAuthority(id paxos.NodeID) bool {
	r := running(a.k.cell.machines[id-1])
	return r != nil && r.now.Before(r.driver.Core().Lease())
}

// hasAppliedAll reports whether a replica has applied every slot that any replica has applied.
func (k *checks) hasAppliedAll(id paxos.NodeID) bool {
	return k.watch.Disks[id].Applied == k.watch.Top
}

// running returns the replica that runs on a machine; nil: none, or it has not recovered yet.
func running(m *sim.Machine) *replica {
	if r, ok := m.Process().(*replica); ok && r.driver != nil && r.driver.Core() != nil {
		return r
	}
	return nil
}

// party is a replica's machine, for the checker of leases. It believes nothing that can be checked
// if clocks have erred too much.
type party struct {
	k *checks
	i int // index in Cell.machines
}

func (p party) Clock() *sim.Clock { return p.k.cell.machines[p.i].Clock() }

func (p party) Believes() leases.Beliefs {
	if p.i >= len(p.k.cell.machines) || p.k.isLoose() {
		return nil
	}
	if r := running(p.k.cell.machines[p.i]); r != nil {
		return r.driver.Core()
	}
	return nil
}
