package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/swarm"
	"github.com/chubbycell/chubby/sim/lab/systems"
)

// labMatrixFlags are the flags of `chubby lab matrix`.
type labMatrixFlags struct {
	seeds, from uint64
	jobs        int
	csv         string
	form        cli.Form
}

// labMatrix is the JSON form of `chubby lab matrix`.
type labMatrix struct {
	From        uint64       `json:"from"`
	Seeds       uint64       `json:"seeds"` // asked for, in each place
	Runs        uint64       `json:"runs"`  // that ended
	Rows        []swarm.Row  `json:"rows"`
	Costs       []swarm.Cost `json:"costs"`
	Interrupted bool         `json:"interrupted"`
	Exit        int          `json:"exit"`
}

func (a *app) labMatrixCommand() *cobra.Command {
	f := &labMatrixFlags{}
	var faults strings.Builder
	for _, x := range swarm.Faults() {
		fmt.Fprintf(&faults, "  %-13s %s\n", x.Name, x.Help)
	}
	c := &cobra.Command{
		Use:   "matrix [SYSTEM ...]",
		Short: "Measure all systems under all kinds of faults, and what they cost",
		Long: `Matrix runs the same seeds of every system, or of those that are named, under each
kind of fault, and prints in what share of them two clients acted as holders at
once, and in what share an update was lost: with a resource that checks nothing,
with one that refuses a write with a lower token (write-check), and with one that
reads carry the token to, too (read-and-write check). A dash: the system has no
token. The last column has the seeds in which the last of these resources refused
the latest holder. In brackets is the 95 % confidence interval.

In each run four clients use the lock for three minutes of simulated time. They
do not ask their library before they write, as most programs do not. Systems run
with the options of their cards (chubby lab). Where the one server of a model stands
for a cluster that never fails, there is no server-crash. Faults strike at drawn instants:
` + faults.String() + `
The second table has messages between clients and the service for each grant,
waiting included; the median time from a release to the next holder, where one
waited; and how long the lock had no holder after its holder crashed. Intervals
there are from resampling seeds.

--csv FILE gets a row for each run. -o json prints one object: from, seeds, runs,
rows[], costs[], interrupted, exit. What is measured is no failure: the exit code
does not depend on it.

` + cli.ExitHelp,
		Example: "  chubby lab matrix\n  chubby lab matrix setpx chubby --seeds 100 --csv runs.csv",
		RunE:    func(c *cobra.Command, args []string) error { return a.labMatrix(c.Context(), f, args) },
	}
	c.Flags().Uint64Var(&f.seeds, "seeds", 40, "seeds in each place of the matrix")
	c.Flags().Uint64Var(&f.from, "from", 1, "first seed")
	c.Flags().IntVar(&f.jobs, "jobs", 0, "runs at a time (0: one a processor)")
	c.Flags().StringVar(&f.csv, "csv", "", "file for a row of each run")
	f.form.Register(c)
	c.Flags().SortFlags = false
	return c
}

func (f *labMatrixFlags) check() error {
	if err := f.form.Check(); err != nil {
		return err
	}
	if f.seeds == 0 || f.seeds > 1_000_000 {
		return cli.Usage("--seeds %d: 1 to 1000000", f.seeds)
	}
	if err := cli.CheckJobs(f.jobs); err != nil {
		return err
	}
	return cli.CheckRange(f.from, f.seeds)
}

// labNamed are the systems with these names, or all.
func labNamed(names []string) ([]lab.System, error) {
	if len(names) == 0 {
		return systems.All(), nil
	}
	var all []lab.System
	for _, name := range names {
		s, found := systems.Named(strings.ToLower(name))
		if !found {
			return nil, labUnknown(name)
		}
		if slices.ContainsFunc(all, func(x lab.System) bool { return x.Name == s.Name }) {
			return nil, cli.Usage("%s is named twice", s.Name)
		}
		all = append(all, s)
	}
	return all, nil
}

func (a *app) labMatrix(ctx context.Context, f *labMatrixFlags, names []string) error {
	if err := f.check(); err != nil {
		return err
	}
	all, err := labNamed(names)
	if err != nil {
		return err
	}
	grid, err := swarm.Grid(all)
	if err != nil {
		return cli.Internal(err)
	}
	out, err := newLabRows(f.csv)
	if err != nil {
		return cli.Usage("--csv: %v", err)
	}
	m := labMatrix{From: f.from, Seeds: f.seeds}
	t, err := a.labMeasure(ctx, f, grid, out, &m)
	if err := errors.Join(err, out.close()); err != nil {
		return cli.Internal(err)
	}
	m.Rows, m.Costs = t.Rows(), t.Costs()
	if m.Interrupted {
		m.Exit = cli.ExitInterrupted
		a.Warn("interrupted; these are the %d runs that ended before", m.Runs)
	}
	if f.form == "json" {
		err = a.JSON(m)
	} else {
		err = a.labMatrixTable(&m)
	}
	if err != nil {
		return err
	}
	return cli.Exit(m.Exit)
}

// labTelling is how often progress is told of.
const labTelling = 10 * time.Second

// labMeasure runs each seed in every place of the grid.
func (a *app) labMeasure(ctx context.Context, f *labMatrixFlags, grid []swarm.Place, out *labRows, m *labMatrix) (*swarm.Table, error) {
	type result struct {
		seen swarm.Seen
		err  error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	places := uint64(len(grid))
	t, began, told := swarm.NewTable(grid), time.Now(), time.Now()
	var failure error
	cli.InOrder(ctx, f.jobs, f.seeds*places, func(i uint64) result {
		x, err := grid[i%places].Run(f.from + i/places)
		return result{x, err}
	}, func(r result) {
		place, seed := int(m.Runs%places), f.from+m.Runs/places
		if m.Runs++; failure != nil {
			return
		}
		if failure = r.err; failure == nil {
			failure = out.row(&grid[place], seed, &r.seen)
		}
		if failure != nil {
			stop()
			return
		}
		t.Add(place, r.seen)
		if now := time.Now(); now.Sub(told) >= labTelling {
			told = now
			a.Say("%4.0f s  %d of %d runs", now.Sub(began).Seconds(), m.Runs, f.seeds*places)
		}
	})
	m.Interrupted = failure == nil && m.Runs < f.seeds*places
	return t, failure
}

func (a *app) labMatrixTable(m *labMatrix) error {
	t := cli.NewColumns(a.Out)
	t.Row("system\tfault\ttwo holders\tlost: no check\twrite-check\tread-and-write check\tholder refused\n")
	for _, r := range m.Rows {
		t.Row("%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.System, r.Fault, labShare(&r.Overlap), labShare(&r.Lost), labShare(r.Write), labShare(r.Read), labShare(r.Refused))
	}
	if err := t.End(); err != nil {
		return err
	}
	if err := a.Printf("\n"); err != nil {
		return err
	}
	t = cli.NewColumns(a.Out)
	t.Row("system\tmessages a lock\thand-off\twithout a holder after its crash\tnever\n")
	for _, c := range m.Costs {
		gap := fmt.Sprintf("%s, at most %.1f s", labEstimate(c.Gap, "%.1f s"), c.Longest)
		if c.Never == c.Crashes {
			gap = "-"
		}
		t.Row("%s\t%s\t%s\t%s\t%d of %d\n", c.System, labEstimate(c.Messages, "%.1f"), labEstimate(c.HandOff, "%.3f s"), gap, c.Never, c.Crashes)
	}
	return t.End()
}

// labShare prints a share in percent with its interval.
func labShare(s *experiment.Share) string {
	if s == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*s.Share, 100*s.Low, 100*s.High)
}

func labEstimate(e experiment.Estimate, format string) string {
	s := fmt.Sprintf(format, e.Value)
	if len(e.Interval) == 2 {
		s += fmt.Sprintf(" ("+strings.TrimSuffix(format, " s")+" to "+strings.TrimSuffix(format, " s")+")", e.Interval[0], e.Interval[1])
	}
	return s
}

// labRows is the file of --csv; nil: none is wanted.
type labRows struct {
	file *os.File
	w    *csv.Writer
}

func newLabRows(name string) (*labRows, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	r := &labRows{file, csv.NewWriter(file)}
	return r, r.w.Write([]string{"system", "fault", "resource", "seed", "two_holders", "updates", "lost", "refused", "holds", "messages"})
}

func (r *labRows) row(p *swarm.Place, seed uint64, x *swarm.Seen) error {
	if r == nil {
		return nil
	}
	overlap := "0"
	if x.Overlap {
		overlap = "1"
	}
	return r.w.Write([]string{
		p.System.Name, p.Fault.Name, p.Guard.Name, strconv.FormatUint(seed, 10), overlap, strconv.Itoa(x.Updates), strconv.Itoa(x.Lost),
		strconv.Itoa(x.Refused), strconv.Itoa(x.Holds), strconv.FormatUint(x.Messages, 10),
	})
}

func (r *labRows) close() error {
	if r == nil {
		return nil
	}
	r.w.Flush()
	return errors.Join(r.w.Error(), r.file.Close())
}
