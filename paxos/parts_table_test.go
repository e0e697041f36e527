package paxos

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Majorities (PMS §2.1): any two share a member.
func TestQuorumTable(t *testing.T) {
	for n, quorum := range map[int]int{1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 4, 64: 33} {
		var ids []NodeID
		for i := range n {
			ids = append(ids, NodeID(10*(n-i)))
		}
		g := NewGroup(ids)
		require.Equal(t, quorum, g.Quorum(), n)
		require.Greater(t, 2*g.Quorum(), n)
		require.True(t, slices.IsSorted(g.Members()))
	}
	tally := NewTally(NewGroup([]NodeID{3, 1, 2}))
	require.Equal(t, "- - - (0 of 3)", tally.String())
	require.True(t, tally.Add(3))
	require.False(t, tally.Add(3), "a member counts once")
	require.False(t, tally.Add(4), "a stranger does not count")
	require.Equal(t, "- - 3 (1 of 3)", tally.String())
	require.False(t, tally.HasQuorum())
	require.True(t, tally.Add(1))
	require.Equal(t, "1 - 3 (2 of 3, quorum)", tally.String())
	require.True(t, tally.Has(1) && !tally.Has(2) && !tally.Has(9))
}

// A Tally against counting in a map.
func TestTallyModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.Uint32Range(1, 99), 1, 64, rapid.ID).Draw(t, "members")
		g := NewGroup(nil)
		for _, id := range ids {
			g.ids = append(g.ids, NodeID(id))
		}
		g = NewGroup(g.ids)
		tally, seen := NewTally(g), map[NodeID]bool{}
		for _, x := range rapid.SliceOf(rapid.Uint32Range(1, 99)).Draw(t, "added") {
			id := NodeID(x)
			grew := slices.Contains(g.ids, id) && !seen[id]
			require.Equal(t, grew, tally.Add(id))
			if grew {
				seen[id] = true
			}
			require.Equal(t, len(seen), tally.Count())
			require.Equal(t, 2*len(seen) > len(g.ids), tally.HasQuorum())
		}
	})
}

// A slotLog against a map.
func TestSlotLogModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, want, base := slotLog[int]{base: 1}, map[Slot]int{}, Slot(1)
		for i := range rapid.IntRange(1, 50).Draw(t, "steps") {
			slot := Slot(rapid.Uint64Range(1, 40).Draw(t, "slot"))
			switch {
			case rapid.Bool().Draw(t, "drop"):
				s.drop(slot)
				base = max(base, slot)
			case slot >= base:
				*s.grow(slot) = i + 1
				want[slot] = i + 1
			}
			require.Equal(t, base, s.base)
			for slot := range Slot(45) {
				p := s.get(slot)
				if slot < base {
					require.Nil(t, p)
				} else if p != nil {
					require.Equal(t, want[slot], *p)
				} else {
					require.Zero(t, want[slot])
				}
			}
		}
	})
}

// The outbox: which messages wait, which leave, in which order.
func TestOutboxTable(t *testing.T) {
	a, b, c := Fetch{Range{1, 2}}, Fetch{Range{2, 3}}, Fetch{Range{3, 4}}
	g := outbox{self: 1, first: 1}
	g.bootRecord = g.record(Booted{Boot: 1})
	second := g.record(Promised{Ballot: Ballot{1, 1}})
	g.post(second, 2, a)
	g.post(0, 3, b) // waits for the boot record all the same
	g.post(second, 1, c)
	var out Output
	g.take(&out)
	require.Equal(t, Output{Append: []Record{Booted{Boot: 1}, Promised{Ballot{1, 1}}}, First: 1, SyncTo: 2}, out)

	g.onDurable(1)
	require.Equal(t, []Envelope{{3, b}}, g.send)
	require.Empty(t, g.local)
	g.onDurable(1) // again: nothing
	g.onDurable(2)
	require.Equal(t, []Envelope{{3, b}, {2, a}}, g.send)
	require.Equal(t, []Message{c}, g.local, "a message to the node itself waits in the same outbox")
	out = Output{}
	g.take(&out)
	require.Equal(t, Output{Send: []Envelope{{3, b}, {2, a}}}, out)

	third := g.record(Settled{Range{1, 2}})
	g.post(third, 2, a)
	g.post(third, 2, Accept{Ballot: Ballot{1, 1}})
	g.cancel(func(m Message) bool { _, ok := m.(Accept); return ok })
	require.Equal(t, []waitingMessage{{3, Envelope{2, a}}}, g.waiting)
	require.Panics(t, func() { g.onDurable(3) }, "not given out yet")
	require.Panics(t, func() { g.record(Promised{Ballot{1, 1}}) }, "a promise that does not rise (I-A1)")
}

// Batches: as many commands as fit, in order, at least one.
func TestQueueTable(t *testing.T) {
	for _, c := range []struct {
		commands     int
		items, bytes int
		batches      []int
	}{
		{5, 2, 1000, []int{2, 2, 1}},
		{5, 100, 1000, []int{5}},
		{5, 100, 11, []int{1, 1, 1, 1, 1}}, // 11 bytes each with its length
		{5, 100, 22, []int{2, 2, 1}},
		{3, 100, 1, []int{1, 1, 1}}, // larger than a batch may be: still goes, alone
	} {
		var q queue
		for i := range c.commands {
			q.push(fmt.Appendf(nil, "command %02d", i)[:10])
		}
		var got []int
		var all Value
		for q.len() > 0 {
			v := q.batch(pageLimits{items: c.items, bytes: c.bytes})
			require.True(t, v.Valid())
			got, all = append(got, v.Len()), all+v
		}
		require.Equal(t, c.batches, got)
		require.Equal(t, c.commands, all.Len(), "nothing lost, nothing doubled")
	}
	var q queue
	q.push([]byte("x"))
	q.clear()
	require.Zero(t, q.len())
}

// Config: all faults at once, and none in the default.
func TestConfigTable(t *testing.T) {
	good := func() Config {
		c := DefaultConfig()
		c.ID, c.Members = 2, []NodeID{3, 1, 2}
		return c
	}
	c := good()
	require.NoError(t, c.Validate())
	for fault, spoil := range map[string]func(*Config){
		"no members":                    func(c *Config) { c.Members = nil },
		"at most 64":                    func(c *Config) { c.Members = make([]NodeID, 65) },
		"repeat an id":                  func(c *Config) { c.Members = []NodeID{2, 2} },
		"member id 0":                   func(c *Config) { c.Members = []NodeID{0, 2} },
		"is not one of the members":     func(c *Config) { c.ID = 9 },
		"Window is 0; at least 1":       func(c *Config) { c.Window = 0 },
		"PageVotes is -1; at least 1":   func(c *Config) { c.PageVotes = -1 },
		"MaxAhead 63 is below Window":   func(c *Config) { c.MaxAhead = 63 },
		"Heartbeat is 0s; above 0":      func(c *Config) { c.Heartbeat = 0 },
		"Retransmit is 0s; above 0":     func(c *Config) { c.Retransmit = 0 },
		"does not exceed Heartbeat":     func(c *Config) { c.ElectionMin = c.Heartbeat },
		"is below ElectionMin":          func(c *Config) { c.ElectionMax = c.ElectionMin - 1 },
		"MaxBatchCommands is 0; at lea": func(c *Config) { c.MaxBatchCommands = 0 },
	} {
		c := good()
		spoil(&c)
		require.ErrorContains(t, c.Validate(), fault)
		require.Panics(t, func() { New(c, Recovered{}, time.Time{}) })
	}
	bad := Config{Members: []NodeID{0, 0}}
	joined, ok := bad.Validate().(interface{ Unwrap() []error })
	require.True(t, ok)
	require.Greater(t, len(joined.Unwrap()), 10)
}

// Propose refuses for a reason that errors.Is tells.
func TestProposeTable(t *testing.T) {
	r := newRig(t, 3, func(c *Config) { c.MaxPending, c.MaxCommand, c.Window = 2, 8, 1 })
	require.ErrorIs(t, r.propose("x"), ErrNotLeader)
	r.lead()
	require.ErrorIs(t, r.propose("123456789"), ErrTooLarge)
	require.NoError(t, r.propose("first")) // takes the one slot of the window
	require.NoError(t, r.propose("second"))
	require.NoError(t, r.propose("third"))
	err := r.propose("fourth")
	require.True(t, errors.Is(err, ErrBusy), err)
	require.Equal(t, 2, r.node.Status().Pending)
}

// Room is what the window has slots for, less what waits for them already.
func TestRoomTable(t *testing.T) {
	r := newRig(t, 3, func(c *Config) { c.Window, c.MaxBatchCommands = 2, 3 })
	require.Zero(t, r.node.Room(), "it does not lead")
	r.lead()
	require.Equal(t, 6, r.node.Room())
	require.NoError(t, r.node.Propose(r.now, []byte("x")))
	require.Equal(t, 5, r.node.Room(), "the next goes into the same slot")
	require.NoError(t, r.propose("w"))
	require.Equal(t, 3, r.node.Room())
	require.NoError(t, r.propose("y"))
	require.Zero(t, r.node.Room())
	require.NoError(t, r.propose("z"))
	require.Zero(t, r.node.Room())
	r.sync()
	r.step(2, Accepted{Ballot: r.tenure.Ballot, Boot: 1, Slot: 1})
	r.drain()
	require.Zero(t, r.node.Room(), "z has the slot that is free")
	r.step(2, Accepted{Ballot: r.tenure.Ballot, Boot: 1, Slot: 2})
	r.drain()
	require.Equal(t, 3, r.node.Room())
}
