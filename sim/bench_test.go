package sim

import (
	"context"
	"encoding/binary"
	"runtime"
	"testing"
	"time"
)

// report prints events per second and allocations per event.
func report(b *testing.B, w *World, before runtime.MemStats) {
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	n := float64(w.Steps())
	b.ReportMetric(n/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/n, "allocs/event")
	b.ReportMetric(w.Now().Seconds()/b.Elapsed().Seconds(), "sim-s/s")
	b.ReportMetric(0, "ns/op")
}

func measure(b *testing.B, w *World) {
	defer w.Close()
	w.RunFor(time.Second)
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	w.timeline.steps = 0
	for b.Loop() {
		w.RunFor(100 * time.Millisecond)
	}
	report(b, w, before)
	if w.Failure() != nil {
		b.Fatal(w.Failure())
	}
}

// again is an event that schedules itself.
type again struct{ d *Draw }

func (a *again) fire(w *World, _ uint64, _ *packet) {
	w.timeline.schedule(a.d.Between(1, 1_000_000), &w.timeline.ties, a, 0, nil)
}

// The event loop alone, with 1,000 events waiting at any time.
func BenchmarkEventLoop(b *testing.B) {
	w := New(Config{Seed: 1})
	for i := range 1000 {
		a := &again{w.Draw("again", uint64(i))}
		a.fire(w, 0, nil)
	}
	measure(b, w)
}

// bouncer sends each message back.
type bouncer struct {
	env *Env
	buf [64]byte
}

func (p *bouncer) Start(env *Env) {
	p.env = env
	if env.Self() == 1 {
		for i := range 64 {
			binary.LittleEndian.PutUint64(p.buf[:], uint64(i))
			env.Send(2, p.buf[:])
		}
	}
}

func (p *bouncer) Receive(_ time.Time, from Addr, msg []byte) { p.env.Send(from, msg) }
func (p *bouncer) Wake(time.Time)                             {}

// Messages of 64 bytes between two machines.
func BenchmarkMessages(b *testing.B) {
	w := New(Config{Seed: 1, Link: LinkConfig{Delay: Table{300 * time.Microsecond, time.Millisecond}}})
	for range 2 {
		w.Add(MachineConfig{Process: func() Process { return &bouncer{} }}).Start()
	}
	measure(b, w)
}

// writer writes and syncs without end.
type writer struct{ silent }

func (writer) Start(env *Env) {
	env.Go("write", func() {
		f, err := env.FS().Create("f")
		if err != nil {
			env.Fail(err)
			return
		}
		var b [512]byte
		for i := int64(0); ; i++ {
			if _, err := f.WriteAt(b[:], i%64*512); err != nil {
				env.Fail(err)
			}
			if err := f.SyncData(); err != nil {
				env.Fail(err)
			}
		}
	})
}

// Disk calls: each one is an event and two switches of coroutines.
func BenchmarkDisk(b *testing.B) {
	w := New(Config{Seed: 1})
	w.Add(MachineConfig{Process: func() Process { return writer{} }, Disk: ssd()}).Start()
	measure(b, w)
}

// A timer that sets itself again each time it fires.
func BenchmarkTimers(b *testing.B) {
	w := New(Config{Seed: 1})
	w.Add(MachineConfig{Process: func() Process { return &ticker{every: 10 * time.Microsecond} }}).Start()
	measure(b, w)
}

// number is a state machine that costs nothing.
type number struct{ n uint64 }

func (c *number) Apply(string) string { c.n++; return "" }
func (c *number) Checksum() uint64    { return c.n }

// Three replicas of package paxos and three clients without think time: the speed of a world that
// simulates real code.
func BenchmarkPaxosGroup(b *testing.B) {
	w := New(Config{Seed: 1, Link: LinkConfig{Delay: Table{300 * time.Microsecond, time.Millisecond}}})
	g := NewGroup(w, GroupConfig{
		Replicas: 3, New: NewPaxos, Disk: ssd(), State: func() StateMachine { return &number{} },
	})
	for i := range 3 {
		w.Add(MachineConfig{Addr: FirstClient + Addr(i), Process: Program(func(rt *Runtime) {
			c := g.Caller(rt)
			for {
				if _, err := c.Call(context.Background(), "add"); err != nil {
					return
				}
			}
		})}).Start()
	}
	measure(b, w)
}
