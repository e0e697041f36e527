package agreement

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/model"
)

// Checker sees everything: what every disk holds, what every replica applies. It
// checks the properties that no client could: agreement over durable votes,
// promises and epochs that never fall, durability, at-most-once, equal
// checksums. It is told of facts at the instant they become true, which may be
// before the process itself hears of them.
type Checker struct {
	world     *sim.World
	Budget    *damage.Budget // whose disks were damaged
	Quorum    int
	Disks     []diskFacts // by id
	Slots     []slotFacts // by slot
	Top       paxos.Slot  // highest slot applied anywhere
	prefix    paxos.Slot  // all slots below are chosen
	Keep      paxos.Slot  // so many that its log may drop a replica must keep
	Told      paxos.Slot  // highest slot of which a client was given an answer
	attempts  map[paxos.Ballot]*attempt
	Calls     map[model.Call]Effect
	handed    map[uint64]int       // times proposed less times chosen, by hash of the command
	epochs    map[api.Epoch]holder // by whose command each began
	served    map[api.Epoch]paxos.Ballot
	tenures   []*core.Serving // last seen, by id
	lastEpoch paxos.Ballot
	Epoch     api.Epoch // highest that was applied anywhere

	around Around
	came   arrivals
	Asked  map[model.Call]About // ops on nodes
	Final  givenUp
	given  map[answerTo]api.Epoch // answers that are nowhere in the log, and when they were last given

	Failovers int
	Counts    tally // of the lives that are over
	TornTails int
	Rot       rotCounts
	Audits    core.AuditCounters    // of the lives that are over
	reports   uint64                // of sums, sent
	relayed   map[driver.Relay]bool // words that their authors have had passed on
	Numbered  api.Number            // the last command that was applied anywhere
	Minority  int                   // replicas that stopped because their rows were odd
	Rotted    int                   // of them, those whose rows did not have their own checksum
	Snapshots snapshotCounts

	Aborted, Repeated, Stale, Orphans, LateEpochs, Conflicts, Batches uint64
}

// answerTo is an answer to a call, by digest. Masters of several epochs may give several.
type answerTo struct {
	call   model.Call
	answer uint64
}

// holder is who began an epoch.
type holder struct {
	id     paxos.NodeID
	ballot paxos.Ballot
}

// Around is what stands around the checker: what it tells others, and asks of them.
type Around interface {
	// Executed is told of each command as it is first applied anywhere, in the order of
	// the log.
	Executed(*command.Applied, linearizability.Position)
	// Bid is told of each Prepare that a replica sends.
	Bid(paxos.NodeID, paxos.Ballot)
	// HasAuthority says whether a replica had read authority when it last read its clock.
	HasAuthority(paxos.NodeID) bool
	// HoldsLock says whether the lock that a call has acquired is held by it, by the log.
	HoldsLock(model.Call) bool
}

// New makes a Checker for a cell of so many replicas, with what stands around it.
func New(w *sim.World, replicas int, around Around) *Checker {
	h := &Checker{
		world:    w,
		Budget:   damage.New(replicas, 0),
		Quorum:   replicas/2 + 1,
		prefix:   1,
		Disks:    make([]diskFacts, replicas+1),
		attempts: map[paxos.Ballot]*attempt{},
		around:   around,
		came:     newArrivals(),
		Asked:    map[model.Call]About{},
		Final:    newGivenUp(),
		given:    map[answerTo]api.Epoch{},
		Calls:    map[model.Call]Effect{},
		relayed:  map[driver.Relay]bool{},
		handed:   map[uint64]int{},
		epochs:   map[api.Epoch]holder{},
		served:   map[api.Epoch]paxos.Ballot{},
		tenures:  make([]*core.Serving, replicas+1),
	}
	return h
}

// OnApplied checks each slot a replica applies: it must be chosen on a quorum of
// disks (S3), with this value (S1), and leave the rows as everywhere (S6); its
// commands must take effect once (S5).
func (h *Checker) OnApplied(id paxos.NodeID, slots []core.Applied) {
	h.Disks[id].fresh = h.Disks[id].Applied + 1
	for i := range slots {
		a := &slots[i]
		f := h.Slot(a.Slot)
		if a.Slot != h.Disks[id].Applied+1 {
			h.world.Break("S2", "replica %d applies slot %d after slot %d", id, a.Slot, h.Disks[id].Applied)
		}
		h.Disks[id].Applied = a.Slot
		h.restored(id, a.Slot)
		if !f.chosen {
			h.world.Break("S3", "replica %d applies %v in slot %d, which no quorum of disks holds", id, a.Value, a.Slot)
			return
		}
		if f.value != a.Value {
			h.world.Break("S1", "replica %d applies %v in slot %d, where %v was chosen", id, a.Value, a.Slot, f.value)
		}
		h.summed(id, a)
		if f.applied {
			continue
		}
		if a.Slot != h.Top+1 {
			h.world.Break("S6", "replica %d applies slot %d, and no replica has applied more than the slots up to %d before", id, a.Slot, h.Top)
		}
		f.applied = true
		h.Top = a.Slot
		h.repeats(a.Slot, a.Value)
		h.commands(a)
	}
}

// OnProposed counts what was handed to the log.
func (h *Checker) OnProposed(commands [][]byte) {
	for _, c := range commands {
		h.handed[xxhash.Sum64(c)]++
	}
}

// OnTenure looks whether a replica serves in a new epoch.
func (h *Checker) OnTenure(id paxos.NodeID, n *core.Replica) bool {
	s := n.Serving()
	if s == nil || s == h.tenures[id] {
		return false
	}
	h.tenures[id] = s
	h.Failovers++
	h.OnServing(id, s)
	return true
}

// OnServing checks that the replica that serves an epoch is the one that began it in the log
// (S2): no two tenures share an epoch, and none is made up.
func (h *Checker) OnServing(id paxos.NodeID, s *core.Serving) {
	if was, now := h.epochs[s.Epoch], (holder{id, s.Ballot}); was != now {
		h.world.Break("S2", "replica %d at ballot %v serves epoch %d, which replica %d at ballot %v began", id, s.Ballot, s.Epoch, was.id, was.ballot)
	}
	for e, b := range h.served { // order-free: any breach ends the run, all are breaches
		if e > s.Epoch && b.Less(s.Ballot) {
			h.world.Break("S2", "replica %d at ballot %v serves epoch %d after epoch %d", id, s.Ballot, s.Epoch, e)
		}
	}
	h.served[s.Epoch] = s.Ballot
}

// String is one line for reports.
func (h *Checker) String() string {
	return fmt.Sprintf("%d slots applied, %d fail-overs, %d calls", h.Top, h.Failovers, len(h.Calls))
}
