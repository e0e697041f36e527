package simtest

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/runner"
)

// tell describes what a seed did wrong; the last line runs it again.
func (s *suite) tell(r *cell.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %s\n", r.Seed, runner.Verdict(r))
	if r.Failed() && r.Stack != "" && (r.Internal || r.Breach.ID == "") {
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(r.Stack, "\n"))
	}
	b.WriteString(reproduce(s.t.Name(), r.Seed, runner.ThisBuild()))
	return b.String()
}

// reproduce returns the last line of a report: the command that runs one seed of one test, and the commit of the build
// as a comment of the shell, if it is known.
func reproduce(test string, seed uint64, b runner.Build) string {
	line := "to reproduce: " + again(test, seed)
	if b.Commit != runner.UnknownCommit {
		line += "  # commit " + b.Short()
	}
	return line
}

// again returns the command line that runs one seed of one test.
func again(test string, seed uint64) string {
	parts := strings.Split(test, "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	line := "go test "
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		line += strings.TrimSuffix(info.Path, ".test") + " "
	}
	return fmt.Sprintf("%s-run '%s' -sim.seed=%d", line, strings.Join(parts, "/"), seed)
}
