package api_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

func TestCheckOfOps(t *testing.T) {
	longKey, longValue := strings.Repeat("k", api.MaxKey), strings.Repeat("v", api.MaxValue)
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
		{"a call already seen", api.Request{Session: 1, Seq: 4, Seen: 4, Op: get}, api.Invalid},
		{"the last of the window", api.Request{Session: 1, Seq: api.MaxWindow, Op: get}, api.OK},
		{"beyond the window", api.Request{Session: 1, Seq: api.MaxWindow + 1, Op: get}, api.Invalid},
		{"an op that is refused", api.Request{Session: 1, Seq: 1, Op: api.Get{}}, api.Invalid},
	}
	for _, r := range rows {
		require.Equal(t, r.want, r.q.Check(), r.why)
	}
}

func TestAListAnswerHasLimits(t *testing.T) {
	big := strings.Repeat("v", api.MaxListBytes-1)
	require.True(t, api.FitsList([]api.Pair{{Key: "k", Value: big}}))
	require.False(t, api.FitsList([]api.Pair{{Key: "kk", Value: big}}))
	require.True(t, api.FitsList(make([]api.Pair, api.MaxListPairs)))
	require.False(t, api.FitsList(make([]api.Pair, api.MaxListPairs+1)))
}

func TestAnAnswerNamesTheSendingItAnswers(t *testing.T) {
	q := api.Request{ID: 9, Session: 3, Seq: 5, Seen: 4, Op: api.Get{Key: "k"}}
	want := api.Reply{ID: 9, Session: 3, Seq: 5, Epoch: 2, Result: api.Result{Code: api.NotFound}}
	require.Equal(t, want, q.Answer(2, api.Result{Code: api.NotFound}))
}
