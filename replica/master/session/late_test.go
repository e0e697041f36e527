package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/master/session"
)

// at returns an instant after the start of the test.
func at(d time.Duration) time.Time { return time.Unix(1000, 0).Add(d) }

// A client that acknowledges nothing holds up a change for one lease (C10.06): its KeepAlives are
// answered, and its lease moves no further than one length after the drop was queued.
func TestAClientThatDropsNothingEndsAfterOneLength(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 7, "ann")
	b.Late(7, at(1*sec), true)
	for i, d := range []time.Duration{2 * sec, 6 * sec, 11 * sec} {
		b.to(d)
		b.park(7, uint64(i+1), true)
		require.Equal(t, 13*sec-d, b.told().Lease)
	}
	b.to(12*sec + 999*time.Millisecond)
	require.Nil(t, b.next())
	b.to(13 * sec)
	b.park(7, 9, true)
	require.Equal(t, session.Expiry{Session: 7}, b.next(), "though it asks")
	b.Refused(7)
	require.Nil(t, b.next(), "nothing is due until the log takes more")
	b.Retry()
	require.Equal(t, session.Expiry{Session: 7}, b.next())
}

func TestAClientThatHasDroppedIsLateNoMore(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 7, "ann")
	b.Late(7, at(1*sec), true)
	b.to(10 * sec)
	b.Late(7, at(9*sec), true) // there is a newer drop
	b.park(7, 1, true)
	require.Equal(t, 11*sec, b.told().Lease)
	b.Late(7, time.Time{}, true)
	b.park(7, 2, true)
	require.Equal(t, 12*sec, b.told().Lease)
	b.Late(8, at(9*sec), true) // no such session
}

// A session that acknowledges its drops while the log does not take its end lives on.
func TestAClientThatDropsInTimeIsAnsweredAgain(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 7, "ann")
	b.Late(7, at(0), true)
	b.to(12 * sec)
	b.park(7, 1, true)
	require.Equal(t, session.Expiry{Session: 7}, b.next())
	b.Refused(7)
	b.Late(7, time.Time{}, true)
	b.park(7, 2, true)
	require.Equal(t, 12*sec, b.told().Lease)
}

// A lease that the client was told of is kept, however long it is (C11.05).
func TestALateClientKeepsTheLeaseThatItWasTold(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 7, "ann")
	b.to(5 * sec)
	b.park(7, 1, true)
	require.Equal(t, 12*sec, b.told().Lease)
	b.Late(7, at(1*sec), true)
	b.to(14 * sec)
	b.park(7, 2, true)
	require.Equal(t, 3*sec, b.told().Lease, "until 17")
	b.to(17 * sec)
	require.Equal(t, session.Expiry{Session: 7}, b.next())
}

// If the master was silent, so that a client was not told of a drop, the client gets one more lease in which
// to acknowledge it.
func TestAClientThatWasNotToldOfADropIsNotLate(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 7, "ann")
	b.Late(7, at(1*sec), false)
	b.to(2 * sec)
	b.park(7, 1, true)
	require.Equal(t, 11*sec, b.told().Lease, "it is told in time")
	b.Late(7, at(1*sec), false) // an older drop, which the client was not told of
	b.to(15 * sec)
	b.park(7, 2, true)
	require.Equal(t, 12*sec, b.told().Lease, "the lease that it was to acknowledge it in is over")
	b.Late(7, at(1*sec), true)
	b.to(20 * sec)
	b.park(7, 3, true)
	require.Equal(t, 7*sec, b.told().Lease, "until 27")
	b.to(27 * sec)
	b.park(7, 4, true)
	require.Equal(t, session.Expiry{Session: 7}, b.next())
}

func TestWhoMayCache(t *testing.T) {
	b := newBook(t, config())
	b.Open(b.now, 7, "ann")
	b.Recover(b.now, 8, "bob")
	require.True(t, b.MayCache(at(11*sec), 7))
	require.False(t, b.MayCache(at(12*sec), 7), "its lease is over")
	require.False(t, b.MayCache(at(0), 8), "it does not know of the epoch")
	b.AckEpoch(8, 5)
	require.True(t, b.MayCache(at(0), 8))
	require.False(t, b.MayCache(at(0), 9), "it is not there")
	cfg := config()
	cfg.LeaseMin = 0
	none := newBook(t, cfg)
	none.Open(none.now, 7, "ann")
	require.False(t, none.MayCache(at(0), 7), "there are no leases")
}
