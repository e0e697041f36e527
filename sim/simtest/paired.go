package simtest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// paired are Worlds that run the same seeds: each seed in all of them, one after the other.
type paired struct {
	t      testing.TB
	flags  flags
	worlds []World
	names  []string // of the worlds, for reports
	suites []*suite
	wrong  func(world int, r *cell.Result) bool // whether a result fails the test

	mu      sync.Mutex
	under   map[uint64][]cell.Result // of seeds that are over, and wait for an earlier one
	results [][]cell.Result          // of seeds in their order, by world
}

// add adds a World. below is the directory of its files.
func (p *paired) add(name string, x World, below string) {
	p.t.Helper()
	s := x.start(p.t, p.flags, x.seed)
	s.below = below
	if p.worlds != nil {
		if y := &p.worlds[0]; x.Seeds != y.Seeds || x.From != y.From || x.Jobs != y.Jobs {
			p.t.Fatalf("simtest: Seeds, From and Jobs are %d, %d and %d for %s, and %d, %d and %d for %s: make them equal, since both run the same seeds",
				y.Seeds, y.From, y.Jobs, p.names[0], x.Seeds, x.From, x.Jobs, name)
		}
	}
	p.worlds, p.names, p.suites = append(p.worlds, x), append(p.names, name), append(p.suites, s)
	if p.flags.trace && p.flags.seed > 0 {
		fmt.Printf("# %s\n", name)
	}
	s.printTrace()
}

// run runs the seeds, until ten have failed the test.
func (p *paired) run() {
	p.t.Helper()
	p.under = map[uint64][]cell.Result{}
	o, most := p.flags.over(p.suites[0].o)
	p.suites[0].fitsDeadline()
	runner.Batch{
		From: o.From, Most: most, For: p.flags.limit, Jobs: o.Jobs, MaxFailures: mostFailures, Runner: p.seed,
		Each: func(r cell.Result) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.results = append(p.results, p.under[r.Seed])
			delete(p.under, r.Seed)
		},
	}.Run(p.t.Context())
	if len(p.results) == 0 && p.t.Context().Err() == nil && p.flags.limit == 0 {
		p.t.Errorf("no seed ran to its end: simulated code ended its goroutine, as t.FailNow, t.Fatal and package require do; report failures there by World.Break, a property or a panic")
	}
}

// seed is a runner.Runner. Its result has failed if that of one of the worlds fails the test.
func (p *paired) seed(o plan.Options) cell.Result {
	out := cell.Result{Seed: o.Seed}
	var of []cell.Result
	for i, s := range p.suites {
		r := runner.Guard(s.run)(o)
		if of = append(of, r); p.wrong(i, &r) {
			out = r
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.under[o.Seed] = of
	return out
}

// tell reports what fails the test, and how often something did.
func (p *paired) tell() (wrong int) {
	p.t.Helper()
	for _, of := range p.results {
		for i := range of {
			if p.wrong(i, &of[i]) {
				wrong++
				p.t.Errorf("%s: %s", p.names[i], p.suites[i].tell(&of[i]))
			}
		}
	}
	return wrong
}

// end logs the table, writes the files of -sim.out, and skips the rest of the test if one seed was asked for.
func (p *paired) end(table func(io.Writer) error, files []experiment.File) {
	p.t.Helper()
	var text strings.Builder
	_ = table(&text) // a Builder never fails
	p.t.Logf("\n%s", text.String())
	if p.flags.out != "" {
		p.write(files)
		for i, s := range p.suites {
			for _, of := range p.results {
				if s.all = append(s.all, hashOf(&of[i])); p.wrong(i, &of[i]) {
					s.failed = append(s.failed, of[i])
				}
			}
			p.worlds[i].leave(s)
		}
	}
	if p.flags.seed > 0 {
		p.t.Skipf("seed %d ran in each world; one seed shows no difference, so the rest of the test is skipped", p.flags.seed)
	}
}

func (p *paired) write(files []experiment.File) {
	p.t.Helper()
	dir := filepath.Join(p.flags.out, filepath.FromSlash(p.t.Name()))
	err := os.MkdirAll(dir, 0o755)
	for _, f := range files {
		var text strings.Builder
		name := filepath.Join(dir, f.Name)
		if err == nil {
			err = f.Write(&text)
		}
		if err == nil {
			err = os.WriteFile(name, []byte(text.String()), 0o644)
		}
		if err != nil {
			p.t.Fatalf("-sim.out: %v", err)
		}
		p.t.Logf("written %s", name)
	}
}
