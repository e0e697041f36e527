package main

import (
	"math"

	"github.com/chubbycell/chubby/internal/cli"
)

// checkRange refuses a hunt, or a campaign, that goes on beyond the largest seed.
func (f *mutantFlags) checkRange() error {
	if skipped := uint64(f.starts-1) * stride; f.report != "" && skipped > math.MaxUint64-f.from {
		return cli.Usage("--from %d --starts %d: starts are %d seeds apart, and the largest seed is %d; lower one of the two",
			f.from, f.starts, uint64(stride), uint64(math.MaxUint64))
	} else if f.report != "" {
		return cli.CheckRange(f.from+skipped, f.seeds)
	}
	return cli.CheckRange(f.from, f.seeds)
}
