package page

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Limit is the most bytes of a page.
const Limit = 2_000_000

// rare is how many entries of a kind are all kept.
const rare = 300

// weights orders entries by what speaks for them: what the story tells and what is rare first, then
// the past of the break near to it, then the rest by how near it is. Where nothing broke,
// near is the beginning.
type weights struct {
	count map[string]int // of each kind
	near  time.Duration
	broke bool
}

func newWeights(all []entry, broke bool, at time.Duration) *weights {
	w := &weights{count: map[string]int{}, broke: broke, near: at}
	for i := range all {
		w.count[all[i].kind]++
	}
	return w
}

// recent is how long before the break its past is worth more than others' present.
const recent = 10 * time.Second

// of is the class of an entry, the lowest first, and how far it is.
func (w *weights) of(e *entry) (class int, far time.Duration) {
	far = max(e.at-w.near, w.near-e.at)
	switch {
	case e.mark == picked || e.kind == breaks || e.kind == fault || w.count[e.kind] <= rare:
		return 0, far
	case w.broke && e.mark == past && far <= recent:
		return 1, far
	}
	return 2, far
}

// keep leaves the n entries for which most speaks, in their order.
func (w *weights) keep(all []entry, n int) []entry {
	if n >= len(all) {
		return all
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		ci, fi := w.of(&all[i])
		cj, fj := w.of(&all[j])
		return cmp.Or(cmp.Compare(ci, cj), cmp.Compare(fi, fj), cmp.Compare(i, j))
	})
	order = order[:n]
	slices.Sort(order)
	kept := make([]entry, n)
	for k, i := range order {
		kept[k] = all[i]
	}
	return kept
}

// leftOut says what is not on a page; "" if all is.
func (w *weights) leftOut(all, kept []entry) string {
	if len(kept) == len(all) {
		return ""
	}
	where := "those that are farthest from the break"
	if !w.broke {
		where = "the latest"
	}
	return fmt.Sprintf("This page has %d of %d events, so that it stays below %d MB. Of frequent kinds, %s are left out; faults, what is rare and all bars are here. chubby sim --trace prints everything.", len(kept), len(all), Limit/1_000_000, where)
}
