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
	labSeeds
	faults, resources []string
	csv, svg          string
}

// labMatrix is the JSON form of `chubby lab matrix`.
type labMatrix struct {
	From        uint64       `json:"from"`
	Seeds       uint64       `json:"seeds"` // asked for, in each place
	Runs        uint64       `json:"runs"`  // that ended
	Rows        []swarm.Row  `json:"rows"`
	Gaps        []labGap     `json:"gaps"`
	Costs       []swarm.Cost `json:"costs"`
	Interrupted bool         `json:"interrupted"`
	Exit        int          `json:"exit"`
}

// labGap is a place in which nothing runs.
type labGap struct {
	System string `json:"system"`
	Fault  string `json:"fault"`
	Why    string `json:"why"`
}

func (a *app) labMatrixCommand() *cobra.Command {
	f := &labMatrixFlags{}
	var faults strings.Builder
	for _, x := range swarm.Faults() {
		fmt.Fprintf(&faults, "  %-13s %s\n", x.Name, x.Help)
	}
	c := &cobra.Command{
		Use:   "matrix [SYSTEM ...]",
		Short: "Measure how often each system fails under each kind of fault, and what it costs",
		Long: `Matrix runs the same seeds of every system, or of the named ones, under each kind of fault.
The first table has shares of the seeds, with 95 % confidence intervals in brackets:
  two holders           two clients acted as holders at the same time
  lost: no check        an update was lost, with a resource that checks nothing
  write-check           an update was lost, with a resource that refuses a write with a
                        lower token than an accepted write had
  read-and-write check  the same, with a resource that gets the token with reads, too
  holder refused        that last resource refused the latest holder
A dash: the system has no token, or the flags leave that out.

In each run four clients use the lock for three minutes of simulated time. They do not
ask their library whether they still hold it before they write; few programs do. Systems
run with the options of their cards (chubby lab). If one server of a model stands for a
cluster that never fails, server-crash is a row of dashes, with the reason below.

Faults strike at random instants:
` + faults.String() + `
The second table has the costs, with intervals from resampling seeds: the messages
between clients and the service for each grant, including those of waiting; the median
time from a release to the next holder, if a client waited (hand-off); how long the
lock had no holder after its holder crashed; and after how many of these crashes it
never had one again. It needs the kind "none" among the faults, and for the last two
columns client-crash.

--faults and --resources select a part, to run it with more seeds. All systems with 40
seeds take more than a minute of processor time.

-o json prints one object: from, seeds, runs, rows[], gaps[], costs[], interrupted, exit.

` + labExits + `the runs that ended before are printed`,
		Example: "  chubby lab matrix\n  chubby lab matrix setpx chubby --seeds 100 --csv runs.csv\n  chubby lab matrix etcd --faults pause,partition --resources write-check --seeds 1000",
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkLabFiles(c); err != nil {
				return err
			}
			return a.labMatrix(c.Context(), f, args)
		},
	}
	c.Flags().StringSliceVar(&f.faults, "faults", nil, "kinds of fault, separated by commas, of: "+strings.Join(labFaults(), ", ")+" (default: all)")
	c.Flags().StringSliceVar(&f.resources, "resources", nil, "resources, separated by commas, of: "+strings.Join(labResources(), ", ")+" (default: all)")
	c.Flags().StringVar(&f.csv, "csv", "", "write a row for each run to this file, as CSV")
	c.Flags().StringVar(&f.svg, "svg", "", "write a picture of the tables to this file, as SVG")
	f.register(c, 40)
	return c
}

func (f *labMatrixFlags) check() error {
	for _, x := range f.faults {
		if !slices.Contains(labFaults(), x) {
			return cli.Usage("--faults %s: give some of: %s", x, strings.Join(labFaults(), ", "))
		}
	}
	for _, x := range f.resources {
		if !slices.Contains(labResources(), x) {
			return cli.Usage("--resources %s: give some of: %s", x, strings.Join(labResources(), ", "))
		}
	}
	return f.labSeeds.check()
}

// labFaults are the values of --faults.
func labFaults() []string {
	names := []string{swarm.Calm.Name}
	for _, f := range swarm.Faults() {
		names = append(names, f.Name)
	}
	return names
}

// labResources are the values of --resources: names without blanks.
func labResources() (names []string) {
	for _, name := range swarm.Resources() {
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// choice is what the flags choose of the grid.
func (f *labMatrixFlags) choice() swarm.Choice {
	c := swarm.Choice{Faults: f.faults}
	for i, name := range labResources() {
		if slices.Contains(f.resources, name) {
			c.Resources = append(c.Resources, swarm.Resources()[i])
		}
	}
	return c
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
	grid, gaps, err := swarm.Grid(all, f.choice())
	if err != nil {
		return cli.Internal(err)
	}
	if len(grid) == 0 {
		return cli.Usage("--faults and --resources leave nothing to run for %s: the checks need a system with a token, and server-crash needs a model in which a server stands for itself; name another system, or leave out a flag", labNames(all))
	}
	out, err := newLabRows(f.csv)
	if err != nil {
		return cli.Usage("--csv: %v", err)
	}
	picture, err := newLabPicture(f.svg)
	if err != nil {
		return errors.Join(cli.Usage("--svg: %v", err), out.close())
	}
	m := labMatrix{From: f.from, Seeds: f.seeds, Gaps: []labGap{}}
	for _, g := range gaps {
		m.Gaps = append(m.Gaps, labGap(g))
	}
	t, err := a.labMeasure(ctx, f, grid, out, &m)
	if err != nil {
		return cli.Internal(errors.Join(err, out.close()))
	}
	m.Rows, m.Costs = t.Rows(), t.Costs()
	lost := errors.Join(out.close(), picture.draw(&m))
	if m.Exit = labExit(m.Interrupted, lost); m.Interrupted {
		a.Warn("interrupted: these are the results of the %d runs that ended before", m.Runs)
	}
	if f.form == "json" {
		err = a.Document(matrixSchema, m)
	} else {
		err = a.labMatrixTable(&m)
	}
	return labEnd(err, lost, m.Exit)
}

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
		if failure = r.err; failure != nil {
			stop()
			return
		}
		out.row(&grid[place], seed, &r.seen)
		t.Add(place, r.seen)
		if now := time.Now(); now.Sub(told) >= a.telling {
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
	for i, r := range m.Rows {
		t.Row("%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.System, r.Fault, labShare(r.Overlap), labShare(r.Lost), labShare(r.Write), labShare(r.Read), labShare(r.Refused))
		if i+1 < len(m.Rows) && m.Rows[i+1].System == r.System {
			continue
		}
		for _, g := range m.Gaps { // behind the last row of the system
			if g.System == r.System {
				t.Row("%s\t%s\t-\t-\t-\t-\t-\n", g.System, g.Fault)
			}
		}
	}
	if err := t.End(); err != nil {
		return err
	}
	for _, g := range m.Gaps {
		if err := a.Printf("%s: no %s: %s\n", g.System, g.Fault, g.Why); err != nil {
			return err
		}
	}
	if len(m.Costs) == 0 {
		return nil
	}
	if err := a.Printf("\n"); err != nil {
		return err
	}
	t = cli.NewColumns(a.Out)
	t.Row("system\tmessages per lock\thand-off\twithout a holder after its crash\tnever\n")
	for _, c := range m.Costs {
		gap := fmt.Sprintf("%s, at most %.1f s", labEstimate(c.Gap, "%.1f s"), c.Longest)
		if c.Never == c.Crashes {
			gap = "-"
		}
		t.Row("%s\t%s\t%s\t%s\t%d of %d\n", c.System, labEstimate(c.Messages, "%.1f"), labEstimate(c.HandOff, "%.3f s"), gap, c.Never, c.Crashes)
	}
	return t.End()
}

// labShare prints a share in percent with its interval, which decides how many digits make sense.
func labShare(s *experiment.Share) string {
	if s == nil {
		return "-"
	}
	digits := 0
	for width := 100 * (s.High - s.Low); width < 1 && width > 0; width *= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f %% (%.*f to %.*f)", digits, 100*s.Share, digits, 100*s.Low, digits, 100*s.High)
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

// row writes a row. An error is returned by close: a file that cannot be written ends no measurement.
func (r *labRows) row(p *swarm.Place, seed uint64, x *swarm.Seen) {
	if r == nil {
		return
	}
	overlap := "0"
	if x.Overlap {
		overlap = "1"
	}
	_ = r.w.Write([]string{
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

// labPicture is the file of --svg; nil: none is wanted.
type labPicture struct{ file *os.File }

func newLabPicture(name string) (*labPicture, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Create(name)
	return &labPicture{file}, err
}

func (p *labPicture) draw(m *labMatrix) error {
	if p == nil {
		return nil
	}
	size := fmt.Sprintf("%d runs, %d seeds from %d in each place", m.Runs, m.Seeds, m.From)
	return errors.Join(swarm.WriteSVG(p.file, m.Rows, m.Costs, size), p.file.Close())
}
