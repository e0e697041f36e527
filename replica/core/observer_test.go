package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
)

// record is an observer that keeps what it is told.
type record struct {
	installed       []core.Installed
	applied         []core.Applied
	tenures         []paxos.Tenure
	proposed, begun []string
	refused         []string
	reads           []core.Read
}

func (r *record) OnInstalled(i core.Installed) { r.installed = append(r.installed, i) }
func (r *record) OnApplied(a core.Applied)     { r.applied = append(r.applied, a) }
func (r *record) OnTenure(t paxos.Tenure)      { r.tenures = append(r.tenures, t) }
func (r *record) OnProposed(raw []byte)        { r.proposed = append(r.proposed, string(raw)) }
func (r *record) OnRefused(raw []byte)         { r.refused = append(r.refused, string(raw)) }
func (r *record) OnBegun(raw []byte)           { r.begun = append(r.begun, string(raw)) }
func (r *record) OnRead(read core.Read)        { r.reads = append(r.reads, read) }

// An observer is told of everything that replica 1 of a cell of one does, and of nothing twice.
func TestAnObserverIsToldWhatAReplicaDoes(t *testing.T) {
	g := newGroup(t, 1)
	g.pass(3 * time.Second)
	seen := g.seen[1]
	require.Len(t, seen.tenures, 1)
	require.True(t, seen.tenures[0].Mine)

	s := g.open(1)
	g.ask(1, api.Request{ID: 2, Session: s, Seq: 1, Op: api.Put{Key: "a", Value: "1"}})
	g.ask(1, api.Request{ID: 3, Session: s, Seq: 2, Op: api.Get{Key: "a"}})
	require.Len(t, seen.reads, 1)
	require.Equal(t, "1", seen.reads[0].Result.Value)
	var commands int
	for i, a := range seen.applied {
		require.Equal(t, paxos.Slot(i+1), a.Slot)
		commands += len(a.Commands)
		require.Len(t, a.Commands, a.Value.Len())
	}
	require.Equal(t, seen.applied[len(seen.applied)-1].Sum, g.nodes[1].View().Checksum())
	require.Len(t, seen.proposed, commands, "each command was proposed once, and is chosen")
	require.Subset(t, seen.proposed, seen.begun)
	require.Len(t, seen.begun, 2, "the session and the row; what a new master proposes first waits for no turn")
}

// With a window of one slot and one command a slot, the log does not take all that a new master needs. The observer is told of each
// refusal, and the master proposes these commands again.
func TestAnObserverIsToldWhatTheLogRefuses(t *testing.T) {
	g := newGroup(t, 1, func(c *core.Config) { c.Paxos.Window, c.Paxos.MaxBatchCommands, c.Paxos.MaxPending = 1, 1, 1 })
	g.pass(3 * time.Second)
	seen := g.seen[1]
	require.NotEmpty(t, seen.refused)
	for _, raw := range seen.refused {
		_, err := command.Decode(raw)
		require.NoError(t, err)
	}
	require.Subset(t, seen.proposed, seen.refused)
	require.NotEmpty(t, g.open(1))
}

// A replica without an observer does the same as one with an observer.
func TestWithoutAnObserverTheSameIsDone(t *testing.T) {
	with, without := newGroup(t, 3), newGroup(t, 3, func(c *core.Config) { c.Observer = nil })
	for _, g := range []*group{with, without} {
		g.pass(3 * time.Second)
		s := g.open(g.master())
		for seq := api.Seq(1); seq <= 9; seq++ {
			g.ask(g.master(), api.Request{ID: uint64(seq), Session: s, Seq: seq, Op: api.Put{Key: "a", Value: "x"}})
		}
	}
	require.Empty(t, without.seen)
	for id := range with.nodes {
		require.Equal(t, with.nodes[id].View().Checksum(), without.nodes[id].View().Checksum())
		require.Equal(t, with.nodes[id].Status(), without.nodes[id].Status())
	}
}
