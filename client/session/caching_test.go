package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

var read = api.GetContents{Handle: "t"}

// startRead starts a read that may be kept, and returns its sending.
func (r *rig) startRead() (session.Token, session.Envelope) {
	t := r.m.StartCacheable(r.now, read)
	sent := r.take()
	require.NotEmpty(r.t, sent)
	return t, sent[len(sent)-1]
}

// cacheable answers a read.
func (r *rig) cacheable(e session.Envelope, epoch api.Epoch, drops api.DropNumber) {
	p := e.Request.Answer(epoch, api.Result{Code: api.OK, Value: "x", Detail: api.NodeStat{}})
	p.Master, p.Cacheable, p.Drops = e.To, true, drops
	r.m.Receive(r.now, e.To, p)
	r.take()
}

func drop(path string, n api.DropNumber) api.Event {
	p, err := api.ParsePath(path)
	if err != nil {
		panic(err)
	}
	return api.Event{Kind: api.EventDrop, Node: api.Ref{Path: p}, Drop: n}
}

// dropped answers a KeepAlive with drops, and returns the next KeepAlive.
func (r *rig) dropped(e session.Envelope, last api.EventNumber, events ...api.Event) session.Envelope {
	l := api.Leased{Lease: 60e9, Events: events, LastEvent: last}
	r.m.Receive(r.now, e.To, e.Request.Answer(1, api.Result{Code: api.OK, Detail: l}))
	out := r.m.TakeOutput()
	for i, want := range events {
		require.Equal(r.t, session.Event{Kind: session.EventDrop, Node: want}, out.Events[i])
	}
	require.Len(r.t, out.Send, 1, "it is sent at once, and the events are in the same output")
	require.Equal(r.t, last, out.Send[0].Request.Op.(api.KeepAlive).AckedEvents)
	return out.Send[0]
}

func TestAnAnswerMayBeKeptIfTheMasterSaysSo(t *testing.T) {
	r, _ := leased(t)
	tok, e := r.startRead()
	require.True(t, e.Request.MayCache)
	r.cacheable(e, 1, 0)
	require.True(t, r.done[tok].Cacheable)

	tok, e = r.startRead()
	r.reply(e, api.Result{Code: api.OK})
	r.take()
	require.False(t, r.done[tok].Cacheable, "the master does not say so")

	tok = r.start(read)
	e = r.one()
	require.False(t, e.Request.MayCache)
	r.cacheable(e, 1, 0)
	require.False(t, r.done[tok].Cacheable, "its caller would not keep it")
}

// Answers and drops overtake one another.
func TestAnAnswerThatIsOlderThanADropIsNotKept(t *testing.T) {
	r, keep := leased(t)
	old, e := r.startRead()
	keep = r.dropped(keep, 2, drop("/a", 1), drop("/b", 2))
	r.cacheable(e, 1, 1)
	require.False(t, r.done[old].Cacheable, "it may be what was to be dropped")
	next, e := r.startRead()
	r.cacheable(e, 1, 2)
	require.True(t, r.done[next].Cacheable)

	ahead, e := r.startRead()
	r.cacheable(e, 1, 3)
	require.True(t, r.done[ahead].Cacheable, "the third drop is on its way, and drops this one")
	r.dropped(keep, 3, api.Event{Kind: api.EventDropAll, Drop: 3})
}

// No master but the present one tells of changes to come, once it knows the client.
func TestAnAnswerIsKeptInAnAcknowledgedEpochOnly(t *testing.T) {
	r, keep := leased(t)
	keep = r.dropped(keep, 5, drop("/a", 5))
	r.beat(keep, 2, true) // a new master
	flush := r.one()
	require.Equal(t, api.Epoch(2), flush.Request.Op.(api.KeepAlive).AckedEpoch)
	tok, e := r.startRead()
	r.cacheable(e, 2, 0)
	require.True(t, r.done[tok].Cacheable, "the numbers of drops begin again")

	r, _ = leased(t)
	tok, e = r.startRead()
	p := e.Request.Answer(2, api.Result{Code: api.OK})
	p.Cacheable = true
	r.m.Receive(r.now, e.To, p) // before the KeepAlive has told of the fail-over
	r.take()
	require.False(t, r.done[tok].Cacheable)
}

// In jeopardy nothing is kept, though the answer is reported when the lease runs again.
func TestAnAnswerThatWasWithheldIsNotKept(t *testing.T) {
	r, _ := leased(t)
	tok, e := r.startRead()
	r.pass(time.Minute) // as long as the lease
	r.take()
	r.cacheable(e, 1, 0)
	r.waiting(tok)
	for _, s := range r.sent {
		if _, ok := s.Request.Op.(api.KeepAlive); ok {
			e = s // the newest
		}
	}
	r.beat(e, 1, false)
	r.take()
	require.Contains(t, r.done, tok)
	require.False(t, r.done[tok].Cacheable)
}

// A change that was given up may be made until a later call is answered whose first sending has
// covered it.
func TestACancelledChangeIsSettledByAnAnswerThatCoversIt(t *testing.T) {
	r, _ := leased(t)
	blocks := r.start(get)
	first := r.one()
	write := r.start(api.SetContents{Handle: "t", Contents: "x"})
	r.one()
	r.m.Cancel(r.now, write)
	require.Empty(t, r.m.TakeOutput().Settled)

	r.start(get)
	e := r.one()
	require.Zero(t, e.Request.AckedThrough, "the first call is waited for")
	r.reply(e, api.Result{Code: api.OK})
	require.Empty(t, r.m.TakeOutput().Settled)
	r.reply(first, api.Result{Code: api.OK})
	out := r.m.TakeOutput()
	require.Empty(t, out.Settled)
	require.Equal(t, blocks, out.Done[0].Token)

	r.start(api.Poison{Handle: "u"})
	r.reply(r.one(), api.Result{Code: api.OK})
	require.Empty(t, r.m.TakeOutput().Settled, "a Poison is answered from memory")
	r.start(get)
	r.reply(r.one(), api.Result{Code: api.OK})
	require.Equal(t, []session.Token{write}, r.m.TakeOutput().Settled)
}

// A cancelled Open goes on, and may create its node until it is answered.
func TestACancelledOpenIsSettledByItsAnswer(t *testing.T) {
	for _, op := range []api.Open{
		{Path: "a", Rights: api.RightRead, Create: api.CreateMay, Kind: api.File},
		{Path: "a", Rights: api.RightRead},
	} {
		r, _ := leased(t)
		open := r.start(op)
		e := r.one()
		r.m.Cancel(r.now, open)
		r.start(get)
		r.reply(r.one(), api.Result{Code: api.OK})
		require.Empty(t, r.m.TakeOutput().Settled)
		r.reply(e, api.Result{Code: api.OK, Detail: api.Opened{Token: "o"}})
		require.Equal(t, []session.Token{open}, r.m.TakeOutput().Settled)
	}
}

// An Open by a handle was cancelled, and the cell has closed the handle. A later master is not asked about it, so no copy of
// the Open will be executed: what it may have changed is final.
func TestACancelledOpenByAClosedHandleIsSettledByAFailOver(t *testing.T) {
	r, _ := leased(t)
	open := r.start(api.Open{Dir: "d", Path: "a", Rights: api.RightRead, Create: api.CreateMay, Kind: api.File})
	r.one()
	r.m.Cancel(r.now, open)
	r.start(api.CloseHandle{Handle: "d"})
	e := r.one()
	r.reply(e, api.Result{Code: api.OK})
	require.Empty(t, r.m.TakeOutput().Settled)

	r.start(get)
	p := r.one().Request.Answer(2, api.Result{Code: api.NotMaster})
	r.m.Receive(r.now, e.To, p)
	require.Equal(t, []session.Token{open}, r.m.TakeOutput().Settled)
}
