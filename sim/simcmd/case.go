package simcmd

import (
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/story"
)

// replayCase runs a case, on whatever version this is, and says whether it breaks what it
// broke.
func (a *app) replayCase(m *runner.Manifest, o plan.Options, form cli.Form) error {
	build := a.build()
	r := runner.Guard(a.simulate)(o)
	same := m.Same(&r)
	p := replayed{Build: build, Was: m.Build, Options: m.Options, Recorded: m.Hashes[0], Hash: r.Hash, Breach: r.Breach, SameBreak: &same}
	p.Same = p.Hash == p.Recorded.Hash
	p.Exit = verdictCode(&r)
	if exact := len(m.Differences(build)) == 0 && !m.Build.Modified && !build.Modified; exact && !p.Same && !r.Internal {
		p.Exit = cli.ExitDiffers
	}
	a.explainPanic(&r)
	if form == "json" {
		if err := a.JSON(p); err != nil {
			return err
		}
		return cli.Exit(p.Exit)
	}
	if r.Internal {
		return cli.Exit(p.Exit)
	}
	if err := a.Printf("seed %d with faults of a script, %d: %s\n%s\n", r.Seed, len(o.Script.Faults()), outcome(m, &r), runner.Verdict(&r)); err != nil {
		return err
	}
	if r.Breach != nil {
		was := 0
		if m.Shrunk != nil {
			was = m.Shrunk.Was.Faults
		}
		for _, line := range story.Tell(runner.Guard(a.simulate), o, was) {
			if err := a.Printf("  %s\n", line); err != nil {
				return err
			}
		}
	}
	return cli.Exit(p.Exit)
}

// outcome says how a run of a case compares with what was recorded.
func outcome(m *runner.Manifest, r *cell.Result) string {
	switch {
	case r.Breach == nil:
		return "it breaks nothing; recorded was " + m.Breach.Name() + ": " + m.Breach.Text
	case !m.Same(r):
		return "ANOTHER break; recorded was " + m.Breach.Name() + ": " + m.Breach.Text
	case r.Hash == m.Hashes[0].Hash:
		return "the same history"
	}
	return "another history, which breaks the same by the same check"
}
