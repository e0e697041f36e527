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

// labPoint is a place of such a table: a system, and a number of something.
type labPoint struct {
	system *lab.System
	n      int
}

// labPoints runs every seed at every point, and gives the results by point, in the order of seeds.
// After an interrupt there are none: a table with fewer seeds in some places would compare
// what is not alike.
func labPoints[T any](ctx context.Context, f *labSeeds, points []labPoint, run func(s *lab.System, n int, seed uint64) (T, error)) ([][]T, error) {
	type result struct {
		seen T
		err  error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all, done, width := make([][]T, len(points)), uint64(0), uint64(len(points))
	var failure error
	cli.InOrder(ctx, f.jobs, f.seeds*width, func(i uint64) result {
		p := &points[i%width]
		x, err := run(p.system, p.n, f.from+i/width)
		return result{x, err}
	}, func(r result) {
		at := done % width
		done++
		all[at] = append(all[at], r.seen)
		if r.err != nil && failure == nil {
			failure = cli.Internal(r.err)
			stop()
		}
	})
	if failure == nil && done < f.seeds*width {
		failure = cli.Interrupted()
	}
	return all, failure
}
