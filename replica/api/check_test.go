package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

func TestCheckOfOps(t *testing.T) {
	longKey, longValue := strings.Repeat("k", api.MaxKey), strings.Repeat("v", api.MaxValue)
	longToken := api.Token(strings.Repeat("t", api.MaxToken))
	sequencer := api.Sequencer{Node: aRef, Mode: api.Shared, Gen: 4}.Encode()
	rows := []struct {
		op   api.Op
		want api.Code
	}{
		{api.OpenSession{}, api.Invalid},
		{api.OpenSession{Nonce: api.Nonce{0, 1}}, api.OK},
		{api.EndSession{}, api.OK},
		{api.Get{}, api.Invalid},
		{api.Get{Key: longKey}, api.OK},
		{api.Get{Key: longKey + "k"}, api.TooLarge},
		{api.Put{Key: "", Value: "v"}, api.Invalid},
		{api.Put{Key: "k", Value: longValue}, api.OK},
		{api.Put{Key: "k", Value: longValue + "v"}, api.TooLarge},
		{api.Delete{}, api.Invalid},
		{api.Delete{Key: "\x00"}, api.OK},
		{api.CompareAndSet{Key: "k", Absent: true}, api.OK},
		{api.CompareAndSet{Key: "k", Absent: true, Expect: "x"}, api.Invalid},
		{api.CompareAndSet{Key: "k", Expect: longValue + "v"}, api.TooLarge},
		{api.CompareAndSet{Key: "k", Value: longValue + "v"}, api.TooLarge},
		{api.List{}, api.OK},
		{api.List{Prefix: longKey + "k"}, api.TooLarge},
		{api.Open{Rights: api.RightRead}, api.OK},
		{api.Open{}, api.Invalid},
		{api.Open{Rights: api.RightRead, Path: "/a"}, api.Invalid},
		{api.Open{Rights: api.RightRead, Path: "a/../b"}, api.Invalid},
		{api.Open{Rights: api.RightRead, Path: "a", Contents: "x"}, api.Invalid},
		{api.Open{Rights: api.RightRead, Path: "a", Create: api.CreateMay}, api.Invalid},
		{api.Open{Rights: api.RightRead, Path: "a", Create: api.CreateMay, Kind: api.File, Contents: longValue}, api.OK},
		{api.Open{Rights: api.RightRead, Path: "a", Create: api.CreateMust, Kind: api.File, Contents: longValue + "v"}, api.TooLarge},
		{api.Open{Rights: api.RightRead, Path: "a", Create: api.CreateMay, Kind: api.Directory, Contents: "x"}, api.Invalid},
		{api.Open{Rights: api.RightRead, Path: "a", Create: api.CreateMay, Kind: api.File, Names: api.ACLNames{Read: "a/b"}}, api.Invalid},
		{api.Open{Rights: api.RightRead, Create: 3}, api.Invalid},
		{api.Open{Rights: api.RightRead, Dir: longToken + "x"}, api.Invalid},
		{api.CloseHandle{}, api.Invalid},
		{api.CloseHandle{Handle: longToken}, api.OK},
		{api.Poison{Handle: longToken + "x"}, api.Invalid},
		{api.GetContents{}, api.Invalid},
		{api.GetStat{}, api.Invalid},
		{api.ReadDir{Handle: "t", After: "a/b"}, api.Invalid},
		{api.ReadDir{Handle: "t"}, api.OK},
		{api.SetContents{Handle: "t", Contents: longValue}, api.OK},
		{api.SetContents{Handle: "t", Contents: longValue + "v"}, api.TooLarge},
		{api.SetACL{Handle: "t"}, api.Invalid},
		{api.SetACL{Handle: "t", Names: api.ACLNames{Read: "r", Write: "w", Change: "c"}}, api.OK},
		{api.DeleteNode{}, api.Invalid},
		{api.Acquire{Handle: "t"}, api.Invalid},
		{api.Acquire{Handle: "t", Mode: api.Shared}, api.OK},
		{api.Release{Handle: "t"}, api.Invalid},
		{api.CancelAcquire{Handle: "t"}, api.Invalid},
		{api.GetSequencer{}, api.Invalid},
		{api.SetSequencer{Handle: "t", Sequencer: "q"}, api.Invalid},
		{api.SetSequencer{Handle: "t", Sequencer: sequencer}, api.OK},
		{api.CheckSequencer{Sequencer: sequencer}, api.Invalid},
		{api.CheckSequencer{Handle: "t"}, api.Invalid},
		{api.KeepAlive{}, api.OK},
		{api.KeepAlive{Tokens: []api.Token{""}}, api.Invalid},
		{api.KeepAlive{Tokens: make([]api.Token, api.MaxTokens+1)}, api.TooLarge},
		{api.KeepAlive{Tokens: slices.Repeat([]api.Token{longToken}, api.MaxTokenBytes/api.MaxToken+1)}, api.TooLarge},
		{api.KeepAlive{Tokens: slices.Repeat([]api.Token{longToken}, api.MaxTokenBytes/api.MaxToken)}, api.OK},
	}
	for _, r := range rows {
		require.Equal(t, r.want, r.op.Check(), "%T", r.op)
	}
}

func TestCheckOfRequests(t *testing.T) {
	open := api.OpenSession{Nonce: api.Nonce{1, 2}}
	get := api.Get{Key: "k"}
	rows := []struct {
		why  string
		q    api.Request
		want api.Code
	}{
		{"no op", api.Request{Session: 1, Seq: 1}, api.Invalid},
		{"opening", api.Request{Op: open}, api.OK},
		{"opening within a session", api.Request{Session: 1, Op: open}, api.Invalid},
		{"opening with a seq", api.Request{Seq: 1, Op: open}, api.Invalid},
		{"a call without session", api.Request{Seq: 1, Op: get}, api.Invalid},
		{"the first call", api.Request{Session: 1, Seq: 1, Op: get}, api.OK},
		{"a call already seen", api.Request{Session: 1, Seq: 4, AckedThrough: 4, Op: get}, api.Invalid},
		{"the last of the window", api.Request{Session: 1, Seq: api.MaxWindow, Op: get}, api.OK},
		{"beyond the window", api.Request{Session: 1, Seq: api.MaxWindow + 1, Op: get}, api.Invalid},
		{"opening with an epoch", api.Request{Epoch: 1, Op: open}, api.Invalid},
		{"a KeepAlive", api.Request{Session: 1, Epoch: 1, Op: api.KeepAlive{}}, api.OK},
		{"a KeepAlive with a seq", api.Request{Session: 1, Seq: 1, Epoch: 1, Op: api.KeepAlive{}}, api.Invalid},
		{"a call to be cached", api.Request{Session: 1, Seq: 1, MayCache: true, Op: get}, api.OK},
		{"opening to be cached", api.Request{MayCache: true, Op: open}, api.Invalid},
		{"a KeepAlive to be cached", api.Request{Session: 1, Epoch: 1, MayCache: true, Op: api.KeepAlive{}}, api.Invalid},
		{"a KeepAlive of no session", api.Request{Epoch: 1, Op: api.KeepAlive{}}, api.Invalid},
		{"an op that is refused", api.Request{Session: 1, Seq: 1, Op: api.Get{}}, api.Invalid},
	}
	for _, r := range rows {
		require.Equal(t, r.want, r.q.Check(), r.why)
	}
}

func TestAListAnswerHasLimits(t *testing.T) {
	big := strings.Repeat("v", api.MaxListBytes-1)
	require.True(t, api.IsListWithinLimits([]api.Pair{{Key: "k", Value: big}}))
	require.False(t, api.IsListWithinLimits([]api.Pair{{Key: "kk", Value: big}}))
	require.True(t, api.IsListWithinLimits(make([]api.Pair, api.MaxListPairs)))
	require.False(t, api.IsListWithinLimits(make([]api.Pair, api.MaxListPairs+1)))
}

func TestAnAnswerNamesTheSendingItAnswers(t *testing.T) {
	q := api.Request{ID: 9, Session: 3, Seq: 5, AckedThrough: 4, Op: api.Get{Key: "k"}}
	want := api.Reply{ID: 9, Session: 3, Seq: 5, Epoch: 2, Result: api.Result{Code: api.NotFound}}
	require.Equal(t, want, q.Answer(2, api.Result{Code: api.NotFound}))
}
