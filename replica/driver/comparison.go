package driver

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
)

// comparison holds the rows of the next snapshot back from the disk until a majority of
// the members, this one included, has reported the same sum after that slot. So rows that
// went wrong in this memory reach no file: no restart begins with them, and no laggard is
// given them (doc.go, Comparing before writing).
//
// It asks all others, and asks those again that have not reported the same sum, with
// doubling waits; peers that did not answer are asked through those that did as well. A
// replica may hear the master but no majority for as long as the network is broken, and
// would have to keep each slot of that time. A peer that has not answered, or reported
// another sum, may yet report the same: when it has applied the slot, or when it was
// restarted with better rows. A peer that can never answer says so (NoSum); then the rows
// of a later slot are taken, whose sum the peer will have.
type comparison struct {
	self    paxos.NodeID
	members []paxos.NodeID
	peers   []paxos.NodeID // members but self
	pause   time.Duration  // before asking again, at first

	rows     *WriteJob // to be compared; nil: idle
	own      core.SumReport
	others   map[paxos.NodeID]core.SumReport // reports of own.Slot
	outdated bool                            // a peer has no sum of that slot any more
	due      time.Time                       // ask again
	wait     time.Duration
}

// maxPauses bounds the doubling of the wait.
const maxPauses = 8

// isIdle reports that no rows wait to be compared.
func (c *comparison) isIdle() bool { return c.rows == nil }

// begin has rows compared, in place of those that wait, if any do. It returns the
// questions to send.
func (c *comparison) begin(now time.Time, w WriteJob) []outgoing {
	if c.wait = c.nextWait(); c.rows == nil {
		c.wait = c.pause
	}
	c.rows, c.outdated = &w, false
	c.own = core.SumReport{Slot: w.Handle.Slot, Sum: w.Rows.Checksum()}
	c.others = make(map[paxos.NodeID]core.SumReport, len(c.peers))
	return c.ask(now)
}

// ask asks all peers that have not reported the same sum.
func (c *comparison) ask(now time.Time) (all []outgoing) {
	c.due = now.Add(c.wait)
	for _, id := range c.peers {
		if c.others[id] != c.own {
			all = append(all, outgoing{id, AskSum{Slot: c.own.Slot}})
		}
	}
	return all
}

// onSum takes an answer. Of two answers of one peer the later counts: it may have been
// restarted in between.
func (c *comparison) onSum(from paxos.NodeID, m TellSum) {
	if c.rows != nil && m.Slot == c.own.Slot {
		c.others[from] = core.SumReport{Slot: m.Slot, Sum: m.Sum}
	}
}

// onNoSum notes that a peer has no sum of a slot.
func (c *comparison) onNoSum(m NoSum) {
	c.outdated = c.outdated || c.rows != nil && m.Slot == c.own.Slot
}

// isOutdated reports that the rows of a later slot are to be taken: a peer has no sum of
// this one, and the others had a whole wait to answer.
func (c *comparison) isOutdated(now time.Time, applied paxos.Slot) bool {
	return c.rows != nil && c.outdated && applied > c.own.Slot && !now.Before(c.due)
}

// askAgain asks again when it is due.
func (c *comparison) askAgain(now time.Time) []outgoing {
	if c.rows == nil || now.Before(c.due) {
		return nil
	}
	c.wait = c.nextWait()
	return append(c.ask(now), c.relays()...)
}

// relays asks the peers that did not answer through those that did.
func (c *comparison) relays() (all []outgoing) {
	for _, via := range c.peers {
		if _, answered := c.others[via]; !answered {
			continue
		}
		for _, id := range c.peers {
			if _, answered := c.others[id]; !answered {
				all = append(all, routed(via, c.self, id, AskSum{Slot: c.own.Slot}))
			}
		}
	}
	return all
}

// nextWait is the wait after this one.
func (c *comparison) nextWait() time.Duration { return min(2*c.wait, maxPauses*c.pause) }

// take returns the rows once they are confirmed, else nil. An error says that no majority
// can have them (core.ErrMinority).
func (c *comparison) take() (*WriteJob, error) {
	if c.rows == nil {
		return nil, nil
	}
	agreed, err := core.Judge(c.self, c.members, c.own, c.others)
	if !agreed {
		return nil, err
	}
	w := c.rows
	c.drop()
	return w, nil
}

// onInstalled notes a snapshot from a peer: older rows need not be compared any more.
func (c *comparison) onInstalled(slot paxos.Slot) {
	if c.rows != nil && c.own.Slot <= slot {
		c.drop()
	}
}

// drop forgets the rows.
func (c *comparison) drop() { c.rows, c.others, c.due = nil, nil, time.Time{} }

// wake is when askAgain or isOutdated may change; zero: no need.
func (c *comparison) wake() time.Time { return c.due }
