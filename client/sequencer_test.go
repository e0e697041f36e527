package client_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
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
	s := client.Sequencer{Lock: "/f", Instance: 3, Generation: 7, Mode: client.Shared}
	require.Equal(t, "/f (instance 3), generation 7, shared", s.String())
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

// Programs pass sequencers on in JSON, URLs and headers. Two holders stay two, and the cell knows the
// true one when it comes back.
func TestASequencerSurvivesTheCarriersOfPrograms(t *testing.T) {
	l, c := newLoop()
	l.cell.leases.none = false
	ctx := t.Context()
	f, err := c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
	require.NoError(t, err)
	seen := map[client.Sequencer]bool{}
	for range 200 {
		lock, err := f.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		text := lock.Sequencer()

		inJSON, err := json.Marshal(text)
		require.NoError(t, err)
		var back string
		require.NoError(t, json.Unmarshal(inJSON, &back))
		require.Equal(t, text, back)
		require.Equal(t, text, url.QueryEscape(text))
		require.Equal(t, text, url.PathEscape(text))
		var sent strings.Builder
		require.NoError(t, http.Header{"Sequencer": {text}}.Write(&sent))
		require.Equal(t, "Sequencer: "+text+"\r\n", sent.String())

		s, err := client.ParseSequencer(back)
		require.NoError(t, err)
		require.False(t, seen[s], "two acquisitions are one: %v", s)
		seen[s] = true
		require.NoError(t, f.CheckSequencer(ctx, back))
		require.NoError(t, lock.Release(ctx))
		require.ErrorIs(t, f.CheckSequencer(ctx, back), client.ErrStaleSequencer)
	}
}

// A text that is no sequencer of the node is refused, and the error says why.
func TestWhatIsNoSequencerIsRefusedWithTheReason(t *testing.T) {
	l, c := newLoop()
	l.cell.leases.none = false
	ctx := t.Context()
	open := func(name string) (*client.Handle, string) {
		h, err := c.Open(ctx, name, client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
		require.NoError(t, err)
		lock, err := h.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		return h, lock.Sequencer()
	}
	f, own := open("/ls/local/f")
	raw, err := api.ParseSequencerText(own)
	require.NoError(t, err)
	for text, why := range map[string]string{
		"":                  "check digits",
		own[:len(own)-1]:    "check digits",
		own + "\n":          `"\n"`,
		"Bearer " + own:     `" "`,
		raw.Encode():        `"\x01"`, // the bytes, which have no check digits
		"none of a program": `" "`,
	} {
		for _, f := range []func() error{
			func() error { return f.CheckSequencer(ctx, text) },
			func() error { return f.SetSequencer(ctx, text) },
			func() error { _, err := client.ParseSequencer(text); return err },
		} {
			err := f()
			require.ErrorIs(t, err, client.ErrInvalid, "%q", text)
			require.ErrorContains(t, err, why)
		}
	}
	require.NoError(t, f.SetSequencer(ctx, own))
}
