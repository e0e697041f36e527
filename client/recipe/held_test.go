package recipe_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// assertion is what code that needs a lock asks before each step: nil, or why it must stop.
type assertion func(*client.Lock) error

// assertHeld is the recipe: it is nil only while the lock is held and the lease runs by the local clock.
func assertHeld(lock *client.Lock) error { return lock.Err() }

// workUnderLock acquires the lock of a file and makes steps, with a pause after each. Each step begins
// with the assertion, and gets the sequencer for what it sends. The example calls it on goroutines, and
// the tests below call it in the simulator.
func workUnderLock(ctx context.Context, c *client.Client, file string, assert assertion, pause time.Duration, step func(n int, sequencer string) (more bool)) error {
	f, err := c.Open(ctx, file, client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	if err != nil {
		return err
	}
	defer func() { _ = f.Close(ctx) }() // frees the lock, if it is held
	lock, err := f.Acquire(ctx, client.Exclusive)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		if err := assert(lock); err != nil {
			return err
		}
		if !step(n, lock.Sequencer()) {
			return nil
		}
		if err := c.Runtime().Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// Code that needs a lock asserts before each step that it is held. Here an operator deletes the file of
// the lock while the code works, and the assertion stops the code before its next step.
func Example_assertHeld() {
	cell := startCell()
	defer cell.stop()
	worker, hangUp := cell.dial()
	defer hangUp()
	operator, hangUpOperator := cell.dial()
	defer hangUpOperator()
	ctx, cancel := worker.Runtime().WithTimeout(context.Background(), time.Minute)
	defer cancel()

	const file = "/ls/local/job"
	err := workUnderLock(ctx, worker, file, assertHeld, time.Millisecond, func(n int, _ string) bool {
		fmt.Println("step", n)
		if n == 2 {
			f, err := operator.Open(ctx, file, client.OpenOptions{Rights: client.Write})
			if err == nil {
				err = f.Delete(ctx)
			}
			if err != nil {
				log.Fatal(err)
			}
		}
		return n < 100
	})
	fmt.Println(err)
	fmt.Println("the lock is lost for good:", errors.Is(err, client.ErrGone))
	// Output:
	// step 1
	// step 2
	// client: lock "/ls/local/job": node deleted
	// the lock is lost for good: true
}

// asserting is a program that works under a lock, with an assertion.
type asserting struct{ assert assertion }

func (a asserting) trial() trial {
	return trial{name: "assert-held", property: "R8", turn: a.turn, checker: stepsInTurn}
}

func (a asserting) turn(ctx context.Context, p scenario.Program) {
	steps, pause := 1+p.Draw().Int(40), p.Draw().Duration(0, 500*time.Millisecond)
	within(ctx, p, 30*time.Second, "work", func(ctx context.Context) error {
		err := workUnderLock(ctx, p.Client(), "/ls/local/job", a.assert, pause, func(n int, sequencer string) bool {
			q, err := client.ParseSequencer(sequencer)
			if err != nil {
				p.World().Break("R8", "sequencer: %v", err)
			}
			report(p, "step under %d", q.Generation)
			return n < steps
		})
		if errors.Is(err, client.ErrJeopardy) {
			p.World().Count("stopped in jeopardy")
			return nil // the program has done what it should
		}
		return err
	})
}

// stepsInTurn is property R8: once a program has made a step under a generation of the lock, no program
// makes one under an earlier generation.
func stepsInTurn() scenario.Checker {
	var newest uint64
	return reports(func(program int64, call string) error {
		var gen uint64
		if n, _ := fmt.Sscanf(call, "step under %d", &gen); n == 0 {
			return nil
		}
		if gen < newest {
			return fmt.Errorf("program %d makes a step under generation %d of the lock, after a step under %d", program, gen, newest)
		}
		newest = gen
		return nil
	})
}

func TestAssertHeld(t *testing.T) {
	reaches(t, 2*enough, simtest.Run(t, asserting{assertHeld}.trial().options(2*enough, 4)), "stopped in jeopardy")
}

func TestAssertHeldIsDeterministic(t *testing.T) {
	simtest.Verify(t, asserting{assertHeld}.trial().options(1, 2))
}

// The trap: the code counts on the lock because Acquire has returned.
func TestAnAssertionThatIsMadeOnceIsCaught(t *testing.T) {
	simtest.Expect(t, from(9, asserting{func(*client.Lock) error { return nil }}.trial().options(100, 4)), "R8")
}

// The trap: the code asks the context that only a final loss ends. Jeopardy does not end it, and another
// program may have the lock before the grace period is over.
func TestAnAssertionThatIgnoresJeopardyIsCaught(t *testing.T) {
	final := func(lock *client.Lock) error { return lock.Context().Err() }
	simtest.Expect(t, from(11, asserting{final}.trial().options(100, 4)), "R8")
}
