package simcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/shrink"
	"github.com/chubbycell/chubby/sim/story"
)

// defaultShrink is how long a failure is shrunk, in real time.
const defaultShrink = time.Minute

// caseOf is a failure that was shrunk.
type caseOf struct {
	runner.Shrunk
	File   string   `json:"file,omitempty"`   // with --out
	Replay string   `json:"replay,omitempty"` // the command that runs it
	Faults []string `json:"faults"`
	Story  []string `json:"story"` // how the run came to break the property
}

// shrinks makes the shortest failure smaller, with --out or an explicit --shrink. An interrupt ends it; the case then has
// what was found so far.
func (a simRun) shrinks(ctx context.Context, r *report) error {
	if a.f.shrink <= 0 || ctx.Err() != nil || a.f.out == "" && !a.f.asked("shrink") {
		return nil
	}
	if s := r.shortest(); s != nil {
		return a.shrinkOne(ctx, r, s)
	}
	return nil
}

func (a simRun) shrinkOne(ctx context.Context, r *report, s *failedSeed) error {
	o := r.options
	o.Seed = s.Seed
	bounded, stop := context.WithTimeout(ctx, a.f.shrink)
	defer stop()
	told := a.now()
	a.Say("shrinking seed %d, for at most %v", s.Seed, a.f.shrink)
	c, err := shrink.Shrinker{Run: runner.Guard(a.simulate), Jobs: a.f.jobs, Told: func(is shrink.Size) {
		if now := a.now(); now.Sub(told) >= every/2 {
			told = now
			a.Say("  %v", is)
		}
	}}.Shrink(bounded, o)
	r.Interrupted = ctx.Err() != nil
	if err != nil {
		a.Warn("cannot shrink: %v", err)
		return nil
	}
	s.Case = &caseOf{Shrunk: runner.Shrunk{Was: c.Was, Is: c.Is, Runs: c.Runs, Done: c.Done}, Faults: []string{}}
	for _, f := range c.Options.Script.Faults() {
		s.Case.Faults = append(s.Case.Faults, f.String())
	}
	s.Case.Story = story.Tell(runner.Guard(a.simulate), c.Options, c.Was.Faults)
	if a.f.out == "" {
		return nil
	}
	s.Case.File, err = runner.WriteCase(filepath.Join(a.f.out, fmt.Sprintf("seed-%d", s.Seed)), r.Build, a.simulate, &c)
	if err != nil {
		return err
	}
	s.Case.Replay = a.o.Run + " sim replay " + cli.QuoteFile(s.Case.File)
	return os.WriteFile(filepath.Join(filepath.Dir(s.Case.File), runner.StoryFile), []byte(strings.Join(s.Case.Story, "\n")+"\n"), 0o644)
}

// checkShrink refuses invalid uses of --shrink.
func (f *simFlags) checkShrink() error {
	switch {
	case f.shrink < 0:
		return cli.Usage("--shrink %v: must be at least 0", f.shrink)
	case f.trace && f.asked("shrink"):
		return cli.Usage("--shrink does not go with --trace, which runs a seed once")
	}
	return nil
}

// printCase prints a case and its story.
func (a teller) printCase(c *caseOf) error {
	more := ""
	if !c.Done {
		more = "; time ran out, --shrink 5m may shrink it further"
	}
	if err := a.Printf("  shrunk: from %v\n      to: %v, in %d runs%s\n", c.Was, c.Is, c.Runs, more); err != nil {
		return err
	}
	if c.File != "" {
		if err := a.Printf("  case: %s\n", c.Replay); err != nil {
			return err
		}
	}
	return a.Printf("%s\n", indented(strings.Join(c.Story, "\n")))
}
