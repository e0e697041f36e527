package cache

import "github.com/chubbycell/chubby/replica/api"

// Hold says that a change of these paths waits, or is under way to the log. Until Release, no answer
// that depends on one of them is cacheable.
func (t *Table) Hold(paths []api.Path) {
	for _, p := range paths {
		t.held[p]++
	}
}

// Release ends one Hold of these paths.
func (t *Table) Release(paths []api.Path) {
	for _, p := range paths {
		if t.held[p]--; t.held[p] == 0 {
			delete(t.held, p)
		}
	}
}

// Holds counts the changes that hold a path.
func (t *Table) Holds(p api.Path) int { return t.held[p] }

func (t *Table) isHeld(paths []api.Path) bool {
	for _, p := range paths {
		if t.held[p] > 0 {
			return true
		}
	}
	return false
}
