package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/linearizability"
)

// junitOf is a report as CI systems read it: a case for each partition, and one for the witness,
// where there is one.
func junitOf(r *linearizability.Report, took time.Duration, again string) *cli.JUnit {
	j := cli.NewJUnit("chubby check", took)
	if w := r.Witness; w != nil {
		c := cli.JUnitCase{Name: "witness"}
		if w.Verdict == linearizability.Illegal {
			c.Failure = cli.Fault("illegal", w.Kind+": "+w.Text, again)
		}
		j.Add(c)
	}
	why := map[string]string{}
	for _, e := range r.Explanations() {
		why[e.Partition] = e.Text
	}
	for _, p := range r.Partitions {
		c := cli.JUnitCase{Name: strings.TrimSpace(r.Model + " " + caseName(p.Name))}
		switch told, ok := why[p.Name]; {
		case p.Verdict == linearizability.Illegal && ok:
			c.Failure = cli.Fault("illegal", told, again)
		case p.Verdict == linearizability.Illegal:
			c.Failure = cli.Fault("illegal", fmt.Sprintf("not linearizable: %d operations", p.Operations), again)
		case p.Bound == linearizability.ByIllegal:
			c.Skipped = &cli.JUnitSkip{Message: "left open, since another partition is illegal; --all searches every one"}
		case p.Bound == linearizability.ByInterrupt:
			c.Failure = cli.Fault("undecided", fmt.Sprintf("undecided after %d steps: interrupted", p.Steps), again)
		case p.Verdict == linearizability.Undecided && r.Verdict == linearizability.Legal: // by the witness
			c.Skipped = &cli.JUnitSkip{Message: fmt.Sprintf("legal by its positions in the log; the search, undecided after %d steps, was ended by the bound of %s", p.Steps, p.Bound)}
		case p.Verdict == linearizability.Undecided:
			c.Failure = cli.Fault("undecided", fmt.Sprintf("undecided after %d steps: its search was ended by the bound of %s", p.Steps, p.Bound), again)
		}
		j.Add(c)
	}
	return j
}

// caseName is the name of a partition on one line, with what XML does not have escaped.
func caseName(partition string) string {
	if strings.ContainsFunc(partition, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(partition) {
		return strconv.Quote(partition)
	}
	return partition
}

// checkAgain is the command that checks a history again, with all flags that bear on the verdict.
func checkAgain(f checkFlags, file string) string {
	line := "check --model " + f.model
	if f.format != "" {
		line += " --format " + f.format
	}
	if f.steps > 0 {
		line += fmt.Sprintf(" --steps %d", f.steps)
	}
	if f.memory != searchMemory {
		line += " --memory " + cli.Quote(f.memory)
	}
	if f.timeout > 0 {
		line += fmt.Sprintf(" --timeout %v", f.timeout)
	}
	if f.all {
		line += " --all"
	}
	return line + " " + cli.QuoteFile(file)
}
