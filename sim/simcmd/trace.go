package simcmd

import (
	"bufio"
	"fmt"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// trace runs one seed and prints its trace on stdout, and its verdict on stderr.
func (a simRun) trace(o plan.Options) error {
	node, err := parseNode(a.f.node)
	if err != nil {
		return err
	}
	if err := checkInPlan(a.f.node, node, plan.New(o)); err != nil {
		return err
	}
	if a.f.out != "" {
		return cli.Usage("--out does not go with --trace; leave one of them out")
	}
	w := bufio.NewWriterSize(a.Out, 1<<16)
	o.Trace = sim.Trace{Node: node, Until: a.f.until}
	(&moments.Printer{W: w, Only: &a.f.lines}).Watch(&o)
	r := runner.Guard(a.simulate)(o)
	if err := w.Flush(); err != nil {
		return cli.Internal(err)
	}
	for _, text := range a.f.lines.Unmatched() {
		a.Warn("%s", text)
	}
	a.Say("seed %d: %s; %d events, %v simulated, %d calls answered, hash %s", r.Seed, runner.Verdict(&r), r.Events, r.Simulated, r.Ops, r.Hash)
	if r.Stack != "" && r.Breach.ID == "" {
		a.Say("%s", indented(r.Stack))
	}
	return cli.Exit(verdictCode(&r))
}

// checkInPlan refuses a machine of --node that the plan does not have.
func checkInPlan(asked string, node sim.Addr, p plan.Plan) error {
	others, also := plan.OthersOf(&p), ""
	for _, o := range others {
		also += fmt.Sprintf("; %v is %s", o.Addr, o.What)
	}
	most := sim.Addr(p.Replicas)
	if node.IsClient() {
		most = sim.FirstClient + sim.Addr(p.Clients+len(others)) - 1
	}
	if node <= most {
		return nil
	}
	return cli.Usage("--node %s: seed %d has %s and %s%s", asked, p.Seed, span("n", p.Replicas), span("c", p.Clients), also)
}

// span returns "n1 to n5" for 5, and "n1" for 1.
func span(letter string, n int) string {
	if n == 1 {
		return letter + "1"
	}
	return fmt.Sprintf("%s1 to %s%d", letter, letter, n)
}

// verdictCode returns the exit code for one seed.
func verdictCode(r *cell.Result) int {
	switch {
	case r.Internal:
		return cli.ExitInternal
	case r.Failed():
		return cli.ExitBroken
	case r.Undecided:
		return cli.ExitUndecided
	}
	return cli.ExitClean
}
