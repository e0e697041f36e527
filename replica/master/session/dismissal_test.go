package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/session"
)

// A dismissed session ends when its lease is over, not before, though its client sends KeepAlives and calls
// (C11.04).
func TestADismissedSessionEndsWithItsLease(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.used[2] = true
	b.park(2, 1, true)
	require.Equal(t, 12*sec, b.told().Lease)
	b.to(3 * sec)
	b.park(2, 2, false)
	d, ok := b.Dismiss(2)
	require.True(t, ok)
	require.Equal(t, session.Dismissal{Principal: "ann", Ends: at(12 * sec), IsNew: true}, d)
	require.Nil(t, b.next(), "its lease runs")
	b.to(7 * sec)
	require.Nil(t, b.next(), "its KeepAlive would be due")
	b.to(9 * sec)
	b.park(2, 3, true)
	b.Used(b.now, 2)
	b.Hurry(b.now, 2)
	require.Nil(t, b.next())
	d, ok = b.Dismiss(2)
	require.True(t, ok)
	require.Equal(t, session.Dismissal{Principal: "ann", Ends: at(12 * sec)}, d, "again")
	b.to(12*sec - 1)
	require.Nil(t, b.next())
	require.Equal(t, at(12*sec), b.Due())
	b.to(12 * sec)
	require.Equal(t, session.Expiry{Session: 2}, b.next())
	s, _ := b.Get(2)
	require.Equal(t, session.Session{Principal: "ann", Lease: at(12 * sec), HasAcked: true, Expiring: true, Dismissed: true}, s)
	k, waits := b.End(2)
	require.True(t, waits, "it is told then")
	require.EqualValues(t, 3, k.ID)
}

// A client that was answered late has its time to come again; a dismissed session gets it, too.
func TestADismissedSessionThatWasAnsweredLateEndsNoEarlier(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.park(2, 1, true)
	known := b.now
	b.to(20 * sec)
	a, ok := b.Next(b.now, known, func(api.SessionID) bool { return true }).(session.Answer)
	require.True(t, ok)
	require.Equal(t, 12*sec, a.Lease, "which is over")
	d, _ := b.Dismiss(2)
	require.Equal(t, at(25*sec), d.Ends)
	b.park(2, 2, true)
	require.Nil(t, b.next())
	b.to(25 * sec)
	require.Equal(t, session.Expiry{Session: 2}, b.next())
}

// A dismissed session whose end the log did not take is put aside. No call makes it live on.
func TestADismissedSessionWhoseEndTheLogDidNotTake(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.Dismiss(2)
	b.to(12 * sec)
	b.park(2, 1, true)
	require.Equal(t, session.Expiry{Session: 2}, b.next())
	b.Refused(2)
	require.Zero(t, b.Due())
	b.Retry()
	require.Equal(t, session.Expiry{Session: 2}, b.next())
	b.Refused(2)
	b.Used(b.now, 2)
	require.Zero(t, b.Due(), "a call is no reason to ask the log again")
}

// Without a lease no instant is known at which the client has ceased to believe in its session.
func TestWhatCannotBeDismissed(t *testing.T) {
	b := newBook(t, config())
	_, ok := b.Dismiss(2)
	require.False(t, ok, "it is not there")
	cfg := config()
	cfg.LeaseMin = 0
	b = newBook(t, cfg)
	b.Open(b.now, 2, "ann")
	_, ok = b.Dismiss(2)
	require.False(t, ok, "there are no leases")
	s, _ := b.Get(2)
	require.False(t, s.Dismissed)
}

// A session that has yet to acknowledge the epoch is told of the fail-over, so that this ends, and of no longer lease.
func TestADismissedSessionOfBeforeTheEpoch(t *testing.T) {
	b := newBook(t, config())
	b.Recover(b.now, 2, "ann")
	b.Dismiss(2)
	b.to(4 * sec)
	b.park(2, 1, true)
	a := b.told()
	require.True(t, a.Failover)
	require.Equal(t, 8*sec, a.Lease)
	require.True(t, b.AckEpoch(2, 5))
	b.park(2, 2, true)
	require.Nil(t, b.next())
	b.to(12 * sec)
	require.Equal(t, session.Expiry{Session: 2}, b.next())
}

// A change does not wait for the end of a dismissed session's lease if its client drops the path: it is told of the drop
// in the lease that it has.
func TestADismissedSessionIsToldOfADrop(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.Dismiss(2)
	b.to(4 * sec)
	b.park(2, 1, true)
	require.Nil(t, b.next())
	b.Late(2, b.now, false)
	b.Hurry(b.now, 2)
	require.Equal(t, 8*sec, b.told().Lease)
	b.Late(2, b.now, true)
	b.park(2, 2, true)
	require.Equal(t, 8*sec, b.told().Lease, "the answer may have been lost")
	b.to(12 * sec)
	b.park(2, 3, true)
	require.Equal(t, session.Expiry{Session: 2}, b.next())
}
