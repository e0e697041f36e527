package simcmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

type verifyFlags struct {
	cellFlags
	seeds, from uint64
	jobs        int
	form        cli.Form
}

// verified is the JSON form of `chubby sim verify`.
type verified struct {
	Build       runner.Build    `json:"build"`
	Options     runner.Settings `json:"options"`
	Seeds       uint64          `json:"seeds"` // verified
	Differences []difference    `json:"differences"`
	Hash        string          `json:"hash"` // of all seeds, for comparison with other machines
	Interrupted bool            `json:"interrupted"`
	Exit        int             `json:"exit"`

	took time.Duration
}

// difference is a seed whose two runs were not the same.
type difference struct {
	runner.Verification
	Commit    string `json:"commit,omitempty"` // of this build; "": unknown
	Reproduce string `json:"reproduce"`        // the command that verifies the seed again
}

// text says what differs.
func (d *difference) text() string {
	text := fmt.Sprintf("D1 broke: seed %d gave hash %s, then %s\n", d.Seed, d.First, d.Second)
	if d.Parted == nil {
		return text + "  two more runs gave the same trace: the difference is intermittent, or not in the trace\n"
	}
	return text + fmt.Sprintf("  the traces differ from line %d on:\n  - %s\n  + %s\n", d.Parted.Line, d.Parted.First, d.Parted.Second)
}

func (a *app) verifyCommand() *cobra.Command {
	f := &verifyFlags{}
	c := &cobra.Command{
		Use:   "verify",
		Short: "Run each seed twice and compare the histories",
		Long: `Verify runs each seed twice and compares the trace hashes, which cover all
messages, disk writes, clock readings and results. If they differ, it runs the
seed twice more, side by side, and prints the first event that differs.

The hash of all seeds is the same on every machine, with every number of jobs,
under the race detector or not: compare it across machines.

-o json prints one object, docs/schema/chubby-verify-1.json. -o junit prints the same for
CI systems: a case for each seed.

` + cli.ExitHelp,
		Example: "  chubby sim verify --seeds 1000\n  GOGC=5 GOMAXPROCS=1 chubby sim verify --seeds 30",
		Args:    cli.None(""),
		RunE:    func(c *cobra.Command, _ []string) error { return verifyRun{a, f}.run(c.Context()) },
	}
	c.Flags().Uint64Var(&f.seeds, "seeds", 30, "number of seeds; each runs twice")
	c.Flags().Uint64Var(&f.from, "from", 1, "first seed")
	c.Flags().IntVar(&f.jobs, "jobs", 0, "seeds at a time (0: one per processor)")
	f.cellFlags.register(c)
	f.form.RegisterJudged(c)
	c.Flags().SortFlags = false
	return c
}

// verifyRun is one run of `chubby sim verify`.
type verifyRun struct {
	*app
	f *verifyFlags
}

func (a verifyRun) run(ctx context.Context) error {
	if err := a.f.form.CheckJudged(); err != nil {
		return err
	}
	if a.f.seeds == 0 {
		return cli.Usage("--seeds 0: at least 1")
	}
	if err := cli.CheckJobs(a.f.jobs); err != nil {
		return err
	}
	if err := cli.CheckRange(a.f.from, a.f.seeds); err != nil {
		return err
	}
	o, err := a.f.options(a.o.With)
	if err != nil {
		return err
	}
	v := verified{Build: a.build(), Options: runner.SettingsOf(o), Differences: []difference{}}
	v.Options.Seed = a.f.from
	began := a.now()
	p := a.newProgress(verifying, a.f.seeds, 0)
	var t runner.Tally
	each := func(c runner.Verification) {
		r := cell.Result{Seed: c.Seed, Hash: c.First, Counted: true}
		t.Add(r)
		v.Seeds++
		if !c.Same() {
			o := o
			o.Seed = c.Seed
			v.Differences = append(v.Differences, difference{c, commitOf(v.Build), a.verifyAgain(o)})
			r.Breach = &cell.Breach{ID: "D1"}
		}
		p.seed(&r, v.Seeds)
	}
	cli.InOrder(ctx, a.f.jobs, a.f.seeds, func(i uint64) runner.Verification {
		o := o
		o.Seed = a.f.from + i
		return runner.Verify(a.simulate, o)
	}, each)
	p.finish()
	v.Interrupted = v.Seeds < a.f.seeds
	v.Hash = t.Totals(0).Hash
	v.Exit, v.took = v.code(), a.now().Sub(began)
	if err := a.print(&v); err != nil {
		return err
	}
	return cli.Exit(v.Exit)
}

func (v *verified) code() int {
	for _, d := range v.Differences {
		if d.Internal != "" {
			return cli.ExitInternal
		}
	}
	switch {
	case len(v.Differences) > 0:
		return cli.ExitDiffers
	case v.Interrupted:
		return cli.ExitInterrupted
	}
	return cli.ExitClean
}

func (a verifyRun) print(v *verified) error {
	switch a.f.form {
	case cli.FormJSON:
		return a.Document(verifySchema, v)
	case cli.FormJUnit:
		return a.JUnit(v.junit())
	}
	t := cli.NewTable(a.Out)
	t.Row("seeds              %d, each run twice\n", v.Seeds)
	t.Row("differences        %d\n", len(v.Differences))
	t.Row("hash of all seeds  %s\n", v.Hash)
	for i := range v.Differences {
		d := &v.Differences[i]
		if d.Internal != "" {
			t.Row("\nseed %d: %s\n%s\n", d.Seed, d.Internal, indented(d.Stack))
		} else {
			t.Row("\n%s", d.text())
		}
		if at := atCommit(d.Commit); at != "" {
			t.Row("  %s\n", at)
		}
		t.Row("  %s\n", d.Reproduce)
	}
	return t.End()
}

// verifyAgain returns the command line that verifies a seed again.
func (a *app) verifyAgain(o plan.Options) string {
	return fmt.Sprintf("%s sim verify --seeds 1 --from %d%s", a.o.Run, o.Seed, flagsOf(o))
}
