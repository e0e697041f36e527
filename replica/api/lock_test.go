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

// The text of a sequencer is read back exactly, or refused: a program's JSON, a proxy or a shell that
// changes a byte of it makes no other sequencer of it.
func TestTheTextOfASequencerIsReadExactlyOrRefused(t *testing.T) {
	all := []api.Sequencer{}
	for _, g := range goldenSequencers(t) {
		all = append(all, g.q)
	}
	for _, gen := range []api.LockGen{1, 127, 148, 168, 1 << 32, 1<<64 - 1} {
		all = append(all, api.Sequencer{Node: api.Ref{Path: mustPath(t, "/ü/f"), Instance: 200}, Mode: api.Shared, Gen: gen})
	}
	longest := api.Path{}
	for range 4 {
		var err error
		longest, err = longest.Child(strings.Repeat("p", api.MaxComponent))
		require.NoError(t, err)
	}
	all = append(all, api.Sequencer{Node: api.Ref{Path: longest, Instance: 1<<64 - 1}, Mode: api.Shared, Gen: 1<<64 - 1})
	seen := map[string]bool{}
	for _, q := range all {
		text := q.Text()
		require.Regexp(t, "^[A-Za-z0-9_-]+$", text)
		require.False(t, seen[text])
		seen[text] = true
		got, err := api.ParseSequencerText(text)
		require.NoError(t, err)
		require.Equal(t, q, got)
		for i := range min(len(text), 60) {
			for _, c := range "AB9-_\n =\"\x80" {
				if changed := text[:i] + string(c) + text[i+1:]; changed != text {
					_, err := api.ParseSequencerText(changed)
					require.ErrorIs(t, err, api.ErrMalformed, changed)
				}
			}
			_, err := api.ParseSequencerText(text[:i] + text[i+1:])
			require.ErrorIs(t, err, api.ErrMalformed)
		}
		for _, other := range []string{text + "A", text + "\n", text + "=", " " + text, q.Encode(), strings.ToLower(text), text + text} {
			_, err := api.ParseSequencerText(other)
			require.ErrorIs(t, err, api.ErrMalformed)
		}
	}
	for text, why := range map[string]string{
		"":         "malformed message: the check digits do not fit the 0 characters: it is no sequencer, or one that was cut or changed",
		"AVMC":     "malformed message: the check digits do not fit the 4 characters: it is no sequencer, or one that was cut or changed",
		"AV\ufffd": `malformed message: byte 3 of 5 is "\xef", and a sequencer has letters, digits, - and _ only`,
		api.Sequencer{Mode: api.Shared, Gen: 9}.Text(): "malformed message: no lock is /#0 shared generation 9",
		strings.Repeat("A", 1405):                      "malformed message: a sequencer of 1405 characters, and the longest has 1404",
	} {
		_, err := api.ParseSequencerText(text)
		require.EqualError(t, err, why)
	}
}

func FuzzParseSequencerText(f *testing.F) {
	for _, g := range goldenSequencers(f) {
		f.Add(g.q.Text())
	}
	f.Fuzz(func(t *testing.T, text string) {
		if q, err := api.ParseSequencerText(text); err == nil {
			require.True(t, q.Valid())
			require.Equal(t, text, q.Text(), "no sequencer has two texts")
		}
	})
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
