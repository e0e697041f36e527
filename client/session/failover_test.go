package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// leased is a rig whose session has a lease of a minute. KeepAlives are e.
func leased(t *testing.T) (r *rig, e session.Envelope) {
	r = newRig(t, nil)
	r.m.Open(r.now)
	r.reply(r.one(), api.Result{Code: api.OK, Session: 7})
	r.beat(r.one(), 1, false)
	return r, r.one()
}

func (r *rig) beat(e session.Envelope, epoch api.Epoch, failover bool) {
	l := api.Leased{Lease: time.Minute, Failover: failover}
	r.m.Receive(r.now, e.To, e.Request.Answer(epoch, api.Result{Code: api.OK, Detail: l}))
}

// More tokens than one KeepAlive may have are presented in parts: all of them, each
// once, in the order in which the handles came to hold something, before the epoch is
// acknowledged.
func TestTokensArePresentedInParts(t *testing.T) {
	for _, c := range []struct{ size, beats int }{{1, 3}, {20, 3}, {2000, 36}} {
		r, e := leased(t)
		var want []api.Token
		for i := range 1100 {
			token := api.Token(fmt.Sprintf("%04d%s", i, strings.Repeat("x", c.size)))
			want = append(want, token)
			r.start(api.Acquire{Handle: token, Mode: api.Exclusive})
			r.reply(r.one(), api.Result{Code: api.OK, Detail: api.Held{Gen: 1, Acquisition: 1}})
		}
		r.beat(e, 2, true)
		var got []api.Token
		for parts := 1; ; parts++ {
			e = r.one()
			require.Equal(t, api.OK, e.Request.Check())
			op := e.Request.Op.(api.KeepAlive)
			if op.AckedEpoch == 2 {
				require.Empty(t, op.Tokens)
				require.Equal(t, c.beats, parts)
				break
			}
			bytes := 0
			for _, token := range op.Tokens {
				bytes += len(token)
			}
			require.LessOrEqual(t, bytes, 64<<10)
			got = append(got, op.Tokens...)
			r.beat(e, 2, true)
		}
		require.Equal(t, want, got)
	}
}

// The former master may have closed a handle and given its place to another one, and the new master may have no room
// for all. So a handle that is being closed is presented last, and the one that holds a lock is recreated.
func TestWhatIsBeingClosedIsPresentedLast(t *testing.T) {
	r, e := leased(t)
	for _, token := range []api.Token{"closing", "held"} {
		r.start(api.Acquire{Handle: token, Mode: api.Exclusive})
		r.reply(r.one(), api.Result{Code: api.OK, Detail: api.Held{Gen: 1, Acquisition: 1}})
	}
	r.start(api.CloseHandle{Handle: "closing"})
	r.one()
	r.beat(e, 2, true)
	var tokens []api.Token
	for _, e := range r.take() {
		if op, ok := e.Request.Op.(api.KeepAlive); ok {
			tokens = append(tokens, op.Tokens...)
		}
	}
	require.Equal(t, []api.Token{"held", "closing"}, tokens)
}

// A master chooses the length of a lease, up to api.MaxLease.
func TestALeaseIsBounded(t *testing.T) {
	for _, lease := range []time.Duration{-time.Second, 0, time.Millisecond, api.MaxLease, api.MaxLease + 1, 1<<63 - 1} {
		r := newRig(t, func(c *session.Config) { c.Rho = 1 })
		r.m.Open(r.now)
		r.reply(r.one(), api.Result{Code: api.OK, Session: 7})
		e := r.one()
		r.m.Receive(r.now, e.To, e.Request.Answer(1, api.Result{Code: api.OK, Detail: api.Leased{Lease: lease}}))
		s := r.m.Status()
		require.Equal(t, lease > 0, s.Lease == session.Valid)
		require.False(t, s.Bound.After(r.now.Add(min(max(lease, 0), api.MaxLease))))
	}
}

// Calls that release something are accepted however full the queue is, even more of them than
// the window.
func TestWhatFreesIsNeverCrowdedOut(t *testing.T) {
	r := newRig(t, func(c *session.Config) { c.Window, c.Queue = 1, 1 })
	r.open()
	first, second := r.start(put), r.start(put)
	r.ended(r.start(put), session.Refused, session.QueueFull, api.Result{Code: api.Busy})
	release := r.start(api.Release{Handle: "h", Acquisition: 1})
	free := r.start(api.CloseHandle{Handle: "h"})
	r.waiting(release)
	r.waiting(free)
	r.reply(r.sent[len(r.sent)-1], isOK)
	r.ended(first, session.Executed, session.Answered, isOK)
	r.waiting(second)
}

// A closed session is not renewed: nothing is sent, and no timer is set.
func TestAClosedSessionIsNotKept(t *testing.T) {
	r, _ := leased(t)
	closing := r.m.Close(r.now)
	r.reply(r.one(), isOK)
	r.ended(closing, session.Executed, session.Closed, api.Result{})
	r.pass(time.Hour)
	require.Empty(t, r.take())
	require.True(t, r.wake.IsZero())
}

// A master that answers each KeepAlive at once makes the client pause longer and longer, but
// never longer than its lease, and the client does not leave that master.
func TestThePauseBetweenKeepAlivesEndsInTime(t *testing.T) {
	r := newRig(t, nil)
	r.m.Open(r.now)
	r.reply(r.one(), api.Result{Code: api.OK, Session: 7})
	e := r.one()
	master := e.To
	for i := range 40 {
		r.reply(e, api.Result{Code: api.OK, Detail: api.Leased{Lease: time.Second}})
		sent := r.take()
		for len(sent) == 0 {
			r.sleep()
			sent = r.take()
		}
		e = sent[0]
		require.Equal(t, session.Valid, r.m.Status().Lease, "after %d answers", i)
		require.Equal(t, master, e.To, "after %d answers", i)
	}
}

// A client whose calls are not answered turns to other replicas, with its KeepAlive. It does
// not know whether one of them is the master, so it does not take their silence for that of a
// master that holds the KeepAlive, which could last for most of the lease.
func TestAStrangerIsNotWaitedForAsTheMasterIs(t *testing.T) {
	r, keep := leased(t)
	asked := map[uint32]time.Duration{keep.To: 0}
	r.start(put)
	begin := r.now
	for len(asked) < 3 {
		for _, e := range r.take() {
			op, keeps := e.Request.Op.(api.KeepAlive)
			if _, known := asked[e.To]; keeps && !known {
				require.True(t, op.Now)
				asked[e.To] = r.now.Sub(begin)
			}
		}
		r.sleep()
		require.Less(t, r.now.Sub(begin), 2*time.Second)
	}
}
