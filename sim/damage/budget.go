package damage

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// Budget limits the damage of a run to what a cell of this size must survive.
//
// # The rule
//
// At most f = (n-1)/2 replicas are ever damaged in a run, whatever the kind of damage, rows in
// memory included. The first f replicas that are struck are the only ones that can be struck
// again. A replica that stays down on purpose after healing counts against the same f.
//
// Why replicas and not slots: let A and B of A, B, C hold the votes that chose a value in slot
// 7. If A's vote rots and B is gone for good, the value cannot be read anywhere, although each
// of the two suffered one fault only and C is well. No quorum of {A, C} can tell what was
// chosen, so the cell waits for ever, and must: A's vote is half of a majority. If damage and
// absence share one set of f replicas, the other n-f are a quorum whose votes can all be read.
// A phase 1 that hears from all of them decides every slot (rule 1 of the value rule,
// paxos/proposer.go), and no slot needs a rule of its own. Until they all answer, unreadable
// votes do occur in deciding quorums; rules 2 and 3 are for that.
//
// # What may be hit
//
// Only damage that the product can notice. A synced frame that no durable watermark covers yet
// looks like a torn tail once it is damaged (wal/doc.go, What stays ambiguous): the product
// cuts it, and forgets a vote that it has sent. Such a silent loss of a synced tail breaks any
// implementation: A and C hold the only votes for a value, C forgets its own, B and C elect.
// So strikes hit only frames at or below a watermark. The watermark is stated by both copies of
// the promise register (Vouched) or by a durable frame, and that frame itself is never hit
// (ondisk.Covered). Strikes find these frames with a reader of their own: if they asked the
// product, a bug that forgets rotten frames would excuse itself.
//
// # When
//
// Damage that the product can name (a value, one copy of a register) costs little, and comes at
// any time. Damage that stops a replica stops it for the run, and hides whatever other faults
// could have done to it, so it comes only in the last part of the safety phase. A disk with
// such damage is not hit again. A second strike could remove the evidence of the first, such as
// the frame behind the broken place that states a watermark, and without evidence no replica
// can notice the damage.
type Budget struct {
	Most   int // f
	Hurt   uint64
	doomed uint64               // must stop when they next read their disks
	dead   uint64               // have stopped
	cached uint64               // those dead that stopped at a half-written register which only the machine's memory holds
	count  int                  // of bits in Hurt
	Hits   map[paxos.NodeID]int // how often each replica was struck
	Fatal  time.Duration        // no damage that stops a replica before this instant
}

// New makes the budget of a cell with this number of replicas. No damage stops a replica
// before fatal.
func New(replicas int, fatal time.Duration) *Budget {
	return &Budget{Most: (replicas - 1) / 2, Fatal: fatal, Hits: map[paxos.NodeID]int{}}
}

// Take reports whether a replica may be damaged now and, if so, records that it is.
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

// IsHurt reports whether a replica's disk was ever damaged.
func (a *Budget) IsHurt(id paxos.NodeID) bool { return a.Hurt&(1<<id) != 0 }

// IsDead reports whether a replica stopped for good because of the damage.
func (a *Budget) IsDead(id paxos.NodeID) bool { return a.dead&(1<<id) != 0 }

// Doom records that a replica's disk is about to get damage that must stop the replica.
func (a *Budget) Doom(id paxos.NodeID) { a.doomed |= 1 << id }

// IsDoomed reports whether a replica's disk has damage that must stop it.
func (a *Budget) IsDoomed(id paxos.NodeID) bool { return a.doomed&(1<<id) != 0 }

// Bury records that a damaged replica refused its store. cached says whether a failed write
// has left a register in the machine's memory that is not on the disk.
func (a *Budget) Bury(id paxos.NodeID, cached bool) {
	a.dead |= 1 << id
	if cached {
		a.cached |= 1 << id
	}
}

// Rises reports whether a replica that refused its store may open it after all, and is true
// once for each Bury with cached. One of two copies of a register had rotted, a failed write
// had left half of the other one in the machine's memory, and a power cut has removed that
// half.
func (a *Budget) Rises(id paxos.NodeID) bool {
	if a.cached&(1<<id) == 0 {
		return false
	}
	a.dead &^= 1 << id
	a.cached &^= 1 << id
	return true
}

// Spare returns how many more replicas, never damaged so far, may be absent.
func (a *Budget) Spare() int { return a.Most - a.count }
