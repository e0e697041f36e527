package simcmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/runner"
)

// teller prints reports, of a run or of merged shards.
type teller struct{ *app }

// tell prints a report, failures first, and returns its exit code as an error.
func (a teller) tell(form cli.Form, more bool, r *report) error {
	r.Counted = r.Totals.Counted
	r.Exit = r.code()
	a.explainInternal(r)
	defer a.explainExit(r)
	if form == "json" {
		if err := a.Document(simSchema, r); err != nil {
			return err
		}
		return cli.Exit(r.Exit)
	}
	if form == cli.FormJUnit {
		if err := a.printJUnit(r, more); err != nil {
			return err
		}
		return cli.Exit(r.Exit)
	}
	for i := range r.Failures {
		if err := a.printFailure(&r.Failures[i]); err != nil {
			return err
		}
	}
	if err := r.writeTable(a.Out, more); err != nil {
		return cli.Internal(err)
	}
	if r.single == nil {
		if err := a.Printf("\n%-20s %s: %s\n", "ended by", r.EndedBy.Words(), r.reached()); err != nil {
			return err
		}
	}
	a.suggest(r)
	return cli.Exit(r.Exit)
}

// writeTable writes the numbers of many seeds, or of the one of --seed.
func (r *report) writeTable(w io.Writer, more bool) error {
	if r.single != nil {
		return writeSeed(w, r.single, r.Totals.Elapsed, more)
	}
	return r.Totals.WriteTable(w, more)
}

// explainLost says on stderr, for every output form, why files of --out are missing. The report is complete without them.
func explainLost(to *cli.Streams, err error) {
	if err != nil {
		to.Warn("--out: files are missing: %v", err)
	}
}

// suggest names on stderr the commands that explain the shortest failure, unless the user has asked for files or
// shrinking.
func (a teller) suggest(r *report) {
	f := r.shortest()
	if f == nil || f.Case != nil || f.Directory != "" || r.again == nil {
		return
	}
	o := r.options
	o.Seed = f.Seed
	seed := fmt.Sprintf("%s sim --seed %d%s", a.o.Run, o.Seed, flagsOf(o))
	a.Say("What broke seed %d, in 20 lines: %s --shrink 1m\nAs a page for a browser: %s --page %d.html", f.Seed, seed, seed, f.Seed)
}

// explainInternal says on stderr, for every output form, that the simulator panicked, and in which seed.
func (a teller) explainInternal(r *report) {
	for i := range r.Failures {
		if f := &r.Failures[i]; f.Internal {
			a.Warn("internal error: seed %d: %s", f.Seed, strings.TrimPrefix(f.Text, "internal: "))
		}
	}
}

// explainExit says on stderr, for every output form, why fewer seeds counted than were requested, and what else explains
// the exit code.
func (a teller) explainExit(r *report) {
	switch {
	case r.EndedBy == runner.EndIdle:
		a.Warn("%s; gave up: %d seeds were idle (less than %v simulated, or fewer than %d calls answered)", r.reached(), r.Totals.Idle, cell.FloorTime, cell.FloorOps)
	case r.Interrupted:
		a.Warn("interrupted; only seeds that had ended are reported: %s", r.reached())
	case r.Counted < r.Wanted || r.EndedBy == runner.EndFailures:
		a.Warn("ended by %s: %s", r.EndedBy.Words(), r.reached())
	}
	explainLost(&a.Streams, r.lost)
	if len(r.Missing) > 0 {
		a.Warn("no report for shard %s", strings.Join(r.Missing, ", "))
	}
	if r.Counted < r.MinCounted {
		a.Warn("%d seeds counted, --min-counted requires %d", r.Counted, r.MinCounted)
	}
	if r.Exit == cli.ExitDiffers {
		a.Warn("a failing seed gave a different history when it was run again; `chubby sim verify` names the event")
	}
}
