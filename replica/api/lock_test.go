package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

// The bytes of format version 1. A change here is a new version.
func goldenSequencers(t testing.TB) []goldenSequencer {
	return []goldenSequencer{
		{"0153 022f66 03 01 0a", api.Sequencer{Node: api.Ref{Path: mustPath(t, "/f"), Instance: 3}, Mode: api.Exclusive, Gen: 10}, "/f#3 exclusive generation 10"},
		{"0153 04 2f612f62 ac02 02 ffffffffffffffffff01",
			api.Sequencer{Node: api.Ref{Path: mustPath(t, "/a/b"), Instance: 300}, Mode: api.Shared, Gen: 1<<64 - 1}, "/a/b#300 shared generation 18446744073709551615"},
	}
}

type goldenSequencer struct {
	hex  string
	q    api.Sequencer
	text string
}

func TestGoldenSequencers(t *testing.T) {
	for _, g := range goldenSequencers(t) {
		b := string(unhex(t, g.hex))
		require.Equal(t, b, g.q.Encode())
		q, err := api.ParseSequencer(b)
		require.NoError(t, err)
		require.Equal(t, g.q, q)
		require.Equal(t, g.text, q.String())
		for n := range b {
			_, err := api.ParseSequencer(b[:n])
			require.ErrorIs(t, err, api.ErrMalformed)
		}
	}
}

func TestWhatIsNoSequencerIsRefusedWithTheReason(t *testing.T) {
	for _, r := range []struct{ hex, want string }{
		{"", "malformed message: byte 0: ends early"},
		{"0253 022f66 03 01 0a", "malformed message: unknown version 2 (this program knows 1)"},
		{"0151 022f66 03 01 0a", "malformed message: byte 2: kind 'Q', want 'S'"},
		{"0153 022f66 03 01 0a 00", "malformed message: byte 8: 1 bytes too many"},
		{"0153 ff7f2f66 03 01 0a", "malformed message: byte 4: 16383 items in 5 bytes"},
		{"0153 022f66 8300 01 0a", "malformed message: byte 5: number in a longer form than needed"},
		{"0153 00 03 01 0a", `malformed message: byte 3: bad name: does not begin with a slash: ""`},
		{"0153 022f2f 03 01 0a", `malformed message: byte 5: bad name: has an empty component: "/"`},
		{"0153 022f66 00 01 0a", "malformed message: no lock is /f#0 exclusive generation 10"},
		{"0153 022f66 03 00 0a", "malformed message: no lock is /f#3 free generation 10"},
		{"0153 022f66 03 03 0a", "malformed message: no lock is /f#3 mode(3) generation 10"},
		{"0153 022f66 03 01 00", "malformed message: no lock is /f#3 exclusive generation 0"},
	} {
		_, err := api.ParseSequencer(string(unhex(t, r.hex)))
		require.EqualError(t, err, r.want, r.hex)
		require.ErrorIs(t, err, api.ErrMalformed)
	}
	_, err := api.ParseSequencer(strings.Repeat("x", api.MaxSequencer+1))
	require.EqualError(t, err, fmt.Sprintf("malformed message: a sequencer of %d bytes", api.MaxSequencer+1))
}

func TestTheLongestSequencerFits(t *testing.T) {
	q := api.Sequencer{Node: api.Ref{Path: mustPath(t, strings.Repeat("/"+strings.Repeat("p", api.MaxComponent), 4)), Instance: 1<<64 - 1}, Mode: api.Shared, Gen: 1<<64 - 1}
	require.Len(t, q.Encode(), api.MaxSequencer)
	got, err := api.ParseSequencer(q.Encode())
	require.NoError(t, err)
	require.Equal(t, q, got)
}

func FuzzParseSequencer(f *testing.F) {
	for _, g := range goldenSequencers(f) {
		f.Add(g.q.Encode())
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := api.ParseSequencer(s)
		if err == nil && (q.Encode() != s || !q.Valid()) {
			t.Fatalf("%x parses to %v, which encodes to %x", s, q, q.Encode())
		}
	})
}

func TestSequencersRoundTrip(t *testing.T) {
	paths := []api.Path{{}, mustPath(t, "/a"), mustPath(t, "/ls/local/é"), mustPath(t, "/"+strings.Repeat("x", 255))}
	rapid.Check(t, func(t *rapid.T) {
		q := api.Sequencer{
			Node: api.Ref{
				Path:     rapid.SampledFrom(paths).Draw(t, "path"),
				Instance: api.Instance(rapid.Uint64Min(1).Draw(t, "instance")),
			},
			Mode: rapid.SampledFrom([]api.Mode{api.Exclusive, api.Shared}).Draw(t, "mode"),
			Gen:  api.LockGen(rapid.Uint64Min(1).Draw(t, "gen")),
		}
		got, err := api.ParseSequencer(q.Encode())
		require.NoError(t, err)
		require.Equal(t, q, got)
	})
}

func TestModes(t *testing.T) {
	for i, want := range []string{"free", "exclusive", "shared", "mode(3)"} {
		require.Equal(t, want, api.Mode(i).String())
		require.Equal(t, i == 1 || i == 2, api.Mode(i).Valid())
	}
	require.True(t, api.Exclusive.HasConflict(api.Exclusive))
	require.True(t, api.Exclusive.HasConflict(api.Shared))
	require.True(t, api.Shared.HasConflict(api.Exclusive))
	require.False(t, api.Shared.HasConflict(api.Shared))
}

// A delay is never shorter than what was asked for, up to the bound, and never
// longer than the bound.
func TestLockDelays(t *testing.T) {
	for _, r := range []struct {
		d    time.Duration
		want api.LockDelay
	}{
		{-1, 0}, {0, 0}, {1, 1}, {time.Millisecond, 1}, {time.Millisecond + 1, 2}, {time.Minute - 1, 60_000},
		{time.Minute, 60_000}, {time.Minute + 1, 60_000}, {1<<63 - 1, 60_000}, {-1 << 63, 0},
	} {
		require.Equal(t, r.want, api.DelayOf(r.d), "%v", r.d)
	}
	require.Equal(t, api.LockDelay(7), api.LockDelay(7).Bound())
	require.Equal(t, api.MaxLockDelay, (api.MaxLockDelay + 1).Bound())
	require.Equal(t, "1m0s", api.MaxLockDelay.String())
}

func TestHandleIDsAreOrderedByEpochThenCount(t *testing.T) {
	ids := []api.HandleID{{}, {Epoch: 1, Counter: 2}, {Epoch: 1, Counter: 10}, {Epoch: 2, Counter: 1}}
	for i, a := range ids {
		for j, b := range ids {
			require.Equal(t, min(1, max(-1, i-j)), a.Compare(b), "%v %v", a, b)
		}
	}
	require.Equal(t, "1.10", ids[2].String())
}

func TestRights(t *testing.T) {
	for i, want := range []string{"", "read", "write", "read+write", "change-acl", "read+change-acl", "write+change-acl", "read+write+change-acl", "0x8"} {
		require.Equal(t, want, api.Rights(i).String())
		require.Equal(t, 1 <= i && i <= 7, api.Rights(i).Valid())
	}
	both := api.RightRead | api.RightWrite
	require.True(t, both.Has(api.RightWrite))
	require.False(t, api.RightWrite.Has(both))
}
