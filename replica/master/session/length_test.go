package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/session"
)

// Leases become longer with the number of sessions, in steps, up to a bound
// (C11.08), and never longer than the row says.
func TestTheLengthOfALease(t *testing.T) {
	for _, c := range []struct {
		sessions int
		longest  time.Duration
		want     time.Duration
	}{
		{1, time.Minute, 12 * sec},
		{12, time.Minute, 12 * sec},
		{13, time.Minute, 15 * sec},
		{15, time.Minute, 15 * sec},
		{16, time.Minute, 18 * sec},
		{60, time.Minute, time.Minute},
		{99, time.Minute, time.Minute},
		{99, 17 * sec, 17 * sec},
		{99, 12 * sec, 12 * sec},
	} {
		b := newBook(t, config())
		b.SetLongest(c.longest)
		for id := range api.SessionID(c.sessions) {
			b.Open(b.now, id+1, "ann")
		}
		b.park(1, 1, true)
		require.Equal(t, c.want, b.told().Lease, "%d sessions, longest %v", c.sessions, c.longest)
	}
}

// The row is raised before a longer lease is granted, and one command is enough.
func TestTheLongestLeaseIsRaisedFirst(t *testing.T) {
	b := newBook(t, config())
	require.Zero(t, b.Longest(b.now))
	for id := range api.SessionID(60) {
		b.Open(b.now, id+1, "ann")
	}
	require.Equal(t, time.Minute, b.Longest(b.now))
	b.Asked(time.Minute)
	require.Zero(t, b.Longest(b.now), "it is on its way")
	b.park(1, 1, true)
	require.Equal(t, 12*sec, b.told().Lease, "and not there")
	b.Asked(0)
	require.Equal(t, time.Minute, b.Longest(b.now), "the log did not take it")
	b.SetLongest(time.Minute)
	require.Zero(t, b.Longest(b.now))
	b.park(1, 2, true)
	require.Equal(t, time.Minute, b.told().Lease)
}

// The row is lowered after all longer leases have run out. A long lease that is granted meanwhile postpones
// that, and none is granted while the command is under way.
func TestTheLongestLeaseIsLoweredLast(t *testing.T) {
	b := newBook(t, config())
	b.SetLongest(time.Minute)
	require.Zero(t, b.Longest(b.now), "a predecessor may have granted one")
	require.Equal(t, b.now.Add(time.Minute), b.LongestDue())
	b.to(30 * sec)
	for id := range api.SessionID(20) {
		b.Open(b.now, id+1, "ann") // 21 s
	}
	b.to(60 * sec)
	require.Zero(t, b.Longest(b.now))
	b.to(90*sec - 1)
	require.Zero(t, b.Longest(b.now))
	b.to(90 * sec)
	require.Equal(t, 21*sec, b.Longest(b.now))
	b.Asked(21 * sec)
	for id := range api.SessionID(40) {
		b.Open(b.now, id+100, "ann")
	}
	for e, over := b.next().(session.Expiry); over; e, over = b.next().(session.Expiry) {
		require.Less(t, e.Session, api.SessionID(100))
	}
	b.park(100, 1, true)
	require.Equal(t, 21*sec, b.told().Lease)
	b.SetLongest(21 * sec)
	require.Equal(t, time.Minute, b.Longest(b.now))
}

// A row holds whole milliseconds: if it exceeds the leases by less, it is not lowered.
func TestARowIsNotLoweredToWhatItIs(t *testing.T) {
	for lease, due := range map[time.Duration]bool{12*sec - 1: false, 12*sec - time.Millisecond + 1: false, 12*sec - time.Millisecond: true} {
		cfg := config()
		cfg.LeaseMin = lease
		b := newBook(t, cfg)
		b.SetLongest(12 * sec)
		require.Zero(t, b.Longest(b.now))
		require.Equal(t, due, !b.LongestDue().IsZero(), lease)
		b.to(13 * sec)
		require.Equal(t, due, b.Longest(b.now) > 0, lease)
	}
}
