package search

import "slices"

// memo remembers the configurations that the search has entered. A configuration is the set of placed operations and the
// state.
//
// A configuration is redundant if an earlier one has the same state, the same operations with a return placed, and no
// open operation placed that this one does not have placed. Whatever can be placed from here could be placed from
// there, too, so the search finds no order from here that it does not find from there.
//
// Configurations form a group if they differ only in their open operations.
type memo[S any] struct {
	same    func(a, b S) bool
	all     []config[S]
	words   []uint64 // words of all configurations, one after the other
	exact   index    // configurations by the hash of all
	groups  index    // the youngest configuration of each group, by the hash of the group
	hasOpen bool     // there are open operations
}

// config is one configuration. It has words of its two sets: first those words of the set of operations with a return
// that can differ between sets with the same low, then those of the set of open operations.
type config[S any] struct {
	state       S
	group, open uint64 // hashes of the group, and of the placed open operations
	first       int    // index of its first word
	low         int32  // see placed
	done, spent uint32 // number of words of each set
	older       uint32 // the next older configuration of the group, plus one; 0: none
}

// maxOlder bounds how many configurations of a group are compared. In a larger group the memo finds only equal
// configurations, by their hash, and may miss others that make a configuration redundant.
const maxOlder = 24

// configBytes is approximately what a configuration costs in addition to its state and words.
const configBytes = 80

func newMemo[S any](same func(a, b S) bool, hasOpen bool) *memo[S] {
	return &memo[S]{same: same, hasOpen: hasOpen}
}

// add remembers a configuration, unless it is redundant; added reports that. bytes is the memory that it took.
func (m *memo[S]) add(done, open *placed, s S, hash uint64) (added bool, bytes int64) {
	c := config[S]{state: s, group: done.hash ^ mix(hash), open: open.hash, low: int32(done.low), first: len(m.words)}
	window, spent := done.window(), open.upTo()
	c.done, c.spent = uint32(len(window)), uint32(len(spent))
	if m.makesRedundant(&c, window, spent) {
		return false, 0
	}
	m.words = append(append(m.words, window...), spent...)
	m.all = append(m.all, c)
	at := uint32(len(m.all))
	m.exact.put(c.group^c.open, at, func(i uint32) uint64 { return m.all[i-1].group ^ m.all[i-1].open })
	if m.hasOpen {
		m.all[at-1].older = m.groups.swap(c.group, at, func(i uint32) uint64 { return m.all[i-1].group })
	}
	return true, configBytes + 8*int64(len(window)+len(spent))
}

// makesRedundant reports whether a remembered configuration makes c redundant. window and spent are the words of c.
func (m *memo[S]) makesRedundant(c *config[S], window, spent []uint64) bool {
	if m.hasOpen {
		n := 0
		for i := m.groups.find(c.group, func(i uint32) bool { return m.all[i-1].group == c.group }); i != 0; i = m.all[i-1].older {
			if n++; n > maxOlder {
				break
			}
			if o := &m.all[i-1]; m.sameGroup(o, c, window) && within(m.spentOf(o), spent) {
				return true
			}
		}
		if n <= maxOlder {
			return false
		}
	}
	found := m.exact.find(c.group^c.open, func(i uint32) bool {
		o := &m.all[i-1]
		return o.open == c.open && m.sameGroup(o, c, window) && slices.Equal(m.spentOf(o), spent)
	})
	return found != 0
}

// sameGroup reports whether two configurations are of one group. window has the first words of c.
func (m *memo[S]) sameGroup(o, c *config[S], window []uint64) bool {
	return o.group == c.group && o.low == c.low && int(o.done) == len(window) &&
		slices.Equal(m.words[o.first:o.first+int(o.done)], window) && m.same(o.state, c.state)
}

func (m *memo[S]) spentOf(o *config[S]) []uint64 {
	from := o.first + int(o.done)
	return m.words[from : from+int(o.spent)]
}

// within reports whether set a is a subset of set b.
func within(a, b []uint64) bool {
	if len(a) > len(b) {
		return false
	}
	for i := range a {
		if a[i]&^b[i] != 0 {
			return false
		}
	}
	return true
}

// index finds numbers above 0 by their hash. It is a hash table with open addressing.
type index struct {
	slots []uint32
	used  int
}

// find returns the first number in the chain of this hash for which is returns true, or 0.
func (x *index) find(hash uint64, is func(i uint32) bool) uint32 {
	if len(x.slots) == 0 {
		return 0
	}
	mask := uint64(len(x.slots) - 1)
	for at := hash & mask; x.slots[at] != 0; at = (at + 1) & mask {
		if is(x.slots[at]) {
			return x.slots[at]
		}
	}
	return 0
}

// put adds a number.
func (x *index) put(hash uint64, i uint32, hashOf func(i uint32) uint64) {
	if 4*(x.used+1) > 3*len(x.slots) {
		x.grow(hashOf)
	}
	mask := uint64(len(x.slots) - 1)
	at := hash & mask
	for x.slots[at] != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = i
	x.used++
}

// swap replaces the number with the same hash by i, and returns the replaced number; 0: there was none, and i was added.
func (x *index) swap(hash uint64, i uint32, hashOf func(i uint32) uint64) (old uint32) {
	if len(x.slots) > 0 {
		mask := uint64(len(x.slots) - 1)
		for at := hash & mask; x.slots[at] != 0; at = (at + 1) & mask {
			if hashOf(x.slots[at]) == hash {
				old, x.slots[at] = x.slots[at], i
				return old
			}
		}
	}
	x.put(hash, i, hashOf)
	return 0
}

func (x *index) grow(hashOf func(i uint32) uint64) {
	old := x.slots
	x.slots, x.used = make([]uint32, max(64, 2*len(old))), 0
	for _, i := range old {
		if i != 0 {
			x.put(hashOf(i), i, hashOf)
		}
	}
}
