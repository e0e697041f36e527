package search

import "slices"

// memo remembers configurations from which no order was found: what is placed, and the state.
//
// A configuration is hopeless as well if a hopeless one has the same operations with a return
// placed, the same state, and no other open operation placed than this one has: whatever could
// be done from here could have been done from there.
type memo[S any] struct {
	same    func(a, b S) bool
	all     []config[S]
	words   []uint64 // of all configurations, one behind the other
	exact   index    // by everything
	groups  index    // by all but the open operations: the youngest of each group
	hasOpen bool
}

// config is one configuration. Its words are those that tell its placed operations from
// others with the same low, and then those of the open ones.
type config[S any] struct {
	state       S
	group, open uint64 // hashes
	first       int    // word
	low         int32
	done, spent uint32 // how many words
	older       uint32 // of the same group, plus one
}

// maxOlder bounds how many of a group are compared. It bounds the work, not what is found: an
// equal configuration is found by its hash.
const maxOlder = 24

// configBytes is about what a configuration costs beside its state and words.
const configBytes = 80

func newMemo[S any](same func(a, b S) bool, hasOpen bool) *memo[S] {
	return &memo[S]{same: same, hasOpen: hasOpen}
}

// add remembers a configuration, or reports that it is hopeless. bytes is what it took.
func (m *memo[S]) add(done, open *placed, s S, hash uint64) (added bool, bytes int64) {
	c := config[S]{state: s, group: done.hash ^ mix(hash), open: open.hash, low: int32(done.low), first: len(m.words)}
	window, spent := done.window(), open.upTo()
	c.done, c.spent = uint32(len(window)), uint32(len(spent))
	if m.knows(&c, window, spent) {
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

func (m *memo[S]) knows(c *config[S], window, spent []uint64) bool {
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

// sameGroup reports whether two configurations differ in nothing but open operations.
func (m *memo[S]) sameGroup(o, c *config[S], window []uint64) bool {
	return o.group == c.group && o.low == c.low && int(o.done) == len(window) &&
		slices.Equal(m.words[o.first:o.first+int(o.done)], window) && m.same(o.state, c.state)
}

func (m *memo[S]) spentOf(o *config[S]) []uint64 {
	from := o.first + int(o.done)
	return m.words[from : from+int(o.spent)]
}

// within reports whether all of a are in b.
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

// index finds numbers above 0 by hash: a table with open addresses.
type index struct {
	slots []uint32
	used  int
}

// find is the first number with this hash that is meant, or 0.
func (x *index) find(hash uint64, meant func(i uint32) bool) uint32 {
	if len(x.slots) == 0 {
		return 0
	}
	mask := uint64(len(x.slots) - 1)
	for at := hash & mask; x.slots[at] != 0; at = (at + 1) & mask {
		if meant(x.slots[at]) {
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

// swap puts a number in the place of the one with the same hash, which it returns, if there is
// one.
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
