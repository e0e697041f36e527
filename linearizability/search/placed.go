package search

import "math/bits"

// placed is a set of operations as bits, with an incremental hash. During a search, nearly all operations that returned
// long ago are in the set, and nearly none that were called later. So two sets mostly differ only between low and high.
type placed struct {
	words []uint64
	low   int    // the first operation that is not in the set
	high  int    // one more than the last operation in the set
	hash  uint64 // of the operations in the set
	salt  uint64 // distinguishes the hashes of two sets of operations
}

func newPlaced(n int, salt uint64) placed { return placed{words: make([]uint64, n/64+1), salt: salt} }

func (p *placed) has(i int) bool { return p.words[i>>6]>>(i&63)&1 != 0 }

func (p *placed) add(i int) {
	p.words[i>>6] |= 1 << (i & 63)
	p.hash ^= mix(uint64(i) + p.salt)
	p.high = max(p.high, i+1)
	for p.low < p.high && p.has(p.low) {
		p.low++
	}
}

func (p *placed) remove(i int) {
	p.words[i>>6] &^= 1 << (i & 63)
	p.hash ^= mix(uint64(i) + p.salt)
	p.low = min(p.low, i)
	if i+1 < p.high {
		return
	}
	w := i >> 6
	for w > 0 && p.words[w] == 0 {
		w--
	}
	p.high = w<<6 + bits.Len64(p.words[w])
}

// window returns the words from low to high: those that can differ between sets with the same low.
func (p *placed) window() []uint64 {
	if p.high <= p.low {
		return nil
	}
	return p.words[p.low>>6 : (p.high-1)>>6+1]
}

// upTo returns the words up to the last one that is not empty.
func (p *placed) upTo() []uint64 { return p.words[:(p.high+63)>>6] }

// mix is a hash of v: each bit of the result depends on all bits of v.
func mix(v uint64) uint64 {
	v = (v + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}
