package nodeops

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/cache"
)

// deletion is a change that waits at a barrier for so many holders of a shared lock. They have the sessions from 10 on.
func deletion(t testing.TB, holders int) (*barrier, *change) {
	b := newBarrier(cache.DefaultLimits)
	p, err := api.ParsePath("/f")
	require.NoError(t, err)
	x := b.enter(changeKey{Change: cache.Change{Session: 1, Seq: 1}}, []api.Path{p})
	for i := range holders {
		s := api.SessionID(10 + i)
		x.take(api.Acquisition(s), lost{s, b.caches.DropLocks(time.Unix(1, 0), s, p)})
	}
	require.Empty(t, b.wait(time.Unix(1, 0), x))
	return &b, x
}

// A deletion waits for each holder that was told of it, whatever the order in which they acknowledge it or end.
func TestADeletionWaitsForEachHolder(t *testing.T) {
	for _, order := range [][]api.SessionID{{10, 11, 12}, {12, 11, 10}, {11, 10, 12}} {
		b, x := deletion(t, 3)
		for i, s := range order {
			require.True(t, x.takes(api.Acquisition(s)))
			require.False(t, b.isClear(x))
			if i%2 == 0 {
				b.note(b.caches.Ack(s, 1))
			} else {
				b.note(b.caches.EndSession(s))
			}
			require.Equal(t, i == len(order)-1, b.next() == x)
		}
		require.True(t, x.takes(11), "a holder is not told again")
	}
}

// Thousands of clients share a lock whose file is deleted. Each op is the acknowledgement of one.
func BenchmarkHoldersAcknowledgeADeletion(b *testing.B) {
	const holders = 10_000
	w, _ := deletion(b, holders)
	s := api.SessionID(10)
	for b.Loop() {
		if s == 10+holders {
			b.StopTimer()
			w, _ = deletion(b, holders)
			s = 10
			b.StartTimer()
		}
		w.note(w.caches.Ack(s, 1))
		w.next()
		s++
	}
}
