package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/session"
)

func breaks(t *testing.T, id invariant.ID, f func()) {
	t.Helper()
	v := invariant.Caught(f)
	require.NotNil(t, v, "no invariant was broken")
	require.Equal(t, id, v.ID)
}

// A KeepAlive is held until 5/12 of the lease are left (C11.07, C11.22), and the lease begins anew when it
// is answered, not when it arrives (C11.06).
func TestAKeepAliveIsHeldAndExtendsTheLeaseWhenItIsAnswered(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.to(1 * sec)
	b.park(2, 1, false)
	require.Equal(t, time.Unix(1007, 0), b.Due())
	b.to(7*sec - 1)
	require.Nil(t, b.next())
	b.to(7 * sec)
	require.Equal(t, session.Answer{
		Session: 2, To: session.KeepAlive{From: 9, ID: 1, Receipt: time.Unix(1001, 0)}, Lease: 18 * sec,
	}, b.told())
	require.Nil(t, b.next())
	s, _ := b.Get(2)
	require.Equal(t, time.Unix(1019, 0), s.Lease)
	b.park(2, 2, false)
	require.Equal(t, time.Unix(1014, 0), b.Due())
}

func TestAKeepAliveThatAsksForItIsAnsweredAtOnce(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.to(1 * sec)
	b.park(2, 1, true)
	require.Equal(t, 12*sec, b.told().Lease)
}

// The newest KeepAlive waits, and an older one that arrives late does not replace it.
func TestTheNewestKeepAliveWaits(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.park(2, 5, false)
	b.to(1 * sec)
	b.park(2, 7, false)
	b.to(2 * sec)
	b.park(2, 6, true)
	require.Nil(t, b.next(), "6 wanted it at once, and is no more waited for")
	require.Len(t, b.Parked(), 1)
	b.park(2, 7, true)
	a := b.told()
	require.EqualValues(t, 7, a.To.ID)
	require.Equal(t, b.now, a.To.Receipt, "the copy that came last")
	require.Nil(t, b.next())
}

// The end of a session is proposed when its lease is over, not before, and once.
func TestASessionExpiresWhenItsLeaseIsOver(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.to(12*sec - 1)
	require.Nil(t, b.next())
	b.to(12 * sec)
	require.Equal(t, session.Expiry{Session: 2}, b.next())
	require.Nil(t, b.next(), "once")
	b.park(2, 1, true)
	require.Nil(t, b.next(), "its end is decided (K14)")
	s, ok := b.Get(2)
	require.True(t, ok && s.Expiring)
	require.Equal(t, time.Unix(1012, 0), s.Lease, "nothing extends it")

	b.Refused(2)
	require.Equal(t, 12*sec, b.told().Lease, "the log did not take it, and the client is there")
	b.park(2, 2, false)
	k, waits := b.End(2)
	require.True(t, waits)
	require.EqualValues(t, 2, k.ID)
	_, ok = b.Get(2)
	require.False(t, ok)
	require.Zero(t, b.Due())
	b.Refused(2)
	b.Retry()
	breaks(t, "I-M1", func() { b.End(2) })
}

// Grants begin at known, and leases are over if they ended by known, whatever time it is (K13, K19).
func TestNothingIsDoneBeyondWhatIsKnown(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.Open(b.now, 3, "ann")
	b.to(5 * sec)
	b.park(2, 1, true)
	known := b.now.Add(-1)
	none := func(api.SessionID) bool { return false }
	require.Nil(t, b.Next(b.now, known, none), "it came later than that")
	b.to(20 * sec)
	known = time.Unix(1011, 0)
	a := b.Next(b.now, known, none).(session.Answer)
	require.Equal(t, 18*sec, a.Lease, "12 s from the instant that is known")
	require.Nil(t, b.Next(b.now, known, none), "session 3 had a second then")
	require.Equal(t, session.Expiry{Session: 3}, b.Next(b.now, b.now, none))
}

// A KeepAlive that arrives when it is already due is not answered until known reaches its receipt.
func TestAKeepAliveThatComesLateIsNotAnsweredByWhatWasKnownBefore(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.to(13 * sec)
	b.park(2, 1, false)
	none := func(api.SessionID) bool { return false }
	require.Nil(t, b.Next(b.now, time.Unix(1008, 0), none))
	require.Equal(t, 12*sec, b.told().Lease)
}

// A client that is answered late has as long to send its next KeepAlive as one that is answered in time,
// even if no lease is left.
func TestWhoIsAnsweredLateMayComeAgain(t *testing.T) {
	none := func(api.SessionID) bool { return false }
	for name, c := range map[string]struct {
		known, answered, ends time.Duration
	}{
		"in time":                {7 * sec, 7 * sec, 19 * sec},
		"late, a lease is left":  {7 * sec, 13 * sec, 19 * sec},
		"late, too little of it": {7 * sec, 17 * sec, 22 * sec},
		"late, none is left":     {7 * sec, 20 * sec, 25 * sec},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, config())
			b.Open(b.now, 2, "ann")
			from := b.now
			b.to(5 * sec)
			b.park(2, 1, false)
			a, ok := b.Next(from.Add(c.answered), from.Add(c.known), none).(session.Answer)
			require.True(t, ok)
			require.Equal(t, 14*sec, a.Lease, "the promise is the same")
			require.Equal(t, from.Add(c.ends), b.Due())
			end := from.Add(c.ends)
			require.Nil(t, b.Next(end.Add(-1), end.Add(-1), none))
			require.Equal(t, session.Expiry{Session: 2}, b.Next(end, end, none))
		})
	}
}

// A session whose KeepAlive waits does not expire because the master could not answer it.
func TestAWaitingKeepAliveIsAnsweredHoweverLate(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	b.park(2, 1, false)
	b.to(5 * time.Minute)
	require.Equal(t, 5*time.Minute+12*sec, b.told().Lease, "from the receipt")
	b.park(2, 2, false)
	b.to(time.Hour)
	require.Equal(t, api.MaxLease, b.told().Lease, "less than it is, which does no harm")
	s, _ := b.Get(2)
	require.Equal(t, b.now.Add(12*sec), s.Lease)
}

// A lease moves later, never earlier, whatever happens to its length (C11.05, K02).
func TestALeaseNeverEndsEarlier(t *testing.T) {
	b := newBook(t, config())
	b.SetLongest(time.Minute)
	for id := range api.SessionID(60) {
		b.Open(b.now, id+1, "ann")
	}
	b.park(1, 1, true)
	require.Equal(t, time.Minute, b.told().Lease)
	for id := range api.SessionID(59) {
		b.End(id + 2)
	}
	b.to(1 * sec)
	b.park(1, 2, true)
	require.Equal(t, 59*sec, b.told().Lease, "its own length would be 12 s")
}

// A session that is older than the epoch lives for the longest lease. Until its client has acknowledged the
// epoch, answers tell the lease and Failover, and do not extend it.
func TestASessionOfBeforeTheEpoch(t *testing.T) {
	b := newBook(t, config())
	b.SetLongest(30 * sec)
	b.Recover(b.now, 2, "ann")
	require.Equal(t, 1, b.Unacked())
	b.to(1 * sec)
	b.park(2, 1, false)
	a := b.told()
	require.Equal(t, 29*sec, a.Lease)
	require.True(t, a.Failover)
	require.False(t, b.AckEpoch(2, 4), "an earlier epoch")
	b.to(29 * sec)
	b.park(2, 2, true)
	require.Equal(t, 1*sec, b.told().Lease)
	require.True(t, b.AckEpoch(2, 5))
	require.False(t, b.AckEpoch(2, 5), "no news")
	require.Zero(t, b.Unacked())
	b.park(2, 3, false)
	a = b.told()
	require.False(t, a.Failover)
	require.Equal(t, 12*sec, a.Lease)
}

// A session whose client never acknowledges the epoch ends although it sends KeepAlives: the fail-over must
// end.
func TestASessionThatTakesNoNoticeEnds(t *testing.T) {
	b := newBook(t, config())
	b.Recover(b.now, 2, "ann")
	b.Recover(b.now, 3, "ann")
	b.to(12 * sec)
	b.park(2, 1, true)
	require.Equal(t, session.Expiry{Session: 2}, b.next())
	require.Equal(t, session.Expiry{Session: 3}, b.next())
	require.Equal(t, 2, b.Unacked(), "they are waited for until they have ended")
	b.End(2)
	b.End(3)
	require.Zero(t, b.Unacked())
}

func TestWithoutLeasesNothingIsDue(t *testing.T) {
	b := newBook(t, session.Config{})
	b.Open(b.now, 2, "ann")
	b.Recover(b.now, 3, "ann")
	require.False(t, b.HasLeases())
	require.Zero(t, b.Unacked())
	require.Zero(t, b.Due())
	require.Zero(t, b.Longest(b.now))
	require.True(t, b.IsMeasured())
	b.to(time.Hour)
	require.Nil(t, b.next())
}

// By default leases last 12 s, or up to a minute with many sessions (C11.08), and a session that is not used
// for a minute ends (C11.02).
func TestTheDefaultsAreChubbys(t *testing.T) {
	c := session.DefaultConfig()
	require.Equal(t, 12*time.Second, c.LeaseMin)
	require.Equal(t, time.Minute, c.LeaseMax)
	require.Equal(t, time.Minute, c.IdleAfter)
}

func TestConfigNamesAllItsFaults(t *testing.T) {
	require.NoError(t, session.DefaultConfig().Validate())
	require.NoError(t, session.Config{}.Validate())
	err := session.Config{LeaseMin: -1, LeaseMax: -2, IdleAfter: -3}.Validate()
	require.ErrorContains(t, err, "LeaseMin")
	require.ErrorContains(t, err, "LeaseMax")
	require.ErrorContains(t, err, "IdleAfter")
	require.ErrorContains(t, session.Config{LeaseMin: sec, LeaseMax: sec}.Validate(), "KeepAliveRate")
	require.ErrorContains(t, session.Config{LeaseMin: 1, LeaseMax: sec, KeepAliveRate: 1}.Validate(), "LeaseMin")
	require.ErrorContains(t, session.Config{LeaseMin: sec, LeaseMax: time.Hour, KeepAliveRate: 1}.Validate(), "LeaseMax")
}

func TestASessionIsOpenedOnce(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 2, "ann")
	breaks(t, "I-M1", func() { b.Recover(b.now, 2, "ann") })
}

// A session whose end the log did not take, and that has no KeepAlive waiting, is put aside: sessions that
// are due later do not wait for it, and nothing is due at once.
func TestWhatTheLogDidNotEndIsPutAside(t *testing.T) {
	for _, comes := range []bool{false, true} {
		b := newBook(t, config())
		b.Open(b.now, 2, "ann")
		b.to(6 * sec)
		b.Open(b.now, 3, "ann")
		b.to(12 * sec)
		require.Equal(t, session.Expiry{Session: 2}, b.next())
		b.Refused(2)
		require.Nil(t, b.next(), "the log is full")
		require.Equal(t, time.Unix(1018, 0), b.Due(), "that of the other")
		if comes {
			b.park(2, 1, true)
			require.Equal(t, 12*sec, b.told().Lease, "its client is there")
			b.Retry()
			require.Nil(t, b.next())
			continue
		}
		b.Retry()
		require.Equal(t, session.Expiry{Session: 2}, b.next())
		b.Retry()
		require.Nil(t, b.next(), "once")
	}
}
