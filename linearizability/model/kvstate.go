package model

import (
	"sort"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// KVState is an immutable state of the key/value model: one group, or one key.
// The zero KVState is empty.
type KVState struct{ rows *kvRows } // one pointer, so it costs nothing to box

// kvRows are sorted rows with the sum of their hashes. Groups are small, so a
// write copies them; the strings are shared.
type kvRows struct {
	sum   uint64
	pairs []KVPair
}

func (s KVState) pairs() []KVPair {
	if s.rows == nil {
		return nil
	}
	return s.rows.pairs
}

// search returns the place of the first row not below key.
func (s KVState) search(key string) int {
	rows := s.pairs()
	return sort.Search(len(rows), func(i int) bool { return rows[i].Key >= key })
}

func (s KVState) get(key string) (string, bool) {
	rows := s.pairs()
	i := s.search(key)
	if i < len(rows) && rows[i].Key == key {
		return rows[i].Value, true
	}
	return "", false
}

func (s KVState) put(key, value string) KVState {
	rows, i, sum := s.pairs(), s.search(key), s.hash()
	above := i // index of the first old row after the new one
	if i < len(rows) && rows[i].Key == key {
		if rows[i].Value == value {
			return s
		}
		sum -= hashPair(rows[i])
		above++
	}
	next := make([]KVPair, i+1+len(rows)-above)
	copy(next, rows[:i])
	next[i] = KVPair{key, value}
	copy(next[i+1:], rows[above:])
	return KVState{&kvRows{sum: sum + hashPair(next[i]), pairs: next}}
}

func (s KVState) remove(key string) KVState {
	rows, i := s.pairs(), s.search(key)
	if i == len(rows) || rows[i].Key != key {
		return s
	}
	if len(rows) == 1 {
		return KVState{}
	}
	next := make([]KVPair, 0, len(rows)-1)
	next = append(append(next, rows[:i]...), rows[i+1:]...)
	return KVState{&kvRows{sum: s.hash() - hashPair(rows[i]), pairs: next}}
}

// list returns the rows that start with prefix, shared with the state.
func (s KVState) list(prefix string) []KVPair {
	rows, from := s.pairs(), s.search(prefix)
	to := from
	for to < len(rows) && strings.HasPrefix(rows[to].Key, prefix) {
		to++
	}
	return rows[from:to:to]
}

func (s KVState) equal(t KVState) bool {
	return s.rows == t.rows || s.hash() == t.hash() && samePairs(s.pairs(), t.pairs())
}

func (s KVState) hash() uint64 {
	if s.rows == nil {
		return 0
	}
	return s.rows.sum
}

// size counts the rows as on a 64-bit machine, so that budgets run out at the
// same step everywhere.
func (s KVState) size() int { return 48 + 32*len(s.pairs()) }

// String lists the rows.
func (s KVState) String() string { return describePairs(s.pairs()) }

// hashPair hashes key and value separately. The hash is mixed so that sums of hashes are good hashes.
func hashPair(p KVPair) uint64 {
	h := xxhash.Sum64String(p.Key)*0x9e3779b97f4a7c15 ^ xxhash.Sum64String(p.Value)
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}
