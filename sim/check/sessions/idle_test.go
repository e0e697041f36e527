package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Session 8 begins in epoch 3 at second 1, in a cell where sessions are idle after 2 s
// without calls and handles. Its client is told of a lease at second 1.2; its KeepAlive of
// second 1.5 is answered at second 4.
func TestS11AnIdleSessionIsPromisedNothing(t *testing.T) {
	call := func(r *reign, at float64, n api.Seq) {
		r.w.OnRequest(1, second(at), api.Request{ID: 5, Session: 8, Epoch: 3, Seq: n, Op: api.Get{Key: "k"}})
	}
	answer := func(r *reign, at float64, n api.Seq, c api.Code) {
		r.w.OnReply(1, second(at), api.Reply{ID: 5, Session: 8, Seq: n, Result: api.Result{Code: c}})
	}
	for name, c := range map[string]struct {
		does   func(r *reign)
		breaks bool
	}{
		"it is idle":                     {func(r *reign) {}, true},
		"it was told of no lease before": {func(r *reign) { r.w.Seats[1].Heard[8].Told = false }, false},
		"it may have handles":            {func(r *reign) { r.facts.asked = map[api.SessionID]bool{8: true} }, false},
		"sessions may be":                {func(r *reign) { r.w.Config.IdleAfter = 0 }, false},
		"it has called":                  {func(r *reign) { call(r, 2.5, 1); answer(r, 2.6, 1, api.OK) }, false},
		"a copy of its call has ended": {func(r *reign) {
			call(r, 1.6, 1)
			answer(r, 1.9, 1, api.OK)
			copied := command.Call{Guard: 3, Session: 8, Seq: 1, Op: api.Get{Key: "k"}}
			r.acts(2.5, command.Applied{Command: copied, Verdict: command.Executed, Result: api.Result{Code: api.OK}})
		}, false},
		"a copy of its call stands in the log": {func(r *reign) {
			call(r, 1.6, 1)
			r.proposes(1.7, command.Call{Guard: 3, Session: 8, Seq: 1, Op: api.Get{Key: "k"}})
			answer(r, 1.9, 1, api.OK)
		}, false},
		"a copy of its call waits for its turn": {func(r *reign) {
			call(r, 1.6, 1)
			call(r, 1.9, 1)
			answer(r, 1.9, 1, api.OK)
		}, false},
		"a copy of its call waits for its turn, and what it asked for is not there": {func(r *reign) {
			call(r, 1.6, 1)
			call(r, 1.9, 1)
			answer(r, 1.9, 1, api.NotFound)
		}, false},
		"a copy of its call waited for its turn, and it said that it was told": {func(r *reign) {
			call(r, 1.6, 1)
			call(r, 1.7, 1)
			answer(r, 1.7, 1, api.OK)
			r.w.OnRequest(1, second(1.8), api.Request{ID: 6, Session: 8, Epoch: 3, Seq: 2, AckedThrough: 1, Op: api.Get{Key: "k"}})
			answer(r, 1.9, 2, api.OK)
		}, true},
		"a copy of its call had its turn": {func(r *reign) {
			call(r, 1.6, 1)
			call(r, 1.7, 1)
			answer(r, 1.7, 1, api.OK)
			copied := command.Call{Guard: 3, Session: 8, Seq: 1, Op: api.Get{Key: "k"}}
			r.proposes(1.75, copied)
			r.acts(1.8, command.Applied{Command: copied, Verdict: command.Executed, Result: api.Result{Code: api.OK}})
		}, true},
		"both copies of its call were answered": {func(r *reign) {
			call(r, 1.6, 1)
			call(r, 1.7, 1)
			answer(r, 1.8, 1, api.OK)
		}, true},
		"the log took no copy of its call": {func(r *reign) {
			call(r, 1.6, 1)
			r.proposes(1.7, command.Call{Guard: 3, Session: 8, Seq: 1, Op: api.Get{Key: "k"}})
			answer(r, 1.7, 1, api.Busy)
			answer(r, 1.9, 1, api.OK)
		}, true},
		"it has called long ago":                     {func(r *reign) { call(r, 1.6, 1); answer(r, 1.9, 1, api.OK) }, true},
		"its call has no answer":                     {func(r *reign) { call(r, 1.6, 1) }, false},
		"its call was refused":                       {func(r *reign) { call(r, 1.6, 1); answer(r, 2.5, 1, api.Busy) }, false},
		"another of its calls has none":              {func(r *reign) { call(r, 1.6, 1); call(r, 1.6, 2); answer(r, 1.9, 1, api.OK) }, false},
		"the one that was master for certain before": {func(r *reign) { r.c.lease = second(2); r.acts(2); r.acts(2.1); r.w.Seats[1].Known = second(2.9) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReign(t, 6)
			r.w.Config.IdleAfter, r.w.Config.LeaseMin = 2*time.Second, 4*time.Second
			opens := command.Call{Guard: 3, Op: api.OpenSession{Nonce: api.Nonce{1}}, Principal: "ann"}
			r.c.sessions[8] = session.Session{Lease: second(6), HasAcked: true}
			r.acts(1, command.Applied{Command: opens, Verdict: command.Executed, Result: api.Result{Code: api.OK, Session: 8}})
			r.w.OnRequest(1, second(1.1), api.Request{ID: 3, Session: 8, Epoch: 3, Op: api.KeepAlive{AckedEpoch: 3, Now: true}})
			r.w.OnReply(1, second(1.2), api.Reply{ID: 3, Session: 8, Result: leased(4 * time.Second)})
			r.w.OnRequest(1, second(1.5), api.Request{ID: 4, Session: 8, Epoch: 3, Op: api.KeepAlive{AckedEpoch: 3}})
			r.w.Seats[1].Serving = true
			c.does(r)
			r.c.sessions[8] = session.Session{Lease: second(7.9), HasAcked: true}
			r.w.OnReply(1, second(3.9), api.Reply{ID: 4, Session: 8, Result: leased(6400 * time.Millisecond)})
			require.Equal(t, c.breaks, r.f.Failure() != nil)
			if c.breaks {
				r.f.Breaks("S11")
			}
		})
	}
}

// Session 8 begins in epoch 3 at second 1, where sessions are idle after 2 s, and its
// first KeepAlive waits from second 1.1. Its end is proposed at second 6.
func TestS11WhoCouldMakeNoCallIsNotIdle(t *testing.T) {
	for name, c := range map[string]struct {
		told   bool
		late   bool // by the answer to a KeepAlive behind which another one has come in the same step
		breaks bool
	}{
		"it was told of no lease":                      {false, false, true},
		"it was told of one":                           {true, false, false},
		"it was told of one in answer to an older one": {true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReign(t, 6)
			r.w.Config.IdleAfter = 2 * time.Second
			opens := command.Call{Guard: 3, Op: api.OpenSession{Nonce: api.Nonce{1}}, Principal: "ann"}
			r.c.sessions[8] = session.Session{Lease: second(6), HasAcked: true}
			r.acts(1, command.Applied{Command: opens, Verdict: command.Executed, Result: api.Result{Code: api.OK, Session: 8}})
			r.w.OnRequest(1, second(1.1), api.Request{ID: 3, Session: 8, Epoch: 3, Op: api.KeepAlive{AckedEpoch: 3, Now: true}})
			next := func(at float64) {
				r.w.OnRequest(1, second(at), api.Request{ID: 4, Session: 8, Epoch: 3, Op: api.KeepAlive{AckedEpoch: 3}})
			}
			if c.late {
				next(1.2)
			}
			if c.told {
				r.w.OnReply(1, second(1.2), api.Reply{ID: 3, Session: 8, Result: leased(4 * time.Second)})
			}
			if c.told && !c.late {
				next(1.3)
			}
			r.proposes(6, command.Expire{Guard: 3, Session: 8})
			require.Equal(t, c.breaks, r.f.Failure() != nil)
			if c.breaks {
				r.f.Breaks("S11")
			}
		})
	}
}

// Session 8 begins in epoch 3 at second 1, in a cell where sessions are idle after 2 s. Its lease ends at second 6, and
// its KeepAlive waits.
func TestASessionMayEndThoughAKeepAliveWaits(t *testing.T) {
	for name, c := range map[string]struct {
		does func(r *reign)
		at   float64
		may  bool
	}{
		"it is idle":                              {func(r *reign) {}, 6, true},
		"it is idle, and has its lease":           {func(r *reign) {}, 5.9, false},
		"it has a handle open":                    {func(r *reign) { r.facts.open = map[api.SessionID]api.Epoch{8: 3} }, 6, false},
		"sessions may be idle":                    {func(r *reign) { r.w.Config.IdleAfter = 0 }, 6, false},
		"it is dismissed, and has a handle open":  {dismiss(8, true), 6, true},
		"it is dismissed, and may be idle":        {dismiss(8, false), 6, true},
		"it is dismissed, and has its lease":      {dismiss(8, false), 5.9, false},
		"another session is dismissed":            {dismiss(9, true), 6, false},
		"it is dismissed, and has ended meantime": {func(r *reign) { dismiss(8, true)(r); delete(r.c.sessions, 8) }, 6, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReign(t, 6)
			r.w.Config.IdleAfter = 2 * time.Second
			opens := command.Call{Guard: 3, Op: api.OpenSession{Nonce: api.Nonce{1}}, Principal: "ann"}
			r.c.sessions[8] = session.Session{Lease: second(6), HasAcked: true}
			r.acts(1, command.Applied{Command: opens, Verdict: command.Executed, Result: api.Result{Code: api.OK, Session: 8}})
			r.w.OnRequest(1, second(1.5), api.Request{ID: 4, Session: 8, Epoch: 3, Op: api.KeepAlive{AckedEpoch: 3}})
			c.does(r)
			require.Equal(t, c.may, r.w.MayLetEnd(1, second(c.at), 8))
		})
	}
}

// dismiss has an operator end a session, which has a handle open or is in a cell where sessions may be idle.
func dismiss(x api.SessionID, open bool) func(r *reign) {
	return func(r *reign) {
		if open {
			r.facts.open = map[api.SessionID]api.Epoch{8: 3}
		} else {
			r.w.Config.IdleAfter = 0
		}
		r.w.OnDismissed(1, x, second(6))
	}
}
