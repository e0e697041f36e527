package agreement

import (
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
)

// truth is what is true of the disks and of the slots, which all that is said is compared
// with. It is shared by what the Checker is made of.
type truth struct {
	world    *sim.World
	Budget   *damage.Budget // whose disks were damaged
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

// diskFacts is what a disk was told to keep, and said it kept.
type diskFacts struct {
	Boot    paxos.Boot
	grant   time.Duration // the longest that its lives were configured with
	Promise paxos.Ballot
	Begun   paxos.Ballot // the highest promise that it was told to keep
	Noted   Noted
	gone    bool // what a register had is lost, or may be: see Rot.HasLostRegister
	votes   votes
	Applied paxos.Slot // in the present life: memory, not disk

	snapshot paxos.Slot // of the newest snapshot that is durable
	own      paxos.Slot // of the newest one that this replica wrote itself
	stock    stock      // of all of them
	cut      paxos.Slot // the log may lack what concerns slots below; 0: it has all

	Lsn, Mark paxos.LSN                   // synced up to; of that, stated by a mark
	fresh     paxos.Slot                  // the first that was applied in the same breath as the last
	Stray     bool                        // rows in memory were made to differ
	rot       paxos.Slot                  // from there on, from the checksum that is kept of them too; 0: they do not
	missing   map[paxos.Slot]bool         // values that this life found unreadable and has not applied yet
	lost      map[paxos.Slot]paxos.Ballot // votes that this life found without their values and has not cast again
	questions questions                   // that this life has asked
}

// Noted is what records of a log say of lives and promises. The register may know of
// more: it is written first, and a life that ended then leaves no record.
type Noted struct {
	Boot    paxos.Boot
	Promise paxos.Ballot
}

// slotFacts is what is true of one slot.
type slotFacts struct {
	ballots []ballotFacts
	chosen  bool
	ballot  paxos.Ballot // lowest at which a quorum was seen
	value   paxos.Value
	applied bool
	Summed  bool // by a replica whose rows were not made to differ
	Sum     db.Sum
}

type ballotFacts struct {
	ballot paxos.Ballot
	value  paxos.Value
	who    uint64
	count  int
}

// Slot is what is true of a slot; the caller may read it until the next call.
func (h *truth) Slot(s paxos.Slot) *slotFacts {
	for paxos.Slot(len(h.Slots)) <= s {
		h.Slots = append(h.Slots, slotFacts{})
	}
	return &h.Slots[s]
}

// broken names the property that is broken where a disk gives back, or a replica
// tells, other than what was stored: S17 if the disk was damaged, as then it is
// damage that was not noticed; id otherwise.
func (h *truth) broken(id paxos.NodeID, property string) string {
	if h.Budget.IsHurt(id) {
		return "S17"
	}
	return property
}

// open is the first slot that is not chosen.
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

// votedAt is the value of a slot at a ballot, as far as any disk was told of it.
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
	promises uint64     // whose disks have promised it, by bit
	boot     paxos.Boot // of the life that proposed at it; 0: none has
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

// Revotes counts slots with votes at several ballots.
func (h *truth) Revotes() (n uint64) {
	for i := range h.Slots {
		if len(h.Slots[i].ballots) > 1 {
			n++
		}
	}
	return n
}

// Duels counts slots with votes for several values.
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
