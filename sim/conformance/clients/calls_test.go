package clients

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// A client sends call 1, gets a reply or none, and acknowledges the call with call 2.
func TestCallsThatAreNotAcknowledgedWithoutAReply(t *testing.T) {
	for name, c := range map[string]struct {
		op     api.Op
		reply  api.Code // 0: nothing
		next   api.Op
		breaks string
	}{
		"a release":                         {api.Release{}, 0, api.Get{}, "S9"},
		"a release that was refused":        {api.Release{}, api.Busy, api.Get{}, "S9"},
		"a release that was answered":       {api.Release{}, api.OK, api.Get{}, ""},
		"an acquire":                        {api.Acquire{}, 0, api.Get{}, "S9"},
		"an acquire that waits":             {api.Acquire{Wait: true}, api.Parked, api.Get{}, "S9"},
		"an acquire that was answered":      {api.Acquire{}, api.LockHeld, api.Get{}, ""},
		"a cancellation":                    {api.CancelAcquire{}, 0, api.Get{}, "S9"},
		"an open":                           {api.Open{}, 0, api.Get{}, "S14"},
		"an open that was answered":         {api.Open{}, api.NotFound, api.Get{}, ""},
		"a close":                           {api.CloseHandle{}, 0, api.Get{}, "S14"},
		"a close, and all else":             {api.CloseHandle{}, 0, api.EndSession{}, ""},
		"a read":                            {api.GetStat{}, 0, api.Get{}, ""},
		"a write without a waiting program": {api.SetContents{}, 0, api.Get{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newCallModel()
			require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 1, Op: c.op}))
			if c.reply != 0 {
				h.onReply(api.Reply{Session: 7, Seq: 1, Result: api.Result{Code: c.reply}})
			}
			require.Equal(t, c.breaks, h.onSend(api.Request{Session: 7, Seq: 2, AckedThrough: 1, Op: c.next}).id)
			require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 3, AckedThrough: 1, Op: c.next}), "a breach is reported once")
		})
	}
}

// An Acquire may be acknowledged once its CancelAcquire has a reply.
func TestACancelledAcquireMayBeAcknowledged(t *testing.T) {
	h := newCallModel()
	require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 1, Op: api.Acquire{Wait: true}}))
	require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 2, Op: api.CancelAcquire{Call: 1}}))
	h.onReply(api.Reply{Session: 7, Seq: 2, Result: api.Result{Code: api.OK}})
	require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 3, AckedThrough: 2, Op: api.Get{}}))
}

// A TryAcquire ends when a reply says that the lock is not available; a waiting Acquire does
// not.
func TestARefusedTryAcquireIsNotRetried(t *testing.T) {
	for op, breaks := range map[api.Acquire]string{{}: "L1", {Wait: true}: ""} {
		for _, code := range []api.Code{api.LockDelayed, api.LockHeld} {
			h := newCallModel()
			require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 1, Op: op}))
			require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 1, Op: op}), "it has no answer")
			h.onReply(api.Reply{Session: 7, Seq: 1, Result: api.Result{Code: code}})
			require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 2, Op: api.Get{}}))
			require.Equal(t, breaks, h.onSend(api.Request{Session: 7, Seq: 1, Op: op}).id)
		}
	}
}

// A client closes handle 1 in epoch 3, and presents its handles to a new master.
func TestS15WhatWasClosedIsNotPresented(t *testing.T) {
	token := tokens(t, api.File)
	acquire := func(e api.Epoch, seen api.Seq) api.Request {
		return api.Request{Session: 7, Seq: 1, Epoch: e, AckedThrough: seen, Op: api.Acquire{Handle: token(1)}}
	}
	present := func(e api.Epoch, all ...api.Token) api.Request {
		return api.Request{Session: 7, Epoch: e, Op: api.KeepAlive{Tokens: all}}
	}
	for name, c := range map[string]struct {
		reply  api.Code // 0: nothing
		epoch  api.Epoch
		then   api.Request
		breaks string
	}{
		"it is closed":                     {api.OK, 3, present(4, token(2), token(1)), "S15"},
		"another one":                      {api.OK, 3, present(4, token(2)), ""},
		"there is no answer":               {0, 0, present(4, token(1)), ""},
		"it is to come again":              {api.Busy, 3, present(4, token(1)), ""},
		"nothing, for the time":            {api.OK, 3, present(4), ""},
		"a former master said so":          {api.OK, 2, present(4, token(1)), ""},
		"its Acquire is asked for again":   {api.OK, 3, acquire(4, 0), "S15"},
		"the same, of this master":         {api.OK, 3, acquire(3, 0), ""},
		"the same, and it is not closed":   {0, 0, acquire(4, 0), ""},
		"nor where a KeepAlive says so":    {0, 0, api.Request{Session: 7, Epoch: 3, AckedThrough: 1, Op: api.KeepAlive{}}, "S9"},
		"its Acquire needs no answer":      {api.OK, 3, api.Request{Session: 7, Seq: 3, Epoch: 3, AckedThrough: 2, Op: api.Get{}}, ""},
		"but it does while it is not":      {0, 0, api.Request{Session: 7, Seq: 3, Epoch: 3, AckedThrough: 1, Op: api.Get{}}, "S9"},
		"what asks by another one of it":   {api.OK, 3, api.Request{Session: 7, Seq: 3, Epoch: 4, Op: api.GetStat{Handle: token(2)}}, ""},
		"it is asked to be closed for all": {api.OK, 3, api.Request{Session: 7, Seq: 2, Epoch: 4, Op: api.CloseHandle{Handle: token(1)}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newCallModel()
			require.Zero(t, h.onSend(acquire(3, 0)))
			require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 2, Epoch: 3, Op: api.CloseHandle{Handle: token(1)}}))
			if c.reply != 0 {
				h.onReply(api.Reply{Session: 7, Seq: 2, Epoch: c.epoch, Result: api.Result{Code: c.reply}})
			}
			require.Equal(t, c.breaks, h.onSend(c.then).id)
		})
	}
}

// A client sends a request after the Close of handle 1; the reply to the Close comes later.
func TestS15CallsSentAfterAClose(t *testing.T) {
	one := tokens(t, api.Directory)(1)
	ends := api.Request{Session: 7, Seq: 2, AckedThrough: 1, Epoch: 3, Op: api.EndSession{}}
	opens := api.Request{Session: 7, Seq: 2, Epoch: 3, Op: api.Open{Dir: one, Path: "f"}}
	next := func(e api.Epoch) api.Request {
		return api.Request{Session: 7, Seq: 3, AckedThrough: 2, Epoch: e, Op: api.Get{}}
	}
	present := api.Request{Session: 7, Epoch: 4, Op: api.KeepAlive{Tokens: []api.Token{one}}}
	for name, c := range map[string]struct {
		behind, then api.Request
		breaks       string
	}{
		"whose session is to end hears of no Close":   {ends, present, ""},
		"whose session goes on does":                  {opens, present, "S15"},
		"no later master is asked to open below it":   {opens, next(4), ""},
		"but the one that has closed it says whether": {opens, next(3), "S14"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newCallModel()
			require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 1, Epoch: 3, Op: api.CloseHandle{Handle: one}}))
			require.Zero(t, h.onSend(c.behind))
			h.onReply(api.Reply{Session: 7, Seq: 1, Epoch: 3, Result: api.Result{Code: api.OK}})
			require.Equal(t, c.breaks, h.onSend(c.then).id)
		})
	}
}

// A client that sends a call again under another number gives up the first one: the report says both.
func TestAReportOfACallThatIsSentUnderAnotherNumber(t *testing.T) {
	open := api.Open{Path: "/f", Create: api.CreateMay}
	for next, says := range map[api.Op]string{
		open:                 "acknowledges call 1, api.Open, which has no reply; it does so in call 2, which asks for the same again",
		api.Open{Path: "/g"}: "acknowledges call 1, api.Open, which has no reply",
	} {
		h := newCallModel()
		require.Zero(t, h.onSend(api.Request{Session: 7, Seq: 1, Op: open}))
		require.Equal(t, breach{"S14", says}, h.onSend(api.Request{Session: 7, Seq: 2, AckedThrough: 1, Op: next}))
	}
}
