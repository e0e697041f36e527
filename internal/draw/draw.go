// Package draw is pure: keyed random draws.
//
// A single stream of random numbers ties every decision to all decisions before
// it: add one draw and every later one changes, so an edit, a new fault or a
// step of the shrinker would turn one run into an unrelated one. Here a draw is
// a function of what it decides:
//
//	hash(seed, site, entity, counter)
//
// site names the place in the code, entity the node, link or client that decides,
// counter how many decisions that entity made before at that site. A Stream keeps
// the counter.
//
// All arithmetic is on integers: a*b+c on floats has different last bits on
// different targets, and one seed must be one history on all of them.
package draw

import "math/bits"

// Source is the root of all draws under one seed. The zero Source is seed 0.
// Sources are values: copy them freely.
type Source struct{ seed uint64 }

// New returns the source of a seed.
func New(seed uint64) Source { return Source{seed: seed} }

// Seed returns the seed that New was given (or Sub computed).
func (s Source) Seed() uint64 { return s.seed }

// Sub returns a source whose draws are unrelated to those of s: one per part of
// a program, so that parts need not know each other's sites.
func (s Source) Sub(site string, entity uint64) Source {
	return Source{seed: s.At(site, entity, 0)}
}

// At is one draw: uniform over all 64-bit numbers, the same for ever for the
// same four keys.
func (s Source) At(site string, entity, counter uint64) uint64 {
	return mix(key(s.seed, site, entity) + counter*golden)
}

// Stream returns the stream of draws of one entity at one site, at counter 0.
func (s Source) Stream(site string, entity uint64) Stream {
	return Stream{key: key(s.seed, site, entity)}
}

const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio, odd

// key folds what does not change from draw to draw.
func key(seed uint64, site string, entity uint64) uint64 {
	h := uint64(0xcbf29ce484222325) // FNV-1a over the site's name
	for i := 0; i < len(site); i++ {
		h = (h ^ uint64(site[i])) * 0x100000001b3
	}
	return mix(mix(seed+golden)^h) ^ mix(entity*golden+h)
}

// mix is the finalizer of SplitMix64: every bit of the result depends on every
// bit of x.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// reduce maps a 64-bit draw onto [0, n) by its high bits.
func reduce(x, n uint64) uint64 {
	hi, _ := bits.Mul64(x, n)
	return hi
}
