package simtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// keptSeeds are the failed seeds of one test, each a file in a directory. The next run of the test
// begins with them. They stay when the program is fixed: each costs one run, and finds a returning
// bug at once.
type keptSeeds struct{ dir string }

// keptOf returns the kept seeds of a test below a directory; "": testdata/sim of its package.
func keptOf(t testing.TB, below string) *keptSeeds {
	if below == "" {
		below = filepath.Join("testdata", "sim")
	}
	return &keptSeeds{filepath.Join(below, filepath.FromSlash(t.Name()))}
}

func (k *keptSeeds) file(seed uint64) string {
	return filepath.Join(k.dir, fmt.Sprintf("seed-%d", seed))
}

// keep writes the file of a failed seed, and returns its name.
func (k *keptSeeds) keep(r *cell.Result) (string, error) {
	file := k.file(r.Seed)
	if err := os.MkdirAll(k.dir, 0o755); err != nil {
		return "", err
	}
	return file, os.WriteFile(file, []byte(runner.Verdict(r)+"\n"), 0o644)
}

// again runs the kept seeds in order, and returns those that fail. passed lists the others.
func (k *keptSeeds) again(run runner.Runner, o plan.Options) (failed []cell.Result, passed []string) {
	files, err := os.ReadDir(k.dir)
	if err != nil {
		return nil, nil // none is kept
	}
	var seeds []uint64
	for _, f := range files {
		var seed uint64
		if n, _ := fmt.Sscanf(f.Name(), "seed-%d", &seed); n == 1 {
			seeds = append(seeds, seed)
		}
	}
	slices.Sort(seeds)
	for _, seed := range seeds {
		o.Seed = seed
		if r := runner.Guard(run)(o); r.Failed() {
			failed = append(failed, r)
		} else {
			passed = append(passed, fmt.Sprint(seed))
		}
	}
	return failed, passed
}
