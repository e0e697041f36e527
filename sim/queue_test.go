package sim

import (
	"fmt"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/draw"
)

// The queue against a sorted slice, with cancellations.
func TestQueueGivesEventsInOrder(t *testing.T) {
	s := draw.New(1).Stream("queue", 0)
	var q queue
	type want struct {
		at       int64
		tie, seq uint64
		ticket   ticket
	}
	var model []want
	for range 5000 {
		switch {
		case s.Chance(3, 5):
			w := want{at: s.Between(0, 40), tie: s.N(4), seq: q.seq + 1}
			w.ticket = q.push(w.at, w.tie, call(nil), w.seq, nil)
			model = append(model, w)
		case s.Chance(1, 2) && len(model) > 0:
			i := s.Int(len(model))
			q.cancel(model[i].ticket)
			q.cancel(model[i].ticket)
			model = append(model[:i], model[i+1:]...)
		default:
			sort.Slice(model, func(i, j int) bool {
				a, b := model[i], model[j]
				x, y := entry{at: a.at, tie: a.tie, seq: a.seq}, entry{at: b.at, tie: b.tie, seq: b.seq}
				return x.before(&y)
			})
			at, ok := q.peek()
			require.Equal(t, len(model) > 0, ok)
			if !ok {
				continue
			}
			require.Equal(t, model[0].at, at)
			_, ev := q.pop()
			require.Equal(t, model[0].seq, ev.arg)
			q.cancel(model[0].ticket) // too late: it fired
			model = model[1:]
		}
	}
	require.Less(t, len(q.slab), 5000)
}

func TestCanceledEventsDoNotPileUp(t *testing.T) {
	var q queue
	for i := range 100000 {
		q.cancel(q.push(int64(1_000_000-i), 0, call(nil), 0, nil))
	}
	require.Less(t, len(q.heap), 200)
	require.Less(t, len(q.slab), 200)
}

// One event in, one out, while 100 or 10,000 wait.
func BenchmarkQueue(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := draw.New(1).Stream("queue", 0)
			var q queue
			for range n {
				q.push(s.Between(0, 1<<20), s.Uint64(), call(nil), 0, nil)
			}
			b.ReportAllocs()
			for b.Loop() {
				at, _ := q.peek()
				q.pop()
				q.push(at+s.Between(0, 1<<20), s.Uint64(), call(nil), 0, nil)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
