package client_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

const readWrite = client.Read | client.Write

// caching is a bubble with a cell whose answers may be cached, with a file /f, and another client.
func cachingWorld(t *testing.T, f func(w *world, ctx context.Context, other *client.Client)) {
	bubble(t, nil, func(w *world) {
		w.cell.set(func() {
			w.cell.caching.on = true
			w.cell.create("f", api.File, false, "first")
			w.cell.create("d", api.Directory, false, "")
		})
		other := w.guest(nil)
		ctx := w.within(time.Hour)
		require.NoError(t, w.c.Ready(ctx))
		synctest.Wait()
		f(w, ctx, other.Client)
	})
}

func opened(t *testing.T, ctx context.Context, c *client.Client, name string, o client.OpenOptions) *client.Handle {
	h, err := c.Open(ctx, strings.TrimSuffix("/ls/local/"+name, "/"), o)
	require.NoError(t, err)
	return h
}

func write(t *testing.T, ctx context.Context, c *client.Client, name, text string) {
	h := opened(t, ctx, c, name, client.OpenOptions{Rights: readWrite, Create: client.CreateMay})
	_, err := h.SetContents(ctx, text, 0)
	require.NoError(t, err)
	require.NoError(t, h.Close(ctx))
}

func contents(t *testing.T, ctx context.Context, h *client.Handle) string {
	text, s, err := h.Contents(ctx)
	require.NoError(t, err)
	require.Zero(t, s.Lock)
	return text
}

// asks counts the calls that reach the cell while f runs.
func (w *world) asks(f func()) int {
	before := w.cell.calls()
	f()
	return w.cell.calls() - before
}

// C10.01, C10.10: what was read once is read again without a message, and so is what is not there.
func TestWhatWasReadOnceIsReadAgainWithoutAMessage(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, _ *client.Client) {
		f, dir := opened(t, ctx, w.c, "f", client.OpenOptions{}), opened(t, ctx, w.c, "d", client.OpenOptions{})
		all := func() {
			require.Equal(t, "first", contents(t, ctx, f))
			s, err := f.Stat(ctx)
			require.NoError(t, err)
			require.Equal(t, f.StatAtOpen(), s)
			names, err := dir.Names(ctx)
			require.NoError(t, err)
			require.Empty(t, names)
			_, err = w.c.Open(ctx, "/ls/local/none", client.OpenOptions{})
			require.EqualError(t, err, `client: open "/ls/local/none": not found`)
			h := opened(t, ctx, w.c, "f", client.OpenOptions{Create: client.CreateMay})
			require.Equal(t, "first", contents(t, ctx, h))
			require.NoError(t, h.Close(ctx))
		}
		all()
		began := w.messages()
		require.Zero(t, w.asks(func() {
			for range 10 {
				all()
			}
		}))
		require.Equal(t, began, w.messages(), "not one message")
		s := w.c.Status().Cache
		require.EqualValues(t, 6*10+3, s.Hits, "three of the first round, too: the metadata, the second Open, and the contents by it")
		require.Equal(t, 3, s.Entries)

		_, err := f.Stat(client.Uncached(ctx))
		require.NoError(t, err)
		require.Equal(t, 1, w.asks(func() { s, _ := f.Stat(client.Uncached(ctx)); require.NotZero(t, s.Lock) }))
		require.Equal(t, 1, w.asks(func() { _, err = dir.ReadDir(ctx) }), "of children only names are cached")
		require.NoError(t, err)
	})
}

// C10.03, C10.05: what another client has changed is not read.
func TestAChangeByAnotherClientIsSeen(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		f, dir := opened(t, ctx, w.c, "f", client.OpenOptions{}), opened(t, ctx, w.c, "d", client.OpenOptions{})
		for i := range 5 {
			contents(t, ctx, f)
			_, _ = dir.Names(ctx)
			name := fmt.Sprint("d/", i)
			_, err := w.c.Open(ctx, "/ls/local/"+name, client.OpenOptions{})
			require.ErrorIs(t, err, client.ErrNotFound)

			write(t, ctx, other, "f", fmt.Sprint(i))
			require.Equal(t, fmt.Sprint(i), contents(t, ctx, f))
			write(t, ctx, other, name, "x")
			opened(t, ctx, w.c, name, client.OpenOptions{})
			names, err := dir.Names(ctx)
			require.NoError(t, err)
			require.Len(t, names, i+1)
		}
		require.NotZero(t, w.c.Status().Cache.Drops)
	})
}

// A client reads what it has written itself, and finds what it has created.
func TestAnOwnChangeIsSeen(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, _ *client.Client) {
		f, dir := opened(t, ctx, w.c, "f", client.OpenOptions{Rights: readWrite | client.ChangeACL}), opened(t, ctx, w.c, "d", client.OpenOptions{})
		contents(t, ctx, f)
		_, err := f.SetContents(ctx, "mine", 0)
		require.NoError(t, err)
		require.Equal(t, "mine", contents(t, ctx, f))
		_, err = f.SetACL(ctx, client.ACLNames{Read: "r2", Write: "w", Change: "c"}, 0)
		require.NoError(t, err)
		s, err := f.Stat(ctx)
		require.NoError(t, err)
		require.EqualValues(t, "r2", s.Names.Read)

		_, err = w.c.Open(ctx, "/ls/local/d/new", client.OpenOptions{})
		require.ErrorIs(t, err, client.ErrNotFound)
		_, _ = dir.Names(ctx)
		n := opened(t, ctx, w.c, "d/new", client.OpenOptions{Rights: readWrite, Create: client.CreateMay})
		names, err := dir.Names(ctx)
		require.NoError(t, err)
		require.Equal(t, []string{"new"}, names)
		opened(t, ctx, w.c, "d/new", client.OpenOptions{})
		require.NoError(t, n.Delete(ctx))
		names, err = dir.Names(ctx)
		require.NoError(t, err)
		require.Empty(t, names)
		_, err = w.c.Open(ctx, "/ls/local/d/new", client.OpenOptions{})
		require.ErrorIs(t, err, client.ErrNotFound)
	})
}

// A call that was given up may be executed later. Until that is settled, what it may change is
// read at the cell.
func TestAChangeOfUnknownOutcomeIsNotHiddenByTheCache(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, _ *client.Client) {
		f := opened(t, ctx, w.c, "f", client.OpenOptions{Rights: readWrite})
		locked := opened(t, ctx, w.c, "d", client.OpenOptions{Rights: readWrite})
		holder := opened(t, ctx, w.others[len(w.others)-1].Client, "d", client.OpenOptions{Rights: readWrite})
		_, err := holder.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		go func() { _, _ = locked.Acquire(ctx, client.Exclusive) }() // waits: AckedThrough stays below it
		synctest.Wait()
		time.Sleep(10 * time.Millisecond)
		contents(t, ctx, f)

		var late []byte
		w.cell.set(func() {
			w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
				if _, ok := q.Op.(api.SetContents); ok {
					late = api.AppendRequest(nil, q)
					return q.Answer(1, api.Result{Code: api.Busy}), true
				}
				return api.Reply{}, false
			}
		})
		_, err = f.SetContents(w.within(5*time.Millisecond), "late", 0)
		require.ErrorIs(t, err, client.ErrOutcomeUnknown)
		w.cell.set(func() { w.cell.refuse = nil })
		require.Equal(t, "first", contents(t, ctx, f))
		w.cell.handle(2, late, func([]byte) {}) // a copy that the network had delayed
		require.Equal(t, "late", contents(t, ctx, f))
	})
}

// C10.14: before the bound of its lease a client reads from its cache, and not after it.
func TestTheCacheIsNotReadWhenTheLeaseMayBeOver(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		f := opened(t, ctx, w.c, "f", client.OpenOptions{})
		contents(t, ctx, f)
		w.cut(w.rt)
		bound := w.c.Status().Bound
		time.Sleep(bound.Sub(w.rt.Now()) - time.Nanosecond)
		require.Equal(t, "first", contents(t, ctx, f))
		time.Sleep(time.Nanosecond)
		_, _, err := f.Contents(w.within(time.Second))
		require.ErrorIs(t, err, client.ErrJeopardy)
		time.Sleep(5 * time.Second) // the session ends at the cell
		write(t, ctx, other, "f", "second")
		_, _, err = f.Contents(w.within(time.Second))
		require.Error(t, err)
		w.cut(nil)
		_, _, err = f.Contents(ctx)
		require.ErrorIs(t, err, client.ErrSessionExpired)
	})
}

// C10.14: the cache is empty in jeopardy, and is used again once the same session is safe.
func TestTheCacheIsUsedAgainAfterJeopardy(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		events := w.c.Events()
		defer events.Close()
		f := opened(t, ctx, w.c, "f", client.OpenOptions{})
		contents(t, ctx, f)
		session := w.c.Status().Session
		w.cut(w.rt)
		require.Equal(t, client.EventJeopardy, next(t, ctx, events).Kind)
		require.Zero(t, w.c.Status().Cache.Entries)
		w.cut(nil)
		require.Equal(t, client.EventSafe, next(t, ctx, events).Kind)
		require.Equal(t, session, w.c.Status().Session)

		require.Equal(t, 1, w.asks(func() { require.Equal(t, "first", contents(t, ctx, f)) }), "the cache is empty")
		hits := w.c.Status().Cache.Hits
		require.Zero(t, w.asks(func() { require.Equal(t, "first", contents(t, ctx, f)) }), "and is used again")
		require.Equal(t, hits+1, w.c.Status().Cache.Hits)
		write(t, ctx, other, "f", "second") // the cell knows of this cache
		require.Equal(t, "second", contents(t, ctx, f))
	})
}

// The lease is over when the clock says so, also if no timer has fired.
func TestAHitLooksAtTheClock(t *testing.T) {
	l := &loop{now: time.Unix(0, 0), cell: newCell()}
	l.cell.now, l.cell.after, l.cell.caching.on = l.Now, l.after, true
	n := uint64(0)
	c := client.New(l, client.Config{Replicas: []uint32{1, 2, 3}, Draw: func() uint64 { n += 0x9e3779b97f4a7c15; return n }})
	ctx := t.Context()
	require.NoError(t, c.Ready(ctx))
	l.cell.set(func() { l.cell.create("f", api.File, false, "first") })
	f := opened(t, ctx, c, "f", client.OpenOptions{})
	contents(t, ctx, f)
	hits := c.Status().Cache.Hits
	contents(t, ctx, f)
	require.Equal(t, hits+1, c.Status().Cache.Hits)

	l.now = c.Status().Bound // the program was stopped, and nothing has happened yet
	hits = c.Status().Cache.Hits
	asked := l.cell.calls()
	contents(t, ctx, f)
	require.Equal(t, hits, c.Status().Cache.Hits)
	require.Equal(t, asked+1, l.cell.calls())
}

// A new master remembers nothing of caches: they are empty before it makes a change.
func TestACacheIsEmptyAfterAFailover(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		f := opened(t, ctx, w.c, "f", client.OpenOptions{})
		contents(t, ctx, f)
		h := opened(t, ctx, w.c, "f", client.OpenOptions{Rights: readWrite})
		require.NoError(t, h.Close(ctx))
		require.Equal(t, 1, w.c.Status().Cache.Idle)
		events := w.c.Events()
		defer events.Close()
		w.cell.set(func() { w.cell.failover(3) })
		require.Equal(t, client.EventFailover, next(t, ctx, events).Kind)
		require.Zero(t, w.c.Status().Cache.Entries)
		require.Zero(t, w.c.Status().Cache.Idle)
		time.Sleep(time.Second) // the epoch is acknowledged
		require.Equal(t, 1, w.asks(func() { contents(t, ctx, f) }))
		require.Zero(t, w.asks(func() { contents(t, ctx, f) }))
		write(t, ctx, other, "f", "second")
		require.Equal(t, "second", contents(t, ctx, f))
	})
}

func TestACacheThatIsOffAsks(t *testing.T) {
	bubble(t, func(c *client.Config) { c.Cache.Off = true }, func(w *world) {
		ctx := w.within(time.Minute)
		w.cell.set(func() { w.cell.caching.on = true; w.cell.create("f", api.File, false, "first") })
		f := opened(t, ctx, w.c, "f", client.OpenOptions{})
		require.Equal(t, 4, w.asks(func() {
			for range 2 {
				_, s, err := f.Contents(ctx)
				require.NoError(t, err)
				require.NotZero(t, s.Lock)
				_, err = f.Stat(ctx)
				require.NoError(t, err)
			}
		}))
		require.Zero(t, w.c.Status().Cache)
	})
}

// Many goroutines read what another client writes: none reads anything older than what was written
// before it began. The race detector watches.
func TestManyGoroutinesReadWhileAnotherClientWrites(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		var mu sync.Mutex
		written := 0
		w.cell.set(func() { w.cell.nodes["f"].contents = "" })
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 200 {
					mu.Lock()
					least := written
					mu.Unlock()
					h := opened(t, ctx, w.c, "f", client.OpenOptions{})
					if got := len(contents(t, ctx, h)); got < least {
						t.Errorf("read %d, and %d was written before", got, least)
					}
					_ = h.Close(ctx)
					time.Sleep(100 * time.Microsecond)
				}
			})
		}
		wg.Go(func() {
			for i := range 20 {
				write(t, ctx, other, "f", strings.Repeat("x", i+1))
				mu.Lock()
				written = i + 1
				mu.Unlock()
			}
		})
		wg.Wait()
		require.Greater(t, w.c.Status().Cache.Hits, uint64(1000))
	})
}
