package recipe_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

const (
	semaphoreDir = "/ls/local/permits"
	permits      = 2
)

// permit is what a program needs of a recipe.Permit.
type permit interface {
	Held() bool
	Release(ctx context.Context) error
}

// limited is a program that works while it has one of two permits.
type limited struct {
	acquire func(ctx context.Context, c *client.Client) (permit, error)
}

func newLimited(acquire func(ctx context.Context, c *client.Client) (permit, error)) limited {
	return limited{acquire}
}

func acquirePermit(ctx context.Context, c *client.Client) (permit, error) {
	p, err := recipe.NewSemaphore(c, semaphoreDir, permits).Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (l limited) trial() trial { return trial{name: "semaphore", property: "R5", turn: l.turn} }

// turn is property R5, too: at no instant do more programs believe that they have a permit than there
// are permits. A program that has died believes nothing.
func (l limited) turn(ctx context.Context, p scenario.Program) {
	var mine permit
	if !within(ctx, p, 20*time.Second, "acquire", func(ctx context.Context) (err error) {
		mine, err = l.acquire(ctx, p.Client())
		return err
	}) {
		return
	}
	working := sim.Shared(p.World(), "permits", func() *[]permit { return new([]permit) }) // of all programs that live
	*working = append(*working, mine)
	defer func() { // also when the machine dies
		for i, have := range *working {
			if have == mine {
				*working = append((*working)[:i:i], (*working)[i+1:]...)
				return
			}
		}
	}()
	for range 1 + p.Draw().Int(20) {
		held := 0
		for _, have := range *working {
			if have.Held() {
				held++
			}
		}
		if held > permits {
			p.World().Break("R5", "%d programs hold one of %d permits", held, permits)
		}
		if held == permits {
			p.World().Count("all taken")
		}
		report(p, "works")
		if p.Sleep(ctx, p.Draw().Duration(0, 200*time.Millisecond)) != nil {
			return
		}
	}
	within(ctx, p, 5*time.Second, "release", mine.Release)
}

func TestSemaphore(t *testing.T) {
	reaches(t, enough, simtest.Run(t, newLimited(acquirePermit).trial().options(enough, 4)), "all taken")
}

func TestSemaphoreIsDeterministic(t *testing.T) {
	simtest.Verify(t, newLimited(acquirePermit).trial().options(1, 2))
}

// counted is a permit of a semaphore with the trap: a number in a file, that each program reads and
// writes.
type counted struct{ f *client.Handle }

func (counted) Held() bool { return true }

func (p counted) Release(ctx context.Context) error {
	defer func() { _ = p.f.Close(ctx) }()
	return p.add(ctx, -1)
}

func (p counted) add(ctx context.Context, k int) error {
	text, _, err := p.f.Contents(ctx)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(text)
	if n+k > permits {
		return errors.New("no permit")
	}
	_, err = p.f.SetContents(ctx, strconv.Itoa(n+k), 0)
	return err
}

func TestPermitsThatAreCountedInAFileAreCaught(t *testing.T) {
	o := newLimited(func(ctx context.Context, c *client.Client) (permit, error) {
		f, err := c.Open(ctx, "/ls/local/count", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
		if err != nil {
			return nil, err
		}
		if err := (counted{f}).add(ctx, 1); err != nil {
			_ = f.Close(ctx)
			return nil, err
		}
		return counted{f}, nil
	}).trial().options(20, 4)
	simtest.Expect(t, o, "R5")
}

// kept is a permit that a program counts on for longer than its lease.
type kept struct{ permit }

func (kept) Held() bool { return true }

func TestAPermitWithoutALeaseIsCaught(t *testing.T) {
	simtest.Expect(t, newLimited(func(ctx context.Context, c *client.Client) (permit, error) {
		p, err := acquirePermit(ctx, c)
		if err != nil {
			return nil, err
		}
		return &kept{p}, nil
	}).trial().options(100, 4), "R5")
}

func TestPermitsPassOn(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := recipe.NewSemaphore(c, semaphoreDir, permits)
	var all []*recipe.Permit
	for range permits {
		p, err := s.Acquire(ctx)
		require.NoError(t, err)
		require.True(t, p.Held())
		all = append(all, p)
	}
	require.NotEqual(t, all[0].Sequencer(), all[1].Sequencer())
	short, stop := c.Runtime().WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	_, err := s.Acquire(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	got := c.Runtime().NewSignal()
	c.Runtime().Go("next", func() {
		defer got.Fire()
		p, err := s.Acquire(ctx)
		if err != nil || !p.Held() {
			t.Errorf("%v", err)
		}
	})
	require.NoError(t, all[1].Release(ctx))
	require.ErrorIs(t, all[1].Err(), client.ErrClosed)
	_, err = c.Runtime().Wait(ctx, got)
	require.NoError(t, err)
	require.True(t, all[0].Held())
}

// A waiting Acquire that can no longer have one of the permits waits for the others, and tells that its context has ended.
func TestAWaitForPermitsEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		cell := chubbytest.Start(t, chubbytest.Options{Replicas: 1})
		ann, bob := cell.Client(t), cell.Client(t)
		s := recipe.NewSemaphore(ann, semaphoreDir, permits)
		for range permits {
			_, err := s.Acquire(ctx)
			require.NoError(t, err)
		}
		short, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		ended := make(chan error, 1)
		go func() {
			_, err := recipe.NewSemaphore(bob, semaphoreDir, permits).Acquire(short)
			ended <- err
		}()
		synctest.Wait()
		file, err := ann.Open(ctx, semaphoreDir+"/permit-0", client.OpenOptions{Rights: client.Write})
		require.NoError(t, err)
		require.NoError(t, file.Delete(ctx))
		require.ErrorIs(t, <-ended, context.DeadlineExceeded)
		require.ErrorIs(t, short.Err(), context.DeadlineExceeded)
	})
}
