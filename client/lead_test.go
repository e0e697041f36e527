package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// The function of the README says that leadership was lost: it does not return as if the work were done.
func TestALeaderThatIsCutOffSaysSo(t *testing.T) {
	bubble(t, nil, func(w *world) {
		begun := false
		err := lead(w.within(time.Minute), w.c, func(string, string) error {
			if !begun {
				begun = true
				w.cut(w.rt)
			}
			time.Sleep(100 * time.Millisecond)
			return nil
		})
		require.True(t, begun)
		require.ErrorIs(t, err, client.ErrJeopardy)
		w.cut(nil)
	})
}
