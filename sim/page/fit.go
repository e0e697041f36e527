package page

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Limit is the most bytes of a page.
const Limit = 2_000_000

// rare is the most entries of a kind for which all of them are kept first.
const rare = 300

// weights orders entries by importance: first those that the story tells, breaks, faults and rare kinds; then the
// recent past of the break; then all others. Entries of equal class are ordered by their distance from near.
type weights struct {
	count map[string]int // of entries, by kind
	near  time.Duration  // true time of the break; 0: nothing broke
	broke bool
}

func newWeights(all []entry, broke bool, at time.Duration) *weights {
	w := &weights{count: map[string]int{}, broke: broke, near: at}
	for i := range all {
		w.count[all[i].kind]++
	}
	return w
}

// recent bounds the distance from the break within which its past comes before other entries.
const recent = 10 * time.Second

// of returns the class of an entry, where the lowest is the most important, and its distance from near.
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

// keep returns the n most important entries, in their order.
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

// leftOut says what a page leaves out; "" if nothing.
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
