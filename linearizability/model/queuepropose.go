package model

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/chubbycell/chubby/linearizability/history"
)

// queuePropose is the Propose of the model of queues. The order in which values leave shows the order in which they
// entered, which a search would have to guess long before. If no value is enqueued twice and no dequeue has an unknown
// outcome, the order is legal whenever there is a legal one.
//
// The history falls into parts between the instants at which dequeues found the queue empty. In each part a value comes
// before another one if it must have entered or left before it.
func queuePropose(ops []*queueOp, until []int64) []int {
	q := newQueuePasses(ops, until)
	if q.unbound || !q.takeStaying() {
		return nil
	}
	cuts, ok := q.cuts()
	if !ok {
		return nil
	}
	parts := make([][]queuePass, len(cuts)+1)
	for _, p := range slices.Concat(q.left, q.stay) {
		k, _ := slices.BinarySearchFunc(cuts, p.inTo, func(c queueCut, t int64) int { return cmp.Compare(c.after, t) })
		if k > 0 {
			p.inFrom, p.outFrom = max(p.inFrom, cuts[k-1].after), max(p.outFrom, cuts[k-1].after)
		}
		if k < len(cuts) {
			p.inTo, p.outTo = min(p.inTo, cuts[k].after+1), min(p.outTo, cuts[k].after+1)
		}
		parts[k] = append(parts[k], p)
	}
	var order []int
	for k, part := range parts {
		sorted, ok := sortPasses(part)
		if !ok {
			return nil
		}
		order = append(order, mergePasses(sorted)...)
		if k < len(cuts) {
			order = append(order, cuts[k].empty...)
		}
	}
	return order
}

// takeStaying lets dequeues of unknown outcome take the values that have to leave although no completed operation
// dequeued them: since a later value left, or since the queue was empty. It returns false if there are too few.
func (q *queuePasses) takeStaying() bool {
	var limits []span // a value that entered before from must leave before to
	for _, p := range q.left {
		limits = append(limits, span{p.inFrom, p.outTo})
	}
	for _, i := range q.empty {
		limits = append(limits, span{q.ops[i].Call, q.ops[i].Return})
	}
	slices.SortFunc(limits, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := len(limits) - 2; i >= 0; i-- {
		limits[i].to = min(limits[i].to, limits[i+1].to)
	}
	kept := q.stay[:0]
	var leaving []queuePass
	for _, p := range q.stay {
		n, _ := slices.BinarySearchFunc(limits, p.inTo, func(s span, t int64) int { return cmp.Compare(s.from, t) })
		if n == len(limits) {
			kept = append(kept, p)
			continue
		}
		p.outTo = limits[n].to
		leaving = append(leaving, p)
	}
	q.stay = kept
	if len(leaving) > len(q.takers) {
		return false
	}
	slices.SortFunc(leaving, func(a, b queuePass) int { return cmp.Compare(a.outTo, b.outTo) })
	for k, p := range leaving {
		p.out = q.takers[k]
		if p.outFrom = q.ops[p.out].Call; p.outFrom > p.outTo {
			return false
		}
		p.tighten()
		q.left = append(q.left, p)
	}
	return true
}

// queueCut is an instant right after a stamp, at which the queue is empty.
type queueCut struct {
	after int64
	empty []int // the dequeues that find it empty there
}

// cuts returns such an instant for each dequeue that found the queue empty; ok is false if there is none for some.
func (q *queuePasses) cuts() (cuts []queueCut, ok bool) {
	spans := filled(q.left, q.stay)
	at := map[int64][]int{}
	for _, i := range q.empty {
		t := q.ops[i].Call
		if s, full := spanAt(spans, t); full {
			t = s.to
		}
		if t > q.ops[i].Return {
			return nil, false
		}
		at[t] = append(at[t], i)
	}
	for t, empty := range at {
		cuts = append(cuts, queueCut{t, empty})
	}
	slices.SortFunc(cuts, func(a, b queueCut) int { return cmp.Compare(a.after, b.after) })
	return cuts, true
}

// sortPasses sorts values so that none comes after one that must have entered or left later. ok is false if there is no
// such order.
func sortPasses(all []queuePass) (sorted []queuePass, ok bool) {
	byInFrom, byInTo, byOutTo := indexes(len(all)), indexes(len(all)), indexes(len(all))
	slices.SortFunc(byInFrom, func(a, b int) int { return cmp.Compare(all[a].inFrom, all[b].inFrom) })
	slices.SortFunc(byInTo, func(a, b int) int { return cmp.Compare(all[a].inTo, all[b].inTo) })
	slices.SortFunc(byOutTo, func(a, b int) int { return cmp.Compare(all[a].outTo, all[b].outTo) })
	done := make([]bool, len(all))
	first := func(by *[]int) int { // the first that is not done
		for done[(*by)[0]] {
			*by = (*by)[1:]
		}
		return (*by)[0]
	}
	ready := &passHeap{all: all}
	for len(sorted) < len(all) {
		for end := all[first(&byInTo)].inTo; len(byInFrom) > 0 && all[byInFrom[0]].inFrom < end; byInFrom = byInFrom[1:] {
			heap.Push(ready, byInFrom[0])
		}
		if ready.Len() == 0 {
			return nil, false
		}
		next := heap.Pop(ready).(int)
		if end := all[first(&byOutTo)].outTo; end < history.Never && all[next].outFrom > end {
			return nil, false
		}
		done[next] = true
		sorted = append(sorted, all[next])
	}
	return sorted, true
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// passHeap has the values that may come next; the one whose dequeue was called first is on top.
type passHeap struct {
	all   []queuePass
	index []int
}

func (h *passHeap) Len() int { return len(h.index) }
func (h *passHeap) Less(i, j int) bool {
	a, b := &h.all[h.index[i]], &h.all[h.index[j]]
	return cmp.Or(cmp.Compare(a.outFrom, b.outFrom), cmp.Compare(a.in, b.in)) < 0
}
func (h *passHeap) Swap(i, j int) { h.index[i], h.index[j] = h.index[j], h.index[i] }
func (h *passHeap) Push(x any)    { h.index = append(h.index, x.(int)) }
func (h *passHeap) Pop() any {
	last := h.index[len(h.index)-1]
	h.index = h.index[:len(h.index)-1]
	return last
}

// mergePasses lets the values enter, and leave, in the given order, each as early as it can.
func mergePasses(sorted []queuePass) []int {
	type effect struct {
		after int64
		op    int
	}
	var enter, leave []effect
	in, out := int64(-history.Never), int64(-history.Never)
	for _, p := range sorted {
		in = max(in, p.inFrom)
		enter = append(enter, effect{in, p.in})
		if p.out >= 0 {
			out = max(out, p.outFrom, in)
			leave = append(leave, effect{out, p.out})
		}
	}
	all := append(enter, leave...) // stable: at one instant values enter first
	slices.SortStableFunc(all, func(a, b effect) int { return cmp.Compare(a.after, b.after) })
	order := make([]int, len(all))
	for i, e := range all {
		order[i] = e.op
	}
	return order
}
