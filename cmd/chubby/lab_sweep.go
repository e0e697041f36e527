package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/sweep"
	"github.com/chubbycell/chubby/sim/lab/systems"
)

// labSweepFlags are the flags of `chubby lab sweep`.
type labSweepFlags struct {
	labSeeds
	csv, svg string
}

// labSweep is the JSON form of `chubby lab sweep`.
type labSweep struct {
	Sweep       string             `json:"sweep"`
	Event       string             `json:"event"`
	Axis        string             `json:"axis"`
	From        uint64             `json:"from"`
	Seeds       uint64             `json:"seeds"` // asked for, in each place
	Runs        uint64             `json:"runs"`  // that ended
	Points      []experiment.Point `json:"points"`
	Interrupted bool               `json:"interrupted"`
	Exit        int                `json:"exit"`
}

func (a *app) labSweepCommand() *cobra.Command {
	f := &labSweepFlags{}
	c := &cobra.Command{
		Use:   "sweep pause|min-validity [SYSTEM ...]",
		Short: "Measure how likely harm is, by the length of a pause or by a client's margin",
		Long: `Sweep varies one parameter. It runs the same seeds for each system and each value, and
prints in what share of the seeds harm was done. Lengths are in leases of the system (of
10 s, if it has none). A seed draws the same jobs and the same fault for all systems
and values.

  pause         The holder is paused during its work, for 0.5 to 4 leases, while another
                client waits. The holder checks nothing before it writes, and neither does
                the resource. The sweep counts seeds with a lost update. The last two
                columns say where losses begin, and from where on no seed is spared:
                the point of no return.
  min-validity  The holder reads its clock, stands still for a thousandth of a lease to
                two leases (each order of magnitude as often), and then writes, but only
                if more than this part of its lease was left. The sweep counts seeds with
                a stale write, and stale writes among all writes, with 95 % confidence
                intervals. "given up" counts the writes that clients did not send. Only
                for systems whose client knows the end of its lease.

Systems run with the options of their cards (chubby lab). Without names, all systems
that can take part do.

-o json prints one object: sweep, event, axis, from, seeds, runs, points[], interrupted,
exit.

` + labExits + `the runs that ended before are printed`,
		Example: "  chubby lab sweep pause --svg pause.svg\n  chubby lab sweep min-validity setpx --seeds 1000",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 || !slices.Contains(sweep.Names(), args[0]) {
				return cli.Usage("%s takes one of: %s; then, if you like, names of systems", c.CommandPath(), strings.Join(sweep.Names(), ", "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkLabFiles(c); err != nil {
				return err
			}
			return a.labSweep(c.Context(), f, args[0], args[1:])
		},
	}
	c.Flags().StringVar(&f.csv, "csv", "", "write a row for each point to this file, as CSV")
	c.Flags().StringVar(&f.svg, "svg", "", "write a picture, which needs no other file, to this file, as SVG")
	f.register(c, 40)
	return c
}

// labSwept is the sweep with this name, of these systems or of all that can take part.
func labSwept(name string, named []string) (*sweep.Sweep, error) {
	all, err := labNamed(named)
	if err != nil {
		return nil, err
	}
	if name == "pause" {
		return sweep.Pause(all), nil
	}
	var timed []lab.System
	for i := range all {
		switch {
		case all[i].Timed():
			timed = append(timed, all[i])
		case len(named) > 0:
			return nil, cli.Usage("%s: the clients of this system do not know the end of their lease; those of these do: %s", all[i].Name, strings.Join(labTimed(), ", "))
		}
	}
	return sweep.MinValidity(timed), nil
}

// labTimed lists the systems whose clients know the end of their leases.
func labTimed() (names []string) {
	for _, s := range systems.All() {
		if s.Timed() {
			names = append(names, s.Name)
		}
	}
	return names
}

func (a *app) labSweep(ctx context.Context, f *labSweepFlags, name string, named []string) error {
	if err := f.check(); err != nil {
		return err
	}
	s, err := labSwept(name, named)
	if err != nil {
		return err
	}
	files, err := labFilesOf(f)
	if err != nil {
		return err
	}
	r := labSweep{Sweep: s.Name, Event: s.Event, Axis: s.Axis, From: f.from, Seeds: f.seeds}
	t, err := a.labSweepRuns(ctx, f, s, &r)
	if err != nil {
		return cli.Internal(errors.Join(err, files.close()))
	}
	lost := errors.Join(files.write(t, a.build().Short()), files.close())
	r.Points = t.Points()
	if r.Exit = labExit(r.Interrupted, lost); r.Interrupted {
		a.Warn("interrupted: these are the results of the %d runs that ended before", r.Runs)
	}
	if f.form == "json" {
		err = a.Document(sweepSchema, r)
	} else {
		err = a.labSweepTable(s, t, r.Points)
	}
	return labEnd(err, lost, r.Exit)
}

// labSweepRuns runs each seed in every place.
func (a *app) labSweepRuns(ctx context.Context, f *labSweepFlags, s *sweep.Sweep, m *labSweep) (*experiment.Tally, error) {
	type result struct {
		seen sweep.Seen
		err  error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	places := uint64(len(s.Grid))
	t, began, told := experiment.NewTally(s.Experiment), time.Now(), time.Now()
	var failure error
	cli.InOrder(ctx, f.jobs, f.seeds*places, func(i uint64) result {
		x, err := s.Run(int(i%places), f.from+i/places)
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
		t.Count(place, seed, r.seen.Verdict, r.seen.Sums)
		if now := time.Now(); now.Sub(told) >= a.telling {
			told = now
			a.Say("%4.0f s  %d of %d runs", now.Sub(began).Seconds(), m.Runs, f.seeds*places)
		}
	})
	m.Interrupted = failure == nil && m.Runs < f.seeds*places
	return t, failure
}

func (a *app) labSweepTable(s *sweep.Sweep, t *experiment.Tally, points []experiment.Point) error {
	if s.Name != "pause" {
		return t.WriteTable(a.Out)
	}
	if err := a.Printf("%s, in percent; across: %s\n\n", s.Event, s.Axis); err != nil {
		return err
	}
	c := cli.NewColumns(a.Out)
	c.Row("system\t%s\tlosses begin\tno seed is spared\n", labCells(s.Places(), func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }))
	for _, b := range sweep.Bounds(points) {
		var row []float64
		for _, p := range points {
			if p.Series == b.Series {
				row = append(row, 100*p.Share)
			}
		}
		c.Row("%s\t%s\t%s\t%s\n", b.Series, labCells(row, func(x float64) string { return fmt.Sprintf("%.0f", x) }), b.Begin(), b.End())
	}
	return c.End()
}

// labCells are numbers as cells of a row.
func labCells(all []float64, form func(float64) string) string {
	var cells []string
	for _, x := range all {
		cells = append(cells, form(x))
	}
	return strings.Join(cells, "\t")
}

// checkLabFiles refuses --csv and --svg, before anything runs, if they cannot be written or are one file.
func (a *app) checkLabFiles(c *cobra.Command) error {
	for _, name := range []string{"csv", "svg"} {
		if file := c.Flags().Lookup(name); file.Changed {
			if err := a.Writable(name, file.Value.String()); err != nil {
				return err
			}
		}
	}
	x, y := c.Flags().Lookup("csv").Value.String(), c.Flags().Lookup("svg").Value.String()
	if x != "" && (filepath.Clean(x) == filepath.Clean(y) || cli.SameFile(a.Stat(x), a.Stat(y))) {
		return cli.Usage("--svg %s: the same file as --csv %s; name another file", y, x)
	}
	return nil
}

// labExit is the exit code of a measurement; lost is the error of files that it could not write.
func labExit(interrupted bool, lost error) int {
	switch {
	case lost != nil:
		return cli.ExitInternal
	case interrupted:
		return cli.ExitInterrupted
	}
	return cli.ExitClean
}

// labEnd is the error of a measurement that has printed its results, with err.
func labEnd(err, lost error, code int) error {
	if lost != nil {
		lost = cli.Internal(fmt.Errorf("a file is missing or not complete: %w", lost))
	}
	if err := errors.Join(err, lost); err != nil {
		return err
	}
	return cli.Exit(code)
}

// labFiles are the files of a sweep.
type labFiles struct{ csv, svg *os.File }

// labFilesOf opens them before anything runs.
func labFilesOf(f *labSweepFlags) (*labFiles, error) {
	all := &labFiles{}
	for _, x := range []struct {
		flag, name string
		file       **os.File
	}{{"--csv", f.csv, &all.csv}, {"--svg", f.svg, &all.svg}} {
		if x.name == "" {
			continue
		}
		file, err := os.Create(x.name)
		if err != nil {
			return nil, cli.Usage("%s: %v", x.flag, errors.Join(err, all.close()))
		}
		*x.file = file
	}
	return all, nil
}

func (l *labFiles) write(t *experiment.Tally, commit string) error {
	var errs []error
	if l.csv != nil {
		errs = append(errs, t.WriteCSV(l.csv))
	}
	if l.svg != nil {
		errs = append(errs, t.WriteSVG(l.svg, commit))
	}
	return errors.Join(errs...)
}

func (l *labFiles) close() error {
	var errs []error
	for _, file := range []*os.File{l.csv, l.svg} {
		if file != nil {
			errs = append(errs, io.Closer(file).Close())
		}
	}
	return errors.Join(errs...)
}
