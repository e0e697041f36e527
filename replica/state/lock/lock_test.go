package lock_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
)

func TestClaimsThatNameNothingAreInvalid(t *testing.T) {
	good := lock.Claim{Lock: file, Owner: owners["A"], Mode: api.Shared}
	for name, spoil := range map[string]func(c *lock.Claim){
		"no instance": func(c *lock.Claim) { c.Lock.Instance = 0 },
		"no session":  func(c *lock.Claim) { c.Owner.Session = 0 },
		"no handle":   func(c *lock.Claim) { c.Owner.Handle = api.HandleID{} },
		"no mode":     func(c *lock.Claim) { c.Mode = 0 },
		"other mode":  func(c *lock.Claim) { c.Mode = 3 },
	} {
		c, b := good, newTable(t)
		spoil(&c)
		g, effects := lock.Acquire(b.tx, b.step(), c)
		require.Equal(t, lock.Grant{Code: api.Invalid}, g, name)
		require.Empty(t, effects)
		require.Zero(t, b.tx.Mark(), "%s: a row changed", name)
	}
	g, _ := lock.Acquire(newTable(t).tx, 1, good)
	require.Equal(t, api.OK, g.Code)
}

// CHU §2.4: a sequencer is valid while its lock is held in its mode at its generation.
func TestASequencerIsValidWhileItsLockIsHeldAtItsGeneration(t *testing.T) {
	b := newTable(t)
	check := func(q api.Sequencer, want lock.Validity) {
		t.Helper()
		require.Equal(t, want, lock.CheckSequencer(b.tx, q))
	}
	sequencer := func(who string) api.Sequencer {
		q, ok := lock.GetSequencer(b.tx, owners[who])
		require.True(t, ok)
		require.True(t, q.Valid())
		check(q, lock.Valid)
		return q
	}
	_, ok := lock.GetSequencer(b.tx, owners["A"])
	require.False(t, ok)
	check(api.Sequencer{Node: file, Mode: api.Shared, Gen: 1}, lock.NotHeld)

	first := b.acquire("A", file, api.Shared, 5000)
	q := sequencer("A")
	require.Equal(t, api.Sequencer{Node: file, Mode: api.Shared, Gen: first.Gen}, q)
	check(api.Sequencer{Node: file, Mode: api.Exclusive, Gen: q.Gen}, lock.WrongMode)
	check(api.Sequencer{Node: file, Mode: api.Shared, Gen: q.Gen + 1}, lock.OtherGen)
	check(api.Sequencer{Node: file, Mode: api.Shared, Gen: q.Gen - 1}, lock.OtherGen)
	check(api.Sequencer{Node: other, Mode: api.Shared, Gen: q.Gen}, lock.NotHeld)
	check(api.Sequencer{Node: api.Ref{Path: file.Path, Instance: file.Instance + 1}, Mode: api.Shared, Gen: q.Gen}, lock.NotHeld)

	// Another reader joins and stays: the period goes on, even after the first one has left.
	b.acquire("B", file, api.Shared, 0)
	require.Equal(t, q, sequencer("B"))
	lock.ReleaseHandle(b.tx, owners["A"])
	check(q, lock.Valid)
	lock.ReleaseHandle(b.tx, owners["B"])
	check(q, lock.NotHeld)

	// The same mode again is another period.
	b.acquire("A", file, api.Shared, 5000)
	check(q, lock.OtherGen)
	late := sequencer("A")
	lock.FailSession(b.tx, b.step(), 1)
	check(late, lock.NotHeld)

	// The other mode, too.
	lock.EndDelay(b.tx, file, b.last)
	b.acquire("B", file, api.Exclusive, 0)
	check(late, lock.OtherGen)
	require.Greater(t, sequencer("B").Gen, late.Gen)
}

// Generations never restart when a node is deleted and made again, even if it had the same instance by
// mistake.
func TestGenerationsDoNotRestartWithTheNode(t *testing.T) {
	b := newTable(t)
	was := b.acquire("A", file, api.Exclusive, 0)
	q, _ := lock.GetSequencer(b.tx, owners["A"])
	lock.Forget(b.tx, file)
	require.Equal(t, lock.State{}, lock.Get(b.tx, file))
	require.Equal(t, lock.NotHeld, lock.CheckSequencer(b.tx, q))
	_, ok := lock.HeldBy(b.tx, owners["A"])
	require.False(t, ok, "the handle holds a lock that is gone")

	again := api.Ref{Path: file.Path, Instance: 20}
	for _, n := range []api.Ref{again, file} {
		now := b.acquire("B", n, api.Exclusive, 0)
		require.Equal(t, api.OK, now.Code)
		require.Greater(t, now.Gen, was.Gen)
		lock.ReleaseHandle(b.tx, owners["B"])
	}
	require.Equal(t, lock.NotHeld, lock.CheckSequencer(b.tx, q))
	for key := range b.tx.Scan(lock.Prefix) {
		k, _ := lock.ParseKey(key)
		require.Contains(t, []api.Ref{again, file}, k.Lock)
	}
	b.audit()
}

// Holders are listed for a session, a lock and all locks, and delays with their full lengths.
func TestLists(t *testing.T) {
	b := newTable(t)
	b.acquire("B", file, api.Shared, 1000)
	b.acquire("a", other, api.Exclusive, 2000)
	b.acquire("A", file, api.Shared, 3000)
	b.acquire("C", file, api.Shared, 4000)
	lock.FailSession(b.tx, 20, 3)
	b.last = 20
	hold := func(m api.Mode, a api.Acquisition, d api.LockDelay) lock.Hold {
		return lock.Hold{Mode: m, Acquisition: a, Delay: d}
	}
	ofA := lock.Holding{Lock: file, Owner: owners["A"], Hold: hold(api.Shared, 12, 3000)}
	ofa := lock.Holding{Lock: other, Owner: owners["a"], Hold: hold(api.Exclusive, 11, 2000)}
	ofB := lock.Holding{Lock: file, Owner: owners["B"], Hold: hold(api.Shared, 10, 1000)}
	require.Equal(t, []lock.Holding{ofA, ofa}, lock.HoldingsOf(b.tx, 1))
	require.Equal(t, []lock.Holding{ofB}, lock.HoldingsOf(b.tx, 2))
	require.Empty(t, lock.HoldingsOf(b.tx, 3))
	require.Equal(t, []lock.Holding{ofA, ofB}, lock.Holders(b.tx, file))
	require.Equal(t, []lock.Holding{ofA, ofa, ofB}, lock.Holdings(b.tx))
	require.Equal(t, []lock.Delay{{Lock: file, Freed: 20, Length: 4000}}, lock.Delays(b.tx))

	lock.FailSession(b.tx, b.step(), 1)
	require.Equal(t, []lock.Delay{{file, 20, 4000}, {file, 21, 3000}, {other, 21, 2000}}, lock.Delays(b.tx))
	require.Equal(t, []lock.Holding{ofB}, lock.Holdings(b.tx))
	b.audit()
}

func TestNumbersHaveNames(t *testing.T) {
	for i, want := range []string{"validity(0)", "valid", "not-held", "other-generation", "wrong-mode", "validity(5)"} {
		require.Equal(t, want, lock.Validity(i).String())
	}
	require.Equal(t, "1/1.2", owners["a"].String())
}
