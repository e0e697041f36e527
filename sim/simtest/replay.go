package simtest

import (
	"strings"
	"testing"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/story"
)

// Replay runs the case of a file that `chubby sim --out` left (shrunk.json), and fails the test
// if it breaks anything, with the story of how it came to it. So a file in testdata keeps a bug
// from coming back. with is what takes part in the case beside what is built in; nil: nothing.
func Replay(t testing.TB, file string, with *scenario.Extension) {
	t.Helper()
	m, o, err := runner.ReadManifest(file, with)
	if err != nil {
		t.Fatalf("simtest: %v", err)
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
