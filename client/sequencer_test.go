package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// A server can tell which of two holders is the later one, also across a node that was made again.
func TestSequencersOfALockAreOrderedByAge(t *testing.T) {
	l, c := newLoop()
	l.cell.leases.none = false
	ctx := t.Context()
	var all []client.Sequencer
	take := func(mode client.Mode, again bool) {
		f, err := c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
		require.NoError(t, err)
		lock, err := f.Acquire(ctx, mode)
		require.NoError(t, err)
		s, err := client.ParseSequencer(lock.Sequencer())
		require.NoError(t, err)
		require.Equal(t, "/f", s.Lock)
		require.Equal(t, mode, s.Mode)
		all = append(all, s)
		if again {
			require.NoError(t, f.Delete(ctx))
		}
		require.NoError(t, f.Close(ctx))
	}
	take(client.Exclusive, false)
	take(client.Shared, true)
	take(client.Exclusive, false)
	for i, s := range all {
		for j, o := range all {
			require.Equal(t, i < j, s.Compare(o) < 0)
			require.Equal(t, i == j, s.Compare(o) == 0)
		}
	}
	require.Greater(t, all[2].Instance, all[1].Instance)
	_, err := client.ParseSequencer("junk")
	require.ErrorIs(t, err, client.ErrInvalid)
	require.NotZero(t, client.Sequencer{Lock: "/a", Instance: 1, Generation: 1}.Compare(client.Sequencer{Lock: "/b", Instance: 1, Generation: 1}))
}
