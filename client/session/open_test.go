package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

func TestNothingIsSentBeforeSomethingIsAsked(t *testing.T) {
	r := newRig(t, nil)
	r.pass(time.Hour)
	require.Empty(t, r.take())
	require.True(t, r.wake.IsZero())
	require.Equal(t, session.Idle, r.m.Status().State)
}

func TestTheFirstCallOpensTheSessionAndWaitsForIt(t *testing.T) {
	r := newRig(t, nil)
	tok := r.start(put)
	e := r.one()
	require.IsType(t, api.OpenSession{}, e.Request.Op)
	require.Equal(t, api.OK, e.Request.Check())
	require.Equal(t, session.Status{State: session.Opening, Target: e.To, Flight: 1, Queued: 1}, r.m.Status())

	r.opened(e)
	e2 := r.one()
	require.Equal(t, api.Request{ID: e.Request.ID + 2, Session: 7, Seq: 1, Epoch: 1, Op: put}, e2.Request)
	require.Equal(t, e.To, e2.To, "the replica that opened the session is the master")
	r.reply(e2, isOK)
	r.ended(tok, session.Executed, session.Answered, isOK)
}

func TestOpeningIsRepeatedWithTheSameNonceElsewhere(t *testing.T) {
	r := newRig(t, nil)
	r.m.Open(r.now)
	first := r.one()
	r.sleep()
	second := r.one()
	require.Equal(t, first.Request.Op, second.Request.Op)
	require.NotEqual(t, first.Request.ID, second.Request.ID)
	require.NotEqual(t, first.To, second.To, "silence makes it try another replica")
	r.reply(first, api.Result{Code: api.OK, Session: 9}) // late, and to the earlier sending
	require.Equal(t, session.Open, r.m.Status().State)
	require.Equal(t, api.SessionID(9), r.m.Status().Session)
	r.reply(second, api.Result{Code: api.OK, Session: 10})
	require.Equal(t, api.SessionID(9), r.m.Status().Session, "a machine has one session")
}

func TestAnswersToTheOpener(t *testing.T) {
	rows := []struct {
		name  string
		res   api.Result
		state session.State
		call  session.Done // how a queued call ends, if the state is Over
	}{
		{"ok without a session is no answer", isOK, session.Opening, session.Done{}},
		{"conflict is no answer", api.Result{Code: api.Conflict}, session.Opening, session.Done{}},
		{"busy", api.Result{Code: api.Busy}, session.Opening, session.Done{}},
		{"aborted", api.Result{Code: api.Aborted}, session.Opening, session.Done{}},
		{"not master", api.Result{Code: api.NotMaster}, session.Opening, session.Done{}},
		{"invalid", api.Result{Code: api.Invalid}, session.Over, session.Done{Outcome: session.Refused, Why: session.Answered, Result: api.Result{Code: api.Invalid}}},
		{"no session", api.Result{Code: api.NoSession}, session.Over, session.Done{Outcome: session.Refused, Why: session.Expired, Result: api.Result{Code: api.NoSession}}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := newRig(t, nil)
			tok := r.start(put)
			e := r.one()
			r.reply(e, row.res)
			require.Equal(t, row.state, r.m.Status().State)
			if row.state == session.Opening {
				r.waiting(tok)
				return
			}
			row.call.Token = tok
			r.ended(tok, row.call.Outcome, row.call.Why, row.call.Result)
			late := r.start(get)
			r.ended(late, row.call.Outcome, row.call.Why, row.call.Result)
			require.True(t, r.wake.IsZero(), "nothing is left to do")
		})
	}
}

func TestCloseWithoutASessionIsOverAtOnce(t *testing.T) {
	r := newRig(t, nil)
	tok := r.m.Close(r.now)
	r.ended(tok, session.Executed, session.Closed, api.Result{})
	require.Empty(t, r.sent)
	again := r.m.Close(r.now)
	r.ended(again, session.Executed, session.Closed, api.Result{})
	late := r.start(put)
	r.ended(late, session.Refused, session.Closed, api.Result{})
	r.m.Open(r.now)
	require.Empty(t, r.take())
	require.Equal(t, session.Over, r.m.Status().State)
}

func TestCloseEndsTheSessionAndGivesUpTheCalls(t *testing.T) {
	r := newRig(t, func(c *session.Config) { c.Window = 1 })
	r.open()
	sent, queued := r.start(put), r.start(get)
	closing := r.m.Close(r.now)
	got := r.take()
	r.ended(sent, session.Unknown, session.Closed, api.Result{})
	r.ended(queued, session.Refused, session.Closed, api.Result{})
	require.Len(t, got, 2)
	end := got[1]
	require.Equal(t, api.EndSession{}, end.Request.Op)
	require.Equal(t, api.Seq(2), end.Request.Seq)
	require.Equal(t, api.Seq(1), end.Request.AckedThrough, "the ender fences the calls that were given up")
	second := r.m.Close(r.now)
	late := r.start(put)
	r.ended(late, session.Refused, session.Closed, api.Result{})

	r.sleep() // the answer is lost
	again := r.one()
	require.Equal(t, api.Seq(2), again.Request.Seq)
	r.reply(again, api.Result{Code: api.NoSession}) // the first duplicate ended it
	r.ended(closing, session.Executed, session.Closed, api.Result{})
	r.ended(second, session.Executed, session.Closed, api.Result{})
	require.Equal(t, session.Over, r.m.Status().State)
	require.True(t, r.wake.IsZero())
}

// An OpenSession that was sent may have been executed: its session must not be left at the
// cell.
func TestCloseWhileOpeningWaitsForTheSessionToEndIt(t *testing.T) {
	r := newRig(t, nil)
	call := r.start(put)
	open := r.one()
	closing := r.m.Close(r.now)
	r.ended(call, session.Refused, session.Closed, api.Result{})
	r.waiting(closing)
	r.reply(open, api.Result{Code: api.OK, Session: 7})
	sent := r.take()
	require.Len(t, sent, 2)
	require.IsType(t, api.KeepAlive{}, sent[0].Request.Op, "a new master may wait for it")
	end := sent[1]
	require.Equal(t, api.Request{ID: open.Request.ID + 2, Session: 7, Seq: 1, Epoch: 1, Op: api.EndSession{}}, end.Request)
	r.reply(end, isOK)
	r.ended(closing, session.Executed, session.Closed, api.Result{})
}

func TestACloseCanBeCancelled(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	one, two := r.m.Close(r.now), r.m.Close(r.now)
	r.m.Cancel(r.now, one)
	r.ended(one, session.Unknown, session.Cancelled, api.Result{})
	require.Equal(t, session.Ending, r.m.Status().State)
	r.m.Cancel(r.now, two)
	r.ended(two, session.Unknown, session.Cancelled, api.Result{})
	require.Equal(t, session.Over, r.m.Status().State)
	r.pass(time.Hour)
	require.Empty(t, r.take(), "nothing is sent again")
}

func TestConfigsThatAreWrongAreRefusedWithAllFaults(t *testing.T) {
	_, err := session.New(session.Config{})
	require.EqualError(t, err, "session: no replicas\nno Draw")
	_, err = session.New(session.Config{
		Replicas: []uint32{1, 0, 1}, Draw: zeroes, AnswerWait: -1, Rho: 1_000_000, Window: api.MaxWindow/2 + 1, Queue: -1,
	})
	require.EqualError(t, err, "session: replica 1 has the id 0\nreplica id 1 is listed twice\n"+
		"negative duration: AnswerWait -1ns, RetryMin 0s, RetryMax 0s, ParkedRetry 0s, Grace 0s\n"+
		"Rho 1000000 ppm is not within 0 to 999999\nWindow 129 is not within 0 to 128\nQueue -1 is negative")
}

func TestDefaultsFillWhatIsZero(t *testing.T) {
	m, err := session.New(session.Config{Replicas: []uint32{4}, Draw: zeroes})
	require.NoError(t, err)
	now := time.Unix(5, 0)
	m.Open(now)
	require.Equal(t, now.Add(300*time.Millisecond), m.TakeOutput().Wake)
}

func TestNamesPrint(t *testing.T) {
	require.Equal(t, []string{"idle", "opening", "open", "ending", "over"}, []string{session.Idle.String(),
		session.Opening.String(), session.Open.String(), session.Ending.String(), session.Over.String()})
	require.Equal(t, []string{"no outcome", "executed", "refused", "unknown"}, []string{session.Outcome(0).String(),
		session.Executed.String(), session.Refused.String(), session.Unknown.String()})
	require.Equal(t, []string{"no lease", "fresh", "valid", "jeopardy"}, []string{session.NoLease.String(),
		session.Fresh.String(), session.Valid.String(), session.Jeopardy.String()})
	require.Equal(t, "no event", session.EventKind(0).String())
	var whys []string
	for w := range session.Expired + 2 {
		whys = append(whys, w.String())
	}
	require.Equal(t, []string{"no reason", "answered", "checked", "queue full", "cancelled", "closed", "expired", "no reason"}, whys)
}
