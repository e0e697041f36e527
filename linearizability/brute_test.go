package linearizability

import "fmt"

// bruteState is a state of an independent implementation of a model, for brute force. It is immutable, and gives all
// possible next states.
type bruteState[I, O any] interface {
	// follow returns the states after in gave out; out is nil if it is unknown.
	follow(in I, out *O) []bruteState[I, O]
	key() string
}

// bruteForce tries every order of a small history, and every subset of the
// operations of unknown outcome, from a given state. It returns an order that explains the
// history, or false. It remembers dead ends: the placed operations, and the state.
func bruteForce[I, O any](h *History[I, O], start bruteState[I, O]) ([]int, bool) {
	b := brute[I, O]{ops: h.Operations(), hopeless: map[string]bool{}}
	ok := b.search(0, start)
	return b.order, ok
}

type brute[I, O any] struct {
	ops      []Operation[I, O]
	order    []int
	hopeless map[string]bool
}

func (b *brute[I, O]) search(stood uint64, s bruteState[I, O]) bool {
	if b.complete(stood) {
		return true
	}
	key := fmt.Sprint(stood, s.key())
	if b.hopeless[key] {
		return false
	}
	for i := range b.ops {
		if !b.mayStand(stood, i) {
			continue
		}
		b.order = append(b.order, i)
		for _, next := range b.follow(s, i) {
			if b.search(stood|1<<i, next) {
				return true
			}
		}
		b.order = b.order[:len(b.order)-1]
	}
	b.hopeless[key] = true
	return false
}

func (b *brute[I, O]) follow(s bruteState[I, O], i int) []bruteState[I, O] {
	op := &b.ops[i]
	if op.Outcome == OutcomeUnknown {
		return s.follow(op.Input, nil)
	}
	return s.follow(op.Input, &op.Output)
}

func (b *brute[I, O]) complete(stood uint64) bool {
	for i := range b.ops {
		if b.ops[i].Outcome == OutcomeOK && stood&(1<<i) == 0 {
			return false
		}
	}
	return true
}

func (b *brute[I, O]) mayStand(stood uint64, i int) bool {
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

// explains replays an accepted order and compares every pair of operations with
// real time.
func (b *brute[I, O]) explains(order []int32, start bruteState[I, O]) bool {
	states, stood := []bruteState[I, O]{start}, uint64(0)
	for _, i := range order {
		if !b.mayStand(stood, int(i)) {
			return false
		}
		var next []bruteState[I, O]
		for _, s := range states {
			next = append(next, b.follow(s, int(i))...)
		}
		if len(next) == 0 && b.ops[i].Outcome == OutcomeUnknown {
			next = states // the operation cannot take effect here, so it has no effect
		}
		states, stood = next, stood|1<<i
	}
	return len(states) > 0 && b.complete(stood)
}
