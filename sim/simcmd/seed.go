package simcmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/runner"
)

// writeSeed writes the numbers of one seed for people. elapsed is the real time that it took. With more, it also writes
// how often the seed reached each rare situation, and its counters.
func writeSeed(w io.Writer, r *cell.Result, elapsed time.Duration, more bool) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		for _, text := range wrapped(fmt.Sprintf(format, args...), width-20) {
			fmt.Fprintf(&b, "%-19s %s\n", name, text)
			name = ""
		}
	}
	line(fmt.Sprintf("seed %d", r.Seed), "%s", became(r))
	if r.Internal {
		_, err := io.WriteString(w, b.String())
		return err // it has no numbers
	}
	line("cell", "%s, %s, workload %s", counted(r.Replicas, "replica"), counted(r.Clients, "client machine"), r.Workload)
	ratio := ""
	if s := elapsed.Seconds(); s > 0 {
		ratio = fmt.Sprintf(", %.0f times real time", r.Simulated.Seconds()/s)
	}
	line("simulated time", "%v in %v%s, %s", r.Simulated.Round(time.Second), elapsed.Round(100*time.Millisecond), ratio, counted(int(r.Events), "event"))
	line("calls", "%d answered, %d of them on the contended row; %d with an unknown outcome", r.Ops, r.Hot, r.Unknown)
	line("fail-overs", "%d", r.Failovers)
	line("fault strikes", "%s", strikes(r))
	if !r.Failed() {
		line("recovery", "last call ended %v after healing", r.Recovery.Round(time.Millisecond))
	}
	line("hash", "%s", r.Hash)
	if more {
		writeNumbers(&b, "sometimes", r.Sometimes)
		writeNumbers(&b, "counters", r.Counters)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// became returns the verdict of a seed in a few words. An idle seed has the condition that it did not meet. The caller
// prints the details of a failure elsewhere.
func became(r *cell.Result) string {
	switch {
	case r.Internal:
		return "no verdict: the simulator panicked"
	case r.Failed() && r.Breach.ID == "":
		return "crashed"
	case r.Failed():
		return r.Breach.Name() + " broke"
	case r.Undecided:
		return "undecided: a check gave up on a history; what it decided is clean"
	case !r.Counted:
		return fmt.Sprintf("clean, but idle: a seed counts from %v of simulated time and %d answered calls on, a fifth of them contended", cell.FloorTime, cell.FloorOps)
	}
	return runner.Verdict(r)
}

// counted returns a number with its noun.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// strikes returns in words how often faults struck, in all and by kind.
func strikes(r *cell.Result) string {
	var kinds []string
	for _, n := range r.Faults {
		if n.Value > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %d", n.Name, n.Value))
		}
	}
	if len(kinds) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d: %s", r.Strikes(), strings.Join(kinds, ", "))
}

// writeNumbers writes the numbers above 0.
func writeNumbers(b *strings.Builder, name string, all []cell.Number) {
	head := fmt.Sprintf("\n%-26s %10s\n", name, "times")
	for _, n := range all {
		if n.Value > 0 {
			fmt.Fprintf(b, "%s  %-24s %10d\n", head, n.Name, n.Value)
			head = ""
		}
	}
}
