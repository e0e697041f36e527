package calls_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/handle"
)

func key(seq api.Seq) calls.Key { return calls.Key{Session: 7, Seq: seq} }

func to(id uint64) calls.Destination { return calls.Destination{Addr: 3, ID: id} }

// The answer goes to the newest duplicate, once; a call that has its answer and no command
// is forgotten.
func TestTheNewestDuplicateIsAnswered(t *testing.T) {
	table := calls.New()
	c := table.Await(key(5), to(1))
	table.Log(c)
	require.Same(t, c, table.Await(key(5), to(2)))
	require.Equal(t, 1, table.Waiting())
	where, ok := table.Reply(c, false)
	require.True(t, ok)
	require.Equal(t, to(2), where)
	require.Equal(t, 1, table.Waiting(), "a reply that is not the final one")
	table.Decide(c)
	_, ok = table.Reply(c, true)
	require.True(t, ok)
	_, ok = table.Reply(c, true)
	require.False(t, ok)
	require.Nil(t, table.Of(7, 5))
	require.Empty(t, table.Sessions())
}

// Requests that open sessions are told apart by nonce and principal.
func TestANonceIsItsPrincipals(t *testing.T) {
	table := calls.New()
	open := api.OpenSession{Nonce: api.Nonce{1, 2}}
	ann, bob := calls.KeyOf("ann", 0, 0, open), calls.KeyOf("bob", 0, 0, open)
	table.Log(table.Await(ann, to(1)))
	require.Nil(t, table.Get(bob))
	require.NotNil(t, table.Get(ann))
	require.Equal(t, calls.KeyOf("ann", 7, 5, api.EndSession{}), calls.KeyOf("bob", 7, 5, api.Get{}))
}

// A kept answer lives until the client acknowledges the call, or its session ends.
func TestAnAnswerIsKeptUntilItIsAcknowledged(t *testing.T) {
	for what, forget := range map[string]func(*calls.Table){
		"acknowledged":  func(table *calls.Table) { require.True(t, table.Ack(7, 5)) },
		"session ended": func(table *calls.Table) { table.EndSession(7) },
	} {
		table := calls.New()
		c := table.Await(key(5), to(1))
		table.Keep(c, api.Result{Code: api.LockHeld})
		table.Reply(c, true)
		require.False(t, table.Ack(7, 0))
		table.Ack(7, 4)
		require.Nil(t, table.Of(7, 5), "the answer is all that is left")
		kept, ok := table.Kept(key(5))
		require.True(t, ok)
		require.Equal(t, api.LockHeld, kept.Code)
		require.True(t, table.Remembers(7))
		forget(table)
		_, ok = table.Kept(key(5))
		require.False(t, ok, what)
		require.NoError(t, table.Audit())
	}
}

// A session that has ended is forgotten when its last command is applied.
func TestTheCommandOfAnEndedSessionStaysKnown(t *testing.T) {
	table := calls.New()
	table.Ack(7, 4)
	c := table.Await(key(5), to(1))
	table.Propose(c, calls.Attempt{})
	table.Enqueue(key(5), "ann")
	table.Take(key(5))
	table.Decide(c)
	table.Reply(c, true)
	table.EndSession(7)
	require.False(t, table.Remembers(7))
	require.NotNil(t, table.Of(7, 5))
	who, ok := table.Applied(key(5))
	require.True(t, ok)
	require.Equal(t, api.Principal("ann"), who)
	require.Empty(t, table.Sessions())
	_, ok = table.Applied(key(5))
	require.False(t, ok)
}

// I-C4: a call has one command at a time. A second one would count in the share of its
// principal for ever.
func TestIC4ACallHasOneCommandAtATime(t *testing.T) {
	for what, c := range map[string]struct {
		before func(*calls.Table)
		panics bool
	}{
		"none":         {func(*calls.Table) {}, false},
		"another call": {func(table *calls.Table) { table.Enqueue(key(6), "ann") }, false},
		"in the queue": {func(table *calls.Table) { table.Enqueue(key(5), "ann") }, true},
		"in the log":   {func(table *calls.Table) { table.Enqueue(key(5), "ann"); table.Take(key(5)) }, true},
		"applied":      {func(table *calls.Table) { table.Enqueue(key(5), "ann"); table.Take(key(5)); table.Applied(key(5)) }, false},
		"given up":     {func(table *calls.Table) { table.Enqueue(key(5), "ann"); table.Applied(key(5)) }, false},
	} {
		table := calls.New()
		c.before(table)
		v := invariant.Caught(func() { table.Enqueue(key(5), "ann") })
		require.Equal(t, c.panics, v != nil, what)
		if c.panics {
			require.Equal(t, invariant.ID("I-C4"), v.ID)
		}
	}
}

// An answer may come from the rows only with read authority, and not while a call that the client has
// given up has a command on its way.
func TestWhatCanBeAnsweredNow(t *testing.T) {
	now := time.Unix(1000, 0)
	lease := calls.At{Now: now, Lease: now.Add(1)}
	over := calls.At{Now: now, Lease: now}
	for what, c := range map[string]struct {
		at   calls.At
		call func(*calls.Table, *calls.Call)
		seen api.Seq
		want bool
	}{
		"no lease":               {calls.At{Now: now}, nil, 0, false},
		"the lease is over":      {over, nil, 0, false},
		"a lease":                {lease, nil, 9, true},
		"a row is written":       {lease, func(t *calls.Table, c *calls.Call) { t.Log(c) }, 5, false},
		"and not given up":       {lease, func(t *calls.Table, c *calls.Call) { t.Log(c) }, 4, true},
		"a node is written":      {lease, func(t *calls.Table, c *calls.Call) { t.Propose(c, calls.Attempt{}) }, 5, false},
		"an Acquire waits":       {lease, func(t *calls.Table, c *calls.Call) { t.Park(c) }, 5, true},
		"an Open waits":          {lease, func(t *calls.Table, c *calls.Call) { t.Hold(c, api.Path{}) }, 5, true},
		"an answer was given":    {lease, func(t *calls.Table, c *calls.Call) { t.Keep(c, api.Result{}) }, 5, true},
		"the command is decided": {lease, func(t *calls.Table, c *calls.Call) { t.Log(c); t.Decide(c) }, 5, true},
	} {
		table := calls.New()
		if c.call != nil {
			c.call(table, table.Await(key(5), to(1)))
		}
		require.Equal(t, c.want, table.CanAnswerNow(c.at, 7, c.seen), what)
	}
}

// Whatever is done with calls, the counts are right.
func TestCountsAgreeWithCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := calls.New()
		draw := func() calls.Key {
			k := calls.Key{Session: api.SessionID(rapid.IntRange(0, 2).Draw(t, "session"))}
			if k.Session == 0 {
				k.Nonce = api.Nonce{rapid.Uint64Range(1, 2).Draw(t, "nonce")}
				return k
			}
			k.Seq = table.Acked(k.Session) + api.Seq(rapid.IntRange(1, 4).Draw(t, "seq"))
			return k
		}
		entry := func() *calls.Call { return table.Await(draw(), to(rapid.Uint64().Draw(t, "id"))) }
		onNode := func(t *rapid.T) *calls.Call {
			c := entry()
			if _, kept := table.Kept(c.Key); c.Session == 0 || kept {
				t.Skip("the entry drawn is no call on a node")
			}
			return c
		}
		table.Ack(2, 3)
		t.Repeat(map[string]func(*rapid.T){
			"log": func(*rapid.T) { table.Log(entry()) },
			"propose": func(t *rapid.T) {
				table.Propose(onNode(t), calls.Attempt{
					Kind:   rapid.SampledFrom([]calls.AttemptKind{calls.Other, calls.Acquires, calls.Releases, calls.Opens}).Draw(t, "kind"),
					Handle: handle.Handle{ID: api.HandleID{Counter: rapid.Uint64Range(1, 2).Draw(t, "handle")}},
				})
			},
			"park":   func(t *rapid.T) { table.Park(onNode(t)) },
			"hold":   func(t *rapid.T) { table.Hold(onNode(t), api.ACLDirectory()) },
			"keep":   func(t *rapid.T) { table.Keep(onNode(t), api.Result{}) },
			"decide": func(*rapid.T) { table.Decide(entry()) },
			"reply":  func(t *rapid.T) { table.Reply(entry(), rapid.Bool().Draw(t, "final")) },
			"enqueue": func(*rapid.T) {
				if k := draw(); table.Get(k) == nil || table.Get(k).Place == calls.Nowhere {
					table.Enqueue(k, "ann")
				}
			},
			"take": func(*rapid.T) {
				if k := draw(); table.Get(k) != nil && table.Get(k).Place == calls.InQueue {
					table.Take(k)
				}
			},
			"applied": func(*rapid.T) { table.Applied(draw()) },
			"ack": func(t *rapid.T) {
				id := api.SessionID(rapid.IntRange(1, 2).Draw(t, "session"))
				table.Ack(id, table.Acked(id)+1)
				for _, c := range table.OnNodes(id) {
					if c.Seq <= table.Acked(id) && c.State != calls.Proposed {
						table.Decide(c)
					}
				}
			},
			"": func(t *rapid.T) {
				require.NoError(t, table.Audit())
				waiting := 0
				for _, c := range table.Awaited() {
					require.Same(t, c, table.Get(c.Key))
					waiting++
				}
				require.Equal(t, waiting, table.Waiting())
			},
		})
	})
}
