package damage

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// Budget keeps the damage of a run within what a cell of this size must bear.
//
// # The rule
//
// At most f = (n-1)/2 replicas are ever damaged in a run, whatever the damage, that
// of rows in memory included:
// the first f that are struck are the only ones that can be struck again. Who is
// absent on purpose after healing counts against the same f.
//
// Why replicas and not slots. Let A and B of A, B, C hold the votes that chose a
// value in slot 7. If A's vote rots and B is gone for good, the value is in no
// readable place, though each of them was hit by one fault only, and though C is
// well: no quorum of {A, C} can say what was chosen, and the cell waits for ever
// (and must: A's vote is half of a majority). With one set of f replicas for
// damage and for absence, the n-f others are a quorum, all of whose votes can be
// read: phase 1 that hears from them decides every slot (rule 1 of the value
// rule, paxos/proposer.go), and no slot needs a rule of its own. Until they all
// answer, votes that cannot be read do stand inside deciding quorums, which is
// what rules 2 and 3 are for.
//
// # What may be hit
//
// Only what the product can notice. A synced frame that no durable watermark
// covers yet looks like a torn tail once it is damaged (wal/doc.go, What stays
// ambiguous): it is cut, and a vote that was told is forgotten. That is the silent
// loss of a synced tail, and it can break any implementation: A and C hold the
// only votes for a value, C forgets its own, B and C elect. So strikes hit frames
// at or below a watermark that stands in both copies of the promise register (vouched),
// or in a durable frame, and never the frame in which it stands (covered). They find
// these frames with a reader of their own: asked of the product, a bug that forgets
// rotten frames would excuse itself.
//
// # When
//
// Damage that the product can name (a value, one copy of a register) costs little,
// and comes at any time. Damage that stops a replica stops it for the run, and all
// that other faults could do to it as well; it comes in the last part of the
// safety phase only. A disk damaged so is not hit again: of two strikes the second
// may take away what shows the first (the frame behind a broken place that states
// a watermark), and no replica can notice what nothing shows.
type Budget struct {
	Most   int // f
	Hurt   uint64
	doomed uint64               // must stop when it next reads its disk
	dead   uint64               // has stopped
	cached uint64               // of the dead, who met a write that had failed half-way and is on no disk
	count  int                  // bits in hurt
	Hits   map[paxos.NodeID]int // how often each was struck
	Fatal  time.Duration        // no damage that stops a replica before then
}

// New makes the budget of a cell of so many replicas, in which no damage stops a replica
// before fatal.
func New(replicas int, fatal time.Duration) *Budget {
	return &Budget{Most: (replicas - 1) / 2, Fatal: fatal, Hits: map[paxos.NodeID]int{}}
}

// Take asks whether a replica may be damaged now, and notes that it is.
func (a *Budget) Take(id paxos.NodeID) bool {
	switch {
	case (a.dead|a.doomed)&(1<<id) != 0:
		return false
	case !a.IsHurt(id) && a.count >= a.Most:
		return false
	case !a.IsHurt(id):
		a.Hurt |= 1 << id
		a.count++
	}
	a.Hits[id]++
	return true
}

// IsHurt says whether a replica's disk was ever damaged.
func (a *Budget) IsHurt(id paxos.NodeID) bool { return a.Hurt&(1<<id) != 0 }

// IsDead says whether a replica stopped for good because of the damage.
func (a *Budget) IsDead(id paxos.NodeID) bool { return a.dead&(1<<id) != 0 }

// Doom notes that a replica's disk is about to be damaged so that it must stop.
func (a *Budget) Doom(id paxos.NodeID) { a.doomed |= 1 << id }

// IsDoomed says whether a replica's disk was damaged so that it must stop.
func (a *Budget) IsDoomed(id paxos.NodeID) bool { return a.doomed&(1<<id) != 0 }

// Bury notes that a damaged replica refused its store, and whether what it met in a
// register is not on the disk.
func (a *Budget) Bury(id paxos.NodeID, cached bool) {
	a.dead |= 1 << id
	if cached {
		a.cached |= 1 << id
	}
}

// Rises says whether a replica that refused its store may open it after all: one of
// two copies of a register had rotted, a write to the other one had failed and left
// half of itself in the memory of the machine, and a power cut has taken that away.
func (a *Budget) Rises(id paxos.NodeID) bool {
	if a.cached&(1<<id) == 0 {
		return false
	}
	a.dead &^= 1 << id
	a.cached &^= 1 << id
	return true
}

// Spare is how many replicas that were never damaged may be absent as well.
func (a *Budget) Spare() int { return a.Most - a.count }
