package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// What waits for clients that do not read is bounded over all of them, and their end frees it.
func TestWhatClientsDoNotReadIsBounded(t *testing.T) {
	s, err := NewServer(ServerConfig{Cell: "test", Replica: 1, TrustNames: true, Deliver: func(uint64, api.Principal, []byte) bool { return true }})
	require.NoError(t, err)
	defer s.Stop(t.Context())
	const clients, size = 100, 1 << 20
	large := make([]byte, size) // shared: the test needs no memory for what it counts
	var all []uint64
	for range clients {
		id, _, err := s.admit()
		require.NoError(t, err)
		all = append(all, id)
		for range 2 * queueBytes / size {
			s.Send(id<<portBits, large)
		}
	}
	require.Greater(t, s.waiting.Bytes(), allBytes)
	require.LessOrEqual(t, s.waiting.Bytes(), allBytes+clients*size)
	for _, id := range all {
		s.leave(id)
		s.Send(id<<portBits, large)
	}
	require.Zero(t, s.waiting.Bytes())
}
