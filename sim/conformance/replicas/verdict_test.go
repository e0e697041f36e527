package replicas

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// facts is a world of which nothing but its verdict is asked. Each test shows that a check
// can fail, and that the nearest good conduct passes.
type facts struct {
	t *testing.T
	w *sim.World
}

func newFacts(t *testing.T) *facts {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	return &facts{t: t, w: w}
}

func (f *facts) good() { require.Nil(f.t, f.w.Failure()) }

func (f *facts) breaks(id string) {
	f.t.Helper()
	require.NotNil(f.t, f.w.Failure(), "nothing broke")
	require.Equal(f.t, id, f.w.Failure().ID, f.w.Failure().Text)
}

func ballot(round uint64, id paxos.NodeID) paxos.Ballot { return paxos.Ballot{Round: round, Node: id} }
