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
	fmt.Fprintf(&b, "to reproduce: %s", again(s.t.Name(), r.Seed))
	return b.String()
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
