package lockwait_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/lockwait"
	"github.com/chubbycell/chubby/replica/state/lock"
)

var (
	file  = api.Ref{Instance: 3} // the root will do
	other = api.Ref{Instance: 4}
)

// waiter returns waiter number n for the lock of file.
func waiter(n uint64, m api.Mode) lockwait.Waiter {
	return lockwait.Waiter{Lock: file, Mode: m, Session: api.SessionID(n), Handle: api.HandleID{Epoch: 1, Counter: n}, Seq: 7, Request: 100 + n}
}

// line returns queues with waiters such as "W R R W" for writers and readers, numbered from 1.
func line(t testing.TB, text string) *lockwait.Queues {
	q := lockwait.New(lockwait.DefaultLimits)
	for i, kind := range strings.Fields(text) {
		require.Equal(t, lockwait.Joined, q.Join(waiter(uint64(i+1), modeOf(kind))))
	}
	return q
}

func modeOf(kind string) api.Mode {
	if kind == "W" {
		return api.Exclusive
	}
	return api.Shared
}

func numbers(all []lockwait.Waiter) (ns []uint64) {
	for _, w := range all {
		ns = append(ns, w.Handle.Counter)
	}
	return ns
}

func TestWhoseTurnItIs(t *testing.T) {
	for _, c := range []struct {
		line    string
		held    api.Mode
		delayed bool
		want    []uint64
	}{
		{"", 0, false, nil},
		{"W", 0, false, []uint64{1}},
		{"W W W", 0, false, []uint64{1}},
		{"W R R", 0, false, []uint64{1}},
		{"R R W R", 0, false, []uint64{1, 2}},
		{"R R R", 0, false, []uint64{1, 2, 3}},
		{"W R", api.Shared, false, nil},
		{"R R W R", api.Shared, false, []uint64{1, 2}},
		{"R W", api.Exclusive, false, nil},
		{"W R", api.Exclusive, false, nil},
		{"W", 0, true, nil},
		{"R R", 0, true, nil},
		{"R", api.Shared, true, nil},
	} {
		q := line(t, c.line)
		require.Equal(t, c.want, numbers(q.Next(file, c.held, c.delayed)), "%+v", c)
		require.Empty(t, q.Next(file, c.held, c.delayed), "%+v: attempted twice", c)
		require.Empty(t, q.Next(other, 0, false))
		require.NoError(t, q.Audit())
	}
}

func TestWhoIsTriedCountsAsAHolder(t *testing.T) {
	q := line(t, "R W R")
	require.Equal(t, []uint64{1}, numbers(q.Next(file, 0, false)))
	require.Equal(t, lockwait.Joined, q.Join(waiter(4, api.Shared)))
	require.Empty(t, q.Next(file, 0, false), "a reader passed the writer")
	q = line(t, "R")
	q.Next(file, 0, false)
	require.Equal(t, lockwait.Joined, q.Join(waiter(2, api.Shared)))
	require.Equal(t, []uint64{2}, numbers(q.Next(file, 0, false)), "another reader fits")
	require.Equal(t, lockwait.Joined, q.Join(waiter(3, api.Shared)))
	require.Empty(t, q.Next(file, api.Exclusive, false), "a writer that did not wait was faster than those that are attempted")
	require.Equal(t, []uint64{3}, numbers(q.Next(file, api.Shared, false)))
}

// A first waiter whose Acquire is refused when it is applied stays the first.
func TestARefusedWaiterKeepsItsPlace(t *testing.T) {
	q := line(t, "W W")
	require.Equal(t, []uint64{1}, numbers(q.Next(file, 0, false)))
	_, ok := q.Settle(api.HandleID{Epoch: 1, Counter: 1}, 6, true)
	require.False(t, ok, "another call")
	_, ok = q.Settle(api.HandleID{Epoch: 1, Counter: 2}, 7, true)
	require.False(t, ok, "who is not tried is settled")
	w, ok := q.Settle(api.HandleID{Epoch: 1, Counter: 1}, 7, false)
	require.True(t, ok)
	require.Equal(t, waiter(1, api.Exclusive), w)
	require.Empty(t, q.Next(file, api.Exclusive, false))
	require.Equal(t, []uint64{1}, numbers(q.Next(file, 0, false)))
	_, ok = q.Settle(api.HandleID{Epoch: 1, Counter: 1}, 7, true)
	require.True(t, ok)
	require.Equal(t, []uint64{2}, numbers(q.Next(file, 0, false)))
	require.Equal(t, 1, q.Waiting(file))
}

func TestCopiesKeepThePlaceAndAreAnswered(t *testing.T) {
	q := line(t, "W W")
	again := waiter(1, api.Exclusive)
	again.Request = 999
	require.Equal(t, lockwait.Again, q.Join(again))
	require.Equal(t, 2, q.Len())
	turn := q.Next(file, 0, false)
	require.Equal(t, []lockwait.Waiter{again}, turn)
	for _, spoil := range []func(w *lockwait.Waiter){
		func(w *lockwait.Waiter) { w.Seq++ }, func(w *lockwait.Waiter) { w.Mode = api.Shared },
		func(w *lockwait.Waiter) { w.Lock = other }, func(w *lockwait.Waiter) { w.Session++ },
	} {
		w := again
		spoil(&w)
		require.Equal(t, lockwait.Elsewhere, q.Join(w))
	}
	require.Equal(t, 2, q.Len())
	require.NoError(t, q.Audit())
}

// A waiter that has left is not attempted again and holds up no other, whether it was attempted or not.
func TestWhoLeavesIsGone(t *testing.T) {
	q := line(t, "W W W")
	q.Next(file, 0, false)
	w, tried, ok := q.Leave(api.HandleID{Epoch: 1, Counter: 2})
	require.True(t, ok && !tried)
	require.Equal(t, waiter(2, api.Exclusive), w)
	_, tried, ok = q.Leave(api.HandleID{Epoch: 1, Counter: 1})
	require.True(t, ok && tried, "it may yet be granted the lock")
	_, _, ok = q.Leave(api.HandleID{Epoch: 1, Counter: 1})
	require.False(t, ok)
	_, ok = q.Settle(api.HandleID{Epoch: 1, Counter: 1}, 7, true)
	require.False(t, ok)
	require.Equal(t, []uint64{3}, numbers(q.Next(file, 0, false)))
	require.Equal(t, []uint64{3}, numbers(q.Forget(file)))
	require.Empty(t, q.Forget(file))
	require.Zero(t, q.Len())
	require.NoError(t, q.Audit())
}

// The place of a cancelled Acquire is kept for its handle until its turn comes. Meanwhile it holds up no other
// waiter and counts in no limit.
func TestAPlaceIsKeptForAHandleThatComesAgain(t *testing.T) {
	handle := func(n uint64) api.HandleID { return waiter(n, api.Shared).Handle }
	again := func(n uint64, m api.Mode) lockwait.Waiter {
		w := waiter(n, m)
		w.Seq = 70
		return w
	}
	q := line(t, "W W W")
	q.StepAside(handle(2))
	q.StepAside(handle(2))
	q.StepAside(handle(9))
	require.NoError(t, q.Audit())
	require.Equal(t, 2, q.Waiting(file))
	require.Equal(t, 2, q.Len())
	_, _, ok := q.Find(handle(2))
	require.False(t, ok)
	w, ok := q.FirstConflict(file, handle(1), api.Shared)
	require.True(t, ok && w.Handle == handle(3))
	require.Equal(t, lockwait.Joined, q.Join(again(2, api.Exclusive)))
	require.Equal(t, []uint64{1}, numbers(q.Next(file, 0, false)))
	_, ok = q.Settle(handle(1), 7, true)
	require.True(t, ok)
	require.Equal(t, []uint64{2}, numbers(q.Next(file, 0, false)), "before the third")

	q = line(t, "W W R")
	q.StepAside(handle(1))
	w, _, ok = q.Front(file)
	require.True(t, ok && w.Handle == handle(2))
	require.Equal(t, []uint64{2}, numbers(q.Next(file, 0, false)), "the turn of the first is over")
	require.Equal(t, lockwait.Joined, q.Join(again(1, api.Exclusive)))
	require.Equal(t, []uint64{2, 3, 1}, numbers(q.Forget(file)))

	q = line(t, "W R")
	q.StepAside(handle(1))
	require.Equal(t, []uint64{2}, numbers(q.Next(file, api.Shared, false)), "one that waits would hold the reader up")
	require.Equal(t, lockwait.Joined, q.Join(again(1, api.Exclusive)), "and it is not its turn while readers hold the lock")
	require.Empty(t, q.Next(file, 0, false), "nor when they have released it, while one behind it is attempted")
	require.NoError(t, q.Audit())
	_, ok = q.Settle(handle(2), 7, false)
	require.True(t, ok)
	require.Equal(t, []uint64{1}, numbers(q.Next(file, 0, false)))
	require.Equal(t, []uint64{1, 2}, numbers(q.Forget(file)))

	q = line(t, "W W W")
	q.StepAside(handle(1))
	require.Equal(t, lockwait.Joined, q.Join(again(1, api.Shared)), "another mode is another place")
	q.StepAside(handle(2))
	_, _, ok = q.Leave(handle(2))
	require.False(t, ok, "its handle was closed")
	require.Equal(t, []uint64{3}, numbers(q.Next(file, 0, false)))
	q.StepAside(handle(3))
	_, _, ok = q.Find(handle(3))
	require.False(t, ok, "its turn is now")
	require.Equal(t, []uint64{1}, numbers(q.Forget(file)))
	require.NoError(t, q.Audit())

	q = lockwait.New(lockwait.Limits{PerLock: 1, Total: 1})
	require.Equal(t, lockwait.Joined, q.Join(waiter(1, api.Exclusive)))
	q.StepAside(handle(1))
	require.Equal(t, lockwait.Joined, q.Join(waiter(2, api.Exclusive)))
	require.Equal(t, lockwait.Full, q.Join(waiter(1, api.Exclusive)))
	require.NoError(t, q.Audit())
	require.Equal(t, []uint64{2}, numbers(q.Forget(file)))
}

func TestTheMemoryIsBounded(t *testing.T) {
	q := lockwait.New(lockwait.Limits{PerLock: 2, Total: 3})
	var got []lockwait.Joining
	for n := uint64(1); n <= 6; n++ {
		w := waiter(n, api.Exclusive)
		if n > 3 {
			w.Lock = other
		}
		got = append(got, q.Join(w))
	}
	require.Equal(t, []lockwait.Joining{lockwait.Joined, lockwait.Joined, lockwait.Full, lockwait.Joined, lockwait.Full, lockwait.Full}, got)
	require.NoError(t, q.Audit())
	require.Equal(t, []uint64{1, 2}, numbers(q.Forget(file)))
	require.Equal(t, 1, q.Len())
	require.Equal(t, lockwait.Joined, q.Join(waiter(3, api.Shared)))
	require.NoError(t, q.Audit())
	require.Equal(t, "joined again elsewhere full joining(5)", fmt.Sprintf("%v %v %v %v %v",
		lockwait.Joined, lockwait.Again, lockwait.Elsewhere, lockwait.Full, lockwait.Joining(5)))
}

// cell is a lock table with its wait queue, connected as a master connects them.
type cell struct {
	t       require.TestingT
	tx      *db.Txn
	at      api.Number
	q       *lockwait.Queues
	granted []uint64
	woken   int
}

func (c *cell) step() api.Number {
	c.at++
	return c.at
}

func owner(w lockwait.Waiter) lock.Owner { return lock.Owner{Session: w.Session, Handle: w.Handle} }

// wake attempts the next waiters, and applies their Acquires at once.
func (c *cell) wake() {
	s := lock.Get(c.tx, file)
	for _, w := range c.q.Next(file, s.Mode, s.Delays > 0) {
		c.woken++
		g, _ := lock.Acquire(c.tx, c.step(), lock.Claim{Lock: file, Owner: owner(w), Mode: w.Mode, Delay: 1})
		_, ok := c.q.Settle(w.Handle, w.Seq, g.Code == api.OK)
		require.True(c.t, ok)
		if g.Code == api.OK {
			c.granted = append(c.granted, w.Handle.Counter)
		}
	}
	require.NoError(c.t, c.q.Audit())
}

// Of a thousand writers that wait for one lock, each release wakes exactly one, in order.
func TestAReleaseWakesExactlyOneWriter(t *testing.T) {
	c := &cell{t: t, tx: db.New().Begin(), q: lockwait.New(lockwait.DefaultLimits)}
	const many = 1000
	var want []uint64
	for n := uint64(1); n <= many; n++ {
		require.Equal(t, lockwait.Joined, c.q.Join(waiter(n, api.Exclusive)))
		want = append(want, n)
	}
	c.wake()
	for n := uint64(1); n < many; n++ {
		effects := lock.ReleaseHandle(c.tx, owner(waiter(n, api.Exclusive)))
		require.Contains(t, effects, lock.Effect(lock.Claimable{Lock: file}))
		c.wake()
		require.Equal(t, int(n)+1, c.woken)
	}
	require.Equal(t, want, c.granted)
	require.Zero(t, c.q.Len())
}

// No waiter is overtaken, not even by one that steps aside and returns before its turn, and none waits for
// ever: grants come in the order of arrival, and when all holders leave, all waiters get the lock in turn. It is
// enough to look for the next waiters after the effect Claimable.
func TestEveryoneIsServedInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &cell{t: t, tx: db.New().Begin(), q: lockwait.New(lockwait.DefaultLimits)}
		var arrived []uint64
		next := uint64(0)
		told := func(effects []lock.Effect) {
			if slices.Contains(effects, lock.Effect(lock.Claimable{Lock: file})) {
				c.wake()
			}
		}
		happen := func(what int) {
			holders, delays := lock.Holders(c.tx, file), lock.Delays(c.tx)
			switch {
			case what < 2 && len(holders) > 0:
				told(lock.ReleaseHandle(c.tx, rapid.SampledFrom(holders).Draw(t, "holder").Owner))
			case what == 2 && len(holders) > 0:
				told(lock.FailHandle(c.tx, c.step(), rapid.SampledFrom(holders).Draw(t, "holder").Owner))
			case what < 5 && len(delays) > 0:
				_, effects := lock.EndDelay(c.tx, file, rapid.SampledFrom(delays).Draw(t, "delay").Freed)
				told(effects)
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			what := rapid.IntRange(0, 11).Draw(t, "what")
			switch {
			case what < 5:
				happen(what)
			case what == 6 && len(arrived) > 0:
				n := rapid.SampledFrom(arrived).Draw(t, "stepper")
				if w, attempted, waits := c.q.Find(waiter(n, api.Shared).Handle); waits && !attempted {
					if front, _, _ := c.q.Front(file); front == w {
						continue // its turn may come at once, and then it loses its place
					}
					c.q.StepAside(w.Handle)
					require.NoError(t, c.q.Audit())
					w.Seq++
					require.Equal(t, lockwait.Joined, c.q.Join(w))
					c.wake()
				}
			case what == 5 && len(arrived) > 0:
				n := rapid.SampledFrom(arrived).Draw(t, "leaver")
				if _, _, waited := c.q.Leave(waiter(n, api.Shared).Handle); waited {
					arrived = slices.DeleteFunc(arrived, func(x uint64) bool { return x == n })
					c.wake() // a writer that leaves may let readers in
				}
			default:
				next++
				arrived = append(arrived, next)
				require.Equal(t, lockwait.Joined, c.q.Join(waiter(next, rapid.SampledFrom([]api.Mode{api.Exclusive, api.Shared}).Draw(t, "mode"))))
				c.wake()
			}
		}
		for rounds := 0; c.q.Len() > 0 || len(lock.Holders(c.tx, file)) > 0; rounds++ {
			require.Less(t, rounds, 500, "all stand still")
			happen(0)
			happen(3)
		}
		require.Equal(t, arrived, c.granted)
		require.Equal(t, len(c.granted), c.woken, "a waiter was woken in vain")
	})
}
