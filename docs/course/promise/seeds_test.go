//go:build course

package promise

import (
	"flag"
	"os"
	"testing"

	"github.com/chubbycell/chubby/sim"
)

var seed = flag.Uint64("seed", 0, "run this seed alone, and print what happens")

// seeds runs a world with many seeds and stops at the first that breaks something.
func seeds(t *testing.T, run func(seed uint64, tr sim.Trace) *sim.Failure) {
	from, to, tr := uint64(1), uint64(60), sim.Trace{}
	if *seed > 0 {
		from, to = *seed, *seed
		tr = sim.Trace{W: os.Stdout, Describe: func(_, _ sim.Addr, msg []byte) string { return string(msg) }}
	}
	for s := from; s <= to; s++ {
		if f := run(s, tr); f != nil {
			t.Fatalf("seed %d: %s broke: %s\nsee what happens: go test -tags course ./docs/course/promise -args -seed=%d", s, f.ID, f.Text, s)
		}
	}
}
