package chubbytest_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What a cell has answered outlives a power cut of all of its machines.
func TestACellSurvivesAPowerCut(t *testing.T) {
	ctx := within(t)
	for _, n := range []int{1, 3, 5} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			cell := chubbytest.Start(t, chubbytest.Options{Replicas: n, Lease: 2 * time.Second, Grace: time.Minute})
			cl := cell.Client(t)
			require.NoError(t, cl.Put(ctx, "a", "1"))
			for id := 1; id <= n; id++ {
				cell.Kill(id)
			}
			for id := 1; id <= n; id++ {
				cell.Restart(id)
			}
			value, err := cl.Get(ctx, "a")
			require.NoError(t, err)
			require.Equal(t, "1", value)
		})
	}
}

// Without a majority no call is answered; with one again, it is.
func TestAMinorityAnswersNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cell := chubbytest.Start(t, chubbytest.Options{Lease: time.Minute, Grace: time.Hour})
		cl := cell.Client(t)
		require.NoError(t, cl.Put(t.Context(), "a", "1"))
		for name, fault := range map[string]struct{ begin, end func(id int) }{
			"kill":      {cell.Kill, cell.Restart},
			"pause":     {cell.Pause, cell.Resume},
			"partition": {func(int) { cell.Partition() }, func(int) { cell.Heal() }},
		} {
			fault.begin(1)
			fault.begin(2)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			require.ErrorIs(t, cl.Put(ctx, "a", name), client.ErrOutcomeUnknown, name)
			cancel()
			fault.end(1)
			fault.end(2)
			require.NoError(t, cl.Put(t.Context(), "b", name), name)
		}
	})
}

// A master that stops for a while is replaced, and finds that out when it goes on.
func TestAPausedMasterIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := within(t)
		cell := chubbytest.Start(t, chubbytest.Options{})
		cl := cell.Client(t)
		require.NoError(t, cl.Put(ctx, "a", "1"))
		old := cell.Master(ctx)
		cell.Pause(old)
		next := cell.Master(ctx)
		require.NotEqual(t, old, next)
		require.NoError(t, cl.Put(ctx, "a", "2"))
		cell.Resume(old)
		for id := 1; id <= 3; id++ { // the former master is needed now
			if id != old && id != next {
				cell.Kill(id)
			}
		}
		value, err := cl.Get(ctx, "a")
		require.NoError(t, err)
		require.Equal(t, "2", value)
	})
}

// A master that the others do not reach is none, although it does not know that yet.
func TestAMasterHasAMajority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := within(t)
		cell := chubbytest.Start(t, chubbytest.Options{Replicas: 5})
		cl := cell.Client(t)
		require.NoError(t, cl.Put(ctx, "a", "1"))
		old := cell.Master(ctx)
		friend := old%5 + 1
		var others []int
		for id := 1; id <= 5; id++ {
			if id != old && id != friend {
				others = append(others, id)
			}
		}
		cell.Partition(others, []int{old, friend})
		require.Contains(t, others, cell.Master(ctx))
		require.NoError(t, cl.Put(ctx, "a", "2"))
		cell.Kill(others[0])
		cell.Heal()
		require.NoError(t, cl.Put(ctx, "a", "3"))
	})
}

// A client may be cut off from some replicas only, and reaches the master among the others.
func TestAClientReachesWhatItIsNotCutFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cell := chubbytest.Start(t, chubbytest.Options{Lease: time.Minute, Grace: time.Hour})
		cl := cell.Client(t)
		master := cell.Master(t.Context())
		cell.CutClient(cl, master%3+1)
		require.NoError(t, cl.Put(t.Context(), "a", "1"))
		cell.CutClient(cl, master)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		require.ErrorIs(t, cl.Put(ctx, "a", "2"), client.ErrOutcomeUnknown)
		cell.HealClient(cl)
		require.NoError(t, cl.Put(t.Context(), "a", "3"))
	})
}

// A replica that is paused can be killed, and the test may end while replicas are paused.
func TestAPausedReplicaEnds(t *testing.T) {
	ctx := within(t)
	cell := chubbytest.Start(t, chubbytest.Options{})
	master := cell.Master(ctx)
	for id := 1; id <= 3; id++ {
		cell.Pause(id)
	}
	cell.Kill(master)
	cell.Restart(master)
}

func TestAMasterResigns(t *testing.T) {
	ctx := within(t)
	cell := chubbytest.Start(t, chubbytest.Options{Lease: 5 * time.Second})
	cl := cell.Client(t)
	first := cell.Master(ctx)
	require.NoError(t, cl.Put(ctx, "a", "1"))
	require.Equal(t, first, cell.Resign(ctx))
	require.NoError(t, cl.Put(ctx, "a", "2"))
}

// A client of a subtest is closed with the subtest: its locks are free then, with no lease to wait
// for.
func TestAClientEndsWithItsTest(t *testing.T) {
	ctx := within(t)
	cell := chubbytest.Start(t, chubbytest.Options{Lease: time.Minute})
	var used *client.Client
	take := func(t *testing.T) {
		used = cell.Client(t)
		h, err := used.Open(ctx, "/ls/local/job", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
		require.NoError(t, err)
		_, err = h.TryAcquire(ctx, client.Exclusive)
		require.NoError(t, err)
	}
	t.Run("one", take)
	require.ErrorIs(t, used.Put(ctx, "a", "1"), client.ErrClosed)
	t.Run("two", take)
}

// Clients have principals, which access control lists know.
func TestClientsHavePrincipals(t *testing.T) {
	ctx := within(t)
	cell := chubbytest.Start(t, chubbytest.Options{Replicas: 1, Lease: 5 * time.Second})
	root := cell.ClientAs(t, "root")
	acl, err := root.Open(ctx, "/ls/local/acl/annonly", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	require.NoError(t, err)
	_, err = acl.SetContents(ctx, "ann\n", 0)
	require.NoError(t, err)
	file, err := root.Open(ctx, "/ls/local/file", client.OpenOptions{Rights: client.Write | client.ChangeACL, Create: client.CreateMay})
	require.NoError(t, err)
	_, err = file.SetACL(ctx, client.ACLNames{Read: "annonly", Write: "annonly", Change: "annonly"}, 0)
	require.NoError(t, err)

	_, err = cell.ClientAs(t, "ann").Open(ctx, "/ls/local/file", client.OpenOptions{Rights: client.Write})
	require.NoError(t, err)
	_, err = cell.ClientAs(t, "bob").Open(ctx, "/ls/local/file", client.OpenOptions{Rights: client.Write})
	require.ErrorIs(t, err, client.ErrPermission)
}

// A program that hears of events for ever does not keep its test from ending.
func TestATestEndsWhereAProgramWaitsForEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cell := chubbytest.Start(t, chubbytest.Options{Replicas: 1})
		heard := make(chan error, 1)
		t.Cleanup(func() { require.ErrorIs(t, <-heard, client.ErrClosed) }) // behind the end of the client
		c := cell.Client(t)
		require.NoError(t, c.Ready(within(t)))
		c.Events().Each(context.Background(), func(client.Event) {})
		go func() {
			_, err := c.Events().Next(context.Background())
			heard <- err
		}()
	})
}

// A program that names other cells runs with this one. It does not reach the others.
func TestOtherCellsAreOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := within(t)
		cell := chubbytest.Start(t, chubbytest.Options{})
		cl := cell.Client(t, client.WithCells(map[string][]uint32{"far": {1, 2, 3}}))
		short, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		_, err := cl.Open(short, "/ls/far/f", client.OpenOptions{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, cl.Put(ctx, "here", "1"))
	})
}
