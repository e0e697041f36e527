package recipe

import (
	"context"
	"iter"
	"strconv"
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

// The context of a Next may end with an error of the client as its cause, as that of a lost lock does. The error tells that
// the context has ended, as those of all calls do: it is not the end of the Config.
func TestANextTellsThatItsContextHasEnded(t *testing.T) {
	w := &Config[int]{rt: client.NewRuntime(nil), file: "/ls/local/f"}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(client.ErrClosed)
	_, err := w.Next(ended)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, client.ErrClosed)
	require.False(t, says(ended, err, client.ErrClosed))
	require.ErrorContains(t, err, "/ls/local/f")
}

// prompt is a Runtime whose threads run at once, before Go returns.
type prompt struct{ *client.Goroutines }

func (p prompt) Go(_ string, f func()) { f() }

// A cell without events gives a value, and then the error that no other will be heard of. How soon the error comes does
// not decide whether there is a Config.
func TestAConfigKeepsAValueThatAnErrorFollowsAtOnce(t *testing.T) {
	c := client.New(prompt{client.NewRuntime(nil)}, client.Config{Replicas: []uint32{1}, Draw: client.Entropy})
	once := func(context.Context, *client.Client, string, client.EventMask, func(context.Context, *client.Handle) (string, error)) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			_ = yield("7", nil) && yield("", client.ErrNoLeases)
		}
	}
	w, err := watchText(t.Context(), c, "/ls/local/f", once, strconv.Atoi)
	require.NoError(t, err)
	require.Equal(t, 7, w.Value())
	require.ErrorIs(t, w.Err(), client.ErrNoLeases)
	_, err = w.Next(t.Context())
	require.ErrorIs(t, err, client.ErrNoLeases)

	_, err = watchText(t.Context(), c, "/ls/local/f", once, strconv.ParseBool)
	require.Error(t, err, "there never was a value")
}
