package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/mutants"
	"github.com/chubbycell/chubby/sim/plan"
)

type mutantFlags struct {
	list  bool
	repo  string
	from  uint64
	seeds uint64
	limit time.Duration
	cpu   time.Duration
	jobs  int
	form  cli.Form

	faults string
	report string // file; "": none is written
	starts int
	versus string
	sample int
	fresh  bool
	onward bool
	date   string

	asked func(flag string) bool // whether it was given
}

// hunted is the JSON form of `chubby sim mutants`.
type hunted struct {
	From        uint64          `json:"from"`
	Mutants     []mutants.Catch `json:"mutants"`
	Wrong       int             `json:"wrong"` // A bugs not caught, controls caught, bugs that do not build
	Interrupted bool            `json:"interrupted"`
	Exit        int             `json:"exit"`
}

func (a *app) mutantsCommand() *cobra.Command {
	f := &mutantFlags{}
	c := &cobra.Command{
		Use:   "mutants [ID...]",
		Short: "Plant known bugs and see whether the simulator finds them",
		Long: `Mutants builds the program once for each planted bug of sim/mutants (all, or
those named), with the bug in it; it does not change the source tree. It runs chubby sim
with that program and the default swarm until a numbered property or invariant breaks. For
each bug it prints whether it was caught, by which property, and after how many seeds and
seconds. A panic without a number is counted separately and does not catch the bug; neither
does a seed that also breaks something without the bug. Controls change nothing that matters
and must survive.

With --report FILE it runs a campaign: each bug is hunted from several starts
with different seeds, by default for 10 minutes of processor time and one hunt a
processor, and FILE becomes a table in Markdown of what caught each bug, how
often, and after how many seeds and seconds. Every hunt that ends is noted in a
book beside FILE (REPORT.jsonl for REPORT.md), so a campaign that is interrupted,
or that names a few bugs at a time, goes on where it was. A book of another
program, or of hunts with other bounds, is refused, unless --onward goes on with
it: bugs that were always caught stand, one that was missed is hunted again from
every start, and the report says of each which program hunted it; or --fresh
begins it anew.
With --versus all a fixed sample of the bugs is also hunted with every family of
faults on in every seed, and the report compares the two.

With --list it prints every bug that was considered: those that are planted, with
a note where a hunt may miss one, and those that are not, with the reason; with
-o json they are mutants[] of one object.

It needs the source tree and the go command. Exit code 1 says that a bug of
priority A survived, that a control did not, or that one could not be built.

` + cli.ExitHelp,
		Example: `  chubby sim mutants --list
  chubby sim mutants P01 P05 --from 100000 --seeds 500
  chubby sim mutants --report sim/mutants/REPORT.md --versus all
  chubby sim mutants --report score.md --starts 1 --cpu 30s P01 P05`,
		RunE: func(c *cobra.Command, ids []string) error {
			cli.EndOnHangup(c.Context())
			f.asked = c.Flags().Changed
			return a.mutants(c.Context(), f, ids)
		},
	}
	c.Flags().BoolVar(&f.list, "list", false, "print all bugs that were considered, hunt none")
	c.Flags().StringVar(&f.repo, "repo", ".", "the project's source tree")
	c.Flags().Uint64Var(&f.from, "from", 1, "first seed")
	c.Flags().Uint64Var(&f.seeds, "seeds", 500, "counted seeds after which a bug counts as survivor (0: no limit; with --report the default is 0)")
	c.Flags().DurationVar(&f.limit, "for", 5*time.Minute, "real time after which it does (0: no limit; with --report the default is 0)")
	c.Flags().DurationVar(&f.cpu, "cpu", 0, "processor time after which it does (0: no limit; with --report the default is 10m)")
	c.Flags().IntVar(&f.jobs, "jobs", 0, "bugs at a time (0: one per processor)")
	c.Flags().StringVar(&f.faults, "faults", "swarm", "faults to hunt with, as for chubby sim")
	c.Flags().StringVar(&f.report, "report", "", "run a campaign and write this file")
	c.Flags().IntVar(&f.starts, "starts", 5, "with --report: hunts for each bug")
	c.Flags().StringVar(&f.versus, "versus", "", "with --report: hunt a sample of the bugs with these faults, too, such as all")
	c.Flags().IntVar(&f.sample, "sample", 20, "with --versus: bugs in that sample")
	c.Flags().BoolVar(&f.fresh, "fresh", false, "with --report: forget what the book says")
	c.Flags().BoolVar(&f.onward, "onward", false, "with --report: go on with a book of another program, or of other bounds")
	c.Flags().StringVar(&f.date, "date", "", "with --report: the date it bears (default: that of the commit)")
	f.form.Register(c)
	c.Flags().SortFlags = false
	return c
}

// check finds flags that do not go together, and fills in what a campaign's
// defaults are.
func (f *mutantFlags) check() error {
	if err := f.form.Check(); err != nil {
		return err
	}
	if f.report == "" && f.asked("report") { // as from an unset shell variable
		return cli.Usage("--report: no file is named")
	}
	if f.report == "" {
		for _, other := range []string{"starts", "versus", "sample", "fresh", "onward", "date"} {
			if f.asked(other) {
				return cli.Usage("--%s needs --report", other)
			}
		}
	} else {
		f.campaignDefaults()
	}
	for _, faults := range []string{f.faults, f.versus} {
		if _, err := plan.ParseFaults(faults, nil); err != nil {
			return cli.Usage("%v", err)
		}
	}
	switch {
	case f.fresh && f.onward:
		return cli.Usage("--fresh and --onward: one of the two")
	case f.report != "" && f.list:
		return cli.Usage("--report and --list: one of the two")
	case f.limit < 0 || f.cpu < 0:
		return cli.Usage("--for %v --cpu %v: must be at least 0", f.limit, f.cpu)
	case f.starts < 1 || f.starts > mostStarts || f.sample < 1:
		return cli.Usage("--starts %d --sample %d: 1 to %d starts, at least one bug", f.starts, f.sample, mostStarts)
	case f.versus != "" && f.versus == f.faults:
		return cli.Usage("--versus %s: these are the faults of the campaign itself", f.versus)
	case f.seeds == 0 && f.limit == 0 && f.cpu == 0:
		return cli.Usage("--seeds 0 --for 0 --cpu 0: a hunt for a bug that survives would never end")
	}
	if err := f.checkRange(); err != nil {
		return err
	}
	return cli.CheckJobs(f.jobs)
}

// load finds the source tree and its planted bugs.
func (f *mutantFlags) load() (root string, all []mutants.Mutant, err error) {
	if root, err = mutants.Root(f.repo); err == nil {
		all, err = mutants.Load(root)
	}
	if err != nil {
		return "", nil, cli.Usage("%v", err)
	}
	return root, all, nil
}

func (a *app) mutants(ctx context.Context, f *mutantFlags, ids []string) error {
	if err := f.check(); err != nil {
		return err
	}
	root, tree, err := f.load()
	if err != nil {
		return err
	}
	if f.list {
		return a.listMutants(f, tree, ids)
	}
	all, err := planted(tree, ids)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "chubby-mutants-")
	if err != nil {
		return cli.Internal(err)
	}
	defer os.RemoveAll(dir)
	hunt := mutants.Hunt{
		Root: root, Dir: dir, From: f.from, Seeds: f.seeds, For: f.limit, CPU: f.cpu, Jobs: f.share(len(all)),
		Args: []string{"--faults", f.faults}, Clean: &mutants.Clean{},
	}
	if f.report != "" {
		return a.score(ctx, f, hunt, tree, all)
	}
	h := hunted{From: f.from, Mutants: []mutants.Catch{}}
	cli.InOrder(ctx, f.jobs, uint64(len(all)), func(i uint64) *mutants.Catch {
		c, err := hunt.Run(ctx, all[i])
		if err != nil {
			return nil
		}
		return &c
	}, func(c *mutants.Catch) {
		if c == nil {
			return
		}
		h.add(c)
		a.Say("%-6s %s", c.ID, outcome(c))
	})
	h.Interrupted = ctx.Err() != nil
	h.Exit = h.code()
	if err := a.printHunted(f, &h); err != nil {
		return err
	}
	return cli.Exit(h.Exit)
}

// share is how many seeds at a time each hunt runs, so that all of them together
// use each processor once.
func (f *mutantFlags) share(n int) int {
	cpus := runtime.GOMAXPROCS(0)
	at := f.jobs
	if at == 0 {
		at = cpus
	}
	return max(1, cpus/max(1, min(at, n)))
}

func (h *hunted) add(c *mutants.Catch) {
	h.Mutants = append(h.Mutants, *c)
	if c.IsWrong() {
		h.Wrong++
	}
}

func (h *hunted) code() int {
	switch {
	case h.Interrupted:
		return cli.ExitInterrupted
	case h.Wrong > 0:
		return cli.ExitBroken
	}
	return cli.ExitClean
}

// planted picks the mutants named, all if none is.
func planted(all []mutants.Mutant, ids []string) ([]mutants.Mutant, error) {
	for _, r := range mutants.Rows() {
		if !r.IsPlanted() && slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(id, r.ID) }) {
			return nil, cli.Usage("%s is not planted: %s", r.ID, r.Reason)
		}
	}
	return named(all, ids, func(m mutants.Mutant) string { return m.ID })
}

// named picks what has one of the ids, all of it if there are none.
func named[T any](all []T, ids []string, idOf func(T) string) ([]T, error) {
	if len(ids) == 0 {
		return all, nil
	}
	var some []T
	for _, id := range ids {
		i := slices.IndexFunc(all, func(m T) bool { return strings.EqualFold(idOf(m), id) })
		if i < 0 {
			return nil, cli.Usage("no planted bug %q; `chubby sim mutants --list` lists them", id)
		}
		some = append(some, all[i])
	}
	return some, nil
}

func (a *app) printHunted(f *mutantFlags, h *hunted) error {
	if f.form == "json" {
		return a.Document(huntSchema, h)
	}
	t := cli.NewColumns(a.Out)
	t.Row("ID\tPRI\tOUTCOME\tTITLE\n")
	caught, bugs := 0, 0
	for i := range h.Mutants {
		c := &h.Mutants[i]
		mark := ""
		if c.IsWrong() {
			mark = "WRONG: "
		}
		t.Row("%s\t%s\t%s%s\t%s\n", c.ID, c.Priority, mark, outcome(c), c.Title)
		if !c.Control {
			bugs++
		}
		if !c.Control && c.Outcome == mutants.Caught {
			caught++
		}
	}
	t.Row("\n%d of %d bugs caught; %d wrong\n", caught, bugs, h.Wrong)
	if err := t.End(); err != nil {
		return err
	}
	if h.Interrupted {
		a.Warn("interrupted; these are the hunts that ended before")
	}
	return nil
}

// outcome is one line about a hunt.
func outcome(c *mutants.Catch) string {
	crashes := ""
	if c.Crashes > 0 {
		crashes = fmt.Sprintf(", %d crashes", c.Crashes)
	}
	if c.Unclean > 0 {
		crashes += fmt.Sprintf(", %d not clean without the bug, the last %d", c.Unclean, c.Dirty)
	}
	spent := fmt.Sprintf("%d seeds, %.1f s%s", c.Seeds, c.Elapsed.Seconds(), crashes)
	switch c.Outcome {
	case mutants.Caught:
		return fmt.Sprintf("caught by %s (seed %d; %s)", c.Property, c.Seed, spent)
	case mutants.Unbuilt:
		line, _, _ := strings.Cut(c.Text, "\n")
		return "unbuilt: " + line
	}
	return fmt.Sprintf("%s (%s)", c.Outcome, spent)
}
