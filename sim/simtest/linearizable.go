package simtest

import (
	"errors"
	"fmt"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/runner"
)

// Linearizable returns a property of one run of a World: the history of its calls is linearizable
// under a model. Programs record their calls in calls, with the times of World.Now. The property
// judges the whole history when the run is over. If the search is given up, the seed is undecided,
// and fails the test; a model whose histories have partitions keeps searches short. With -sim.out,
// the directory of a failing seed has the history, for `chubby check` and other checkers, and its
// picture. They have the calls up to the break if another property broke.
func Linearizable[S, I, O any](id string, model *linearizability.Model[S, I, O], calls *linearizability.Recorder[I, O]) sim.Property {
	return &linearizable[S, I, O]{id: id, model: model, calls: calls}
}

// historian is a property that has a history.
type historian interface {
	sim.Property
	isUndecided() bool
	write(dir string) (without string, err error) // see runner.WriteHistory
}

type linearizable[S, I, O any] struct {
	id        string
	model     *linearizability.Model[S, I, O]
	calls     *linearizability.Recorder[I, O]
	undecided bool
}

func (p *linearizable[S, I, O]) ID() string             { return p.id }
func (p *linearizable[S, I, O]) Check(*sim.World) error { return nil }

// End implements sim.Ender.
func (p *linearizable[S, I, O]) End(*sim.World) error {
	report, err := linearizability.CheckHistory(p.model, p.calls.History(), linearizability.Options{})
	if err != nil {
		return fmt.Errorf("the history cannot be checked: %w", err)
	}
	p.undecided = report.Verdict == linearizability.Undecided
	switch {
	case report.Verdict != linearizability.Illegal:
		return nil
	case report.Explanation == nil: // only the witness check ran
		return errors.New("the history is not linearizable")
	}
	return errors.New(report.Explanation.Text)
}

func (p *linearizable[S, I, O]) isUndecided() bool { return p.undecided }

func (p *linearizable[S, I, O]) write(dir string) (without string, err error) {
	return runner.WriteHistory(dir, p.model, p.calls.History())
}
