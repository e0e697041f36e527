package client_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// watched opens a file that is made, and hears of these events.
func watched(t *testing.T, ctx context.Context, c *client.Client, mask client.EventMask) *client.Handle {
	f, err := c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay, Events: mask})
	require.NoError(t, err)
	return f
}

func TestAHandleHearsOfItsNode(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		writer := w.guest(nil)
		mine := watched(t, ctx, w.c, client.WantContents|client.WantInvalid)
		theirs := watched(t, ctx, writer.Client, 0)
		began := time.Now()
		_, err := theirs.SetContents(ctx, "x", 0)
		require.NoError(t, err)
		e := next(t, ctx, mine.Events())
		require.Less(t, time.Since(began), time.Second, "the KeepAlive that waits is answered")
		require.NotZero(t, e.Cause)
		e.Cause = 0
		require.Equal(t, client.Event{Kind: client.EventContents, Node: "/ls/local/f"}, e)
		text, _, err := mine.Contents(ctx)
		require.NoError(t, err)
		require.Equal(t, "x", text, "an event comes after the fact")

		require.NoError(t, theirs.Delete(ctx))
		require.Equal(t, client.EventInvalid, next(t, ctx, mine.Events()).Kind)
		for range 2 {
			_, err = mine.Events().Next(w.within(time.Minute))
			require.ErrorIs(t, err, client.ErrGone, "nothing more will come")
		}
	})
}

func TestADirectoryHearsOfItsChildren(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		dir, err := w.c.Open(ctx, "/ls/local", client.OpenOptions{Events: client.WantChildren})
		require.NoError(t, err)
		f := watched(t, ctx, w.c, 0)
		_, err = f.SetContents(ctx, "x", 0)
		require.NoError(t, err)
		require.NoError(t, f.Delete(ctx))
		for _, change := range []client.Change{client.ChildAdded, client.ChildChanged, client.ChildRemoved} {
			e := next(t, ctx, dir.Events())
			require.Equal(t, client.EventChildren, e.Kind)
			require.Equal(t, "f", e.Child)
			require.Equal(t, change, e.Change)
		}
	})
}

// A watcher that makes no call at all hears the first change under the third master.
func TestAWatcherSurvivesFailOversWithoutACall(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		writer := w.guest(nil)
		mine := watched(t, ctx, w.c, client.WantContents|client.WantFailover)
		for epoch := range 2 {
			w.cell.set(func() { w.cell.failover(w.cell.master%3 + 1) })
			e := next(t, ctx, mine.Events())
			require.Equal(t, client.EventFailover, e.Kind)
			require.EqualValues(t, epoch+2, e.Epoch)
			require.Equal(t, client.EventReadAgain, next(t, ctx, mine.Events()).Kind, "what came before may have been missed")
		}
		theirs := watched(t, ctx, writer.Client, 0)
		_, err := theirs.SetContents(ctx, "x", 0)
		require.NoError(t, err)
		require.Equal(t, client.EventContents, next(t, ctx, mine.Events()).Kind)
	})
}

// watchedLate is watched where theirs changes the node after the Open was executed and before its answer has come: the
// first answer is lost.
func watchedLate(t *testing.T, ctx context.Context, w *world, theirs *client.Handle, want client.EventMask) (mine *client.Handle) {
	lost := 0
	w.fault(func(_ uint32, answer bool) bool {
		if answer {
			lost++
		}
		return answer && lost == 1
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		mine = watched(t, ctx, w.c, want)
	}()
	time.Sleep(10 * time.Millisecond)
	_, err := theirs.SetContents(ctx, "x", 0)
	require.NoError(t, err)
	<-done
	return mine
}

// A handle that asks for fail-overs alone is told of nothing else: neither of what may have changed before it had its
// answer, nor in place of fail-overs that a slow program does not take.
func TestAHandleThatAsksForFailOversGetsNothingElse(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		writer := w.guest(nil)
		watched(t, ctx, w.c, client.WantContents) // so that the Client hears of the change
		theirs := watched(t, ctx, writer.Client, 0)
		mine := watchedLate(t, ctx, w, theirs, client.WantFailover)
		w.fault(nil)
		const failOvers = 70
		for range failOvers {
			w.cell.set(func() { w.cell.failover(w.cell.master%3 + 1) })
			time.Sleep(20 * time.Second)
		}
		e := next(t, ctx, mine.Events())
		require.Equal(t, client.EventFailover, e.Kind)
		require.Equal(t, 63, e.Missed)
		require.EqualValues(t, 65, e.Epoch, "the first one was of epoch 2")
		for epoch := 66; epoch <= failOvers+1; epoch++ {
			e := next(t, ctx, mine.Events())
			require.Equal(t, client.EventFailover, e.Kind)
			require.EqualValues(t, epoch, e.Epoch)
		}
	})
}

// What a slow program does not take becomes one "read again", and stands for all of it.
func TestASlowProgramIsToldToReadAgain(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		mine := watched(t, ctx, w.c, client.WantContents)
		for i := range 70 {
			_, err := mine.SetContents(ctx, strconv.Itoa(i), 0)
			require.NoError(t, err)
			time.Sleep(time.Second)
		}
		require.Equal(t, client.Event{Kind: client.EventReadAgain, Node: "/ls/local/f", Missed: 64}, next(t, ctx, mine.Events()))
		for range 6 {
			require.Equal(t, client.EventContents, next(t, ctx, mine.Events()).Kind)
		}
	})
}

// A slow program is told of the last fail-over by its own event, if it asks for that: "read again" is about the
// node, and stands for all other events.
func TestASlowProgramIsToldOfTheLastFailOver(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		mine := watched(t, ctx, w.c, client.WantContents|client.WantFailover|client.WantInvalid)
		for range 2 {
			w.cell.set(func() { w.cell.failover(w.cell.master%3 + 1) })
			time.Sleep(20 * time.Second)
		}
		const writes = 100
		for i := range writes {
			_, err := mine.SetContents(ctx, strconv.Itoa(i), 0)
			require.NoError(t, err)
			time.Sleep(time.Second)
		}
		require.NoError(t, mine.Delete(ctx))
		var failovers, kinds []any
		told := 0
		for e, err := range mine.Events().All(ctx) {
			if err != nil {
				require.ErrorIs(t, err, client.ErrGone)
				break
			}
			told += 1 + e.Missed
			if e.Kind == client.EventFailover {
				failovers = append(failovers, e)
			}
			kinds = append(kinds, e.Kind)
		}
		require.Equal(t, []any{client.Event{Kind: client.EventFailover, Cell: "local", Node: "/ls/local/f", Epoch: 3}}, failovers)
		require.Equal(t, []any{client.EventReadAgain, client.EventFailover}, kinds[:2])
		require.Equal(t, client.EventInvalid, kinds[len(kinds)-1])
		require.GreaterOrEqual(t, told, writes+3, "all events are counted: those that came, and those that were left out")
	})
}

// What happens between the execution of an Open and its answer is not missed.
func TestAnEventInFrontOfTheAnswerToItsOpenIsNotMissed(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		writer := w.guest(nil)
		require.NoError(t, w.c.Ready(ctx))
		theirs := watched(t, ctx, writer.Client, 0)
		mine := watchedLate(t, ctx, w, theirs, client.WantContents)
		require.Equal(t, client.EventReadAgain, next(t, ctx, mine.Events()).Kind)
	})
}

// Nor is it where another handle of the session watches the node already, and hears of other events
// or of this one.
func TestAnEventInFrontOfTheAnswerToASecondOpenIsNotMissed(t *testing.T) {
	for _, first := range []client.EventMask{client.WantInvalid, client.WantContents} {
		bubble(t, nil, func(w *world) {
			ctx := w.within(time.Hour)
			writer := w.guest(nil)
			watched(t, ctx, w.c, first)
			theirs := watched(t, ctx, writer.Client, 0)
			lost := 0
			w.fault(func(_ uint32, answer bool) bool {
				if answer {
					lost++
				}
				return answer && lost == 1 // the answer to the second Open
			})
			var second *client.Handle
			done := make(chan struct{})
			go func() {
				defer close(done)
				second = watched(t, ctx, w.c, client.WantContents)
			}()
			time.Sleep(10 * time.Millisecond)
			_, err := theirs.SetContents(ctx, "x", 0)
			require.NoError(t, err)
			<-done
			e, err := second.Events().Next(w.within(time.Minute))
			require.NoError(t, err, "the first handle asks for %v", first)
			require.Equal(t, client.EventReadAgain, e.Kind)
		})
	}
}

func TestTheEventsOfAHandleEndWithIt(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		closed, poisoned, expired := watched(t, ctx, w.c, client.WantContents), watched(t, ctx, w.c, client.WantContents), watched(t, ctx, w.c, client.WantInvalid)
		_, err := watched(t, ctx, w.c, 0).Events().Next(ctx)
		require.ErrorIs(t, err, client.ErrInvalid, "it has asked for none")
		ends := make(chan error)
		go func() {
			for _, err := range closed.Events().All(ctx) {
				ends <- err
			}
		}()
		synctest.Wait()
		require.NoError(t, closed.Close(ctx))
		require.ErrorIs(t, <-ends, client.ErrClosed)
		poisoned.Poison()
		_, err = poisoned.Events().Next(ctx)
		require.ErrorIs(t, err, client.ErrPoisoned)
		w.cell.set(func() {
			for id := range w.cell.sessions {
				w.cell.endSession(id)
			}
		})
		require.Equal(t, client.EventInvalid, next(t, ctx, expired.Events()).Kind)
		_, err = expired.Events().Next(ctx)
		require.ErrorIs(t, err, client.ErrSessionExpired)
	})
}

// Where no KeepAlive can bring an event, a program is told so, and waits for none.
func TestWithoutLeasesThereAreNoEvents(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		w.cell.leases.none = true
		mine := watched(t, ctx, w.c, client.WantContents)
		_, err := mine.Events().Next(ctx)
		require.ErrorIs(t, err, client.ErrNoLeases)
		w.cell.set(func() { w.cell.leases.none = false; w.cell.failover(2) })
		_, err = mine.SetContents(ctx, "x", 0) // reaches the new master, which gives leases
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.Equal(t, client.EventReadAgain, next(t, ctx, mine.Events()).Kind)
	})
}

func TestEachCallsAFunction(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		mine := watched(t, ctx, w.c, client.WantContents)
		got := make(chan client.EventKind, 9)
		stop := mine.Events().Each(ctx, func(e client.Event) { got <- e.Kind })
		_, err := mine.SetContents(ctx, "x", 0)
		require.NoError(t, err)
		require.Equal(t, client.EventContents, <-got)
		stop()
		synctest.Wait()
		_, err = mine.SetContents(ctx, "y", 0)
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.Empty(t, got)
	})
}

// A lock is wanted of the handle that holds it, and of no other of the session.
func TestALockIsWantedOfTheHandleThatHoldsIt(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		rival := w.guest(nil)
		holds, other := watched(t, ctx, w.c, client.WantLockWanted), watched(t, ctx, w.c, client.WantLockWanted)
		theirs := watched(t, ctx, rival.Client, 0)
		first, err := holds.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		_, err = theirs.TryAcquire(ctx, client.Shared)
		require.ErrorIs(t, err, client.ErrLockHeld)
		e := next(t, ctx, holds.Events())
		require.Equal(t, client.EventLockWanted, e.Kind)
		require.Equal(t, client.Shared, e.Mode)
		require.Zero(t, e.Cause, "it may be told after a later change: when the handle hears that it has the lock")
		_, err = other.Events().Next(w.within(time.Second))
		require.ErrorIs(t, err, context.DeadlineExceeded)

		_, err = theirs.TryAcquire(ctx, client.Shared) // on its way while the lock is released
		require.ErrorIs(t, err, client.ErrLockHeld)
		require.NoError(t, first.Release(ctx))
		_, err = other.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		_, err = other.Events().Next(w.within(time.Second))
		require.ErrorIs(t, err, context.DeadlineExceeded, "that was another acquisition")
		_, err = theirs.TryAcquire(ctx, client.Shared)
		require.ErrorIs(t, err, client.ErrLockHeld)
		require.Equal(t, client.EventLockWanted, next(t, ctx, other.Events()).Kind)
	})
}

// A program ends Each while it is in its function, and others of its threads read the queue on: what waits is theirs.
func TestAnEachThatIsStoppedTakesNothingMore(t *testing.T) {
	for name, end := range map[string]func(stop, cancel func()){
		"by stop":        func(stop, _ func()) { stop() },
		"by its context": func(_, cancel func()) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(w *world) {
				ctx := w.within(time.Hour)
				h, err := w.c.Open(ctx, "/ls/local/f", client.OpenOptions{
					Rights: client.Read | client.Write, Create: client.CreateMay, Events: client.WantContents,
				})
				require.NoError(t, err)
				write := func() {
					_, err := h.SetContents(ctx, "text", 0)
					require.NoError(t, err)
					synctest.Wait()
				}
				until, cancel := context.WithCancel(ctx)
				defer cancel()
				calls, goOn := 0, make(chan struct{})
				stop := h.Events().Each(until, func(client.Event) {
					calls++
					<-goOn
				})
				write()
				write()
				end(stop, cancel)
				close(goOn)
				synctest.Wait()
				require.Equal(t, 1, calls)
				e, err := h.Events().Next(w.within(time.Minute))
				require.NoError(t, err)
				require.Equal(t, client.EventContents, e.Kind)
			})
		})
	}
}
