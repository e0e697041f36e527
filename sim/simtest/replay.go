package simtest

import (
	"strings"
	"testing"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/story"
)

// Replay runs the case in a file that `chubby sim --out` or -sim.out has written (shrunk.json). If
// the case breaks anything, Replay fails the test and tells how the break came about. A file in
// testdata thus keeps a bug from coming back. with takes part in the case beside the built-in parts;
// nil: nothing does. For a case of a Program use Program.Replay.
func Replay(t testing.TB, file string, with *scenario.Extension) {
	t.Helper()
	replay(t, file, with, 0)
}

// replay replays a case. clients is how many client machines the case must have; 0: any number.
func replay(t testing.TB, file string, with *scenario.Extension, clients int) {
	t.Helper()
	m, o, err := runner.ReadManifest(file, with)
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	if isCast(with) && o.Clients != clients {
		t.Fatalf("simtest: %s has %d client machines, and the Roles have %d: restore the Roles, or write the case again with -sim.out", file, o.Clients, clients)
	}
	r := runner.Guard(cell.Run)(o)
	if r.Breach == nil {
		return
	}
	lines := []string{runner.Verdict(&r)}
	if !r.Internal {
		lines = append(lines, story.Tell(cell.Run, o, m.FaultsBefore())...)
	}
	t.Errorf("%s: %s", file, strings.Join(lines, "\n"))
}
