package api_test

import (
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

// The bytes of format version 5. A change here is a new version.
var goldenRequests = []struct {
	hex string
	q   api.Request
}{
	{"0551 01 00 00 00 00 00 01 07 ac02", api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{7, 300}}}},
	{"0551 02 05 01 00 00 00 02", api.Request{ID: 2, Session: 5, Seq: 1, Op: api.EndSession{}}},
	{"0551 8001 05 03 02 00 00 03 016b", api.Request{ID: 128, Session: 5, Seq: 3, AckedThrough: 2, Op: api.Get{Key: "k"}}},
	{"0551 03 05 01 00 00 00 04 016b 027676", api.Request{ID: 3, Session: 5, Seq: 1, Op: api.Put{Key: "k", Value: "vv"}}},
	{"0551 04 05 01 00 00 00 05 016b", api.Request{ID: 4, Session: 5, Seq: 1, Op: api.Delete{Key: "k"}}},
	{"0551 05 05 01 00 00 00 06 016b 00 0165 0176", api.Request{ID: 5, Session: 5, Seq: 1,
		Op: api.CompareAndSet{Key: "k", Expect: "e", Value: "v"}}},
	{"0551 06 05 01 00 00 00 06 016b 01 00 0176", api.Request{ID: 6, Session: 5, Seq: 1,
		Op: api.CompareAndSet{Key: "k", Absent: true, Value: "v"}}},
	{"0551 07 05 01 00 00 00 07 03 67332f", api.Request{ID: 7, Session: 5, Seq: 1, Op: api.List{Prefix: "g3/"}}},
	{"0551 08 05 01 00 09 00 08 0174 03612f62 03 02 02 01 0178 0172 0177 0163 e807 11", onNode(api.Open{Dir: "t", Path: "a/b",
		Rights: api.RightRead | api.RightWrite, Create: api.CreateMust, Kind: api.File, Ephemeral: true, Contents: "x",
		Names: api.ACLNames{Read: "r", Write: "w", Change: "c"}, Delay: 1000, Events: api.WantContents | api.WantLockWanted})},
	{"0551 08 05 01 00 09 00 09 0174", onNode(api.CloseHandle{Handle: "t"})},
	{"0551 08 05 01 00 09 00 0a 0174", onNode(api.Poison{Handle: "t"})},
	{"0551 08 05 01 00 09 00 0b 0174", onNode(api.GetContents{Handle: "t"})},
	{"0551 08 05 01 00 09 00 0c 0174", onNode(api.GetStat{Handle: "t"})},
	{"0551 08 05 01 00 09 00 0d 0174 0161 02", onNode(api.ReadDir{Handle: "t", After: "a", Most: 2})},
	{"0551 08 05 01 00 09 00 0e 0174 0178 07", onNode(api.SetContents{Handle: "t", Contents: "x", When: 7})},
	{"0551 08 05 01 00 09 00 0f 0174 0172 0177 0163 07", onNode(api.SetACL{Handle: "t",
		Names: api.ACLNames{Read: "r", Write: "w", Change: "c"}, When: 7})},
	{"0551 08 05 01 00 09 00 10 0174", onNode(api.DeleteNode{Handle: "t"})},
	{"0551 08 05 01 00 09 00 11 0174 02 01", onNode(api.Acquire{Handle: "t", Mode: api.Shared, Wait: true})},
	{"0551 08 05 01 00 09 00 12 0174 07", onNode(api.Release{Handle: "t", Acquisition: 7})},
	{"0551 08 05 01 00 09 00 13 0174 07", onNode(api.CancelAcquire{Handle: "t", Call: 7})},
	{"0551 08 05 01 00 09 00 14 0174", onNode(api.GetSequencer{Handle: "t"})},
	{"0551 08 05 01 00 09 00 15 0174 0171", onNode(api.SetSequencer{Handle: "t", Sequencer: "q"})},
	{"0551 08 05 01 00 09 00 16 0174 0171", onNode(api.CheckSequencer{Handle: "t", Sequencer: "q"})},
	{"0551 08 05 00 00 09 00 17 03 06 01 02 0174 0175", api.Request{ID: 8, Session: 5, Epoch: 9,
		Op: api.KeepAlive{AckedEpoch: 3, AckedEvents: 6, Now: true, Tokens: []api.Token{"t", "u"}}}},
	{"0551 08 05 01 00 09 01 0b 0174", api.Request{ID: 8, Session: 5, Seq: 1, Epoch: 9, MayCache: true, Op: api.GetContents{Handle: "t"}}},
}

func onNode(op api.Op) api.Request { return api.Request{ID: 8, Session: 5, Seq: 1, Epoch: 9, Op: op} }

var goldenReplies = []struct {
	hex string
	p   api.Reply
}{
	{"0541 01 00 00 02 03 00 01 00 00 2a 00 00", api.Reply{ID: 1, Epoch: 2, Master: 3, Result: api.Result{Code: api.OK, Session: 42}}},
	{"0541 02 05 01 02 ffffffff0f 00 02 00 00 00 00 00", api.Reply{ID: 2, Session: 5, Seq: 1, Epoch: 2, Master: 1<<32 - 1,
		Result: api.Result{Code: api.NotMaster}}},
	{"0541 03 05 01 02 00 00 06 01 0176 00 00 00", api.Reply{ID: 3, Session: 5, Seq: 1, Epoch: 2,
		Result: api.Result{Code: api.Conflict, Found: true, Value: "v"}}},
	{"0541 04 05 01 02 00 00 01 00 00 00 02 0161 00 0162 0178 00", api.Reply{ID: 4, Session: 5, Seq: 1, Epoch: 2,
		Result: api.Result{Code: api.OK, Pairs: []api.Pair{{Key: "a"}, {Key: "b", Value: "x"}}}}},
	{"0541 05 05 01 02 00 00 01 00 00 00 00 01 0174 022f61 07 01 01 " + fileBytes,
		detailed(api.Opened{Token: "t", Node: aRef, Stat: aFile, Created: true})},
	{"0541 05 05 01 02 00 00 01 00 00 00 00 01 0174 012f 00 00 00", detailed(api.Opened{Token: "t"})},
	{"0541 05 05 01 02 00 00 01 00 00 00 00 02 " + directoryBytes, detailed(api.NodeStat{Stat: aDirectory})},
	{"0541 05 05 01 02 00 00 01 00 00 00 00 03 01 01 0166 " + fileBytes,
		detailed(api.Listing{Children: []api.Child{{Name: "f", Stat: aFile}}, More: true})},
	{"0541 05 05 01 02 00 00 01 00 00 00 00 04 08 09", detailed(api.Held{Gen: 8, Acquisition: 9})},
	{"0541 05 05 01 02 00 00 01 00 00 00 00 05 08 0153 022f61 07 01 08",
		detailed(api.Sequenced{Sequencer: api.Sequencer{Node: aRef, Mode: api.Exclusive, Gen: 8}})},
	{"0541 05 05 01 02 00 00 01 00 00 00 00 06 80a8d6b907 01 00", detailed(api.Leased{Lease: 2 * time.Second, Failover: true})},
	{"0541 05 05 01 02 00 00 01 00 00 00 00 06 80a8d6b907 00 03 01 022f61 07 05 02 022f61 07 06 0163 02 05 022f61 07 08 02 07 09", detailed(api.Leased{
		Lease: 2 * time.Second, LastEvent: 9, Events: []api.Event{
			{Kind: api.EventContents, Node: aRef, Cause: 5},
			{Kind: api.EventChildren, Node: aRef, Cause: 6, Child: "c", Change: api.ChildChanged},
			{Kind: api.EventLockWanted, Node: aRef, Cause: 8, Mode: api.Shared, Acquisition: 7},
		}})},
	{"0541 05 05 01 02 00 00 01 00 00 00 00 06 80a8d6b907 00 03 07 022f61 05 03 08 06 04 09 022f61 07 06 05 09", detailed(api.Leased{
		Lease: 2 * time.Second, LastEvent: 9, Events: []api.Event{
			{Kind: api.EventDrop, Node: api.Ref{Path: aRef.Path}, Cause: 5, Drop: 3},
			{Kind: api.EventDropAll, Cause: 6, Drop: 4},
			{Kind: api.EventDropLocks, Node: aRef, Cause: 6, Drop: 5},
		}})},
	{"0541 06 05 01 02 03 01 8001 01 00 00 00 00 00", api.Reply{ID: 6, Session: 5, Seq: 1, Epoch: 2, Master: 3,
		Cacheable: true, Drops: 128, Result: api.Result{Code: api.OK}}},
}

var aRef = api.Ref{Path: must(api.ParsePath("/a")), Instance: 7}

func detailed(d api.Detail) api.Reply {
	return api.Reply{ID: 5, Session: 5, Seq: 1, Epoch: 2, Result: api.Result{Code: api.OK, Detail: d}}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func unhex(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
}

func TestGoldenBytes(t *testing.T) {
	for _, g := range goldenRequests {
		b := unhex(t, g.hex)
		require.Equal(t, b, api.AppendRequest(nil, g.q), g.hex)
		q, err := api.DecodeRequest(b)
		require.NoError(t, err)
		require.Equal(t, g.q, q)
		_, keeps := g.q.Op.(api.KeepAlive)
		require.Equal(t, keeps, api.IsKeepAlive(b), g.hex)
		for n := range 7 {
			require.False(t, api.IsKeepAlive(b[:n]), g.hex)
		}
	}
	for _, g := range goldenReplies {
		b := unhex(t, g.hex)
		require.Equal(t, b, api.AppendReply(nil, g.p), g.hex)
		p, err := api.DecodeReply(b)
		require.NoError(t, err)
		require.Equal(t, g.p, p)
	}
}

func TestWhatIsNoMessageIsRefusedWithTheReason(t *testing.T) {
	rows := []struct{ hex, want string }{
		{"", "malformed message: byte 0: ends early"},
		{"0151 01 00 00 00 00 02", "malformed message: unknown version 1 (this program knows 5)"},
		{"0541 01 00 00 00 02 00", `malformed message: byte 2: kind 'A', want 'Q'`},
		{"0551 01 05 01 00 00 00 63", "malformed message: byte 9: op 99"},
		{"0551 01 05 01 00 00 00 02 00", "malformed message: byte 9: 1 bytes too many"},
		{"0551 01 05 01 00 00 00 03 02 6b", "malformed message: byte 10: 2 items in 1 bytes"},
		{"0551 01 05 01 00 00 00 03 ffffffffffffffffff01", "malformed message: byte 19: 18446744073709551615 items in 0 bytes"},
		{"0551 01 05 01 00 00 00 03 ffffffffffffffffffff", "malformed message: byte 9: no number"},
		{"0551 8100 05 01 00 00 00 02", "malformed message: byte 2: number in a longer form than needed"},
		{"0551 01 05 01 00 00 00 06 016b 02 00 00", "malformed message: byte 12: flag is 2"},
	}
	for _, r := range rows {
		_, err := api.DecodeRequest(unhex(t, r.hex))
		require.EqualError(t, err, r.want, r.hex)
		require.ErrorIs(t, err, api.ErrMalformed)
	}
	_, err := api.DecodeRequest(unhex(t, "0151"))
	require.ErrorIs(t, err, api.ErrVersion)
	require.EqualError(t, api.CheckVersion(unhex(t, "0151")), "malformed message: unknown version 1 (this program knows 5)")
	for _, other := range []string{"", "05", rows[0].hex} {
		require.NoError(t, api.CheckVersion(unhex(t, other)))
	}
	_, err = api.DecodeRequest(make([]byte, api.MaxMessage+1))
	require.EqualError(t, err, fmt.Sprintf("malformed message: byte 0: %d bytes are too many", api.MaxMessage+1))

	replies := []struct{ hex, want string }{
		{"0541 01 00 00 02 03 00 00 00 00 00 00", "malformed message: byte 9: code(0)"},
		{"0541 01 00 00 02 03 00 22 00 00 00 00", "malformed message: byte 9: code(34)"},
		{"0541 01 00 00 02 8080808010 00 01 00 00 00 00", "malformed message: byte 11: replica 4294967296"},
		{"0541 01 00 00 02 03 00 01 00 00 00 05 0000", "malformed message: byte 13: 5 items in 2 bytes"},
	}
	for _, r := range replies {
		_, err := api.DecodeReply(unhex(t, r.hex))
		require.EqualError(t, err, r.want, r.hex)
	}
	many := append(unhex(t, "0541 01 00 00 02 03 00 01 00 00 00 818001"), make([]byte, 2*(api.MaxListPairs+1))...)
	_, err = api.DecodeReply(many)
	require.EqualError(t, err, "malformed message: byte 15: 16385 pairs")
}

// A count that lies must not cost memory before it is found out.
func TestAHostileLengthAllocatesNothing(t *testing.T) {
	b := unhex(t, "0541 01 00 00 02 03 00 01 00 00 00 ff7f")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		_, err := api.DecodeReply(b)
		require.ErrorIs(t, err, api.ErrMalformed)
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1000*4096), "16383 pairs would be 512 KiB each time")
}

func TestTheLargestMessagesFit(t *testing.T) {
	v := strings.Repeat("v", api.MaxValue)
	q := api.Request{ID: 1<<64 - 1, Session: 1<<64 - 1, Seq: 1<<64 - 1, AckedThrough: 1<<64 - 2,
		Op: api.CompareAndSet{Key: strings.Repeat("k", api.MaxKey), Expect: v, Value: v}}
	require.Equal(t, api.OK, q.Check())
	got, err := api.DecodeRequest(api.AppendRequest(nil, q))
	require.NoError(t, err)
	require.Equal(t, q, got)

	pairs := make([]api.Pair, api.MaxListPairs)
	for i := range pairs {
		pairs[i] = api.Pair{Key: fmt.Sprintf("%032d", i), Value: strings.Repeat("v", 32)}
	}
	require.True(t, api.IsListWithinLimits(pairs))
	p := api.Reply{ID: 1<<64 - 1, Result: api.Result{Code: api.OK, Pairs: pairs}}
	back, err := api.DecodeReply(api.AppendReply(nil, p))
	require.NoError(t, err)
	require.Equal(t, p, back)
}

func TestAppendOpOfNothingIsABug(t *testing.T) {
	require.PanicsWithValue(t, "api: AppendOp of <nil>", func() { api.AppendOp(nil, nil) })
}

func anyOp() *rapid.Generator[api.Op] {
	return rapid.Custom(func(t *rapid.T) api.Op {
		s := func(name string) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, name)) }
		token := api.Token(s("token"))
		names := api.ACLNames{Read: api.ACLName(s("read")), Write: api.ACLName(s("write")), Change: api.ACLName(s("change"))}
		n := rapid.Uint64().Draw(t, "number")
		switch rapid.IntRange(1, 23).Draw(t, "op") {
		case 8:
			return api.Open{Dir: token, Path: s("path"), Rights: api.Rights(n), Create: api.Creation(n >> 8), Kind: api.NodeKind(n >> 16),
				Ephemeral: rapid.Bool().Draw(t, "ephemeral"), Contents: s("contents"), Names: names, Delay: api.LockDelay(n), Events: api.EventMask(n >> 24)}
		case 9:
			return api.CloseHandle{Handle: token}
		case 10:
			return api.Poison{Handle: token}
		case 11:
			return api.GetContents{Handle: token}
		case 12:
			return api.GetStat{Handle: token}
		case 13:
			return api.ReadDir{Handle: token, After: s("after"), Most: n}
		case 14:
			return api.SetContents{Handle: token, Contents: s("contents"), When: api.ContentGen(n)}
		case 15:
			return api.SetACL{Handle: token, Names: names, When: api.ACLGen(n)}
		case 16:
			return api.DeleteNode{Handle: token}
		case 17:
			return api.Acquire{Handle: token, Mode: api.Mode(n), Wait: rapid.Bool().Draw(t, "wait")}
		case 18:
			return api.Release{Handle: token, Acquisition: api.Acquisition(n)}
		case 19:
			return api.CancelAcquire{Handle: token, Call: api.Seq(n)}
		case 20:
			return api.GetSequencer{Handle: token}
		case 21:
			return api.SetSequencer{Handle: token, Sequencer: s("sequencer")}
		case 22:
			return api.CheckSequencer{Handle: token, Sequencer: s("sequencer")}
		case 23:
			return api.KeepAlive{AckedEpoch: api.Epoch(n), AckedEvents: api.EventNumber(n / 2), Now: rapid.Bool().Draw(t, "now"), Tokens: []api.Token{token, api.Token(s("second"))}}
		case 1:
			return api.OpenSession{Nonce: api.Nonce{rapid.Uint64().Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")}}
		case 2:
			return api.EndSession{}
		case 3:
			return api.Get{Key: s("key")}
		case 4:
			return api.Put{Key: s("key"), Value: s("value")}
		case 5:
			return api.Delete{Key: s("key")}
		case 6:
			return api.CompareAndSet{Key: s("key"), Expect: s("expect"), Absent: rapid.Bool().Draw(t, "absent"), Value: s("value")}
		default:
			return api.List{Prefix: s("prefix")}
		}
	})
}

func anyResult() *rapid.Generator[api.Result] {
	return rapid.Custom(func(t *rapid.T) api.Result {
		r := api.Result{
			Code:    api.Code(rapid.IntRange(1, 31).Draw(t, "code")),
			Found:   rapid.Bool().Draw(t, "found"),
			Value:   rapid.String().Draw(t, "value"),
			Session: api.SessionID(rapid.Uint64().Draw(t, "session")),
			Detail: rapid.SampledFrom([]api.Detail{nil, api.Opened{Token: "t", Node: aRef, Stat: aFile}, api.Opened{Token: "u"},
				api.NodeStat{Stat: aDirectory}, api.Listing{}, api.Held{Gen: 1 << 40, Acquisition: 3},
				api.Sequenced{Sequencer: api.Sequencer{Node: aRef, Mode: api.Shared, Gen: 1}}, api.Leased{}, api.Leased{LastEvent: 7, Events: []api.Event{{Kind: api.EventReadAgain, Node: aRef, Cause: 1 << 40}}},
			}).Draw(t, "detail"),
		}
		for range rapid.IntRange(0, 4).Draw(t, "pairs") {
			r.Pairs = append(r.Pairs, api.Pair{Key: rapid.String().Draw(t, "k"), Value: rapid.String().Draw(t, "v")})
		}
		return r
	})
}

func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := api.Request{
			ID: rapid.Uint64().Draw(t, "id"), Session: api.SessionID(rapid.Uint64().Draw(t, "session")),
			Seq: api.Seq(rapid.Uint64().Draw(t, "seq")), AckedThrough: api.Seq(rapid.Uint64().Draw(t, "seen")),
			Epoch: api.Epoch(rapid.Uint64().Draw(t, "epoch of the request")), MayCache: rapid.Bool().Draw(t, "may cache"),
			Op: anyOp().Draw(t, "op"),
		}
		gotQ, err := api.DecodeRequest(api.AppendRequest(nil, q))
		require.NoError(t, err)
		require.Equal(t, q, gotQ)

		p := q.Answer(api.Epoch(rapid.Uint64().Draw(t, "epoch")), anyResult().Draw(t, "result"))
		p.Master = rapid.Uint32().Draw(t, "master")
		if p.Cacheable = rapid.Bool().Draw(t, "cacheable"); p.Cacheable {
			p.Drops = api.DropNumber(rapid.Uint64().Draw(t, "drops"))
		}
		gotP, err := api.DecodeReply(api.AppendReply(nil, p))
		require.NoError(t, err)
		require.Equal(t, p, gotP)
	})
}

// Ops and results stand inside other formats: they end where they end.
func TestOpsAndResultsLeaveTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op, res, tail := anyOp().Draw(t, "op"), anyResult().Draw(t, "result"), rapid.SliceOf(rapid.Byte()).Draw(t, "tail")
		gotOp, rest, err := api.DecodeOp(string(append(api.AppendOp(nil, op), tail...)))
		require.NoError(t, err)
		require.Equal(t, op, gotOp)
		require.Equal(t, string(tail), rest)
		gotRes, rest, err := api.DecodeResult(string(append(api.AppendResult(nil, res), tail...)))
		require.NoError(t, err)
		require.Equal(t, res, gotRes)
		require.Equal(t, string(tail), rest)
	})
}

// No prefix of a message is a message.
func TestCutMessagesAreRefused(t *testing.T) {
	for _, g := range goldenRequests {
		b := unhex(t, g.hex)
		for n := range b {
			_, err := api.DecodeRequest(b[:n])
			require.ErrorIs(t, err, api.ErrMalformed)
		}
	}
	for _, g := range goldenReplies {
		b := unhex(t, g.hex)
		for n := range b {
			_, err := api.DecodeReply(b[:n])
			require.ErrorIs(t, err, api.ErrMalformed)
		}
	}
	_, _, err := api.DecodeOp("")
	require.ErrorIs(t, err, api.ErrMalformed)
	_, _, err = api.DecodeResult("")
	require.ErrorIs(t, err, api.ErrMalformed)
}
