package replica_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// mutable returns a client of all replicas, and a switch that holds its messages back.
func (c *cell) mutable(addr core.Addr, who api.Principal) (*client.Client, *atomic.Bool) {
	mute := new(atomic.Bool)
	rt := client.NewRuntime(func(to client.Replica, msg []byte) {
		if r := c.replica(paxos.NodeID(to.ID)); r != nil && !mute.Load() {
			r.FromClient(addr, who, msg)
		}
	})
	cl := client.New(rt, client.Config{Replicas: []uint32{1, 2, 3}, Rho: 1000, Draw: client.Entropy})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients[addr] = rt.Deliver
	return cl, mute
}

// One Overview shows which locks are held and waited for, which session holds up a fail-over, which
// member is silent, and until when a lock is delayed.
func TestAnOverviewTellsWhatACellWaitsFor(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3, func(c *cell) {
		c.tune = func(cfg *driver.Config) {
			cfg.Core.Sessions.LeaseMin, cfg.Core.Sessions.LeaseMax = 2*time.Second, 2*time.Second
		}
	})
	overview := func(id paxos.NodeID, most int) replica.Overview {
		o, err := c.replica(id).Overview(ctx, most)
		require.NoError(t, err)
		return o
	}
	ann, mute := c.mutable(1, "ann")
	bob, _ := c.mutable(2, "bob")
	open := func(cl *client.Client) *client.Handle {
		h, err := cl.Open(ctx, "/ls/local/job", client.OpenOptions{Rights: client.Write, Create: client.CreateMay, LockDelay: time.Minute})
		require.NoError(t, err)
		return h
	}
	lock, err := open(ann).Acquire(ctx, client.Exclusive)
	require.NoError(t, err)
	second := open(bob)
	waits, stopWaiting := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := second.Acquire(waits, client.Exclusive)
		require.ErrorIs(t, err, context.Canceled)
	}()
	first := c.master(ctx, 0)
	require.Eventually(t, func() bool { return overview(first.ID, 9).Waiting == 1 }, 20*time.Second, time.Millisecond)

	o := overview(first.ID, 9)
	require.True(t, o.IsMaster)
	require.Equal(t, "serving", o.State)
	require.EqualValues(t, first.ID, o.Master)
	require.Equal(t, []int{1, 1, 2}, []int{o.Held, o.Waiting, o.Handles})
	require.Len(t, o.FirstLocks, 1)
	require.Equal(t, "/job", o.FirstLocks[0].Node.Path.String())
	require.Equal(t, api.Exclusive, o.FirstLocks[0].State.Mode)
	require.Equal(t, 1, o.FirstLocks[0].Waiting)
	require.Len(t, o.FirstLocks[0].Holders, 1)
	require.EqualValues(t, 2, o.Status.Sessions)
	require.Len(t, o.FirstSessions, 2)
	for _, s := range o.FirstSessions {
		require.True(t, s.IsKnown && s.HasAcked && !s.Expiring)
		require.Positive(t, s.Lease)
		require.Equal(t, 1, s.Handles)
	}
	require.Positive(t, o.Lease)
	require.Positive(t, o.Rows)
	require.Len(t, o.Members, 3)
	require.True(t, o.Members[first.ID-1].IsLeader && o.Members[first.ID-1].IsThisReplica)
	d, ok, err := c.replica(first.ID).FindSession(ctx, o.FirstLocks[0].Holders[0].Session)
	require.NoError(t, err)
	require.True(t, ok)
	require.EqualValues(t, "ann", d.Principal)
	require.Len(t, d.Open, 1)
	require.Equal(t, "/job", d.Held[0].Lock.Path.String())
	_, ok, err = c.replica(first.ID).FindSession(ctx, 1<<40)
	require.NoError(t, err)
	require.False(t, ok)

	o = overview(first.ID, 1)
	require.Len(t, o.FirstSessions, 1, "a list is as long as it may be")
	require.EqualValues(t, 2, o.Status.Sessions, "a count is of all")
	follower := first.ID%3 + 1
	require.Eventually(t, func() bool { return overview(follower, 9).Held == 1 }, 20*time.Second, time.Millisecond)
	require.False(t, overview(follower, 9).FirstSessions[0].IsKnown, "the master alone remembers leases")

	mute.Store(true)
	c.stop(first.ID)
	next := func() (o replica.Overview) {
		for id := range paxos.NodeID(3) {
			if id+1 != first.ID && !o.IsMaster {
				o = overview(id+1, 9)
			}
		}
		return o
	}
	require.Eventually(t, func() bool {
		o := next()
		return o.Unacked == 1 && len(o.FirstUnacked) == 1 && o.FirstUnacked[0].Principal == "ann" && o.FirstUnacked[0].Lease > 0
	}, 20*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return next().Delayed == 1 }, 20*time.Second, time.Millisecond)
	o = next()
	require.Len(t, o.FirstDelays, 1)
	require.Equal(t, "/job", o.FirstDelays[0].Node.Path.String())
	require.False(t, o.FirstDelays[0].IsWhole)
	require.InDelta(t, time.Minute, o.FirstDelays[0].Left, float64(30*time.Second))
	require.Eventually(t, func() bool { return next().FirstDelays[0].Waiting == 1 }, 20*time.Second, time.Millisecond, "bob waits for its end")
	require.Greater(t, o.Members[first.ID-1].Silent, time.Second)
	for id := range paxos.NodeID(3) {
		if id+1 != first.ID && id+1 != o.ID {
			require.Eventually(t, func() bool { return len(overview(id+1, 9).FirstDelays) == 1 }, 20*time.Second, time.Millisecond)
			require.Equal(t, replica.Delay{Node: o.FirstDelays[0].Node, Left: time.Minute, IsWhole: true}, overview(id+1, 9).FirstDelays[0])
		}
	}
	stopWaiting()
	<-ended
	require.Error(t, lock.Err())
	mute.Store(false)
	gone, cancelGone := context.WithCancel(ctx)
	cancelGone()
	_ = ann.Close(gone) // its session has ended
	require.NoError(t, bob.Close(ctx))

	r := c.replica(o.ID)
	c.stop(o.ID)
	_, err = r.Overview(ctx, 9)
	require.ErrorIs(t, err, replica.ErrStopped)
	_, _, err = r.FindSession(ctx, 1)
	require.ErrorIs(t, err, replica.ErrStopped)
}
