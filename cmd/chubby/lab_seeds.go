package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/lab"
)

// labSeeds are the flags of commands that run the same seeds of systems in each place of a table.
type labSeeds struct {
	seeds, from uint64
	jobs        int
	form        cli.Form
}

// register adds the flags to a command.
func (f *labSeeds) register(c *cobra.Command, seeds uint64) {
	c.Flags().Uint64Var(&f.seeds, "seeds", seeds, "number of seeds in each place of the table")
	c.Flags().Uint64Var(&f.from, "from", 1, "first seed; the others follow")
	c.Flags().IntVar(&f.jobs, "jobs", 0, "runs at a time; 0: one per processor")
	f.form.Register(c)
	c.Flags().SortFlags = false
}

func (f *labSeeds) check() error {
	if err := f.form.Check(); err != nil {
		return err
	}
	if f.seeds == 0 || f.seeds > 1_000_000 {
		return cli.Usage("--seeds %d: must be 1 to 1000000", f.seeds)
	}
	if err := cli.CheckJobs(f.jobs); err != nil {
		return err
	}
	return cli.CheckRange(f.from, f.seeds)
}

// labEnds are the fields of the JSON of such a table that say whether all of it ran.
type labEnds struct {
	Runs        uint64 `json:"runs"` // that ended
	Interrupted bool   `json:"interrupted"`
	Exit        int    `json:"exit"`
}

// labEnd says that the table was interrupted, if it was, and gives the end of the command.
func (a *app) labEnd(e *labEnds) error {
	if e.Interrupted {
		a.Warn("interrupted: these are the results of the %d runs that ended before", e.Runs)
	}
	return cli.Exit(e.Exit)
}

// labPoint is a place of such a table: a system, and a number of something.
type labPoint struct {
	system *lab.System
	n      int
}

// labPoints runs every seed at every point, and gives the results by point, in the order of seeds.
func labPoints[T any](ctx context.Context, a *app, f *labSeeds, points []labPoint, run func(s *lab.System, n int, seed uint64) (T, error)) ([][]T, labEnds, error) {
	return labPlaces(ctx, a, f, len(points), func(at int, seed uint64) (T, error) { return run(points[at].system, points[at].n, seed) })
}

// labPlaces runs every seed in every place, and gives the results by place, in the order of seeds. A seed runs in
// all places before the next one does, so that after an interrupt no place has more than one seed more than another.
func labPlaces[T any](ctx context.Context, a *app, f *labSeeds, places int, run func(at int, seed uint64) (T, error)) ([][]T, labEnds, error) {
	type result struct {
		seen T
		err  error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all, e, width := make([][]T, places), labEnds{}, uint64(places)
	began := a.now()
	told := began
	var failure error
	cli.InOrder(ctx, f.jobs, f.seeds*width, func(i uint64) result {
		x, err := run(int(i%width), f.from+i/width)
		return result{x, err}
	}, func(r result) {
		at := e.Runs % width
		e.Runs++
		all[at] = append(all[at], r.seen)
		if failure == nil && r.err != nil {
			failure = cli.Internal(r.err)
			stop()
		}
		if now := a.now(); now.Sub(told) >= a.telling {
			told = now
			a.Say("%4.0f s  %d of %d runs", now.Sub(began).Seconds(), e.Runs, f.seeds*width)
		}
	})
	if e.Interrupted = failure == nil && e.Runs < f.seeds*width; e.Interrupted {
		e.Exit = cli.ExitInterrupted
	}
	return all, e, failure
}
