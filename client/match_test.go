package client_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// An Open that may create a node and finds one of another kind fails, and leaves no handle. One that is
// there already is not changed.
func TestAnOpenThatFindsAnotherKindOfNode(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		made := func(name string, o client.OpenOptions) (*client.Handle, error) {
			o.Create = client.CreateMay
			return w.c.Open(ctx, name, o)
		}
		f, err := made("/ls/local/file", client.OpenOptions{Contents: "1"})
		require.NoError(t, err)
		require.NoError(t, f.Close(ctx)) // it is kept, and serves the next Open
		dir, err := made("/ls/local/dir", client.OpenOptions{Directory: true})
		require.NoError(t, err)

		for range 2 { // by the cell, and from the cache
			_, err = made("/ls/local/file", client.OpenOptions{Directory: true})
			require.ErrorIs(t, err, client.ErrNotDirectory)
			require.EqualError(t, err, `client: open "/ls/local/file": not a directory: option Directory is set, and a file of this name is there`)
			_, err = made("/ls/local/dir", client.OpenOptions{Contents: "2"})
			require.ErrorIs(t, err, client.ErrIsDirectory)
		}
		root, err := w.c.Open(ctx, "/ls/local", client.OpenOptions{})
		require.NoError(t, err)
		_, err = root.Open(client.Uncached(ctx), "file", client.OpenOptions{Create: client.CreateMay, Directory: true})
		require.ErrorIs(t, err, client.ErrNotDirectory)
		require.NoError(t, root.Close(ctx))
		same, err := w.c.Open(ctx, "/ls/local/file", client.OpenOptions{Directory: true})
		require.NoError(t, err, "without CreateMay or CreateMust the option means nothing")
		require.NoError(t, same.Close(ctx))

		lock, err := made("/ls/local/dir", client.OpenOptions{Rights: client.Write}) // its lock can be had
		require.NoError(t, err)
		require.NoError(t, lock.Close(ctx))
		f, err = made("/ls/local/file", client.OpenOptions{Contents: "3", Ephemeral: true})
		require.NoError(t, err)
		require.False(t, f.Created())
		require.False(t, f.StatAtOpen().Ephemeral)
		text, _, err := f.Contents(ctx)
		require.NoError(t, err)
		require.Equal(t, "1", text)

		require.NoError(t, f.Close(ctx))
		require.NoError(t, dir.Close(ctx))
		time.Sleep(time.Minute) // what is idle is closed
		require.NoError(t, w.c.Ready(ctx))
		synctest.Wait()
		w.cell.set(func() { require.Empty(t, w.cell.handles) })
	})
}

// The refusal to delete what a cell cannot be without says why.
func TestTheRootAndTheACLDirectoryStay(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		_, err := w.c.Open(ctx, "/ls/local/acl", client.OpenOptions{Create: client.CreateMay, Directory: true})
		require.NoError(t, err)
		w.cell.set(func() {
			w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
				_, deletes := q.Op.(api.DeleteNode)
				return q.Answer(1, api.Result{Code: api.Invalid}), deletes
			}
		})
		for _, name := range []string{"/ls/local", "/ls/local/acl"} {
			h, err := w.c.Open(ctx, name, client.OpenOptions{Rights: client.Write})
			require.NoError(t, err)
			err = h.Delete(ctx)
			require.ErrorIs(t, err, client.ErrInvalid)
			require.EqualError(t, err, `client: delete "`+name+`": invalid: the root of a cell and /acl cannot be deleted`)
		}
		w.cell.set(func() { w.cell.refuse = nil })
	})
}

// What is not permitted says which of the two forbids it: the rights of the handle, or an ACL.
func TestAMissingRightIsNamed(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		open := func(r client.Rights) *client.Handle {
			h, err := w.c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: r, Create: client.CreateMay})
			require.NoError(t, err)
			return h
		}
		writer, reader := open(client.Write), open(client.Read)
		_, err := writer.Stat(ctx)
		require.ErrorIs(t, err, client.ErrPermission)
		require.EqualError(t, err, `client: stat "/ls/local/f": permission denied: the handle was opened without the right Read (OpenOptions.Rights)`)
		require.ErrorContains(t, reader.Delete(ctx), "without the right Write")
		_, err = reader.Acquire(ctx, client.Exclusive)
		require.ErrorContains(t, err, "without the right Write")
		_, err = writer.SetACL(ctx, client.ACLNames{Read: "a", Write: "a", Change: "a"}, 0)
		require.ErrorContains(t, err, "without the right ChangeACL")

		w.cell.set(func() {
			w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
				return q.Answer(1, api.Result{Code: api.Permission}), true
			}
		})
		for _, how := range []client.Creation{client.CreateNever, client.CreateMust} {
			_, err = w.c.Open(ctx, "/ls/local/g", client.OpenOptions{Rights: client.Read | client.Write, Create: how})
			require.ErrorIs(t, err, client.ErrPermission)
			require.ErrorContains(t, err, "do not name this principal for read+write")
		}
		require.ErrorContains(t, writer.Delete(ctx), "permission denied: the ACLs of the node")
		w.cell.set(func() { w.cell.refuse = nil })
	})
}

// A call that finds the queue full says how full it is, and which option bounds it; one that finds no room
// at the cell says for what.
func TestACrowdIsToldByNumbers(t *testing.T) {
	bubble(t, func(c *client.Config) { c.Window, c.Queue = 1, 2 }, func(w *world) {
		ctx := w.within(time.Minute)
		f := lockable(t, ctx, w.c)
		w.fault(everything)
		for range 3 {
			go func() { _ = w.c.Put(ctx, "k", "v") }()
		}
		synctest.Wait()
		err := w.c.Put(ctx, "k", "v")
		require.ErrorIs(t, err, client.ErrBusy)
		require.EqualError(t, err, `client: put "k": too many calls waiting: 2 wait and 1 are under way: call from fewer goroutines, or raise Config.Queue`)
		w.fault(nil)
		time.Sleep(10 * time.Second)

		w.cell.set(func() {
			w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
				return q.Answer(1, api.Result{Code: api.Crowded}), true
			}
		})
		_, err = w.c.Open(ctx, "/ls/local/g", client.OpenOptions{Create: client.CreateMay})
		require.ErrorIs(t, err, client.ErrCrowded)
		require.ErrorContains(t, err, "as many open handles as it may, 4,096")
		_, err = f.Acquire(ctx, client.Exclusive)
		require.ErrorContains(t, err, "as many Acquires as may wait for this lock, 16,384")
		w.cell.set(func() { w.cell.refuse = nil })
	})
}
