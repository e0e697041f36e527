package linearizability

import (
	"slices"
	"sort"
)

// cutAt returns what was known of some operations right after stamp t. Later calls had not been
// made, and later returns had not been received, so those outcomes were unknown. Failed operations
// stay failed, because they had no effect then either. cutAt does not change the operations.
func cutAt[I, O any](ops []*Operation[I, O], t int64) []*Operation[I, O] {
	var seen []*Operation[I, O]
	for _, op := range ops {
		if op.Call > t {
			break
		}
		if op.Return > t && op.Outcome == OutcomeOK {
			op = withUnknownOutcome(op)
		}
		seen = append(seen, op)
	}
	return seen
}

// withUnknownOutcome returns a copy of an operation without its outcome and output.
func withUnknownOutcome[I, O any](op *Operation[I, O]) *Operation[I, O] {
	c := *op
	var none O
	c.Outcome, c.Return, c.Output, c.WitnessOutput = OutcomeUnknown, Never, none, false
	return &c
}

// completions returns the completed operations in order of return.
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
	ops         []*Operation[I, O] // relevant operations, cut after the culprit's return
	culprit     *Operation[I, O]   // the operation whose completion no order explains
	completions int                // how many completions the prefix has
	shortest    bool               // every shorter one is known to be legal
}

// shortestPrefix finds the prefix of an illegal partition. All completions before the one where its
// search got stuck have an order, so the prefix ends there or later. Every extension of an illegal
// prefix is illegal. If a probe ends undecided, the search continues above it, and the result is
// illegal but perhaps not the shortest.
func shortestPrefix[S, I, O any](m *Model[S, I, O], p illegalPartition[S, I, O], b Budget) prefix[I, O] {
	done := completions(p.ops)
	shortest := true
	isIllegal := func(k int) bool {
		v := newSearch(m, cutAt(p.ops, done[k].Return), b.ours()).run()
		shortest = shortest && v != Undecided
		return v == Illegal
	}
	if p.search.refuted {
		return refutedPrefix(m, p, done, b)
	}
	low := min(sort.Search(len(done), func(k int) bool { return done[k].Return >= p.search.stuck }), len(done)-1)
	high := low // illegal, once the loop has ended
	for far := 1; high < len(done)-1 && !isIllegal(high); far *= 2 {
		low, high = high+1, min(high+far, len(done)-1)
	}
	k := low + sort.Search(high-low, func(k int) bool { return isIllegal(low + k) })
	return prefixOf(m, p.ops, done, k, shortest)
}

// prefixOf returns the prefix that ends with completion k.
func prefixOf[S, I, O any](m *Model[S, I, O], ops, done []*Operation[I, O], k int, shortest bool) prefix[I, O] {
	cut := prefix[I, O]{culprit: done[k], completions: k + 1, shortest: shortest}
	cut.ops = slices.DeleteFunc(cutAt(ops, done[k].Return), func(op *Operation[I, O]) bool { return !m.IsRelevant(op) })
	return cut
}

// refutedPrefix returns the shortest prefix in which an operation is refuted, or a shorter one if a
// short search finds it. A prefix of a refuted prefix need not be refuted: a compare-and-set that
// had not failed yet may still have written.
func refutedPrefix[S, I, O any](m *Model[S, I, O], p illegalPartition[S, I, O], done []*Operation[I, O], b Budget) prefix[I, O] {
	k, shortest := sort.Search(len(done)-1, func(k int) bool {
		at, _ := m.Refute(newSearch(m, cutAt(p.ops, done[k].Return), b).ops)
		return at >= 0
	}), true
	isIllegal := func(k int) bool {
		v := newSearch(m, cutAt(p.ops, done[k].Return), probeBudget(b)).run()
		shortest = shortest && v != Undecided
		return v == Illegal
	}
	if k > 0 && isIllegal(k-1) {
		k = sort.Search(k-1, isIllegal)
	}
	return prefixOf(m, p.ops, done, k, shortest)
}

// probeBudget bounds the cost of one of the many small searches of an explanation.
func probeBudget(b Budget) Budget {
	b = b.ours().orDefault()
	b.Steps = min(b.Steps, 200_000)
	return b
}

// maxProbes bounds the searches for the operations that matter.
const maxProbes = 200

// reduce finds out which operations of an illegal prefix matter: if the prefix stays illegal
// without the outcomes of some operations, these do not matter. It returns the prefix without those
// outcomes (and without those reads), still illegal. It tries reads first, because writes alone are
// easier to explain. all reports whether it has tried every operation.
func (p *prefix[I, O]) reduce(illegal func([]*Operation[I, O]) bool, readOnly func(I) bool) (ops []*Operation[I, O], all bool) {
	r := reducer[I, O]{culprit: p.culprit.ID, illegal: illegal, readOnly: readOnly, probes: maxProbes}
	reads := r.pass(slices.Clone(p.ops), true)
	ops = r.pass(reads, false)
	return ops, r.probes > 0
}

type reducer[I, O any] struct {
	culprit  int64
	illegal  func([]*Operation[I, O]) bool
	readOnly func(I) bool
	probes   int
}

// pass tries to remove the outcomes of halves, then quarters, and so on.
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

// forget removes the outcomes of some operations, except the culprit's.
func (r *reducer[I, O]) forget(ops []*Operation[I, O], readsOnly bool) (left []*Operation[I, O], forgot bool) {
	for _, op := range ops {
		read := r.readOnly(op.Input)
		switch {
		case op.ID == r.culprit || op.Outcome != OutcomeOK || readsOnly && !read:
			left = append(left, op)
		case read:
			forgot = true
		default:
			left, forgot = append(left, withUnknownOutcome(op)), true
		}
	}
	return left, forgot
}
