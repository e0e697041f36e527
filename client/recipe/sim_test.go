package recipe_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// trial is a program that uses a recipe, and what must hold of what it reports.
type trial struct {
	name     string // of the workload
	property string // its ID
	turn     func(ctx context.Context, p scenario.Program)
	checker  func() scenario.Checker // nil: the programs themselves call World.Break
	change   string                  // the call that watchers hear of, for the fault hush; "": none
}

func (t trial) Name() string                                 { return t.name }
func (t trial) Help() string                                 { return "programs that use the recipe " + t.name }
func (t trial) Turn(ctx context.Context, p scenario.Program) { t.turn(ctx, p) }

// from lets a test of a trap begin at a seed that is known to show it, to save time; the next ones are
// tried if it does not any more.
func from(seed uint64, o simtest.Options) simtest.Options {
	o.From = seed
	return o
}

func (t trial) options(seeds uint64, clients int) simtest.Options {
	if t.checker == nil {
		t.checker = func() scenario.Checker { return silent{} }
	}
	var faults []scenario.Fault
	if t.change != "" {
		faults = append(faults, hush{t.change})
	}
	return simtest.Options{
		With: &scenario.Extension{
			Faults:     faults,
			Workloads:  []scenario.Workload{t},
			Properties: []scenario.Property{{ID: t.property, Help: "what the recipe " + t.name + " promises", New: t.checker}},
		},
		// The built-in checkers do not know nodes that a workload of an extension opens.
		Judge: t.property, Workload: t.name, Seeds: seeds, Clients: clients, Jobs: 1,
	}
}

// silent leaves all to the programs.
type silent struct{}

func (silent) On(time.Duration, event.Event) error { return nil }
func (silent) End() error                          { return nil }

// reports is a Checker that is told of what programs report.
type reports func(program int64, call string) error

func (f reports) On(_ time.Duration, e event.Event) error {
	if call, ok := e.(event.CallEnded); ok && call.Err == nil {
		return f(int64(call.Program), call.Call)
	}
	return nil
}

func (f reports) End() error { return nil }

// report tells the checker of something that is so at this instant.
func report(p scenario.Program, format string, args ...any) {
	p.Done(fmt.Sprintf(format, args...), true, nil)
}

// within makes a call that may take so long. A call that ran out of its time is no answer and no
// fault; any other error is reported, so that a program whose session is over ends.
func within(ctx context.Context, p scenario.Program, d time.Duration, call string, f func(ctx context.Context) error) bool {
	ctx, cancel := p.Client().Runtime().WithTimeout(ctx, d)
	defer cancel()
	err := f(ctx)
	if err != nil && ctx.Err() != nil && !errors.Is(err, client.ErrSessionExpired) {
		return false
	}
	p.Done(call, true, err)
	return err == nil
}

// enough seeds are those that the tests of the recipes run by themselves, and twice as many where what
// they must reach is rarer. .ci/run asks for more (-sim.seeds).
const enough = 3

// reaches demands that the seeds of a test have counted something (World.Count). Fewer, which the flags of
// simtest ask for, need not.
func reaches(t *testing.T, seeds uint64, totals runner.Totals, names ...string) {
	t.Helper()
	if totals.Seeds < seeds {
		return
	}
	for _, name := range names {
		n := uint64(0)
		for _, c := range totals.Counters {
			if c.Name == name {
				n = c.Seeds
			}
		}
		if n == 0 {
			t.Errorf("no seed counted %q: %v", name, totals.Counters)
		}
	}
}
