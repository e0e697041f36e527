package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

func written(n api.Instance) api.Event {
	return api.Event{Kind: api.EventContents, Node: api.Ref{Instance: n}, Cause: api.Number(n)}
}

// told answers a KeepAlive with events up to a number, and returns the instances of those that
// are reported.
func (r *rig) told(e session.Envelope, epoch api.Epoch, last api.EventNumber, events ...api.Event) (all []api.Instance) {
	l := api.Leased{Lease: 60e9, Events: events, LastEvent: last}
	r.m.Receive(r.now, e.To, e.Request.Answer(epoch, api.Result{Code: api.OK, Detail: l}))
	out := r.m.TakeOutput()
	for _, got := range out.Events {
		if got.Kind == session.EventNode {
			all = append(all, got.Node.Node.Instance)
		}
	}
	r.sent = out.Send
	return all
}

// Each number is taken once, whatever comes twice or late, and the next KeepAlive, which is sent
// at once, acknowledges it.
func TestEachEventIsTakenOnce(t *testing.T) {
	r, first := leased(t)
	require.Equal(t, []api.Instance{5, 6}, r.told(first, 1, 2, written(5), written(6)))
	require.Len(t, r.sent, 1, "an answer with events is news")
	second := r.sent[0]
	require.EqualValues(t, 2, second.Request.Op.(api.KeepAlive).AckedEvents)
	require.False(t, second.Request.Op.(api.KeepAlive).Now)

	require.Empty(t, r.told(first, 1, 2, written(5), written(6)), "a duplicate of an answer")
	require.Equal(t, []api.Instance{7}, r.told(second, 1, 3, written(6), written(7)), "one was not acknowledged yet")
	require.Len(t, r.sent, 1)
	third := r.sent[0]
	require.EqualValues(t, 3, third.Request.Op.(api.KeepAlive).AckedEvents)
	require.Empty(t, r.told(third, 1, 3, written(7)), "nothing new")
	require.Empty(t, r.sent, "no master makes a client spin")
}

// Numbers belong to one epoch: those of a former master are neither taken nor acknowledged.
func TestEventNumbersBeginAgainWithEachEpoch(t *testing.T) {
	r, first := leased(t)
	require.Len(t, r.told(first, 1, 2, written(5), written(6)), 2)
	old := r.sent[0]
	r.beat(old, 2, true)
	flush := r.one()
	require.Equal(t, api.KeepAlive{AckedEpoch: 2, Now: true}, flush.Request.Op, "this master has told nothing")
	require.Empty(t, r.told(old, 1, 3, written(7)), "a late answer of the former master")
	require.Equal(t, []api.Instance{8}, r.told(flush, 2, 1, written(8)))
}

// What watches is presented to the new master; then all of it is to be read again.
func TestHandlesThatHearOfEventsArePresented(t *testing.T) {
	r, e := leased(t)
	open := func(token api.Token, mask api.EventMask) {
		r.start(api.Open{Rights: api.RightRead, Events: mask})
		r.reply(r.one(), api.Result{Code: api.OK, Detail: api.Opened{Token: token, Node: api.Ref{Instance: 1}}})
	}
	open("plain", 0)
	open("watches", api.WantContents)
	open("closed", api.WantContents)
	open("poisoned", api.WantContents)
	for _, op := range []api.Op{api.CloseHandle{Handle: "closed"}, api.Poison{Handle: "poisoned"}} {
		r.start(op)
		r.reply(r.one(), api.Result{Code: api.OK})
	}
	r.m.TakeOutput()
	r.beat(e, 2, true)
	out := r.m.TakeOutput()
	require.Equal(t, []session.Event{{Kind: session.EventFailover, Epoch: 2}}, out.Events)
	require.Equal(t, []api.Token{"watches"}, out.Send[0].Request.Op.(api.KeepAlive).Tokens)
	r.beat(out.Send[0], 2, true)
	out = r.m.TakeOutput()
	require.Equal(t, []session.Event{{Kind: session.EventPresented}}, out.Events)
	require.Equal(t, api.KeepAlive{AckedEpoch: 2, Now: true}, out.Send[0].Request.Op)
}
