package recipe

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// A Next whose context ends leaves nothing in the Config, whose file may never change.
func TestANextThatEndsLeavesNothingBehind(t *testing.T) {
	w := &Config[int]{rt: client.NewRuntime(nil)}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		_, err := w.Next(ended)
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Empty(t, w.wake)
}
