package simtest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// account is a store outside of the cell. Its fence refuses a sequencer that is older than one that it has seen.
type account struct {
	fence   *recipe.Fence
	balance int
}

// add makes one payment into the account, by the holder of a lock: it reads the balance, works for a while, and writes
// the sum. Without the fence, a holder that was paused overwrites what a later holder has written.
func add(fenced bool) func(context.Context, scenario.Program) error {
	return func(ctx context.Context, p scenario.Program) error {
		a := sim.Shared(p.World(), "account", func() *account { return &account{fence: recipe.NewFence("/ls/local/account")} })
		f, err := p.Client().Open(ctx, "/ls/local/account", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
		if err != nil {
			return err
		}
		defer f.Close(ctx)
		lock, err := f.Acquire(ctx, client.Exclusive) // freed by Close
		if err != nil {
			return err
		}
		if err := a.fence.Read(lock.Sequencer()); fenced && err != nil {
			return err
		}
		was := a.balance
		p.Note(fmt.Sprintf("reads balance %d", was))
		if err := p.Sleep(ctx, time.Duration(1+p.Draw().Int(100))*time.Millisecond); err != nil {
			return err
		}
		if err := a.fence.Write(lock.Sequencer()); fenced && err != nil {
			return err // a later holder was here
		}
		p.Note(fmt.Sprintf("writes balance %d", was+1))
		if a.balance != was {
			p.World().Break("B1", "balance %d becomes balance %d, by %s", a.balance, was+1, event.ProgramID(p.ID()))
		}
		a.balance = was + 1
		p.World().Count("payments")
		return nil
	}
}

// paying is the test: no payment is lost, whatever happens to the machines of the programs.
func paying(fenced bool) simtest.Program {
	return simtest.Program{Turn: add(fenced), Options: simtest.Options{
		Seeds: 8, Clients: 3, Faults: []string{"client-pause", "client-cut", "client-crash"},
	}}
}

func TestPayments(t *testing.T) {
	totals := paying(true).Run(t)
	require.NotZero(t, totals.Counter("payments").Sum, "the programs did nothing")
}

func TestPaymentsWithoutAFenceAreLost(t *testing.T) { paying(false).Expect(t, "B1") }
