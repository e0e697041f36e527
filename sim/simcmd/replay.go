package simcmd

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/page"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// replayed is the JSON form of `chubby sim replay`.
type replayed struct {
	Build    runner.Build    `json:"build"`
	Was      runner.Build    `json:"recorded_build"`
	Options  runner.Settings `json:"options"`
	Recorded runner.SeedHash `json:"recorded"`
	Hash     string          `json:"hash"`
	Breach   *cell.Breach    `json:"breach"`
	Same     bool            `json:"same"` // the history is the recorded one
	// SameBreak, for a case, says whether it breaks the recorded property by the same check.
	SameBreak *bool `json:"same_break,omitempty"`
	Exit      int   `json:"exit"`

	took  time.Duration
	again string // the command that replays it
}

func (a *app) replayCommand() *cobra.Command {
	var force bool
	var file string // of the page
	var form cli.Form
	c := &cobra.Command{
		Use:   "replay DIR|FILE",
		Short: "Run a failing seed or a case again, from the files of --out",
		Long: `Replay reads the manifest in the directory of a failing seed (seed-S below
--out), runs the seed with the same options, and compares the history. The exit code is 1
for the same history, which broke a property, and 4 for another one.

It refuses a directory that another commit, Go version or trace format wrote, because the
history is then expected to differ: check that commit out, or use --force. If one of the two
builds has no VCS stamp, the digests of the programs are compared instead of the commits.

With the file of a case (shrunk.json in such a directory) it runs the case: the seed with
only the faults that the break needs. A case can be run on any version, and can be kept with
the tests of the bug that it found. Exit code 1 says that it breaks something, and a line
says whether by the same check; 0 says that it no longer breaks anything.

-o json prints one object, docs/schema/chubby-replay-1.json. -o junit prints the same for CI
systems: one case, which fails if something broke or the history is another one.

` + cli.ExitHelp,
		Example: `  chubby sim --out failures; chubby sim replay failures/seed-42
  chubby sim replay failures/seed-42/shrunk.json
  chubby sim replay failures/seed-42/shrunk.json --page case.html`,
		Args: cli.One("directory of a failing seed, or file of a case"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := form.CheckJudged(); err != nil {
				return err
			}
			if err := a.checkPage(file, c.Flags().Changed("page"), args[0], filepath.Join(args[0], runner.ManifestFile)); err != nil {
				return err
			}
			return a.replay(args[0], force, file, form)
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replay files of another version")
	c.Flags().StringVar(&file, "page", "", "write the run as one HTML file that a browser shows without a network")
	form.RegisterJudged(c)
	return c
}

func (a *app) replay(dir string, force bool, file string, form cli.Form) error {
	m, o, err := runner.ReadManifest(dir, a.o.With)
	if err != nil {
		return cli.Usage("%v", err)
	}
	if m.Options.Script != nil {
		return a.replayCase(&m, o, dir, file, form)
	}
	build := a.build()
	differ := m.Differences(build)
	if len(differ) > 0 {
		if !force {
			return cli.Usage("%s was written by %s: use that version, or --force", dir, strings.Join(differ, ", "))
		}
		a.Warn("written by %s: expect a different history", strings.Join(differ, ", "))
	}
	if (m.Build.Modified || build.Modified) && !m.Build.SameProgram(build) {
		a.Warn("the source was modified: the commit alone does not tell whether it is the same")
	}
	if !m.SamePlan(o) {
		a.Warn("this version draws a different plan from the same options")
	}
	began := a.now()
	p, r, err := a.runAgain(build, &m, o, dir, file)
	if err != nil {
		return err
	}
	history := "same history"
	if !p.Same {
		history = "DIFFERENT history"
		if !r.Internal {
			p.Exit = cli.ExitDiffers
		}
	}
	p.took, p.again = a.now().Sub(began), replayLine(&a.o, dir, len(differ) > 0)
	return a.printReplay(&p, &r, form, func() string {
		return fmt.Sprintf("seed %d: %s, hash %s (recorded %s)\n%s\n", r.Seed, history, p.Hash, p.Recorded.Hash, runner.Verdict(&r))
	})
}

// replayLine returns the command that replays what is in dir; with force, also if another version wrote it.
func replayLine(o *Options, dir string, force bool) string {
	line := o.Run + " sim replay "
	if force {
		line += "--force "
	}
	return line + cli.QuoteFile(dir)
}

// runAgain runs on this build what a manifest recorded, and compares the histories. It writes a page unless file is "".
func (a *app) runAgain(b runner.Build, m *runner.Manifest, o plan.Options, dir, file string) (replayed, cell.Result, error) {
	r, err := a.paged(file, o, page.About{Command: replayLine(&a.o, dir, m.Options.Script == nil && len(m.Differences(b)) > 0), Faults: m.FaultsBefore()})
	return replayed{
		Build: b, Was: m.Build, Options: m.Options, Recorded: m.Hashes[0], Hash: r.Hash, Breach: r.Breach,
		Same: r.Hash == m.Hashes[0].Hash, Exit: verdictCode(&r),
	}, r, err
}

// printReplay prints the outcome of a replay, and returns its exit code as an error. For a panic of the simulator it
// prints no words, only an error on stderr.
func (a *app) printReplay(p *replayed, r *cell.Result, form cli.Form, words func() string) error {
	a.explainPanic(r)
	var err error
	switch {
	case form == cli.FormJSON:
		err = a.Document(replaySchema, p)
	case form == cli.FormJUnit:
		err = a.JUnit(p.junit(r, words))
	case !r.Internal:
		err = a.Printf("%s", words())
	}
	if err != nil {
		return err
	}
	return cli.Exit(p.Exit)
}

func (a *app) explainPanic(r *cell.Result) {
	if r.Internal {
		a.Warn("internal error: seed %d: %s\n%s", r.Seed, strings.TrimPrefix(r.Breach.Text, "internal: "), indented(r.Stack))
	}
}
