package replica_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// until reads events up to the first one of a kind.
func until(ctx context.Context, t *testing.T, l *replica.Listener, kind replica.EventKind) (all []replica.Event) {
	t.Helper()
	for {
		select {
		case e, ok := <-l.C:
			require.True(t, ok, "closed before %q, after %+v", kind, all)
			if all = append(all, e); e.Kind == kind {
				return all
			}
		case <-ctx.Done():
			require.FailNow(t, "no event", "%q, after %+v", kind, all)
		}
	}
}

// A master that resigns tells why it no longer leads; a Listener of its successor gets the new epoch,
// and that the successor serves.
func TestListenersHearOfAChangeOfMasters(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := newCell(t, 3)
	first := c.master(ctx, 0)
	listeners := map[paxos.NodeID]*replica.Listener{}
	for id := range paxos.NodeID(3) {
		l, err := c.replica(id+1).Listen(ctx, 100)
		require.NoError(t, err)
		defer l.Close()
		state := until(ctx, t, l, replica.EventState)
		require.Len(t, state, 1)
		require.Equal(t, id+1, state[0].Replica)
		require.Equal(t, id+1 == first.ID, *state[0].Serving)
		listeners[id+1] = l
	}
	require.NoError(t, c.replica(first.ID).Resign(ctx))
	next := c.master(ctx, first.Epoch)

	all := until(ctx, t, listeners[first.ID], replica.EventEpoch)
	require.Greater(t, all[len(all)-1].Epoch, first.Epoch)
	require.Contains(t, kinds(all), replica.EventServing)
	require.Contains(t, kinds(all), replica.EventRole)
	for _, e := range all {
		if e.Kind == replica.EventRole && e.Was == paxos.Leader {
			require.Equal(t, "it was told to resign", e.Reason)
			require.Equal(t, paxos.Follower, e.Role)
		}
		require.False(t, e.At.IsZero())
		require.Equal(t, first.ID, e.Replica)
	}
	for serves := false; !serves; {
		all = until(ctx, t, listeners[next.ID], replica.EventServing)
		last := all[len(all)-1]
		serves = *last.Serving && last.Epoch == next.Epoch
	}

	r, l := c.replica(next.ID), listeners[next.ID]
	c.stop(next.ID)
	all = until(ctx, t, l, replica.EventStopped)
	require.Empty(t, all[len(all)-1].Reason)
	_, more := <-l.C
	require.False(t, more, "it is closed behind the last one")
	_, err := r.Listen(ctx, 1)
	require.ErrorIs(t, err, replica.ErrStopped)
}

func kinds(all []replica.Event) (out []replica.EventKind) {
	for _, e := range all {
		out = append(out, e.Kind)
	}
	return out
}

// Listeners are told of sessions that expire and of the lock-delays that follow. A slow Listener is told
// how many events it has missed.
func TestASlowListenerIsToldHowMuchItMisses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := newCell(t, 1, func(c *cell) {
		c.tune = func(cfg *driver.Config) {
			cfg.Core.Sessions.LeaseMin, cfg.Core.Sessions.LeaseMax = 300*time.Millisecond, 300*time.Millisecond
		}
	})
	r := c.replica(c.master(ctx, 0).ID)
	slow, err := r.Listen(ctx, 2)
	require.NoError(t, err)
	defer slow.Close()
	fast, err := r.Listen(ctx, 100)
	require.NoError(t, err)
	defer fast.Close()
	leave := func(addr core.Addr) {
		cl, mute := c.mutable(addr, "ann")
		defer func() {
			gone, cancel := context.WithCancel(ctx)
			cancel()
			_ = cl.Close(gone) // its session has ended
		}()
		f, err := cl.Open(ctx, "/ls/local/job", client.OpenOptions{Rights: client.Write, Create: client.CreateMay, LockDelay: 100 * time.Millisecond})
		require.NoError(t, err)
		_, err = f.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		mute.Store(true)
		all := until(ctx, t, fast, replica.EventSessionExpired)
		delay := until(ctx, t, fast, replica.EventLockDelay)
		require.NotZero(t, all[len(all)-1].Session)
		last := delay[len(delay)-1]
		require.Equal(t, "/job", last.Path)
		require.NotZero(t, last.Instance)
		require.InDelta(t, 0.1, last.Delay, 1e-9)
	}
	leave(11)
	leave(12) // four more events; there is room for two, and the state takes the first place
	require.Equal(t, replica.EventState, (<-slow.C).Kind)
	<-slow.C
	leave(13)
	require.GreaterOrEqual(t, until(ctx, t, slow, replica.EventDropped)[0].Count, uint64(3), "the next one that is read")
}

func TestListenersAreBounded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := newCell(t, 1)
	r := c.replica(1)
	var all []*replica.Listener
	for range replica.MostListeners {
		l, err := r.Listen(ctx, 1)
		require.NoError(t, err)
		all = append(all, l)
	}
	_, err := r.Listen(ctx, 1)
	require.ErrorIs(t, err, replica.ErrListeners)
	all[3].Close()
	all[3].Close()
	for range all[3].C { // it is closed
	}
	l, err := r.Listen(ctx, 1)
	require.NoError(t, err)
	l.Close()
	for _, l := range all {
		l.Close()
	}
}

// A leader tells of snapshots, of a member that no longer answers, and of its return.
func TestALeaderTellsOfSnapshotsAndOfSilentMembers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := newCell(t, 3, func(c *cell) { c.tune = func(cfg *driver.Config) { cfg.SnapshotEvery = 20 } })
	leader := c.master(ctx, 0).ID
	l, err := c.replica(leader).Listen(ctx, 1000)
	require.NoError(t, err)
	defer l.Close()
	cl := c.client(1)
	for range 30 {
		require.NoError(t, cl.Put(ctx, "a", "1"))
	}
	all := until(ctx, t, l, replica.EventSnapshot)
	require.GreaterOrEqual(t, all[len(all)-1].Slot, paxos.Slot(20))
	other := leader%3 + 1
	c.stop(other)
	all = until(ctx, t, l, replica.EventMember)
	last := all[len(all)-1]
	require.Equal(t, other, last.Member)
	require.Greater(t, *last.Silent, 3.0)
	c.start(other)
	all = until(ctx, t, l, replica.EventMember)
	last = all[len(all)-1]
	require.Equal(t, other, last.Member)
	require.Zero(t, *last.Silent)
	require.NoError(t, cl.Close(ctx))
}
