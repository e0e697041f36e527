package simcmd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/runner"
)

type experimentFlags struct {
	seeds, from uint64
	limit       time.Duration
	jobs        int
	at          []float64
	out         string
	form        cli.Form
}

// measured is the JSON form of `chubby sim experiment`.
type measured struct {
	Experiment  string             `json:"experiment"`
	Event       string             `json:"event"`
	Build       runner.Build       `json:"build"`
	From        uint64             `json:"from"`
	Seeds       uint64             `json:"seeds"` // requested in each place of the grid
	Points      []experiment.Point `json:"points"`
	Others      []experiment.Other `json:"others"` // the first runs that ended for another reason than the event
	Files       []string           `json:"files"`
	Internal    uint64             `json:"internal"` // runs in which the simulator panicked; they have no verdict
	Interrupted bool               `json:"interrupted"`
	Exit        int                `json:"exit"`

	lost error // why files of --out are missing; nil: all are written
}

func (a *app) experimentCommand() *cobra.Command {
	f := &experimentFlags{}
	c := &cobra.Command{
		Use:   "experiment [NAME]",
		Short: "Ask how likely something is, over a grid of parameters",
		Long: `Experiment runs the same seeds in each place of a grid of parameters, and prints
the share of seeds in which an event happened, with 95 % confidence intervals. Without
a name it lists the experiments. A seed that ends for another reason than the event is
run and not judged; the first ten such seeds are named below the table.
Drift judges only S7: clocks that err too much also break promises to clients,
which is noted below the table and does not end the seed.
If an experiment counts more (for instance lost updates), the table also has the sums
over the judged seeds, and the rate of one count in another with a 95 % interval from
resampling seeds, because events of one seed are not independent of each other. The rate
is unknown if no seed has any.

Recovery measures for each client machine the time to its first answer after
healing: from healing, or from its first call on rows after it where none was
under way, until a call on rows of that machine ends with a value, "not found" or
a conflict. A call that ends with its outcome unknown does not end the wait. The
table has quantiles over all clients, with intervals by seed. The column of cells
without faults is the control.

Seeds run one after the other, each at all points of the grid. So a run that is
interrupted, or that --for ends, has about as many seeds at each point.

--out DIR writes NAME.csv (a row for each point), NAME-seeds.csv (a row for each seed, a
column for each point: 1 if the event happened, 0 if not, empty if the seed was not
judged), NAME-sums.csv (sums, if any, for each seed and point), NAME-waits.csv (for
recovery: the wait of each client) and NAME.svg, which names its seeds and commit. Each
run that is named below the table gets a directory for ` + "`chubby sim replay`" + `.

An event is not a failure: the exit code does not depend on the measurements. It is 3 if
some place of the grid has no judged seed.

` + cli.ExitHelp,
		Example: "  chubby sim experiment\n  chubby sim experiment recovery --seeds 1000 --out results",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usage("%s takes one name, %d are there", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				if err := noFlags(a.Name, c); err != nil {
					return err
				}
				return a.listExperiments()
			}
			if err := checkOut(c); err != nil {
				return err
			}
			return experimentRun{a, f}.run(c.Context(), args[0])
		},
	}
	c.Flags().Uint64Var(&f.seeds, "seeds", 100, "seeds in each place of the grid")
	c.Flags().Uint64Var(&f.from, "from", 1, "first seed")
	c.Flags().DurationVar(&f.limit, "for", 0, "real time after which no run starts, such as 5m (0: no limit)")
	c.Flags().IntVar(&f.jobs, "jobs", 0, "runs at a time (0: one per processor)")
	c.Flags().Float64SliceVar(&f.at, "at", nil, "only these places of the axis, such as 1,2 (none: all)")
	c.Flags().StringVar(&f.out, "out", "", "directory for tables and a picture")
	f.form.Register(c)
	c.Flags().SortFlags = false
	c.AddCommand(a.sessionsCommand(), a.cachingCommand())
	return c
}

func (a *app) listExperiments() error {
	t := cli.NewColumns(a.Out)
	for _, e := range a.o.experiments() {
		t.Row("%s\t%s\n", e.Name, e.Help)
	}
	t.Row("%s\t%s\n", "sessions", "very many idle sessions on one master: speed, KeepAlives, memory")
	t.Row("%s\t%s\n", "caching", "what clients ask for, with caches and without, and what a write costs that many have cached")
	return t.End()
}

// noFlags refuses flags without the name of an experiment: a script whose variable is empty would get a list, and code 0.
func noFlags(name string, c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		err = cli.Usage("--%s needs the name of an experiment; `%s sim experiment` lists them", f.Name, name)
	})
	return err
}

// checkOut refuses an empty --out, as from an unset shell variable: the files would be missing when a run has failed.
func checkOut(c *cobra.Command) error {
	if out := c.Flags().Lookup("out"); out.Changed && out.Value.String() == "" {
		return cli.Usage("--out: no directory is named")
	}
	return nil
}

func (f *experimentFlags) check() error {
	if err := f.form.Check(); err != nil {
		return err
	}
	if f.seeds == 0 {
		return cli.Usage("--seeds 0: at least 1")
	}
	if f.limit < 0 {
		return cli.Usage("--for %v: must be at least 0", f.limit)
	}
	if err := cli.CheckJobs(f.jobs); err != nil {
		return err
	}
	if err := cli.CheckRange(f.from, f.seeds); err != nil {
		return err
	}
	if f.out != "" {
		if err := cli.Writable(f.out); err != nil {
			return cli.Usage("--out: %v", err)
		}
	}
	return nil
}

// experimentRun is one run of an experiment.
type experimentRun struct {
	*app
	f *experimentFlags
}

func (a experimentRun) run(ctx context.Context, name string) error {
	all := a.o.experiments()
	i := slices.IndexFunc(all, func(e experiment.Experiment) bool { return e.Name == name })
	if i < 0 {
		return cli.Usage("no experiment %q; `%s sim experiment` lists them", name, a.Name)
	}
	e := all[i]
	if err := a.f.check(); err != nil {
		return err
	}
	if len(a.f.at) > 0 {
		part, ok := e.At(a.f.at)
		if !ok {
			return cli.Usage("--at %v: the places on the axis of %s (%s) are %v", a.f.at, name, e.Axis, e.Places())
		}
		e = part
	}
	if places := uint64(len(e.Grid)); a.f.seeds > math.MaxUint64/places {
		return cli.Usage("--seeds %d: at most %d, each in %d places of the grid", a.f.seeds, math.MaxUint64/places, places)
	}
	m := measured{Experiment: e.Name, Event: e.Event, Build: a.build(), From: a.f.from, Seeds: a.f.seeds, Files: []string{}}
	t := a.measure(ctx, e, &m)
	m.Points, m.Others = t.Points(), t.Others()
	m.Interrupted = ctx.Err() != nil
	if a.f.out != "" {
		m.lost = errors.Join(m.leave(a.f.out, t), a.leaveOthers(e, &m))
	}
	m.Exit = m.code()
	if err := a.print(&m, t); err != nil {
		return err
	}
	return cli.Exit(m.Exit)
}

// measure runs every seed in every place of the grid.
func (a experimentRun) measure(ctx context.Context, e experiment.Experiment, m *measured) *experiment.Tally {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t := experiment.NewTally(e)
	places := uint64(len(e.Grid))
	began, told, done := a.now(), a.now(), uint64(0)
	cli.InOrder(ctx, a.f.jobs, a.f.seeds*places, func(i uint64) cell.Result {
		o := e.Grid[i%places].Options
		o.Seed = a.f.from + i/places
		return runner.Guard(a.simulate)(o)
	}, func(r cell.Result) {
		t.Add(int(done%places), &r)
		done++
		if r.Internal {
			m.Internal++
			a.Warn("internal error: seed %d: %s", r.Seed, r.Breach.Text)
		}
		now := a.now()
		if a.f.limit > 0 && now.Sub(began) >= a.f.limit {
			stop()
		}
		if now.Sub(told) >= every {
			told = now
			a.Say("%4.0f s  %d of %d runs", now.Sub(began).Seconds(), done, a.f.seeds*places)
		}
	})
	return t
}

// leave writes the files of --out.
func (m *measured) leave(dir string, t *experiment.Tally) error {
	for _, file := range t.Files(m.Build.Short()) {
		path := filepath.Join(dir, file.Name)
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		err = file.Write(f)
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			return err
		}
		m.Files = append(m.Files, filepath.ToSlash(path))
	}
	return nil
}

// leaveOthers runs the runs in m.Others again, and writes the files of each.
func (a experimentRun) leaveOthers(e experiment.Experiment, m *measured) error {
	for _, x := range m.Others {
		o := e.Grid[x.Place].Options
		o.Seed = x.Seed
		dir := filepath.Join(a.f.out, fmt.Sprintf("%s-%s-%v-seed-%d", m.Experiment, strings.ReplaceAll(x.Series, " ", "-"), x.X, x.Seed))
		if _, err := runner.WriteArtifacts(dir, m.Build, a.simulate, o); err != nil {
			return err
		}
		m.Files = append(m.Files, filepath.ToSlash(dir))
	}
	return nil
}

func (m *measured) code() int {
	switch {
	case m.Internal > 0 || m.lost != nil:
		return cli.ExitInternal
	case m.Interrupted:
		return cli.ExitInterrupted
	}
	for _, p := range m.Points {
		if p.Judged == 0 {
			return cli.ExitUndecided
		}
	}
	return cli.ExitClean
}

func (a experimentRun) print(m *measured, t *experiment.Tally) error {
	defer explainLost(&a.Streams, m.lost)
	if m.Interrupted {
		a.Warn("interrupted; these are the runs that ended before")
	}
	if m.Exit == cli.ExitUndecided {
		a.Warn("some place of the grid has no seed that says anything")
	}
	if a.f.form == "json" {
		return a.Document(experimentSchema, m)
	}
	if err := t.WriteTable(a.Out); err != nil {
		return cli.Internal(err)
	}
	for _, path := range m.Files {
		a.Say("written %s", path)
	}
	return nil
}
