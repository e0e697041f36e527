package simcmd

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/runner"
)

type compareFlags struct {
	seeds, from uint64
	limit       time.Duration
	jobs        int
	both        string
	out         string
	form        cli.Form
}

// comparedSides is the JSON form of `chubby sim compare`.
type comparedSides struct {
	A           sideReport            `json:"a"`
	B           sideReport            `json:"b"`
	Build       runner.Build          `json:"build"` // of this program
	From        uint64                `json:"from"`
	Seeds       uint64                `json:"seeds"` // requested
	Pairs       int                   `json:"pairs"` // seeds that both sides ran
	Whole       int                   `json:"whole"` // pairs in which nothing broke on either side
	Columns     []experiment.Compared `json:"columns"`
	Broken      []brokenSeed          `json:"broken"`
	Files       []string              `json:"files"`
	Interrupted bool                  `json:"interrupted"`
	Exit        int                   `json:"exit"`

	lost   error // why files of --out are missing; nil: all are written
	failed error // why no more seeds were measured; nil: no run of a side failed
}

// sideReport says what a side is.
type sideReport struct {
	Given    string   `json:"given"`
	Program  string   `json:"program"` // "this", or the diff, commit or program
	Settings []string `json:"settings"`
}

// brokenSeed is a seed in which something broke.
type brokenSeed struct {
	experiment.Broken
	Reproduce string `json:"reproduce,omitempty"` // the command that runs it again, for a side of this program
}

func (a *app) compareCommand() *cobra.Command {
	f := &compareFlags{}
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Run the same seeds on two sides, and say in what they differ",
		Long: `Compare runs each seed on two sides. For both it prints how long calls and fail-overs
take, how many messages and events there are, and in how many seeds something broke. It
also prints the difference, with a 95 % interval from swapping the sides in some seeds,
which needs at least six. Two sides that draw the same cells differ only by what was
changed, so a small difference shows after a few seeds.

A side is one of
  key=value,key=value    settings of this program: replicas, clients, duration,
                         faults, workload and judge are the flags of chubby sim;
                         all others are tunables (chubby sim list)
  FILE                   a file of settings, one or more per line, # begins a comment
  this                   this program, with everything drawn from the seed
  FILE.diff              the source tree with this diff (.patch does as well)
  COMMIT                 a commit of the source tree that has this command
  PROGRAM                a program that is already built
Settings may follow a diff, a commit or a program, after a comma.

A seed in which something broke on either side is compared only by violations.
Fail-over is the time from a master's last answer to a client until the first answer
of a later epoch. First answer is a client's first one after healing. Seconds are
simulated time. If programs pause between calls, these pauses are part of fail-overs,
on both sides.

--out DIR writes compare.csv (a row for each seed) and compare.svg.

The exit code is 1 if something broke on a side, and 3 if no seed was clean on both.

` + cli.ExitHelp,
		Example: `  chubby sim compare master-lease=4s master-lease=12s --both replicas=3,faults=crash-leader --seeds 20
  chubby sim compare this sim/mutants/P05.diff --seeds 20
  chubby sim compare HEAD this --seeds 50 --out results`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usage("%s compares two sides, such as replicas=3 replicas=5, or HEAD this; sides given: %d", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkOut(c); err != nil {
				return err
			}
			return compareRun{a, f}.run(c.Context(), args)
		},
	}
	c.Flags().Uint64Var(&f.seeds, "seeds", 100, "seeds on each side")
	c.Flags().Uint64Var(&f.from, "from", 1, "first seed")
	c.Flags().DurationVar(&f.limit, "for", 0, "real time after which no run starts, such as 5m (0: no limit)")
	c.Flags().IntVar(&f.jobs, "jobs", 0, "runs at a time (0: one per processor)")
	c.Flags().StringVar(&f.both, "both", "", "settings of both sides, such as replicas=3,faults=crash")
	c.Flags().StringVar(&f.out, "out", "", "directory for a table of seeds and a picture")
	f.form.Register(c)
	c.Flags().SortFlags = false
	return c
}

func (f *compareFlags) check() error {
	e := experimentFlags{seeds: f.seeds, from: f.from, limit: f.limit, jobs: f.jobs, out: f.out, form: f.form}
	if err := e.check(); err != nil {
		return err
	}
	if f.seeds > math.MaxUint64/2 {
		return cli.Usage("--seeds %d: at most %d", f.seeds, uint64(math.MaxUint64/2))
	}
	return nil
}

// compareRun is one comparison.
type compareRun struct {
	*app
	f *compareFlags
}

func (a compareRun) run(ctx context.Context, args []string) error {
	if err := a.f.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "chubby-compare-")
	if err != nil {
		return cli.Internal(err)
	}
	defer os.RemoveAll(dir)
	var sides [2]side
	for i := range sides {
		if sides[i], err = a.parseSide(args[i], splitSettings(a.f.both)); err != nil {
			return err
		}
	}
	for i := range sides {
		if err := a.buildSide(ctx, &sides[i], filepath.Join(dir, "ab"[i:i+1])); err != nil {
			return err
		}
	}
	c := experiment.NewComparison(args[0], args[1], experiment.CellColumns())
	failed := a.pairs(ctx, sides, c)
	if all, _ := c.Pairs(); failed != nil && all == 0 {
		return failed
	}
	r := comparedSides{
		A: sides[0].report(), B: sides[1].report(), Build: a.build(), From: a.f.from, Seeds: a.f.seeds, Files: []string{},
		Columns: c.Compare(), Broken: a.broken(sides, c), Interrupted: ctx.Err() != nil,
		failed: failed,
	}
	r.Pairs, r.Whole = c.Pairs()
	if a.f.out != "" {
		r.lost = r.leave(a.f.out, c)
	}
	r.Exit = r.code()
	if err := a.print(&r, c); failed == nil || cli.CodeOf(err) == cli.ExitInternal {
		return err
	}
	return failed
}

// pairs runs every seed on both sides. It ends with the first run that cannot be measured, and returns why; c then has
// the seeds before it.
func (a compareRun) pairs(ctx context.Context, sides [2]side, c *experiment.Comparison) error {
	type measured struct {
		experiment.Sample
		err error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	began, told, done := a.now(), a.now(), uint64(0)
	var failed error
	cli.InOrder(ctx, a.f.jobs, 2*a.f.seeds, func(i uint64) measured {
		s, err := a.measure(ctx, &sides[i%2], a.f.from+i/2)
		return measured{s, err}
	}, func(m measured) {
		of := experiment.Side(done % 2)
		done++
		switch {
		case ctx.Err() != nil && m.err != nil:
			return // stop ended this run, too
		case m.err != nil:
			failed = errors.Join(failed, m.err)
			stop()
			return
		}
		c.Add(of, m.Sample)
		now := a.now()
		if a.f.limit > 0 && now.Sub(began) >= a.f.limit {
			stop()
		}
		if now.Sub(told) >= every {
			told = now
			a.Say("%4.0f s  %d of %d runs", now.Sub(began).Seconds(), done, 2*a.f.seeds)
		}
	})
	if failed != nil {
		return cli.Usage("%v", failed)
	}
	return nil
}

func (s *side) report() sideReport {
	r := sideReport{s.given, thisProgram, s.settings}
	if s.what != "" {
		r.Program = s.what
	}
	if r.Settings == nil {
		r.Settings = []string{}
	}
	return r
}

// broken returns the seeds in which something broke. Seeds of this program have the command that runs them again.
func (a compareRun) broken(sides [2]side, c *experiment.Comparison) []brokenSeed {
	all := []brokenSeed{}
	for _, b := range c.Broken() {
		x := brokenSeed{Broken: b}
		if s := &sides[b.Side[0]-'A']; s.program == "" {
			o := s.options
			o.Seed = b.Seed
			x.Reproduce = a.reproduce(o)
		}
		all = append(all, x)
	}
	return all
}

// leave writes the files of --out.
func (r *comparedSides) leave(dir string, c *experiment.Comparison) error {
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{"compare.csv", c.WriteCSV}, {"compare.svg", func(w io.Writer) error { return c.WriteSVG(w, r.Columns, r.Build.Short()) }}} {
		path := filepath.Join(dir, file.name)
		var text strings.Builder
		if err := errors.Join(file.write(&text), os.WriteFile(path, []byte(text.String()), 0o644)); err != nil {
			return err
		}
		r.Files = append(r.Files, filepath.ToSlash(path))
	}
	return nil
}

func (r *comparedSides) code() int {
	code := cli.ExitClean
	switch {
	case r.lost != nil:
		return cli.ExitInternal
	case r.failed != nil:
		return cli.ExitUsage
	}
	for _, b := range r.Broken {
		if b.Property == cell.NoVerdict {
			return cli.ExitInternal
		}
		code = cli.ExitBroken
	}
	switch {
	case r.Interrupted:
		return cli.ExitInterrupted
	case code == cli.ExitClean && r.Whole == 0:
		return cli.ExitUndecided
	}
	return code
}

// what returns the words before a report: what happened.
func what(property string) string {
	switch property {
	case cell.NoVerdict:
		return "" // the report says it
	case cell.Crashed:
		return "crashed: "
	}
	return property + " broke: "
}

// mostTold is how many broken seeds are printed; JSON has all.
const mostTold = 10

func (a compareRun) print(r *comparedSides, c *experiment.Comparison) error {
	defer explainLost(&a.Streams, r.lost)
	if r.Interrupted {
		a.Warn("interrupted; these are the seeds that both sides had run before")
	}
	if a.f.form == "json" {
		if err := a.Document(compareSchema, r); err != nil {
			return err
		}
		return cli.Exit(r.Exit)
	}
	for i := range r.Broken[:min(mostTold, len(r.Broken))] {
		b := &r.Broken[i]
		text, _, _ := strings.Cut(b.Text, "\n")
		if err := a.Printf("%s, seed %d: %s\n", b.Side, b.Seed, what(b.Property)+text); err != nil {
			return err
		}
		if b.Reproduce != "" {
			if err := a.Printf("  reproduce: %s\n", b.Reproduce); err != nil {
				return err
			}
		}
	}
	if more := len(r.Broken) - mostTold; more > 0 {
		if err := a.Printf("and %d more\n", more); err != nil {
			return err
		}
	}
	if len(r.Broken) > 0 {
		if err := a.Printf("\n"); err != nil {
			return err
		}
	}
	if err := c.WriteTable(a.Out, r.Columns); err != nil {
		return cli.Internal(err)
	}
	for _, path := range r.Files {
		a.Say("written %s", path)
	}
	if r.Exit == cli.ExitUndecided {
		a.Warn("no seed was whole on both sides")
	}
	return cli.Exit(r.Exit)
}
