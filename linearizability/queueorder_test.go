package linearizability

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// queueHistories draws small histories of one queue. With distinct, no value is enqueued twice. One of lost calls loses
// its answer; 0: none does. Some dequeues return something else than they got.
type queueHistories struct {
	distinct     bool
	enqueue      int // of 10 calls
	lost, change int // one of so many; 0: none
	clients      int
}

func (q queueHistories) draw(p pick, n int) *History[QueueInput, QueueOutput] {
	type open struct {
		id  int
		in  QueueInput
		out *QueueOutput
	}
	rec, rows, values := NewRecorder[QueueInput, QueueOutput](n), []string(nil), 0
	clients, busy := make([]*open, q.clients), 0
	for rec.Len() < n || busy > 0 {
		c := p(q.clients)
		switch o := clients[c]; {
		case o == nil && rec.Len() < n:
			in := QueueInput{Op: QueueDequeue}
			if p(10) < q.enqueue {
				values++
				if in = (QueueInput{Op: QueueEnqueue, Value: fmt.Sprint(values)}); !q.distinct {
					in.Value = fmt.Sprint(p(3))
				}
			}
			clients[c] = &open{id: rec.Call(int64(c), 0, in), in: in}
			busy++
		case o == nil:
		case o.out == nil:
			var out QueueOutput
			if rows, out = queueAfter(rows, o.in); q.change > 0 && p(q.change) == 0 && o.in.Op == QueueDequeue {
				if out = (QueueOutput{}); p(2) == 0 {
					out = QueueOutput{Found: true, Value: fmt.Sprint(1 + p(max(values, 1)))}
				}
			}
			o.out = &out
		case q.lost > 0 && p(q.lost) == 0:
			rec.Unknown(o.id, 0)
			clients[c] = nil
			busy--
		default:
			rec.OK(o.id, 0, *o.out)
			clients[c] = nil
			busy--
		}
	}
	return rec.History()
}

// The rules that refute, and the order that is proposed, agree with brute force, in histories of all kinds.
func TestQueueRulesAgreeWithForce(t *testing.T) {
	matches := func(in QueueInput, want, got QueueOutput) bool { return in.Op == QueueEnqueue || want == got }
	a := agreement[QueueState, QueueInput, QueueOutput]{
		model: Queue(), start: plain[QueueInput, QueueOutput]{after: queueAfter, matches: matches},
	}
	for name, kind := range map[string]queueHistories{
		"distinct":       {distinct: true, enqueue: 5, change: 6, clients: 3},
		"mostly empty":   {distinct: true, enqueue: 3, change: 6, clients: 3},
		"many clients":   {distinct: true, enqueue: 5, change: 8, clients: 5},
		"lost answers":   {distinct: true, enqueue: 6, lost: 4, change: 6, clients: 4},
		"not changed":    {distinct: true, enqueue: 4, lost: 4, clients: 4},
		"equal values":   {enqueue: 5, lost: 5, change: 6, clients: 3},
		"mostly enqueue": {distinct: true, enqueue: 8, lost: 4, change: 2, clients: 4},
	} {
		verdicts, searched := map[bool]int{}, 0
		for seed := range uint64(400) {
			p := splitMix(seed)
			h := kind.draw(p, 4+p(6))
			legal := a.agree(t, seed, h, false)
			verdicts[legal]++
			if !decidedWithoutSearch(h) {
				searched++
			}
			require.False(t, kind.change == 0 && !legal, "%s, seed %d", name, seed)
		}
		require.Greater(t, verdicts[true], 40, name)
		if kind.change > 0 {
			require.Greater(t, verdicts[false], 40, name)
		}
		if kind.distinct && kind.lost == 0 {
			require.Zero(t, searched, "%s: the rules are complete for distinct values and known outcomes", name)
		}
		require.Less(t, searched, 80, name)
	}
}

func decidedWithoutSearch(h *History[QueueInput, QueueOutput]) bool {
	ops := make([]*Operation[QueueInput, QueueOutput], h.Len())
	for i := range ops {
		ops[i] = &h.Operations()[i]
	}
	s := newSearch(Queue(), ops, Budget{})
	at, _ := s.model.Refute(s.ops)
	return at >= 0 || s.isLegal(s.model.Propose(s.ops, s.until))
}

// Histories of one queue that are too long for a search are decided, with an explanation.
func TestALongHistoryOfAQueueIsDecided(t *testing.T) {
	for seed, kind := range []queueHistories{
		{distinct: true, enqueue: 5, clients: 8},
		{distinct: true, enqueue: 4, clients: 20, lost: 100},
		{distinct: true, enqueue: 6, clients: 20, lost: 50},
	} {
		h := kind.draw(splitMix(uint64(seed)), 5000)
		r, err := CheckHistory(Queue(), h, Options{})
		require.NoError(t, err)
		require.Equal(t, Legal, r.Verdict, r.Text())
		require.LessOrEqual(t, r.Steps, int64(5000))
	}
	h := queueHistories{distinct: true, enqueue: 5, clients: 8}.draw(splitMix(1), 5000)
	ops := append([]Operation[QueueInput, QueueOutput](nil), h.Operations()...)
	var taken []*Operation[QueueInput, QueueOutput]
	for i := range ops {
		if ops[i].Output.Found {
			taken = append(taken, &ops[i])
		}
	}
	a, b := taken[len(taken)/2], taken[len(taken)/2+50]
	a.Output, b.Output = b.Output, a.Output
	bad, err := NewHistory(ops)
	require.NoError(t, err)
	r, err := CheckHistory(Queue(), bad, Options{})
	require.NoError(t, err)
	require.Equal(t, Illegal, r.Verdict)
	require.NotEmpty(t, r.Explanation.Text)
}

// A refuted dequeue is explained in words.
func TestWhatRefutesAQueueIsTold(t *testing.T) {
	type op = Operation[QueueInput, QueueOutput]
	enqueue := func(call, back int64, v string) op {
		return op{Client: call, Call: call, Return: back, Outcome: OutcomeOK, Input: QueueInput{Op: QueueEnqueue, Value: v}}
	}
	dequeue := func(call, back int64, v string) op {
		return op{Client: call, Call: call, Return: back, Outcome: OutcomeOK, Input: QueueInput{Op: QueueDequeue}, Output: QueueOutput{Found: v != "", Value: v}}
	}
	lost := func(call int64, in QueueInput) op {
		return op{Client: call, Call: call, Return: Never, Outcome: OutcomeUnknown, Input: in}
	}
	a, b, c := enqueue(1, 2, "a"), enqueue(3, 4, "b"), enqueue(5, 6, "c")
	taker := func(call int64) op { return lost(call, QueueInput{Op: QueueDequeue}) }
	for _, x := range []struct {
		ops  []op
		says string // "": legal
	}{
		{[]op{a, dequeue(7, 8, "b")}, `Nothing had enqueued "b" when it returned.`},
		{[]op{a, dequeue(7, 8, "b"), enqueue(9, 10, "b")}, `Nothing had enqueued "b" when it returned.`},
		{[]op{a, dequeue(7, 8, "b"), lost(5, QueueInput{Op: QueueEnqueue, Value: "b"})}, `"a" entered the queue before "b", and nothing dequeued it.`},
		{[]op{a, dequeue(7, 8, "a"), dequeue(9, 10, "a")}, `When it returned, "a" had been dequeued 2 times, and enqueued at most 1 times.`},
		{[]op{a, b, dequeue(7, 8, "b"), dequeue(9, 10, "a")}, `"a" entered the queue before "b", and left after it.`},
		{[]op{a, b, c, dequeue(9, 10, "c"), taker(7), taker(8)}, ""},
		{[]op{a, b, c, dequeue(8, 9, "c"), taker(7)}, `"b" entered the queue before "c", and nothing dequeued it.`},
		{[]op{a, dequeue(7, 8, "")}, "At each instant of this call the queue held a value"},
		{[]op{enqueue(1, 3, "a"), enqueue(2, 5, "b"), dequeue(4, 9, ""), dequeue(6, 10, "a"), dequeue(8, 11, "b")}, ""},
		{[]op{enqueue(1, 2, "a"), enqueue(3, 5, "b"), dequeue(4, 8, ""), dequeue(6, 9, "a"), dequeue(10, 11, "b")}, "At each instant of this call"},
		{[]op{a, dequeue(7, 8, ""), taker(3)}, ""},
	} {
		for i := range x.ops {
			x.ops[i].ID = int64(i)
		}
		h, err := NewHistory(x.ops)
		require.NoError(t, err)
		r, err := CheckHistory(Queue(), h, Options{})
		require.NoError(t, err)
		if x.says == "" {
			require.Equal(t, Legal, r.Verdict, r.Text())
			continue
		}
		require.Equal(t, Illegal, r.Verdict)
		require.Contains(t, r.Explanation.Text, x.says)
	}
}
