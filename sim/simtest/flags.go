package simtest

import (
	"flag"
	"time"
)

// flags are the command-line flags; each test sees the same ones.
type flags struct {
	seed, seeds uint64 // 0: not given
	limit       time.Duration
	out         string
	shrink      time.Duration
	trace       bool
	only        selection
}

// selection says which lines of a trace are printed, in the words of chubby sim --trace.
type selection struct {
	kinds         string // separated by commas
	node, about   string
	slot          uint64
	since, before time.Duration
}

// given are the flags of this process.
var given flags

func init() {
	flag.Uint64Var(&given.seed, "sim.seed", 0, "run this seed only (0: all)")
	flag.Uint64Var(&given.seeds, "sim.seeds", 0, "number of seeds of each test (0: what the test asks for)")
	flag.DurationVar(&given.limit, "sim.for", 0, "real time after which each test starts no more seeds, such as 5m (0: no limit)")
	flag.DurationVar(&given.shrink, "sim.shrink", 20*time.Second, "most real time for shrinking a failure (0: do not shrink)")
	flag.BoolVar(&given.trace, "sim.trace", false, "with -sim.seed: print every event")
	flag.StringVar(&given.only.kinds, "sim.kind", "", "with -sim.trace: print only these kinds of lines or messages, such as fault,told,accept")
	flag.StringVar(&given.only.node, "sim.node", "", "with -sim.trace: print only this machine, such as n2 or c1")
	flag.Uint64Var(&given.only.slot, "sim.slot", 0, "with -sim.trace: print lines that name this slot")
	flag.StringVar(&given.only.about, "sim.about", "", "with -sim.trace: print lines with this text, such as a path, and follow its calls and handles")
	flag.DurationVar(&given.only.since, "sim.since", 0, "with -sim.trace: the true time from which to print, such as 3.5s")
	flag.DurationVar(&given.only.before, "sim.before", 0, "with -sim.trace: the true time up to which to print")
	flag.StringVar(&given.out, "sim.out", "", "directory for the files of failing seeds")
}

// over returns the options, overridden by the flags. most is the maximum number of seeds; 0: no
// maximum.
func (f *flags) over(o Options) (_ Options, most uint64) {
	if o.From == 0 {
		o.From = 1
	}
	if o.Seeds == 0 {
		o.Seeds = 20
	}
	switch {
	case f.seed > 0:
		o.From, o.MinCounted = f.seed, 0
		return o, 1
	case f.seeds > 0:
		return o, f.seeds
	case f.limit > 0:
		return o, 0
	}
	return o, o.Seeds
}
