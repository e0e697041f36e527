package clients

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
)

// handleOf is the n-th handle of epoch 1.
func handleOf(n uint64) api.HandleID { return api.HandleID{Epoch: 1, Counter: n} }

// tokens returns a function that seals a token for handle n of session 7 on a node of kind k.
func tokens(t *testing.T, k api.NodeKind) func(n uint64) api.Token {
	seal, err := handle.NewSealer(handle.Secret{1})
	require.NoError(t, err)
	path, err := api.ParsePath("/f")
	require.NoError(t, err)
	return func(n uint64) api.Token {
		return seal.Seal(handle.Handle{ID: handleOf(n), Session: 7, Node: api.Ref{Path: path, Instance: 3}, Kind: k, Rights: api.RightRead | api.RightWrite})
	}
}

// fakeLock is a lock with a given state.
type fakeLock struct {
	held bool
	err  error
}

func (l *fakeLock) Held() bool { return l.held }
func (l *fakeLock) Err() error { return l.err }
