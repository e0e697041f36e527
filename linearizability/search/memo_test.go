package search

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// remembered is a configuration in a simple form: two sets and a state.
type remembered struct {
	done, spent map[int]bool
	state       int
}

// makesRedundant reports whether c is redundant after o.
func (o remembered) makesRedundant(c remembered) bool {
	if o.state != c.state || len(o.done) != len(c.done) {
		return false
	}
	for i := range o.done {
		if !c.done[i] {
			return false
		}
	}
	for i := range o.spent {
		if !c.spent[i] {
			return false
		}
	}
	return true
}

// changed returns c with at most one operation more or less in each set, and perhaps another state.
func changed(r *rand.Rand, c remembered, operations int) remembered {
	next := remembered{map[int]bool{}, map[int]bool{}, c.state}
	for i := range c.done {
		next.done[i] = true
	}
	for i := range c.spent {
		next.spent[i] = true
	}
	for _, set := range []map[int]bool{next.done, next.spent} {
		if i := r.IntN(operations); r.IntN(2) > 0 && set[i] {
			delete(set, i)
		} else if r.IntN(2) > 0 {
			set[i] = true
		}
	}
	if r.IntN(4) == 0 {
		next.state = r.IntN(2)
	}
	return next
}

// moveTo changes p to the wanted set by adding and removing operations in random order. All sets get the same hash.
func (p *placed) moveTo(r *rand.Rand, want map[int]bool, operations int) {
	for _, i := range r.Perm(operations) {
		if want[i] && !p.has(i) {
			p.add(i)
		} else if !want[i] && p.has(i) {
			p.remove(i)
		}
	}
	p.hash = 7
}

// The memo does not rely on hashes: even if all are equal, it finds exactly the redundant configurations.
func TestTheMemoDoesNotRelyOnHashes(t *testing.T) {
	const operations = 150
	r := rand.New(rand.NewPCG(3, 4))
	for _, hasOpen := range []bool{false, true} {
		for range 300 {
			m := newMemo(func(a, b int) bool { return a == b }, hasOpen)
			done, spent := newPlaced(operations, 0), newPlaced(operations, 1<<40)
			full := remembered{done: map[int]bool{}, spent: map[int]bool{}}
			for i := range r.IntN(operations) {
				full.done[i] = true
			}
			known := []remembered{full}
			done.moveTo(r, full.done, operations)
			spent.moveTo(r, full.spent, operations)
			added, _ := m.add(&done, &spent, full.state, 0)
			require.True(t, added)
			for range maxOlder - 1 {
				c := changed(r, known[r.IntN(len(known))], operations)
				if !hasOpen {
					c.spent = map[int]bool{}
				}
				redundant := false
				for _, o := range known {
					redundant = redundant || o.makesRedundant(c)
				}
				done.moveTo(r, c.done, operations)
				spent.moveTo(r, c.spent, operations)
				added, _ := m.add(&done, &spent, c.state, 0)
				require.Equal(t, redundant, !added, "%+v in %+v", c, known)
				if added {
					known = append(known, c)
				}
			}
		}
	}
}
