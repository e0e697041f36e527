package search

import (
	"cmp"
	"slices"
)

// entries is a doubly linked list of the calls and returns of operations that have a return and are not placed, in
// order of their stamps. Node 0 is before the first and after the last one.
type entries struct {
	next, prev []int32
	op         []int32 // of a node
	end        []int32 // of a call: the node of its return; 0: the node is a return
	call       []int32 // of a return: the node of its call
	at         []int64 // stamps
}

func newEntries(ops []Op) *entries {
	var calls, returns []int32
	for i := range ops {
		if !ops[i].Open {
			calls = append(calls, int32(i))
		}
	}
	returns = slices.Clone(calls)
	slices.SortFunc(returns, func(a, b int32) int { return cmp.Compare(ops[a].Return, ops[b].Return) })
	n := 2*len(calls) + 1
	all := make([]int32, 4*n)
	l := &entries{
		next: all[:n:n], prev: all[n : 2*n : 2*n], op: all[2*n : 3*n : 3*n], end: all[3*n:],
		call: make([]int32, n), at: make([]int64, n),
	}
	node := make(map[int32]int32, 64) // calls whose return is not in the list yet
	for k := int32(1); int(k) < n; k++ {
		l.next[k-1], l.prev[k] = k, k-1
		if len(calls) > 0 && ops[calls[0]].Call < ops[returns[0]].Return {
			l.op[k], l.at[k] = calls[0], ops[calls[0]].Call
			node[calls[0]], calls = k, calls[1:]
			continue
		}
		l.op[k], l.at[k] = returns[0], ops[returns[0]].Return
		l.call[k] = node[returns[0]]
		l.end[l.call[k]] = k
		delete(node, returns[0])
		returns = returns[1:]
	}
	l.next[n-1], l.prev[0] = 0, int32(n-1)
	return l
}

// lift removes a call and its return from the list.
func (l *entries) lift(call int32) {
	l.out(call)
	l.out(l.end[call])
}

// unlift undoes a lift. Lifts must be undone in reverse order.
func (l *entries) unlift(call int32) {
	l.in(l.end[call])
	l.in(call)
}

func (l *entries) out(k int32) { l.next[l.prev[k]], l.prev[l.next[k]] = l.next[k], l.prev[k] }

func (l *entries) in(k int32) { l.next[l.prev[k]], l.prev[l.next[k]] = k, k }

// opens is a doubly linked list of the open operations that are not placed, in order of call. Node 0 is before the
// first and after the last one.
type opens struct {
	next, prev []int32
	op         []int32
	at         []int64
}

func newOpens(ops []Op) *opens {
	l := &opens{next: []int32{0}, prev: []int32{0}, op: []int32{-1}, at: []int64{0}}
	for i := range ops {
		if !ops[i].Open {
			continue
		}
		k := int32(len(l.op))
		l.next[k-1] = k
		l.next, l.prev = append(l.next, 0), append(l.prev, k-1)
		l.op, l.at = append(l.op, int32(i)), append(l.at, ops[i].Call)
	}
	l.prev[0] = int32(len(l.op) - 1)
	return l
}

func (l *opens) lift(k int32) { l.next[l.prev[k]], l.prev[l.next[k]] = l.next[k], l.prev[k] }

func (l *opens) unlift(k int32) { l.next[l.prev[k]], l.prev[l.next[k]] = k, k }
