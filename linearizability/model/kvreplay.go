package model

import (
	"sort"
	"strings"
)

// kvReplayer is the key/value model with one mutable state for all groups.
type kvReplayer struct {
	cells  map[string]*kvCell
	groups map[string][]*kvCell // by group: all its cells, in key order
}

// kvCell is a key that some operation has named, whether or not it exists now.
type kvCell struct {
	key, value string
	found      bool
}

func newKVReplayer() *kvReplayer {
	return &kvReplayer{cells: make(map[string]*kvCell), groups: make(map[string][]*kvCell)}
}

func (r *kvReplayer) Step(in *KVInput, out *KVOutput) bool {
	if in.Op == OpList || in.Op == OpGet {
		return r.answers(in, out)
	}
	c := r.cell(in.Key)
	switch in.Op {
	case OpPut:
		c.set(in.Value)
		return true
	case OpAppend:
		c.set(c.value + in.Value)
		return true
	case OpDelete:
		found := c.found
		c.clear()
		return found == out.Found
	case OpCAS:
		if !in.isExpected(c.value, c.found) {
			return !out.OK && out.hasValue(c.value, c.found)
		}
		c.set(in.Value)
		return out.OK
	}
	return false
}

func (r *kvReplayer) Effect(in *KVInput) bool {
	switch in.Op {
	case OpPut:
		r.cell(in.Key).set(in.Value)
	case OpAppend:
		c := r.cell(in.Key)
		c.set(c.value + in.Value)
	case OpDelete:
		r.cell(in.Key).clear()
	case OpCAS:
		if c := r.cell(in.Key); in.isExpected(c.value, c.found) {
			c.set(in.Value)
		}
	}
	return true
}

func (r *kvReplayer) Peek(in *KVInput, out *KVOutput) bool {
	if in.Op == OpList || in.Op == OpGet {
		return r.answers(in, out)
	}
	c := r.cell(in.Key)
	switch in.Op {
	case OpPut:
		return c.found && c.value == in.Value
	case OpAppend:
		return c.found && in.Value == ""
	case OpDelete:
		return !c.found && !out.Found
	case OpCAS:
		if in.isExpected(c.value, c.found) {
			return out.OK && c.found && c.value == in.Value
		}
		return !out.OK && out.hasValue(c.value, c.found)
	}
	return false
}

// answers reports whether a read gives out.
func (r *kvReplayer) answers(in *KVInput, out *KVOutput) bool {
	if in.Op == OpList {
		return r.sameList(in.Key, out.Pairs)
	}
	c := r.cell(in.Key)
	return out.hasValue(c.value, c.found)
}

func (r *kvReplayer) cell(key string) *kvCell {
	c := r.cells[key]
	if c == nil {
		c = &kvCell{key: key}
		r.cells[key] = c
		r.insert(c)
	}
	return c
}

// insert adds a new cell in the order of its group.
func (r *kvReplayer) insert(c *kvCell) {
	group := KVGroup(c.key)
	cells := r.groups[group]
	i := sort.Search(len(cells), func(i int) bool { return cells[i].key > c.key })
	cells = append(cells, nil)
	copy(cells[i+1:], cells[i:])
	cells[i] = c
	r.groups[group] = cells
}

// sameList compares the existing keys under prefix with pairs.
func (r *kvReplayer) sameList(prefix string, pairs []KVPair) bool {
	cells := r.groups[KVGroup(prefix)]
	i := sort.Search(len(cells), func(i int) bool { return cells[i].key >= prefix })
	for ; i < len(cells) && strings.HasPrefix(cells[i].key, prefix); i++ {
		c := cells[i]
		if !c.found {
			continue
		}
		if len(pairs) == 0 || pairs[0].Value != c.value || pairs[0].Key != c.key {
			return false
		}
		pairs = pairs[1:]
	}
	return len(pairs) == 0
}

func (c *kvCell) set(value string) { c.value, c.found = value, true }

func (c *kvCell) clear() { c.value, c.found = "", false }
