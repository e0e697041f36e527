package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Each code, as the answer to the first and only sending of a call.
func TestWhatEachAnswerDoesToACall(t *testing.T) {
	found := api.Result{Code: api.Conflict, Found: true, Value: "x"}
	rows := []struct {
		name    string
		res     api.Result
		outcome session.Outcome // 0: the call continues
		why     session.Why
		want    api.Result
	}{
		{"ok", isOK, session.Executed, session.Answered, isOK},
		{"conflict", found, session.Executed, session.Answered, found},
		{"not found", api.Result{Code: api.NotFound}, session.Executed, session.Answered, api.Result{Code: api.NotFound}},
		{"invalid", api.Result{Code: api.Invalid, Value: "junk"}, session.Refused, session.Answered, api.Result{Code: api.Invalid}},
		{"too large", api.Result{Code: api.TooLarge}, session.Refused, session.Answered, api.Result{Code: api.TooLarge}},
		{"stale", api.Result{Code: api.Stale}, session.Unknown, session.Answered, api.Result{Code: api.Stale}},
		{"no handle", api.Result{Code: api.NoHandle}, session.Unknown, session.Answered, api.Result{Code: api.NoHandle}},
		{"no session", api.Result{Code: api.NoSession}, session.Unknown, session.Expired, api.Result{Code: api.NoSession}},
		{"not master", api.Result{Code: api.NotMaster}, 0, 0, api.Result{}},
		{"aborted", api.Result{Code: api.Aborted}, 0, 0, api.Result{}},
		{"busy", api.Result{Code: api.Busy}, 0, 0, api.Result{}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := newRig(t, nil)
			r.open()
			tok := r.start(put)
			e := r.one()
			r.reply(e, row.res)
			if row.outcome != 0 {
				r.ended(tok, row.outcome, row.why, row.want)
				return
			}
			r.waiting(tok)
			r.sleep()
			again := r.one()
			require.Equal(t, e.Request.Seq, again.Request.Seq, "a retry keeps its name")
			require.Greater(t, again.Request.ID, e.Request.ID)
			r.reply(again, isOK)
			r.ended(tok, session.Executed, session.Answered, isOK)
		})
	}
}

func TestOpsAreCheckedBeforeTheyAreSent(t *testing.T) {
	r := newRig(t, nil)
	rows := []struct {
		op   api.Op
		code api.Code
	}{
		{nil, api.Invalid},
		{api.Get{}, api.Invalid},
		{api.List{Prefix: string(make([]byte, api.MaxKey+1))}, api.TooLarge},
		{api.OpenSession{Nonce: api.Nonce{1, 1}}, api.Invalid},
		{api.EndSession{}, api.Invalid},
	}
	for _, row := range rows {
		r.ended(r.start(row.op), session.Refused, session.Checked, api.Result{Code: row.code})
	}
	require.Empty(t, r.sent)
	require.Equal(t, session.Idle, r.m.Status().State)
}

func TestPausesDoubleAndAreBounded(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	r.start(put)
	r.take()
	var waits []time.Duration
	for range 6 {
		waits = append(waits, r.wake.Sub(r.now))
		r.sleep()
		r.one()
	}
	ms := time.Millisecond
	require.Equal(t, []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, time.Second, time.Second}, waits)

	r = newRig(t, nil)
	r.open()
	r.start(put)
	waits = nil
	for range 9 {
		r.reply(r.one(), api.Result{Code: api.Busy})
		r.take()
		waits = append(waits, r.wake.Sub(r.now))
		r.sleep()
	}
	require.Equal(t, []time.Duration{10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 640 * ms, time.Second, time.Second}, waits)
}

func TestJitterTakesAtMostHalfOfAPause(t *testing.T) {
	var n uint64
	r := newRig(t, func(c *session.Config) { c.Draw = func() uint64 { n += 7_777_777; return n } })
	r.open()
	seen := map[time.Duration]bool{}
	for range 50 {
		r.start(put)
		e := r.one()
		wait := r.wake.Sub(r.now)
		require.True(t, 50*time.Millisecond <= wait && wait <= 100*time.Millisecond, wait)
		seen[wait] = true
		r.reply(e, isOK)
	}
	require.Greater(t, len(seen), 20)
}

func TestTheWindowBoundsHowFarCallsRunAhead(t *testing.T) {
	r := newRig(t, func(c *session.Config) { c.Window, c.Queue = 3, 2 })
	r.open()
	for range 5 {
		r.start(put)
	}
	sent := r.take()
	require.Len(t, sent, 3)
	require.Equal(t, 2, r.m.Status().Queued)
	r.ended(r.start(put), session.Refused, session.QueueFull, api.Result{Code: api.Busy})

	r.reply(sent[1], isOK)
	r.reply(sent[2], isOK)
	require.Empty(t, r.take(), "1 is not answered: 4 would be too far ahead")
	require.Equal(t, api.Seq(0), r.m.Status().AckedThrough)
	r.reply(sent[0], isOK)
	next := r.take()
	require.Len(t, next, 2)
	require.Equal(t, api.Seq(3), next[0].Request.AckedThrough)
	require.Equal(t, []api.Seq{4, 5}, []api.Seq{next[0].Request.Seq, next[1].Request.Seq})
}

func TestACallGivenUpIsUnknownOnceItWasSent(t *testing.T) {
	r := newRig(t, func(c *session.Config) { c.Window = 1 })
	r.open()
	sent, queued := r.start(put), r.start(get)
	first := r.one()
	r.m.Cancel(r.now, queued)
	r.ended(queued, session.Refused, session.Cancelled, api.Result{})
	r.reply(first, api.Result{Code: api.Aborted}) // says nothing about its duplicates
	r.m.Cancel(r.now, sent)
	r.ended(sent, session.Unknown, session.Cancelled, api.Result{})
	r.m.Cancel(r.now, sent)
	r.m.Cancel(r.now, 0)
	r.m.Cancel(r.now, 99)
	r.reply(first, isOK)
	r.take()
	require.True(t, r.wake.IsZero())

	r.start(get)
	e := r.one()
	require.Equal(t, api.Seq(2), e.Request.Seq, "a call that was never sent takes no number")
	require.Equal(t, api.Seq(1), e.Request.AckedThrough, "what was given up is fenced")
}

func TestACallGivenUpMakesRoom(t *testing.T) {
	r := newRig(t, func(c *session.Config) { c.Window = 1 })
	r.open()
	first, second := r.start(put), r.start(get)
	r.one()
	r.m.Cancel(r.now, first)
	e := r.one()
	require.Equal(t, api.Request{ID: e.Request.ID, Session: 7, Seq: 2, AckedThrough: 1, Epoch: 1, Op: get}, e.Request)
	r.waiting(second)
}

// A machine of an earlier process may have had the same address.
func TestAnswersToAnEarlierLifeAreIgnored(t *testing.T) {
	r := newRig(t, func(c *session.Config) { c.Draw = func() uint64 { return 1 << 40 } })
	r.m.Open(r.now)
	e := r.one()
	require.Equal(t, uint64(1<<24+1), e.Request.ID)
	for _, id := range []uint64{1, 1 << 24, 1<<24 + 2} {
		p := e.Request.Answer(1, api.Result{Code: api.OK, Session: 5})
		p.ID = id
		r.m.Receive(r.now, e.To, p)
		require.Equal(t, session.Opening, r.m.Status().State)
	}
}

func TestALateAnswerToAnEarlierSendingEndsTheCall(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	tok := r.start(put)
	first := r.one()
	r.sleep()
	second := r.one()
	r.reply(first, api.Result{Code: api.Busy}) // about the first only
	r.waiting(tok)
	require.Equal(t, second.Request.ID, r.sent[len(r.sent)-1].Request.ID)
	r.reply(first, isOK)
	r.ended(tok, session.Executed, session.Answered, isOK)
	r.reply(second, isOK)
	require.Empty(t, r.take())
}

func TestAnswersToOthersAreIgnored(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	tok := r.start(put)
	e := r.one()
	good := e.Request.Answer(1, isOK)
	r.m.Receive(r.now, 77, good) // a stranger
	for _, change := range []func(*api.Reply){
		func(p *api.Reply) { p.ID = e.Request.ID + 1 }, // not sent yet
		func(p *api.Reply) { p.ID = 0 },                // of another process
		func(p *api.Reply) { p.Session = 8 },
		func(p *api.Reply) { p.Session = 8; p.Code = api.NoSession },
		func(p *api.Reply) { p.Session = 0; p.Code = api.NoSession },
		func(p *api.Reply) { p.Seq = 2 },
		func(p *api.Reply) { p.Session, p.Seq = 0, 0 },
	} {
		p := good
		change(&p)
		r.m.Receive(r.now, e.To, p)
		r.waiting(tok)
	}
	r.m.Receive(r.now, e.To, good)
	r.ended(tok, session.Executed, session.Answered, isOK)
}

// C4.06: what an expired session costs is a suffix of the calls.
func TestAfterNoSessionEverythingFails(t *testing.T) {
	r := newRig(t, func(c *session.Config) { c.Window = 2 })
	r.open()
	before := r.start(put)
	r.reply(r.one(), isOK)
	r.ended(before, session.Executed, session.Answered, isOK)

	a, b, c := r.start(put), r.start(put), r.start(put)
	sent := r.take()
	require.Len(t, sent, 2)
	gone := api.Result{Code: api.NoSession}
	r.reply(sent[1], gone)
	r.ended(a, session.Unknown, session.Expired, gone)
	r.ended(b, session.Unknown, session.Expired, gone)
	r.ended(c, session.Refused, session.Expired, gone)
	r.reply(sent[0], isOK) // too late: nothing follows a failure
	r.ended(r.start(get), session.Refused, session.Expired, gone)
	r.m.Open(r.now)
	r.pass(time.Hour)
	require.Empty(t, r.take(), "never a second session")
	require.Equal(t, session.Expired, r.m.Status().Why)
	r.ended(r.m.Close(r.now), session.Executed, session.Closed, api.Result{})
}

// The session may end while only a cancelled call is in flight.
func TestNoSessionCountsWhateverItAnswers(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	tok := r.start(put)
	e := r.one()
	r.m.Cancel(r.now, tok)
	r.reply(e, api.Result{Code: api.NoSession})
	require.Equal(t, session.Over, r.m.Status().State)
}

func TestTheHighestEpochIsKept(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	r.start(put)
	e := r.one()
	for _, epoch := range []api.Epoch{4, 3} {
		r.m.Receive(r.now, e.To, e.Request.Answer(epoch, api.Result{Code: api.Aborted}))
	}
	require.Equal(t, api.Epoch(4), r.m.Status().Epoch)
}

// The answer names the new epoch, so the next duplicate is accepted. An answer that names no
// new epoch is not followed at once, since that could make a client spin.
func TestACopyOfAnOldEpochIsSentAgainAtOnce(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	r.start(put)
	e := r.one()
	require.Equal(t, api.Epoch(1), e.Request.Epoch)
	r.m.Receive(r.now, e.To, e.Request.Answer(4, api.Result{Code: api.OldEpoch}))
	sent := r.take()
	require.Len(t, sent, 2)
	require.IsType(t, api.KeepAlive{}, sent[0].Request.Op, "this master may give leases")
	r.m.Receive(r.now, e.To, sent[0].Request.Answer(4, api.Result{Code: api.Invalid}))
	again := sent[1]
	require.Equal(t, api.Epoch(4), again.Request.Epoch)
	require.Equal(t, e.Request.Seq, again.Request.Seq)
	require.Equal(t, e.To, again.To)
	r.m.Receive(r.now, e.To, again.Request.Answer(4, api.Result{Code: api.OldEpoch}))
	require.Empty(t, r.take(), "it has told nothing")
	r.sleep()
	require.Equal(t, api.Epoch(4), r.one().Request.Epoch)
}

// An Open that was executed by an earlier master, and for whose handle the present master has
// no room, ends. If it continued, no call could pass it once the window is full, not even the
// CloseHandle that would make room.
func TestAnOpenForWhoseHandleThereIsNoRoomEnds(t *testing.T) {
	open := api.Open{Path: "f", Rights: api.RightRead, Create: api.CreateMay, Kind: api.File}
	none := api.Result{Code: api.NoHandle}
	for _, givenUp := range []bool{false, true} {
		r := newRig(t, func(c *session.Config) { c.Window = 2 })
		r.open()
		tok := r.start(open)
		e := r.one()
		if givenUp {
			r.m.Cancel(r.now, tok)
			r.ended(tok, session.Unknown, session.Cancelled, api.Result{})
		}
		closing := r.start(api.CloseHandle{Handle: "t"})
		other := r.one()
		r.reply(other, isOK)
		r.ended(closing, session.Executed, session.Answered, isOK)
		last := r.start(api.CloseHandle{Handle: "u"})
		require.Empty(t, r.take(), "the window is full")

		r.reply(e, none)
		again := r.one()
		require.Equal(t, api.Seq(2), again.Request.AckedThrough, "AckedThrough covers the Open")
		if !givenUp {
			r.ended(tok, session.Unknown, session.Answered, none)
		}
		r.reply(again, isOK)
		r.ended(last, session.Executed, session.Answered, isOK)
	}
}

// The present master may have room where an earlier one had none, so a refusal of the earlier
// one does not end the call.
func TestAFormerMasterHadNoRoom(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	tok := r.start(api.Open{Path: "f", Rights: api.RightRead, Create: api.CreateMay, Kind: api.File})
	e := r.one()
	newer := e.Request.Answer(2, api.Result{Code: api.Busy})
	newer.Seq = 0 // about another sending; it names the epoch
	r.m.Receive(r.now, e.To, newer)
	r.reply(e, api.Result{Code: api.NoHandle})
	r.waiting(tok)
}
