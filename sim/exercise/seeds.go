package exercise

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chubbycell/chubby/sim"
)

var seed = flag.Uint64("seed", 0, "run this seed alone, and print what happens")

// most is how many seeds are run.
const most = 60

// Seeds runs a world with many seeds and stops at the first that breaks something. It is called
// by the test of an exercise, in the directory of that.
func Seeds(t *testing.T, run func(seed uint64, tr sim.Trace) *sim.Failure) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	from, to, tr := uint64(1), uint64(most), sim.Trace{}
	if *seed > 0 {
		from, to = *seed, *seed
		tr = sim.Trace{W: os.Stdout, Describe: func(_, _ sim.Addr, msg []byte) string { return string(msg) }}
	}
	for s := from; s <= to; s++ {
		if f := run(s, tr); f != nil {
			t.Fatalf("seed %d: %s broke: %s\nsee what happens: go test -tags course ./docs/course/%s -args -seed=%d", s, f.ID, f.Text, filepath.Base(dir), s)
		}
	}
}
