package simtest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// incrementFenced is increment, repaired: it sends its sequencer with the read and with the write, and a fence at the
// number refuses a holder once a later one has come.
func incrementFenced(ctx context.Context, p scenario.Program) error {
	n := sim.Shared(p.World(), "n", func() *int { return new(int) })
	fence := sim.Shared(p.World(), "fence", func() *recipe.Fence { return recipe.NewFence("/ls/local/n") })
	f, err := p.Client().Open(ctx, "/ls/local/n", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	if err != nil {
		return err
	}
	defer f.Close(ctx)
	lock, err := f.Acquire(ctx, client.Exclusive)
	if err != nil {
		return err
	}
	if err := fence.Read(lock.Sequencer()); err != nil {
		return err
	}
	was := *n
	p.Note(fmt.Sprintf("reads number %d", was))
	if err := p.Sleep(ctx, 50*time.Millisecond); err != nil {
		return err
	}
	if err := fence.Write(lock.Sequencer()); err != nil {
		p.World().Count("refused")
		return err
	}
	if *n != was {
		p.World().Break("N1", "number %d becomes number %d, by %s", *n, was+1, event.ProgramID(p.ID()))
	}
	*n = was + 1
	return nil
}

func TestIncrementFenced(t *testing.T) {
	totals := simtest.Program{Turn: incrementFenced, Options: simtest.Options{
		Clients: 3, Faults: []string{"client-pause", "client-cut", "client-crash"}, Seeds: 6,
	}}.Run(t)
	if totals.Counter("refused").Sum == 0 {
		t.Error("the fence has refused no write")
	}
}
