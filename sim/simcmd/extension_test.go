package simcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/scenario"
)

// blink is a fault: the leader loses power.
type blink struct{}

func (blink) Name() string            { return "blink" }
func (blink) Help() string            { return "the leader loses power for a moment" }
func (blink) Strike(s scenario.Stage) { s.CutPower(s.Leader()) }

// reads is a workload.
type reads struct{}

func (reads) Name() string { return "reads" }
func (reads) Help() string { return "all programs read one row" }
func (reads) Turn(ctx context.Context, p scenario.Program) {
	_, err := p.Client().Get(ctx, "g0/row")
	p.Done("get", true, err)
}

// never is a checker of events that must not happen.
type never func(event.Event) error

func (k never) On(_ time.Duration, e event.Event) error { return k(e) }
func (k never) End() error                              { return nil }

func property(k never) scenario.Property {
	return scenario.Property{ID: "X1", Help: "an example", New: func() scenario.Checker { return k }}
}

// someExtension breaks X1 when its fault strikes.
func someExtension() *scenario.Extension {
	return &scenario.Extension{
		Faults: []scenario.Fault{blink{}}, Workloads: []scenario.Workload{reads{}},
		Properties: []scenario.Property{property(func(e event.Event) error {
			if f, ok := e.(event.FaultStruck); ok && f.Kind == "blink" {
				return errors.New("it blinked")
			}
			return nil
		})},
	}
}

// extended is a program of another module, with the real simulator.
func extended(o Options) *world {
	w := real()
	o.Name, o.Run = "cells", "go run example.org/cells"
	w.o = o
	w.batch = func(ctx context.Context, b runner.Batch) runner.End { return b.Run(ctx) }
	return w
}

func TestWhatAProgramAddsIsListed(t *testing.T) {
	w := extended(Options{With: someExtension()})
	require.Equal(t, cli.ExitClean, w.do("sim", "list"))
	for _, want := range []string{"the leader loses power for a moment", "all programs read one row", "an example [every seed, by this program]"} {
		require.Contains(t, w.out.String(), want)
	}
	require.Equal(t, cli.ExitUsage, w.do("sim", "--faults", "blinks"))
	require.Equal(t, cli.ExitClean, w.do("sim", "--help"))
	require.Contains(t, w.out.String(), "cells sim --seed 42 --trace")
	require.NotContains(t, w.out.String(), "chubby sim")
}

// The report of a seed has the command line of the program that ran it. Its manifest can be replayed only by a program
// with the same additions.
func TestAFailingSeedOfAnotherProgramIsReplayed(t *testing.T) {
	t.Chdir(t.TempDir())
	w := extended(Options{With: someExtension()})
	line := "sim --seeds 1 --max-failures 1 --faults blink,noise --workload reads --replicas 3 --out failures -o json"
	require.Equal(t, cli.ExitBroken, w.do(strings.Fields(line)...), &w.err)
	var r report
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &r))
	require.Equal(t, "X1", r.Failures[0].Property)
	require.Equal(t, scenario.Names{Faults: []string{"blink"}, Workloads: []string{"reads"}, Properties: []string{"X1"}}, r.Options.With)
	require.Equal(t, "go run example.org/cells sim --seed 1 --trace --replicas 3 --faults blink,noise --workload reads", r.Failures[0].Reproduce)

	require.Equal(t, cli.ExitBroken, w.do("sim", "replay", "failures/seed-1"), &w.err)
	require.Contains(t, w.out.String(), "same history")
	require.Equal(t, cli.ExitClean, w.do("sim", "verify", "--seeds", "1", "--faults", "blink", "--workload", "reads"), &w.err)

	// Replay with a larger extension uses only the recorded parts.
	more := someExtension()
	more.Faults = append([]scenario.Fault{other{}}, more.Faults...)
	w = extended(Options{With: more})
	require.Equal(t, cli.ExitBroken, w.do("sim", "replay", "failures/seed-1"), &w.err)
	require.NotContains(t, w.err.String(), "different plan")

	require.Equal(t, cli.ExitUsage, real().do("sim", "replay", "failures/seed-1"))
	w = extended(Options{With: &scenario.Extension{Faults: []scenario.Fault{other{}}}})
	require.Equal(t, cli.ExitUsage, w.do("sim", "replay", "failures/seed-1"))
	for _, want := range []string{`this program has no fault "blink"`, `no workload "reads"`, `no property "X1"`, "use the program that wrote it"} {
		require.Contains(t, w.err.String(), want)
	}
}

// If one property is judged alone, breaks of others are not reported. A replay judges the same property.
func TestOnePropertyOfAProgramIsJudgedAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	x := someExtension()
	x.Properties = append(x.Properties, scenario.Property{ID: "X2", Help: "another example", New: func() scenario.Checker {
		return never(func(e event.Event) error {
			if _, ok := e.(event.Healed); ok {
				return errors.New("it is whole")
			}
			return nil
		})
	}})
	w := extended(Options{With: x})
	line := "sim --seeds 1 --max-failures 1 --faults blink --workload reads --replicas 3 --clients 4"
	require.Equal(t, cli.ExitBroken, w.do(strings.Fields(line)...), &w.err)
	require.Contains(t, w.out.String(), "seed 1: X1 broke: it blinked")
	require.Equal(t, cli.ExitBroken, w.do(append(strings.Fields(line), "--judge", "X2", "--out", "the failures")...), &w.err)
	require.Contains(t, w.out.String(), "seed 1: X2 broke: it is whole")
	require.Contains(t, w.out.String(), "--workload reads --judge X2\n")
	require.NotContains(t, w.out.String(), "X1")
	require.Contains(t, w.out.String(), "go run example.org/cells sim replay 'the failures/seed-1/shrunk.json'\n", "a shell reads it")
	require.Equal(t, cli.ExitBroken, w.do("sim", "replay", "the failures/seed-1"), &w.err)
	require.Contains(t, w.out.String(), "same history")
	require.Equal(t, cli.ExitClean, w.do(strings.Fields(line+" --judge S4")...), &w.err)

	require.Equal(t, cli.ExitUsage, w.do("sim", "--judge", "X3"))
	require.Contains(t, w.err.String(), "judge X3: no run checks that; one of X1, X2, S1,")
	require.Equal(t, cli.ExitUsage, extended(Options{With: someExtension()}).do("sim", "replay", "failures/seed-1"))
}

// other is blink with another name.
type other struct{ blink }

func (other) Name() string { return "other" }

// If an extension has a name twice, all commands refuse to run.
func TestAnExtensionThatIsNotPossible(t *testing.T) {
	for _, o := range []Options{
		{With: &scenario.Extension{Faults: []scenario.Fault{blink{}, blink{}}}},
		{Experiments: []experiment.Experiment{{Name: "drift"}}},
		{Experiments: []experiment.Experiment{{Name: "sessions"}}},
		{Experiments: []experiment.Experiment{{Name: "blinks"}}},
	} {
		w := extended(o)
		for _, line := range []string{"sim", "sim list", "sim experiment", "sim replay x"} {
			require.Equal(t, cli.ExitUsage, w.do(strings.Fields(line)...), line)
			require.Contains(t, w.err.String(), "cells: this program cannot simulate: ")
		}
	}
}

// An experiment of a program runs with its extension; the built-in ones do not.
func TestAnExperimentOfAnotherProgram(t *testing.T) {
	blinks := experiment.Experiment{
		Name: "blinks", Help: "whether it blinks", Event: "seeds in which the leader lost power", Axis: "replicas",
		Judge: func(r *cell.Result) experiment.Verdict {
			for _, f := range r.Faults {
				if f.Name == "blink" && f.Value > 0 {
					return experiment.Hit
				}
			}
			return experiment.Miss
		},
	}
	for _, replicas := range []int{3, 5} {
		blinks.Grid = append(blinks.Grid, experiment.Place{
			Series: "all", X: float64(replicas),
			Options: plan.Options{Replicas: replicas, Duration: 20 * time.Second, Faults: []string{"blink"}, Workload: "reads"},
		})
	}
	x := someExtension()
	x.Properties = nil
	w := extended(Options{With: x, Experiments: []experiment.Experiment{blinks}})
	require.Equal(t, cli.ExitClean, w.do("sim", "experiment"))
	require.Contains(t, w.out.String(), "whether it blinks")
	require.Equal(t, cli.ExitClean, w.do("sim", "experiment", "blinks", "--seeds", "2", "-o", "json"), &w.err)
	var m measured
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &m))
	require.Len(t, m.Points, 2)
	for _, p := range m.Points {
		require.Equal(t, []int{2, 2}, []int{p.Seeds, p.Hits})
	}
	for _, e := range w.o.experiments() {
		require.Equal(t, e.Name == "blinks", e.Grid[0].Options.With != nil, e.Name)
	}
}

// A program can have the command sim beside commands of its own.
func TestCommandsInAnotherTree(t *testing.T) {
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		root := &cobra.Command{Use: "mine", SilenceErrors: true}
		root.SetOut(&out)
		root.SetArgs(args)
		root.AddCommand(Command(Options{With: someExtension(), Name: "mine"}))
		err := root.ExecuteContext(t.Context())
		return out.String(), err
	}
	out, err := run("sim", "list")
	require.NoError(t, err)
	require.Zero(t, ExitCode(err))
	require.Contains(t, out, "blink")
	_, err = run("sim", "--seeds", "many")
	require.ErrorContains(t, err, "mine sim --help explains the flags")
	require.Equal(t, 2, ExitCode(err))
	out, err = run("sim", "--seed", "1", "--faults", "blink", "--workload", "reads", "--replicas", "3")
	require.Equal(t, 1, ExitCode(err))
	require.Empty(t, err.Error(), "it has been told: %s", out)
	require.Contains(t, out, "seed 1: X1 broke: it blinked")
}
