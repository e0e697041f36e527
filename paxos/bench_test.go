package paxos

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// trio is three nodes whose disks write at once and whose messages are delivered
// in order: what is measured is the protocol.
type trio struct {
	now    time.Time
	nodes  [3]*Node
	mail   []wire
	chosen int // commands handed out by node 1
}

func newTrio(b *testing.B, tune func(*Config)) *trio {
	t := &trio{now: time.Unix(0, 0)}
	for i := range t.nodes {
		cfg := DefaultConfig()
		cfg.ID, cfg.Members = NodeID(i+1), []NodeID{1, 2, 3}
		tune(&cfg)
		t.nodes[i] = New(cfg, Recovered{}, t.now)
		t.take(i)
	}
	t.now = t.now.Add(time.Second)
	t.nodes[0].Advance(t.now)
	t.take(0)
	t.run()
	require.Equal(b, Leader, t.nodes[0].Status().Role)
	return t
}

func (t *trio) take(i int) {
	for {
		out := t.nodes[i].TakeOutput()
		for _, e := range out.Send {
			t.mail = append(t.mail, wire{from: NodeID(i + 1), to: e.To, m: e.Message})
		}
		if len(out.Chosen) > 0 {
			t.nodes[i].Applied(out.Chosen[len(out.Chosen)-1].Slot)
		}
		if i == 0 {
			for _, e := range out.Chosen {
				t.chosen += e.Value.Len()
			}
		}
		if len(out.Append) == 0 {
			return
		}
		t.nodes[i].Durable(t.now, out.First+LSN(len(out.Append))-1)
	}
}

// run delivers all mail, one round at a time: a node takes what has come and then
// gives its output, as a driver that merges what comes meanwhile.
func (t *trio) run() {
	for len(t.mail) > 0 {
		mail := t.mail
		t.mail = nil
		for _, w := range mail {
			t.nodes[w.to-1].Step(t.now, w.from, w.m)
		}
		for i := range t.nodes {
			t.take(i)
		}
	}
}

// Proposals through a group of three in memory, in batches of several sizes:
// proposals/s and allocations per decided command.
func BenchmarkPropose(b *testing.B) {
	for _, batch := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			t := newTrio(b, func(c *Config) { c.MaxBatchCommands = batch })
			command := make([]byte, 64)
			n, before := 0, mallocs()
			for b.Loop() {
				for range batch {
					if err := t.nodes[0].Propose(t.now, command); err != nil {
						b.Fatal(err)
					}
				}
				n += batch
				t.take(0)
				t.run()
			}
			if t.chosen != n {
				b.Fatalf("%d of %d commands were chosen", t.chosen, n)
			}
			report(b, n, before)
		})
	}
}

// A full window of one-command slots in flight at once.
func BenchmarkPipeline(b *testing.B) {
	t := newTrio(b, func(c *Config) { c.MaxBatchCommands = 1 })
	command := make([]byte, 64)
	n, before := 0, mallocs()
	for b.Loop() {
		for range 64 {
			if err := t.nodes[0].Propose(t.now, command); err != nil {
				b.Fatal(err)
			}
		}
		n += 64
		t.take(0)
		t.run()
	}
	report(b, n, before)
}

// report gives what a decided command costs, three nodes together.
func report(b *testing.B, n int, before uint64) {
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "proposals/s")
	b.ReportMetric(float64(mallocs()-before)/float64(n), "allocs/command")
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// The codec, on the two messages that carry the load.
func BenchmarkCodec(b *testing.B) {
	accept := Accept{Ballot: Ballot{7, 1}, Boot: 3, Slot: 1 << 20, Value: Batch(make([]byte, 1024))}
	for _, m := range []Message{accept, Accepted{Ballot: Ballot{7, 1}, Boot: 3, Slot: 1 << 20}} {
		bytes := string(AppendMessage(nil, m))
		name := fmt.Sprintf("%T", m)
		b.Run("append/"+name, func(b *testing.B) {
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst = AppendMessage(dst[:0], m)
			}
			b.ReportMetric(float64(len(bytes))*float64(b.N)/1e6/b.Elapsed().Seconds(), "MB/s")
		})
		b.Run("decode/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecodeMessage(bytes); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(bytes))*float64(b.N)/1e6/b.Elapsed().Seconds(), "MB/s")
		})
	}
}
