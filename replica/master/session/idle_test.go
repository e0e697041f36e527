package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/master/session"
)

// Idle sessions end, but not within their leases (C11.02, C11.04).
func TestAnIdleSessionEndsWithItsLease(t *testing.T) {
	idle := config()
	idle.IdleAfter = 10 * sec
	b := newBook(t, idle)
	b.Open(b.now, 2, "ann")
	b.park(2, 1, false)
	b.to(7 * sec)
	require.Equal(t, 19*sec, b.told().Lease, "not idle for long enough")
	b.park(2, 2, false)
	b.to(14 * sec)
	require.Nil(t, b.next(), "it is not answered any more")
	b.park(2, 3, true)
	require.Nil(t, b.next())
	b.to(19*sec - 1)
	require.Nil(t, b.next())
	b.to(19 * sec)
	require.Equal(t, session.Expiry{Session: 2}, b.next())
}

// A session is not idle while it has an open handle or a call under way, nor until IdleAfter later.
func TestWhatKeepsASessionFromBeingIdle(t *testing.T) {
	idle := config()
	idle.IdleAfter = 10 * sec
	for name, c := range map[string]struct {
		use  func(*book)
		idle bool
	}{
		"nothing":             {func(*book) {}, true},
		"a handle, or a call": {func(b *book) { b.used[2] = true }, false},
		"a call lately": {func(b *book) {
			b.to(5 * sec)
			b.Used(b.now, 2)
		}, false},
		"a call long ago":     {func(b *book) { b.Used(b.now, 2) }, true},
		"the call of another": {func(b *book) { b.Used(b.now, 3) }, true},
	} {
		b := newBook(t, idle)
		b.Open(b.now, 2, "ann")
		b.park(2, 1, true)
		require.NotNil(t, b.next())
		c.use(b)
		b.to(11 * sec)
		b.park(2, 2, true)
		require.Equal(t, c.idle, b.next() == nil, name)
	}
}

// A client makes no call before it has been told of a lease. If its round trips are longer than IdleAfter,
// it would otherwise open one session after another.
func TestASessionThatWasToldOfNoLeaseIsNotIdle(t *testing.T) {
	idle := config()
	idle.IdleAfter = sec / 10
	b := newBook(t, idle)
	b.Open(b.now, 2, "ann")
	b.to(1 * sec)
	b.park(2, 1, true)
	require.Equal(t, 12*sec, b.told().Lease)
	b.park(2, 2, true)
	require.Nil(t, b.next(), "now it is")
}

// The table asks about a session with an open handle once in IdleAfter, not at each KeepAlive. The session
// is idle IdleAfter after it was last found to have one.
func TestAnOpenHandleIsNotLookedForAtEachKeepAlive(t *testing.T) {
	idle := config()
	idle.IdleAfter = 60 * sec
	b := newBook(t, idle)
	b.Open(b.now, 2, "ann")
	b.used[2] = true
	for at := 1 * sec; at < 125*sec; at += sec {
		b.to(at)
		b.park(2, uint64(at/sec), true)
		require.NotNil(t, b.next(), "at %v", at)
	}
	require.Equal(t, 2, b.looked)
	b.used[2] = false // it was last found in use at 124 s
	for at := 125 * sec; at < 180*sec; at += sec {
		b.to(at)
		b.park(2, uint64(at/sec), true)
		require.NotNil(t, b.next(), "at %v", at)
	}
	b.to(180 * sec)
	b.park(2, 180, true)
	require.Nil(t, b.next(), "it was last seen at 120 s")
}

// The master does not know which handles a session older than the epoch has, so it is not idle.
func TestASessionOfBeforeTheEpochIsNotIdle(t *testing.T) {
	idle := config()
	idle.IdleAfter = 5 * sec
	b := newBook(t, idle)
	b.Recover(b.now, 2, "ann")
	b.AckEpoch(2, 5)
	b.park(2, 1, false)
	b.to(7 * sec)
	require.Equal(t, 19*sec, b.told().Lease)
}

// A call ends the idleness of a session whose KeepAlive is withheld.
func TestACallWakesAnIdleSession(t *testing.T) {
	idle := config()
	idle.IdleAfter = 5 * sec
	b := newBook(t, idle)
	b.Open(b.now, 2, "ann")
	b.park(2, 1, true)
	require.NotNil(t, b.next())
	b.park(2, 2, false)
	b.to(7 * sec)
	require.Nil(t, b.next())
	b.to(9 * sec)
	b.Used(b.now, 2)
	require.Equal(t, 21*sec, b.told().Lease)
}

// The log may have no room for the end of an idle session whose KeepAlive waits: the session is put aside.
// If a call of it arrives then, it is in use again, and its KeepAlive is answered at once, whether the log
// has room or not.
func TestACallWakesAnIdleSessionWhoseEndTheLogDidNotTake(t *testing.T) {
	idle := config()
	idle.IdleAfter = 5 * sec
	for name, use := range map[string]func(*book){
		"it comes":           func(b *book) { b.Used(b.now, 2) },
		"and it is answered": func(b *book) { b.Used(b.now, 2); b.Used(b.now, 2) },
	} {
		b := newBook(t, idle)
		b.Open(b.now, 2, "ann")
		b.park(2, 1, true)
		require.Equal(t, 12*sec, b.told().Lease)
		b.to(8 * sec)
		b.park(2, 2, false)
		require.Nil(t, b.next())
		b.to(12 * sec)
		require.Equal(t, session.Expiry{Session: 2}, b.next())
		b.Refused(2)
		require.True(t, b.Due().IsZero(), name)
		use(b)
		require.False(t, b.Due().IsZero() || b.Due().After(b.now), "%s: it is due", name)
		require.Equal(t, 16*sec, b.told().Lease, name)
	}
}

// If the log did not take the end of a session that has no KeepAlive waiting, a call does not make it
// proposed again.
func TestACallAsksForNoEndThatTheLogDidNotTake(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.to(12 * sec)
	require.Equal(t, session.Expiry{Session: 2}, b.next())
	b.Refused(2)
	b.Used(b.now, 2)
	require.Nil(t, b.next())
	b.Retry()
	require.Equal(t, session.Expiry{Session: 2}, b.next())
}

// A change waits until an idle session has dropped the path, too. The client is told of the drop in the lease that it
// has, which does not move: otherwise the change would wait until that lease is over.
func TestAnIdleSessionIsToldOfADrop(t *testing.T) {
	idle := config()
	idle.IdleAfter = 10 * sec
	for name, isFirst := range map[string]bool{"the KeepAlive came first": false, "the drop came first": true} {
		b := newBook(t, idle)
		b.Open(b.now, 2, "ann")
		b.to(7 * sec)
		b.park(2, 1, true)
		require.Equal(t, 12*sec, b.told().Lease)
		b.to(13 * sec)
		if isFirst {
			b.Late(2, b.now, false)
			b.park(2, 2, true)
		} else {
			b.park(2, 2, true)
			require.Nil(t, b.next(), name)
			b.Late(2, b.now, false)
			b.Hurry(b.now, 2)
		}
		require.Equal(t, 6*sec, b.told().Lease, name)
		b.Late(2, at(13*sec), true)
		b.to(14 * sec)
		b.park(2, 3, true)
		require.Equal(t, 5*sec, b.told().Lease, "the answer may have been lost: %s", name)
		b.Late(2, time.Time{}, true) // the client has acknowledged it
		b.to(15 * sec)
		b.park(2, 4, true)
		require.Nil(t, b.next(), name)
		b.to(19 * sec)
		require.Equal(t, session.Expiry{Session: 2}, b.next(), name)
	}
}
