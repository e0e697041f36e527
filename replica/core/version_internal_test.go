package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/state/command"
)

// A command above the version that the cell uses breaks I-R9, where it is proposed and where it is applied.
func TestACommandAboveTheVersionInUseBreaksAnInvariant(t *testing.T) {
	start := func(members ...paxos.NodeID) *Replica {
		cfg := DefaultConfig()
		cfg.Paxos.ID, cfg.Paxos.Members = 1, members
		r := New(cfg, paxos.Recovered{}, nil, time.Unix(1, 0))
		r.Durable(time.Unix(1, 0), r.TakeOutput().First)
		r.versions.inUse = command.OldestVersion - 1
		return r
	}
	r := start(1, 2)
	r.Step(time.Unix(1, 0), 2, paxos.FetchReply{From: 1, Values: []paxos.Value{paxos.Batch(command.Append(nil, command.Epoch{Master: 2}))}, FirstOpen: 2})
	v := invariant.Caught(func() { r.TakeOutput() })
	require.NotNil(t, v, "applied")
	require.EqualValues(t, "I-R9", v.ID)
	require.Contains(t, v.Error(), "replica 1 applies a command of version 3 in a cell that uses version 2")

	r = start(1)
	v = invariant.Caught(func() {
		for at := time.Unix(1, 0); at.Before(time.Unix(20, 0)); at = at.Add(100 * time.Millisecond) {
			r.Advance(at)
			if out := r.TakeOutput(); len(out.Append) > 0 {
				r.Durable(at, out.First+paxos.LSN(len(out.Append))-1)
			}
		}
	})
	require.NotNil(t, v, "proposed")
	require.EqualValues(t, "I-R9", v.ID)
	require.Contains(t, v.Error(), "replica 1 proposes a command of version 3 in a cell that uses version 2")
}
