package growth

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// few is a cell whose clients have opened 3 sessions.
type few struct{}

func (few) Top() paxos.Slot                   { return applied }
func (few) KeepSlots(paxos.NodeID) paxos.Slot { return 10 }
func (few) Opened() int                       { return 3 }

func newChecker(t *testing.T) (worldtest.World, *Checker) {
	p := &plan.Plan{Driver: driver.DefaultConfig()}
	p.Store.SegmentSize, p.Store.ChunkSize = 1<<12, 1<<10
	w := worldtest.New(t)
	return w, New(w.World, p, few{})
}

// applied is the slot up to which the replica of the tests has applied.
const applied paxos.Slot = 1 << 21

// usual is what that replica holds, with 2 sessions.
func usual() measured {
	return measured{
		node:     paxos.Status{FirstOpen: applied + 1, VotesEnd: applied + 1, Floor: applied - 10, Values: 11},
		sessions: 2, answers: 2, sums: 3, snapshots: 2, log: 1 << 12,
	}
}

// Each bound breaks if a replica holds one more than it allows, and not before.
func TestL2EachBound(t *testing.T) {
	grow := map[string]func(m *measured, n int){
		"commands waiting for a slot":       func(m *measured, n int) { m.node.Pending = n },
		"requests waiting for an answer":    func(m *measured, n int) { m.master.Pending = n },
		"commands waiting for their turn":   func(m *measured, n int) { m.master.Waiting = n },
		"slots in flight":                   func(m *measured, n int) { m.inFlight = n },
		"messages held for the disk":        func(m *measured, n int) { m.node.Held = n },
		"votes above the first open slot":   func(m *measured, n int) { m.node.VotesEnd = m.node.FirstOpen + paxos.Slot(n) },
		"sessions":                          func(m *measured, n int) { m.sessions = n },
		"sessions more than clients opened": func(m *measured, n int) { m.sessions = n },
		"open handles":                      func(m *measured, n int) { m.ops.Handles = n },
		"Acquires that wait":                func(m *measured, n int) { m.ops.Waiting = n },
		"calls on nodes that are proposed":  func(m *measured, n int) { m.ops.UnderWay = n },
		"stored answers":                    func(m *measured, n int) { m.answers = n },
		"slots in memory":                   func(m *measured, n int) { m.node.Floor = m.node.VotesEnd - paxos.Slot(n) },
		"chosen values in memory":           func(m *measured, n int) { m.node.Values = n },
		"proposals in memory":               func(m *measured, n int) { m.node.Proposals = n },
		"heartbeats remembered":             func(m *measured, n int) { m.node.Asked = n },
		"sums of slots in memory":           func(m *measured, n int) { m.sums = n },
		"snapshots on its disk":             func(m *measured, n int) { m.snapshots = n },
		"bytes of log":                      func(m *measured, n int) { m.log = n },
		"records waiting for the log":       func(m *measured, n int) { m.records = n },
	}
	_, c := newChecker(t)
	for _, s := range c.bounded(&Life{}, usual()) {
		f := grow[s.What]
		require.NotNil(t, f, s.What)
		delete(grow, s.What)
		require.Positive(t, s.Most, s.What)
		w, c := newChecker(t)
		m := usual()
		if f(&m, s.Most); s.What != "sessions" { // more sessions than were opened
			c.judge(&Life{ID: 1}, m)
			w.Good()
		}
		f(&m, s.Most+1)
		c.judge(&Life{ID: 1}, m)
		w.Breaks("L2")
		require.Contains(t, w.Failure().Text, s.What)
	}
	require.Empty(t, grow)
}

// The slots that a life lacked when it began are no leak, until it has passed them.
func TestL2WhatALifeLackedIsNoLeak(t *testing.T) {
	w, c := newChecker(t)
	m := usual()
	m.node.Values = c.slotBound(1) + 7
	c.judge(&Life{ID: 1, Missed: applied + 100, Behind: 7}, m)
	w.Good()
	c.judge(&Life{ID: 1, Missed: m.node.Floor + 6, Behind: 7}, m)
	w.Breaks("L2")
}

// A life that found a snapshot bad keeps what its log had then, until it has two good snapshots. It keeps
// no more of what comes later than others.
func TestL2ALifeWithABadSnapshotKeepsItsLog(t *testing.T) {
	w, c := newChecker(t)
	m := usual()
	m.node.Floor = 1
	m.node.Values = c.slotBound(1) + 50
	m.node.VotesEnd = m.node.Floor + paxos.Slot(m.node.Values)
	m.node.FirstOpen = m.node.VotesEnd
	c.judge(&Life{ID: 1, Bad: true, Missed: 51}, m)
	w.Good()
	c.judge(&Life{ID: 1, Bad: true, Missed: 50}, m)
	w.Breaks("L2")
}

// A replica whose log rotted takes no snapshots, and drops nothing.
func TestL2ADamagedReplicaMayRemember(t *testing.T) {
	w, c := newChecker(t)
	m := usual()
	m.node.Values, m.node.Floor, m.sums = 1<<20, 0, 1<<20
	m.node.FirstOpen = 5
	c.judge(&Life{ID: 1, Damaged: true}, m)
	w.Good()
	c.judge(&Life{ID: 1}, m)
	w.Breaks("L2")
}
