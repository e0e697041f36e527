package client_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

func TestFilesAndDirectories(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx, c := w.within(time.Minute), w.c
		_, err := c.Open(ctx, "/ls/local/svc/leader", client.OpenOptions{})
		require.ErrorIs(t, err, client.ErrNotFound)
		require.EqualError(t, err, `client: open "/ls/local/svc/leader": not found`)

		dir, err := c.Open(ctx, "/ls/local/svc", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMust, Directory: true})
		require.NoError(t, err)
		require.True(t, dir.Created())
		require.Equal(t, "/ls/local/svc", dir.Name())
		f, err := dir.Open(ctx, "leader", client.OpenOptions{Rights: client.Read | client.Write | client.ChangeACL, Create: client.CreateMay, Contents: "none"})
		require.NoError(t, err)
		require.Equal(t, "/ls/local/svc/leader", f.Name())
		require.Equal(t, uint64(len("none")), f.StatAtOpen().Length)
		again, err := c.Open(ctx, "/ls/local/svc/leader", client.OpenOptions{Create: client.CreateMay, Contents: "other"})
		require.NoError(t, err)
		require.False(t, again.Created())
		_, err = dir.Open(ctx, "leader", client.OpenOptions{Create: client.CreateMust})
		require.ErrorIs(t, err, client.ErrExists)

		text, stat, err := again.Contents(ctx)
		require.NoError(t, err)
		require.Equal(t, "none", text)
		next, err := f.SetContents(ctx, "me", stat.Content)
		require.NoError(t, err)
		require.Greater(t, next.Content, stat.Content)
		_, err = f.SetContents(ctx, "me, too", stat.Content)
		require.ErrorIs(t, err, client.ErrConflict)
		var met *client.ConflictError
		require.ErrorAs(t, err, &met)
		require.Equal(t, next, met.Stat)
		require.Contains(t, err.Error(), "conflict: contents of generation")
		_, err = again.SetContents(ctx, "x", 0)
		require.ErrorIs(t, err, client.ErrPermission, "it was opened to read")

		acl, err := f.SetACL(ctx, client.ACLNames{Read: "all", Write: "me", Change: "me"}, next.ACL)
		require.NoError(t, err)
		_, err = f.SetACL(ctx, client.ACLNames{Read: "x", Write: "x", Change: "x"}, next.ACL)
		require.ErrorIs(t, err, client.ErrConflict)
		stat, err = again.Stat(client.Uncached(ctx))
		require.NoError(t, err)
		require.Equal(t, acl, stat)

		_, _, err = dir.Contents(ctx)
		require.ErrorIs(t, err, client.ErrIsDirectory)
		_, err = f.ReadDir(ctx)
		require.ErrorIs(t, err, client.ErrNotDirectory)
		require.ErrorIs(t, dir.Delete(ctx), client.ErrNotEmpty)
		self, err := dir.Open(ctx, "", client.OpenOptions{})
		require.NoError(t, err)
		require.Equal(t, dir.Name(), self.Name())

		require.NoError(t, f.Delete(ctx))
		_, _, err = again.Contents(ctx)
		require.ErrorIs(t, err, client.ErrGone)
		_, err = c.Open(ctx, "/ls/local/svc/leader", client.OpenOptions{Create: client.CreateMust})
		require.NoError(t, err)
		_, err = again.Stat(ctx)
		require.ErrorIs(t, err, client.ErrGone, "another node with the same name")
	})
}

func TestAllOfADirectoryIsRead(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		root, err := w.c.Open(ctx, "/ls/local", client.OpenOptions{})
		require.NoError(t, err)
		children, err := root.ReadDir(ctx)
		require.NoError(t, err)
		require.Empty(t, children)
		for _, name := range []string{"e", "d", "g", "c", "f", "b", "a"} {
			_, err := root.Open(ctx, name, client.OpenOptions{Create: client.CreateMust})
			require.NoError(t, err)
		}
		children, err = root.ReadDir(ctx) // in three calls
		require.NoError(t, err)
		var names string
		for _, c := range children {
			names += c.Name
		}
		require.Equal(t, "abcdefg", names)
	})
}

func TestPagesOfADirectory(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		root, err := w.c.Open(ctx, "/ls/local", client.OpenOptions{})
		require.NoError(t, err)
		var file *client.Handle
		for _, name := range []string{"b", "d", "a", "c"} {
			file, err = root.Open(ctx, name, client.OpenOptions{Create: client.CreateMust})
			require.NoError(t, err)
		}
		for page, want := range map[int]string{-1: "abc!d", 0: "abc!d", 1: "a!b!c!d", 2: "ab!cd", 3: "abc!d", 4: "abc!d"} {
			got, calls := "", w.messages()
			for c, err := range root.Children(ctx, page) {
				require.NoError(t, err)
				if n := w.messages(); got != "" && n != calls {
					got += "!" // another call was made
				}
				got, calls = got+c.Name, w.messages()
			}
			require.Equal(t, want, got, page)
		}

		before := w.messages()
		for c := range root.Children(ctx, 2) {
			if c.Name == "b" {
				break
			}
		}
		require.Equal(t, before+2, w.messages(), "a page that is not needed is not requested")

		var all []client.Child
		for c, e := range file.Children(ctx, 1) {
			all, err = append(all, c), e
		}
		require.ErrorIs(t, err, client.ErrNotDirectory)
		require.Equal(t, []client.Child{{}}, all)
	})
}

func TestMalformedNames(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		for _, name := range []string{"", "/", "/ls", "/ls/", "/ls/local/", "ls/local/a", "/ls/local/a//b", "/ls/LOCAL/a", "/ls/elsewhere/a"} {
			_, err := w.c.Open(ctx, name, client.OpenOptions{})
			require.ErrorIs(t, err, client.ErrInvalid, name)
		}
		require.Zero(t, w.messages())
	})
}

// Each code that an answer may have, as an error.
func TestEachAnswerHasItsError(t *testing.T) {
	want := map[api.Code]error{
		api.NotFound: client.ErrNotFound, api.Conflict: client.ErrConflict, api.Invalid: client.ErrInvalid,
		api.TooLarge: client.ErrTooLarge, api.Exists: client.ErrExists, api.NotDirectory: client.ErrNotDirectory,
		api.IsDirectory: client.ErrIsDirectory, api.NotEmpty: client.ErrNotEmpty, api.Gone: client.ErrGone,
		api.Quota: client.ErrQuota, api.Permission: client.ErrPermission, api.LockHeld: client.ErrLockHeld,
		api.LockDelayed: client.ErrLockDelayed, api.LockOther: client.ErrLockHeld, api.NotHeld: client.ErrNotHeld,
		api.BadHandle: client.ErrBadHandle, api.HandleClosed: client.ErrClosed, api.HandlePoisoned: client.ErrPoisoned,
		api.NoRight: client.ErrPermission, api.StaleSequencer: client.ErrStaleSequencer, api.Crowded: client.ErrCrowded,
	}
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		f, err := w.c.Open(ctx, "/ls/local/f", client.OpenOptions{Create: client.CreateMay})
		require.NoError(t, err)
		for code := api.Code(2); code.Valid(); code++ {
			if !code.IsDefinite() || code == api.Cancelled {
				continue
			}
			w.cell.set(func() {
				w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
					return q.Answer(1, api.Result{Code: code}), true
				}
			})
			_, err := f.Stat(ctx)
			require.NotNil(t, want[code], "%v", code)
			require.ErrorIs(t, err, want[code], "%v", code)
			require.NotErrorIs(t, err, client.ErrOutcomeUnknown)
			var e *client.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, "stat", e.Op)
			require.Equal(t, "/ls/local/f", e.Key)
		}
		w.cell.set(func() {
			w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
				_, opens := q.Op.(api.Open)
				return q.Answer(1, api.Result{Code: api.NoHandle}), opens
			}
		})
		_, err = w.c.Open(ctx, "/ls/local/g", client.OpenOptions{Create: client.CreateMay})
		require.ErrorIs(t, err, client.ErrCrowded)
		require.ErrorIs(t, err, client.ErrOutcomeUnknown, "it may be there")
		w.cell.set(func() { w.cell.refuse = nil })
	})
}

func TestAHandleThatIsClosedIsClosed(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		f, err := w.c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
		require.NoError(t, err)
		waiting := make(chan error, 1)
		w.fault(onlyAnswers)
		go func() {
			_, err := f.Stat(ctx)
			waiting <- err
		}()
		time.Sleep(time.Second)
		err = f.Close(w.within(time.Second))
		require.ErrorIs(t, err, client.ErrOutcomeUnknown)
		err = <-waiting
		require.ErrorIs(t, err, client.ErrClosed)
		require.ErrorIs(t, err, client.ErrOutcomeUnknown)
		_, err = f.Open(ctx, "g", client.OpenOptions{})
		require.EqualError(t, err, `client: open "/ls/local/f": closed`)
		_, err = f.Acquire(ctx, client.Shared)
		require.ErrorIs(t, err, client.ErrClosed)
		_, err = f.TryAcquire(ctx, client.Shared)
		require.ErrorIs(t, err, client.ErrClosed)

		w.fault(nil)
		require.NoError(t, f.Close(ctx), "it had gone on")
		require.NoError(t, f.Close(ctx))
		f.Poison()
		w.cell.set(func() { require.Empty(t, w.cell.handles) })
	})
}

func TestPoisonStopsOthersAndKeepsTheHandle(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		open := func() *client.Handle {
			f, err := w.c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
			require.NoError(t, err)
			return f
		}
		f, g := open(), open()
		_, err := g.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		waiting := make(chan error, 1)
		go func() {
			_, err := f.Acquire(ctx, client.Exclusive)
			waiting <- err
		}()
		time.Sleep(time.Second)
		f.Poison()
		f.Poison()
		require.ErrorIs(t, <-waiting, client.ErrPoisoned)
		_, err = f.Stat(ctx)
		require.EqualError(t, err, `client: stat "/ls/local/f": handle poisoned`)
		time.Sleep(time.Second)
		w.cell.set(func() {
			require.Len(t, w.cell.handles, 2)
			require.Empty(t, w.cell.waiting)
		})
		require.NoError(t, f.Close(ctx))
		w.cell.set(func() { require.Len(t, w.cell.handles, 1) })
	})
}

// A cancelled Open leaves no handle open.
func TestAnOpenThatIsGivenUpIsClosed(t *testing.T) {
	bubble(t, nil, func(w *world) {
		require.NoError(t, w.c.Ready(w.within(time.Minute)))
		w.fault(onlyAnswers)
		_, err := w.c.Open(w.within(time.Second), "/ls/local/f", client.OpenOptions{Create: client.CreateMay})
		require.ErrorIs(t, err, client.ErrOutcomeUnknown)
		w.cell.set(func() { require.Len(t, w.cell.handles, 1) })
		w.fault(nil)
		time.Sleep(10 * time.Second)
		w.cell.set(func() { require.Empty(t, w.cell.handles) })
	})
}

func TestEveryErrorIsAnError(t *testing.T) {
	err := error(&client.Error{Op: "x", Causes: []error{client.ErrOutcomeUnknown, client.ErrJeopardy}})
	require.EqualError(t, err, "client: x: outcome unknown: session in jeopardy")
	require.True(t, errors.Is(err, client.ErrJeopardy))
}

// C6.01: an Open carries all that the program has given it: a name relative to a handle, the use, the events, the
// lock-delay, whether to make the node, and its initial contents and ACL.
func TestAnOpenCarriesItsOptions(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		dir, err := w.c.Open(ctx, "/ls/local", client.OpenOptions{})
		require.NoError(t, err)
		var sent api.Open
		w.cell.set(func() {
			w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
				if o, ok := q.Op.(api.Open); ok {
					sent = o
				}
				return api.Reply{}, false
			}
		})
		names := client.ACLNames{Read: "readers", Write: "writers", Change: "owners"}
		_, err = dir.Open(ctx, "x", client.OpenOptions{
			Rights: client.Read | client.Write | client.ChangeACL, Create: client.CreateMust, Ephemeral: true,
			Contents: "first", ACL: names, LockDelay: 5 * time.Second, Events: client.WantContents | client.WantInvalid,
		})
		require.NoError(t, err)
		w.cell.set(func() {
			require.NotEmpty(t, sent.Dir, "the handle of the directory")
			sent.Dir = ""
			require.Equal(t, api.Open{
				Path: "x", Rights: client.Read | client.Write | client.ChangeACL, Create: api.CreateMust, Kind: api.File, Ephemeral: true,
				Contents: "first", Names: names, Delay: api.DelayOf(5 * time.Second), Events: client.WantContents | client.WantInvalid,
			}, sent)
		})
	})
}
