package simtest

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/shrink"
)

// noCrash is a checker that breaks when a crash fault strikes, unless it is off.
type noCrash struct{ off bool }

func (c noCrash) On(_ time.Duration, e event.Event) error {
	if f, _ := e.(event.FaultStruck); f.Kind == "crash" && !c.off {
		return errors.New("a replica loses power")
	}
	return nil
}

func (noCrash) End() error { return nil }

// Replay of a case file fails the test while the case breaks a property, and passes once the bug is fixed.
func TestACaseIsATest(t *testing.T) {
	with := func(off bool) *scenario.Extension {
		return &scenario.Extension{Properties: []scenario.Property{{ID: "X7", Help: "none loses power", New: func() scenario.Checker { return noCrash{off} }}}}
	}
	o := plan.Options{Seed: 3, Replicas: 3, Clients: 1, Duration: 10 * time.Second, Faults: []string{"crash", "pause"}, With: with(false)}
	c, err := shrink.Shrinker{Run: cell.Run, Jobs: 1}.Shrink(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, c.Options.Script.Faults(), 1)
	file, err := runner.WriteCase(t.TempDir(), runner.ThisBuild(), cell.Run, &c)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(filepath.Dir(file), runner.CasePageFile))

	told := listen(t, func(l *listener) { Replay(l, file, with(false)) })
	require.Len(t, told.errors, 1)
	require.Contains(t, told.errors[0], "X7 broke: a replica loses power")
	require.Contains(t, told.errors[0], "s  crash#1: ")
	Replay(t, file, with(true))

	told = listen(t, func(l *listener) { Replay(l, "nowhere.json", nil) })
	require.Contains(t, told.fatal, "no such file")
}
