package simtest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// work acquires the lock of a file and makes steps, as long as step returns true. check tells it before each step why
// it must stop. The same function runs in the simulator and on goroutines.
func work(ctx context.Context, c *client.Client, check func(*client.Lock) error, step func(sequencer string) bool) error {
	f, err := c.Open(ctx, "/ls/local/job", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	if err != nil {
		return err
	}
	defer f.Close(ctx) // frees the lock too
	lock, err := f.Acquire(ctx, client.Exclusive)
	for err == nil {
		if err = check(lock); err == nil {
			if !step(lock.Sequencer()) {
				return nil
			}
			err = c.Runtime().Sleep(ctx, 100*time.Millisecond) // of the simulated clock, in the simulator
		}
	}
	return err
}

// byLease is right: Err returns an error from the instant the lease may be over, by the local clock.
func byLease(lock *client.Lock) error { return lock.Err() }

// byContext is the mistake: this context ends when the lock is lost for good. The client learns that when it reaches
// the cell again, or after its grace period. Another client has the lock by then.
func byContext(lock *client.Lock) error { return lock.Context().Err() }

// steps are those that all holders have made.
type steps struct {
	mu     sync.Mutex
	newest uint64
}

// add records a step, and returns the generation of the lock in its sequencer, and the newest one before.
func (s *steps) add(sequencer string) (generation, newest uint64) {
	q, err := client.ParseSequencer(sequencer)
	if err != nil {
		panic(err) // it comes from the client
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	newest, s.newest = s.newest, max(s.newest, q.Generation)
	return q.Generation, newest
}

// working is the test: when a holder has made a step, no earlier holder makes one.
func working(check func(*client.Lock) error) simtest.Program {
	return simtest.Program{
		Turn: func(ctx context.Context, p scenario.Program) error {
			made := sim.Shared(p.World(), "steps", func() *steps { return &steps{} })
			n := 1 + p.Draw().Int(15)
			return work(ctx, p.Client(), check, func(sequencer string) bool {
				generation, newest := made.add(sequencer)
				p.Note(fmt.Sprintf("makes a step as holder %d", generation))
				if generation < newest {
					p.World().Break("H1", "holder %d makes a step after holder %d, by %s", generation, newest, event.ProgramID(p.ID()))
				}
				p.World().Count("steps")
				n--
				return n > 0
			})
		},
		Options: simtest.Options{
			Seeds: 3, Clients: 3, Duration: 30 * time.Second, // holders work for long: no seed would count, see MinCounted
			Faults: []string{"client-pause", "client-cut"}, Set: []string{"session-lease=500ms"},
		},
	}
}

func TestWork(t *testing.T) {
	totals := working(byLease).Run(t)
	require.NotZero(t, totals.Counter("steps").Sum, "the programs did nothing")
}

func TestBeliefAfterTheLeaseIsCaught(t *testing.T) { working(byContext).Expect(t, "H1") }

// lateSteps runs work on goroutines, in a bubble: a holder is cut off, and another client gets the lock. It returns how
// many steps the first holder makes after that, and why it stops.
func lateSteps(t *testing.T, check func(*client.Lock) error) (late int, why error) {
	synctest.Test(t, func(t *testing.T) {
		cell := chubbytest.Start(t, chubbytest.Options{Lease: 12 * time.Second, Grace: 45 * time.Second})
		ann, bob := cell.Client(t), cell.Client(t)
		made, began, ended := &steps{}, make(chan struct{}), make(chan error)
		go func() {
			first := sync.OnceFunc(func() { close(began) })
			ended <- work(t.Context(), ann, check, func(sequencer string) bool {
				if generation, newest := made.add(sequencer); generation < newest {
					late++
				}
				first()
				return true
			})
		}()
		<-began
		cell.CutClient(ann)
		require.NoError(t, work(t.Context(), bob, check, func(sequencer string) bool {
			made.add(sequencer)
			return false
		}))
		why = <-ended
	})
	return late, why
}

func TestWorkOnGoroutines(t *testing.T) {
	late, why := lateSteps(t, byLease)
	require.Zero(t, late)
	require.ErrorIs(t, why, client.ErrJeopardy)
}

func TestBeliefAfterTheLeaseOnGoroutines(t *testing.T) {
	late, _ := lateSteps(t, byContext)
	require.NotZero(t, late, "the holder did not act on a lock that another client had")
}
