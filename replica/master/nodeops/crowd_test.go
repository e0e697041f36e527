package nodeops_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// crowd is a world in which n sessions have /f open; the first holds its lock, and
// the others wait for it.
type crowd struct {
	*world
	tokens []api.Token
	ids    []api.SessionID
	last   nodeops.Reply
	held   api.Acquisition
	parked int
	acts   int
}

func newCrowd(t rapid.TB, n int, m func(i int) api.Mode) *crowd {
	c := &crowd{world: newWorld(t, nodeops.DefaultConfig())}
	c.quiet = true
	c.said = func(r nodeops.Reply) {
		c.last = r
		if r.Result.Code == api.Parked {
			c.parked++
		}
		if h, ok := r.Result.Detail.(api.Held); ok {
			c.held = h.Acquisition
		}
	}
	c.proposed = func(command.Command) { c.acts++ }
	for i := range n {
		c.enter(m(i))
	}
	return c
}

func (c *crowd) enter(m api.Mode) {
	id := c.session("ann")
	c.ask(calls.Request{Session: id, Seq: 1, Op: api.Open{Path: "f", Rights: api.RightWrite, Create: api.CreateMay, Kind: api.File}})
	c.drain()
	token := c.last.Result.Detail.(api.Opened).Token
	c.ids, c.tokens = append(c.ids, id), append(c.tokens, token)
	c.ask(calls.Request{Session: id, Seq: 2, Seen: 1, Op: api.Acquire{Handle: token, Mode: m, Wait: true}})
	c.drain()
}

// Of a thousand waiting writers, each Release proposes one Acquire, down to the last writer.
func TestOneReleaseWakesOneWriter(t *testing.T) {
	const n = 1000
	c := newCrowd(t, n, func(int) api.Mode { return api.Exclusive })
	require.Equal(t, n-1, c.parked)
	for i := range n {
		holders := lock.Holdings(c.db)
		require.Len(t, holders, 1)
		require.Equal(t, c.ids[i], holders[0].Owner.Session, "first come, first served")
		c.acts = 0
		c.ask(calls.Request{Session: c.ids[i], Seq: 3, Seen: 2, Op: api.Release{Handle: c.tokens[i], Acquisition: c.held}})
		c.drain()
		require.Equal(t, min(2, n-i), c.acts, "the release, and the next one's Acquire")
	}
	require.Zero(t, c.ops.Status().Waiting)
	require.NoError(t, c.ops.Audit(c.db))
}

// However many ephemeral nodes were left behind, the sweeps proposed at one time are bounded.
func TestSweepsAreBounded(t *testing.T) {
	const n, most = 200, 64
	c := newCrowd(t, 1, func(int) api.Mode { return api.Exclusive })
	for i := range n {
		o := api.Open{Path: fmt.Sprint(i), Rights: api.RightRead, Create: api.CreateMust, Kind: api.File, Ephemeral: true}
		c.ask(calls.Request{Session: c.ids[0], Seq: api.Seq(3 + i), Seen: api.Seq(2 + i), Op: o})
		c.drain()
	}
	c.upkeep(command.Expire{Guard: c.guard(), Session: c.ids[0]})
	require.Len(t, c.log, most)
	c.drain()
	for n := range tree.Ephemerals(c.db) {
		require.Fail(t, "left", "%v", n)
	}
	require.EqualValues(t, n, c.ops.Status().Counters.Swept)
}

// A thousand readers behind a writer are all proposed together.
func TestOneReleaseWakesAllReaders(t *testing.T) {
	const n = 1000
	c := newCrowd(t, n, func(i int) api.Mode { return api.Mode(1 + min(i, 1)) })
	c.acts = 0
	c.ask(calls.Request{Session: c.ids[0], Seq: 3, Seen: 2, Op: api.CloseHandle{Handle: c.tokens[0]}})
	c.drain()
	require.Equal(t, n, c.acts)
	require.Len(t, lock.Holdings(c.db), n-1)
	require.NoError(t, c.ops.Audit(c.db))
}
