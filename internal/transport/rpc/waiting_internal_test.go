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
	var all []*client
	for range clients {
		c, err := s.admit(caller{who: "ann"})
		require.NoError(t, err)
		all = append(all, c)
		for range 2 * queueBytes / size {
			s.Send(c.id<<portBits, large)
		}
	}
	require.Greater(t, s.waiting.Bytes(), allBytes)
	require.LessOrEqual(t, s.waiting.Bytes(), allBytes+clients*size)
	for _, c := range all {
		s.leave(c)
		s.Send(c.id<<portBits, large)
	}
	require.Zero(t, s.waiting.Bytes())
}
