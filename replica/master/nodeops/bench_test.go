package nodeops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
)

// BenchmarkOpenClose opens a file that exists, and closes it: no command is needed.
func BenchmarkOpenClose(b *testing.B) {
	c := newCrowd(b, 1, func(int) api.Mode { return api.Exclusive })
	seq := api.Seq(2)
	for b.Loop() {
		seq++
		c.ask(calls.Request{Session: c.ids[0], Seq: seq, Seen: seq - 1, Op: api.Open{Path: "f", Rights: api.RightRead}})
		token := c.last.Result.Detail.(api.Opened).Token
		seq++
		c.ask(calls.Request{Session: c.ids[0], Seq: seq, Seen: seq - 1, Op: api.CloseHandle{Handle: token}})
		require.Equal(b, api.OK, c.last.Result.Code)
	}
	c.report(b, 2)
}

// BenchmarkAcquireRelease passes a lock from waiter to waiter. Commands are applied at once; each turn
// takes two.
func BenchmarkAcquireRelease(b *testing.B) {
	const n = 100
	c := newCrowd(b, n, func(int) api.Mode { return api.Exclusive })
	seqs := make([]api.Seq, n)
	i := 0
	for b.Loop() {
		k := i % n
		seq := 3 + 2*seqs[k]
		c.ask(calls.Request{Session: c.ids[k], Seq: seq, Seen: seq - 1, Op: api.Release{Handle: c.tokens[k], Acquisition: c.held}})
		c.ask(calls.Request{Session: c.ids[k], Seq: seq + 1, Seen: seq - 1, Op: api.Acquire{Handle: c.tokens[k], Mode: api.Exclusive, Wait: true}})
		c.drain()
		seqs[k]++
		i++
	}
	require.Equal(b, n-1, c.ops.Status().Waiting)
	c.report(b, 2)
}

// report reports how many calls were answered in a second, and how many commands they took.
func (c *crowd) report(b *testing.B, calls int) {
	b.ReportMetric(float64(b.N*calls)/b.Elapsed().Seconds(), "calls/s")
	b.ReportMetric(float64(c.acts)/float64(b.N), "commands/op")
}
