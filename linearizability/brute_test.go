package linearizability

import (
	"fmt"
	"slices"
)

// bruteForce tries every order of a small history, and every subset of the
// operations of unknown outcome, on the toy store. It returns an order that
// explains the history, or false. Situations already found hopeless are
// remembered: what has stood, and the state.
func bruteForce(h *History[KVInput, KVOutput]) ([]int, bool) {
	b := brute{ops: h.Operations(), hopeless: map[string]bool{}}
	ok := b.search(0, toyStore{})
	return b.order, ok
}

type brute struct {
	ops      []Operation[KVInput, KVOutput]
	order    []int
	hopeless map[string]bool
}

func (b *brute) search(stood uint64, s toyStore) bool {
	if b.complete(stood) {
		return true
	}
	key := fmt.Sprint(stood, map[string]string(s))
	if b.hopeless[key] {
		return false
	}
	for i := range b.ops {
		if b.mayStand(stood, i) {
			next := toyStore{}
			for k, v := range s {
				next[k] = v
			}
			got := next.do(b.ops[i].Input)
			if !b.gave(i, got) {
				continue
			}
			b.order = append(b.order, i)
			if b.search(stood|1<<i, next) {
				return true
			}
			b.order = b.order[:len(b.order)-1]
		}
	}
	b.hopeless[key] = true
	return false
}

func (b *brute) complete(stood uint64) bool {
	for i := range b.ops {
		if b.ops[i].Outcome == OutcomeOK && stood&(1<<i) == 0 {
			return false
		}
	}
	return true
}

func (b *brute) mayStand(stood uint64, i int) bool {
	if stood&(1<<i) != 0 || b.ops[i].Outcome == OutcomeFailed {
		return false
	}
	for j := range b.ops {
		if b.ops[j].Outcome == OutcomeOK && stood&(1<<j) == 0 && b.ops[j].Return < b.ops[i].Call {
			return false
		}
	}
	return true
}

func (b *brute) gave(i int, got KVOutput) bool {
	op := &b.ops[i]
	if op.Outcome == OutcomeUnknown {
		return true
	}
	switch want := op.Output; op.Input.Op {
	case OpGet:
		return got.Found == want.Found && (!got.Found || got.Value == want.Value)
	case OpDelete:
		return got.Found == want.Found
	case OpCAS:
		return got.OK == want.OK && (got.OK || got.Found == want.Found && (!got.Found || got.Value == want.Value))
	case OpList:
		return slices.Equal(got.Pairs, want.Pairs)
	}
	return true
}
