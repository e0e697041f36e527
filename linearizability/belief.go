package linearizability

import (
	"cmp"
	"fmt"
	"slices"
)

// Belief is a stretch of true time, from From up to but without To, in which a
// holder would have said that it holds a lock. To is Never if it still does at
// the end.
type Belief struct {
	Holder   string // a handle of a client
	Path     string // the lock
	Instance uint64
	Shared   bool
	From, To int64 // nanoseconds
}

// CheckBeliefs finds instants of true time at which two holders believe to hold
// one lock and at least one of them exclusively (property S9), one finding for
// each such pair of beliefs. The beliefs may come in any order. Those of one
// holder do not conflict.
func CheckBeliefs(beliefs []Belief) []Finding {
	var found findings
	order := make([]int, len(beliefs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &beliefs[i], &beliefs[j]
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.From, b.From), cmp.Compare(i, j))
	})
	var open []int // of this lock, not over when the last began
	for _, i := range order {
		b := &beliefs[i]
		if b.To < b.From {
			found.add(Unfounded, []int{i}, "a belief that ends before it begins:\n  %s", b.line())
			continue
		}
		open = slices.DeleteFunc(open, func(j int) bool { return beliefs[j].lock() != b.lock() || beliefs[j].To <= b.From })
		for _, j := range open {
			if a := &beliefs[j]; a.conflicts(b) {
				to := min(a.To, b.To)
				found.add(ConflictingBeliefs, []int{j, i}, "two believe that they hold %s, in modes that exclude each other, from %s to %s:\n  %s\n  %s",
					b.lock(), seconds(b.From), seconds(to), a.line(), b.line())
			}
		}
		if b.From < b.To {
			open = append(open, i)
		}
	}
	return found
}

func (b *Belief) lock() lockName { return lockName{b.Path, b.Instance} }

// conflicts reports whether a and b exclude each other, given that b begins
// within a.
func (b *Belief) conflicts(c *Belief) bool {
	return b.Holder != c.Holder && !(b.Shared && c.Shared) && c.From < c.To
}

// line is a belief in words.
func (b *Belief) line() string {
	return fmt.Sprintf("%s %s from %s to %s", b.Holder, lockMode(b.Shared), seconds(b.From), seconds(b.To))
}
