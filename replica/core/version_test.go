package core_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// tell says to each replica what it may hear of the others from their connections.
func (g *group) tell(known map[paxos.NodeID]byte) {
	for id, n := range g.nodes {
		others := maps.Clone(known)
		delete(others, id)
		n.MembersKnow(g.now, others)
	}
	g.pass(time.Second)
}

func (g *group) versions() (all []byte) {
	for id := paxos.NodeID(1); int(id) <= len(g.nodes); id++ {
		all = append(all, g.nodes[id].Version())
	}
	return all
}

// raises counts the commands that raised the version, at one replica.
func (g *group) raises() (n int) {
	for _, a := range g.seen[1].applied {
		for _, c := range a.Commands {
			if k, ok := c.Command.(command.Constant); ok && k.Value == rows.VersionValue {
				n++
			}
		}
	}
	return n
}

// The cell uses a version of commands when the programs of all members know it, and not before: a member that was not heard
// of counts as one of the first version. It never goes back.
func TestTheVersionIsRaisedWhenAllMembersKnowIt(t *testing.T) {
	g := newGroup(t, 3, func(c *core.Config) { c.NewestVersion = 5 })
	g.pass(3 * time.Second)
	require.Equal(t, []byte{3, 3, 3}, g.versions())
	g.tell(map[paxos.NodeID]byte{1: 5, 2: 5})
	require.Equal(t, []byte{3, 3, 3}, g.versions(), "replica 3 was never heard of")
	g.tell(map[paxos.NodeID]byte{1: 5, 2: 5, 3: 3})
	require.Equal(t, []byte{3, 3, 3}, g.versions())
	g.tell(map[paxos.NodeID]byte{1: 5, 2: 5, 3: 4})
	require.Contains(t, [][]byte{{4, 4, 4}, {5, 5, 5}}, g.versions(), "a replica does not ask itself what it knows")
	g.tell(map[paxos.NodeID]byte{1: 5, 2: 5, 3: 5})
	require.Equal(t, []byte{5, 5, 5}, g.versions())
	require.Equal(t, 2, g.raises(), "one by one, each once")
	g.tell(map[paxos.NodeID]byte{1: 5})
	g.cut[g.master()] = true
	g.pass(5 * time.Second)
	require.Equal(t, []byte{5, 5, 5}, g.versions())
	require.Equal(t, 2, g.raises())
}

// A raise that was lost with its master is proposed by the next one, if it knows of all members.
func TestTheNextMasterRaisesTheVersion(t *testing.T) {
	g := newGroup(t, 3, func(c *core.Config) { c.NewestVersion = 4 })
	g.pass(3 * time.Second)
	first := g.master()
	g.cut[first] = true
	g.tell(map[paxos.NodeID]byte{1: 4, 2: 4, 3: 4})
	require.EqualValues(t, 3, g.nodes[first].Version(), "it is alone")
	g.pass(5 * time.Second)
	require.NotEqual(t, first, g.master())
	require.EqualValues(t, 4, g.nodes[g.master()].Version())
	g.cut[first] = false
	g.pass(3 * time.Second)
	require.Equal(t, []byte{4, 4, 4}, g.versions())
}

// In a cell of one replica, no other member has to know the version.
func TestACellOfOneRaisesTheVersionAtOnce(t *testing.T) {
	g := newGroup(t, 1, func(c *core.Config) { c.NewestVersion = 4 })
	g.pass(3 * time.Second)
	require.Equal(t, []byte{4}, g.versions())
}

// A replica of an older program stops with what to do, whether it finds the version in the log or in a snapshot.
func TestAReplicaOfAnOlderProgramStopsWhenTheVersionIsRaised(t *testing.T) {
	const want = "replica 1 stops: the log has a command of another version of the program: the cell uses version 4 of the commands, " +
		"since the programs of all members have known it, and this program knows them up to version 3. " +
		"Its files are in order: start it with the program of the other replicas (chubby version)"
	raise := command.Constant{Guard: 1, Name: rows.ConstantVersion(4), Value: rows.VersionValue}
	all := db.New()
	tx := all.Begin()
	require.Equal(t, rows.FirstVersion, rows.GetVersion(all))
	rows.SetConstant(tx, raise.Name, raise.Value)
	tx.Commit()
	cfg := core.DefaultConfig()
	cfg.Paxos.ID, cfg.Paxos.Members = 1, []paxos.NodeID{1, 2}
	b := paxos.Ballot{Round: 4, Node: 1}
	value := paxos.Batch(command.Append(nil, command.Epoch{Master: 1}), command.Append(nil, raise))
	at := paxos.Handle{Slot: 3, Members: cfg.Paxos.Members}
	for name, c := range map[string]struct {
		rec  paxos.Recovered
		rows *db.DB
	}{
		"log": {paxos.Recovered{Boot: 3, Promise: b, Next: 9, Records: []paxos.Record{
			paxos.Voted{Slot: 1, Ballot: b, Value: value}, paxos.Settled{Slots: paxos.Range{From: 1, To: 2}}}}, nil},
		"snapshot": {paxos.Recovered{Boot: 3, Snapshot: at, Next: 2}, all},
	} {
		t.Run(name, func(t *testing.T) {
			older := cfg
			older.NewestVersion = 3
			out := core.New(older, c.rec, c.rows, time.Unix(1, 0)).TakeOutput()
			require.ErrorIs(t, out.Stop, core.ErrOtherVersion)
			require.EqualError(t, out.Stop, want)
			newer := cfg
			newer.NewestVersion = 4
			n := core.New(newer, c.rec, c.rows, time.Unix(1, 0))
			require.NoError(t, n.TakeOutput().Stop)
			require.EqualValues(t, 4, n.Version())
		})
	}
	t.Run("snapshot of another replica", func(t *testing.T) {
		n := core.New(cfg, paxos.Recovered{}, nil, time.Unix(1, 0))
		n.Durable(time.Unix(1, 0), n.TakeOutput().First)
		require.True(t, n.Install(time.Unix(2, 0), at, all))
		require.EqualError(t, n.TakeOutput().Stop, want)
	})
}
