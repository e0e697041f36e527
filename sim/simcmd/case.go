package simcmd

import (
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/story"
)

// replayCase runs a case, also one that another version recorded, and says whether the same check breaks the same
// property.
func (a *app) replayCase(m *runner.Manifest, o plan.Options, dir, file string, form cli.Form) error {
	began := a.now()
	p, r, err := a.runAgain(a.build(), m, o, dir, file)
	if err != nil {
		return err
	}
	same := m.Same(&r)
	p.SameBreak = &same
	if exact := len(m.Differences(p.Build)) == 0 && !m.Build.Modified && !p.Build.Modified; exact && !p.Same && !r.Internal {
		p.Exit = cli.ExitDiffers
	}
	p.took, p.again = a.now().Sub(began), replayLine(&a.o, dir, false)
	return a.printReplay(&p, &r, form, func() string {
		text := fmt.Sprintf("seed %d, scripted faults: %d: %s\n%s\n", r.Seed, len(o.Script.Faults()), outcome(m, &r), runner.Verdict(&r))
		if r.Breach != nil {
			text += "  " + strings.Join(story.Tell(runner.Guard(a.simulate), o, m.FaultsBefore()), "\n  ") + "\n"
		}
		return text
	})
}

// outcome compares a run of a case with what the manifest recorded.
func outcome(m *runner.Manifest, r *cell.Result) string {
	switch {
	case r.Breach == nil:
		return "nothing breaks; recorded: " + m.Breach.Name() + ": " + m.Breach.Text
	case !m.Same(r):
		return "DIFFERENT break; recorded: " + m.Breach.Name() + ": " + m.Breach.Text
	case r.Hash == m.Hashes[0].Hash:
		return "same history"
	}
	return "a different history, in which the same check fails"
}
