package recipe_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// fence is what a resource asks.
type fence interface {
	Read(sequencer string) error
	Write(sequencer string) error
	Seen() []string
}

// request is a read, or a write of what follows from the version that was read.
type request struct {
	write bool
	base  int
}

// resource is a server outside of the cell: what all programs of one world read and write.
type resource struct {
	version int
	fence   fence
}

func (r *resource) do(p scenario.Program, sequencer string, q request) (int, error) {
	admit := r.fence.Read
	if q.write {
		admit = r.fence.Write
	}
	if err := admit(sequencer); err != nil {
		p.World().Count("fenced")
		return 0, err
	}
	if q.write {
		if q.base != r.version {
			p.World().Break("R2", "program %d has read version %d and writes over version %d: an update is lost", p.ID(), q.base, r.version)
		}
		r.version++
	}
	return r.version, nil
}

// guarded is a program that reads and writes the resource while it holds a lock.
type guarded struct {
	fence   func() fence
	forgets bool // the resource keeps no sequencers over a restart
	mu      *sync.Mutex
	of      map[*sim.World]*resource // seeds run side by side
}

func newGuarded(f func() fence) guarded {
	return guarded{fence: f, mu: &sync.Mutex{}, of: map[*sim.World]*resource{}}
}

// guardedLock is the path of the lock's node.
const guardedLock = "/guard"

func recipeFence() fence { return recipe.NewFence(guardedLock) }

func (g guarded) trial() trial { return trial{name: "fence", property: "R2", turn: g.turn} }

func (g guarded) resource(w *sim.World) *resource {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of[w] == nil {
		g.of[w] = &resource{fence: g.fence()}
	}
	return g.of[w]
}

// restart lets the resource's server start again.
func (g guarded) restart(r *resource) {
	seen := r.fence.Seen()
	r.fence = g.fence()
	for _, s := range seen {
		if !g.forgets {
			_ = r.fence.Read(s)
		}
	}
}

// holding is the state of a program.
type holding struct {
	file   *client.Handle
	writer *recipe.Writer[request, int]
}

func (g guarded) turn(ctx context.Context, p scenario.Program) {
	s, _ := p.State().(*holding)
	if s == nil {
		s = &holding{}
		p.SetState(s)
	}
	r := g.resource(p.World())
	if p.Draw().Chance(1, 20) {
		g.restart(r)
	}
	if s.writer == nil && !g.acquire(ctx, p, s, r) {
		return
	}
	got, err := s.writer.Do(ctx, request{})
	if err == nil {
		_ = p.Sleep(ctx, late(p, 8))
		_, err = s.writer.Do(ctx, request{write: true, base: got})
	}
	report(p, "update")
	if err == nil {
		p.World().Count("updates")
	}
	if (err != nil && !errors.Is(err, client.ErrJeopardy)) || p.Draw().Chance(1, 4) {
		s.writer = nil
		within(ctx, p, 5*time.Second, "close", s.file.Close)
	}
}

func (g guarded) acquire(ctx context.Context, p scenario.Program, s *holding, r *resource) bool {
	return within(ctx, p, 10*time.Second, "acquire", func(ctx context.Context) error {
		f, err := p.Client().Open(ctx, "/ls/local"+guardedLock, client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
		if err != nil {
			return err
		}
		lock, err := f.Acquire(ctx, client.Exclusive)
		if err != nil {
			_ = f.Close(ctx)
			return err
		}
		s.file = f
		s.writer = recipe.NewWriter(lock, func(ctx context.Context, sequencer string, q request) (int, error) {
			if err := p.Sleep(ctx, late(p, 16)); err != nil {
				return 0, err
			}
			return r.do(p, sequencer, q)
		})
		return nil
	})
}

// late draws how long a request, or a program, takes: mostly short, one time in n up to half a minute.
func late(p scenario.Program, n int64) time.Duration {
	if p.Draw().Chance(1, uint64(n)) {
		return p.Draw().Duration(0, 30*time.Second)
	}
	return p.Draw().Duration(0, 50*time.Millisecond)
}

// No update is lost, however late the requests of former holders arrive.
func TestFence(t *testing.T) {
	reaches(t, 2*enough, simtest.Run(t, newGuarded(recipeFence).trial().options(2*enough, 4)), "updates", "fenced")
}

func TestFenceIsDeterministic(t *testing.T) {
	simtest.Verify(t, newGuarded(recipeFence).trial().options(1, 2))
}

// writesOnly is a fence with the trap: reads do not raise its mark, and it asks none.
type writesOnly struct{ fence }

func (writesOnly) Read(string) error { return nil }

func TestAFenceOfWritesOnlyIsCaught(t *testing.T) {
	writes := func() fence { return writesOnly{recipeFence()} }
	simtest.Expect(t, from(15, newGuarded(writes).trial().options(100, 4)), "R2")
}

// open is no fence: the client's look at its lease is all there is.
type open struct{}

func (open) Read(string) error  { return nil }
func (open) Write(string) error { return nil }
func (open) Seen() []string     { return nil }

func TestALeaseWithoutAFenceIsCaught(t *testing.T) {
	simtest.Expect(t, from(9, newGuarded(func() fence { return open{} }).trial().options(60, 4)), "R2")
}

func TestAFenceThatForgetsIsCaught(t *testing.T) {
	g := newGuarded(recipeFence)
	g.forgets = true
	simtest.Expect(t, from(245, g.trial().options(200, 4)), "R2")
}

func TestWhatAFenceRefuses(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(t.Context(), time.Minute)
	defer cancel()
	take := func(name string, mode client.Mode) string {
		f, err := c.Open(ctx, "/ls/local"+name, client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
		require.NoError(t, err)
		lock, err := f.Acquire(ctx, mode)
		require.NoError(t, err)
		require.NoError(t, f.Close(ctx))
		return lock.Sequencer()
	}
	first, second, shared := take("/guard", client.Exclusive), take("/guard", client.Exclusive), take("/guard", client.Shared)
	f := recipe.NewFence("/guard", "/spare")
	require.Empty(t, f.Seen())
	require.NoError(t, f.Write(first))
	require.NoError(t, f.Read(second))
	require.NoError(t, f.Write(second))
	require.ErrorIs(t, f.Write(first), recipe.ErrFenced)
	require.ErrorIs(t, f.Read(first), recipe.ErrFenced)
	require.ErrorIs(t, f.Write(shared), client.ErrInvalid, "a shared lock lets nothing be written")
	require.ErrorIs(t, f.Write("junk"), client.ErrInvalid)
	require.ErrorIs(t, f.Read(take("/other", client.Exclusive)), client.ErrInvalid, "another lock protects something else")
	require.NoError(t, f.Read(shared))
	require.Equal(t, []string{shared}, f.Seen())
	require.NoError(t, f.Write(take("/spare", client.Exclusive)))
	require.Len(t, f.Seen(), 2)

	again := recipe.NewFence("/guard", "/spare")
	for _, s := range f.Seen() {
		require.NoError(t, again.Read(s))
	}
	require.ErrorIs(t, again.Write(second), recipe.ErrFenced)
	require.Equal(t, f.Seen(), again.Seen())

	full := recipe.NewFence("/ls/local/guard") // as Client.Open takes it
	require.NoError(t, full.Read(shared))
	require.ErrorIs(t, full.Write(second), recipe.ErrFenced)
	require.ErrorIs(t, full.Read(take("/other", client.Exclusive)), client.ErrInvalid)
	bad := recipe.NewFence("/guard", "guard").Read(shared)
	require.ErrorIs(t, bad, client.ErrInvalid)
	for _, name := range []string{"/guard/", "/ls/local/guard/", "//guard", "/ls/local//guard"} { // no node has such a name
		require.ErrorContains(t, recipe.NewFence(name).Read(shared), "give names of locks", name)
	}
	require.EqualError(t, bad, `recipe: fence: invalid: NewFence was given ["guard"]: give names of locks, /ls/CELL/PATH or /PATH`)
}

// holder is a lock that is held, or not.
type holder struct{ err error }

func (h *holder) Err() error        { return h.err }
func (h *holder) Sequencer() string { return "sequencer" }

func TestAWriterThatWasFencedSendsNothing(t *testing.T) {
	h, sent := &holder{}, 0
	var refuse error
	w := recipe.NewWriter(h, func(_ context.Context, sequencer string, q string) (string, error) {
		require.Equal(t, "sequencer", sequencer)
		sent++
		return q, refuse
	})
	got, err := w.Do(t.Context(), "one")
	require.NoError(t, err)
	require.Equal(t, "one", got)
	h.err = client.ErrJeopardy
	_, err = w.Do(t.Context(), "two")
	require.ErrorIs(t, err, client.ErrJeopardy)
	require.Equal(t, 1, sent)
	h.err, refuse = nil, recipe.ErrFenced
	for range 3 {
		_, err = w.Do(t.Context(), "three")
		require.ErrorIs(t, err, recipe.ErrFenced)
	}
	require.Equal(t, 2, sent)
}
