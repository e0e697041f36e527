package simcmd

import (
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
)

// junit returns a report as CI systems read it: one case for each failing seed, and one for the whole run. The case of
// the run fails if, for example, too few seeds counted or a shard is missing. table is its output.
func (r *report) junit(table string) *cli.JUnit {
	j := cli.NewJUnit("chubby sim", r.Totals.Elapsed)
	for i := range r.Failures {
		j.Add(r.Failures[i].junit())
	}
	run := cli.JUnitCase{Name: "run", Time: j.Time, Output: table}
	switch {
	case r.lost != nil:
		run.Error = cli.Fault("run", fmt.Sprintf("exit code %d: files of --out are missing: %v", r.Exit, r.lost))
	case len(r.Missing) > 0:
		run.Failure = cli.Fault("run", fmt.Sprintf("exit code %d: shards %s are missing; %s", r.Exit, strings.Join(r.Missing, ", "), r.reached()))
	case len(r.Failures) == 0 && r.Exit != cli.ExitClean:
		run.Failure = cli.Fault("run", fmt.Sprintf("exit code %d: %s%s", r.Exit, r.reached(), r.undecided()))
	}
	j.Add(run)
	return j
}

// undecided returns what, besides the number of seeds that counted, says why a run without failures is not clean.
func (r *report) undecided() (why string) {
	if r.Totals.Undecided > 0 {
		why += fmt.Sprintf("; %d undecided", r.Totals.Undecided)
	}
	if r.GaveUp {
		why += fmt.Sprintf("; gave up, %d were idle", r.Totals.Idle)
	}
	if r.Counted < r.MinCounted {
		why += fmt.Sprintf("; --min-counted requires %d", r.MinCounted)
	}
	return why
}

// junit returns the case of one failing seed. A panic of the simulator is an error, because it is no verdict.
func (f *failedSeed) junit() cli.JUnitCase {
	c := cli.JUnitCase{Name: fmt.Sprintf("seed %d", f.Seed)}
	story, smaller := "", ""
	if f.Case != nil {
		story, smaller = strings.Join(f.Case.Story, "\n"), f.Case.Replay
	}
	fault := cli.Fault(f.Property, f.String(), f.meaning(), f.Stack, f.differs(), f.Directory, story, smaller, atCommit(f.Commit), f.Reproduce)
	if f.Internal {
		c.Error = fault
	} else {
		c.Failure = fault
	}
	return c
}

// atCommit returns the line before a command that runs something again: the commit at which it gives the same history. ""
// if the commit is unknown.
func atCommit(commit string) string {
	if commit == "" {
		return ""
	}
	return "at commit " + commit + ":"
}

// printJUnit prints the report as one XML document.
func (a teller) printJUnit(r *report, more bool) error {
	var table strings.Builder
	if err := r.writeTable(&table, more); err != nil {
		return cli.Internal(err)
	}
	return a.JUnit(r.junit(table.String()))
}

// junit returns a verification: one case for each seed, and one for the run if it was interrupted.
func (v *verified) junit() *cli.JUnit {
	j := cli.NewJUnit("chubby sim verify", v.took)
	differ := map[uint64]*difference{}
	for i := range v.Differences {
		differ[v.Differences[i].Seed] = &v.Differences[i]
	}
	for i := range v.Seeds {
		seed := v.Options.Seed + i
		c := cli.JUnitCase{Name: fmt.Sprintf("seed %d", seed)}
		switch d := differ[seed]; {
		case d != nil && d.Internal != "":
			c.Error = cli.Fault("internal", d.Internal, d.Stack, atCommit(d.Commit), d.Reproduce)
		case d != nil:
			c.Failure = cli.Fault("D1", d.text(), atCommit(d.Commit), d.Reproduce)
		}
		j.Add(c)
	}
	if v.Interrupted {
		j.Add(cli.JUnitCase{Name: "run", Time: j.Time, Failure: cli.Fault("run", fmt.Sprintf("exit code %d: interrupted, %d seeds were verified", v.Exit, v.Seeds))})
	}
	return j
}

// junit returns a replay as one case. It fails if something broke, or if the history is not the recorded one where it
// has to be.
func (p *replayed) junit(r *cell.Result, words func() string) *cli.JUnit {
	j := cli.NewJUnit("chubby sim replay", p.took)
	c := cli.JUnitCase{Name: fmt.Sprintf("seed %d", r.Seed), Time: j.Time}
	at := atCommit(commitOf(p.Build))
	switch {
	case r.Internal:
		c.Error = cli.Fault("internal", r.Breach.Text, r.Stack, at, p.again)
	case p.Exit == cli.ExitDiffers:
		c.Failure = cli.Fault("D1", words(), at, p.again)
	case r.Breach != nil:
		c.Failure = cli.Fault(r.Breach.ID, r.Breach.Name()+" broke: "+r.Breach.Text, words(), at, p.again)
	default:
		c.Output = words()
	}
	j.Add(c)
	return j
}
