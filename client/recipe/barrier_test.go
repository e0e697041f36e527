package recipe_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// together is how many members a round has.
const together = 3

// barrier is what a program needs of a recipe.Barrier.
type barrier interface {
	Enter(ctx context.Context) error
	Leave(ctx context.Context) error
}

// round is what all programs of a world know of one round.
type round struct {
	began  int
	opened bool                               // a member has entered
	inside map[scenario.Program]time.Duration // have entered at this time, and do not leave yet
}

// rounds are those of one run.
type rounds struct{ all map[time.Duration]*round }

// joint is a program that works in rounds with others.
type joint struct {
	barrier func(c *client.Client, dir, name string) barrier
	calm    bool // there are no faults: each call is answered in time
}

func newJoint(f func(c *client.Client, dir, name string) barrier) joint {
	return joint{barrier: f}
}

func recipeBarrier(c *client.Client, dir, name string) barrier {
	return recipe.NewBarrier(c, dir, name, together)
}

func (j joint) trial() trial {
	return trial{name: "barrier", property: "R6", turn: j.turn, change: "enter"}
}

// round is that of this time. Programs that come in the same ten seconds work together.
func (j joint) round(p scenario.Program) (*round, time.Duration) {
	all := sim.Shared(p.World(), "rounds", func() *rounds { return &rounds{map[time.Duration]*round{}} })
	n := p.World().Now() / (10 * time.Second)
	if all.all[n] == nil {
		all.all[n] = &round{inside: map[scenario.Program]time.Duration{}}
	}
	return all.all[n], n
}

// turn is property R6, too: a member goes on only when so many have begun, and ends only when no other
// one is inside that was so when it began to leave, and whose session is alive.
func (j joint) turn(ctx context.Context, p scenario.Program) {
	r, n := j.round(p)
	r.began++
	defer delete(r.inside, p) // also when the machine dies
	b := j.barrier(p.Client(), fmt.Sprintf("/ls/local/round-%d", n), fmt.Sprintf("m%d-%d", p.ID(), r.began))
	report(p, "about to enter")
	opened := r.opened
	if within(ctx, p, 20*time.Second, "enter", b.Enter) {
		if r.began < together {
			p.World().Break("R6", "program %d has entered round %d, and %d of %d members had begun", p.ID(), n, r.began, together)
		}
		p.World().Count("entered")
		r.opened, r.inside[p] = true, p.World().Now()
		_ = p.Sleep(ctx, p.Draw().Duration(0, 2*time.Second))
		delete(r.inside, p)
		began := p.World().Now()
		if within(ctx, p, 20*time.Second, "leave", b.Leave) {
			p.World().Count("left")
			j.others(p, r, n, began)
		}
	} else if j.calm && opened {
		p.World().Break("R6", "program %d is not let into round %d, which others have entered", p.ID(), n)
	}
	_ = p.Sleep(ctx, p.Draw().Duration(0, 2*time.Second))
}

// others looks for members that were inside when this one began to leave. Later ones do not count: a
// barrier that is open lets them in.
func (j joint) others(p scenario.Program, r *round, n, began time.Duration) {
	inside := 0
	for o, entered := range r.inside { // order-free: a count
		if s := o.Client().Status(); entered < began && s.Lease == session.Valid && o.Now().Before(s.Bound) {
			inside++
		}
	}
	if inside > 0 {
		p.World().Break("R6", "program %d has left round %d, and %d members are inside", p.ID(), n, inside)
	}
}

func TestBarrier(t *testing.T) {
	reaches(t, enough, simtest.Run(t, newJoint(recipeBarrier).trial().options(enough, 4)), "entered", "left")
}

// unmarked is a barrier with the trap: no mark says that the number was reached.
type unmarked struct {
	c         *client.Client
	dir, name string
	r         *recipe.Registration
}

func unmarkedBarrier(c *client.Client, dir, name string) barrier {
	return &unmarked{c: c, dir: dir, name: name}
}

func (b *unmarked) Enter(ctx context.Context) (err error) {
	if b.r, err = recipe.Register(ctx, b.c, b.dir, b.name, ""); err != nil {
		return err
	}
	return b.await(ctx, func(members int) bool { return members >= together })
}

func (b *unmarked) Leave(ctx context.Context) error {
	if err := b.r.Leave(ctx); err != nil {
		return err
	}
	return b.await(ctx, func(members int) bool { return members == 0 })
}

func (b *unmarked) await(ctx context.Context, done func(members int) bool) error {
	for members, err := range recipe.Watch(ctx, b.c, b.dir) {
		if err != nil || done(len(members)) {
			return err
		}
	}
	return nil
}

// options are those of cells without faults.
func (j joint) options(seeds uint64) simtest.Options {
	j.calm = true
	o := j.trial().options(seeds, 4)
	o.Faults = []string{}
	return o
}

func TestABarrierThatIsOpenLetsLateMembersIn(t *testing.T) {
	simtest.Run(t, newJoint(recipeBarrier).options(enough))
}

func TestABarrierWithoutAMarkIsCaught(t *testing.T) {
	simtest.Expect(t, newJoint(unmarkedBarrier).options(20), "R6")
}

// hurried is a barrier with the trap: a member goes on when it has told the others.
type hurried struct{ barrier }

func (h hurried) Leave(ctx context.Context) error {
	short, cancel := context.WithCancel(ctx)
	cancel()
	_ = h.barrier.Leave(short) // begins to leave, and does not wait
	return nil
}

func TestABarrierThatDoesNotWaitForTheOthersIsCaught(t *testing.T) {
	simtest.Expect(t, newJoint(func(c *client.Client, dir, name string) barrier {
		return hurried{recipeBarrier(c, dir, name)}
	}).trial().options(20, 4), "R6")
}

func TestBarrierIsDeterministic(t *testing.T) {
	simtest.Verify(t, newJoint(recipeBarrier).trial().options(1, 2))
}

// TestABarrier has three members that begin and end together, on goroutines.
func TestABarrier(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(t.Context(), time.Minute)
	defer cancel()
	b := recipe.NewBarrier(c, "/ls/local/round", "a", 2)
	short, stop := c.Runtime().WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	require.ErrorIs(t, b.Enter(short), context.DeadlineExceeded, "it is alone")

	left := c.Runtime().NewSignal()
	c.Runtime().Go("other", func() {
		defer left.Fire()
		o := recipe.NewBarrier(c, "/ls/local/round", "b", 2)
		if err := o.Enter(ctx); err != nil {
			t.Error(err)
		}
		if err := o.Leave(ctx); err != nil {
			t.Error(err)
		}
	})
	require.NoError(t, b.Enter(ctx))
	require.NoError(t, b.Leave(ctx))
	_, err := c.Runtime().Wait(ctx, left)
	require.NoError(t, err)

	late := recipe.NewBarrier(c, "/ls/local/round", "c", 2)
	require.NoError(t, late.Enter(ctx), "it is open for good")
	require.NoError(t, late.Leave(ctx))
}

func TestANameThatNoMemberCanHaveIsRefused(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, name := range []string{"open", "", "a/b"} {
		err := recipe.NewBarrier(c, "/ls/local/round", name, 1).Enter(ctx)
		require.ErrorIs(t, err, client.ErrInvalid, "%q", name)
		require.ErrorContains(t, err, fmt.Sprintf("%q", name))
	}
	require.NoError(t, recipe.NewBarrier(c, "/ls/local/round", "opened", 1).Enter(ctx))
}

// The last member tidies up: it deletes the files of the round, and the directory. That keeps no member from leaving.
func TestAMemberLeavesARoundThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cell := chubbytest.Start(t, chubbytest.Options{Replicas: 1})
		c, other := cell.Client(t), cell.Client(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		remove := func(path string) {
			h, err := other.Open(ctx, "/ls/local/round"+path, client.OpenOptions{Rights: client.Write})
			require.NoError(t, err)
			require.NoError(t, h.Delete(ctx))
			require.NoError(t, h.Close(ctx))
		}
		waits := recipe.NewBarrier(other, "/ls/local/round", "waits", 1)
		require.NoError(t, waits.Enter(ctx))
		late := recipe.NewBarrier(c, "/ls/local/round", "late", 1)
		require.NoError(t, late.Enter(ctx))
		left := make(chan error)
		go func() { left <- waits.Leave(ctx) }()
		synctest.Wait()
		remove("/late")
		require.NoError(t, <-left)
		remove("/open")
		remove("")
		require.NoError(t, late.Leave(ctx), "neither its file nor the directory is there")
		require.NoError(t, late.Leave(ctx), "again")
	})
}

// After an Enter that could not make the directory there is nothing to wait for; only the context may end a Leave early.
func TestALeaveWithoutARound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chubbytest.Start(t, chubbytest.Options{Replicas: 1}).Client(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		b := recipe.NewBarrier(c, "/ls/local/never", "m", 1)
		require.NoError(t, b.Leave(ctx), "no member has made it")
		short, stop := context.WithCancel(ctx)
		stop()
		require.ErrorIs(t, b.Leave(short), context.Canceled)
	})
}
