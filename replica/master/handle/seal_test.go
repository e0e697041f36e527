package handle_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
)

var secret = handle.Secret{1, 2, 3}

func sealer(t testing.TB, s handle.Secret) handle.Sealer {
	x, err := handle.NewSealer(s)
	require.NoError(t, err)
	return x
}

func ref(t testing.TB, path string, i api.Instance) api.Ref {
	p, err := api.ParsePath(path)
	require.NoError(t, err)
	return api.Ref{Path: p, Instance: i}
}

// sample is a handle with something in every field.
func sample(t testing.TB) handle.Handle {
	n := ref(t, "/f", 9)
	return handle.Handle{
		ID: api.HandleID{Epoch: 3, Counter: 4}, Session: 5, Node: n, Kind: api.File, Ephemeral: true,
		Rights: api.RightRead | api.RightWrite, Delay: 1000, Fence: api.Sequencer{Node: n, Mode: api.Shared, Gen: 7},
	}
}

// bodies returns the bytes of format versions 1 to 3, in hex and without the check digits, and their handles. A
// change of these bytes needs a new version.
func bodies(t testing.TB) map[string]handle.Handle {
	h := sample(t)
	plain := handle.Handle{ID: api.HandleID{Epoch: 1<<64 - 1, Counter: 1}, Session: 2, Node: ref(t, "/", 1),
		Kind: api.Directory, Rights: api.RightChangeACL}
	tied := h
	tied.Tie = handle.Tie{Epoch: 6, Counter: 1<<63 + 7}
	watching := plain
	watching.Events = api.WantChildren | api.WantFailover
	all := tied
	all.Events = api.WantContents
	return map[string]handle.Handle{
		"0348 ffffffffffffffff 0000000000000001 0000000000000002 0000000000000001 01 00 04 00000000 0001 2f 0000 0000000000000000 0000000000000000 22":                    watching,
		"0348 0000000000000003 0000000000000004 0000000000000005 0000000000000009 02 01 03 000003e8 0002 2f66 0008 0153022f66090207 0000000000000006 8000000000000007 01": all,
		"0148 0000000000000003 0000000000000004 0000000000000005 0000000000000009 02 01 03 000003e8 0002 2f66 0008 0153022f66090207":                                      h,
		"0148 ffffffffffffffff 0000000000000001 0000000000000002 0000000000000001 01 00 04 00000000 0001 2f 0000":                                                         plain,
		"0248 0000000000000003 0000000000000004 0000000000000005 0000000000000009 02 01 03 000003e8 0002 2f66 0008 0153022f66090207 0000000000000006 8000000000000007":    tied,
	}
}

func unhex(t testing.TB, s string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return string(b)
}

// digest computes check digits with the standard library alone.
func digest(s handle.Secret, body string) string {
	mac := hmac.New(sha256.New, s[:])
	mac.Write([]byte(body))
	return string(mac.Sum(nil))
}

func TestGoldenTokens(t *testing.T) {
	s := sealer(t, secret)
	for body, h := range bodies(t) {
		b := unhex(t, body)
		require.True(t, h.Valid())
		token := s.Seal(h)
		require.Equal(t, b+digest(secret, b), string(token))
		got, v := s.Unseal(token)
		require.Equal(t, handle.Good, v)
		require.Equal(t, h, got)
	}
	token := string(s.Seal(sample(t)))
	require.Equal(t, "603a12f12f9d2d7f", hex.EncodeToString([]byte(token[len(token)-32:][:8])), "computed elsewhere")
}

// A token is refused if any byte of it is changed, if it is cut short, or if bytes are added.
func TestNoOtherBytesAreAToken(t *testing.T) {
	s := sealer(t, secret)
	token := s.Seal(sample(t))
	for i := range len(token) {
		for _, x := range []byte{1, 0x80, 0xff} {
			b := []byte(token)
			b[i] ^= x
			h, v := s.Unseal(api.Token(b))
			require.Contains(t, []handle.Verdict{handle.Malformed, handle.Forged}, v, "byte %d", i)
			require.Zero(t, h)
			if i >= len(token)-32 {
				require.Equal(t, handle.Forged, v)
			}
		}
		_, v := s.Unseal(token[:i])
		require.Equal(t, handle.Malformed, v, "%d bytes", i)
	}
	_, v := s.Unseal(token + "x")
	require.Equal(t, handle.Malformed, v)
	_, v = s.Unseal(api.Token(strings.Repeat("x", api.MaxToken+1)))
	require.Equal(t, handle.Malformed, v)
}

func TestAnotherCellsTokenIsForged(t *testing.T) {
	theirs := secret
	theirs[31] = 1
	_, v := sealer(t, secret).Unseal(sealer(t, theirs).Seal(sample(t)))
	require.Equal(t, handle.Forged, v)
	_, err := handle.NewSealer(handle.Secret{})
	require.ErrorIs(t, err, handle.ErrSecret)
	var zero handle.Sealer
	_, v = zero.Unseal(zero.Seal(sample(t)))
	require.Equal(t, handle.Forged, v)
}

// A handle that no master could open makes no token, even with the right check digits.
func TestWhatIsNoHandleIsNoToken(t *testing.T) {
	s := sealer(t, secret)
	for name, spoil := range map[string]func(h *handle.Handle){
		"no epoch":      func(h *handle.Handle) { h.ID.Epoch = 0 },
		"no counter":    func(h *handle.Handle) { h.ID.Counter = 0 },
		"no session":    func(h *handle.Handle) { h.Session = 0 },
		"no instance":   func(h *handle.Handle) { h.Node.Instance = 0 },
		"no kind":       func(h *handle.Handle) { h.Kind = 0 },
		"unknown kind":  func(h *handle.Handle) { h.Kind = 3 },
		"no right":      func(h *handle.Handle) { h.Rights = 0 },
		"unknown right": func(h *handle.Handle) { h.Rights = 0x81 },
		"half a tie":    func(h *handle.Handle) { h.Tie.Counter = 1 },
		"a tie to none": func(h *handle.Handle) { h.Fence, h.Tie = api.Sequencer{}, handle.Tie{Epoch: 1, Counter: 1} },
		"a long delay":  func(h *handle.Handle) { h.Delay = api.MaxLockDelay + 1 },
	} {
		h := sample(t)
		spoil(&h)
		require.False(t, h.Valid(), name)
		_, v := s.Unseal(s.Seal(h))
		require.Equal(t, handle.Malformed, v, name)
	}
	h := sample(t)
	h.Fence.Gen = 0
	require.False(t, h.Valid())
	signed := func(body string) api.Token { return api.Token(body + digest(secret, body)) }
	golden := unhex(t, "0148 0000000000000003 0000000000000004 0000000000000005 0000000000000009 02 01 03 000003e8 0002 2f66 0000")
	_, v := s.Unseal(signed(golden))
	require.Equal(t, handle.Good, v)
	for name, body := range map[string]string{
		"version 4":          "\x04" + golden[1:],
		"version 3, no end":  "\x03" + golden[1:],
		"version 3, no mask": "\x03" + golden[1:] + strings.Repeat("\x00", 16),
		"version 3, mask 0":  "\x03" + golden[1:] + strings.Repeat("\x00", 17),
		"version 3, no kind": "\x03" + golden[1:] + strings.Repeat("\x00", 16) + "\x40",
		"version 2, a mask":  "\x02" + golden[1:45] + "\x00\x08" + unhex(t, "0153022f66090207") + strings.Repeat("\x01", 17),
		"version 2, no tie":  "\x02" + golden[1:],
		"version 1, a tie":   golden[:45] + "\x00\x08" + unhex(t, "0153022f66090207") + strings.Repeat("\x01", 16),
		"another message":    golden[:1] + "Q" + golden[2:],
		"an unknown flag":    golden[:35] + "\x03" + golden[36:],
		"a flag of 2":        golden[:35] + "\x02" + golden[36:],
		"a path with no /":   golden[:43] + "ff" + golden[45:],
		"a path too long":    golden[:41] + "\x00\x09" + golden[43:],
		"bytes behind":       golden + "\x00",
		"no second string":   golden[:45],
		"a broken sequencer": golden[:45] + "\x00\x01S",
	} {
		_, v := s.Unseal(signed(body))
		require.Equal(t, handle.Malformed, v, name)
	}
}

func TestTheLongestTokenFits(t *testing.T) {
	n := ref(t, strings.Repeat("/"+strings.Repeat("p", api.MaxComponent), 4), 1<<64-1)
	h := sample(t)
	h.Node, h.Fence = n, api.Sequencer{Node: n, Mode: api.Shared, Gen: 1<<64 - 1}
	h.Tie = handle.Tie{Epoch: 1<<64 - 1, Counter: 1<<64 - 1}
	token := sealer(t, secret).Seal(h)
	require.LessOrEqual(t, len(token), api.MaxToken)
	got, v := sealer(t, secret).Unseal(token)
	require.Equal(t, handle.Good, v)
	require.Equal(t, h, got)
}

func TestTokensRoundTrip(t *testing.T) {
	s := sealer(t, secret)
	nodes := []api.Ref{ref(t, "/", 1), ref(t, "/a/b", 1<<63), ref(t, "/é", 7)}
	rapid.Check(t, func(t *rapid.T) {
		h := handle.Handle{
			ID:      api.HandleID{Epoch: api.Epoch(rapid.Uint64Min(1).Draw(t, "epoch")), Counter: rapid.Uint64Min(1).Draw(t, "counter")},
			Session: api.SessionID(rapid.Uint64Min(1).Draw(t, "session")), Node: rapid.SampledFrom(nodes).Draw(t, "node"),
			Kind: rapid.SampledFrom([]api.NodeKind{api.File, api.Directory}).Draw(t, "kind"), Ephemeral: rapid.Bool().Draw(t, "ephemeral"),
			Rights: api.Rights(rapid.IntRange(1, 7).Draw(t, "rights")), Delay: api.LockDelay(rapid.IntRange(0, 60_000).Draw(t, "delay")),
		}
		if rapid.Bool().Draw(t, "fenced") {
			h.Fence = api.Sequencer{Node: rapid.SampledFrom(nodes).Draw(t, "fence"), Mode: api.Exclusive, Gen: 1}
			n := rapid.Uint64().Draw(t, "tie")
			h.Tie = handle.Tie{Epoch: api.Epoch(n), Counter: n}
		}
		got, v := s.Unseal(s.Seal(h))
		require.Equal(t, handle.Good, v)
		require.Equal(t, h, got)
	})
}

// Bytes that unseal seal to the same bytes, and nothing unseals without the secret.
func FuzzUnseal(f *testing.F) {
	s := sealer(f, secret)
	for body := range bodies(f) {
		f.Add(unhex(f, body))
	}
	f.Fuzz(func(t *testing.T, body string) {
		if _, v := s.Unseal(api.Token(body)); v == handle.Good {
			t.Fatalf("%x is a token", body)
		}
		token := api.Token(body + digest(secret, body))
		if h, v := s.Unseal(token); v == handle.Good && s.Seal(h) != token {
			t.Fatalf("%x is %v, which seals to %x", token, h, s.Seal(h))
		} else if v == handle.Forged {
			t.Fatalf("%x has the right digits", token)
		}
	})
}
