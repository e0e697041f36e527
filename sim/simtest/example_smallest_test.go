package simtest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// increment adds 1 to a number outside of the cell, under a lock of the cell. It sends no sequencer: a holder that was
// paused overwrites what a later holder has written.
func increment(ctx context.Context, p scenario.Program) error {
	n := sim.Shared(p.World(), "n", func() *int { return new(int) }) // outside of the cell, one in each run
	f, err := p.Client().Open(ctx, "/ls/local/n", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	if err != nil {
		return err
	}
	defer f.Close(ctx) // frees the lock too
	if _, err := f.Acquire(ctx, client.Exclusive); err != nil {
		return err
	}
	was := *n
	p.Note(fmt.Sprintf("reads number %d", was))
	if err := p.Sleep(ctx, 50*time.Millisecond); err != nil {
		return err
	}
	if *n != was {
		p.World().Break("N1", "number %d becomes number %d, by %s", *n, was+1, event.ProgramID(p.ID()))
	}
	*n = was + 1
	return nil
}

func TestIncrement(t *testing.T) {
	simtest.Program{Turn: increment, Options: simtest.Options{
		Clients: 3, Faults: []string{"client-pause", "client-cut", "client-crash"},
	}}.Expect(t, "N1")
}
