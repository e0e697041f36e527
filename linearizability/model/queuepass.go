package model

import (
	"cmp"
	"slices"

	"github.com/chubbycell/chubby/linearizability/history"
)

type queueOp = history.Operation[QueueInput, QueueOutput]

// queuePass is the way of one value through a queue. The value enters after the stamp inFrom and before inTo, and leaves
// after outFrom and before outTo.
type queuePass struct {
	in, out        int // indexes of the operations; out is -1 if the value stays
	inFrom, inTo   int64
	outFrom, outTo int64
	shared         bool // several operations enqueue the value
}

// tighten narrows the bounds by the rule that a value enters before it leaves.
func (p *queuePass) tighten() {
	p.inTo = min(p.inTo, p.outTo)
	p.outFrom = max(p.outFrom, p.inFrom)
}

// queuePasses are all values of a history of one queue.
type queuePasses struct {
	ops     []*queueOp
	left    []queuePass // values that a completed operation dequeued
	stay    []queuePass // values that none dequeued
	empty   []int       // completed dequeues that found the queue empty, in order of call
	takers  []int       // dequeues of unknown outcome, in order of call
	unbound bool        // some completed dequeue has no enqueue
}

// newQueuePasses joins enqueues to dequeues, until[i] is the return of ops[i]. If several operations enqueue one value,
// the first of them to be called is joined to the first dequeue to be called, and so on: that is a guess.
func newQueuePasses(ops []*queueOp, until []int64) *queuePasses {
	q := &queuePasses{ops: ops}
	type uses struct{ in, maybe, out []int }
	at, all := map[string]int{}, []uses{}
	of := func(value string) *uses {
		i, ok := at[value]
		if !ok {
			i, all = len(all), append(all, uses{})
			at[value] = i
		}
		return &all[i]
	}
	for i, op := range ops {
		switch in, out := &op.Input, op.Seen(); {
		case in.Op == QueueEnqueue && until[i] == history.Never:
			u := of(in.Value)
			u.maybe = append(u.maybe, i)
		case in.Op == QueueEnqueue:
			u := of(in.Value)
			u.in = append(u.in, i)
		case op.Outcome == history.OutcomeUnknown:
			q.takers = append(q.takers, i)
		case out.Found:
			u := of(out.Value)
			u.out = append(u.out, i)
		default:
			q.empty = append(q.empty, i)
		}
	}
	for _, u := range all {
		shared := len(u.in)+len(u.maybe) > 1
		if lack := len(u.out) - len(u.in); lack > len(u.maybe) {
			q.unbound = true
			continue
		} else if lack > 0 {
			u.in = append(u.in, u.maybe[:lack]...)
			slices.Sort(u.in)
		}
		for k, i := range u.in {
			p := queuePass{in: i, out: -1, inFrom: ops[i].Call, inTo: until[i], outFrom: history.Never, outTo: history.Never, shared: shared}
			if k >= len(u.out) {
				q.stay = append(q.stay, p)
				continue
			}
			p.out = u.out[k]
			p.outFrom, p.outTo = ops[p.out].Call, ops[p.out].Return
			p.tighten()
			q.left = append(q.left, p)
		}
	}
	return q
}

// takersBefore counts the dequeues of unknown outcome that were called before stamp t.
func (q *queuePasses) takersBefore(t int64) int {
	n, _ := slices.BinarySearchFunc(q.takers, t, func(i int, t int64) int { return cmp.Compare(q.ops[i].Call, t) })
	return n
}

// span is the time between two stamps.
type span struct{ from, to int64 }

// filled returns the times, in order, in which the queue certainly holds one of the values: between two of these times
// there is an instant without.
func filled(passes ...[]queuePass) []span {
	var all []span
	for _, p := range slices.Concat(passes...) {
		if p.inTo < p.outFrom {
			all = append(all, span{p.inTo, p.outFrom})
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var merged []span
	for _, s := range all {
		if last := len(merged) - 1; last >= 0 && s.from < merged[last].to {
			merged[last].to = max(merged[last].to, s.to)
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

// spanAt returns the span that contains the instant right after stamp t; ok is false if there is none.
func spanAt(spans []span, t int64) (s span, ok bool) {
	n, exact := slices.BinarySearchFunc(spans, t, func(s span, t int64) int { return cmp.Compare(s.from, t) })
	if exact {
		n++
	}
	if n == 0 || spans[n-1].to <= t {
		return span{}, false
	}
	return spans[n-1], true
}
