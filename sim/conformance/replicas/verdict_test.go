package replicas

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// verdict is a world that only records breaches. Each test shows that a check can fail, and
// that the nearest correct replica passes.
type verdict struct {
	t *testing.T
	w *sim.World
}

func newVerdict(t *testing.T) *verdict {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	return &verdict{t: t, w: w}
}

func (f *verdict) requireClean() { require.Nil(f.t, f.w.Failure()) }

func (f *verdict) requireBreach(id string) {
	f.t.Helper()
	require.NotNil(f.t, f.w.Failure(), "nothing broke")
	require.Equal(f.t, id, f.w.Failure().ID, f.w.Failure().Text)
	require.Equal(f.t, sim.Conformance, f.w.Failure().Kind)
}

func ballot(round uint64, id paxos.NodeID) paxos.Ballot { return paxos.Ballot{Round: round, Node: id} }
