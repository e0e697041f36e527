package client_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

func closed(t *testing.T, ctx context.Context, all ...*client.Handle) {
	for _, h := range all {
		require.NoError(t, h.Close(ctx))
	}
}

// C10.12: a handle that can lock serves one Handle after the other, and never two at the same time.
func TestAHandleThatCanLockServesOneAtATime(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		o := client.OpenOptions{Rights: readWrite}
		a := opened(t, ctx, w.c, "f", o)
		var b *client.Handle
		require.Equal(t, 1, w.asks(func() { b = opened(t, ctx, w.c, "f", o) }), "a is in use")
		theirs := opened(t, ctx, other, "f", o)
		held, err := theirs.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		got := make(chan error)
		go func() {
			_, err := b.Acquire(ctx, client.Exclusive)
			got <- err
		}()
		synctest.Wait()
		closed(t, ctx, a)
		time.Sleep(time.Second)
		require.NoError(t, held.Release(ctx))
		require.NoError(t, <-got, "the Close of a does not concern it")

		require.Zero(t, w.asks(func() { a = opened(t, ctx, w.c, "f", o) }), "that of a is free")
		require.Equal(t, 1, w.asks(func() { opened(t, ctx, w.c, "f", client.OpenOptions{Rights: readWrite, LockDelay: time.Second}) }), "another lock-delay")
		_, err = a.TryAcquire(ctx, client.Exclusive)
		require.ErrorIs(t, err, client.ErrLockHeld, "b has it")
		require.Equal(t, 1, w.asks(func() { closed(t, ctx, b) }), "the lock is freed at the cell")
		_, err = a.TryAcquire(ctx, client.Exclusive)
		require.NoError(t, err)
	})
}

// Handles that can only read share one at the cell, and the end of one is not that of another.
func TestHandlesThatOnlyReadShareOne(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, _ *client.Client) {
		a := opened(t, ctx, w.c, "f", client.OpenOptions{})
		var b, c *client.Handle
		require.Zero(t, w.asks(func() {
			b, c = opened(t, ctx, w.c, "f", client.OpenOptions{}), opened(t, ctx, w.c, "f", client.OpenOptions{})
			a.Poison()
			closed(t, ctx, b)
		}))
		_, err := a.Stat(ctx)
		require.ErrorIs(t, err, client.ErrPoisoned)
		_, err = b.Stat(ctx)
		require.ErrorIs(t, err, client.ErrClosed)
		_, err = c.Stat(client.Uncached(ctx))
		require.NoError(t, err)
		require.Zero(t, w.asks(func() { closed(t, ctx, a, a, c, b) }))
		require.Equal(t, 1, w.c.Status().Cache.Idle)
		require.Zero(t, w.asks(func() { a = opened(t, ctx, w.c, "f", client.OpenOptions{}) }))
		_, err = a.Stat(client.Uncached(ctx))
		require.NoError(t, err)
		_, err = a.SetContents(ctx, "x", 0)
		require.ErrorIs(t, err, client.ErrPermission)
	})
}

// C10.11: a handle of an ephemeral node ends with the Handle: the node would stay.
func TestAHandleOfAnEphemeralNodeIsNotKept(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		made := opened(t, ctx, other, "e", client.OpenOptions{Rights: readWrite, Create: client.CreateMust, Ephemeral: true})
		before := w.cell.openHandles()
		for range 3 {
			h := opened(t, ctx, w.c, "e", client.OpenOptions{})
			require.Equal(t, before+1, w.cell.openHandles())
			closed(t, ctx, h)
			require.Equal(t, before, w.cell.openHandles())
		}
		closed(t, ctx, made)
	})
}

// A handle that may have left something at the cell is closed there.
func TestAHandleThatLeftSomethingIsClosed(t *testing.T) {
	rows := map[string]func(ctx context.Context, h *client.Handle, other *client.Client) error{
		"a lock": func(ctx context.Context, h *client.Handle, _ *client.Client) error {
			_, err := h.Acquire(ctx, client.Exclusive)
			return err
		},
		"poison": func(_ context.Context, h *client.Handle, _ *client.Client) error { h.Poison(); return nil },
		"a sequencer": func(ctx context.Context, h *client.Handle, other *client.Client) error {
			l, err := opened(t, ctx, other, "f", client.OpenOptions{Rights: readWrite}).Acquire(ctx, client.Exclusive)
			if err != nil {
				return err
			}
			if err := h.SetSequencer(ctx, l.Sequencer()); err != nil {
				return err
			}
			return l.Release(ctx)
		},
		"a call that was given up": func(ctx context.Context, h *client.Handle, _ *client.Client) error {
			ended, cancel := context.WithTimeout(ctx, time.Microsecond)
			defer cancel()
			_, _ = h.SetContents(ended, "x", 0)
			return nil
		},
	}
	for what, use := range rows {
		cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
			h := opened(t, ctx, w.c, "f", client.OpenOptions{Rights: readWrite})
			require.NoError(t, use(ctx, h, other), what)
			closed(t, ctx, h)
			require.Zero(t, w.c.Status().Cache.Idle, what)
			h = opened(t, ctx, w.c, "f", client.OpenOptions{Rights: readWrite})
			l, err := h.TryAcquire(ctx, client.Exclusive)
			require.NoError(t, err, what)
			require.NoError(t, l.Release(ctx))
			closed(t, ctx, h)
			require.Equal(t, 1, w.c.Status().Cache.Idle, "a lock that was released leaves nothing")
		})
	}
}

// An Open goes by the ACL files as they are.
func TestAChangeOfAnACLFileReachesTheNextOpen(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		w.cell.set(func() {
			w.cell.create("acl", api.Directory, false, "")
			w.cell.create("acl/r", api.File, false, "*")
		})
		for _, writer := range []*client.Client{other, w.c} {
			closed(t, ctx, opened(t, ctx, w.c, "f", client.OpenOptions{}))
			require.Zero(t, w.asks(func() { closed(t, ctx, opened(t, ctx, w.c, "f", client.OpenOptions{})) }))
			write(t, ctx, writer, "acl/r", "nobody")
			before := w.c.Status().Cache.Misses
			opened(t, ctx, w.c, "f", client.OpenOptions{})
			require.Equal(t, before+1, w.c.Status().Cache.Misses, "the master decides")
		}
	})
}

// withFiles makes so many files, f0 and on, in a cell with caches, and returns a context once the client may cache.
func withFiles(t *testing.T, w *world, n int) context.Context {
	ctx := w.within(time.Hour)
	w.cell.set(func() {
		w.cell.caching.on = true
		for i := range n {
			w.cell.create(fmt.Sprint("f", i), api.File, false, "")
		}
	})
	require.NoError(t, w.c.Ready(ctx))
	time.Sleep(10 * time.Millisecond)
	return ctx
}

// Handles that no Handle uses are bounded in number and time, and closed at the cell.
func TestIdleHandlesAreBounded(t *testing.T) {
	change := func(c *client.Config) { c.Cache.Handles, c.Cache.Idle = 2, 20*time.Second }
	bubble(t, change, func(w *world) {
		ctx := withFiles(t, w, 4)
		for i := range 4 {
			closed(t, ctx, opened(t, ctx, w.c, fmt.Sprint("f", i), client.OpenOptions{}))
		}
		time.Sleep(10 * time.Millisecond)
		require.Equal(t, 2, w.cell.openHandles())
		require.Zero(t, w.asks(func() { closed(t, ctx, opened(t, ctx, w.c, "f3", client.OpenOptions{})) }), "the newest are there")
		require.Equal(t, 1, w.asks(func() { opened(t, ctx, w.c, "f0", client.OpenOptions{}) }))
		time.Sleep(40 * time.Second)
		require.Equal(t, 1, w.cell.openHandles(), "the one that is in use")
	})
}

// Many handles that are closed at once take no place from the program's own calls.
func TestHandlesThatAreNotKeptLeaveRoomForCalls(t *testing.T) {
	change := func(c *client.Config) { c.Cache.Handles, c.Window, c.Queue = 1, 2, 4 }
	bubble(t, change, func(w *world) {
		ctx := withFiles(t, w, 40)
		var all []*client.Handle
		for i := range 39 {
			all = append(all, opened(t, ctx, w.c, fmt.Sprint("f", i), client.OpenOptions{}))
		}
		closed(t, ctx, all...)
		last := opened(t, ctx, w.c, "f39", client.OpenOptions{})
		time.Sleep(time.Second)
		require.Equal(t, 2, w.cell.openHandles(), "the one in use, and the one that is kept")
		closed(t, ctx, last)
	})
}

// A path that is dropped takes the handles with it that are open there, and those in use stay.
func TestADropClosesIdleHandles(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		writer := opened(t, ctx, other, "f", client.OpenOptions{Rights: readWrite})
		used := opened(t, ctx, w.c, "f", client.OpenOptions{})
		closed(t, ctx, opened(t, ctx, w.c, "f", client.OpenOptions{Rights: readWrite}))
		require.Equal(t, 3, w.cell.openHandles())
		_, err := writer.SetContents(ctx, "x", 0)
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.Equal(t, 2, w.cell.openHandles())
		require.Equal(t, "x", contents(t, ctx, used))

		require.NoError(t, writer.Delete(ctx))
		_, _, err = used.Contents(ctx)
		require.ErrorIs(t, err, client.ErrGone)
		write(t, ctx, other, "f", "another node")
		require.Equal(t, "another node", contents(t, ctx, opened(t, ctx, w.c, "f", client.OpenOptions{})))
		_, _, err = used.Contents(ctx)
		require.ErrorIs(t, err, client.ErrGone)
		closed(t, ctx, used)
	})
}

// A sequencer is attached to one Handle, and not to what it shares.
func TestASequencerIsOfOneHandle(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		holder := opened(t, ctx, other, "f", client.OpenOptions{Rights: readWrite})
		l, err := holder.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		a, b := opened(t, ctx, w.c, "f", client.OpenOptions{}), opened(t, ctx, w.c, "f", client.OpenOptions{})
		contents(t, ctx, a)
		require.NoError(t, a.SetSequencer(ctx, l.Sequencer()))
		contents(t, ctx, a)
		require.NoError(t, l.Release(ctx))
		_, _, err = a.Contents(ctx)
		require.ErrorIs(t, err, client.ErrStaleSequencer, "the cache does not answer")
		_, err = b.Stat(client.Uncached(ctx))
		require.NoError(t, err)
		closed(t, ctx, a, b)
	})
}

// C6.16: an Open below a directory that is tied to a sequencer is a call by that handle. The cell judges it, whatever the
// client has in its cache.
func TestBelowADirectoryWithASequencerTheCacheOpensNothing(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		write(t, ctx, other, "d/x", "1")
		l, err := opened(t, ctx, other, "f", client.OpenOptions{Rights: readWrite}).Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		tied, free := opened(t, ctx, w.c, "d", client.OpenOptions{}), opened(t, ctx, w.c, "d", client.OpenOptions{})
		open := func(from *client.Handle) func() {
			return func() {
				if h, _ := from.Open(ctx, "x", client.OpenOptions{}); h != nil {
					closed(t, ctx, h)
				}
			}
		}
		require.Equal(t, 1, w.asks(open(free)))
		require.NoError(t, tied.SetSequencer(ctx, l.Sequencer()))
		require.Zero(t, w.asks(open(free)))
		require.NotZero(t, w.asks(open(tied)))
	})
}

// A session of which only idle handles are left has lost nothing when it ends.
func TestIdleHandlesAreNoLoss(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, _ *client.Client) {
		closed(t, ctx, opened(t, ctx, w.c, "f", client.OpenOptions{}))
		require.Equal(t, 1, w.c.Status().Cache.Idle)
		id := w.c.Status().Session
		w.cell.set(func() { w.cell.endSession(id) })
		time.Sleep(time.Minute)
		closed(t, ctx, opened(t, ctx, w.c, "d", client.OpenOptions{}))
		require.Equal(t, 1, w.c.Status().Cache.Idle, "under another session")
		require.Equal(t, 1, w.asks(func() { opened(t, ctx, w.c, "f", client.OpenOptions{}) }))
	})
}

// Relative names are found in the cache too, below a directory that is still there.
func TestARelativeOpenIsAnsweredFromTheCache(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		write(t, ctx, other, "d/x", "1")
		d, root := opened(t, ctx, w.c, "d", client.OpenOptions{}), opened(t, ctx, w.c, "", client.OpenOptions{})
		open := func(from *client.Handle, path string) func() {
			return func() {
				h, err := from.Open(ctx, path, client.OpenOptions{})
				require.NoError(t, err)
				closed(t, ctx, h)
			}
		}
		require.Equal(t, 1, w.asks(open(d, "x")))
		require.Zero(t, w.asks(open(d, "x")))
		require.Zero(t, w.asks(open(root, "d/x")))

		h := opened(t, ctx, other, "d/x", client.OpenOptions{Rights: readWrite})
		require.NoError(t, h.Delete(ctx))
		dir := opened(t, ctx, other, "d", client.OpenOptions{Rights: readWrite})
		require.NoError(t, dir.Delete(ctx))
		opened(t, ctx, other, "d", client.OpenOptions{Rights: readWrite, Create: client.CreateMust, Directory: true})
		write(t, ctx, other, "d/x", "2")
		opened(t, ctx, w.c, "d/x", client.OpenOptions{})
		before := w.c.Status().Cache.Hits
		_, _ = d.Open(ctx, "x", client.OpenOptions{}) // d is not the directory that is there now
		require.Equal(t, before, w.c.Status().Cache.Hits)
	})
}

// A relative path that is none names nothing: not the root either, which the cache knows.
func TestAPathThatIsNoneIsNotAnsweredFromTheCache(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, _ *client.Client) {
		opened(t, ctx, w.c, "", client.OpenOptions{})
		d := opened(t, ctx, w.c, "d", client.OpenOptions{Rights: readWrite, Create: client.CreateMay, Directory: true})
		_, err := d.Open(ctx, strings.Repeat("x/", api.MaxDepth-1)+"x", client.OpenOptions{})
		require.ErrorIs(t, err, client.ErrInvalid)
		for range 2 {
			_, err = w.c.Open(ctx, "/ls/local/none", client.OpenOptions{})
			require.ErrorIs(t, err, client.ErrNotFound)
			_, err = w.c.Open(ctx, "/ls/local/none", client.OpenOptions{Rights: 1 << 7})
			require.ErrorIs(t, err, client.ErrInvalid)
		}
	})
}

// Two SetSequencers at the same time, of which one fails: the sequencer of the other stays attached.
func TestASequencerStaysWhereAnotherCannotBeAttached(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		l, err := opened(t, ctx, other, "f", client.OpenOptions{Rights: readWrite}).Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		a, b := opened(t, ctx, w.c, "f", client.OpenOptions{}), opened(t, ctx, w.c, "f", client.OpenOptions{})
		var late api.Seq // of the Open of the first one, which is executed behind the other call
		attached := false
		w.cell.set(func() {
			w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
				switch q.Op.(type) {
				case api.Open:
					late = cmp.Or(late, q.Seq)
				case api.SetSequencer:
					attached = true
				}
				return q.Answer(w.cell.epoch, api.Result{Code: api.Busy}), q.Seq == late && late > 0 && !attached
			}
		})
		failed := make(chan error)
		go func() { failed <- a.SetSequencer(ctx, "none") }()
		time.Sleep(time.Second) // its Open has come
		require.NoError(t, a.SetSequencer(ctx, l.Sequencer()))
		require.ErrorIs(t, <-failed, client.ErrInvalid)
		require.NoError(t, l.Release(ctx))
		_, _, err = a.Contents(ctx)
		require.ErrorIs(t, err, client.ErrStaleSequencer)
		closed(t, ctx, a, b)
	})
}
