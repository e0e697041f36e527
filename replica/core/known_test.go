package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// A replica that meets a command that its program does not know stops before that slot, whether the
// command comes from other replicas or from its own disk: it applies the slots before, and nothing of
// this slot or a later one.
func TestAReplicaStopsBeforeACommandThatItDoesNotKnow(t *testing.T) {
	b := paxos.Ballot{Round: 4, Node: 1}
	values := []paxos.Value{
		paxos.Batch(command.Append(nil, command.Epoch{Master: 1})),
		paxos.Batch(command.Append(nil, command.LongestLease{Guard: 1, Lease: time.Second}), []byte("\x03Zwhatever")),
		paxos.Batch(command.Append(nil, command.Epoch{Master: 1})),
	}
	check := func(t *testing.T, n *core.Replica, out core.Output) {
		require.ErrorIs(t, out.Stop, core.ErrOtherVersion)
		require.ErrorIs(t, out.Stop, command.ErrUnknown)
		require.EqualError(t, out.Stop, "replica 1 stops before slot 2: the log has a command of another version of the program: "+
			"a command of kind 'Z' is unknown to this program. Its files are in order: start it with the program of the replica that was master (chubby version)")
		require.Len(t, out.Applied, 1)
		require.EqualValues(t, 1, rows.GetEpoch(n.View()).Number)
		require.Zero(t, rows.GetLongestLease(n.View()), "nothing of the slot was applied")
		require.ErrorIs(t, n.TakeOutput().Stop, core.ErrOtherVersion, "it does not go on")
		require.EqualValues(t, 1, rows.GetEpoch(n.View()).Number)
	}
	cfg := core.DefaultConfig()
	cfg.Paxos.ID, cfg.Paxos.Members = 1, []paxos.NodeID{1, 2}

	t.Run("from others", func(t *testing.T) {
		n := core.New(cfg, paxos.Recovered{}, nil, time.Unix(1, 0))
		n.Durable(time.Unix(1, 0), n.TakeOutput().First)
		n.Step(time.Unix(1, 0), 2, paxos.FetchReply{From: 1, Values: values, FirstOpen: 4})
		check(t, n, n.TakeOutput())
	})
	t.Run("from the disk", func(t *testing.T) {
		rec := paxos.Recovered{Boot: 3, Promise: b, Next: 9, Records: []paxos.Record{
			paxos.Voted{Slot: 1, Ballot: b, Value: values[0]}, paxos.Voted{Slot: 2, Ballot: b, Value: values[1]}, paxos.Voted{Slot: 3, Ballot: b, Value: values[2]},
			paxos.Settled{Slots: paxos.Range{From: 1, To: 4}},
		}}
		n := core.New(cfg, rec, nil, time.Unix(1, 0))
		check(t, n, n.TakeOutput())
	})
}

// All replicas refuse a malformed command of the present version alike, so none stops.
func TestAMalformedCommandStopsNobody(t *testing.T) {
	cfg := core.DefaultConfig()
	cfg.Paxos.ID, cfg.Paxos.Members = 1, []paxos.NodeID{1, 2}
	n := core.New(cfg, paxos.Recovered{}, nil, time.Unix(1, 0))
	n.Durable(time.Unix(1, 0), n.TakeOutput().First)
	values := []paxos.Value{paxos.Batch([]byte("\x03E")), paxos.Batch(command.Append(nil, command.Epoch{Master: 1}))}
	n.Step(time.Unix(1, 0), 2, paxos.FetchReply{From: 1, Values: values, FirstOpen: 3})
	require.NoError(t, n.TakeOutput().Stop)
	require.EqualValues(t, 1, rows.GetEpoch(n.View()).Number)
}
