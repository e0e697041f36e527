package agreement

import (
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
)

// truth is what is true of the disks and slots. The parts of the Checker share it, and
// compare with it what replicas say.
type truth struct {
	world    *sim.World
	Budget   *damage.Budget // which disks were damaged
	Quorum   int
	Disks    []diskFacts // by id
	Slots    []slotFacts // by slot
	Top      paxos.Slot  // highest slot applied anywhere
	prefix   paxos.Slot  // all slots below are chosen
	attempts map[paxos.Ballot]*attempt
}

func newTruth(w *sim.World, replicas int) *truth {
	return &truth{
		world: w, Budget: damage.New(replicas, 0), Quorum: replicas/2 + 1, prefix: 1,
		Disks: make([]diskFacts, replicas+1), attempts: map[paxos.Ballot]*attempt{},
	}
}

// diskFacts is what a disk was told to keep, and said that it kept.
type diskFacts struct {
	Boot    paxos.Boot
	grant   time.Duration // the longest Grant that a life was configured with
	Promise paxos.Ballot
	Begun   paxos.Ballot // the highest promise that it was told to keep
	Noted   Noted
	gone    bool // a register's value is lost, or may be: see Rot.HasLostRegister
	votes   votes
	Applied paxos.Slot // by the present life: memory, not disk

	snapshot paxos.Slot // slot of the newest durable snapshot
	own      paxos.Slot // slot of the newest one that this replica wrote itself
	stock    stock      // all durable snapshots
	cut      paxos.Slot // the log may lack what concerns slots below; 0: it has all

	Lsn, Mark paxos.LSN                   // synced up to Lsn; up to Mark, a mark says so
	fresh     paxos.Slot                  // the first slot that was applied in the last step
	Stray     bool                        // rows in memory were made to differ
	rot       paxos.Slot                  // from this slot on, rows do not match the checksum kept of them; 0: they do
	missing   map[paxos.Slot]bool         // values that this life found unreadable and has not applied yet
	lost      map[paxos.Slot]paxos.Ballot // votes that this life found without their values and has not cast again
	questions questions                   // that this life has asked
}

// Noted is what records of a log say of lives and promises. The register may have more: it is
// written first, so a life that ends between the two leaves no record.
type Noted struct {
	Boot    paxos.Boot
	Promise paxos.Ballot
}

// slotFacts is what is true of one slot.
type slotFacts struct {
	ballots []ballotFacts
	chosen  bool
	ballot  paxos.Ballot // lowest ballot at which a quorum was seen
	value   paxos.Value
	applied bool
	Summed  bool // by a replica whose rows were not made to differ
	Sum     db.Sum
	first   paxos.NodeID // the replica that had Sum first
}

type ballotFacts struct {
	ballot paxos.Ballot
	value  paxos.Value
	who    uint64
	count  int
}

// Slot returns what is true of a slot; it is valid until the next call.
func (h *truth) Slot(s paxos.Slot) *slotFacts {
	for paxos.Slot(len(h.Slots)) <= s {
		h.Slots = append(h.Slots, slotFacts{})
	}
	return &h.Slots[s]
}

// CommandAt returns the bytes of a command as they were chosen; "" if they are not known.
func (h *truth) CommandAt(at linearizability.Position) string {
	for i, c := range h.Slot(paxos.Slot(at.Slot)).value.Commands {
		if i == int(at.Index) {
			return c
		}
	}
	return ""
}

// broken returns the property to report when a disk gives back, or a replica tells, something
// other than what was stored: S17 if the disk was damaged, since the damage was not noticed;
// otherwise property.
func (h *truth) broken(id paxos.NodeID, property string) string {
	if h.Budget.IsHurt(id) {
		return "S17"
	}
	return property
}

// open returns the first slot that is not chosen.
func (h *truth) open() paxos.Slot {
	for int(h.prefix) < len(h.Slots) && h.Slots[h.prefix].chosen {
		h.prefix++
	}
	return h.prefix
}

func (f *slotFacts) at(v paxos.Voted) *ballotFacts {
	for i := range f.ballots {
		if f.ballots[i].ballot == v.Ballot {
			return &f.ballots[i]
		}
	}
	f.ballots = append(f.ballots, ballotFacts{ballot: v.Ballot, value: v.Value})
	return &f.ballots[len(f.ballots)-1]
}

// votedAt returns the value of a slot at a ballot, if any disk was told of it.
func (f *slotFacts) votedAt(b paxos.Ballot) paxos.Value {
	for i := range f.ballots {
		if f.ballots[i].ballot == b {
			return f.ballots[i].value
		}
	}
	return paxos.Noop
}

// attempt is what is true of one ballot.
type attempt struct {
	promises uint64     // bits of the replicas whose disks have promised it
	boot     paxos.Boot // the life that proposed at it; 0: none
}

func (h *truth) attempt(b paxos.Ballot) *attempt {
	a := h.attempts[b]
	if a == nil {
		a = &attempt{}
		h.attempts[b] = a
	}
	return a
}

func (a *attempt) promised(id paxos.NodeID) { a.promises |= 1 << id }

// Revotes returns the number of slots with votes at several ballots.
func (h *truth) Revotes() (n uint64) {
	for i := range h.Slots {
		if len(h.Slots[i].ballots) > 1 {
			n++
		}
	}
	return n
}

// Duels returns the number of slots with votes for several values.
func (h *truth) Duels() (n uint64) {
	for i := range h.Slots {
		for _, b := range h.Slots[i].ballots {
			if b.value != h.Slots[i].ballots[0].value {
				n++
				break
			}
		}
	}
	return n
}
