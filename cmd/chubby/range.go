package main

import "math"

// checkRange refuses seeds that do not exist: n from the first on.
func checkRange(from, n uint64) error {
	if n > 0 && n-1 > math.MaxUint64-from {
		return usage("--from %d --seeds %d: the largest seed is %d; lower one of the two", from, n, uint64(math.MaxUint64))
	}
	return nil
}

// checkRange refuses a hunt, or a campaign, that goes on beyond the largest seed.
func (f *mutantFlags) checkRange() error {
	if skipped := uint64(f.starts-1) * stride; f.report != "" && skipped > math.MaxUint64-f.from {
		return usage("--from %d --starts %d: starts are %d seeds apart, and the largest seed is %d; lower one of the two",
			f.from, f.starts, uint64(stride), uint64(math.MaxUint64))
	} else if f.report != "" {
		return checkRange(f.from+skipped, f.seeds)
	}
	return checkRange(f.from, f.seeds)
}

// isLastSeed reports whether this shard has no seed after this one.
func isLastSeed(seed, shards uint64) bool { return seed > math.MaxUint64-max(1, shards) }
