package simcmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// reproduce returns the command line that runs a seed again, with a trace.
func (a *app) reproduce(o plan.Options) string {
	return a.o.Run + " sim --seed " + fmt.Sprint(o.Seed) + " --trace" + flagsOf(o)
}

// flagsOf returns the flags that differ from their defaults, each with a blank before it.
func flagsOf(o plan.Options) string {
	var b strings.Builder
	if o.Replicas != 0 {
		fmt.Fprintf(&b, " --replicas %d", o.Replicas)
	}
	if o.Clients != 0 {
		fmt.Fprintf(&b, " --clients %d", o.Clients)
	}
	if o.Duration != 0 {
		fmt.Fprintf(&b, " --duration %v", o.Duration)
	}
	if o.Faults != nil {
		faults := strings.Join(o.Faults, ",")
		switch all, _ := plan.ParseFaults("all", o.With); {
		case faults == "":
			faults = "none"
		case slices.Equal(o.Faults, all):
			faults = "all"
		}
		fmt.Fprintf(&b, " --faults %s", cli.Quote(faults))
	}
	if o.Workload != "" {
		fmt.Fprintf(&b, " --workload %s", cli.Quote(o.Workload))
	}
	if o.Judge != "" {
		fmt.Fprintf(&b, " --judge %s", cli.Quote(o.Judge))
	}
	if len(o.Tune) > 0 {
		fmt.Fprintf(&b, " --set %s", cli.Quote(strings.Join(o.Tune, ",")))
	}
	return b.String()
}

// String returns the failure in one line.
func (f *failedSeed) String() string {
	what := f.Property + " broke: "
	switch {
	case f.Internal:
		what = "" // the text says it
	case f.Property == "":
		what = "crashed: "
	case f.Conformance:
		what = "conformance " + what
	}
	return fmt.Sprintf("seed %d: %s%s", f.Seed, what, f.Text)
}

// differs says that two runs of the seed differed; "" if no difference is known.
func (f *failedSeed) differs() string {
	if f.Differs == "" {
		return ""
	}
	return fmt.Sprintf("a second run gave a different history: hash %s, first %s", f.Differs, f.Hash)
}

// meaning returns the property with its meaning. It returns "" if the failure has a story, which has the meaning, or
// breaks no property.
func (f *failedSeed) meaning() string {
	if f.Meaning == "" || f.Case != nil {
		return ""
	}
	return f.Property + ": " + f.Meaning
}

// printFailure prints a failing seed. The last line is the command that runs it again.
func (a teller) printFailure(f *failedSeed) error {
	if err := a.Printf("%s\n", f); err != nil {
		return err
	}
	if (f.Property == "" || f.Internal) && f.Stack != "" {
		if err := a.Printf("%s\n", indented(f.Stack)); err != nil {
			return err
		}
	}
	if meaning := f.meaning(); meaning != "" {
		if err := a.Printf("  %s\n", meaning); err != nil {
			return err
		}
	}
	if differs := f.differs(); differs != "" {
		if err := a.Printf("  %s\n", differs); err != nil {
			return err
		}
	}
	if f.Directory != "" {
		if err := a.Printf("  files: %s\n", f.Directory); err != nil {
			return err
		}
	}
	if f.Case != nil {
		if err := a.printCase(f.Case); err != nil {
			return err
		}
	}
	if at := atCommit(f.Commit); at != "" {
		if err := a.Printf("  %s\n", at); err != nil {
			return err
		}
	}
	return a.Printf("  %s\n\n", f.Reproduce)
}

// commitOf returns the commit of a build; "" if unknown.
func commitOf(b runner.Build) string {
	if b.Commit == runner.UnknownCommit {
		return ""
	}
	return b.Short()
}

func indented(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}

// leave writes the files of --out: the batch's manifest and a directory for each failing seed, or for the seed of --seed.
// It runs each such seed again for its trace, and notes in the report if that run differs.
func (a simRun) leave(r *report) error {
	for i := range r.Failures {
		s := &r.Failures[i]
		dir, again, err := a.leaveSeed(r, s.Seed)
		if err != nil {
			return err
		}
		s.Directory = dir
		switch {
		case again.Internal && !s.Internal:
			s.Internal, s.Text, s.Stack = true, again.Breach.Text+", when it was run again; first "+s.Text, again.Stack
			r.Totals.Internal++
		case again.Hash != s.Hash:
			s.Differs = again.Hash
		}
	}
	if a.f.asked("seed") && len(r.Failures) == 0 {
		_, again, err := a.leaveSeed(r, a.f.seed)
		if err != nil {
			return err
		}
		if again.Internal {
			return fmt.Errorf("seed %d, run again: %s\n%s", a.f.seed, again.Breach.Text, again.Stack)
		}
	}
	return r.hashes.Write(a.f.out)
}

func (a simRun) leaveSeed(r *report, seed uint64) (dir string, again cell.Result, err error) {
	o := r.options
	o.Seed = seed
	dir = filepath.Join(a.f.out, fmt.Sprintf("seed-%d", seed))
	a.Say("writing %s", dir)
	again, err = runner.WriteArtifacts(dir, r.Build, a.simulate, o)
	return dir, again, err
}
