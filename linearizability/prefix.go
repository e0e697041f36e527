package linearizability

import (
	"slices"
	"sort"
)

// cut is what had been seen of some operations right after stamp t: calls after
// it had not been made, and returns after it not seen, so those outcomes were
// unknown. What failed stays failed: it had no effect then either. The
// operations themselves are not changed.
func cut[I, O any](ops []*Operation[I, O], t int64) []*Operation[I, O] {
	var seen []*Operation[I, O]
	for _, op := range ops {
		if op.Call > t {
			break
		}
		if op.Return > t && op.Outcome == OutcomeOK {
			op = forgotten(op)
		}
		seen = append(seen, op)
	}
	return seen
}

// forgotten is an operation whose outcome nobody saw.
func forgotten[I, O any](op *Operation[I, O]) *Operation[I, O] {
	c := *op
	var none O
	c.Outcome, c.Return, c.Output, c.Told = OutcomeUnknown, Never, none, false
	return &c
}

// completions are the completed operations in order of return.
func completions[I, O any](ops []*Operation[I, O]) []*Operation[I, O] {
	var done []*Operation[I, O]
	for _, op := range ops {
		if op.Outcome == OutcomeOK {
			done = append(done, op)
		}
	}
	slices.SortFunc(done, func(a, b *Operation[I, O]) int {
		if a.Return < b.Return {
			return -1
		}
		return 1 // returns are unique
	})
	return done
}

// prefix is the shortest beginning of a partition that has no legal order.
type prefix[I, O any] struct {
	ops         []*Operation[I, O] // what constrains, cut after the culprit's return
	culprit     *Operation[I, O]   // its completion is what no order explains
	completions int                // how many completions the prefix has
	shortest    bool               // every shorter one is known to be legal
}

// shortestPrefix finds it by halving: what begins with an illegal prefix is
// illegal. ops must be illegal within the budget. Where a probe ends undecided
// the search goes on above it, and the answer is illegal but perhaps not the
// shortest.
func shortestPrefix[S, I, O any](m *Model[S, I, O], ops []*Operation[I, O], b Budget) prefix[I, O] {
	done := completions(ops)
	shortest := true
	k := sort.Search(len(done)-1, func(k int) bool {
		v := newSearch(m, cut(ops, done[k].Return), b).run()
		shortest = shortest && v != Undecided
		return v == Illegal
	})
	p := prefix[I, O]{culprit: done[k], completions: k + 1, shortest: shortest}
	p.ops = slices.DeleteFunc(cut(ops, done[k].Return), func(op *Operation[I, O]) bool { return !m.constrains(op) })
	return p
}

// probeBudget is what one of the many small questions of an explanation may
// cost at most.
func probeBudget(b Budget) Budget {
	b = b.orDefault()
	b.Steps = min(b.Steps, 200_000)
	return b
}

// maxProbes bounds the questions asked to find out which operations matter.
const maxProbes = 200

// reduce tells the operations of an illegal prefix that matter from those that
// do not: what stays illegal when the results and returns of some operations
// are forgotten does not stand on them. It returns the prefix with these
// forgotten (reads left out), still illegal. Reads go first: a story of writes
// is told more easily.
func (p *prefix[I, O]) reduce(illegal func([]*Operation[I, O]) bool, readOnly func(I) bool) []*Operation[I, O] {
	r := reducer[I, O]{culprit: p.culprit.ID, illegal: illegal, readOnly: readOnly, probes: maxProbes}
	reads := r.pass(slices.Clone(p.ops), true)
	return r.pass(reads, false)
}

type reducer[I, O any] struct {
	culprit  int64
	illegal  func([]*Operation[I, O]) bool
	readOnly func(I) bool
	probes   int
}

// pass tries to forget halves, then quarters, and so on.
func (r *reducer[I, O]) pass(ops []*Operation[I, O], readsOnly bool) []*Operation[I, O] {
	for chunk := (len(ops) + 1) / 2; chunk > 0; chunk /= 2 {
		for from := 0; from < len(ops) && r.probes > 0; {
			to := min(from+chunk, len(ops))
			left, forgot := r.forget(ops[from:to], readsOnly)
			if !forgot {
				from = to
				continue
			}
			r.probes--
			less := slices.Concat(ops[:from], left, ops[to:])
			if r.illegal(less) {
				ops, to = less, from+len(left)
			}
			from = to
		}
	}
	return ops
}

// forget forgets the outcomes of some operations, but the culprit's.
func (r *reducer[I, O]) forget(ops []*Operation[I, O], readsOnly bool) (left []*Operation[I, O], forgot bool) {
	for _, op := range ops {
		read := r.readOnly(op.Input)
		switch {
		case op.ID == r.culprit || op.Outcome != OutcomeOK || readsOnly && !read:
			left = append(left, op)
		case read:
			forgot = true
		default:
			left, forgot = append(left, forgotten(op)), true
		}
	}
	return left, forgot
}
