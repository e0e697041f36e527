package search

import "math/bits"

// placed is a set of operations, as bits, with a hash that is kept up as it changes. Nearly
// all operations that returned long ago are in the set and nearly none that was called later,
// so what tells two sets apart lies between low and high.
type placed struct {
	words []uint64
	low   int // the first operation that is not in the set
	high  int // behind the last one that is
	hash  uint64
	salt  uint64
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

// window are the words that tell the set from others with the same low.
func (p *placed) window() []uint64 {
	if p.high <= p.low {
		return nil
	}
	return p.words[p.low>>6 : (p.high-1)>>6+1]
}

// upTo are the words up to the last one that is not empty.
func (p *placed) upTo() []uint64 { return p.words[:(p.high+63)>>6] }

// mix makes 64 bits of which each depends on all of v.
func mix(v uint64) uint64 {
	v = (v + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}
