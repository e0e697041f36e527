package command_test

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// told is what a master can know from effects alone.
type told struct {
	sessions  map[api.SessionID]bool
	holds     map[lock.Owner]api.Ref
	delays    map[lock.DelayEnded]bool
	ephemeral map[api.Ref]bool
}

func newTold() *told {
	return &told{map[api.SessionID]bool{}, map[lock.Owner]api.Ref{}, map[lock.DelayEnded]bool{}, map[api.Ref]bool{}}
}

func (k *told) hear(t *rapid.T, a command.Applied) {
	for _, e := range a.Effects {
		switch e := e.(type) {
		case command.SessionOpened:
			k.sessions[e.Session] = true
		case command.SessionEnded:
			require.True(t, k.sessions[e.Session])
			_, expires := a.Command.(command.Expire)
			require.Equal(t, expires, e.Expired)
			delete(k.sessions, e.Session)
		case command.TreeChanged:
			k.node(e.Effect)
		case command.LockChanged:
			k.lock(t, e.Effect)
		}
	}
}

func (k *told) node(e tree.Effect) {
	switch e := e.(type) {
	case tree.Created:
		if e.Ephemeral {
			k.ephemeral[e.Node] = true
		}
	case tree.Deleted:
		delete(k.ephemeral, e.Node)
	}
}

func (k *told) lock(t *rapid.T, e lock.Effect) {
	switch e := e.(type) {
	case lock.Granted:
		_, holds := k.holds[e.Owner]
		require.False(t, holds)
		k.holds[e.Owner] = e.Lock
	case lock.Freed:
		require.Equal(t, e.Lock, k.holds[e.Owner])
		delete(k.holds, e.Owner)
	case lock.DelayBegan:
		k.delays[lock.DelayEnded{Lock: e.Lock, Freed: e.Freed}] = true
	case lock.DelayEnded:
		require.True(t, k.delays[e])
		delete(k.delays, e)
	}
}

func (k *told) same(t *rapid.T, d *db.DB) {
	require.EqualValues(t, len(k.sessions), rows.GetTotals(d).Sessions)
	holds := map[lock.Owner]api.Ref{}
	for _, h := range lock.Holdings(d) {
		holds[h.Owner] = h.Lock
	}
	require.Equal(t, holds, k.holds)
	delays := map[lock.DelayEnded]bool{}
	for _, running := range lock.Delays(d) {
		delays[lock.DelayEnded{Lock: running.Lock, Freed: running.Freed}] = true
	}
	require.Equal(t, delays, k.delays)
	ephemeral := map[api.Ref]bool{}
	for n := range tree.Ephemerals(d) {
		ephemeral[n] = true
	}
	require.Equal(t, ephemeral, k.ephemeral)
}
