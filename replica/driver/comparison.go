package driver

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
)

// confirm holds the rows of the next snapshot back from the disk until a majority
// of the members, this one included, has said that it had the same rows after that
// slot. So rows that went wrong in this memory reach no file: no restart begins with
// them, and no laggard is given them (doc.go, Comparing before writing).
//
// It asks all others, and goes on asking those that did not say the same, with
// doubling waits, the silent ones by way of those that answered as well: a replica
// may hear the master and no majority for as long as a network is ill, and would
// keep each slot of that time. Peers that are silent, or say something else, may yet
// come round: they answer when they have applied the slot, or when they were
// restarted with better rows. One that can never answer says so (NoSum), and then it
// takes the rows of a later slot: those, the peer will know.
type comparison struct {
	self    paxos.NodeID
	members []paxos.NodeID
	peers   []paxos.NodeID // members but self
	pause   time.Duration  // before asking again, at first

	rows     *WriteJob // to be compared; nil: idle
	own      core.SumReport
	others   map[paxos.NodeID]core.SumReport // what was told of mine.Slot
	outdated bool                            // somebody does not know that slot any more
	due      time.Time                       // ask again
	wait     time.Duration
}

// maxPauses bounds the doubling of the wait.
const maxPauses = 8

// idle says that no rows wait to be compared.
func (c *comparison) isIdle() bool { return c.rows == nil }

// begin has rows compared, instead of those that wait, if any do. It returns whom
// to ask.
func (c *comparison) begin(now time.Time, w WriteJob) []outgoing {
	if c.wait = c.nextWait(); c.rows == nil {
		c.wait = c.pause
	}
	c.rows, c.outdated = &w, false
	c.own = core.SumReport{Slot: w.Handle.Slot, Sum: w.Rows.Checksum()}
	c.others = make(map[paxos.NodeID]core.SumReport, len(c.peers))
	return c.ask(now)
}

// ask asks all that did not say the same.
func (c *comparison) ask(now time.Time) (all []outgoing) {
	c.due = now.Add(c.wait)
	for _, id := range c.peers {
		if c.others[id] != c.own {
			all = append(all, outgoing{id, AskSum{Slot: c.own.Slot}})
		}
	}
	return all
}

// told takes an answer. Of two of one peer the later counts: it may have begun a new
// life in between.
func (c *comparison) onSum(from paxos.NodeID, m TellSum) {
	if c.rows != nil && m.Slot == c.own.Slot {
		c.others[from] = core.SumReport{Slot: m.Slot, Sum: m.Sum}
	}
}

// forgot takes the word of a peer that it cannot say.
func (c *comparison) onNoSum(m NoSum) {
	c.outdated = c.outdated || c.rows != nil && m.Slot == c.own.Slot
}

// outdated says that it is time to take the rows of a later slot: a peer does not
// know this one. Others were given a whole wait to answer.
func (c *comparison) isOutdated(now time.Time, applied paxos.Slot) bool {
	return c.rows != nil && c.outdated && applied > c.own.Slot && !now.Before(c.due)
}

// again asks again when it is time.
func (c *comparison) askAgain(now time.Time) []outgoing {
	if c.rows == nil || now.Before(c.due) {
		return nil
	}
	c.wait = c.nextWait()
	return append(c.ask(now), c.relays()...)
}

// relays has those that answered ask the silent ones.
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

// longer is the wait after this one.
func (c *comparison) nextWait() time.Duration { return min(2*c.wait, maxPauses*c.pause) }

// take gives out the rows if they are confirmed. An error says that no majority can
// have them (node.ErrMinority).
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

// installed notes a snapshot from elsewhere: older rows are of no use any more.
func (c *comparison) onInstalled(slot paxos.Slot) {
	if c.rows != nil && c.own.Slot <= slot {
		c.drop()
	}
}

// drop gives the rows up.
func (c *comparison) drop() { c.rows, c.others, c.due = nil, nil, time.Time{} }

// wake is when again or outdated may have something to say; zero: no need.
func (c *comparison) wake() time.Time { return c.due }
