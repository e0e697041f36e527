package events

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/linearizability/history"
	"github.com/chubbycell/chubby/linearizability/model"
)

// HoldClaim is an interval of true time, [From, To), in which a client would have answered that it holds a lock. To is
// Never if the client would still answer so at the end of the run.
type HoldClaim struct {
	Holder   string // a handle of a client
	Path     string // the lock
	Instance uint64
	Shared   bool
	From, To int64 // nanoseconds
}

// CheckHoldClaims finds instants of true time at which two holders claim one lock and at least
// one of them exclusively (property S9), one finding for each such pair of claims. The claims
// may be in any order. Claims of the same holder do not conflict.
func CheckHoldClaims(claims []HoldClaim) []Finding {
	var found findings
	order := make([]int, len(claims))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &claims[i], &claims[j]
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.From, b.From), cmp.Compare(i, j))
	})
	var open []int // earlier claims of this lock that had not ended when the last one began
	for _, i := range order {
		b := &claims[i]
		if b.To < b.From {
			found.add(Unfounded, []int{i}, "a claim that ends before it begins:\n  %s", b.line())
			continue
		}
		open = slices.DeleteFunc(open, func(j int) bool { return claims[j].lock() != b.lock() || claims[j].To <= b.From })
		for _, j := range open {
			if a := &claims[j]; a.canConflict(b) {
				to := min(a.To, b.To)
				found.add(ConflictingClaims, []int{j, i}, "two holders claim %s, in modes that exclude each other, from %s to %s:\n  %s\n  %s",
					b.lock(), history.Seconds(b.From), history.Seconds(to), a.line(), b.line())
			}
		}
		if b.From < b.To {
			open = append(open, i)
		}
	}
	return found
}

func (b *HoldClaim) lock() model.LockName { return model.LockName{Path: b.Path, Instance: b.Instance} }

// canConflict reports whether b and c exclude each other, given that c begins within b.
func (b *HoldClaim) canConflict(c *HoldClaim) bool {
	return b.Holder != c.Holder && !(b.Shared && c.Shared) && c.From < c.To
}

// line describes a claim.
func (b *HoldClaim) line() string {
	return fmt.Sprintf("%s %s from %s to %s", b.Holder, model.LockMode(b.Shared), history.Seconds(b.From), history.Seconds(b.To))
}
