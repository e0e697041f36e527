package clients

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/sim"
)

// facts is a world of which nothing but its verdict is asked. Each test shows that a check
// can fail, and that the nearest good client passes.
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

// handleOf is the n-th handle of epoch 1.
func handleOf(n uint64) api.HandleID { return api.HandleID{Epoch: 1, Counter: n} }

// tokens gives out those of handles of session 7 on a node of this kind, by their numbers.
func tokens(t *testing.T, k api.NodeKind) func(n uint64) api.Token {
	seal, err := handle.NewSealer(handle.Secret{1})
	require.NoError(t, err)
	path, err := api.ParsePath("/f")
	require.NoError(t, err)
	return func(n uint64) api.Token {
		return seal.Seal(handle.Handle{ID: handleOf(n), Session: 7, Node: api.Ref{Path: path, Instance: 3}, Kind: k, Rights: api.RightRead | api.RightWrite})
	}
}

// spoken is a lock that says what a test wants.
type spoken struct {
	held bool
	err  error
}

func (l *spoken) Held() bool { return l.held }
func (l *spoken) Err() error { return l.err }
