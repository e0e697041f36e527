package recipe_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// goOn is the recipe: it asks the cell whether this mirror may go on without the others. It may do so for as
// long as it leads, and asks IsLeader again before it confirms each write. The example calls it on
// goroutines, and the tests below call it in the simulator.
func goOn(ctx context.Context, c *client.Client, mirror string, patience time.Duration) (term, error) {
	ctx, cancel := c.Runtime().WithTimeout(ctx, patience)
	defer cancel()
	return campaign(ctx, c, recipe.Candidate{File: "/ls/local/mirror", Address: mirror})
}

// The cell as electorate. A service of two mirrors has no majority of its own: when they lose each
// other, either might be the one that is cut off. The cell's lock decides which half goes on. The other
// one stops, until it hears its mirror again.
func Example_electorate() {
	cell := startCell()
	defer cell.stop()
	left, hangUp := cell.dial()
	defer hangUp()
	right, hangUpRight := cell.dial()
	defer hangUpRight()
	ctx, cancel := left.Runtime().WithTimeout(context.Background(), time.Minute)
	defer cancel()

	// The line between the mirrors is cut.
	term, err := goOn(ctx, left, "left", time.Minute)
	fmt.Println("left goes on:", err == nil && term.IsLeader())
	_, err = goOn(ctx, right, "right", 100*time.Millisecond)
	fmt.Println("right stops:", errors.Is(err, context.DeadlineExceeded))
	// Output:
	// left goes on: true
	// right stops: true
}

// mirrors are programs that have lost each other, with a way to ask whether one may go on alone.
type mirrors struct {
	goOn func(ctx context.Context, c *client.Client, mirror string, patience time.Duration) (term, error)
}

func (m mirrors) trial() trial { return trial{name: "electorate", property: "R9", turn: m.turn} }

// turn is one cut of the line between the mirrors. It is property R9, too: when a mirror confirms a write
// that it alone has, no other mirror believes that it may do the same. A mirror that has died believes
// nothing.
func (m mirrors) turn(ctx context.Context, p scenario.Program) {
	mine, err := m.goOn(ctx, p.Client(), fmt.Sprintf("mirror-%d", p.ID()), p.Draw().Duration(time.Second, 20*time.Second))
	if errors.Is(err, context.DeadlineExceeded) {
		p.World().Count("stops")
		return
	}
	if p.Done("go on", true, err); err != nil {
		return
	}
	p.World().Count("goes on")
	alone := sim.Shared(p.World(), "mirrors", func() map[int64]term { return map[int64]term{} })
	alone[p.ID()] = mine
	defer delete(alone, p.ID()) // also when the machine dies
	for range 1 + p.Draw().Int(20) {
		if mine.IsLeader() {
			m.confirm(p, alone)
		}
		if p.Sleep(ctx, p.Draw().Duration(0, time.Second)) != nil {
			return
		}
	}
	within(ctx, p, 5*time.Second, "resign", mine.Resign) // the line is whole again
}

// confirm confirms a write that only this mirror has.
func (m mirrors) confirm(p scenario.Program, alone map[int64]term) {
	for id, other := range alone { // order-free: at most one is found
		if id != p.ID() && other.IsLeader() {
			p.World().Break("R9", "a mirror confirms a write alone, and another mirror may do so too: %d go on", len(alone))
		}
	}
	report(p, "confirms")
}

func TestElectorate(t *testing.T) {
	reaches(t, enough, simtest.Run(t, mirrors{goOn}.trial().options(enough, 4)), "goes on", "stops")
}

func TestElectorateIsDeterministic(t *testing.T) {
	simtest.Verify(t, mirrors{goOn}.trial().options(1, 2))
}

// unasked is the term of a mirror that goes on without the cell.
type unasked struct{ term }

func (unasked) IsLeader() bool               { return true }
func (unasked) Resign(context.Context) error { return nil }

// The trap: a mirror asks, has no answer in time, and takes the silence for the death of the other one.
func TestAMirrorThatGoesOnWithoutAnAnswerIsCaught(t *testing.T) {
	hasty := func(ctx context.Context, c *client.Client, mirror string, patience time.Duration) (term, error) {
		t, err := goOn(ctx, c, mirror, patience)
		if errors.Is(err, context.DeadlineExceeded) {
			return unasked{}, nil
		}
		return t, err
	}
	simtest.Expect(t, mirrors{hasty}.trial().options(20, 4), "R9")
}

// The trap: a mirror goes on because it does not hear the other one, and does not ask.
func TestAMirrorThatDoesNotAskIsCaught(t *testing.T) {
	alone := func(context.Context, *client.Client, string, time.Duration) (term, error) { return unasked{}, nil }
	simtest.Expect(t, mirrors{alone}.trial().options(20, 4), "R9")
}
