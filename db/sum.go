package db

import (
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Sum is the checksum of a set of rows: the sums modulo 2^64 of two hashes of each row. It is
// comparable; the zero Sum is the checksum of no rows. Replicas compare Sums and the stream format
// contains them, so the algorithm never changes.
//
// It detects errors, not attacks: xxhash is not a cryptographic hash.
type Sum struct{ A, B uint64 }

// String returns 32 hexadecimal digits, lane A first.
func (s Sum) String() string { return fmt.Sprintf("%016x%016x", s.A, s.B) }

func (s Sum) plus(t Sum) Sum  { return Sum{s.A + t.A, s.B + t.B} }
func (s Sum) minus(t Sum) Sum { return Sum{s.A - t.A, s.B - t.B} }

// Each lane mixes key hash and value hash in another order and with another constant, so that
// the rows ("a", "b") and ("b", "a") differ, and swapping the values of two rows changes both
// sums.
const (
	laneA = 0x9e3779b97f4a7c15
	laneB = 0xc2b2ae3d27d4eb4f
)

// rowSum hashes key and value separately, so that no two splits of one string collide.
func rowSum(key, value string) Sum {
	k, v := xxhash.Sum64String(key), xxhash.Sum64String(value)
	return Sum{A: mix(k + mix(v^laneA)), B: mix(v + mix(k^laneB))}
}

// mix is the finalizer of SplitMix64. Without it a sum would be linear in the hashes, and two
// rows that swapped their values would cancel out.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
