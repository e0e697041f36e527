package lockwait

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// The audit finds each invariant of the queues when it is broken.
func TestTheAuditFindsWhatIsWrong(t *testing.T) {
	n := api.Ref{Instance: 3}
	for name, c := range map[string]struct {
		want string
		do   func(q *Queues, l *queue)
	}{
		"more in lines than there are": {"I-Q1", func(q *Queues, _ *queue) { q.places[api.HandleID{}] = nil }},
		"more than the total":          {"I-Q1", func(q *Queues, _ *queue) { q.limits.Total = 2 }},
		"more than a line may have":    {"I-Q1", func(q *Queues, _ *queue) { q.limits.PerLock = 2 }},
		"in two places":                {"I-Q2", func(_ *Queues, l *queue) { l.places[1] = &place{Waiter: l.places[0].Waiter} }},
		"in another lock's line":       {"I-Q2", func(_ *Queues, l *queue) { l.places[0].Lock.Instance++ }},
		"in no mode":                   {"I-Q2", func(_ *Queues, l *queue) { l.places[0].Mode = 0 }},
		"an empty line":                {"I-Q2", func(q *Queues, _ *queue) { q.queues[api.Ref{Instance: 4}] = &queue{} }},
		"a writer tried with a reader": {"I-Q3", func(_ *Queues, l *queue) { l.places[0].attempted, l.places[1].attempted = true, true }},
		"two writers tried":            {"I-Q3", func(_ *Queues, l *queue) { l.places[0].attempted, l.places[2].attempted = true, true }},
	} {
		t.Run(name, func(t *testing.T) {
			q := New(DefaultLimits)
			for i, m := range []api.Mode{api.Exclusive, api.Shared, api.Exclusive} {
				require.Equal(t, Joined, q.Join(Waiter{Lock: n, Mode: m, Session: 1, Handle: api.HandleID{Epoch: 1, Counter: uint64(i)}, Seq: 1}))
			}
			require.NoError(t, q.Audit())
			c.do(q, q.queues[n])
			require.ErrorContains(t, q.Audit(), c.want)
		})
	}
}
