package master

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/fairqueue"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/master/session"
)

// A command of a call is proposed when none of the same call stands in the log.
func TestIE6NoCallStandsInTheLogTwice(t *testing.T) {
	now := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		second key
		panics bool
	}{
		"another call":  {key{session: 1, seq: 6}, false},
		"the same call": {key{session: 1, seq: 5}, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := &Master{queue: fairqueue.New[Proposal](fairqueue.Limits{Commands: 256, Bytes: 1 << 20}), inLog: map[key]api.Principal{}, sessions: session.New(session.DefaultConfig(), 1, 0)}
			m.join("ann", Proposal{key: key{session: 1, seq: 5}})
			m.join("ann", Proposal{key: c.second})
			take := func() { m.takeTurns(now, 10) }
			if c.panics {
				require.Panics(t, take)
			} else {
				take()
				require.Len(t, m.inLog, 2)
			}
		})
	}
}

// A call that waits for the log is on its way there; what the desk was told of calls on
// rows it is told to forget.
func TestIE7WhatWaitsForTheLogIsOnItsWay(t *testing.T) {
	now, k := time.Unix(1000, 0), key{session: 1, seq: 5}
	for name, c := range map[string]struct {
		do     func(m *Master)
		panics bool
	}{
		"in its line":         {func(m *Master) { m.join("ann", Proposal{key: k}) }, false},
		"in the log":          {func(m *Master) { m.join("ann", Proposal{key: k}); m.takeTurns(now, 10) }, false},
		"nowhere":             {func(*Master) {}, true},
		"another, not a call": {func(m *Master) { m.join(fairqueue.System, Proposal{}) }, true},
		"applied": {func(m *Master) {
			m.join("ann", Proposal{key: k})
			m.takeTurns(now, 10)
			m.done(At{Now: now}, k)
			m.leave(At{Now: now}, k)
		}, false},
		"applied, and the desk knows nothing of it": {func(m *Master) { delete(m.pending, k) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			sealer, err := handle.NewSealer(handle.Secret{1})
			require.NoError(t, err)
			rows := db.New()
			m := &Master{
				queue: fairqueue.New[Proposal](fairqueue.Limits{Commands: 256, Bytes: 1 << 20}), inLog: map[key]api.Principal{},
				ops: nodeops.New(nodeops.DefaultConfig(), 1, sealer, nodeops.At{Now: now, Rows: rows}), pending: map[key]pending{k: {}},
			}
			m.ops.Entered(k.session, k.seq)
			c.do(m)
			v := invariant.Caught(m.verifyWaiting)
			require.Equal(t, c.panics, v != nil)
			if c.panics {
				require.Equal(t, invariant.ID("I-E7"), v.ID)
			}
		})
	}
}
