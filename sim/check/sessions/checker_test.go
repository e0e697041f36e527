package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Command 50 begins epoch 3, and the master serves from instant 1. It may sweep older nodes 3
// s after that.
func TestS15NodesOfBeforeAreSweptLater(t *testing.T) {
	node := func(i api.Instance) command.Sweep { return command.Sweep{Guard: 3, Node: api.Ref{Instance: i}} }
	for name, c := range map[string]struct {
		serves bool
		at     float64
		sweep  command.Sweep
		breaks bool
	}{
		"late enough":                   {true, 4, node(49), false},
		"too early":                     {true, 3.9, node(49), true},
		"at once":                       {true, 1, node(49), true},
		"while it recovers":             {false, 9, node(49), true},
		"a node of this epoch, at once": {true, 1, node(51), false},
	} {
		r := newReign(t, 6)
		began := command.EpochBegan{Epoch: rows.Epoch{Number: 3}}
		r.acts(0.5, command.Applied{Number: 50, Verdict: command.Executed, Effects: []command.Effect{began}})
		r.beats(0.6, 1, 3)
		if c.serves {
			r.w.OnServing(1, second(1))
		}
		r.proposes(c.at, c.sweep)
		require.Equal(t, c.breaks, r.f.Failure() != nil, name)
		if c.breaks {
			r.f.Breaks("S15")
		}
	}
}

// A client that names an older epoch is told the present one.
func TestL1ARefusalOfAnOldEpochNamesThePresentOne(t *testing.T) {
	for epoch, breaks := range map[api.Epoch]bool{3: false, 2: true, 4: true} {
		r := newReign(t, 6)
		r.w.OnReply(1, second(1), api.Reply{ID: 1, Session: 7, Seq: 1, Epoch: epoch, Result: api.Result{Code: api.OldEpoch}})
		require.Equal(t, breaks, r.f.Failure() != nil, epoch)
	}
}

func TestS11WhatAMasterDoesToSessions(t *testing.T) {
	expire, confirm := command.Expire{Guard: 3, Session: 7}, command.ConfirmLeadership{Guard: 3}
	expiring := func(s *session.Session) { s.Expiring = true }
	confirmed := command.Applied{Command: confirm, Verdict: command.Executed}
	for name, c := range map[string]struct {
		does   func(r *reign)
		breaks bool
	}{
		"a KeepAlive is answered":               {func(r *reign) { r.beats(1, 1, 3); r.answers(4, 1, 8, 7) }, false},
		"with more than is remembered":          {func(r *reign) { r.beats(1, 1, 3); r.answers(4, 1, 8, 7.1) }, true},
		"the first of two copies":               {func(r *reign) { r.beats(1, 1, 3); r.beats(2, 1, 3); r.answers(4, 1, 8, 7) }, false},
		"a copy, as if the answered one were":   {func(r *reign) { r.beats(1, 1, 3); r.answers(4, 1, 8, 7); r.beats(5, 1, 3); r.answers(5, 1, 8, 7) }, true},
		"as if an older one had been":           {func(r *reign) { r.beats(1, 1, 3); r.beats(2, 2, 3); r.answers(4, 2, 8, 7) }, true},
		"with a shorter lease than before":      {func(r *reign) { r.beats(1, 1, 3); r.answers(1.5, 1, 5.9, 4.9) }, true},
		"with a longer one than the rows allow": {func(r *reign) { r.beats(1, 1, 3); r.answers(4, 1, 10.1, 9.1) }, true},
		"too late":                              {func(r *reign) { r.beats(1, 1, 3); r.answers(5.5, 1, 9.5, 8.5) }, true},
		"too late, and it was away":             {func(r *reign) { r.beats(1, 1, 3); r.w.Seats[1].Wake = second(4); r.answers(5.5, 1, 9.5, 8.5) }, false},
		"too late, in the second step after it was away": {func(r *reign) {
			r.beats(1, 1, 3)
			r.w.Seats[1].Wake = second(4)
			r.acts(5.5)
			r.w.Seats[1].Wake = second(5.5)
			r.answers(5.5, 1, 9.5, 8.5)
		}, false},
		"too late, and it was away before": {func(r *reign) {
			r.beats(1, 1, 3)
			r.w.Seats[1].Wake = second(3)
			r.acts(5.4)
			r.w.Seats[1].Wake = second(5.5)
			r.answers(5.5, 1, 9.5, 8.5)
		}, true},
		"too late for the lease before that of an older KeepAlive": {func(r *reign) {
			r.beats(1, 1, 3)
			r.beats(1, 2, 3)
			r.answers(4, 1, 8, 7)
			r.answers(5.5, 2, 9.5, 8.5)
		}, false},
		"too late, and it had no authority": {func(r *reign) {
			r.c.lease = second(2)
			r.acts(0)
			r.c.lease = second(99)
			r.acts(3)
			r.beats(1, 1, 3)
			r.answers(5.5, 1, 9.5, 8.5)
		}, false},
		"late, at once":        {func(r *reign) { r.beats(5.5, 1, 3); r.answers(5.5, 1, 9.5, 4) }, false},
		"without authority":    {func(r *reign) { r.c.lease = time.Time{}; r.acts(0); r.beats(1, 1, 3); r.answers(4, 1, 8, 7) }, true},
		"with older authority": {func(r *reign) { r.c.lease = second(3); r.acts(0); r.beats(1, 1, 3); r.answers(4, 1, 8, 7) }, true},
		"by the log": {func(r *reign) {
			r.c.lease = time.Time{}
			r.acts(0)
			r.proposes(2, confirm)
			r.acts(2.5, confirmed)
			r.beats(1, 1, 3)
			r.answers(4, 1, 7, 6)
		}, false},
		"by the log, and for too long": {func(r *reign) {
			r.c.lease = time.Time{}
			r.acts(0)
			r.proposes(1, confirm)
			r.acts(2.5, confirmed)
			r.beats(1, 1, 3)
			r.answers(4, 1, 8, 7)
		}, true},
		"the end of a session":                  {func(r *reign) { r.proposes(6, expire) }, false},
		"the end of a session within its lease": {func(r *reign) { r.proposes(5.9, expire) }, true},
		"its end, as of no known instant":       {func(r *reign) { r.c.lease = time.Time{}; r.acts(0); r.proposes(7, expire) }, true},
		"its end, by the log": {func(r *reign) {
			r.c.lease = time.Time{}
			r.acts(0)
			r.proposes(6, confirm)
			r.acts(6.5, confirmed)
			r.proposes(7, expire)
		}, false},
		"its end, by the log and too early": {func(r *reign) {
			r.c.lease = time.Time{}
			r.acts(0)
			r.proposes(5, confirm)
			r.acts(6.5, confirmed)
			r.proposes(7, expire)
		}, true},
		"its end while a KeepAlive waits": {func(r *reign) {
			r.set(func(s *session.Session) { s.HasAcked = true })
			r.beats(1, 1, 3)
			r.proposes(6, expire)
		}, true},
		"its end in the step that takes a KeepAlive in, which may stand behind the decision": {func(r *reign) {
			r.set(func(s *session.Session) { s.HasAcked = true })
			r.beats(6, 1, 3)
			r.proposes(6, expire)
		}, false},
		"its end in the step that takes another KeepAlive in, while one waits": {func(r *reign) {
			r.set(func(s *session.Session) { s.HasAcked = true })
			r.beats(1, 1, 3)
			r.beats(6, 2, 3)
			r.proposes(6, expire)
		}, true},
		"its end a moment after a late answer": {func(r *reign) {
			r.c.lease = time.Time{}
			r.acts(0)
			r.proposes(2, confirm)
			r.acts(6.1, confirmed)
			r.beats(1, 1, 3)
			r.answers(6.1, 1, 6, 5)
			r.proposes(6.2, confirm)
			r.acts(6.3, confirmed)
			r.proposes(6.3, expire)
		}, true},
		"its end some time after a late answer": {func(r *reign) {
			r.c.lease = time.Time{}
			r.acts(0)
			r.proposes(2, confirm)
			r.acts(6.1, confirmed)
			r.beats(1, 1, 3)
			r.answers(6.1, 1, 6, 5)
			r.proposes(7.6, confirm)
			r.acts(7.7, confirmed)
			r.proposes(7.7, expire)
		}, false},
		"its end while one of before it knew waits": {func(r *reign) { r.beats(1, 1, 2); r.proposes(6, expire) }, false},
		"its end while an idle one's KeepAlive waits": {func(r *reign) {
			r.w.Config.IdleAfter = 5 * time.Second
			r.set(func(s *session.Session) { s.HasAcked = true })
			r.beats(1, 1, 3)
			r.proposes(6, expire)
		}, false},
		"the same, and it is older than the epoch": {func(r *reign) {
			r.w.Config.IdleAfter = 5 * time.Second
			r.set(func(s *session.Session) { s.HasAcked = true })
			r.beats(1, 1, 3)
			r.w.Seats[1].Began = 8
			r.proposes(6, expire)
		}, true},
		"the same, and it has a handle open": {func(r *reign) {
			r.used(0)
			r.facts.open = map[api.SessionID]api.Epoch{7: 3}
			r.proposes(6, expire)
		}, true},
		"the same, and it has yet to say that it dropped something": {func(r *reign) {
			r.used(0)
			r.facts.open, r.facts.drops = map[api.SessionID]api.Epoch{7: 3}, map[api.SessionID]api.Epoch{7: 3}
			r.set(func(s *session.Session) { s.Late = second(0) })
			r.proposes(6, expire)
		}, false},
		"the same, and was told to drop nothing": {func(r *reign) {
			r.used(0)
			r.facts.open = map[api.SessionID]api.Epoch{7: 3}
			r.set(func(s *session.Session) { s.Late = second(0) })
			r.proposes(6, expire)
		}, true},
		"its end while a KeepAlive waits, and it was dismissed": {func(r *reign) {
			r.used(0)
			r.w.OnDismissed(1, 7, second(6))
			r.proposes(0.5, put(3, 2))
			r.proposes(6, expire)
		}, false},
		"the same, within its lease": {func(r *reign) {
			r.used(0)
			r.w.OnDismissed(1, 7, second(6))
			r.proposes(5.9, expire)
		}, true},
		"a longer lease for a session that was dismissed": {func(r *reign) {
			r.beats(0.5, 1, 3)
			r.answers(0.6, 1, 6, 5.5)
			r.w.OnDismissed(1, 7, second(6))
			r.beats(1, 2, 3)
			r.answers(1.5, 2, 6.5, 5.5)
		}, true},
		"a longer lease, where another one was dismissed": {func(r *reign) {
			r.beats(0.5, 1, 3)
			r.answers(0.6, 1, 6, 5.5)
			r.w.OnDismissed(1, 8, second(6))
			r.beats(1, 2, 3)
			r.answers(1.5, 2, 6.5, 5.5)
		}, false},
		"its end while a call of it is under way": {func(r *reign) {
			r.used(0)
			r.proposes(0.5, put(3, 2))
			r.proposes(6, expire)
		}, true},
		"its end while a call of it was applied, and not answered": {func(r *reign) {
			r.used(0)
			r.proposes(0.5, put(3, 2))
			r.acts(0.7, command.Applied{Command: put(3, 2), Verdict: command.Executed})
			r.proposes(6, expire)
		}, false},
		"its end while a call is under way that its client gave up": {func(r *reign) {
			r.used(0)
			r.proposes(0.5, put(3, 2))
			r.w.OnRequest(1, second(0.6), api.Request{ID: 9, Session: 7, Epoch: 3, Seq: 3, AckedThrough: 2, Op: api.Get{Key: "k"}})
			r.proposes(6, expire)
		}, false},
		"its end when a call was answered": {func(r *reign) {
			r.used(2)
			r.proposes(6, expire)
		}, true},
		"its end when a call was turned away": {func(r *reign) {
			r.used(0)
			r.w.OnReply(1, second(2), api.Reply{Session: 7, Seq: 2, Result: api.Result{Code: api.Busy}})
			r.proposes(6, expire)
		}, false},
		"a promise while its end is proposed": {func(r *reign) { r.set(expiring); r.proposes(6, expire); r.beats(6.1, 1, 3); r.answers(6.1, 1, 8, 1.9) }, true},
		"a promise, and its end at once":      {func(r *reign) { r.beats(6, 1, 3); r.set(expiring); r.proposes(6, expire); r.answers(6, 1, 10, 4) }, false},
		"a promise to one that has ended": {func(r *reign) {
			r.beats(1, 1, 3)
			r.c.sessions = nil
			r.w.OnReply(1, second(4), api.Reply{ID: 1, Session: 7, Result: leased(time.Second)})
		}, false},
		"a call in the fail-over": {func(r *reign) { r.proposes(1, command.Call{Guard: 3, Session: 7, Seq: 1, Op: api.Get{Key: "k"}}) }, true},
		"a call after it": {func(r *reign) {
			r.beats(1, 1, 3)
			r.w.OnServing(1, second(1))
			r.proposes(1, command.Call{Guard: 3, Session: 7, Seq: 1, Op: api.Get{Key: "k"}})
		}, false},
		"an opening behind the last KeepAlive, in one step": {func(r *reign) {
			r.beats(1, 1, 3)
			r.c.state = master.Serving
			r.w.OnRequest(1, second(1), api.Request{ID: 9, Op: api.OpenSession{Nonce: api.Nonce{1}}})
			r.proposes(1, command.Call{Guard: 3, Op: api.OpenSession{Nonce: api.Nonce{1}}})
		}, false},
		"an opening in the fail-over": {func(r *reign) {
			r.w.OnRequest(1, second(1), api.Request{ID: 9, Op: api.OpenSession{Nonce: api.Nonce{1}}})
			r.proposes(1, command.Call{Guard: 3, Op: api.OpenSession{Nonce: api.Nonce{1}}})
		}, true},
		"no session knows, and it serves":        {func(r *reign) { r.w.OnServing(1, second(1)) }, true},
		"a session knows of another epoch":       {func(r *reign) { r.beats(1, 1, 2); r.w.OnServing(1, second(1)) }, true},
		"a replica that does not know has ended": {func(r *reign) { r.c.sessions = nil; r.w.OnServing(1, second(1)) }, false},
		"it knew in an epoch of before":          {func(r *reign) { r.beats(1, 1, 4); r.c.epoch = 4; r.acts(1); r.w.OnServing(1, second(1)) }, true},
		"the rows allow less than was granted": {func(r *reign) {
			r.c.row = 4 * time.Second
			r.acts(1, command.Applied{Command: command.LongestLease{Guard: 3}})
		}, true},
		"the rows allow less later": {func(r *reign) {
			r.c.row = 4 * time.Second
			r.acts(2, command.Applied{Command: command.LongestLease{Guard: 3}})
		}, false},
	} {
		r := newReign(t, 6)
		r.f.Good()
		c.does(r)
		if c.breaks {
			require.NotNil(t, r.f.Failure(), name)
			require.Equal(t, "S11", r.f.Failure().ID, name)
		} else {
			require.Nil(t, r.f.Failure(), name)
		}
	}
}

// A session of an earlier epoch has the longest lease that may have been granted; a new one
// has the shortest.
func TestS11TheFirstLeaseOfASession(t *testing.T) {
	newReign(t, 6).f.Good()
	newReign(t, 5.9).f.Breaks("S11")
	for lease, breaks := range map[float64]bool{6: false, 5.9: true} {
		r := newReign(t, 6)
		r.c.sessions[8] = session.Session{Lease: second(lease)}
		r.acts(2, command.Applied{
			Command: command.Call{Guard: 3, Op: api.OpenSession{Nonce: api.Nonce{1, 1}}}, Verdict: command.Executed,
			Result: api.Result{Code: api.OK, Session: 8},
		})
		require.Equal(t, breaks, r.f.Failure() != nil, lease)
	}
}

// A replica that is deposed remembers nothing, and nothing is asked of it.
func TestS11ADeposedMasterPromisesNothing(t *testing.T) {
	r := newReign(t, 6)
	r.beats(1, 1, 3)
	r.c.state = master.Deposed
	r.acts(2)
	r.w.OnReply(1, second(3), api.Reply{ID: 1, Session: 7, Result: api.Result{Code: api.NotMaster}})
	r.f.Good()
	require.Nil(t, r.w.Seats[paxos.NodeID(1)].Of)
}

// Session 7's lease ends at 6. Its KeepAlive waits since 1, and in most cases a call is under
// way since 1.5: the KeepAlive is answered before the last second.
func TestS11AKeepAliveBesideACallIsNotWithheld(t *testing.T) {
	begins := func(r *reign) { r.proposes(1.5, put(3, 1)) }
	for name, c := range map[string]struct {
		before func(r *reign)
		at     float64
		breaks bool
	}{
		"too long":         {begins, 5.1, true},
		"not for long yet": {begins, 4.9, false},
		"without a call":   {nil, 5.1, false},
		"its call was answered": {func(r *reign) {
			begins(r)
			r.w.OnReply(1, second(2), api.Reply{Session: 7, Seq: 1, Result: api.Result{Code: api.OK}})
		}, 5.1, false},
		"it has not taken notice": {func(r *reign) {
			begins(r)
			r.set(func(s *session.Session) { s.HasAcked = false })
		}, 5.1, false},
		"another came late":  {func(r *reign) { begins(r); r.beats(4.8, 2, 3) }, 5.1, false},
		"it was answered":    {func(r *reign) { begins(r); r.answers(4, 1, 9, 8) }, 8.1, false},
		"its call came late": {func(r *reign) { r.proposes(4.8, put(3, 1)) }, 5.1, false},
		"authority was away": {func(r *reign) { begins(r); r.w.Seats[1].Since = second(4.9) }, 5.1, false},
		"the master was away": {func(r *reign) {
			begins(r)
			r.w.Seats[1].Wake = second(4)
		}, 5.1, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReign(t, 6)
			r.set(func(s *session.Session) { s.HasAcked = true })
			r.beats(1, 1, 3)
			r.w.OnServing(1, second(1))
			if c.before != nil {
				c.before(r)
			}
			r.acts(c.at)
			require.Equal(t, c.breaks, r.f.Failure() != nil)
			if c.breaks {
				r.f.Breaks("S11")
			}
		})
	}
}

// A KeepAlive of session 7 waits from second 1 at the master of epoch 3; what happens at
// second 2 is one step.
func TestS11AWaitingKeepAliveIsAnsweredAtTheEnd(t *testing.T) {
	ended := command.Applied{Command: command.Expire{Guard: 3, Session: 7}, Verdict: command.Executed}
	told := func(r *reign, id uint64) {
		r.w.OnReply(1, second(2), api.Reply{ID: id, Session: 7, Result: api.Result{Code: api.NotMaster}})
	}
	nobodys := api.Request{ID: 5, Epoch: 3, Op: api.KeepAlive{}}
	deposed := func(r *reign) { r.c.state = master.Following; r.acts(2) }
	for name, c := range map[string]struct {
		does   func(r *reign)
		breaks bool
	}{
		"nothing ends":                     {func(r *reign) { r.acts(2) }, false},
		"its master is none any more":      {deposed, true},
		"and it is told":                   {func(r *reign) { deposed(r); told(r, 1) }, false},
		"another answer leaves":            {func(r *reign) { deposed(r); told(r, 2) }, true},
		"its master is that of an epoch 4": {func(r *reign) { r.c.epoch = 4; r.acts(2) }, true},
		"its master starts again":          {func(r *reign) { r.c = &chair{state: master.Following}; r.acts(2) }, false},
		"its session ends":                 {func(r *reign) { r.acts(2, ended) }, true},
		"and it is told that":              {func(r *reign) { r.acts(2, ended); told(r, 1) }, false},
		"that of session 0 does not":       {func(r *reign) { r.w.OnRequest(1, second(1), nobodys); deposed(r); told(r, 1) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReign(t, 6)
			r.beats(1, 1, 3)
			c.does(r)
			r.w.OnStepDone(1)
			require.Equal(t, c.breaks, r.f.Failure() != nil)
			if c.breaks {
				r.f.Breaks("S11")
			}
		})
	}
}

// The report says what keeps a session from being idle: a call under way, or one a short time ago.
func TestAReportSaysWhyASessionIsNotIdle(t *testing.T) {
	put := command.Call{Guard: 3, Session: 7, Seq: 2, Op: api.Put{Key: "k", Value: "v"}}
	for want, does := range map[string]func(r *reign){
		"its calls [2] are on their way through the log": func(r *reign) { r.used(0); r.proposes(0.5, put) },
		"a session is idle only after 5s without one":    func(r *reign) { r.used(2) },
	} {
		r := newReign(t, 6)
		r.f.Good()
		does(r)
		r.proposes(6, command.Expire{Guard: 3, Session: 7})
		require.NotNil(t, r.f.Failure(), want)
		require.Contains(t, r.f.Failure().Text, want)
	}
}
